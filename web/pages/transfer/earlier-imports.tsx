import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { List, ListRow } from '#web/parts/list.tsx';
import { count, formatNumber } from '#web/parts/number.ts';
import { Section } from '#web/parts/section.tsx';
import { When } from '#web/parts/when.tsx';

export const EarlierImports = () => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.imports,
    queryFn: ({ signal }) => app.listImports({ signal }),
  });
  if (error) return <FaultBanner fault={error} title="Earlier imports could not be loaded" onRetry={refetch} />;
  if (!data || data.imports.length === 0) return null;
  return (
    <Section title="Earlier imports" note="kept for up to 90 days">
      <List label="Earlier imports">
        {data.imports.map(({ id, fileName, totals, createdAt }) => (
          <ListRow
            key={id}
            id={id}
            link={{ to: '/settings/transfer/$id', params: { id } }}
            title={fileName}
            note={`${count(totals.rows, 'row')}, ${
              totals.saved > 0 ? `${formatNumber(totals.saved)} saved` : 'nothing saved yet'
            }`}
            side={<When at={createdAt} className="small text-3" />}
          />
        ))}
      </List>
    </Section>
  );
};
