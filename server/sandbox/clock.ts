import type { MovableClock } from '#server/clock';
import { badInput } from '#server/errors';
import type { SandboxClockStore } from './store.ts';

/** A year is more than any schedule of ours. */
const longestStepMs = 366 * 24 * 3_600_000;

export type SandboxClock = ReturnType<typeof createSandboxClock>;

/** The clock of the whole deployment, which goes forward only: what is due in thirty days can be seen in a minute. */
export const createSandboxClock = ({ store, clock }: { store: SandboxClockStore; clock: MovableClock }) => {
  /** The database has it; every instance reads it from there when it was moved. */
  const read = async () => clock.setOffset(await store.offset());
  return {
    now: clock.now,
    aheadMs: clock.offsetMs,
    read,

    /** Negative while a demo lives through its past, or when one was killed there. */
    offsetMs: store.offset,

    /** For the demo alone, and only while nothing else runs: back to the past, or to where the clock was before. */
    setOffset: async (ms: number) => clock.setOffset(await store.move(ms - (await store.offset()))),

    forward: async (byMs: number) => {
      if (!Number.isInteger(byMs) || byMs <= 0 || byMs > longestStepMs) {
        throw badInput({ path: 'forwardMs', code: 'BadStep', message: 'must be from 1 ms to 366 days' });
      }
      clock.setOffset(await store.move(byMs));
    },
  };
};
