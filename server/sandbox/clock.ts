import type { MovableClock } from '#server/clock';
import { badInput, Refusal } from '#server/errors';
import type { Database } from '#server/store/database';
import { createSandboxClockStore, type SandboxClockStore } from './store.ts';

/** A year is more than any schedule of ours. */
const longestStepMs = 366 * 24 * 3_600_000;

export type SandboxClock = ReturnType<typeof createSandboxClock>;

/** The clock of the whole deployment, which goes forward only: what is due in thirty days can be seen in a minute. */
const createSandboxClock = ({
  store,
  clock,
  production,
  hasLiveAccount,
}: {
  store: SandboxClockStore;
  clock: MovableClock;
  production: boolean;
  /** Whether an account on a true network is connected, in whatever workspace. */
  hasLiveAccount: () => Promise<boolean>;
}) => ({
  now: clock.now,
  aheadMs: clock.offsetMs,

  /** The database has it; every instance reads it from there when it was moved. Production goes by the true time. */
  read: async () => clock.setOffset(production ? 0 : await store.offset()),

  /**
   * When production starts: the database goes by the true time from now on, and nobody can move its clock, not even a
   * development instance on the same database. Answers with how far it was ahead.
   */
  close: () => store.close(),

  /** What it showed, or will show, at a true time. */
  history: async () => {
    const moves = production ? [] : await store.moves();
    return (trueTime: Date) => {
      const last = moves.findLast(({ atMs }) => atMs === null || atMs <= trueTime.getTime());
      return new Date(trueTime.getTime() + (last?.offsetMs ?? 0));
    };
  },

  /** Negative while a demo lives through its past, or when one was killed there. */
  offsetMs: store.offset,

  /** For the demo alone, and only while nothing else runs: back to the past, or to where the clock was before. */
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

export const openSandboxClock = (database: Database, given: Omit<Parameters<typeof createSandboxClock>[0], 'store'>) =>
  createSandboxClock({ ...given, store: createSandboxClockStore(database) });

/** For a database whose rows came from elsewhere: its notion of now follows what they say. */
export const writeClockAgain = (database: Database) => createSandboxClockStore(database).writeAgain();
