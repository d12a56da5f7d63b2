import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Rows in the database that are handled when they become due. */
export interface DueWork<Row> {
  /** How many rows are handled at once, including those that called `free`. */
  readonly concurrency: number;
  /** Claims up to `limit` due rows with a lease: if this process dies, another claims them when the lease expires. */
  claim(limit: number): Promise<Row[]>;
  /** `free` lets the loop claim another row before this one ends, for example while only its result has to be saved. */
  handle(row: Row, free: () => void): Promise<void>;
  /** Undefined if no row is waiting. */
  msToNext(): Promise<number | undefined>;
  /** How long to wait after a slot is freed, so that one claim can fill several slots. */
  readonly gatherMs?: number;
  /** Extends the leases of the rows that are being handled. */
  readonly extend?: { readonly everyMs: number; run(rows: readonly Row[]): Promise<void> };
  report(error: unknown): void;
}

export type DueLoop = ReturnType<typeof createDueLoop>;

const maxSleepMs = 10_000;
const retryMs = 1_000;
const maxClaim = 200;

/**
 * Claims and handles due rows, then sleeps until the next one is due. `wake` polls at once, when a row became due
 * earlier.
 */
export const createDueLoop = <Row>({
  concurrency,
  claim,
  handle,
  msToNext,
  gatherMs = 0,
  extend,
  report,
}: DueWork<Row>) => {
  const running = new Map<Row, Promise<void>>();
  let isStopped = true;
  let isPolling = false;
  let polling: Promise<void> = Promise.resolve();
  /** A poll requested while another one runs; it starts this many ms after that one. */
  let pollAgainMs: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let extendTimer: NodeJS.Timeout | undefined;
  let lastPollMs = performance.now();
  /** Slots freed since the last claim. */
  let freed = 0;
  /** Whether rows may have become due that `nextDueMs` does not account for. */
  let isNextDueStale = true;
  let nextDueMs = 0;

  const wake = () => {
    isNextDueStale = true;
    schedulePoll();
  };

  const schedulePoll = (afterMs = 0) => {
    if (isStopped) return;
    if (isPolling) {
      pollAgainMs = Math.min(pollAgainMs ?? afterMs, afterMs);
      return;
    }
    isPolling = true;
    clearTimeout(timer);
    // Slots that are freed during this wait are filled by the same claim.
    polling = (afterMs > 0 ? sleep(afterMs) : setImmediate())
      .then(poll)
      .then(() => {
        lastPollMs = performance.now();
      })
      .catch((error: unknown) => {
        report(error);
        isNextDueStale = true;
        sleepFor(retryMs);
      })
      .finally(() => {
        isPolling = false;
        if (pollAgainMs !== undefined) schedulePoll(pollAgainMs);
      });
  };

  const sleepFor = (ms: number) => {
    clearTimeout(timer);
    // The next row may be overdue by now, and Node 24 warns about a negative time.
    if (!isStopped) timer = setTimeout(wake, Math.max(0, ms));
  };

  const poll = async () => {
    pollAgainMs = undefined;
    if (isStopped) return;
    const slots = Math.min(concurrency - running.size, maxClaim);
    // All slots are busy; the first row that ends schedules the next poll.
    if (slots <= 0) return;
    const freedBefore = freed;
    freed = 0;
    const rows = await claim(slots);
    for (const row of rows) begin(row);
    if (rows.length === slots) {
      pollAgainMs = 0;
      return;
    }
    // All freed slots were refilled, so the known next due time still holds.
    if (!isNextDueStale && rows.length >= freedBefore) return sleepFor(nextDueMs - performance.now());
    isNextDueStale = false;
    const ms = Math.min((await msToNext()) ?? maxSleepMs, maxSleepMs);
    nextDueMs = performance.now() + ms;
    sleepFor(ms);
  };

  const begin = (row: Row) => {
    let isFree = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      freed++;
      schedulePoll(gatherMs);
    };
    const end = () => {
      const wasFull = running.size >= concurrency;
      running.delete(row);
      free();
      if (wasFull) schedulePoll(gatherMs);
    };
    const work = handle(row, free).then(end, (error: unknown) => {
      end();
      report(error);
    });
    running.set(row, work);
  };

  return {
    wake,

    start: () => {
      isStopped = false;
      lastPollMs = performance.now();
      if (extend) {
        extendTimer = setInterval(() => {
          if (running.size > 0) extend.run([...running.keys()]).catch(report);
        }, extend.everyMs);
      }
      wake();
    },

    /** Claims nothing new and waits for claimed rows; another process claims the rest when their leases expire. */
    stop: async (graceMs: number) => {
      isStopped = true;
      clearTimeout(timer);
      let graceTimer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        graceTimer = setTimeout(resolve, graceMs);
      });
      // A claim that is under way still brings rows.
      await Promise.race([polling.then(() => Promise.all(running.values())), timeout]);
      clearTimeout(graceTimer);
      clearInterval(extendTimer);
    },

    inFlight: () => running.size,

    /** Handles all rows that are due now, without timers: for callers that move the clock step by step. */
    runDue: async () => {
      for (;;) {
        const rows = await claim(Math.min(concurrency, maxClaim));
        if (rows.length === 0) return;
        await Promise.all(rows.map((row) => handle(row, () => undefined).catch(report)));
      }
    },

    msToNext,

    /** Time since the last successful poll. */
    idleMs: () => performance.now() - lastPollMs,
  };
};
