const answerMs = 3000;
/** The loops look at the database at least every ten seconds. */
const longestIdleMs = 45_000;

export type Health = ReturnType<typeof createHealth>;

/** SPEC, Health: ready only while the database responds, the scheduler ticks and the instance is not shutting down. */
export const createHealth = ({
  ping,
  idleMs,
}: {
  ping: () => Promise<void>;
  /** How long the scheduler has not ticked. */
  idleMs: () => number;
}) => {
  let stopping = false;
  return {
    beginStop: () => {
      stopping = true;
    },
    ready: async () => {
      if (stopping) return { status: 503 as const, body: 'shutting down' };
      const answered = await Promise.race([ping().then(() => true), after(answerMs, false)]).catch(() => false);
      if (!answered) return { status: 503 as const, body: 'the database does not answer' };
      const idle = idleMs();
      if (idle > longestIdleMs) {
        return { status: 503 as const, body: `the scheduler has not ticked for ${Math.round(idle / 1000)} seconds` };
      }
      return { status: 200 as const, body: 'ready' as const };
    },
  };
};

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value).unref());
