import type { Database } from '#server/base/store/database';
import type { RunningAgenda } from './agenda.ts';
import type { DueLoop } from './due-loop.ts';
import { type DueKind, dueChannel, dueWork } from './due-work.ts';

/** Recurring work. */
export interface Chore {
  readonly every: string;
  readonly run: () => Promise<unknown> | unknown;
}

/** A listener that reconnects wakes every loop, so this covers only notifications that PostgreSQL itself lost. */
const checkEvery = '1 minute';
const kinds = Object.keys(dueWork) as DueKind[];
/** Work that sends nothing to the outside, so it goes on during a hold. */
const isLocal = (kind: DueKind) => kind === 'fits' || kind === 'forecasts';
const holdPollMs = 2_000;
/** Any database role may notify the channel, with any payload. */
const isKind = (name: string): name is DueKind => kinds.includes(name as DueKind);
/** Jobs of earlier versions, to cancel. Other unknown jobs may belong to another program. */
const retiredJobs = ['look for what is due'];

/** The clock that the sandbox can move. Agenda uses the wall clock. */
export interface ServiceClock {
  now(): Date;
  /** Reads the offset again, after another process has moved the clock. */
  read(): Promise<void>;
  /** Converts a wall clock time, past or future, to the service's time. */
  history(): Promise<(wallTime: Date) => Date>;
}

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Runs due rows and recurring work. Each loop sleeps until its next row is due; a database notification wakes it
 * earlier, on every instance. Agenda has one job per loop, which polls in case a notification was lost, and one per
 * chore.
 */
export const createScheduler = ({
  database,
  loops,
  chores,
  clock,
  isHeld = async () => false,
  readNetworkKeys = async () => undefined,
  report,
}: {
  database: Database;
  loops: Readonly<Record<DueKind, DueLoop>>;
  chores: Readonly<Record<string, Chore>>;
  clock: ServiceClock;
  /** Whether nothing may be sent to the outside: after a restore, until a person releases it. */
  isHeld?: () => Promise<boolean>;
  /** Called when the operator may have entered credentials on another instance. */
  readNetworkKeys?: () => Promise<unknown>;
  report: (error: unknown) => void;
}) => {
  const wakeAll = () => {
    for (const loop of Object.values(loops)) loop.wake();
  };
  const onNotification = (name: string) => {
    if (name === 'clock') clock.read().then(wakeAll, report);
    else if (name === 'network-keys') readNetworkKeys().catch(report);
    else if (isKind(name)) loops[name].wake();
  };

  const started = new Set<DueLoop>();
  let stopping = new AbortController();
  let holdTimer: NodeJS.Timeout | undefined;
  const startLoop = (loop: DueLoop) => {
    started.add(loop);
    loop.start();
  };
  /** While a process runs, a hold can end but never begin, so this polls until the hold ends and then stops. */
  const startOutgoing = async (signal: AbortSignal) => {
    const isFree = await isHeld().then(
      (held) => !held,
      (error: unknown) => {
        report(error);
        return false;
      },
    );
    if (signal.aborted) return;
    if (!isFree) {
      holdTimer = setTimeout(startOutgoing, holdPollMs, signal);
      return;
    }
    for (const kind of kinds) if (!isLocal(kind)) startLoop(loops[kind]);
  };

  const follow = () => {
    const readKeys = () => void readNetworkKeys().catch(report);
    const onReconnect = () => {
      clock.read().then(wakeAll, report);
      readKeys();
    };
    database.listen(dueChannel, { onNotification, onReconnect, onConnect: readKeys });
  };

  return {
    /** Listens until the database is closed. */
    start: () => {
      follow();
      for (const kind of kinds) if (isLocal(kind)) startLoop(loops[kind]);
      stopping = new AbortController();
      void startOutgoing(stopping.signal);
    },

    /** Use instead of `start` in a process without jobs, which still has to follow moves of the clock. */
    follow,

    /** Agenda runs each job on one instance at a time. */
    scheduleRecurring: async ({ agenda }: RunningAgenda, more: Readonly<Record<string, Chore>> = {}) => {
      const checks = kinds.map((kind) => [dueWork[kind], { every: checkEvery, run: loops[kind].wake }]);
      const recurring: Record<string, Chore> = { ...Object.fromEntries(checks), ...chores, ...more };
      for (const [name, { run }] of Object.entries(recurring)) {
        agenda.define(name, async () => {
          await run();
        });
      }
      await agenda.start();
      const { jobs } = await agenda.queryJobs();
      await agenda.cancel({ names: retiredJobs });
      for (const [name, { every }] of Object.entries(recurring)) {
        // Leave an unchanged job alone: on MongoDB, saving it again would erase the time of its last run.
        const isScheduled = jobs.some((job) => job.name === name && job.repeatInterval === every && job.nextRunAt);
        if (!isScheduled) await agenda.every(every, name);
      }
    },

    /** Use instead of `start`: handles all rows that are due now in these loops. */
    runDue: async (names: readonly DueKind[]) => {
      await Promise.all(names.map((name) => loops[name].runDue()));
    },

    /** Until the next row is due in any of these loops; undefined if none is waiting. */
    msToNext: async (names: readonly DueKind[]) => {
      const waits = (await Promise.all(names.map((name) => loops[name].msToNext()))).filter((ms) => ms !== undefined);
      return waits.length === 0 ? undefined : Math.max(Math.min(...waits), 0);
    },

    stop: (graceMs: number) => {
      stopping.abort();
      clearTimeout(holdTimer);
      return Promise.all(Object.values(loops).map((loop) => loop.stop(graceMs)));
    },

    /** How long the oldest unclaimed row of each kind has been due. */
    agesMs: async () =>
      new Map(
        await Promise.all(
          kinds.map(async (kind) => [kind, Math.max(-((await loops[kind].msToNext()) ?? 0), 0)] as const),
        ),
      ),

    /** Rows being handled on this instance. */
    inFlight: () => new Map(kinds.map((kind) => [kind, loops[kind].inFlight()])),

    /** Time since the last successful poll of the loop that is furthest behind. */
    idleMs: () => Math.max(0, ...[...started].map((loop) => loop.idleMs())),
  };
};
