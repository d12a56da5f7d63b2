import { useElementSize } from '@mantine/hooks';
import { useId, useState } from 'react';
import { formatNumber } from '#web/parts/number.ts';
import styles from './chart.module.css';
import { axisFor, linePath } from './chart-geometry.ts';
import { shortDate } from './format-dates.ts';
import type { Point } from './use-numbers.ts';

const edge = { top: 8, right: 4, bottom: 24, left: 40 };
/** Approximate number of date labels. */
const dates = 5;

/** Hidden from screen readers, which get a summary and a table instead. */
export const Chart = ({ points, nowWords }: { points: readonly Point[]; nowWords: string }) => {
  const { ref, width, height } = useElementSize();
  const fill = useId();
  const [index, setIndex] = useState<number>();
  const bottom = height - edge.bottom;
  const { top: max, step } = axisFor(Math.max(...points.flatMap(({ now, before }) => [now, before])));
  const gap = (width - edge.left - edge.right) / Math.max(points.length - 1, 1);
  const x = (at: number) => edge.left + at * gap;
  const y = (value: number) => bottom - (value / max) * (bottom - edge.top);
  const spots = (name: 'now' | 'before') => points.map((point, at) => [x(at), y(point[name])] as const);
  const line = linePath(spots('now'));
  const point = index === undefined ? undefined : points[index];
  const setPointAt = ({ clientX, currentTarget }: React.PointerEvent) => {
    const at = Math.round((clientX - currentTarget.getBoundingClientRect().left - edge.left) / gap);
    setIndex(Math.min(Math.max(at, 0), points.length - 1));
  };
  return (
    <div
      ref={ref}
      aria-hidden="true"
      onPointerMove={setPointAt}
      onPointerDown={setPointAt}
      onPointerLeave={() => setIndex(undefined)}
    >
      {width > 0 && (
        <svg className={styles.drawing} width={width} height={height} aria-hidden="true">
          <linearGradient id={fill} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor="var(--chart-1)" stopOpacity="0.16" />
            <stop offset="1" stopColor="var(--chart-1)" stopOpacity="0.01" />
          </linearGradient>
          {Array.from({ length: max / step + 1 }, (_, at) => at * step).map((value) => (
            <g key={value}>
              <line className={styles.grid} x1={edge.left} x2={width - edge.right} y1={y(value)} y2={y(value)} />
              <text className="number" x={edge.left - 8} y={y(value) + 4} textAnchor="end">
                {formatNumber(value)}
              </text>
            </g>
          ))}
          {points.map(({ date }, at) =>
            at % Math.max(1, Math.floor(points.length / dates)) === 0 ? (
              <text key={date} x={x(at)} y={height - 4} textAnchor="middle">
                {shortDate(date)}
              </text>
            ) : null,
          )}
          <path d={`${line}V${bottom}H${x(0)}Z`} fill={`url(#${fill})`} />
          {/* Draw the previous range first so that the current one covers it. */}
          <path className={styles.line} d={linePath(spots('before'))} stroke="var(--chart-3)" />
          <path className={styles.line} d={line} stroke="var(--chart-1)" />
          {points.length === 1 && <Dots x={x(0)} y={y} point={points[0]} />}
          {point && index !== undefined && (
            <>
              <line className={styles.cursor} x1={x(index)} x2={x(index)} y1={edge.top} y2={bottom} />
              <Dots x={x(index)} y={y} point={point} />
            </>
          )}
        </svg>
      )}
      {point && index !== undefined && (
        <dl className={styles.tip} data-left={x(index) > width / 2 || undefined} style={{ left: x(index) }}>
          <dt>{shortDate(point.date)}</dt>
          <dd data-line="now">
            {nowWords} <b className="number">{formatNumber(point.now)}</b>
          </dd>
          <dd data-line="before">
            before <b className="number">{formatNumber(point.before)}</b>
          </dd>
        </dl>
      )}
    </div>
  );
};

const Dots = ({ x, y, point }: { x: number; y: (value: number) => number; point: Point | undefined }) =>
  point && (
    <>
      <circle cx={x} cy={y(point.before)} r="3.5" fill="var(--chart-3)" />
      <circle cx={x} cy={y(point.now)} r="3.5" fill="var(--chart-1)" />
    </>
  );
