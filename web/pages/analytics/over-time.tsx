import { ActionIcon, Tooltip } from '@mantine/core';
import { ChartColumn, Table2 } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '#web/parts/number.ts';
import { Chart } from './chart.tsx';
import type { Comparison } from './completeness.ts';
import { formatRange, shortDate } from './format-dates.ts';
import type { Numbers } from './numbers.ts';
import styles from './over-time.module.css';
import { Panel } from './panel.tsx';
import { maxBars, type Point, pointsOf } from './points.ts';
import type { Range } from './use-range.ts';

/** Engagement by day or week, with a whole range before it if there is one, as a chart or a table. */
export const OverTime = ({
  numbers,
  range,
  comparison,
  today,
  zone,
}: {
  numbers: Numbers;
  range: Range;
  comparison: Comparison;
  today: string;
  zone: string;
}) => {
  const [isTable, setIsTable] = useState(false);
  const isComparable = comparison.is === 'before';
  const { points, unit } = pointsOf(numbers, range, { isComparable, zone });
  const isBars = points.length <= maxBars;
  const now = formatRange(range, today);
  const Icon = isTable ? ChartColumn : Table2;
  const label = isTable ? 'Show as a chart' : 'Show as a table';
  return (
    <Panel
      title={`Engagement by ${unit}`}
      side={
        <>
          {!isTable && (
            <ul className={styles.legend} aria-label="Legend">
              {isBars && <li data-line="post">one dot is one post</li>}
              {isComparable && <li data-line="before">{range.before}</li>}
            </ul>
          )}
          <Tooltip label={label}>
            <ActionIcon size={24} aria-label={label} onClick={() => setIsTable(!isTable)}>
              <Icon size={14} aria-hidden="true" />
            </ActionIcon>
          </Tooltip>
        </>
      }
    >
      {isTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
        <section className={styles.scroller} tabIndex={0} aria-label="Engagement as a table">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{unit === 'week' ? 'Week from' : 'Day'}</th>
                <th scope="col">Engagement</th>
                <th scope="col">Posts</th>
                {isComparable && <th scope="col">Before</th>}
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.date}>
                  <th scope="row">
                    {shortDate(point.date)}
                    {point.isUnfinished && ', so far'}
                  </th>
                  <td>{point.posts === 0 || point.isUnread ? '—' : point.now.toLocaleString('en-GB')}</td>
                  <td>{point.posts}</td>
                  {isComparable && <td>{point.before?.toLocaleString('en-GB')}</td>}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        <div className={styles.chart}>
          <Chart points={points} posts={numbers.posts} unit={unit} label={describeChart(points, now, unit)} />
        </div>
      )}
    </Panel>
  );
};

const describeChart = (points: readonly Point[], now: string, unit: string) => {
  const best = points.reduce((high, point) => (point.now > high.now ? point : high), points[0] as Point);
  if (points.every(({ posts, isUnread }) => posts === 0 || isUnread))
    return `Engagement by ${unit}, ${now}: no numbers.`;
  const total = formatNumber(points.reduce((sum, point) => sum + point.now, 0));
  return `Engagement by ${unit}, ${now}: ${total}. Highest ${formatNumber(best.now)} on ${shortDate(best.date)}.`;
};
