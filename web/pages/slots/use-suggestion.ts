import { useQuery } from '@tanstack/react-query';
import type { Summary } from '#generated/app-client';
import { actions } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { addDays, dateIn, instantOf, now } from '#web/base/time.ts';

const daysBack = 90;
const mostHours = 5;

interface SuggestedSlot {
  readonly days: readonly number[];
  readonly time: string;
}

/** Suggests the best hours of the last 90 days, or 9:00 if there are no numbers yet. */
export const useSuggestion = (): { slots: readonly SuggestedSlot[]; evidence: string } => {
  const zone = useZone();
  const today = dateIn(now(), zone);
  const input = {
    from: instantOf(addDays(today, -daysBack), zone),
    to: instantOf(addDays(today, 1), zone),
    timeZone: zone,
  };
  const { data, error } = useQuery({
    queryKey: keys.analytics({ slots: input }),
    queryFn: ({ signal }) => actions.analytics.summary(input, { signal }),
  });
  if (data === undefined && error === null) return { slots: [], evidence: '' };
  const good = (data?.bestTimes ?? []).filter(({ engagement }) => engagement > 0);
  const sure = good.filter(({ lowConfidence }) => !lowConfidence);
  if (good.length === 0) {
    return {
      slots: [{ days: [1, 2, 3, 4, 5], time: '09:00' }],
      evidence: `${error ? 'Your numbers could not be read' : 'There are no numbers yet'}, so this is only a beginning:`,
    };
  }
  return {
    slots: slotsOf(sure.length > 0 ? sure : good),
    evidence: sure.length > 0 ? 'Your best times of the last 90 days:' : 'A guess, from few posts so far:',
  };
};

/** The best hours, with the days of equal hours merged. */
const slotsOf = (times: Summary['bestTimes']): SuggestedSlot[] => {
  const best = times.toSorted((a, b) => b.average - a.average).slice(0, mostHours);
  return [...Map.groupBy(best, ({ hour }) => hour)]
    .map(([hour, same]) => ({
      time: `${String(hour).padStart(2, '0')}:00`,
      days: same.map(({ weekday }) => weekday).toSorted(),
    }))
    .toSorted((a, b) => a.time.localeCompare(b.time));
};
