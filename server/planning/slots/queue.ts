import type { NewSlot, Slot, Slots } from '#contracts/slots';
import { dayMs } from '#contracts/time';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import type { Accounts } from '#server/connecting/accounts/accounts';
import { occurrencesOf } from './occurrences.ts';
import type { SlotStore } from './store.ts';

const daysPerQuery = 28;
const daysAhead = 13 * daysPerQuery;
/** From the year 10000 on, ISO strings have another format. */
const lastMs = Date.UTC(9999, 11, 31);

export type SlotQueue = ReturnType<typeof createSlotQueue>;

/** The weekly slots of a workspace, and which of them are free. A slot is a suggestion: it reserves nothing. */
export const createSlotQueue = ({
  store,
  accounts,
  live,
  clock,
}: {
  store: SlotStore;
  accounts: Accounts;
  live: Live;
  clock: Clock;
}) => {
  const read = async (workspaceId: string): Promise<Slots> => ({
    timeZone: (await store.zone(workspaceId)) ?? '',
    slots: await store.list(workspaceId),
  });

  const changed = async ({ workspaceId }: Caller, id: string) => {
    await live.publish({ workspaceId, kind: 'slot', id });
    return read(workspaceId);
  };

  /** The free slots within `days`, earliest first. */
  const freeOn = async (
    workspaceId: string,
    { timeZone, slots }: Slots,
    accountIds: readonly string[],
    { fromMs, days, toMs, limit }: { fromMs: number; days: number; toMs: number; limit: number },
    ignoredPosts: readonly string[] = [],
  ) => {
    const suitable = slots.filter((slot) => serves(slot, accountIds));
    const candidates = occurrencesOf(suitable, timeZone || 'UTC', fromMs, days)
      .filter(({ atMs }) => atMs >= fromMs && atMs < Math.min(toMs, lastMs))
      .map(({ slot, atMs }) => ({
        atMs,
        accountIds: slot.accountIds.length === 0 || accountIds.length === 0 ? slot.accountIds : accountIds,
      }));
    return candidates.length === 0 ? [] : store.free(workspaceId, candidates, limit, ignoredPosts);
  };

  return {
    list: ({ workspaceId }: Caller) => read(workspaceId),

    read,

    add: (caller: Caller, { timeZone, slots }: { timeZone: string; slots: readonly NewSlot[] }) =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        if (timeZone !== '') mustBeTimeZone(timeZone);
        for (const [index, { accountIds }] of slots.entries()) {
          await accounts.networksOf(caller, accountIds, `slots.${index}.accountIds`);
        }
        await store.lockWorkspace(workspaceId);
        const before = await read(workspaceId);
        if (before.slots.length + slots.length > bounds.slots) {
          throw new Refusal('Conflict', `A workspace has at most ${bounds.slots} slots. Delete one first.`);
        }
        const zone = timeZone || before.timeZone || 'UTC';
        if (zone !== before.timeZone) await store.setZone(workspaceId, zone);
        let id = '';
        for (const slot of slots) {
          id = newId('slot', clock.now());
          await store.insert(workspaceId, { id, ...slot, days: slot.days.toSorted() });
        }
        return changed(caller, id);
      }),

    setZone: (caller: Caller, timeZone: string) =>
      store.transaction(async () => {
        mustBeTimeZone(timeZone);
        await store.setZone(caller.workspaceId, timeZone);
        return changed(caller, '');
      }),

    change: (caller: Caller, id: string, { days, time, accountIds }: Partial<NewSlot>) =>
      store.transaction(async () => {
        if (accountIds) await accounts.networksOf(caller, accountIds);
        const change = {
          ...(days && { days: days.toSorted() }),
          ...(time && { time }),
          ...(accountIds && { accountIds }),
        };
        if (!(await store.change(caller.workspaceId, id, change))) throw notFound('slot', id);
        return changed(caller, id);
      }),

    remove: (caller: Caller, id: string) =>
      store.transaction(async () => {
        if (!(await store.remove(caller.workspaceId, id))) throw notFound('slot', id);
        await changed(caller, id);
      }),

    /** For the calendar: the free slots that are still to come. */
    free: async (
      { workspaceId }: Caller,
      { from, to, accountIds }: { from: string; to: string; accountIds: readonly string[] },
    ) => {
      const [fromMs, toMs] = [Math.max(Date.parse(from), clock.now().getTime() + 1), Date.parse(to)];
      if (toMs <= Date.parse(from)) throw badInput({ path: 'to', code: 'BadRange', message: 'must be after from' });
      if (toMs - Date.parse(from) > bounds.slotDays * dayMs) {
        const message = `must be at most ${bounds.slotDays} days after from`;
        throw badInput({ path: 'to', code: 'BadRange', message, limit: bounds.slotDays });
      }
      if (toMs <= fromMs) return [];
      // One day more because the first may be partial, and one for the hour added when daylight saving ends.
      const days = Math.ceil((toMs - fromMs) / dayMs) + 2;
      const range = { fromMs, days, toMs, limit: days * bounds.slots };
      return freeOn(workspaceId, await read(workspaceId), accountIds, range);
    },

    /**
     * The first slot after `after` and after now that is free for these accounts; undefined when the next year has none.
     * Nothing is reserved: two people who ask at the same moment get the same slot, which is allowed.
     */
    nextFreeSlot: async (
      workspaceId: string,
      accountIds: readonly string[],
      after?: string,
      /** Posts that are about to leave their slots. */
      ignoredPosts?: readonly string[],
    ): Promise<string | undefined> => {
      const slots = await read(workspaceId);
      const beginMs = 1 + Math.max(clock.now().getTime(), after ? Date.parse(after) : 0);
      for (let day = 0; day < daysAhead; day += daysPerQuery) {
        const fromMs = beginMs + day * dayMs;
        // Overlaps the next query, because a day can be shorter than 24 hours.
        const range = { fromMs, days: daysPerQuery + 2, toMs: fromMs + daysPerQuery * dayMs, limit: 1 };
        const [at] = await freeOn(workspaceId, slots, accountIds, range, ignoredPosts);
        if (at !== undefined) return at;
      }
      return undefined;
    },
  };
};

/** A slot that is limited to some accounts serves only posts for those. */
const serves = ({ accountIds }: Slot, postAccountIds: readonly string[]) =>
  accountIds.length === 0 || postAccountIds.every((id) => accountIds.includes(id));

const mustBeTimeZone = (timeZone: string) => {
  try {
    if (!/^[A-Za-z]/.test(timeZone)) throw new RangeError('an offset is not a time zone');
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    const message = 'must be an IANA name, such as Europe/Berlin';
    throw badInput({ path: 'timeZone', code: 'UnknownTimeZone', message });
  }
};
