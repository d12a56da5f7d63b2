import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** Work that waits in rows of the database until it is due. */
export interface DueWork<Row> {
  /** How many are handled at once, with those that have given their place away. */
  readonly concurrency: number;
  /** Claims up to `room` rows that are due, with a lease: if this process dies, another claims its rows. */
  claim(room: number): Promise<Row[]>;
  /** `free` gives its place to another before it ends, as when only its result is still to be written. */
  handle(row: Row, free: () => void): Promise<void>;
  /** Until the next row is due; undefined when none is. */
  msToNext(): Promise<number | undefined>;
  /** How long places that were freed wait for others, to be filled by one claim. */
  readonly gatherMs?: number;
  /** Keeps the leases of what is being handled. */
  readonly extend?: { readonly everyMs: number; run(rows: readonly Row[]): Promise<void> };
  report(error: unknown): void;
}

export type DueLoop = ReturnType<typeof createDueLoop>;

/** The longest sleep, however far away the next row is. */
const longestSleepMs = 10_000;
const pauseAfterFaultMs = 1_000;
const largestClaim = 200;

/** Claims what is due, handles it, and sleeps exactly until the next is. Woken from outside when something is due earlier. */
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
  let stopped = true;
  let busy = false;
  /** To look again after so many ms, once this turn is over. */
  let again: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let extending: NodeJS.Timeout | undefined;
  let turnedAt = performance.now();
  /** Rows that ended since the last claim, and whether anything else may have become due. */
  let freed = 0;
  let mayBeMore = true;
  let nextLookAt = 0;

  const wake = () => {
    mayBeMore = true;
    look();
  };

  const look = (afterMs = 0) => {
    if (stopped) return;
    if (busy) {
      again = Math.min(again ?? afterMs, afterMs);
      return;
    }
    busy = true;
    clearTimeout(timer);
    // Whatever else ends meanwhile is claimed for together.
    (afterMs > 0 ? sleep(afterMs) : setImmediate())
      .then(turn)
      .then(() => {
        turnedAt = performance.now();
      })
      .catch((error: unknown) => {
        report(error);
        mayBeMore = true;
        sleepFor(pauseAfterFaultMs);
      })
      .finally(() => {
        busy = false;
        if (again !== undefined) look(again);
      });
  };

  const sleepFor = (ms: number) => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(wake, ms);
  };

  const turn = async () => {
    again = undefined;
    if (stopped) return;
    const room = Math.min(concurrency - running.size, largestClaim);
    // The next one that ends wakes the loop.
    if (room <= 0) return;
    const ended = freed;
    freed = 0;
    const rows = await claim(room);
    for (const row of rows) begin(row);
    if (rows.length === room) {
      again = 0;
      return;
    }
    // Every place that was freed is taken again, so all that is known of the others still holds.
    if (!mayBeMore && rows.length >= ended) return sleepFor(nextLookAt - performance.now());
    mayBeMore = false;
    const ms = Math.max(0, Math.min((await msToNext()) ?? longestSleepMs, longestSleepMs));
    nextLookAt = performance.now() + ms;
    sleepFor(ms);
  };

  const begin = (row: Row) => {
    let isFree = false;
    const free = () => {
      if (isFree) return;
      isFree = true;
      freed++;
      look(gatherMs);
    };
    const end = () => {
      const wasFull = running.size >= concurrency;
      running.delete(row);
      free();
      if (wasFull) look(gatherMs);
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
      stopped = false;
      turnedAt = performance.now();
      if (extend) {
        extending = setInterval(() => {
          if (running.size > 0) extend.run([...running.keys()]).catch(report);
        }, extend.everyMs);
      }
      wake();
    },

    /** Claims nothing new and waits for what is under way; another process takes the rest when its lease ends. */
    stop: async (graceMs: number) => {
      stopped = true;
      clearTimeout(timer);
      let given: NodeJS.Timeout | undefined;
      const up = new Promise<void>((resolve) => {
        given = setTimeout(resolve, graceMs);
      });
      await Promise.race([Promise.all(running.values()), up]);
      clearTimeout(given);
      clearInterval(extending);
    },

    inFlight: () => running.size,

    /** Does all that is due now, without timers: for callers that move the clock step by step. */
    runDue: async () => {
      for (;;) {
        const rows = await claim(Math.min(concurrency, largestClaim));
        if (rows.length === 0) return;
        await Promise.all(rows.map((row) => handle(row, () => undefined).catch(report)));
      }
    },

    msToNext,

    /** Since it last looked for work and the database answered. */
    idleMs: () => performance.now() - turnedAt,
  };
};
