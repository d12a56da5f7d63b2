const timeoutMs = 3000;
/** The loops poll the database at least every ten seconds. */
const maxIdleMs = 45_000;

export type Health = ReturnType<typeof createHealth>;

/** How long the result of a test write is cached. A failure is checked again soon. */
const cacheMs = { success: 30_000, failure: 2_000 };

export interface CheckedDatabase {
  ping(): Promise<void>;
  tryWrite(): Promise<void>;
  /** A timestamp of `performance.now()`. */
  writeFailedAt(): number | undefined;
}

/**
 * SPEC, Health: ready only while the database responds, the scheduler ticks and the instance is neither starting nor
 * shutting down.
 */
export const createHealth = ({
  database,
  idleMs,
}: {
  database: CheckedDatabase;
  /** Time since the last tick of the scheduler. */
  idleMs: () => number;
}) => {
  let starting = false;
  let stopping = false;
  let lastWrite: { readonly at: number; readonly error: string | undefined } | undefined;
  let pendingWrite: Promise<string | undefined> | undefined;

  /**
   * The error of a test write; undefined if it succeeds. While one hangs, probes wait for it instead of starting more.
   */
  const findWriteError = async () => {
    const now = performance.now();
    const isOld = !lastWrite || now - lastWrite.at > (lastWrite.error ? cacheMs.failure : cacheMs.success);
    if (!isOld && (database.writeFailedAt() ?? 0) <= (lastWrite?.at ?? 0)) return lastWrite?.error;
    pendingWrite ??= tryWrite(now).finally(() => {
      pendingWrite = undefined;
    });
    return pendingWrite;
  };

  const tryWrite = async (at: number) => {
    const error = await database.tryWrite().then(
      () => undefined,
      ({ message }: Error) => message,
    );
    lastWrite = { at, error };
    return error;
  };

  return {
    /** The server listens before every part has started. */
    beginStart: () => {
      starting = true;
    },
    endStart: () => {
      starting = false;
    },
    beginStop: () => {
      stopping = true;
    },
    ready: async () => {
      if (stopping) return { status: 503 as const, body: 'shutting down' };
      if (starting) return { status: 503 as const, body: 'starting' };
      const isAnswering = await Promise.race([database.ping().then(() => true), after(timeoutMs, false)]).catch(
        () => false,
      );
      if (!isAnswering) return { status: 503 as const, body: 'the database does not answer' };
      const error = await Promise.race([findWriteError(), after(timeoutMs, 'a write gets no answer')]);
      if (error !== undefined) return { status: 503 as const, body: `the database cannot be written to: ${error}` };
      const idle = idleMs();
      if (idle > maxIdleMs) {
        return { status: 503 as const, body: `the scheduler has not ticked for ${Math.round(idle / 1000)} seconds` };
      }
      return { status: 200 as const, body: 'ready' as const };
    },
  };
};

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value).unref());
