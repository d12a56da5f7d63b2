import { formatNumber } from '#web/parts/number.ts';
import { type Comparison, figureOf } from './completeness.ts';
import type { Numbers } from './numbers.ts';
import styles from './totals.module.css';

const metrics = [
  ['engagement', 'Engagement'],
  ['views', 'Views'],
  ['reach', 'Reach'],
  ['comments', 'Comments'],
  ['saves', 'Saves'],
  ['posts', 'Posts'],
] as const;

/** Each total with what is known about it: the whole range before, who reports it, or why there is no number. */
export const Totals = ({
  numbers: { summary, before, coverage, coverageBefore },
  comparison,
  days,
}: {
  numbers: Numbers;
  comparison: Comparison;
  days: number;
}) => (
  <dl className={`card ${styles.totals}`} aria-label="Totals">
    {metrics.map(([name, label]) => {
      const { value, note } = figureOf(name, {
        now: summary.totals,
        before: before.totals,
        coverage,
        coverageBefore,
        comparison,
        days,
      });
      return (
        <div key={name} className={styles.total}>
          <dt className="small text-2">{label}</dt>
          <dd className={`number ${styles.value}`} title={value?.toLocaleString('en-GB')}>
            {value === undefined ? <span aria-hidden="true">—</span> : formatNumber(value)}
          </dd>
          <dd className="caption number clamp text-3" title={note}>
            {note}
          </dd>
        </div>
      );
    })}
  </dl>
);
