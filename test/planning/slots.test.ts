import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounds } from '#server/base/bounds';
import { occurrencesOf } from '#server/planning/slots/occurrences';
import { type Service, startService } from '#test/support/service';

const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;

/** What a wall clock shows, minute by minute, computed without Temporal and without offsets. */
const wallClock = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (ms: number) => format.format(ms);
};

/** The first minute that shows this time. A skipped time moves as far behind the gap as it was inside it. */
const plainly = (date: string, time: string, show: (ms: number) => string) => {
  const wanted = `${date} ${time}`;
  let before = Date.parse(`${date}T${time}Z`) - 1.2 * dayMs;
  before -= before % minuteMs;
  for (let ms = before; ; ms += minuteMs) {
    const shown = show(ms);
    if (shown === wanted) return ms;
    if (shown > wanted) {
      const inGap =
        Date.parse(`${wanted.replace(' ', 'T')}Z`) - Date.parse(`${show(ms - minuteMs).replace(' ', 'T')}Z`);
      return ms - minuteMs + inGap;
    }
  }
};

describe('weekly times over both clock changes', () => {
  test.each([
    ['Europe/Paris', '2026-03-29', '2026-10-25'],
    ['America/New_York', '2026-03-08', '2026-11-01'],
    ['Australia/Lord_Howe', '2026-10-04', '2026-04-05'],
    ['America/Santiago', '2026-09-06', '2026-04-05'],
    ['Pacific/Chatham', '2026-09-27', '2026-04-05'],
    ['Asia/Kolkata', '2026-03-29', '2026-10-25'],
  ])('%s: every slot is when the clock on the wall first shows it, or the gap is over', (timeZone, ...changes) => {
    const show = wallClock(timeZone);
    const times = ['00:00', '00:30', '01:45', '02:00', '02:30', '03:15', '09:00', '23:59'];
    for (const change of changes) {
      const from = Date.parse(`${change}T12:00Z`) - 2 * dayMs;
      const slots = times.map((time) => ({ days: [1, 2, 3, 4, 5, 6, 7], time }));
      const found = occurrencesOf(slots, timeZone, from, 4);
      const first = show(from).slice(0, 10);
      const dates = [0, 1, 2, 3].map((n) => new Date(Date.parse(first) + n * dayMs).toISOString().slice(0, 10));
      const expected = dates.flatMap((date) => times.map((time) => [time, plainly(date, time, show)] as const));
      expect(found.map(({ slot, atMs }) => `${slot.time} ${new Date(atMs).toISOString()}`).sort()).toEqual(
        expected.map(([time, ms]) => `${time} ${new Date(ms).toISOString()}`).sort(),
      );
    }
  });

  test('a day of the week is that of the zone, not of UTC', () => {
    const [only] = occurrencesOf(
      [{ days: [1], time: '01:00' }],
      'Pacific/Auckland',
      Date.parse('2026-11-15T00:00Z'),
      7,
    );
    expect(new Date(only?.atMs ?? 0).toISOString()).toBe('2026-11-15T12:00:00.000Z');
  });
});

