import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RunningAgenda } from '#server/base/jobs/agenda';
import { createDueLoop, type DueLoop } from '#server/base/jobs/due-loop';
import { type DueKind, dueWork } from '#server/base/jobs/due-work';
import { overviewOf } from '#server/base/jobs/overview';
import { createScheduler, type ServiceClock } from '#server/base/jobs/scheduler';
import type { Database } from '#server/base/store/database';
import { until } from '#test/support/until';

interface Job {
  name: string;
  repeatInterval: string;
  nextRunAt: Date | null;
  lastRunAt?: Date;
}

const hourMs = 3_600_000;

/** Agenda's storage in MongoDB. As there, `every` overwrites a job and forgets when it last ran. */
const keptInMongo = () => {
  const kept = new Map<string, Job>();
  const work = new Map<string, () => Promise<void>>();
  const agenda = {
    define: (name: string, run: () => Promise<void>) => void work.set(name, run),
    start: async () => undefined,
    cancel: async ({ names }: { names: string[] }) => names.map((name) => kept.delete(name)),
    every: async (repeatInterval: string, name: string) => {
      kept.set(name, { name, repeatInterval, nextRunAt: new Date('2026-01-01T01:00:00Z') });
    },
    queryJobs: async () => ({ jobs: [...kept.values()] }),
  };
  return { kept, work, opened: { agenda, close: async () => undefined } as unknown as RunningAgenda };
};

const kinds = Object.keys(dueWork) as DueKind[];

/** Moved by an hour at half past midnight. */
const clock: ServiceClock = {
  now: () => new Date('2026-01-01T01:40:00Z'),
  read: async () => undefined,
  history: async () => (at) => new Date(at.getTime() + (at >= new Date('2026-01-01T00:30:00Z') ? hourMs : 0)),
};

/** As `posthorn start` does it. */
const openJobs = (every = '1 hour') => {
  const woken: string[] = [];
  const loopOf = (kind: DueKind) => ({ wake: () => void woken.push(kind) });
  const jobs = createScheduler({
    database: {} as Database,
    loops: Object.fromEntries(kinds.map((kind) => [kind, loopOf(kind)])) as unknown as Record<DueKind, DueLoop>,
    chores: { 'remove old sessions': { every, run: () => undefined } },
    clock,
    report: () => undefined,
  });
  return { jobs, woken };
};

const start = (opened: RunningAgenda, every?: string) => openJobs(every).jobs.scheduleRecurring(opened);
const shownOf = async ({ agenda }: RunningAgenda, name = 'remove old sessions') => {
  const { jobs } = await agenda.queryJobs();
  const msToNext = async (kind: DueKind) => (kind === 'posts' ? 60_000 : undefined);
  return (await overviewOf({ jobs, msToNext, clock })).find((job) => job.name === name);
};

describe('recurring work in MongoDB', () => {
  const ran = async () => {
    const { kept, opened } = keptInMongo();
    await start(opened);
    const job = kept.get('remove old sessions');
    if (job) job.lastRunAt = new Date('2026-01-01T00:20:00Z');
    return { kept, opened };
  };

  test('still knows when it ran last after a restart', async () => {
    const { opened } = await ran();
    await start(opened);
    expect(await shownOf(opened)).toMatchObject({ lastRunAt: new Date('2026-01-01T00:20:00Z') });
  });

  test('recurs as often as the new version says', async () => {
    const { opened } = await ran();
    await start(opened, '2 hours');
    expect(await shownOf(opened)).toMatchObject({ every: '2 hours' });
  });

  test('that will not run again by itself is begun again', async () => {
    const { kept, opened } = await ran();
    const job = kept.get('remove old sessions');
    if (job) job.nextRunAt = null;
    await start(opened);
    expect((await shownOf(opened))?.nextRunAt).not.toBeNull();
  });
});

