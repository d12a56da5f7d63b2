const timeoutMs = 3000;
/** The loops poll the database at least every ten seconds. */
const maxIdleMs = 45_000;

export type Health = ReturnType<typeof createHealth>;

/** How long the result of a test of the database is cached. A failure is checked again soon. */
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
  findSchemaProblem,
  idleMs,
}: {
  database: CheckedDatabase;
  /** Says which migrations the code needs and the database lacks. */
  findSchemaProblem: () => Promise<string | undefined>;
  /** Time since the last tick of the scheduler. */
  idleMs: () => number;
}) => {
  let starting = false;
  let stopping = false;
  let lastTest: { readonly at: number; readonly problem: string | undefined } | undefined;
  let pendingTest: Promise<string | undefined> | undefined;

  /** Undefined if a test write succeeds and no table is missing. While a test hangs, probes wait for it. */
  const findProblem = async () => {
    const now = performance.now();
    const isOld = !lastTest || now - lastTest.at > (lastTest.problem ? cacheMs.failure : cacheMs.success);
    if (!isOld && (database.writeFailedAt() ?? 0) <= (lastTest?.at ?? 0)) return lastTest?.problem;
    pendingTest ??= testDatabase(now).finally(() => {
      pendingTest = undefined;
    });
    return pendingTest;
  };

  const testDatabase = async (at: number) => {
    const problem = await database.tryWrite().then(
      () => findSchemaProblem().catch(({ message }: Error) => message),
      ({ message }: Error) => `the database cannot be written to: ${message}`,
    );
    lastTest = { at, problem };
    return problem;
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
    isStopping: () => stopping,
    ready: async () => {
      if (stopping) return { status: 503 as const, body: 'shutting down' };
      if (starting) return { status: 503 as const, body: 'starting' };
      const isAnswering = await Promise.race([database.ping().then(() => true), after(timeoutMs, false)]).catch(
        () => false,
      );
      if (!isAnswering) return { status: 503 as const, body: 'the database does not answer' };
      const noAnswer = 'the database cannot be written to: a write gets no answer';
      const problem = await Promise.race([findProblem(), after(timeoutMs, noAnswer)]);
      if (problem !== undefined) return { status: 503 as const, body: problem };
      const idle = idleMs();
      if (idle > maxIdleMs) {
        return { status: 503 as const, body: `the scheduler has not ticked for ${Math.round(idle / 1000)} seconds` };
      }
      return { status: 200 as const, body: 'ready' as const };
    },
  };
};

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value).unref());
