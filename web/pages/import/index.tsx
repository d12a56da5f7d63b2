import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import NotFound from '#web/parts/not-found.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { Column } from '#web/parts/section.tsx';
import styles from './import.module.css';
import { ImportActions } from './import-actions.tsx';
import { Rows } from './rows.tsx';
import { Totals } from './totals.tsx';

/** Import report: the outcome of each row, before and after saving. */
export default function ImportPage() {
  const { id } = useParams({ from: '/shell/settings/transfer/$id' });
  const { canWrite, role } = usePermissions();
  const query = useQuery({
    queryKey: keys.import(id),
    queryFn: ({ signal }) => app.getImport({ id }, { signal }),
    enabled: canWrite,
  });
  const { data, error } = query;
  if (isPosthornError(error, 'NotFound')) return <NotFound />;
  return (
    <>
      <PageHeader
        crumb={{ label: 'Import and export', link: { to: '/settings/transfer' } }}
        title={data?.fileName ?? 'Import'}
        meta={data?.format}
        actions={data && <Forget id={id} />}
      />
      <Column width="full">
        {!canWrite && (
          <Banner tone="blue" title="You cannot see imports">
            Owners, admins and editors import posts; you are {role} here.
          </Banner>
        )}
        {canWrite && (
          <Loaded query={query} title="The report could not be loaded" rows={8} height={44}>
            {(report) => (
              <div className={styles.report}>
                <Totals totals={report.totals} />
                {report.ignored.length > 0 && (
                  <p className="small text-2">
                    Not used: {report.ignored.map((column) => `“${column}”`).join(', ')}. Times without a zone are read
                    in {report.timeZone}.
                  </p>
                )}
                <ImportActions report={report} />
                <Rows id={id} />
              </div>
            )}
          </Loaded>
        )}
      </Column>
    </>
  );
}

const Forget = ({ id }: { id: string }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isConfirming, setIsConfirming] = useState(false);
  const forget = async () => {
    await app.deleteImport({ id });
    await navigate({ to: '/settings/transfer' });
    client.removeQueries({ queryKey: keys.import(id) });
    await client.invalidateQueries({ queryKey: keys.imports });
  };
  return (
    <>
      <Button onClick={() => setIsConfirming(true)}>Forget</Button>
      <ConfirmDialog
        opened={isConfirming}
        onClose={() => setIsConfirming(false)}
        title="Forget this report?"
        act="Forget"
        kind="danger"
        onConfirm={forget}
      >
        Posts that were saved stay. The same file is then no longer recognised as imported.
      </ConfirmDialog>
    </>
  );
};
