import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import { formatNumber } from '#web/parts/number.ts';
import type { Point } from './use-numbers.ts';
import { shortDate } from './words.ts';

/** The line itself; screen readers get its words and the table instead. */
export default function Chart({ points, nowWords }: { points: readonly Point[]; nowWords: string }) {
  const few = Math.max(0, Math.floor(points.length / 5) - 1);
  return (
    <AreaChart
      h="100%"
      data={[...points]}
      dataKey="date"
      // Below the lines of others: the one that is looked for is on top.
      series={[
        { name: 'before', label: 'before', color: 'var(--chart-3)' },
        { name: 'now', label: nowWords, color: 'var(--chart-1)' },
      ]}
      tickLine="none"
      curveType="monotone"
      strokeWidth={2}
      withDots={points.length < 3}
      fillOpacity={0.16}
      valueFormatter={(value) => formatNumber(value)}
      tooltipAnimationDuration={0}
      areaProps={{ isAnimationActive: false }}
      gridProps={{ stroke: 'var(--line)', strokeDasharray: '5 5' }}
      xAxisProps={{ tickFormatter: shortDate, interval: few, tickMargin: 6, padding: { right: 4 } }}
      yAxisProps={{ width: 40, tickFormatter: (value: number) => formatNumber(value), allowDecimals: false }}
      areaChartProps={{ accessibilityLayer: false, margin: { top: 4, right: 4, bottom: 0, left: 0 } }}
      tooltipProps={{ labelFormatter: (date) => shortDate(String(date)) }}
      styles={{ axis: { fontSize: 12, fill: 'var(--text-3)', color: 'var(--text-3)' } }}
    />
  );
}
