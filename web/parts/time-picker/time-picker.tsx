import '@mantine/dates/styles.layer.css';
import { DatePicker } from '@mantine/dates';
import { useDebouncedValue } from '@mantine/hooks';
import { CalendarCheck, Sparkles, TrendingUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { cityOf, formatDateTime, formatTime } from '#web/base/time.ts';
import { count } from '#web/parts/number.ts';
import { TimeInput } from '#web/parts/time-input.tsx';
import { ZoneSelect } from '#web/parts/zone-select.tsx';
import type { Reason, SuggestedTime } from './merge-times.ts';
import styles from './time-picker.module.css';
import { usePlannedDays } from './use-planned-days.ts';
import type { PickedTime } from './use-time-picker.ts';

/** Long enough to finish a word. */
const typingMs = 600;

/** Suggested times, a month, and a time with its zone. */
export const TimePicker = ({
  picked,
  suggestions = [],
  children,
}: {
  picked: PickedTime;
  suggestions?: readonly SuggestedTime[];
  /** Notes below the suggestions. */
  children?: React.ReactNode;
}) => {
  const [month, setMonth] = useState<string>();
  return (
    <>
      {(suggestions.length > 0 || children) && (
        <div className={styles.part}>
          <ul>
            {suggestions.map((time) => (
              <li key={time.at}>
                <Suggestion
                  time={time}
                  picked={picked}
                  onChoose={() => {
                    picked.pickInstant(time.at);
                    setMonth(undefined);
                  }}
                />
              </li>
            ))}
          </ul>
          {children}
        </div>
      )}
      <div className={styles.part}>
        <MonthGrid picked={picked} month={month} onMonth={setMonth} />
        <TimeRow picked={picked} onTyped={() => setMonth(undefined)} />
      </div>
    </>
  );
};

const Suggestion = ({
  time: { at, reasons, detail },
  picked,
  onChoose,
}: {
  time: SuggestedTime;
  picked: PickedTime;
  onChoose: () => void;
}) => (
  <button
    type="button"
    className={styles.suggestion}
    aria-pressed={picked.chosen !== undefined && Date.parse(at) === Date.parse(picked.chosen)}
    onClick={onChoose}
  >
    <span className={styles.first}>
      <b>{formatDateTime(at, picked.zone)}</b>
      {reasons.map((reason) => (
        <ReasonChip key={reason} reason={reason} />
      ))}
    </span>
    <span className="small text-2">{detail}</span>
  </button>
);

const reasonLooks = {
  slot: { text: 'Next free', icon: CalendarCheck },
  best: { text: 'Best', icon: TrendingUp },
  good: { text: 'Good', icon: Sparkles },
} as const;

const ReasonChip = ({ reason }: { reason: Reason }) => {
  const { text, icon: Icon } = reasonLooks[reason];
  return (
    <span className={styles.reason} data-reason={reason}>
      <Icon size={13} aria-hidden="true" />
      {text}
    </span>
  );
};

export const MonthGrid = ({
  picked: { date, today, zone, pickDate },
  month,
  onMonth,
}: {
  picked: Pick<PickedTime, 'date' | 'today' | 'zone' | 'pickDate'>;
  /** The visible month. Undefined: the month of `date`. */
  month: string | undefined;
  onMonth: (month: string | undefined) => void;
}) => {
  const planned = usePlannedDays(month ?? date, zone);
  return (
    <DatePicker
      className={styles.month}
      value={date}
      date={month ?? date}
      onDateChange={onMonth}
      onChange={(day) => day && pickDate(day)}
      minDate={today}
      firstDayOfWeek={1}
      hideOutsideDates
      highlightToday
      maxLevel="month"
      weekdayFormat={firstLetter}
      ariaLabels={{ previousMonth: 'Month before', nextMonth: 'Month after' }}
      getDayAriaLabel={(day) => {
        const posts = planned.get(day) ?? 0;
        return posts === 0 ? longDay(day) : `${longDay(day)}, ${count(posts, 'post')} scheduled`;
      }}
      getDayProps={(day) => ({
        'data-planned': planned.has(day) || undefined,
        'data-autofocus': day === date || undefined,
      })}
      size="sm"
      styles={{ calendarHeader: { maxWidth: '100%' } }}
    />
  );
};

const longDays = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const longDay = (day: string) => longDays.format(new Date(`${day}T00:00:00Z`));

const weekdayNames = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });
const firstLetter = (day: string) => {
  const name = weekdayNames.format(new Date(`${day}T00:00:00Z`));
  return <abbr title={name}>{name[0]}</abbr>;
};

const TimeRow = ({ picked, onTyped }: { picked: PickedTime; onTyped: () => void }) => {
  const { text, zone, ownZone, problem } = picked;
  const [choosesZone, setChoosesZone] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  // The zone select replaced the focused button, so move the focus to it.
  useEffect(() => {
    if (choosesZone) row.current?.querySelector<HTMLElement>('[aria-label="Time zone"]')?.focus();
  }, [choosesZone]);
  // Do not report a problem while the person is still typing.
  const [settledText] = useDebouncedValue(text, typingMs);
  const shownProblem = settledText === text ? problem : undefined;
  return (
    <>
      <div ref={row} className={styles.time}>
        <TimeInput
          aria-label="Time"
          aria-invalid={shownProblem !== undefined}
          aria-describedby="time-picker-notes"
          value={text}
          onChange={(next) => {
            picked.type(next);
            onTyped();
          }}
        />
        {choosesZone ? (
          <ZoneSelect
            aria-label="Time zone"
            value={zone}
            // In a portal, a click on a zone would count as a click outside the panel and close it.
            comboboxProps={{ withinPortal: false, position: 'top-start' }}
            onChange={picked.pickZone}
          />
        ) : (
          <button type="button" className={styles.zone} onClick={() => setChoosesZone(true)}>
            <span className="hidden">Time zone: </span>
            {cityOf(zone)}
            {zone === ownZone && ', your time'}
          </button>
        )}
      </div>
      <div id="time-picker-notes" className={styles.notes}>
        {shownProblem ? (
          <p className={styles.problem} role="alert">
            {shownProblem}
          </p>
        ) : (
          <p role="status">{notesOn(picked).join(' ')}</p>
        )}
      </div>
    </>
  );
};

/** How the input was read, the same time in the person's own zone, and the effect of daylight saving. */
const notesOn = ({ chosen, problem, reading, zone, ownZone, clockChange, time }: PickedTime): string[] => {
  if (chosen === undefined || problem !== undefined) return [];
  return [
    ...(reading === undefined ? [] : [`That is ${reading}.`]),
    ...(zone === ownZone ? [] : [`${formatDateTime(chosen, ownZone)} your time.`]),
    ...(clockChange === 'skipped'
      ? [`The clock skips ${time} on that day. It goes out at ${formatTime(chosen, zone)}.`]
      : []),
    ...(clockChange === 'repeated' ? [`The clock shows ${time} twice on that day. It goes out the first time.`] : []),
  ];
};
