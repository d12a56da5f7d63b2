import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import { formatNumber } from '#web/parts/number.ts';
import styles from './chart.module.css';
import { axisFor, linePath } from './chart-geometry.ts';
import { longDate, shortDate } from './format-dates.ts';
import type { DayPost } from './numbers.ts';
import { PointTip } from './point-tip.tsx';
import { maxBars, type Point } from './points.ts';

const edge = { top: 8, right: 4, bottom: 24, left: 40 };
/** Room below the axis for the dots of posts. */
const dotsHeight = 30;
const maxDots = 3;
/** Approximate number of date labels. */
const dates = 5;
/** Room for `today, so far` and half of the label before it, in pixels. */
const todayWidth = 110;

/**
 * Bars for days, with a dot for each post; straight segments from 60 days on. The pointer or the arrow keys choose a
 * day; up and down choose one of its posts. For screen readers it is a slider over the days.
 */
export const Chart = ({
  points,
  posts,
  unit,
  label,
}: {
  points: readonly Point[];
  posts: readonly DayPost[];
  unit: 'day' | 'week';
  label: string;
}) => {
  const { ref, width, height } = useElementSize();
  const [chosen, setChosen] = useState<{ index: number; post: number }>();
  const isBars = points.length <= maxBars;
  const bottom = height - edge.bottom - (isBars ? dotsHeight : 0);
  const { top: max, step } = axisFor(Math.max(...points.flatMap(({ now, before = 0 }) => [now, before])));
  const area = width - edge.left - edge.right;
  const gap = isBars ? area / points.length : area / Math.max(points.length - 1, 1);
  const x = (at: number) => edge.left + (isBars ? at + 0.5 : at) * gap;
  const y = (value: number) => bottom - (value / max) * (bottom - edge.top);
  const index = chosen?.index ?? points.length - 1;
  const point = points[index];
  const ofDay = posts.filter(({ date }) => date === point?.date);
  const post = ofDay[chosen?.post ?? 0];
  const choosePointAt = ({ clientX, currentTarget }: React.PointerEvent) => {
    const left = clientX - currentTarget.getBoundingClientRect().left - edge.left;
    const at = isBars ? Math.floor(left / gap) : Math.round(left / gap);
    setChosen({ index: Math.min(Math.max(at, 0), points.length - 1), post: 0 });
  };
  const press = (event: React.KeyboardEvent) => {
    const last = points.length - 1;
    const to = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last }[event.key];
    const nextPost = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (to === undefined && nextPost === undefined) return;
    event.preventDefault();
    if (to !== undefined) setChosen({ index: Math.min(Math.max(to, 0), last), post: 0 });
    else if (nextPost !== undefined) {
      const at = (chosen?.post ?? 0) + nextPost;
      setChosen({ index, post: Math.min(Math.max(at, 0), Math.max(ofDay.length - 1, 0)) });
    }
  };
  const words = point && describePoint(point, unit, post);
  return (
    <div
      ref={ref}
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={points.length}
      aria-valuenow={index + 1}
      aria-valuetext={words}
      onKeyDown={press}
      onFocus={({ currentTarget }) => {
        if (currentTarget.matches(':focus-visible')) setChosen((before) => before ?? { index, post: 0 });
      }}
      onBlur={() => setChosen(undefined)}
      onPointerMove={choosePointAt}
      onPointerDown={choosePointAt}
      onPointerLeave={() => setChosen(undefined)}
    >
      {width > 0 && (
        <svg className={styles.drawing} width={width} height={height} aria-hidden="true">
          {Array.from({ length: max / step + 1 }, (_, at) => at * step).map((value) => (
            <g key={value}>
              <line className={styles.grid} x1={edge.left} x2={width - edge.right} y1={y(value)} y2={y(value)} />
              <text x={edge.left - 10} y={y(value) + 4} textAnchor="end">
                {formatNumber(value)}
              </text>
            </g>
          ))}
          <DateLabels points={points} x={x} y={height - 4} />
          {isBars
            ? points.map((one, at) => (
                <Bar
                  key={one.date}
                  point={one}
                  isChosen={chosen?.index === at}
                  x={x(at)}
                  width={Math.max(2, Math.min(28, gap * 0.7))}
                  y={y}
                />
              ))
            : null}
          <Line points={points} name="before" x={x} y={y} />
          {!isBars && <Line points={points} name="now" x={x} y={y} />}
          {isBars &&
            points.map((one, at) => (
              <Dots
                key={one.date}
                count={one.posts}
                chosen={chosen?.index === at ? chosen.post : undefined}
                x={x(at)}
                y={bottom + 9}
              />
            ))}
          {chosen && point && !isBars && (
            <>
              <line className={styles.cursor} x1={x(index)} x2={x(index)} y1={edge.top} y2={bottom} />
              <circle cx={x(index)} cy={y(point.now)} r="3.5" fill="var(--chart-1)" />
            </>
          )}
        </svg>
      )}
      {chosen && point && <PointTip point={point} unit={unit} post={post} x={x(index)} isLeft={x(index) > width / 2} />}
    </div>
  );
};

