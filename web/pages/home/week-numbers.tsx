import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { addDays, dateIn, instantOf } from '#web/base/time.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { Section } from '#web/parts/section.tsx';
import { Skeleton } from '#web/parts/skeleton-rows.tsx';
import { Sparkline } from '#web/parts/sparkline.tsx';
import { whyUnknown } from '#web/parts/why-unknown.ts';
import styles from './today.module.css';

type Metric = 'engagement' | 'views' | 'posts';
const metrics: readonly (readonly [Metric, string])[] = [
  ['engagement', 'Engagement'],
  ['views', 'Views'],
  ['posts', 'Posts'],
];
const days = 7;

/** The last seven days including today, with the seven before if posts began by then. */
export const WeekNumbers = ({ today, zone }: { today: string; zone: string }) => {
  const firstDay = addDays(today, 1 - 2 * days);
  const input = {
    from: instantOf(firstDay, zone),
    to: instantOf(addDays(today, 1), zone),
    timeZone: zone,
  };
  const query = useQuery({
    queryKey: keys.analytics({ series: input }),
    queryFn: async ({ signal }) => {
      const [series, coverage] = await Promise.all([
        app.getSeries(input, { signal }),
        app.getCoverage({ ...input, from: instantOf(addDays(firstDay, days), zone) }, { signal }),
      ]);
      const { beganAt } = coverage;
      return { days: series.days, coverage, hasWeekBefore: beganAt !== undefined && dateIn(beganAt, zone) <= firstDay };
    },
  });
  const byDate = new Map(query.data?.days.map((day) => [day.date, day]));
  const valuesOf = (metric: Metric) =>
    Array.from({ length: 2 * days }, (_, n) => byDate.get(addDays(firstDay, n))?.[metric] ?? 0);
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
            const reason = query.data && metric !== 'posts' && whyUnknown(query.data.coverage, metric);
            const isSilentBefore = before === 0 && sum(valuesOf('posts').slice(0, days)) > 0;
            return (
              <div key={metric} className="divided">
                <dt>{word}</dt>
                {reason ? (
                  <dd>
                    <span className={`number ${styles.big}`} aria-hidden="true">
                      —
                    </span>
                    <span className="small">{reason}</span>
                  </dd>
                ) : query.data ? (
                  <>
                    <dd>
                      <span className={`number ${styles.big}`}>{formatNumber(week)}</span>
                      {query.data.hasWeekBefore && !isSilentBefore && (
                        <span className="small number">{formatNumber(before)} the week before</span>
                      )}
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
