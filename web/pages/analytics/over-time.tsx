import { ActionIcon, Tooltip } from '@mantine/core';
import { ChartLine, Table2 } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '#web/parts/number.ts';
import { Chart } from './chart.tsx';
import { formatRange, shortDate } from './format-dates.ts';
import styles from './over-time.module.css';
import { Panel } from './panel.tsx';
import { type Numbers, pointsOf } from './use-numbers.ts';
import type { Range } from './use-range.ts';

/** Engagement by day or week against the previous range, as a chart or a table. */
export const OverTime = ({ numbers, range, today }: { numbers: Numbers; range: Range; today: string }) => {
  const [isTable, setIsTable] = useState(false);
  const { points, unit } = pointsOf(numbers, range);
  const now = formatRange(range, today);
  const Icon = isTable ? ChartLine : Table2;
  const label = isTable ? 'Show as a line' : 'Show as a table';
  return (
    <Panel
      title={unit === 'week' ? 'Engagement by week' : 'Engagement'}
      side={
        <>
          {!isTable && (
            <ul className={styles.legend} aria-label="Lines">
              <li data-line="now">{now}</li>
              <li data-line="before">before</li>
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
                <th scope="col">Before</th>
              </tr>
            </thead>
            <tbody>
              {points.map((point) => (
                <tr key={point.date}>
                  <th scope="row">{shortDate(point.date)}</th>
                  <td>{point.now.toLocaleString('en-GB')}</td>
                  <td>{point.before.toLocaleString('en-GB')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : (
        <div className={styles.chart} role="img" aria-label={describeChart(points, now, unit)}>
          <Chart points={points} nowWords={now} />
        </div>
      )}
    </Panel>
  );
};

const describeChart = (points: readonly { date: string; now: number; before: number }[], now: string, unit: string) => {
  const best = points.reduce((high, point) => (point.now > high.now ? point : high), {
    date: points[0]?.date ?? '',
    now: 0,
    before: 0,
  });
  const sum = (name: 'now' | 'before') => formatNumber(points.reduce((total, point) => total + point[name], 0));
  return `Engagement by ${unit}, ${now}: ${sum('now')}, before ${sum('before')}. Highest ${formatNumber(best.now)} on ${shortDate(best.date)}.`;
};
