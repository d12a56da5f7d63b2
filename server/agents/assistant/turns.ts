import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import type { Ask } from './answering.ts';
import type { TurnStore } from './store.ts';

const retryMs = 50;
/** About two seconds. Counted, not timed, because a process that was paused has not retried meanwhile. */
const maxAttempts = 40;
/** If the process dies, the person can ask again after this time. */
const leaseMs = 15_000;

/** Allows one running answer per person, across all instances. */
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

  /** Retries, because a person may ask right after Stop, while the stopped answer is still being saved. */
  const waitForTurn = async (userId: string, holder: string) => {
    for (let attempt = 1; !(await store.takeTurn(userId, holder, leaseMs)); attempt++) {
      if (attempt < maxAttempts) {
        await sleep(retryMs);
        continue;
      }
      throw new Refusal(
        'Conflict',
        'Another answer is still being written for you. Stop it, or wait until it is done.',
      );
    }
  };

  return {
    /** Returns the parts of the answer. The turn ends when the last part is read. */
    take: async <Part>(
      { caller: { userId }, callerNow, signal: clientSignal }: Pick<Ask, 'caller' | 'callerNow' | 'signal'>,
      begin: (signal: AbortSignal) => Promise<ReadableStream<Part>>,
    ): Promise<AsyncIterable<Part>> => {
      const holder = randomUUID();
      await waitForTurn(userId, holder);
      // Not AbortSignal.any: Node 20 may collect such a signal before it fires.
      const controller = new AbortController();
      const stop = () => controller.abort();
      clientSignal.addEventListener('abort', stop, { once: true });
      if (clientSignal.aborted) stop();
      stops.add(stop);
      const check = () => void callerNow().catch((error) => (error instanceof Refusal ? stop() : report(error)));
      checks.add(check);
      const extendTimer = setInterval(() => {
        // If this process was paused for longer than its lease, another one may hold the turn now.
        store.extendTurn(userId, holder, leaseMs).then((isExtended) => isExtended || stop(), report);
      }, leaseMs / 3);
      const end = async () => {
        clearInterval(extendTimer);
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

    /** Ends all answers when the process stops. */
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
