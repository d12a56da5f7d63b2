import { useQuery } from '@tanstack/react-query';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { now } from '#web/base/time.ts';

/** Scheduling any post refetches it, since its key is in the domain `slots`. */
export const useNextSlot = (accountIds: readonly string[], { enabled = true } = {}): string | undefined => {
  const input = { accountIds: accountIds.toSorted().join(',') };
  const { data } = useQuery({
    queryKey: keys.nextSlot(input),
    queryFn: ({ signal }) => app.findNextFreeSlot(input, { signal }),
    enabled,
    placeholderData: (before) => before,
    // A slot can pass while the page is open.
    refetchInterval: 60_000,
  });
  const at = data?.at;
  return at !== undefined && Date.parse(at) > now().getTime() ? at : undefined;
};

/** Asks the server again right before scheduling. */
export const isStillFree = async (at: string, accountIds: readonly string[]) => {
  const after = new Date(Date.parse(at) - 1).toISOString();
  const slot = (await app.findNextFreeSlot({ accountIds: accountIds.toSorted().join(','), after })).at;
  return slot !== undefined && Date.parse(slot) === Date.parse(at);
};
