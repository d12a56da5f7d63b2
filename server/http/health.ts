const answerMs = 3000;

export type Health = ReturnType<typeof createHealth>;

/** SPEC, Health: ready only while the database responds and the instance is not shutting down. */
export const createHealth = ({ ping }: { ping: () => Promise<void> }) => {
  let stopping = false;
  return {
    beginStop: () => {
      stopping = true;
    },
    ready: async () => {
      if (stopping) return { status: 503 as const, body: 'shutting down' };
      const answered = await Promise.race([ping().then(() => true), after(answerMs, false)]).catch(() => false);
      return answered
        ? { status: 200 as const, body: 'ready' as const }
        : { status: 503 as const, body: 'the database does not answer' };
    },
  };
};

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value).unref());