describe('the slots of a workspace', () => {
  let service: Service;
  let browser: ReturnType<Service['browser']>;
  beforeAll(async () => {
    service = await startService();
    // Starts at noon, so that "tomorrow" stays the same date throughout.
    await service.clock.forward(1.5 * dayMs - (service.clock.now().getTime() % dayMs));
    browser = service.browser();
    await browser.signIn();
  });
  afterAll(() => service.stop());

  /** A workspace of its own, so that no test sees the slots of another. */
  const team = async () => {
    const { workspaceId, userId, email } = await service.addWorkspace();
    const person = service.browser();
    await person.signIn(email);
    const next = async (query = '') =>
      (await person.get(`/api/app/free-slots/next?${query}`)).body.at as string | undefined;
    const schedule = async (at: string, accountIds: readonly string[]) => {
      const as = { workspaceId, userId };
      const { id } = await service.asHuman('posts.create', { accountIds, body: 'Planned' }, as);
      await service.asHuman('posts.schedule', { id, at }, as);
      return id as string;
    };
    const add = (slots: unknown[], timeZone = 'UTC') => person.post('/api/app/slots', { timeZone, slots });
    return { workspaceId, person, next, schedule, add, account: () => service.addAccount('bluesky', workspaceId) };
  };
  const everyDay = [1, 2, 3, 4, 5, 6, 7];
  /** In the middle of a minute of tomorrow, in UTC. */
  const tomorrow = (time: string, days = 1) =>
    `${new Date(service.clock.now().getTime() + days * dayMs).toISOString().slice(0, 10)}T${time}:00.000000Z`;

  test('the next free slot is the first one at which nothing is scheduled', async () => {
    const { next, schedule, add, account } = await team();
    expect(await next()).toBeUndefined();
    await add([{ days: everyDay, time: '09:30' }]);
    const one = await account();
    const after = `after=${tomorrow('00:00')}&accountIds=${one}`;
    expect(await next(after)).toBe(tomorrow('09:30'));
    await schedule(tomorrow('09:30'), [one]);
    expect(await next(after)).toBe(tomorrow('09:30', 2));
    await schedule(tomorrow('09:30', 2).replace(':00.000000', ':20'), [await account()]);
    expect(await next(after)).toBe(tomorrow('09:30', 3));
    expect(await next(`after=${tomorrow('09:30', 3)}`)).toBe(tomorrow('09:30', 4));
    expect(Date.parse((await next('after=2000-01-01T00:00:00Z')) ?? '')).toBeGreaterThan(service.clock.now().getTime());
    expect(await next('after=9999-12-31T00:00:00Z')).toBeUndefined();
  });

  test('a slot for some accounts takes posts to those alone, and only theirs take it', async () => {
    const { next, schedule, add, account } = await team();
    const [one, two, other] = [await account(), await account(), await account()];
    await add([{ days: everyDay, time: '10:00', accountIds: [one, two] }]);
    const after = `after=${tomorrow('00:00')}`;
    expect(await next(`${after}&accountIds=${other}`)).toBeUndefined();
    expect(await next(`${after}&accountIds=${one},${other}`)).toBeUndefined();
    expect(await next(`${after}&accountIds=${one},${two}`)).toBe(tomorrow('10:00'));
    await schedule(tomorrow('10:00'), [other]);
    expect(await next(`${after}&accountIds=${one}`)).toBe(tomorrow('10:00'));
    await schedule(tomorrow('10:00'), [two]);
    expect(await next(`${after}&accountIds=${one}`)).toBe(tomorrow('10:00'));
    expect(await next(`${after}&accountIds=${two}`)).toBe(tomorrow('10:00', 2));
    expect(await next(after)).toBe(tomorrow('10:00', 2));
  });

  test('a draft with a wish, and a post of another workspace, take nothing', async () => {
    const { next, add, workspaceId } = await team();
    await add([{ days: everyDay, time: '11:00' }]);
    await service.client.posts.create({ body: 'A wish', scheduledAt: tomorrow('11:00') });
    const [mine] = [await service.addAccount('bluesky')];
    const { id } = await service.asHuman('posts.create', { accountIds: [mine], body: 'Elsewhere' });
    await service.asHuman('posts.schedule', { id, at: tomorrow('11:00') });
    expect(await next(`after=${tomorrow('00:00')}`)).toBe(tomorrow('11:00'));
    expect(await service.posthorn.slots.nextFreeSlot(workspaceId, [], tomorrow('00:00'))).toBe(tomorrow('11:00'));
  });

  test('a calendar gets the free slots of its range, without those that have passed', async () => {
    const { person, schedule, add, account } = await team();
    await add([
      { days: everyDay, time: '08:00' },
      { days: everyDay, time: '12:00' },
    ]);
    await schedule(tomorrow('08:00', 2), [await account()]);
    const range = (from: string, to: string) => person.get(`/api/app/free-slots?from=${from}&to=${to}`);
    const { slots } = (await range(tomorrow('00:00'), tomorrow('12:00', 2))).body;
    expect(slots.map(({ at }: { at: string }) => at)).toEqual([tomorrow('08:00'), tomorrow('12:00')]);
    expect((await range(tomorrow('00:00', -9), tomorrow('00:00', -2))).body.slots).toEqual([]);
    expect((await range(tomorrow('00:00'), tomorrow('00:00', 64))).body).toMatchObject({ code: 'BadInput' });
    expect((await range(tomorrow('00:00'), tomorrow('00:00'))).body.message).toBe('to must be after from');
  });

  test('slots are changed and deleted; a new zone keeps the times on the wall', async () => {
    const { person, next, add } = await team();
    const [made] = (await add([{ days: [5, 1], time: '09:00' }], 'Europe/Paris')).body.slots;
    expect(made).toMatchObject({ days: [1, 5], time: '09:00', accountIds: [] });
    await person.patch(`/api/app/slots/${made.id}`, { days: everyDay, time: '06:15' });
    await person.patch('/api/app/slots', { timeZone: 'Asia/Kolkata' });
    expect((await person.get('/api/app/slots')).body).toEqual({
      timeZone: 'Asia/Kolkata',
      slots: [{ id: made.id, days: everyDay, time: '06:15', accountIds: [] }],
    });
    expect(await next(`after=${tomorrow('00:00')}`)).toBe(tomorrow('00:45'));
    expect((await person.delete(`/api/app/slots/${made.id}`)).body).toEqual({ done: true });
    expect((await person.delete(`/api/app/slots/${made.id}`)).body.code).toBe('NotFound');
    expect(await next()).toBeUndefined();
  });

  test('slots are bounded, and what cannot be one is refused with the field', async () => {
    const { person, add } = await team();
    const refusal = async (slot: unknown, timeZone = 'UTC') => (await add([slot], timeZone)).body.message;
    expect(await refusal({ days: [8], time: '09:00' })).toBe('slots.0.days.0 must be at most 7');
    expect(await refusal({ days: [1, 1], time: '09:00' })).toBe('slots.0.days must name each day once');
    expect(await refusal({ days: [], time: '09:00' })).toBe('slots.0.days must have at least one entry');
    expect(await refusal({ days: [1], time: '24:00' })).toBe('slots.0.time must be a time of the day, such as 09:30');
    expect(await refusal({ days: [1], time: '09:00' }, 'Mars/Base')).toMatch(/^timeZone must be an IANA name/);
    expect(await refusal({ days: [1], time: '09:00' }, '+02:00')).toMatch(/^timeZone must be an IANA name/);
    expect(await refusal({ days: [1], time: '09:00', accountIds: ['acct_none'] })).toMatch(
      /^slots.0.accountIds.0 names/,
    );
    const twenty = Array.from({ length: 20 }, () => ({ days: [1], time: '09:00' }));
    await add(twenty);
    await add(twenty);
    expect((await add(twenty)).body).toMatchObject({ code: 'Conflict', message: expect.stringContaining('50 slots') });
    expect((await person.get('/api/app/slots')).body.slots).toHaveLength(40);
    expect(bounds.slots).toBe(50);
  });

  test('a viewer sees the slots and changes none; another workspace does not see them', async () => {
    const { email } = await service.addMember('viewer');
    const viewer = service.browser();
    await viewer.signIn(email);
    const made = await browser.post('/api/app/slots', { slots: [{ days: [2], time: '07:00' }] });
    const [{ id }] = made.body.slots;
    expect((await viewer.get('/api/app/slots')).body.slots).toHaveLength(1);
    expect((await viewer.post('/api/app/slots', { slots: [{ days: [2], time: '07:00' }] })).status).toBe(403);
    const { person } = await team();
    expect((await person.get('/api/app/slots')).body).toEqual({ timeZone: '', slots: [] });
    expect((await person.patch(`/api/app/slots/${id}`, { time: '08:00' })).body.code).toBe('NotFound');
  });
});
