import { describe, expect, test } from 'vitest';
import type { OpenedAgenda } from '#server/jobs/agenda';
import { createJobs, jobsOverview } from '#server/jobs/jobs';
import type { Database } from '#server/store/database';

interface Job {
  name: string;
  repeatInterval: string;
  nextRunAt: Date | null;
  lastRunAt?: Date;
}

/** What Agenda keeps in MongoDB, where `every` writes a job anew and forgets when it ran last. */
const keptInMongo = () => {
  const kept = new Map<string, Job>();
  const agenda = {
    define: () => undefined,
    start: async () => undefined,
    every: async (repeatInterval: string, name: string) => {
      kept.set(name, { name, repeatInterval, nextRunAt: new Date('2026-01-01T01:00:00Z') });
    },
    queryJobs: async () => ({ jobs: [...kept.values()] }),
  };
  return { kept, opened: { agenda, close: async () => undefined } as unknown as OpenedAgenda };
};

/** As `posthorn start` does it. */
const start = (opened: OpenedAgenda, every = '1 hour') =>
  createJobs({
    database: {} as Database,
    loops: {},
    chores: { 'remove old sessions': { every, run: () => undefined } },
    clockMoved: async () => undefined,
    report: () => undefined,
  }).keepTime(opened);

describe('recurring work in MongoDB', () => {
  const ran = async () => {
    const { kept, opened } = keptInMongo();
    await start(opened);
    const job = kept.get('remove old sessions');
    if (job) job.lastRunAt = new Date('2026-01-01T00:30:00Z');
    return { kept, opened };
  };
  const overviewOf = async (opened: OpenedAgenda) =>
    (await jobsOverview(opened)).find(({ name }) => name === 'remove old sessions');

  test('still knows when it ran last after a restart', async () => {
    const { opened } = await ran();
    await start(opened);
    expect(await overviewOf(opened)).toMatchObject({ lastRunAt: new Date('2026-01-01T00:30:00Z') });
  });

  test('recurs as often as the new version says', async () => {
    const { opened } = await ran();
    await start(opened, '2 hours');
    expect(await overviewOf(opened)).toMatchObject({ every: '2 hours' });
  });

  test('that will not run again by itself is begun again', async () => {
    const { kept, opened } = await ran();
    const job = kept.get('remove old sessions');
    if (job) job.nextRunAt = null;
    await start(opened);
    expect((await overviewOf(opened))?.nextRunAt).not.toBeNull();
  });
});
