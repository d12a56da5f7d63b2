import type { Database } from '#server/store/database';
import type { OpenedAgenda } from './agenda.ts';
import type { DueLoop } from './queue.ts';

/** Something that has to be looked at again and again. */
export interface Chore {
  readonly every: string;
  readonly run: () => Promise<unknown> | unknown;
}

const channel = 'posthorn_due';

export type Jobs = ReturnType<typeof createJobs>;

/**
 * Due rows and recurring work. Loops sleep until their next row is due; a notice in the database wakes them earlier on
 * every instance, and Agenda wakes them now and then in case a notice was lost.
 */
export const createJobs = ({
  database,
  loops,
  chores,
  clockMoved,
  report,
}: {
  database: Database;
  /** By the name that notices give. */
  loops: Readonly<Record<string, DueLoop>>;
  chores: Readonly<Record<string, Chore>>;
  clockMoved: () => Promise<void>;
  report: (error: unknown) => void;
}) => {
  const wakeAll = () => {
    for (const loop of Object.values(loops)) loop.wake();
  };
  const heard = (name: string) => {
    if (name === 'clock') clockMoved().then(wakeAll, report);
    else loops[name]?.wake();
  };

  return {
    /** Until the database is closed. */
    start: () => {
      database.listen(channel, { heard, resumed: () => clockMoved().then(wakeAll, report) });
      for (const loop of Object.values(loops)) loop.start();
    },

    /** Sweeps and chores: each runs on one instance at a time. */
    keepTime: async ({ agenda }: OpenedAgenda, more: Readonly<Record<string, Chore>> = {}) => {
      const all = Object.entries({ ...chores, ...more });
      agenda.define('look for what is due', async () => wakeAll());
      for (const [name, { run }] of all) {
        agenda.define(name, async () => {
          await run();
        });
      }
      await agenda.start();
      const { jobs: known } = await agenda.queryJobs();
      const recurring = {
        'look for what is due': '5 seconds',
        ...Object.fromEntries(all.map(([name, { every }]) => [name, every])),
      };
      for (const [name, every] of Object.entries(recurring)) {
        // One that goes on as it was is left alone: on MongoDB it would forget when it ran last.
        const goesOn = known.some((job) => job.name === name && job.repeatInterval === every && job.nextRunAt);
        if (!goesOn) await agenda.every(every, name);
      }
    },

    /** Instead of start: all that is due now in these loops. What becomes due by it is due next. */
    runDue: async (names: readonly string[]) => {
      await Promise.all(names.map((name) => loops[name]?.runDue()));
    },

    /** Until something is due in one of these loops; undefined when nothing is. */
    msToNext: async (names: readonly string[]) => {
      const waits = await Promise.all(names.map((name) => loops[name]?.msToNext()));
      const known = waits.filter((ms) => ms !== undefined);
      return known.length === 0 ? undefined : Math.max(Math.min(...known), 0);
    },

    stop: (graceMs: number) => Promise.all(Object.values(loops).map((loop) => loop.stop(graceMs))),

    /** The longest that any of the loops has not reached the database. */
    idleMs: () => Math.max(...Object.values(loops).map((loop) => loop.idleMs())),
  };
};

/** What recurs, when it ran last and when it will again, for the operator. */
export const jobsOverview = async ({ agenda }: OpenedAgenda) => {
  const { jobs } = await agenda.queryJobs();
  return jobs
    .map(({ name, repeatInterval, lastFinishedAt, lastRunAt, nextRunAt, failedAt, failReason }) => ({
      name,
      every: repeatInterval,
      lastRunAt: lastFinishedAt ?? lastRunAt,
      nextRunAt,
      ...(failedAt && { failedAt, failReason }),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
};
