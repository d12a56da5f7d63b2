import { instantOf } from '#contracts/instant';
import { hourMs, weekMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import type { Analytics } from '#server/delivery/analytics/analytics';
import type { SlotQueue } from './queue.ts';

/** How far back posts still say something about the current audience. */
const lookBackMs = 90 * 24 * hourMs;

/** When a post could go out. Nothing is reserved. */
export const createSuggestedTimes = ({
  slots,
  analytics,
  clock,
}: {
  slots: Pick<SlotQueue, 'nextFreeSlot'>;
  analytics: Pick<Analytics, 'summary'>;
  clock: Clock;
}) => {
  const findBestTime = async (caller: Caller, accountIds: string[]) => {
    const now = clock.now();
    const [from, to] = [new Date(now.getTime() - lookBackMs), now].map(instantOf) as [string, string];
    const { bestTimes } = await analytics.summary(caller, { from, to, accountIds, timeZone: 'UTC' });
    const [best] = bestTimes
      .filter(({ lowConfidence, engagement }) => !lowConfidence && engagement > 0)
      .sort((a, b) => b.average - a.average);
    return best && instantOf(nextIn(now, best));
  };

  return async (caller: Caller, accountIds: string[]): Promise<{ nextFreeSlot?: string; bestTime?: string }> => {
    if (accountIds.length === 0) return {};
    const nextFreeSlot = await slots.nextFreeSlot(caller.workspaceId, accountIds);
    const bestTime = await findBestTime(caller, accountIds);
    return { ...(nextFreeSlot && { nextFreeSlot }), ...(bestTime && { bestTime }) };
  };
};

/** The next beginning of this hour of the week, in UTC. */
const nextIn = (now: Date, { weekday, hour }: { weekday: number; hour: number }) => {
  const midnightMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  // getUTCDay begins with Sunday as 0, weekday with Monday as 1.
  const days = weekday - (now.getUTCDay() || 7);
  const atMs = midnightMs + (days * 24 + hour) * hourMs;
  return new Date(atMs <= now.getTime() ? atMs + weekMs : atMs);
};
