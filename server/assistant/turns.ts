import { Refusal } from '#server/errors';

interface Turn {
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
}

/** One answer under way for each person; each instance counts for itself. */
export const createTurns = () => {
  const underWay = new Map<string, Turn>();
  const stopping = new AbortController();

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
      const signal = AbortSignal.any([left, stopping.signal]);
      const { promise: ended, resolve } = withResolvers();
      const end = () => {
        underWay.delete(userId);
        resolve();
      };
      underWay.set(userId, { signal, ended });
      try {
        return thenEnd(await begin(signal), end);
      } catch (error) {
        end();
        throw error;
      }
    },

    /** Ends all answers: the process is about to stop. */
    stop: () => stopping.abort(),
  };
};

const thenEnd = async function* <Part>(stream: ReadableStream<Part>, end: () => void): AsyncGenerator<Part> {
  try {
    yield* stream;
  } finally {
    end();
  }
};

/** Promise.withResolvers, which Node 20 lacks. */
const withResolvers = () => {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
};
