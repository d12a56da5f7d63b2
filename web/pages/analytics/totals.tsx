import type { Summary } from '#generated/app-client';
import { formatChange, formatNumber } from '#web/parts/number.ts';
import styles from './totals.module.css';

const metrics = [
  ['engagement', 'Engagement'],
  ['views', 'Views'],
  ['reach', 'Reach'],
  ['comments', 'Comments'],
  ['saves', 'Saves'],
  ['posts', 'Posts'],
] as const;

/** Growth is green. A decline is grey, not red: a quiet period is no error. */
export const Totals = ({
  now,
  before,
  beforeWords,
}: {
  now: Summary['totals'];
  before: Summary['totals'];
  beforeWords: string;
}) => (
  <dl className={`card ${styles.totals}`} aria-label="Totals">
    {metrics.map(([name, label]) => {
      const change = name === 'posts' ? difference(now.posts, before.posts) : changeOf(now[name], before[name]);
      return (
        <div key={name} className={styles.total}>
          <dt className="small text-2">{label}</dt>
          <dd className={`number ${styles.value}`} title={now[name].toLocaleString('en-GB')}>
            {formatNumber(now[name])}
          </dd>
          <dd className={`caption number ${styles.change}`}>
            {change === undefined ? (
              <span>{now[name] === 0 ? 'none before either' : 'none before'}</span>
            ) : (
              <>
                <b data-more={now[name] > before[name] || undefined}>{change}</b>{' '}
                <span className={styles.words}>on {beforeWords}</span>
              </>
            )}
          </dd>
        </div>
      );
    })}
  </dl>
);

/** From sixfold on, the factor is easier to read than a percentage: `×12`. */
const changeOf = (now: number, before: number) =>
  before > 0 && now >= 6 * before ? `×${Math.round(now / before)}` : formatChange(now, before);

const difference = (now: number, before: number) => {
  const more = now - before;
  return `${more > 0 ? '+' : more < 0 ? '−' : ''}${formatNumber(Math.abs(more))}`;
};
