const answerMs = 3000;
/** The loops look at the database at least every ten seconds. */
const longestIdleMs = 45_000;

export type Health = ReturnType<typeof createHealth>;

/** How long a write that worked is believed, and one that failed. */
const believedMs = { good: 30_000, bad: 2_000 };

export interface Pinged {
  ping(): Promise<void>;
  tryWrite(): Promise<void>;
  /** By performance.now(). */
  writeFailedAt(): number | undefined;
}

/** SPEC, Health: ready only while the database responds, the scheduler ticks and the instance is neither starting nor shutting down. */
export const createHealth = ({
  database,
  idleMs,
}: {
  database: Pinged;
  /** How long the scheduler has not ticked. */
  idleMs: () => number;
}) => {
  let starting = false;
  let stopping = false;
  let written: { readonly at: number; readonly trouble: string | undefined } | undefined;
  let trying: Promise<string | undefined> | undefined;

  /** Why nothing can be written; undefined when all is well. A try that gets no answer is the only one. */
  const writeTrouble = async () => {
    const now = performance.now();
    const isOld = !written || now - written.at > (written.trouble ? believedMs.bad : believedMs.good);
    if (!isOld && (database.writeFailedAt() ?? 0) <= (written?.at ?? 0)) return written?.trouble;
    trying ??= tryWrite(now).finally(() => {
      trying = undefined;
    });
    return trying;
  };

  const tryWrite = async (at: number) => {
    const trouble = await database.tryWrite().then(
      () => undefined,
      (error: Error) => error.message,
    );
    written = { at, trouble };
    return trouble;
  };

  return {
    /** It listens before all of it is started. */
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
      const answered = await Promise.race([database.ping().then(() => true), after(answerMs, false)]).catch(
        () => false,
      );
      if (!answered) return { status: 503 as const, body: 'the database does not answer' };
      const trouble = await Promise.race([writeTrouble(), after(answerMs, 'a write gets no answer')]);
      if (trouble !== undefined) return { status: 503 as const, body: `the database cannot be written to: ${trouble}` };
      const idle = idleMs();
      if (idle > longestIdleMs) {
        return { status: 503 as const, body: `the scheduler has not ticked for ${Math.round(idle / 1000)} seconds` };
      }
      return { status: 200 as const, body: 'ready' as const };
    },
  };
};

const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value).unref());
