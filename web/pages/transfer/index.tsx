import { usePermissions } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import { EarlierImports } from './earlier-imports.tsx';
import { ExportPosts } from './export-posts.tsx';
import { ImportFile } from './import-file.tsx';

export default function TransferPage() {
  const { canWrite, role } = usePermissions();
  return (
    <>
      <PageHeader crumb={{ label: 'Workspace', link: { to: '/settings/workspace' } }} title="Import and export" />
      <Column width="narrow">
        {canWrite ? (
          <>
            <ImportFile />
            <EarlierImports />
          </>
        ) : (
          <Banner tone="blue" title="You can export posts">
            Owners, admins and editors import posts; you are {role} here.
          </Banner>
        )}
        <ExportPosts />
      </Column>
    </>
  );
}
