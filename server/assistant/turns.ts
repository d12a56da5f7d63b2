import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#server/errors';

const graceMs = 2000;

interface Turn {
  readonly ended: Promise<void>;
  stop(): void;
}

/** One answer under way for each person; each instance counts for itself. */
export const createTurns = () => {
  const underWay = new Map<string, Turn>();

  return {
    /** The parts of the answer. The turn is over when the last one is read. */
    take: async <Part>(
      userId: string,
      left: AbortSignal,
      begin: (signal: AbortSignal) => Promise<ReadableStream<Part>>,
    ): Promise<AsyncIterable<Part>> => {
      // Whoever pressed Stop may ask again at once: Stop may still be on its way, and what was said is kept first.
      const before = underWay.get(userId);
      if (before) await Promise.race([before.ended, sleep(graceMs, undefined, { ref: false })]);
      if (underWay.has(userId)) {
        throw new Refusal(
          'Conflict',
          'Another answer is still being written for you. Stop it, or wait until it is done.',
        );
      }
      // Not AbortSignal.any: Node 20 may collect such a signal before it fires.
      const controller = new AbortController();
      const stop = () => controller.abort();
      left.addEventListener('abort', stop, { once: true });
      if (left.aborted) stop();
      let resolve: () => void = () => undefined;
      const ended = new Promise<void>((done) => {
        resolve = done;
      });
      const end = () => {
        underWay.delete(userId);
        resolve();
      };
      underWay.set(userId, { ended, stop });
      try {
        return thenEnd(await begin(controller.signal), end);
      } catch (error) {
        end();
        throw error;
      }
    },

    /** Ends all answers: the process is about to stop. */
    stop: () => {
      for (const turn of underWay.values()) turn.stop();
    },
  };
};

const thenEnd = async function* <Part>(stream: ReadableStream<Part>, end: () => void): AsyncGenerator<Part> {
  try {
    yield* stream;
  } finally {
    end();
  }
};
