import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#server/errors';
import type { Live } from '#server/live/open-tabs';
import type { Ask } from './answering.ts';
import type { TurnStore } from './store.ts';

const lookEveryMs = 50;
/** About two seconds. Not by the clock: a process that stood still has not looked. */
const looks = 40;
/** If the process dies, the person can ask again after so long. */
const leaseMs = 15_000;

/** One answer under way for each person, on whatever instance. */
export const createTurns = ({
  store,
  live,
  report,
}: {
  store: TurnStore;
  live: Pick<Live, 'onAccessChanged'>;
  report: (error: unknown) => void;
}) => {
  const stops = new Set<() => void>();
  const checks = new Set<() => void>();
  live.onAccessChanged(() => {
    for (const check of checks) check();
  });

  /** Whoever pressed Stop may ask again at once: Stop may still be on its way, and what was said is kept first. */
  const waitForTurn = async (userId: string, holder: string) => {
    for (let look = 1; !(await store.takeTurn(userId, holder, leaseMs)); look++) {
      if (look < looks) {
        await sleep(lookEveryMs);
        continue;
      }
      throw new Refusal(
        'Conflict',
        'Another answer is still being written for you. Stop it, or wait until it is done.',
      );
    }
  };

  return {
    /** The parts of the answer. The turn is over when the last one is read. */
    take: async <Part>(
      { caller: { userId }, callerNow, signal: left }: Pick<Ask, 'caller' | 'callerNow' | 'signal'>,
      begin: (signal: AbortSignal) => Promise<ReadableStream<Part>>,
    ): Promise<AsyncIterable<Part>> => {
      const holder = randomUUID();
      await waitForTurn(userId, holder);
      // Not AbortSignal.any: Node 20 may collect such a signal before it fires.
      const controller = new AbortController();
      const stop = () => controller.abort();
      left.addEventListener('abort', stop, { once: true });
      if (left.aborted) stop();
      stops.add(stop);
      const check = () => void callerNow().catch((error) => (error instanceof Refusal ? stop() : report(error)));
      checks.add(check);
      const keeping = setInterval(() => {
        // Somebody else has the turn when this process was stopped for longer than its lease.
        store.keepTurn(userId, holder, leaseMs).then((kept) => kept || stop(), report);
      }, leaseMs / 3);
      const end = async () => {
        clearInterval(keeping);
        stops.delete(stop);
        checks.delete(check);
        await store.endTurn(userId, holder).catch(report);
      };
      try {
        return thenEnd(await begin(controller.signal), end);
      } catch (error) {
        await end();
        throw error;
      }
    },

    /** Ends all answers: the process is about to stop. */
    stop: () => {
      for (const stop of stops) stop();
    },
  };
};

const thenEnd = async function* <Part>(stream: ReadableStream<Part>, end: () => Promise<void>): AsyncGenerator<Part> {
  try {
    yield* stream;
  } finally {
    await end();
  }
};
