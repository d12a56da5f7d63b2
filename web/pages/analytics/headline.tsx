import { formatSaid } from '#web/base/time.ts';
import { type Comparison, describeComparison } from './completeness.ts';
import { shortDate } from './format-dates.ts';
import styles from './headline.module.css';
import type { Numbers } from './numbers.ts';
import { sentenceOf } from './sentence.ts';
import type { Range } from './use-range.ts';

/** One sentence about the range, and the data it is based on. */
export const Headline = ({
  numbers: { summary, coverage },
  range,
  comparison,
  zone,
}: {
  numbers: Numbers;
  range: Range;
  comparison: Comparison;
  zone: string;
}) => {
  const read = coverage.accounts.filter(({ readPosts }) => readPosts > 0).length;
  const phrases = sentenceOf(summary, { words: range.words, isRead: read > 0 });
  return (
    <div className={styles.headline}>
      <p className={styles.sentence}>
        {phrases.map(({ text, isStrong }) => (isStrong ? <b key={text}>{text}</b> : <span key={text}>{text}</span>))}
      </p>
      <p className="small text-2">
        {coverage.readAt &&
          `Read ${formatSaid(coverage.readAt, zone)} from ${read} of ${coverage.accounts.length} accounts. `}
        {explain(comparison)}
      </p>
    </div>
  );
};

const explain = (comparison: Comparison) => {
  if (comparison.is === 'first')
    return `${comparison.days === 1 ? 'This is' : 'These are'} your ${describeComparison(comparison)}, so there is nothing to compare with yet.`;
  if (comparison.is === 'partial')
    return `Posts began on ${shortDate(comparison.began)}, so there is no whole range before to compare with.`;
  return '';
};
