import { useZone } from '#web/base/session.ts';
import { addDays, dateIn, instantOf, now } from '#web/base/time.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { daysBetween, shortDate } from './format-dates.ts';

export const presets = [
  { value: '7', label: '7 days', days: 7, before: 'the week before', words: 'in 7 days' },
  { value: '30', label: '30 days', days: 30, before: 'the 30 days before', words: 'in 30 days' },
  { value: '90', label: '90 days', days: 90, before: 'the 90 days before', words: 'in 90 days' },
  { value: 'year', label: 'Year', days: 365, before: 'the year before', words: 'in a year' },
] as const;
const defaultPreset = presets[1];

/** The server's limit. */
export const mostDays = 400;

export interface Span {
  /** In the person's time zone. */
  firstDay: string;
  lastDay: string;
  days: number;
  from: string;
  /** Exclusive. */
  to: string;
}

export interface Range extends Span {
  choice: string;
  previous: Span;
  /** `the 30 days before` */
  before: string;
  /** `in 30 days` */
  words: string;
}

/** Range and accounts, kept in the address. */
export const useRange = () => {
  const zone = useZone();
  const [search, setSearch] = usePageSearch<'range' | 'from' | 'to' | 'accounts'>();
  const today = dateIn(now(), zone);
  const range = rangeOf(search, today, zone);
  const accountIds = search.accounts?.split(',').filter(Boolean) ?? [];
  return {
    zone,
    today,
    range,
    accountIds,
    setPreset: (value: string) =>
      setSearch({ range: value === defaultPreset.value ? undefined : value, from: undefined, to: undefined }),
    setDates: (from: string, to: string) => setSearch({ range: undefined, from, to }),
    setAccounts: (ids: readonly string[]) => setSearch({ accounts: ids.join(',') || undefined }, { replace: true }),
  };
};

const rangeOf = (
  { range, from, to }: { range?: string; from?: string; to?: string },
  today: string,
  zone: string,
): Range => {
  if (from && to && datesFault(from, to) === undefined) {
    const span = spanOf(from, daysBetween(from, to), zone);
    const { days } = span;
    const before = days === 1 ? 'the day before' : `the ${days} days before`;
    const words = days === 1 ? `on ${shortDate(from)}` : `from ${shortDate(from)} to ${shortDate(to)}`;
    return { ...span, choice: 'dates', previous: spanBefore(span, zone), before, words };
  }
  const preset = presets.find(({ value }) => value === range) ?? defaultPreset;
  const span = spanOf(addDays(today, 1 - preset.days), preset.days, zone);
  return {
    ...span,
    choice: preset.value,
    previous: spanBefore(span, zone),
    before: preset.before,
    words: preset.words,
  };
};

const spanOf = (firstDay: string, days: number, zone: string): Span => ({
  firstDay,
  lastDay: addDays(firstDay, days - 1),
  days,
  from: instantOf(firstDay, zone),
  to: instantOf(addDays(firstDay, days), zone),
});

const spanBefore = ({ firstDay, days }: Span, zone: string) => spanOf(addDays(firstDay, -days), days, zone);

const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

/** Why two dates are not a valid range. */
export const datesFault = (from: string, to: string): string | undefined => {
  if (!isDate(from) || !isDate(to)) return 'Choose both dates.';
  const days = daysBetween(from, to);
  if (days < 1) return 'The last day must not be before the first.';
  // A DST change can make the last day an hour longer.
  if (days >= mostDays) return `Choose fewer than ${mostDays} days.`;
  return undefined;
};
