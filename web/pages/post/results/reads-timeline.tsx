import { dayMs, hourMs } from '#contracts/time';
import { useZone } from '#web/base/session.ts';
import { formatDay, formatTime, now } from '#web/base/time.ts';
import { formatNumber } from '#web/parts/number.ts';
import type { Target } from '#web/parts/results/target.ts';
import { useNow } from '#web/parts/use-now.ts';
import { engagementOf } from './engagement.ts';
import styles from './reads-timeline.module.css';

const steps = [
  { name: '1 h', afterMs: hourMs },
  { name: '6 h', afterMs: 6 * hourMs },
  { name: '24 h', afterMs: dayMs },
  { name: '3 d', afterMs: 3 * dayMs },
  { name: '7 d', afterMs: 7 * dayMs },
  { name: '30 d', afterMs: 30 * dayMs },
] as const;

/** Past and future reads of statistics, with the total engagement at each. */
export const ReadsTimeline = ({ targets }: { targets: readonly Target[] }) => {
  const zone = useZone();
  useNow();
  const targetsWithReads = targets.filter(({ entry, account }) => entry && account?.statistics !== 'None');
  const first = Math.min(...targetsWithReads.map(({ entry }) => Date.parse(entry?.publishedAt ?? '')));
  if (targetsWithReads.length === 0 || !Number.isFinite(first)) return null;
  const stepsWithSums = steps.map((step, index) => ({
    ...step,
    at: new Date(first + step.afterMs),
    sum: sumAt(targetsWithReads, first + step.afterMs, first + (steps[index + 1]?.afterMs ?? Number.POSITIVE_INFINITY)),
  }));
  return (
    <section className={`card ${styles.reads}`} aria-labelledby="reads">
      <header className={styles.head}>
        <h2 id="reads" className="subtitle">
          Reads
        </h2>
        <span className="caption text-2">numbers do not change between reads</span>
      </header>
      <ol className={styles.steps}>
        {stepsWithSums.map(({ name, at, sum }) => (
          <li key={name} data-done={sum !== undefined || undefined}>
            <span className={styles.dot} aria-hidden="true" />
            <span className="small text-2">{name}</span>
            {sum === undefined ? (
              <span className="small text-2 number">{at <= now() ? 'not read' : formatWhen(at, zone)}</span>
            ) : (
              <b className="small number" title="Engagement over all accounts">
                {formatNumber(sum)}
                <span className="hidden"> engagement</span>
              </b>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** Engagement at the end of a step; undefined if no account was read in it. Reads may be slightly early. */
const sumAt = (targets: readonly Target[], from: number, until: number) => {
  const toleranceMs = 60_000;
  const before = targets.map(({ reads }) =>
    reads.filter(({ fetchedAt }) => Date.parse(fetchedAt) < until - toleranceMs),
  );
  const isRead = before.some((reads) => reads.some(({ fetchedAt }) => Date.parse(fetchedAt) >= from - toleranceMs));
  if (!isRead) return undefined;
  return before.reduce((total, reads) => {
    const last = reads.at(-1);
    return total + (last ? engagementOf(last) : 0);
  }, 0);
};

/** `Thu 18:00` within a week, else `23 Nov`. */
const formatWhen = (at: Date, zone: string) => {
  const day = formatDay(at, zone);
  return at.getTime() - now().getTime() < 6 * dayMs ? `${day.slice(0, 3)} ${formatTime(at, zone)}` : day.slice(4);
};
