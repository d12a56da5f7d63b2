import { useRef } from 'react';
import { count } from '#web/parts/number.ts';
import { type Band, columnsOf, nameBand, nameHours } from './bands.ts';
import { formatAverage, weekdays } from './format-dates.ts';
import styles from './week-table.module.css';

/** Roving tabindex: one cell is a tab stop, arrow keys move to the others. */
export const WeekTable = ({
  bands,
  selected,
  onSelect,
}: {
  bands: readonly Band[];
  selected: Band | undefined;
  onSelect: (band: Band) => void;
}) => {
  const table = useRef<HTMLTableElement>(null);
  const columns = columnsOf(bands);
  const max = Math.max(...bands.filter(({ lowConfidence }) => !lowConfidence).map(({ average }) => average), 1);
  const move = (event: React.KeyboardEvent, from: Band) => {
    const to = neighbour(bands, from, event.key);
    if (!to) return;
    event.preventDefault();
    onSelect(to);
    table.current?.querySelector<HTMLElement>(`[data-time="${nameBand(to)}"]`)?.focus();
  };
  return (
    <div className={styles.scroller}>
      <table ref={table} className={styles.table}>
        <caption className="hidden">Engagement a post by weekday and two hours</caption>
        <thead>
          <tr>
            <td />
            {columns.map((hour) => (
              <th key={hour} scope="col">
                {nameHours({ hour })}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdays.map((name, index) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((hour) => {
                const band = bands.find((one) => one.weekday === index + 1 && one.hour === hour);
                return (
                  <td key={hour}>
                    {band ? (
                      <button
                        type="button"
                        className={styles.cell}
                        data-time={nameBand(band)}
                        data-heat={band.lowConfidence ? 'guess' : heatLevel(band.average / max)}
                        aria-pressed={band === selected}
                        aria-label={`${nameBand(band)}, ${formatAverage(band)} a post, ${count(band.posts, 'post')}`}
                        tabIndex={band === selected ? 0 : -1}
                        onClick={() => onSelect(band)}
                        onKeyDown={(event) => move(event, band)}
                      >
                        {formatAverage(band)}
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

const heatLevel = (share: number) => Math.min(5, Math.floor(share * 5) + 1);

/** The nearest cell with posts in the direction of the arrow key. */
const neighbour = (bands: readonly Band[], from: Band, key: string): Band | undefined => {
  const distanceTo = (band: Band) => {
    const [down, right] = [band.weekday - from.weekday, band.hour - from.hour];
    const steps = {
      ArrowRight: [right, down],
      ArrowLeft: [-right, down],
      ArrowDown: [down, right],
      ArrowUp: [-down, right],
    }[key];
    const [ahead = 0, aside = 0] = steps ?? [];
    return ahead > 0 ? ahead + Math.abs(aside) * 30 : Number.POSITIVE_INFINITY;
  };
  const reachable = bands
    .map((band) => ({ band, distance: distanceTo(band) }))
    .filter(({ distance }) => Number.isFinite(distance));
  return reachable.sort((a, b) => a.distance - b.distance)[0]?.band;
};