describe('after a restore', () => {
  test('only work that reaches nothing outside runs, until the hold is released', async () => {
    let isHeld = true;
    const started: DueKind[] = [];
    const loopOf = (kind: DueKind) => ({ start: () => void started.push(kind), idleMs: () => 1, stop: async () => {} });
    vi.useFakeTimers();
    try {
      const jobs = createScheduler({
        database: { listen: () => undefined } as unknown as Database,
        loops: Object.fromEntries(kinds.map((kind) => [kind, loopOf(kind)])) as unknown as Record<DueKind, DueLoop>,
        chores: {},
        clock,
        isHeld: async () => isHeld,
        report: () => undefined,
      });
      jobs.start();
      await vi.advanceTimersByTimeAsync(hourMs);
      expect(started).toEqual(['fits', 'forecasts']);
      expect(jobs.idleMs()).toBe(1);
      isHeld = false;
      await vi.advanceTimersByTimeAsync(2_000);
      expect(started.toSorted()).toEqual(kinds.toSorted());
      await jobs.stop(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('each kind of due work', () => {
  test.each(kinds)('is a job of its own, which looks for what is due: %s', async (kind) => {
    const { kept, work, opened } = keptInMongo();
    const { jobs, woken } = openJobs();
    await jobs.scheduleRecurring(opened);
    expect(kept.get(dueWork[kind])).toMatchObject({ repeatInterval: '1 minute' });
    await work.get(dueWork[kind])?.();
    expect(woken).toEqual([kind]);
  });

  test('takes the place of the one job that earlier versions had; jobs of others stay', async () => {
    const { kept, opened } = keptInMongo();
    for (const name of ['look for what is due', 'of another program']) await opened.agenda.every('5 seconds', name);
    await start(opened);
    expect(kept.has('look for what is due')).toBe(false);
    expect(kept.has('of another program')).toBe(true);
  });
});

describe('the overview is in the time of the service', () => {
  test('before and after the sandbox clock was moved', async () => {
    const { kept, opened } = keptInMongo();
    await start(opened);
    const job = kept.get('remove old sessions');
    if (job) job.lastRunAt = new Date('2026-01-01T00:20:00Z');
    expect(await shownOf(opened)).toMatchObject({
      lastRunAt: new Date('2026-01-01T00:20:00Z'),
      nextRunAt: new Date('2026-01-01T02:00:00Z'),
    });
  });

  test('and says when the next row is due', async () => {
    const { opened } = keptInMongo();
    await start(opened);
    expect(await shownOf(opened, dueWork.posts)).toMatchObject({ nextDueAt: new Date('2026-01-01T01:41:00Z') });
    expect(await shownOf(opened, dueWork.sends)).toMatchObject({ nextDueAt: null });
  });
});

describe('a loop of due work', () => {
  /** A loop with eight due rows that may handle four at a time. Each stays in flight until the test releases it. */
  const openLoop = () => {
    const claimed: number[] = [];
    const held = new Set<() => void>();
    let left = 8;
    const loop = createDueLoop<number>({
      concurrency: 8,
      claim: async () => {
        const rows = Array.from({ length: Math.min(4 - held.size, left) }, (_, i) => left - i);
        left -= rows.length;
        claimed.push(rows.length);
        return rows;
      },
      handle: () =>
        new Promise((resolve) => {
          const letGo = () => {
            held.delete(letGo);
            resolve();
          };
          held.add(letGo);
        }),
      msToNext: async () => undefined,
      report: () => undefined,
    });
    return { loop, claimed, held };
  };

  test('claims once for all places that were freed in the same moment', async () => {
    const { loop, claimed, held } = openLoop();
    loop.start();
    await until('four are in hand', () => held.size === 4);
    for (const letGo of held) letGo();
    await until('the other four are', () => claimed.length > 1 && held.size === 4);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(claimed).toEqual([4, 4]);
    await loop.stop(0);
  });

  test('asks for no negative time when the next row is overdue after a claim', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const begun: string[] = [];
    const rows = [['a', 'b'], ['c', 'd'], ['e']];
    const loop = createDueLoop<string>({
      concurrency: 3,
      claim: async () => rows.shift() ?? [],
      handle: async (row) => void begun.push(row),
      msToNext: async () => 0,
      report: (error) => expect.unreachable(String(error)),
    });
    loop.start();
    await until('the last is under way', () => begun.length === 5);
    await loop.stop(0);
    const waits = timers.mock.calls.map(([, ms]) => ms ?? 0);
    expect(waits.length).toBeGreaterThan(0);
    expect(waits.filter((ms) => ms < 0)).toEqual([]);
  });

  test('claims nothing when it is stopped in the moment it was woken', async () => {
    const { loop, claimed } = openLoop();
    loop.start();
    await loop.stop(0);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(claimed).toEqual([]);
  });

  test.each([0, 5])('places that are freed together are filled by one claim (gathered for %i ms)', async (gatherMs) => {
    const rows = ['a', 'b', 'c', 'd', 'e', 'f'];
    const rooms: number[] = [];
    let ends: (() => void)[] = [];
    const loop = createDueLoop<string>({
      concurrency: 3,
      gatherMs,
      claim: async (room) => {
        rooms.push(room);
        return rows.splice(0, room);
      },
      handle: () => new Promise<void>((end) => ends.push(end)),
      msToNext: async () => undefined,
      report: (error) => expect.unreachable(String(error)),
    });
    loop.start();
    for (let turn = 1; turn <= 2; turn++) {
      await until('three are under way', () => ends.length === 3);
      expect(rooms).toEqual(Array.from({ length: turn }, () => 3));
      const together = ends;
      ends = [];
      for (const end of together) end();
    }
    await loop.stop(0);
  });

  test('a row that gives its place away makes room for another, and a stop waits for its end', async () => {
    const rows = ['a', 'b', 'c', 'd'];
    const begun: string[] = [];
    const frees: (() => void)[] = [];
    const ends: (() => void)[] = [];
    const loop = createDueLoop<string>({
      concurrency: 3,
      claim: async (room) => rows.splice(0, Math.min(room, 1)),
      handle: (row, free) => {
        begun.push(row);
        frees.push(free);
        return new Promise<void>((end) => ends.push(end));
      },
      msToNext: async () => undefined,
      report: (error) => expect.unreachable(String(error)),
    });
    loop.start();
    for (const known of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await until(`${known} are under way`, () => begun.length === known.length);
      expect(begun).toEqual(known);
      frees.at(-1)?.();
    }
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect([begun, loop.inFlight()]).toEqual([['a', 'b', 'c'], 3]);
    ends.shift()?.();
    await until('the fourth is under way', () => begun.length === 4);
    let isStopped = false;
    const stopping = loop.stop(60_000).then(() => {
      isStopped = true;
    });
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(isStopped).toBe(false);
    for (const end of ends.splice(0)) end();
    await stopping;
  });
});
