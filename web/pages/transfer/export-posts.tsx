import { Button, Progress, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { addDays, dateIn, instantOf, now } from '#web/base/time.ts';
import { Banner } from '#web/parts/banner.tsx';
import { count, formatNumber } from '#web/parts/number.ts';
import { Section } from '#web/parts/section.tsx';
import styles from './transfer.module.css';
import { useExport } from './use-export.ts';

const kinds = [
  { value: 'json', label: 'Everything, JSON', format: 'json', part: 'posts' },
  { value: 'posts', label: 'Posts, CSV', format: 'csv', part: 'posts' },
  { value: 'results', label: 'Results, CSV', format: 'csv', part: 'results' },
  { value: 'statistics', label: 'Statistics, CSV', format: 'csv', part: 'statistics' },
] as const;
type Kind = (typeof kinds)[number];

const ranges = [
  { value: 'all', label: 'All posts' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '365', label: 'Last year' },
  { value: 'dates', label: 'Dates' },
];

export const ExportPosts = () => {
  const zone = useZone();
  const today = dateIn(now(), zone);
  const [kind, setKind] = useState<Kind>(kinds[0]);
  const [range, setRange] = useState('all');
  const [first, setFirst] = useState(addDays(today, -29));
  const [last, setLast] = useState(today);
  const span = spanOf(range, { first, last }, today, zone);
  const { data } = useQuery({
    queryKey: keys.exportCount(span ?? {}),
    queryFn: ({ signal }) => app.countExport(span ?? {}, { signal }),
    enabled: span !== undefined,
  });
  const { progress, fault, begin, stop } = useExport();
  const total = data?.posts;
  const name = `posthorn-${kind.format === 'json' ? '' : `${kind.part}-`}${today}.${kind.format}`;
  const isOfPosts = kind.part === 'posts';
  return (
    <Section title="Export" note="with links to the media">
      <div className={styles.gap}>
        <SegmentedControl
          aria-label="What to export"
          className={styles.kinds}
          value={kind.value}
          onChange={(value) => setKind(kinds.find((one) => one.value === value) ?? kinds[0])}
          data={kinds.map(({ value, label }) => ({ value, label }))}
        />
        <div className={styles.range}>
          <Select
            label="Range"
            description="By the time at which a post went out, else its planned time, else its last change."
            data={ranges}
            value={range}
            allowDeselect={false}
            onChange={(value) => setRange(value ?? 'all')}
          />
          {range === 'dates' && (
            <>
              <TextInput
                type="date"
                label="First day"
                value={first}
                onChange={(event) => setFirst(event.currentTarget.value)}
              />
              <TextInput
                type="date"
                label="Last day"
                value={last}
                onChange={(event) => setLast(event.currentTarget.value)}
                error={span === undefined && 'The last day must not be before the first.'}
              />
            </>
          )}
        </div>
        {progress === undefined ? (
          <div className={styles.acts}>
            <Button
              leftSection={<Download size={16} aria-hidden="true" />}
              aria-disabled={span === undefined || undefined}
              onClick={() => span && begin({ format: kind.format, part: kind.part, ...span }, name)}
            >
              {total === undefined ? 'Export' : `Export ${count(total, 'post')}`}
            </Button>
          </div>
        ) : (
          <div className={styles.running} role="status">
            {/* It changes with each chunk, and screen readers would announce it each time. */}
            <span className="hidden">Exporting</span>
            <span className="number" aria-hidden="true">
              {isOfPosts && total !== undefined
                ? `${formatNumber(progress.rows)} of ${count(total, 'post')}`
                : count(progress.rows, 'row')}
            </span>
            <Progress
              size={4}
              color="var(--chart-1)"
              value={isOfPosts && total ? (progress.rows / total) * 100 : 100}
              animated={!isOfPosts}
              aria-label="Export"
            />
            <Button size="xs" onClick={stop}>
              Stop
            </Button>
          </div>
        )}
        {fault && (
          <Banner tone="red" title="The export did not come through">
            {fault}
          </Banner>
        )}
      </div>
    </Section>
  );
};

/** Undefined if the dates are not a valid range. */
const spanOf = (range: string, dates: { first: string; last: string }, today: string, zone: string) => {
  if (range === 'all') return {};
  const [first, last] = range === 'dates' ? [dates.first, dates.last] : [addDays(today, 1 - Number(range)), today];
  if (!isDate(first) || !isDate(last) || last < first) return undefined;
  return { from: instantOf(first, zone), to: instantOf(addDays(last, 1), zone) };
};

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