const Bar = ({
  point: { now, isUnfinished },
  isChosen,
  x,
  width,
  y,
}: {
  point: Point;
  isChosen: boolean;
  x: number;
  width: number;
  y: (value: number) => number;
}) => {
  const height = y(0) - y(now);
  if (height <= 0) return null;
  return (
    <rect
      className={styles.bar}
      data-chosen={isChosen || undefined}
      data-unfinished={isUnfinished || undefined}
      x={x - width / 2}
      y={y(now)}
      width={width}
      height={height}
      rx={Math.min(3, width / 3)}
    />
  );
};

/** One line; the segment to an unfinished day is dashed. */
const Line = ({
  points,
  name,
  x,
  y,
}: {
  points: readonly Point[];
  name: 'now' | 'before';
  x: (at: number) => number;
  y: (value: number) => number;
}) => {
  const spots = points.flatMap((point, at) => {
    const value = point[name];
    return value === undefined || (name === 'now' && !point.hasBegun) ? [] : [[x(at), y(value)] as const];
  });
  const isDashed = name === 'now' && points.at(-1)?.isUnfinished === true && spots.length > 1;
  return (
    <>
      <path className={styles.line} data-line={name} d={linePath(isDashed ? spots.slice(0, -1) : spots)} />
      {isDashed && <path className={styles.line} data-line={name} data-unfinished="" d={linePath(spots.slice(-2))} />}
    </>
  );
};

/** One dot per post. From four posts on, a count such as `+2` replaces the third dot. */
const Dots = ({ count, chosen, x, y }: { count: number; chosen: number | undefined; x: number; y: number }) =>
  Array.from({ length: Math.min(count, maxDots) }, (_, at) => {
    const isRest = at === maxDots - 1 && count > maxDots;
    const top = y + at * 9;
    return isRest ? (
      <text key="rest" className={styles.rest} x={x} y={top + 4} textAnchor="middle">
        +{count - maxDots + 1}
      </text>
    ) : (
      <circle key={top} className={styles.dot} data-chosen={chosen === at || undefined} cx={x} cy={top} r="3" />
    );
  });

const DateLabels = ({ points, x, y }: { points: readonly Point[]; x: (at: number) => number; y: number }) => {
  const every = Math.max(1, Math.floor(points.length / dates));
  const last = points.length - 1;
  const isToday = points[last]?.isUnfinished === true;
  return (
    <>
      {points.map(({ date }, at) =>
        at % every === 0 && !(isToday && x(last) - x(at) < todayWidth) ? (
          <text key={date} x={x(at)} y={y} textAnchor={at === 0 ? 'start' : 'middle'} dx={at === 0 ? -8 : 0}>
            {shortDate(date)}
          </text>
        ) : null,
      )}
      {isToday && (
        <text x={x(last)} y={y} textAnchor="end" dx={12}>
          today, so far
        </text>
      )}
    </>
  );
};

/** `Sun 8 Nov: 805. Day of rest: 612` */
const describePoint = (point: Point, unit: 'day' | 'week', post: DayPost | undefined) => {
  const name = unit === 'week' ? `Week from ${shortDate(point.date)}` : longDate(point.date);
  const before = point.before === undefined ? '' : `, before ${formatNumber(point.before)}`;
  const best = post
    ? `. ${post.text.slice(0, 60)}: ${post.engagement === undefined ? 'no number' : formatNumber(post.engagement)}`
    : '';
  const now = point.isUnread ? 'no numbers' : `${formatNumber(point.now)}${point.isUnfinished ? ' so far' : ''}`;
  return `${name}: ${now}${before}${best}`;
};
