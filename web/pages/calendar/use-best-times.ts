import { useQuery } from '@tanstack/react-query';
import { actions } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { addDays, instantOf, now, wallTime } from '#web/base/time.ts';
import { addMinutes, todayIn, weekdayOf } from './dates.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';

export interface GoodTime {
  /** In the person's zone. */
  wall: string;
  isGuess: boolean;
}

const pastDays = 90;
const mostTimes = 4;
const mostGuesses = 2;
const nearMinutes = 75;

/**
 * The best hours of the last 90 days, on the visible days where nothing is planned. Hours with fewer than three posts
 * are guesses, shown only if there is nothing better.
 */
export const useBestTimes = (days: readonly string[], items: readonly Item[], accountIds: string): GoodTime[] => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const today = todayIn(zone);
  const input = {
    from: instantOf(addDays(today, -pastDays), zone),
    to: instantOf(addDays(today, 1), zone),
    timeZone: zone,
    accountIds: accountIds.split(',').filter(Boolean),
  };
  const { data } = useQuery({
    queryKey: keys.analytics({ bestTimes: input }),
    queryFn: ({ signal }) => actions.analytics.summary(input, { signal }),
    enabled: canWrite,
  });
  const good = (data?.bestTimes ?? []).filter(({ engagement }) => engagement > 0);
  const sure = good.filter(({ lowConfidence }) => !lowConfidence);
  const present = wallTime(now(), zone);
  const isFree = (wall: string) =>
    !items.some(({ wall: taken }) => taken > addMinutes(wall, -nearMinutes) && taken < addMinutes(wall, nearMinutes));
  return (sure.length > 0 ? sure : good)
    .toSorted((a, b) => b.average - a.average)
    .slice(0, sure.length > 0 ? mostTimes : mostGuesses)
    .flatMap(({ weekday, hour, lowConfidence }) =>
      days
        .filter((day) => weekdayOf(day) === weekday)
        .map((day) => ({ wall: `${day} ${String(hour).padStart(2, '0')}:00:00`, isGuess: lowConfidence })),
    )
    .filter(({ wall }) => wall > present && isFree(wall))
    .sort((a, b) => a.wall.localeCompare(b.wall));
};

/** Times without a slot nearby. */
export const withoutNear = (times: readonly GoodTime[], slots: readonly FreeSlot[]) =>
  times.filter(
    ({ wall }) =>
      !slots.some((slot) => slot.wall > addMinutes(wall, -nearMinutes) && slot.wall < addMinutes(wall, nearMinutes)),
  );
