import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count } from '#web/parts/number.ts';
import { addDays, formatDay, instantOf, now } from '#web/parts/time.ts';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { usePermissions } from '#web/session.ts';
import styles from './best-times.module.css';
import { type BestTime, formatAverage, formatHour, nextDay } from './format-dates.ts';
import { Panel } from './panel.tsx';
import { WeekTable } from './week-table.tsx';

const maxListed = 5;

/** Phones list the best hours; the whole week is one tap away. */
export const BestTimes = ({ times, zone, today }: { times: readonly BestTime[]; zone: string; today: string }) => {
  const isPhone = useIsPhone();
  const [wholeWeek, setWholeWeek] = useState(false);
  const ranked = [...times].sort(
    (a, b) => Number(a.lowConfidence) - Number(b.lowConfidence) || b.average - a.average || b.posts - a.posts,
  );
  const [chosen, setChosen] = useState<string>();
  const selected = ranked.find((time) => formatHour(time) === chosen) ?? ranked[0];
  const isList = isPhone && !wholeWeek;
  return (
    <Panel
      title="Best times"
      side={
        isPhone ? (
          <button type="button" className={styles.more} onClick={() => setWholeWeek(!wholeWeek)}>
            {wholeWeek ? 'Best only' : 'Whole week'}
          </button>
        ) : (
          'engagement a post · dashed: fewer than 3 posts'
        )
      }
    >
      {isList ? (
        <ol className={styles.list}>
          {ranked.slice(0, maxListed).map((time) => (
            <ListedTime
              key={formatHour(time)}
              time={time}
              most={ranked[0]?.average ?? 1}
              selected={time === selected}
              onSelect={() => setChosen(formatHour(time))}
            />
          ))}
        </ol>
      ) : (
        <WeekTable times={times} selected={selected} onSelect={(time) => setChosen(formatHour(time))} />
      )}
      {selected && <Selected time={selected} zone={zone} today={today} />}
    </Panel>
  );
};

const ListedTime = ({
  time,
  most,
  selected,
  onSelect,
}: {
  time: BestTime;
  most: number;
  selected: boolean;
  onSelect: () => void;
}) => (
  <li className={styles.listed} data-selected={selected || undefined}>
    <button type="button" aria-pressed={selected} onClick={onSelect}>
      <span className="number">{formatHour(time)}</span>
      <span className={styles.track} aria-hidden="true">
        <span style={{ width: `${Math.min(100, (time.average / Math.max(most, 1)) * 100)}%` }} />
      </span>
      <b className="number">{formatAverage(time)}</b>
      <span className="small text-2 number">{count(time.posts, 'post')}</span>
    </button>
  </li>
);

/** `Thu 18:00 214 a post, 9 posts`, with a link to write for that time. */
const Selected = ({ time, zone, today }: { time: BestTime; zone: string; today: string }) => {
  const { canWrite } = usePermissions();
  const wall = (day: string) => `${day} ${String(time.hour).padStart(2, '0')}:00:00`;
  const first = nextDay(time.weekday, today);
  const soon = instantOf(wall(first), zone);
  const at = Date.parse(soon) > now().getTime() ? soon : instantOf(wall(addDays(first, 7)), zone);
  return (
    <div className={styles.selected}>
      <p className="small" role="status">
        <b className="number">{formatHour(time)}</b>{' '}
        <span className="text-2 number">
          {formatAverage(time)} a post, {count(time.posts, 'post')}
          {time.lowConfidence ? ': a guess' : ''}. Next: {formatDay(at, zone)}.
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
