import type { MovableClock } from '#server/base/clock';
import { badInput, Refusal } from '#server/base/errors';
import type { Database } from '#server/base/store/database';
import { createSandboxClockStore, type SandboxClockStore } from './store.ts';

/** No schedule of ours is longer than a year. */
const longestStepMs = 366 * 24 * 3_600_000;

export type SandboxClock = ReturnType<typeof createSandboxClock>;

/**
 * The clock of the whole deployment. It moves forward only. Moving it lets people try in a minute what is due in thirty
 * days.
 */
const createSandboxClock = ({
  store,
  clock,
  production,
  hasLiveAccount,
}: {
  store: SandboxClockStore;
  clock: MovableClock;
  production: boolean;
  /** Whether any workspace has an account on a live network. */
  hasLiveAccount: () => Promise<boolean>;
}) => ({
  now: clock.now,
  aheadMs: clock.offsetMs,

  /** The offset is in the database, and every instance reads it after a move. Production uses the true time. */
  read: async () => clock.setOffset(production ? 0 : await store.offset()),

  /**
   * Called when production starts: the database returns to the true time for good, and not even a development instance on
   * the same database can move its clock. Returns how far it was ahead.
   */
  close: () => store.close(),

  /** Converts a true time to what this clock shows then. */
  history: async () => {
    const moves = production ? [] : await store.moves();
    return (trueTime: Date) => {
      const last = moves.findLast(({ atMs }) => atMs === null || atMs <= trueTime.getTime());
      return new Date(trueTime.getTime() + (last?.offsetMs ?? 0));
    };
  },

  /** Negative while a demo creates its past, or after one was killed doing so. */
  offsetMs: store.offset,

  /** Only for the demo, while nothing else runs: it moves the clock to the past and back. */
  setOffset: async (ms: number) => clock.setOffset((await store.move(ms - (await store.offset()))) ?? 0),

  forward: async (byMs: number) => {
    if (!Number.isInteger(byMs) || byMs <= 0 || byMs > longestStepMs) {
      throw badInput({ path: 'forwardMs', code: 'BadStep', message: 'must be from 1 ms to 366 days' });
    }
    if (production) throw new Refusal('Forbidden', 'There is no sandbox in production.');
    if (await hasLiveAccount()) {
      throw new Refusal(
        'Forbidden',
        'An account on a live network is connected, where posts would go out at the wrong time. Disconnect it first.',
      );
    }
    const offsetMs = await store.move(byMs);
    if (offsetMs === undefined) {
      throw new Refusal('Forbidden', 'This database was used in production, so its clock stays as it is.');
    }
    clock.setOffset(offsetMs);
  },
});

export const openSandboxClock = (database: Database, parts: Omit<Parameters<typeof createSandboxClock>[0], 'store'>) =>
  createSandboxClock({ ...parts, store: createSandboxClockStore(database) });

/** After a restore: `posthorn_now()` has to follow the restored offset. */
export const writeClockAgain = (database: Database) => createSandboxClockStore(database).writeAgain();
