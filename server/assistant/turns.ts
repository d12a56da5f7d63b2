import { Refusal } from '#server/errors';

interface Turn {
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
  stop(): void;
}

/** One answer under way for each person; each instance counts for itself. */
export const createTurns = () => {
  const underWay = new Map<string, Turn>();

  /** Whoever pressed Stop may ask again at once, and waits until the stopped answer is kept. */
  const mustBeFree = async (userId: string) => {
    const turn = underWay.get(userId);
    if (turn?.signal.aborted) await turn.ended;
    if (underWay.has(userId)) {
      throw new Refusal(
        'Conflict',
        'Another answer is still being written for you. Stop it, or wait until it is done.',
      );
    }
  };

  return {
    /** The parts of the answer. The turn is over when the last one is read. */
    take: async <Part>(
      userId: string,
      left: AbortSignal,
      begin: (signal: AbortSignal) => Promise<ReadableStream<Part>>,
    ): Promise<AsyncIterable<Part>> => {
      await mustBeFree(userId);
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
      underWay.set(userId, { signal: controller.signal, ended, stop });
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
