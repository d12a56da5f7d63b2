import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { usePermissions, useZone } from '#web/base/session.ts';
import { addDays, instantOf, wallTime } from '#web/base/time.ts';
import { useNextSlot } from '#web/parts/use-next-slot.ts';

export interface FreeSlot {
  at: string;
  /** In the person's zone. */
  wall: string;
  /** The earliest free slot overall. */
  isNext: boolean;
}

/** With one account selected, its slots; slots of several accounts cannot be combined. */
export const useFreeSlots = (days: readonly string[], accounts: readonly string[]): FreeSlot[] => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  const enabled = canWrite && first !== '';
  const only = accounts.length === 1 ? accounts : [];
  const input = {
    from: first && instantOf(first, zone),
    to: last && instantOf(addDays(last, 1), zone),
    accountIds: only.join(','),
  };
  const { data } = useQuery({
    queryKey: keys.freeSlots(input),
    queryFn: ({ signal }) => app.listFreeSlots(input, { signal }),
    enabled,
    placeholderData: (before) => before,
  });
  const next = useNextSlot(only, { enabled });
  return (data?.slots ?? [])
    .map(({ at }) => ({ at, wall: wallTime(at, zone), isNext: at === next }))
    .filter(({ wall }) => days.includes(wall.slice(0, 10)));
};
