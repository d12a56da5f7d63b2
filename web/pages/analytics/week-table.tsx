import { useRef } from 'react';
import { count } from '#web/parts/number.ts';
import { type BestTime, formatAverage, formatHour, weekdays } from './format-dates.ts';
import styles from './week-table.module.css';

const [defaultFirst, defaultLast] = [7, 21];

/** Roving tabindex: one cell is a tab stop, arrow keys move to the others. */
export const WeekTable = ({
  times,
  selected,
  onSelect,
}: {
  times: readonly BestTime[];
  selected: BestTime | undefined;
  onSelect: (time: BestTime) => void;
}) => {
  const table = useRef<HTMLTableElement>(null);
  const hours = hoursOf(times);
  const max = Math.max(...times.filter(({ lowConfidence }) => !lowConfidence).map((time) => time.average), 1);
  const move = (event: React.KeyboardEvent, from: BestTime) => {
    const to = neighbour(times, from, event.key);
    if (!to) return;
    event.preventDefault();
    onSelect(to);
    table.current?.querySelector<HTMLElement>(`[data-time="${formatHour(to)}"]`)?.focus();
  };
  return (
    <div className={styles.scroller}>
      <table ref={table} className={styles.table}>
        <caption className="hidden">Engagement a post by weekday and hour</caption>
        <thead>
          <tr>
            <td />
            {hours.map((hour) => (
              <th key={hour} scope="col">
                {hour}
                <span className="hidden">:00</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdays.map((name, index) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {hours.map((hour) => {
                const time = times.find((one) => one.weekday === index + 1 && one.hour === hour);
                return (
                  <td key={hour}>
                    {time ? (
                      <button
                        type="button"
                        className={styles.cell}
                        data-time={formatHour(time)}
                        data-heat={time.lowConfidence ? 'guess' : heatLevel(time.average / max)}
                        aria-pressed={time === selected}
                        aria-label={`${formatHour(time)}, ${formatAverage(time)} a post, ${count(time.posts, 'post')}`}
                        tabIndex={time === selected ? 0 : -1}
                        onClick={() => onSelect(time)}
                        onKeyDown={(event) => move(event, time)}
                      >
                        {formatAverage(time)}
                      </button>
                    ) : (
                      <span className={styles.cell} />
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** Daytime, extended to all hours that have posts. */
const hoursOf = (times: readonly BestTime[]) => {
  const used = times.map(({ hour }) => hour);
  const [first, last] = [Math.min(defaultFirst, ...used), Math.max(defaultLast, ...used)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

const heatLevel = (share: number) => Math.min(5, Math.floor(share * 5) + 1);

/** The nearest cell with posts in the direction of the arrow key. */
const neighbour = (times: readonly BestTime[], from: BestTime, key: string): BestTime | undefined => {
  const distanceTo = (time: BestTime) => {
    const [down, right] = [time.weekday - from.weekday, time.hour - from.hour];
    const steps = {
      ArrowRight: [right, down],
      ArrowLeft: [-right, down],
      ArrowDown: [down, right],
      ArrowUp: [-down, right],
    }[key];
    const [ahead = 0, aside = 0] = steps ?? [];
    return ahead > 0 ? ahead + Math.abs(aside) * 30 : Number.POSITIVE_INFINITY;
  };
  const reachable = times
    .map((time) => ({ time, distance: distanceTo(time) }))
    .filter(({ distance }) => Number.isFinite(distance));
  return reachable.sort((a, b) => a.distance - b.distance)[0]?.time;
};
