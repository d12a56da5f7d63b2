import { useQuery } from '@tanstack/react-query';
import { dayMs } from '#contracts/time';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { addDays, dateIn } from '#web/base/time.ts';
import { NoNumber } from '#web/parts/no-number.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { Sparkline } from '#web/parts/sparkline.tsx';
import { whyUnknown } from '#web/parts/why-unknown.ts';
import type { UsedAction } from './chat-messages.ts';
import styles from './numbers.module.css';

/** A longer range is a query for best times, not a question about a period. */
const mostDays = 32;

interface Summary {
  from: string;
  to: string;
  timeZone: string;
  totals: { posts: number; engagement: number; views: number; comments: number };
}

/** The summary that the answer is about, if any. */
export const summaryIn = (actions: readonly UsedAction[]): { summary: Summary; accountIds: string } | undefined => {
  const used = actions.find(({ name, state }) => name === 'analytics.summary' && state === 'done');
  const summary = used?.output as Partial<Summary> | undefined;
  if (!used || !summary?.totals?.posts || !summary.from || !summary.to || !summary.timeZone) return undefined;
  if (Date.parse(summary.to) - Date.parse(summary.from) > mostDays * dayMs) return undefined;
  const { accountIds } = used.input;
  return { summary: summary as Summary, accountIds: Array.isArray(accountIds) ? accountIds.join() : '' };
};

/** Three totals with their daily course. */
export const Numbers = ({ summary, accountIds }: { summary: Summary; accountIds: string }) => {
  const { from, to, timeZone, totals } = summary;
  const input = { from, to, timeZone, ...(accountIds && { accountIds }) };
  const { data, error } = useQuery({
    queryKey: keys.analytics({ seriesWithCoverage: input }),
    queryFn: async ({ signal }) => {
      const [{ days }, coverage] = await Promise.all([
        app.getSeries(input, { signal }),
        app.getCoverage(input, { signal }),
      ]);
      return { days, coverage };
    },
  });
  const dailyValues = (figure: 'engagement' | 'views') => {
    const byDate = new Map(data?.days.map((day) => [day.date, day[figure]]));
    const first = dateIn(from, timeZone);
    const count = Math.round((Date.parse(to) - Date.parse(from)) / dayMs);
    return Array.from({ length: count }, (_, n) => byDate.get(addDays(first, n)) ?? 0);
  };
  const metrics = [
    { name: 'engagement', word: 'Engagement', values: dailyValues('engagement') },
    { name: 'views', word: 'Views', values: dailyValues('views') },
    { name: 'comments', word: 'Comments', values: [] },
  ] as const;
  return (
    <dl className={`card ${styles.numbers}`}>
      {metrics.map(({ name, word, values }) => {
        const reason = data ? whyUnknown(data.coverage, name) : error ? 'could not be read' : 'loading';
        return (
          <div key={word}>
            <dt className="small text-2">{word}</dt>
            <dd className={`number ${styles.total}`}>
              {reason ? <NoNumber reason={reason} /> : formatNumber(totals[name])}
            </dd>
            {!reason && values.length > 1 && data && (
              <dd className={styles.run}>
                <Sparkline values={values} />
              </dd>
            )}
          </div>
        );
      })}
    </dl>
  );
};
