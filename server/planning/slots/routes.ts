import type { SlotRoutes } from '#contracts/slots';
import type { RouteHandlers } from '#server/base/context';
import { idsIn } from '#server/base/ids';
import type { SlotQueue } from './queue.ts';

export const slotRoutes = ({ slots }: { slots: SlotQueue }): RouteHandlers<SlotRoutes> => ({
  listSlots: ({ caller }) => slots.list(caller),
  addSlots: ({ caller, body }) => slots.add(caller, body),
  changeSlotZone: ({ caller, body }) => slots.setZone(caller, body.timeZone),
  changeSlot: ({ caller, params, body: { days, time, accountIds } }) =>
    slots.change(caller, params.id, {
      ...(days && { days }),
      ...(time !== undefined && { time }),
      ...(accountIds && { accountIds }),
    }),
  deleteSlot: async ({ caller, params }) => {
    await slots.remove(caller, params.id);
    return { done: true };
  },
  listFreeSlots: async ({ caller, query: { from, to, accountIds } }) => ({
    slots: (await slots.free(caller, { from, to, accountIds: idsIn(accountIds) })).map((at) => ({ at })),
  }),
  findNextFreeSlot: async ({ caller, query: { accountIds, after } }) => {
    const at = await slots.nextFreeSlot(caller.workspaceId, idsIn(accountIds), after);
    return { ...(at !== undefined && { at }) };
  },
});
