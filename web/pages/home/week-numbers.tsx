import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { app } from '#web/api.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { formatChange, formatNumber } from '#web/parts/number.ts';
import { Section } from '#web/parts/section.tsx';
import { Skeleton } from '#web/parts/skeleton-rows.tsx';
import { Sparkline } from '#web/parts/sparkline.tsx';
import { addDays, instantOf } from '#web/parts/time.ts';
import { keys } from '#web/queries.ts';
import styles from './today.module.css';

type Metric = 'engagement' | 'views' | 'posts';
const metrics: readonly (readonly [Metric, string])[] = [
  ['engagement', 'Engagement'],
  ['views', 'Views'],
  ['posts', 'Posts'],
];
const days = 7;

/** The last seven days including today, against the seven before. */
export const WeekNumbers = ({ today, zone }: { today: string; zone: string }) => {
  const input = {
    from: instantOf(addDays(today, 1 - 2 * days), zone),
    to: instantOf(addDays(today, 1), zone),
    timeZone: zone,
  };
  const query = useQuery({
    queryKey: keys.analytics({ series: input }),
    queryFn: ({ signal }) => app.getSeries(input, { signal }),
  });
  const byDate = new Map(query.data?.days.map((day) => [day.date, day]));
  const valuesOf = (metric: Metric) =>
    Array.from({ length: 2 * days }, (_, n) => byDate.get(addDays(today, n + 1 - 2 * days))?.[metric] ?? 0);
  return (
    <Section title="Last 7 days" action={<Link to="/analytics">Analytics</Link>} card={!query.error}>
      {query.error && (
        <FaultBanner fault={query.error} title="The numbers could not be loaded" onRetry={() => void query.refetch()} />
      )}
      {(query.data || !query.error) && (
        <dl className={styles.numbers} aria-busy={query.data === undefined}>
          {metrics.map(([metric, word]) => {
            const values = valuesOf(metric);
            const [before, week] = [sum(values.slice(0, days)), sum(values.slice(days))];
            return (
              <div key={metric}>
                <dt>{word}</dt>
                {query.data ? (
                  <>
                    <dd>
                      <span className={`number ${styles.big}`}>{formatNumber(week)}</span>
                      <Change value={week} before={before} isCount={metric === 'posts'} />
                    </dd>
                    <Sparkline values={values.slice(days)} />
                  </>
                ) : (
                  <dd className={styles.big}>
                    <span className="hidden">Loading</span>
                    <Skeleton width={72} />
                  </dd>
                )}
              </div>
            );
          })}
        </dl>
      )}
    </Section>
  );
};

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** A decline is grey, not red: a quiet week is no error. */
const Change = ({ value, before, isCount }: { value: number; before: number; isCount: boolean }) => {
  const difference = value - before;
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '±';
  const text = isCount ? `${sign}${formatNumber(Math.abs(difference))}` : formatChange(value, before);
  if (text === undefined) return null;
  return (
    <span className="small number" data-up={difference > 0 || undefined}>
      {text}
      <span className="hidden"> against the seven days before</span>
    </span>
  );
};
