import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePermissions } from '#web/base/session.ts';
import { addDays, cityOf, dateIn, formatDay, instantOf, now } from '#web/base/time.ts';
import { count } from '#web/parts/number.ts';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { type Band, bandsOf, columnsOf, nameBand, omittedHours, rankBands } from './bands.ts';
import styles from './best-times.module.css';
import { type BestTime, formatAverage, nextDay } from './format-dates.ts';
import { Panel } from './panel.tsx';
import { WeekTable } from './week-table.tsx';

const maxListed = 5;

/** Phones list the best five; the whole week is one tap away. */
export const BestTimes = ({ times, zone, today }: { times: readonly BestTime[]; zone: string; today: string }) => {
  const isPhone = useIsPhone();
  const [isWholeWeek, setIsWholeWeek] = useState(false);
  const bands = bandsOf(times);
  const ranked = rankBands(bands);
  const [chosen, setChosen] = useState<string>();
  const selected = ranked.find((band) => nameBand(band) === chosen) ?? ranked[0];
  const isList = isPhone && !isWholeWeek;
  return (
    <Panel
      title="Best times"
      note={`engagement a post, ${cityOf(zone)}`}
      side={
        isPhone ? (
          <button type="button" className={styles.more} onClick={() => setIsWholeWeek(!isWholeWeek)}>
            {isWholeWeek ? 'Best only' : 'Whole week'}
          </button>
        ) : (
          <HeatLegend />
        )
      }
    >
      {isList ? (
        <ol>
          {ranked.slice(0, maxListed).map((band) => (
            <ListedBand
              key={nameBand(band)}
              band={band}
              most={ranked[0]?.average ?? 1}
              selected={band === selected}
              onSelect={() => setChosen(nameBand(band))}
            />
          ))}
        </ol>
      ) : (
        <WeekTable
          bands={bands}
          selected={bands.find((band) => band === selected)}
          onSelect={(band) => setChosen(nameBand(band))}
        />
      )}
      {selected && <Selected band={selected} zone={zone} today={today} />}
      <Explanation bands={bands} isList={isList} />
    </Panel>
  );
};

const HeatLegend = () => (
  <span className={styles.heat}>
    few
    <span aria-hidden="true">
      {[1, 2, 3, 4, 5].map((level) => (
        <i key={level} style={{ background: `var(--heat-${level})` }} />
      ))}
    </span>
    many
  </span>
);

const ListedBand = ({
  band,
  most,
  selected,
  onSelect,
}: {
  band: Band;
  most: number;
  selected: boolean;
  onSelect: () => void;
}) => (
  <li className={styles.listed} data-selected={selected || undefined}>
    <button type="button" aria-pressed={selected} onClick={onSelect}>
      <span className="number">{nameBand(band)}</span>
      <span className={styles.track} aria-hidden="true">
        <span style={{ width: `${Math.min(100, (band.average / Math.max(most, 1)) * 100)}%` }} />
      </span>
      <b className="number">{formatAverage(band)}</b>
      <span className="small text-2 number">{count(band.posts, 'post')}</span>
    </button>
  </li>
);

/** `Thu 18–20 214 a post, from 9 posts. Next: today, 18:00.`, with a link to write for that time. */
const Selected = ({ band, zone, today }: { band: Band; zone: string; today: string }) => {
  const { canWrite } = usePermissions();
  const clock = `${String(band.hour).padStart(2, '0')}:00`;
  const wall = (day: string) => `${day} ${clock}:00`;
  const first = nextDay(band.weekday, today);
  const soon = instantOf(wall(first), zone);
  const at = Date.parse(soon) > now().getTime() ? soon : instantOf(wall(addDays(first, 7)), zone);
  const day = dateIn(at, zone) === today ? 'today' : formatDay(at, zone);
  return (
    <div className={styles.selected}>
      <p className="small" role="status">
        <b className="number">{nameBand(band)}</b>{' '}
        <span className="text-2 number">
          {formatAverage(band)} a post, from {count(band.posts, 'post')}
          {band.lowConfidence ? ': a guess' : ''}. Next: {day}, {clock}.
        </span>
      </p>
      {canWrite && (
        <Link to="/posts/$id" params={{ id: 'new' }} search={{ at }} className={styles.write}>
          Write for this time
        </Link>
      )}
    </div>
  );
};

const Explanation = ({ bands, isList }: { bands: readonly Band[]; isList: boolean }) => {
  const omitted = isList ? undefined : omittedHours(columnsOf(bands));
  const hasGuess = bands.some(({ lowConfidence }) => lowConfidence);
  if (bands.length === 0)
    return <p className={`caption ${styles.explanation}`}>Times appear with the first numbers.</p>;
  if (isList || (!omitted && !hasGuess)) return null;
  return (
    <p className={`caption ${styles.explanation}`}>
      {hasGuess && 'Dashed: fewer than 3 posts, a guess. '}
      {omitted && `Hours without numbers are left out: ${omitted}.`}
    </p>
  );
};
