import type { Database } from '#server/store/database';
import type { OpenedAgenda } from './agenda.ts';
import { type DueKind, dueChannel, dueWork } from './notices.ts';
import type { DueLoop } from './queue.ts';

/** Work that recurs. */
export interface Chore {
  readonly every: string;
  readonly run: () => Promise<unknown> | unknown;
}

/** A broken listener wakes every loop when it is back, so only a notice that PostgreSQL itself lost waits for this. */
const checkEvery = '1 minute';
const kinds = Object.keys(dueWork) as DueKind[];
/** Any role of the database may send a notice, with any text. */
const isKind = (name: string): name is DueKind => kinds.includes(name as DueKind);
/** Jobs of earlier versions. Any other job may belong to another program. */
const retired = ['look for what is due'];

/** The time of the service, which the sandbox moves; Agenda goes by the true one. */
export interface ServiceClock {
  now(): Date;
  /** After it was moved. */
  read(): Promise<void>;
  /** What it showed, or will show, at a true time. */
  history(): Promise<(trueTime: Date) => Date>;
}

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Due rows and recurring work. Loops sleep until their next row is due, and a notice in the database wakes them earlier on
 * every instance. Agenda has a job for each of them, which looks for due rows in case a notice was lost, and one for each
 * chore.
 */
export const createScheduler = ({
  database,
  loops,
  chores,
  clock,
  report,
}: {
  database: Database;
  loops: Readonly<Record<DueKind, DueLoop>>;
  chores: Readonly<Record<string, Chore>>;
  clock: ServiceClock;
  report: (error: unknown) => void;
}) => {
  const wakeAll = () => {
    for (const loop of Object.values(loops)) loop.wake();
  };
  const heard = (name: string) => {
    if (name === 'clock') clock.read().then(wakeAll, report);
    else if (isKind(name)) loops[name].wake();
  };

  const follow = () => {
    database.listen(dueChannel, { heard, resumed: () => clock.read().then(wakeAll, report) });
  };

  return {
    /** Until the database is closed. */
    start: () => {
      follow();
      for (const loop of Object.values(loops)) loop.start();
    },

    /** Instead of start, for a process that claims nothing: it still hears when the clock is moved. */
    follow,

    /** Each runs on one instance at a time. */
    keepTime: async ({ agenda }: OpenedAgenda, more: Readonly<Record<string, Chore>> = {}) => {
      const checks = kinds.map((kind) => [dueWork[kind], { every: checkEvery, run: loops[kind].wake }]);
      const recurring: Record<string, Chore> = { ...Object.fromEntries(checks), ...chores, ...more };
      for (const [name, { run }] of Object.entries(recurring)) {
        agenda.define(name, async () => {
          await run();
        });
      }
      await agenda.start();
      const { jobs: known } = await agenda.queryJobs();
      await agenda.cancel({ names: retired });
      for (const [name, { every }] of Object.entries(recurring)) {
        // An unchanged job is left alone: on MongoDB it would lose the time of its last run.
        const goesOn = known.some((job) => job.name === name && job.repeatInterval === every && job.nextRunAt);
        if (!goesOn) await agenda.every(every, name);
      }
    },

    /**
     * Instead of start: does all that is due now in these loops. What becomes due meanwhile waits for the next call.
     */
    runDue: async (names: readonly DueKind[]) => {
      await Promise.all(names.map((name) => loops[name].runDue()));
    },

    /** Until something is due in one of these loops; undefined when nothing is. */
    msToNext: async (names: readonly DueKind[]) => {
      const waits = await Promise.all(names.map((name) => loops[name].msToNext()));
      const known = waits.filter((ms) => ms !== undefined);
      return known.length === 0 ? undefined : Math.max(Math.min(...known), 0);
    },

    stop: (graceMs: number) => Promise.all(Object.values(loops).map((loop) => loop.stop(graceMs))),

    /** How long the oldest row of each kind has been due without being taken up. */
    agesMs: async () =>
      new Map(
        await Promise.all(
          kinds.map(async (kind) => [kind, Math.max(-((await loops[kind].msToNext()) ?? 0), 0)] as const),
        ),
      ),

    /** On this instance. */
    inFlight: () => new Map(kinds.map((kind) => [kind, loops[kind].inFlight()])),

    /** How long the slowest of the loops has not reached the database. */
    idleMs: () => Math.max(...Object.values(loops).map((loop) => loop.idleMs())),
  };
};
