import { useQuery } from '@tanstack/react-query';
import type { Summary } from '#generated/app-client';
import { actions } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { addDays, dateIn, instantOf, now } from '#web/base/time.ts';
import { count, formatNumber } from '#web/parts/number.ts';
import { type BestTime, mergeTimes, type SuggestedTime } from './merge-times.ts';

const daysBack = 90;
const maxTimes = 3;

/** The next free slot and the best hours of these accounts. Equal times are one suggestion with both reasons. */
export const useSuggestedTimes = (accountIds: readonly string[], slot: string | undefined): SuggestedTime[] => {
  const best = useBestTimes(accountIds);
  return mergeTimes(slot, best);
};

/** The next occurrences of the best hours of these accounts. */
const useBestTimes = (accountIds: readonly string[]): BestTime[] => {
  const zone = useZone();
  const today = dateIn(now(), zone);
  // Whole days keep the query key stable while the person writes.
  const input = {
    from: instantOf(addDays(today, -daysBack), zone),
    to: instantOf(addDays(today, 1), zone),
    accountIds: [...accountIds],
    timeZone: zone,
  };
  const { data } = useQuery({
    queryKey: keys.analytics({ summary: input }),
    queryFn: ({ signal }) => actions.analytics.summary(input, { signal }),
    enabled: accountIds.length > 0,
    staleTime: 10 * 60_000,
  });
  return data ? bestTimesOf(data.bestTimes, zone) : [];
};

const bestTimesOf = (times: Summary['bestTimes'], zone: string): BestTime[] =>
  times
    .filter(({ engagement }) => engagement > 0)
    .sort((one, other) => Number(one.lowConfidence) - Number(other.lowConfidence) || other.average - one.average)
    .slice(0, maxTimes)
    .map(({ weekday, hour, posts, average, lowConfidence }) => ({
      at: nextOf(weekday, hour, zone),
      isGuess: lowConfidence,
      evidence: lowConfidence
        ? `Only ${count(posts, 'post')} so far: a guess`
        : `${formatNumber(Math.round(average))} a post, from ${count(posts, 'post')}`,
    }));

const nextOf = (weekday: number, hour: number, zone: string): string => {
  const today = dateIn(now(), zone);
  const todays = new Date(`${today}T00:00:00Z`).getUTCDay() || 7;
  const time = `${String(hour).padStart(2, '0')}:00:00`;
  const days = (weekday - todays + 7) % 7;
  const first = instantOf(`${addDays(today, days)} ${time}`, zone);
  return Date.parse(first) > now().getTime() ? first : instantOf(`${addDays(today, days + 7)} ${time}`, zone);
};
