import { capitalize } from '#web/parts/capitalize.ts';
import '@mantine/dates/styles.layer.css';
import { DatePicker } from '@mantine/dates';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import {
  addDays,
  browserZone,
  clockChangeAt,
  dateIn,
  formatDateTime,
  formatRelative,
  formatTime,
  instantOf,
  now,
  wallTime,
} from '#web/parts/time.ts';
import { TimeInput } from '#web/parts/time-input.tsx';
import { useNow } from '#web/parts/use-now.ts';
import { queries } from '#web/queries.ts';
import { useZone } from '#web/session.ts';
import styles from './schedule-panel.module.css';
import { useBestTimes } from './use-best-times.ts';
import { useEditor } from './use-editor.ts';

export default function SchedulePanel({
  at,
  slot,
  takenSlot,
  blockReason,
  onPick,
  onSchedule,
}: {
  /** Planned time. */
  at: string | undefined;
  /** Next free slot. */
  slot: string | undefined;
  /** A slot that someone else took after it was offered here. */
  takenSlot: string | undefined;
  /** Why the post cannot be scheduled. */
  blockReason: string | undefined;
  onPick: (at: string) => void;
  onSchedule: (at: string) => Promise<unknown>;
}) {
  const { save } = useEditor();
  const zone = useZone();
  useNow();
  const best = useBestTimes(save.draft.accountIds);
  const isMoving = save.base?.status === 'Scheduled';
  const suggested = at ?? slot ?? best[0]?.at ?? instantOf(`${addDays(dateIn(now(), zone), 1)} 09:00:00`, zone);
  const [own, setOwn] = useState<string>();
  const wall = own ?? wallTime(suggested, zone);
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const form = useRef<HTMLFormElement>(null);
  // The popover moved the focus before this panel had loaded.
  useEffect(() => form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), []);
  const date = wall.slice(0, 10);
  const time = wall.slice(11, 16);
  const chosen = isComplete(wall) ? instantOf(wall, zone) : undefined;
  const [month, setMonth] = useState<string>();
  const pick = (next: string) => {
    setOwn(next);
    setFault(undefined);
    if (!isComplete(next)) return;
    const instant = instantOf(next, zone);
    if (Date.parse(instant) > now().getTime()) onPick(instant);
  };
  const isPast = chosen !== undefined && Date.parse(chosen) <= now().getTime();
  const change = chosen && clockChangeAt(wall, zone);
  const problem =
    chosen === undefined
      ? 'Enter a time such as 08:30.'
      : isPast
        ? 'That time has passed. Choose a later one.'
        : undefined;
  const schedule = async () => {
    if (chosen === undefined || isRunning) return;
    setIsRunning(true);
    setFault(undefined);
    try {
      await onSchedule(chosen);
    } catch (error) {
      setFault(error);
    } finally {
      setIsRunning(false);
    }
  };
  const name = chosen === undefined ? '' : ` ${isMoving ? 'to' : 'for'} ${formatDateTime(chosen, zone)}`;
  const hasNoSlots = useQuery(queries.slots).data?.slots.length === 0;
  const choose = (instant: string) => {
    pick(wallTime(instant, zone));
    setMonth(wallTime(instant, zone).slice(0, 10));
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && blockReason === undefined) void schedule();
      }}
    >
      {(slot !== undefined || hasNoSlots || best.length > 0) && (
        <div className={styles.part}>
          {slot !== undefined && (
            <>
              <p className={styles.caption}>Next free slot</p>
              <button
                type="button"
                className={styles.best}
                aria-pressed={chosen !== undefined && Date.parse(slot) === Date.parse(chosen)}
                onClick={() => choose(slot)}
              >
                <b>{formatDateTime(slot, zone)}</b>
                <span className="caption text-2">{capitalize(formatRelative(slot))}</span>
              </button>
            </>
          )}
          {takenSlot !== undefined && (
            <p className={styles.taken} role="status">
              Someone took {formatDateTime(takenSlot, zone)} just now. {slot !== undefined && 'This one is free.'}
            </p>
          )}
          {hasNoSlots && (
            <p className={styles.caption}>
              No slots yet. <Link to="/settings/slots">Plan weekly times</Link>
            </p>
          )}
          {best.length > 0 && <p className={styles.caption}>Best for these accounts</p>}
          <ul>
            {best.map((one) => (
              <li key={one.at}>
                <button
                  type="button"
                  className={styles.best}
                  aria-pressed={one.at === chosen}
                  onClick={() => choose(one.at)}
                >
                  <b>{formatDateTime(one.at, zone)}</b>
                  <span className="caption text-2">{one.evidence}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className={styles.part}>
        <DatePicker
          className={styles.month}
          value={date}
          date={month ?? date}
          onDateChange={setMonth}
          onChange={(day) => day && pick(`${day} ${time}:00`)}
          minDate={dateIn(now(), zone)}
          firstDayOfWeek={1}
          hideOutsideDates
          highlightToday
          maxLevel="month"
          weekdayFormat="dd"
          ariaLabels={{ previousMonth: 'Month before', nextMonth: 'Month after' }}
          getDayProps={(day) => (day === date ? { 'data-autofocus': true } : {})}
          size="sm"
          styles={{ calendarHeader: { maxWidth: '100%' } }}
        />
        <div className={styles.time}>
          <TimeInput aria-label="Time" value={time} onChange={(text) => pick(`${date} ${text}`)} />
          <span className="caption text-2">
            {zone}
            {zone === browserZone() ? '' : '. Your own zone, not the browser’s.'}
          </span>
        </div>
        {chosen && change && (
          <p className={styles.note} role="status">
            {change === 'skipped'
              ? `The clock skips ${time} on that day. It goes out at ${formatTime(chosen, zone)}.`
              : `The clock shows ${time} twice on that day. It goes out the first time.`}
          </p>
        )}
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
      </div>
      <div className={styles.part}>
        {fault !== undefined && (
          <div className={styles.fault}>
            <FaultBanner fault={fault} title={isMoving ? 'The time was not changed' : 'The post was not scheduled'} />
          </div>
        )}
        <MainButton
          variant="send"
          size="lg"
          px={8}
          fullWidth
          type="submit"
          reason={problem ?? blockReason}
          reasonHidden={problem !== undefined}
          loading={isRunning}
          onClick={() => undefined}
        >
          {isMoving ? 'Move' : 'Schedule'}
          {name}
          <span className={styles.keys}>
            <Kbd keys="⌘ ⇧ ↵" inverse />
          </span>
        </MainButton>
      </div>
    </form>
  );
}

const isComplete = (wall: string) => /^\d{4}-\d\d-\d\d ([01]\d|2[0-3]):[0-5]\d(:|$)/.test(wall);
