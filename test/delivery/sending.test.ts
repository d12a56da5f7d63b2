import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '#contracts/posts';
import { type Stopwatch, startStopwatch } from '#server/base/clock';
import { readConfig } from '#server/base/config/config';
import { sql } from '#server/base/store/database';
import { outside } from '#server/base/store/transactions';
import type { AccountRow } from '#server/connecting/accounts/account-row';
import type { ClaimedRow, SendingParts } from '#server/delivery/publishing/open-send';
import { createSendOne } from '#server/delivery/publishing/sending';
import {
  createSendingStore,
  type EndedSend,
  type Progress,
  type SendRow,
} from '#server/delivery/publishing/sending-store';
import { type Network, ready, type Site, unknown, waiting } from '#server/networks/network';
import { createNetworks } from '#server/networks/registry';
import type { Fault } from '#server/networks/sandbox';
import { NetworkTrouble } from '#server/networks/trouble';
import { networks } from '#test/support/networks';
import { startReceiver } from '#test/support/receiver';
import { startSandboxNetworks } from '#test/support/sandbox';
import { startServiceWithProxy } from '#test/support/sandbox-proxy';
import { isWaiting, type SendRecord, serviceWithSends } from '#test/support/sends';
import { type Service, startService } from '#test/support/service';
import { newTeam } from '#test/support/teams';
import { until } from '#test/support/until';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const services: Service[] = [];
afterEach(() => Promise.all(services.splice(0).map((service) => service.stop())));

/** A lease that is extended every 2.5 seconds, long enough to survive a machine that stalls for a few seconds. */
const briefly = { SEND_LEASE_SECONDS: '10' };
const usual = { SEND_LEASE_SECONDS: '600' };
const begin = async (...[settings, how]: Parameters<typeof startService>) => {
  const service = await startService({ ...usual, ...settings }, how);
  services.push(service);
  return serviceWithSends(service);
};

/** Requests to paths with `word` wait in the proxy. */
const beginHolding = async (word: string, settings: NodeJS.ProcessEnv = {}) => {
  const { service, proxy } = await startServiceWithProxy({ ...usual, ...settings });
  services.push(service);
  let isHolding = true;
  let open: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  proxy.gate = (path) => (isHolding && path.includes(word) ? held : undefined);
  service.startJobs();
  return {
    ...serviceWithSends(service),
    isHeld: () => until('something waits', () => proxy.requests.some((path) => path.includes(word))),
    holdNoMore: () => {
      isHolding = false;
    },
    letThrough: () => {
      isHolding = false;
      open();
    },
    hangUp: proxy.hangUp,
    asked: (path: string) => proxy.requests.filter((one) => one.endsWith(path)).length,
  };
};

/** A service for tests that do not need their own: its posts go out at once. */
let running: ReturnType<typeof serviceWithSends>;
beforeAll(async () => {
  running = serviceWithSends(await startService(usual));
  running.startJobs();
});
afterAll(() => running.stop());

const late = (): Stopwatch => () => Number.POSITIVE_INFINITY;
/** One value for each check whether a request may leave: whether the machine was asleep just before. */
const napping =
  (...naps: boolean[]) =>
  (): Stopwatch =>
  () =>
    naps.shift() ? Number.POSITIVE_INFINITY : 0;

/** One turn of one send to a network that behaves as told; what was saved or ended, and the same process's next turn. */
const turn = async (
  behaviour: Partial<Network>,
  row: Partial<SendRow> = {},
  {
    access,
    request,
    ...others
  }: { access?: object; request?: Site['request'] } & Partial<Omit<SendingParts, 'access'>> = {},
) => {
  const saved: Progress[] = [];
  const ended: EndedSend[] = [];
  const network: Network = {
    ...(networks.find(({ key }) => key === 'x')?.network as Network),
    prepare: async () => ready({}),
    ...behaviour,
  };
  const now = '2026-11-15T12:00:00.000Z';
  const clock = { now: () => new Date(now) };
  const opened = {
    is: 'open',
    network,
    account: { tokens: {}, facts: null },
    site: { request: request ?? (async () => ({ headers: { date: now } })) },
  };
  const parts = {
    access: { open: async () => opened, ...access },
    library: { forPublishing: async () => new Map() },
    fittedFiles: { forPublishing: async () => ({ fitted: new Map(), lost: [] }) },
    networks: createNetworks([network]),
    clock,
    startStopwatch: () => () => 0,
    graceMs: 24 * hourMs,
    sendWithinMs: minuteMs,
    waitForMarkSlot: async () => () => undefined,
    markBegun: async () => now,
    save: async (progress: Progress) => {
      saved.push(progress);
      return { key: 'next', since: now, isHeld: true };
    },
    note: () => undefined,
    end: async (one: EndedSend) => void ended.push(one),
    onSending: () => undefined,
    readPicture: async () => undefined,
    report: () => undefined,
    ...others,
  } as unknown as SendingParts;
  const sendOne = createSendOne(parts);
  const claimed = {
    postId: 'post_1',
    accountId: 'acc_1',
    workspaceId: 'ws_1',
    claim: 'claim',
    key: 'key',
    startedAt: now,
    since: now,
    sent: [],
    prepared: null,
    begunAt: null,
    begunBody: null,
    lostAt: null,
    result: null,
    repeat: null,
    again: false,
    tries: 0,
    versions: [{ content: [{ body: 'Hello', media: [] }], options: {} }],
    linkCards: null,
    fittedIds: null,
    scheduledAt: null,
    account: { network: 'x', disconnectedAt: null } as AccountRow,
    claimedAt: now,
    heldMs: () => 0,
    heldAtMostMs: () => 0,
    releaseSlot: () => undefined,
    ...row,
  } as ClaimedRow;
  await sendOne(claimed);
  return { saved, ended, again: (change: Partial<SendRow>) => sendOne({ ...claimed, ...change }) };
};
const gone = { network: 'x', disconnectedAt: '2026-11-15T11:00:00.000Z' } as AccountRow;
const twoHoursAgo = { begunAt: '2026-11-15T10:00:00.000Z', startedAt: '2026-11-15T10:00:00.000Z' };
const begun = { begunAt: '2026-11-15T11:59:00.000Z' };

describe('a network that works on something', () => {
  const bounds: [askedMs: number, waitedMs: number][] = [
    [1e15, 5 * minuteMs],
    [Number.POSITIVE_INFINITY, 5 * minuteMs],
    [20_000, 20_000],
    [0, 200],
    [-1e15, 200],
    [Number.NaN, 200],
  ];

  test.each(bounds)('and says %d ms is asked again after %d ms, wherever it says so', async (forMs, waitedMs) => {
    const waits = async () => waiting({}, forMs);
    const turns = [await turn({ prepare: waits }), await turn({ send: waits }), await turn({ confirm: waits }, begun)];
    expect(turns.flatMap(({ saved }) => saved.map(({ inMs }) => inMs))).toEqual([waitedMs, waitedMs, waitedMs]);
  });

  test('for more than an hour leaves it uncertain, unless what is out is known: then that is the result', async () => {
    const lost = await turn({ confirm: async () => waiting({}, 1000) }, twoHoursAgo);
    expect(lost.ended).toMatchObject([{ result: { ok: false, uncertain: true } }]);
    const out = { externalId: '42', note: 'The video is out without its thumbnail.' };
    const known = await turn({ confirm: async () => waiting({}, 1000, out) }, twoHoursAgo);
    expect(known.ended).toMatchObject([{ result: { ok: true, uncertain: false, ...out } }]);
  });

  test('and never told its time is not believed when it does not show a post: it stays uncertain, and is asked again', async () => {
    const lost = { begunAt: '2026-11-15T11:30:00.000Z', lostAt: '2026-11-15T11:30:00.000Z' };
    const { ended } = await turn({ confirm: async () => ({ is: 'absent' }) }, lost);
    expect(ended).toMatchObject([{ result: { ok: false, uncertain: true }, isMaybePublic: true, askInMs: minuteMs }]);
  });

  test('is asked from the first request on, also by a process that sent only the repeated one', async () => {
    const startTimes: Date[] = [];
    const first = '2026-11-15T11:58:00.000Z';
    const behaviour: Partial<Network> = {
      isRepeatable: () => true,
      confirm: async (site, { since }) => {
        startTimes.push(since);
        await site.request({ url: '/' });
        return { is: 'absent' };
      },
      send: async () => {
        throw new NetworkTrouble('temporary', 'X is not available.');
      },
    };
    const begunByAnother = { begunAt: first, lostAt: first, since: first, begunBody: 'Hello', repeat: 'may' } as const;
    const { saved, ended, again } = await turn(behaviour, { ...begunByAnother, prepared: { sentAt: first } });
    // A step of the clock between the two requests is noticed by these.
    expect(saved).toMatchObject([{ prepared: { begunAt: first, sentAt: first } }]);
    const repeated = { begunAt: '2026-11-15T12:00:00.000Z', lostAt: null, repeat: 'done' } as const;
    await again({ ...repeated, prepared: saved[0]?.prepared as SendRow['prepared'] });
    // Once more from earlier, in case all clocks were stepped alike.
    const looks = [new Date(first), new Date(Date.parse(first) - 15 * minuteMs)];
    expect(startTimes).toEqual([...looks, ...looks]);
    expect(ended).toEqual([]);
  });

  test('before anything is public for more than an hour has refused the media', async () => {
    const prepare = async () => waiting({}, secondMs);
    expect((await turn({ prepare }, { since: '2026-11-15T11:00:01.000Z' })).saved).toMatchObject([{ inMs: secondMs }]);
    const { ended } = await turn({ prepare }, { since: '2026-11-15T10:59:59.000Z' });
    expect(ended).toMatchObject([{ result: { ok: false, uncertain: false, error: { code: 'media_refused' } } }]);
  });

  test('and has decided against it after an answer was lost says why, whatever kind of trouble it is', async () => {
    const confirm = async () => {
      throw new NetworkTrouble('permission', 'The video is locked as private.', { isVerdict: true });
    };
    const { ended } = await turn({ confirm }, begun);
    expect(ended).toMatchObject([{ result: { uncertain: false, error: { code: 'permission' } } }]);
  });
});

describe('a request that makes something public', () => {
  test('stays marked when it cannot be marked that it is repeated: the first one may have arrived', async () => {
    const behaviour: Partial<Network> = {
      isRepeatable: () => true,
      confirm: async (site) => {
        await site.request({ url: '/' });
        return { is: 'absent' };
      },
    };
    const lost = { begunAt: '2026-11-15T11:58:00.000Z', lostAt: '2026-11-15T11:58:00.000Z' };
    const markBegun = async () => {
      throw new Error('The database is away.');
    };
    const { saved } = await turn(behaviour, { ...lost, begunBody: 'Hello', repeat: 'may' }, { markBegun });
    expect(saved).toMatchObject([{ isBegun: true, inMs: 5 * secondMs }]);
  });

  test('is written on as long as no pause is longer than a minute, however long it takes in all', async () => {
    let passedMs = 0;
    const may: boolean[] = [];
    const request: Site['request'] = async ({ guard }) => {
      may.push(guard?.mayBegin() ?? false);
      for (const pauseMs of [40 * secondMs, 40 * secondMs, minuteMs]) {
        passedMs += pauseMs;
        may.push(guard?.mayContinue?.() ?? false);
      }
      return {} as Awaited<ReturnType<Site['request']>>;
    };
    const send: Network['send'] = async (site) => {
      await site.request({ url: '/' });
      return { is: 'sent', sent: { externalId: '42' } };
    };
    const startStopwatch = () => {
      const fromMs = passedMs;
      return () => passedMs - fromMs;
    };
    await turn({ send }, {}, { request, startStopwatch });
    expect(may).toEqual([true, true, true, false]);
  });

  test('uses the key of the one before if it has the same content, so that a late arrival makes no second post', async () => {
    const keys: string[] = [];
    const behaviour: Partial<Network> = {
      // It holds nothing, not even for the moment that two clocks may be apart.
      holdMs: -minuteMs,
      confirm: async (site) => {
        await site.request({ url: '/' });
        return { is: 'absent' };
      },
      send: async (_, { key }) => {
        keys.push(key);
        return { is: 'sent', sent: { externalId: '42' } };
      },
    };
    const publishedAgain = { ...twoHoursAgo, lostAt: twoHoursAgo.begunAt, again: true };
    const renewKey = async () => ({ key: 'another', since: '2026-11-15T12:00:00.000Z' });
    await turn(behaviour, {}, { renewKey });
    await turn(behaviour, { ...publishedAgain, begunBody: 'Hello' }, { renewKey });
    await turn(behaviour, { ...publishedAgain, begunBody: 'Hello before' }, { renewKey });
    const [first, same, changed] = keys;
    expect(same).toBe(first);
    expect(changed).not.toBe(first);
    expect(keys).toHaveLength(3);
  });
});

describe('a thread that is out in part keeps the address of what is out', () => {
  const first = { externalId: '42', url: 'https://example.com/42' };
  const thread = {
    sent: [first],
    versions: [
      {
        content: [
          { body: 'One', media: [] },
          { body: 'Two', media: [] },
        ],
        options: {},
      },
    ],
  };

  test.each<[string, string, Partial<SendRow>, string]>([
    ['its account is disconnected', 'disconnected', { account: gone }, 'The account was disconnected.'],
    [
      'it is continued too late',
      'missed',
      { startedAt: '2026-11-14T11:59:00.000Z' },
      'The time of the others passed long ago',
    ],
  ])('when %s', async (_, code, row, words) => {
    const { ended } = await turn({}, { ...thread, ...row, begunAt: null });
    expect(ended).toMatchObject([{ sent: [first], result: { ok: false, ...first, error: { code } } }]);
    expect(ended[0]?.result.error?.message).toMatch(
      `1 of 2 parts are out; publishing again continues with the next. ${words}`,
    );
  });

  test('and one that may be out says what is certainly not, for whoever finds it there', async () => {
    const confirm = async () => unknown;
    const [unsure] = (await turn({ confirm }, { ...thread, sent: [], ...begun })).ended;
    expect(unsure?.result).toMatchObject({ uncertain: true, note: expect.stringContaining('(1 of 2 parts)') });
    const [last] = (await turn({ confirm }, { ...thread, ...begun })).ended;
    expect(last?.result).toMatchObject({ uncertain: true, ...first });
    expect(last?.result).not.toHaveProperty('note');
  });

  test('and its next part is retried as often as the first, also when a token cannot be renewed', async () => {
    const trouble = new NetworkTrouble('temporary', 'X is not available.');
    const access = { renewed: async () => ({ is: 'trouble', trouble }) };
    const send: Network['send'] = async (_, { index }) => {
      if (index > 0) throw new NetworkTrouble('token', 'The token has expired.');
      return { is: 'sent', sent: first };
    };
    const { saved } = await turn({ send }, { ...thread, sent: [], tries: 4 }, { access });
    expect(saved.at(-1)).toMatchObject({ sent: [first], isBegun: false, tries: 1, inMs: 5 * secondMs });
  });

  test('when access to its account is lost', async () => {
    const access = { open: async () => ({ is: 'refused' as const }) };
    const { ended } = await turn({}, thread, { access });
    expect(ended).toMatchObject([{ sent: [first], result: { ok: false, ...first, error: { code: 'reconnect' } } }]);
  });
});

describe('how long ago something was begun', () => {
  const watch = () => {
    const now = { monotonic: 5_000, wall: 1_000_000 };
    return {
      now,
      elapsed: startStopwatch(
        () => now.monotonic,
        () => now.wall,
      ),
    };
  };

  test('is what the clock on the wall says, when the machine slept and the other one stood still', () => {
    const { now, elapsed } = watch();
    now.wall += 600_000;
    expect(elapsed()).toBe(600_000);
  });

  test('is what the monotonic clock says, when the one on the wall was slow', () => {
    const { now, elapsed } = watch();
    now.wall += 10;
    now.monotonic += 40_000;
    expect(elapsed()).toBe(40_000);
  });

  test('is for ever, when the clock on the wall was set back', () => {
    const { now, elapsed } = watch();
    now.monotonic += 10;
    now.wall -= 1;
    expect(elapsed()).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a lease that is lost before the send: nothing is sent', () => {
  test('when another instance has taken it meanwhile', async () => {
    const own = await beginHolding('/media/upload');
    const id = await own.publishNow(await own.connect('x'), 'Taken', [await own.addFile()]);
    await own.isHeld();
    await own.change(id, `claim = gen_random_uuid(), due_at = posthorn_now() + interval '1 hour'`);
    own.letThrough();
    await own.isIdle();
    expect(await own.shown('x', 'Taken')).toBe(0);
    expect(await own.rowOf(id)).toMatchObject({ begunAt: null });
  });

  test('when it has ended, and it is public once for whoever took it then', async () => {
    const own = await beginHolding('/media/upload');
    const id = await own.publishNow(await own.connect('x'), 'Ended', [await own.addFile()]);
    await own.isHeld();
    own.holdNoMore();
    // Another instance took it, and was killed. An instance never takes what it is sending itself.
    await own.change(id, 'claim = gen_random_uuid(), due_at = posthorn_now()');
    await own.clock.forward(secondMs);
    expect((await own.ended(id)).status).toBe('Published');
    own.letThrough();
    await own.isIdle();
    expect(await own.shown('x', 'Ended')).toBe(1);
    // X would refuse the same text twice.
    expect(own.asked('/2/tweets')).toBe(1);
  });

  test('when the machine slept for half of the lease after it was begun, and no less; then it begins anew', async () => {
    let looks = 0;
    const halfLeaseMs = 5 * minuteMs;
    const startStopwatch = () => () => (looks++ === 0 ? halfLeaseMs : halfLeaseMs - 1);
    const own = await begin({}, { startStopwatch });
    const id = await own.publishNow(await own.connect('x'), 'Asleep');
    own.startJobs();
    await until('it was given back', async () => (await own.rowOf(id)).tries === 1);
    expect(await own.shown('x', 'Asleep')).toBe(0);
    expect(await own.rowOf(id)).toMatchObject({ begunAt: null });
    expect((await own.endedInTime(id)).status).toBe('Published');
    expect(await own.shown('x', 'Asleep')).toBe(1);
  });

  test('for a later part of a thread, too', async () => {
    const own = await begin(
      {},
      {
        // The first post is also looked for.
        startStopwatch: napping(false, false, true),
      },
    );
    const account = await own.connect('mastodon');
    const { id } = await own.client.posts.create({ accountIds: [account], body: '' });
    const versions = [{ content: [{ body: 'First part' }, { body: 'Second part' }] }];
    await own.client.posts.update({ id, accountIds: [account], versions });
    await own.asHuman('posts.publishNow', { id });
    own.startJobs();
    await until('it was given back', async () => (await own.rowOf(id)).tries === 1);
    expect(await own.shown('mastodon', 'First part')).toBe(1);
    expect(await own.shown('mastodon', 'Second part')).toBe(0);
  });
});

describe('a claim that is lost while something is being sent', () => {
  /** Another instance takes the claim for an hour. */
  const taken = async (own: Awaited<ReturnType<typeof begin>>, id: string) => {
    await until('it was begun', async () => (await own.rowOf(id)).begunAt !== null);
    await own.change(id, `claim = gen_random_uuid(), due_at = posthorn_now() + interval '1 hour'`);
    return own.rowOf(id);
  };
  const isLeftAlone = async (own: Awaited<ReturnType<typeof begin>>, id: string, theirs: SendRecord) => {
    await own.isIdle();
    const { dueInMs: dueMs, ...row } = await own.rowOf(id);
    expect({ ...row, dueInMs: theirs.dueInMs }).toEqual(theirs);
    expect(dueMs).toBeGreaterThan(50 * minuteMs);
    expect(await own.post(id)).toMatchObject({ status: 'Publishing', results: [] });
    expect((await own.events()).filter(({ data }) => (data.post as Post).id === id)).toEqual([]);
  };

  test('is recorded all the same when the network answers that it is public, and its lease is not moved before', async () => {
    const own = await beginHolding('/2/tweets', briefly);
    const id = await own.publishNow(await own.connect('x'), 'Answered');
    const kept = await own.publishNow(await own.connect('x'), 'Kept');
    await taken(own, id);
    let dueMs = Number.POSITIVE_INFINITY;
    await until('the lease of the other one is moved', async () => {
      const beforeMs = dueMs;
      dueMs = (await own.rowOf(kept)).dueInMs ?? 0;
      return dueMs > beforeMs;
    });
    expect((await own.rowOf(id)).dueInMs).toBeGreaterThan(50 * minuteMs);
    own.letThrough();
    expect((await own.ended(id)).results).toMatchObject([{ ok: true, uncertain: false }]);
    expect(await own.shown('x', 'Answered')).toBe(1);
    expect(await own.rowOf(id)).toMatchObject({ dueInMs: null, begunAt: null });
  });

  test('is not written to by whoever lost it when the answer is lost', async () => {
    const own = await beginHolding('/2/tweets');
    const id = await own.publishNow(await own.connect('x'), 'Unanswered');
    const theirs = await taken(own, id);
    await own.isHeld();
    own.hangUp();
    await isLeftAlone(own, id, theirs);
  });

  test('is counted by whoever ends it, and not by whoever lost it', async () => {
    const token = 'a-token-for-operators';
    const own = await beginHolding('/2/tweets', { ADMIN_TOKEN: token });
    const id = await own.publishNow(await own.connect('x'), 'Counted [sandbox:content-refused]');
    const theirs = await taken(own, id);
    own.letThrough();
    await isLeftAlone(own, id, theirs);
    const { body } = await own.request('GET', '/metrics', { headers: { authorization: `Bearer ${token}` } });
    expect(body).toContain('posthorn_sends_in_flight{network="x"} 0');
    expect(body).not.toContain('posthorn_sends_total{network="x"');
  });

  test('is not written to by whoever learns late that a part is out, when the next part is on its way already', async () => {
    const own = await beginHolding('/2/tweets');
    const accountIds = [await own.connect('x')];
    const { id } = await own.client.posts.create({ accountIds });
    const versions = [{ content: [{ body: 'One' }, { body: 'Two' }] }];
    await own.client.posts.update({ id, accountIds, versions });
    await own.asHuman('posts.publishNow', { id });
    await own.isHeld();
    await own.change(id, `key = gen_random_uuid(), sent = '[{"externalId": "1"}]'`);
    const theirs = await taken(own, id);
    own.letThrough();
    await isLeftAlone(own, id, theirs);
  });
});

test('a network gets as many sends at once as SENDS_PER_NETWORK says, and other networks do not wait for it', async () => {
  const own = await beginHolding('/2/tweets', { SENDS_PER_NETWORK: '2' });
  const accountId = await own.connect('x');
  const ids: string[] = [];
  for (const body of ['One', 'Two', 'Three', 'Four']) ids.push(await own.publishNow(accountId, body));
  await until('two are on their way', () => own.asked('/2/tweets') === 2);
  await own.ended(await own.publishNow(await own.connect('mastodon'), 'Elsewhere'));
  expect(own.asked('/2/tweets')).toBe(2);
  own.letThrough();
  for (const id of ids) expect((await own.ended(id)).status).toBe('Published');
});

describe('what is recorded of a send', () => {
  test('is recorded once: a later and less certain conclusion changes nothing', async () => {
    const own = await begin();
    const id = await own.publishNow(await own.connect('x'), 'Certain');
    own.startJobs();
    expect((await own.ended(id)).status).toBe('Published');
    const [row] = await own.database.query(
      sql(
        'test.sendKey',
        `select workspace_id as "workspaceId", post_id as "postId", account_id as "accountId", key from sends where post_id = $1`,
      ).holds<Pick<EndedSend, 'workspaceId' | 'postId' | 'accountId' | 'key'>>(),
      [id],
    );
    if (row === undefined) throw new Error('There is no send.');
    const result = { accountId: row.accountId, provider: 'X', ok: true, uncertain: false };
    const again = {
      ...row,
      claim: crypto.randomUUID(),
      result,
      sent: [],
      isMaybePublic: false,
      isRead: true,
      askInMs: null,
    };
    expect(await createSendingStore(own.database).end([again])).toEqual([]);
  });

  test('is recorded while the network gets the next post', async () => {
    const own = await begin({ SENDS_PER_NETWORK: '1' });
    const accountId = await own.connect('x');
    const ids = [await own.publishNow(accountId, 'First'), await own.publishNow(accountId, 'Second')];
    await own.database.transaction(async () => {
      await own.database.run(sql('test.noRecords', 'lock table publications in exclusive mode'));
      outside(own.startJobs);
      const both = async () => (await own.shown('x', 'First')) + (await own.shown('x', 'Second'));
      await until('both are out', async () => (await outside(both)) === 2);
    });
    for (const id of ids) expect((await own.ended(id)).status).toBe('Published');
  });

  test('never waits for the leases of others to be extended, nor they for it', async () => {
    const own = await beginHolding('/2/tweets', briefly);
    const ended = await own.publishNow(await own.connect('x'), 'Being recorded');
    const kept = await own.publishNow(await own.connect('x'), 'Extended');
    const isBegun = async (id: string) => (await own.rowOf(id)).begunAt !== null;
    await until('both are being sent', async () => (await isBegun(ended)) && (await isBegun(kept)));
    await own.database.transaction(async () => {
      await own.database.query(sql('test.hold', 'select from sends where post_id = $1 for update', 'locks'), [ended]);
      const leaseEnd = sql('test.leaseEnd', 'select due_at::text as at from sends where post_id = $1').holds<{
        at: string;
      }>();
      const endsAt = () => outside(async () => (await own.database.query(leaseEnd, [kept]))[0]?.at);
      const before = await endsAt();
      await until('the lease of the other one is extended', async () => (await endsAt()) !== before);
    });
    own.letThrough();
    await Promise.all([own.ended(ended), own.ended(kept)]);
  });

  test('is recorded when the database takes it again, and what it refuses of one does no harm to others', async () => {
    const own = await begin();
    await own.database.query(
      sql(
        'test.refuse',
        `do $$ begin
           create sequence refused;
           create function refuse() returns trigger language plpgsql as $f$ begin
             if new.begun_body = 'Refused' then raise exception 'never'; end if;
             if nextval('refused') <= 2 then raise exception 'two wait for each other' using errcode = '40P01'; end if;
             return new;
           end $f$;
           create trigger refuse before update on sends for each row
             when (new.result is not null and old.result is null) execute function refuse();
         end $$`,
      ),
    );
    const accountId = await own.connect('x');
    const refused = await own.publishNow(accountId, 'Refused');
    const ids = await Promise.all(['One', 'Two'].map((body) => own.publishNow(accountId, body)));
    own.startJobs();
    for (const id of ids) expect((await own.ended(id)).status).toBe('Published');
    expect(await own.post(refused)).toMatchObject({ status: 'Publishing' });
    for (const body of ['One', 'Two', 'Refused']) expect(await own.shown('x', body)).toBe(1);
  });
});

describe('a send that was begun', () => {
  test('is in the database with its text before the network hears of it, and no longer when it has answered', async () => {
    const own = await beginHolding('/2/tweets');
    const id = await own.publishNow(await own.connect('x'), 'Begun');
    await own.isHeld();
    expect(await own.rowOf(id)).toMatchObject({ begunAt: expect.any(String), begunBody: 'Begun' });
    own.letThrough();
    expect((await own.ended(id)).status).toBe('Published');
    expect(await own.rowOf(id)).toMatchObject({ begunAt: null });
  });

  test('by an instance that did not come back is not believed to be absent until a request would have settled', async () => {
    const own = await begin();
    const id = await own.publishNow(await own.connect('x'), 'Settling');
    await own.change(
      id,
      `begun_at = posthorn_now() - interval '20 seconds', begun_body = 'Settling', since = posthorn_now(),
       prepared = '{"mediaIds":[],"processing":[]}'`,
    );
    own.startJobs();
    await until('the network was asked', async () => {
      const { dueInMs: dueMs } = await own.rowOf(id);
      return dueMs === null || (dueMs > 0 && dueMs < 9 * minuteMs);
    });
    expect((await own.post(id)).status).toBe('Publishing');
    const { dueInMs: dueMs } = await own.rowOf(id);
    expect(dueMs).toBeGreaterThan(20 * secondMs);
    expect(dueMs).toBeLessThanOrEqual(40 * secondMs);
    const post = await own.endedInTime(id);
    expect(post.results[0]).toMatchObject({ ok: false, uncertain: true, error: { code: 'uncertain' } });
    expect(post.results[0]?.error?.message).toContain('may still appear within 9 minutes');
    // Publishing again finds what came out in the meantime.
    expect((await own.rowOf(id)).begunAt).not.toBeNull();
  });

  test('and whose token runs out while the network is asked: it is asked again with a new one, and sent nothing again', async () => {
    const { service, proxy } = await startServiceWithProxy(usual);
    services.push(service);
    const own = serviceWithSends(service);
    let refused = 0;
    proxy.answer = (path, res) => {
      if (!/\/users\/\d+\/tweets/.test(path) || refused > 0) return false;
      refused++;
      res.writeHead(401, { 'content-type': 'application/json' }).end('{"title":"Unauthorized","status":401}');
      return true;
    };
    own.startJobs();
    const id = await own.publishNow(await own.connect('x'), 'Out once [sandbox:cut]');
    expect((await own.endedInTime(id)).status).toBe('Published');
    expect(refused).toBe(1);
    expect(proxy.requests.filter((path) => path.endsWith('/2/tweets'))).toHaveLength(1);
    expect(await own.shown('x', 'Out once')).toBe(1);
  });

  test('by an instance that woke up after all is found when it is published again', async () => {
    const own = await begin();
    const account = await own.connect('x');
    const id = await own.publishNow(account, 'Woken');
    await own.change(
      id,
      `begun_at = posthorn_now() - interval '2 minutes', begun_body = 'Woken', since = posthorn_now(),
       prepared = '{"mediaIds":[],"processing":[]}'`,
    );
    own.startJobs();
    expect((await own.ended(id)).results[0]).toMatchObject({ ok: false, uncertain: true });
    // The same text from the same account, as the sleeper would send it.
    expect((await own.ended(await own.publishNow(account, 'Woken'))).status).toBe('Published');
    await own.asHuman('posts.publishNow', { id });
    expect((await own.endedInTime(id)).status).toBe('Published');
    expect(await own.shown('x', 'Woken')).toBe(1);
  });
});

test('an account whose renewed tokens are refused while a lost answer is asked about needs reconnecting', async () => {
  const { service, proxy } = await startServiceWithProxy(usual);
  services.push(service);
  const own = serviceWithSends(service);
  own.startJobs();
  const account = await own.connect('x');
  proxy.answer = (path, res) => {
    if (!path.includes('start_time=')) return false;
    res.writeHead(401, { 'content-type': 'application/json' }).end('{"title":"Unauthorized","status":401}');
    return true;
  };
  const id = await own.publishNow(account, 'Lost [sandbox:cut]');
  expect((await own.endedInTime(id)).results).toMatchObject([{ ok: false, uncertain: true }]);
  const { accounts } = await own.client.accounts.list();
  expect(accounts.find((one) => one.id === account)?.status).toBe('NeedsReconnect');
});

describe('trouble that passes', () => {
  test('also when it is met while access is opened: after the fourth retry it has failed', async () => {
    const trouble = new NetworkTrouble('temporary', 'X is not available.');
    const access = { open: async () => ({ is: 'trouble', trouble }) };
    expect((await turn({}, { tries: 3 }, { access })).saved).toMatchObject([{ tries: 4, inMs: 10 * minuteMs }]);
    const { saved, ended } = await turn({}, { tries: 4 }, { access });
    expect(saved).toEqual([]);
    expect(ended).toMatchObject([{ result: { ok: false, uncertain: false, error: { code: 'unavailable' } } }]);
  });

  test('is waited for 5 s, 30 s, 2 min and 10 min, then it has failed', async () => {
    const own = await begin();
    await own.posthorn.sandboxes.planFault('x', 'upload', { fault: '503', times: null });
    const id = await own.publishNow(await own.connect('x'), 'Patience', [await own.addFile()]);
    const sendDue = () => own.posthorn.jobs.runDue(['sends']);
    const times = async () => {
      const epoch = (instant: string) => `(extract(epoch from ${instant}) * 1000)::float8`;
      const query = `select ${epoch('posthorn_now()')} as now, ${epoch('due_at')} as due, tries from sends where post_id = $1`;
      const [row] = await own.database.query(
        sql('test.times', query).holds<{ now: number; due: number; tries: number }>(),
        [id],
      );
      return row ?? { now: 0, due: 0, tries: 0 };
    };
    let tries = 0;
    for (const waitMs of [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs]) {
      const before = await times();
      await sendDue();
      const after = await times();
      expect(after.tries).toBe(++tries);
      expect(after.due).toBeGreaterThanOrEqual(before.now + waitMs);
      expect(after.due).toBeLessThanOrEqual(after.now + waitMs);
      await own.clock.forward(waitMs);
    }
    await sendDue();
    const { status, results } = await own.post(id);
    expect(status).toBe('Failed');
    expect(results[0]).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(results[0]?.error).toMatchObject({
      message: 'X is not available. Publish again later.',
      networkCode: '503',
    });
  });

  test('is not waited for beyond LATE_GRACE: what was stuck longer is missed, and nothing is sent', async () => {
    const own = await begin();
    const account = await own.connect('bluesky');
    const stuckFor = async (ms: number, body: string) => {
      const id = await own.publishNow(account, body);
      await own.clock.forward(ms);
      own.startJobs();
      const post = await own.endedInTime(id);
      await own.posthorn.jobs.stop(5_000);
      return post;
    };
    expect(await stuckFor(23 * hourMs, 'Stuck')).toMatchObject({ status: 'Published' });
    const missed = { status: 'Failed', results: [{ error: { code: 'missed' } }] };
    expect(await stuckFor(25 * hourMs, 'Missed')).toMatchObject(missed);
    expect((await own.feed('bluesky')).map(({ text }) => text)).toEqual(['Stuck']);
  });
});

test('a LATE_GRACE that is shorter than retries or processing does not end a send that is in progress', async () => {
  const own = await begin({ LATE_GRACE: '1m' });
  await own.posthorn.sandboxes.planFault('x', 'upload', { fault: '503', times: 3 });
  own.startJobs();
  const id = await own.publishNow(await own.connect('x'), 'Third time lucky', [await own.addFile()]);
  expect(await own.endedInTime(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
});

test('a LATE_GRACE of nothing is refused: every post would be missed', () => {
  expect(() => readConfig({ LATE_GRACE: '0s' })).toThrow('LATE_GRACE must be at least 1s');
});

describe('a network that names the time at which it goes on', () => {
  const personOf = async (own: Service) => {
    const person = own.browser();
    await person.signIn();
    return person;
  };
  const progressOf = async (own: Service, id: string) =>
    (await (await personOf(own)).get(`/api/app/posts/${id}/progress`)).body;
  const giveUp = async (own: Service, id: string, ...accountIds: string[]) =>
    (await (await personOf(own)).post(`/api/app/posts/${id}/give-up`, { accountIds })).status;

  const outOfQuota = async () => {
    const own = await begin();
    const account = await own.connect('linkedin');
    const noonMs = (Math.ceil(own.clock.now().getTime() / (24 * hourMs)) + 0.5) * 24 * hourMs;
    await own.clock.forward(noonMs - own.clock.now().getTime());
    // Its quota of the day, which begins anew at midnight UTC.
    await own.posthorn.sandboxes.planFault('linkedin', 'publish', { fault: '429-bare', times: 1 });
    const id = await own.publishNow(account, 'Patience');
    await own.posthorn.jobs.runDue(['sends']);
    return { own, account, id };
  };

  test('is waited for until then, and the progress says so', async () => {
    const { own, account, id } = await outOfQuota();
    const { waits } = await progressOf(own, id);
    const midnight = Math.ceil(own.clock.now().getTime() / (24 * hourMs)) * 24 * hourMs;
    expect(waits).toMatchObject([
      { accountId: account, provider: 'LinkedIn', message: expect.stringMatching(/quota/) },
    ]);
    expect(Math.abs(Date.parse(waits[0]?.until ?? '') - midnight)).toBeLessThan(minuteMs);
    expect((await own.post(id)).status).toBe('Publishing');
    own.startJobs();
    expect(await own.endedInTime(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
    expect(await own.shown('linkedin', 'Patience')).toBe(1);
    expect((await progressOf(own, id)).waits).toEqual([]);
  });

  test('is not waited for beyond LATE_GRACE', async () => {
    const until = new Date('2026-11-16T12:00:01.000Z');
    const send = async () => {
      throw new NetworkTrouble('rateLimited', 'X asks to wait.', { until });
    };
    const { saved, ended } = await turn({ send });
    expect(saved).toEqual([]);
    expect(ended).toMatchObject([{ result: { ok: false, error: { code: 'rate_limited' } } }]);
  });

  test('counts LATE_GRACE from when the post was published, not from the last wait', async () => {
    const until = new Date('2026-11-15T14:00:00.000Z');
    const send = async () => {
      throw new NetworkTrouble('rateLimited', 'X asks to wait.', { until });
    };
    const early = await turn({ send }, { startedAt: '2026-11-14T14:00:01.000Z' });
    expect(early.saved).toMatchObject([{ prepared: { waitsFor: expect.anything() }, inMs: 2 * hourMs }]);
    const late = await turn({ send }, { startedAt: '2026-11-14T13:59:59.000Z' });
    expect(late.saved).toEqual([]);
    expect(late.ended).toMatchObject([{ result: { error: { code: 'rate_limited' } } }]);
  });

  test('can be given up by hand, and nothing goes out then', async () => {
    const { own, account, id } = await outOfQuota();
    // All of them or none.
    expect(await giveUp(own, id, account, await own.connect('linkedin'))).toBe(409);
    expect((await progressOf(own, id)).waits).toHaveLength(1);
    expect(await giveUp(own, id, account)).toBe(200);
    await own.posthorn.jobs.runDue(['sends']);
    expect(await own.post(id)).toMatchObject({
      status: 'Failed',
      results: [
        { ok: false, uncertain: false, error: { code: 'rate_limited', message: expect.stringMatching(/given up/) } },
      ],
    });
    expect(await own.shown('linkedin', 'Patience')).toBe(0);
    expect(await giveUp(own, id, account)).toBe(409);
  });

  test('gets nothing while the workspace waits to be deleted, and gets it when an owner takes that back', async () => {
    const { own, id } = await outOfQuota();
    const owner = await personOf(own);
    const { name } = (await owner.get('/api/auth/session')).body.workspace;
    expect((await owner.post('/api/app/workspace/deletion', { name })).status).toBe(200);
    await own.clock.forward(13 * hourMs);
    await own.posthorn.jobs.runDue(['sends']);
    expect(await own.post(id)).toMatchObject({ status: 'Publishing', results: [] });
    // A send that must not go out keeps no loop busy.
    expect(await own.posthorn.jobs.msToNext(['sends'])).toBeUndefined();
    expect((await owner.delete('/api/app/workspace/deletion')).status).toBe(200);
    await own.posthorn.jobs.runDue(['sends']);
    expect(await own.post(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
  });

  test('is tried as anew after that: what the network then works on may take its time', async () => {
    const { saved } = await turn(
      { prepare: async () => waiting({}, secondMs) },
      { startedAt: '2026-11-15T08:00:00.000Z', since: '2026-11-15T12:00:00.000Z', prepared: { waitsFor: 'X' } },
    );
    expect(saved).toMatchObject([{ prepared: {}, isBegun: false, inMs: secondMs }]);
  });
});

test('a comment whose post was deleted meanwhile fails after the usual retries', async () => {
  const { service, proxy } = await startServiceWithProxy(usual);
  services.push(service);
  const own = serviceWithSends(service);
  proxy.answer = (path, res) => {
    if (!path.includes('/socialActions/')) return false;
    res.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    return true;
  };
  const accountIds = [await own.connect('linkedin_page')];
  const options = { 'linkedin_page.first_comment': 'First' };
  const { id } = await own.client.posts.create({ accountIds, versions: [{ content: [{ body: 'Gone' }], options }] });
  await own.asHuman('posts.publishNow', { id });
  own.startJobs();
  expect((await own.endedInTime(id)).results[0]?.error).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('LinkedIn does not find the post to comment on.'),
  });
});

test('a refusal that uses up the key is followed by a try with another, and the post is public once', async () => {
  const own = await begin();
  const account = await own.connect('pixelfed');
  const file = await own.addFile();
  const id = await own.publishNow(account, 'Bread [sandbox:429]', [file]);
  own.startJobs();
  expect(await own.endedInTime(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
  expect(await own.shown('pixelfed', 'Bread')).toBe(1);
});

describe('a network that answers 503 to a send', () => {
  let texts = 0;
  const published = async (network: string, fault: string) => {
    const text = `Again ${++texts}`;
    const id = await running.publishNow(await running.connect(network), `${text} [sandbox:${fault}]`);
    return { text, post: await running.settledInTime(id), shown: await running.shown(network, text) };
  };

  test.each(['mastodon', 'bluesky', 'threads'])('is sent it once more with the same key: %s', async (network) => {
    const { post, shown } = await published(network, '503');
    expect(post).toMatchObject({ status: 'Published', results: [{ ok: true, uncertain: false }] });
    expect(shown).toBe(1);
  });

  test.each(['x', 'mastodon', 'bluesky', 'threads'])(
    'and takes it 20 seconds later all the same has it once: %s',
    async (network) => {
      const { post, shown } = await published(network, '503-late');
      expect(post).toMatchObject({ status: 'Published', results: [{ ok: true }] });
      expect(shown).toBe(1);
    },
  );

  test('and again to the second is left alone, and the message says so', async () => {
    const { post, shown } = await published('mastodon', '503!');
    expect(post.results[0]?.error).toEqual({
      code: 'not_sent',
      message:
        'It was tried twice with the same key. Mastodon does not have the post, 10 minutes after the last try. Publish again later.',
    });
    expect(shown).toBe(0);
  });

  test('and again to the second does not get it a third time while it may hold the first, also when it is published again', async () => {
    const own = await beginHolding('nothing');
    const id = await own.publishNow(await own.connect('mastodon'), 'Twice [sandbox:503!]');
    expect((await own.endedInTime(id)).results).toMatchObject([{ ok: false, uncertain: true }]);
    expect(own.asked('/api/v1/statuses')).toBe(2);
    await own.asHuman('posts.publishNow', { id });
    await until('it waits', async () => isWaiting(await own.rowOf(id)));
    expect(own.asked('/api/v1/statuses')).toBe(2);
  });

  test('and again to the second, which another process sent than the first, is asked until it has let go of both', async () => {
    const own = await begin();
    own.startJobs();
    const id = await own.publishNow(await own.connect('mastodon'), 'By three [sandbox:503!]');
    const lostAgain = async (before?: string | null) => {
      const isLost = ({ begunAt, claim }: SendRecord) => ![null, before].includes(begunAt) && claim === null;
      await until('the answer is lost', async () => isLost(await own.rowOf(id)));
      // Only the process that sent it knows the key.
      await own.change(id, 'key = gen_random_uuid()');
      return (await own.rowOf(id)).begunAt;
    };
    const first = await lostAgain();
    await own.clock.forward(minuteMs);
    await lostAgain(first);
    expect((await own.settledInTime(id)).results[0]?.error).toMatchObject({
      code: 'not_sent',
      message: expect.stringContaining('tried twice with the same key'),
    });
  });

  test('and has no keys gets it once a person asks for it, and the message says why', async () => {
    const { text, post, shown } = await published('x', '503');
    expect(post.results[0]?.error).toEqual({
      code: 'not_sent',
      message:
        'X does not have the post, 10 minutes after the last try. It is not sent again by itself, because X has no key that keeps a post from appearing twice. Publish again.',
    });
    expect(shown).toBe(0);
    await running.asHuman('posts.publishNow', { id: post.id });
    expect((await running.endedInTime(post.id)).status).toBe('Published');
    expect(await running.shown('x', text)).toBe(1);
  });

  test('but is only asked again after 45 minutes does not get it by itself', async () => {
    const own = await begin();
    own.startJobs();
    const id = await own.publishNow(await own.connect('mastodon'), 'Too old [sandbox:503]');
    await until('it waits to be repeated', async () => {
      const { begunAt, claim } = await own.rowOf(id);
      return begunAt !== null && claim === null;
    });
    const at = `posthorn_now() - interval '46 minutes'`;
    await own.change(id, `begun_at = ${at}, heard_at = ${at}, since = ${at}`);
    expect((await own.settledInTime(id)).results[0]).toMatchObject({ error: { code: 'not_sent' } });
    expect(await own.shown('mastodon', 'Too old')).toBe(0);
  });

  test.each([
    ['when it decides about the second try', napping(false, true), '10 minutes after the last try'],
    ['before the second try', napping(false, false, true), 'tried twice with the same key'],
  ])('is sent nothing by an instance that slept %s', async (_, startStopwatch, why) => {
    const own = await begin({}, { startStopwatch });
    own.startJobs();
    const id = await own.publishNow(await own.connect('mastodon'), 'Nap [sandbox:503]');
    const post = await own.settledInTime(id);
    expect(post.results[0]).toMatchObject({
      ok: false,
      error: { code: 'not_sent', message: expect.stringContaining(why) },
    });
    expect(await own.shown('mastodon', 'Nap')).toBe(0);
  });
});

describe('publishedAt', () => {
  test('and the first read are by the clock of the database, however wrong that of the instance is', async () => {
    const own = await begin();
    const account = await own.connect('x');
    own.clock.setOffset(-hourMs);
    const [before] = await own.database.query(sql('test.now', 'select posthorn_now() as now').holds<{ now: string }>());
    const id = await own.publishNow(account, 'By the database');
    own.startJobs();
    const { results } = await own.ended(id);
    const at = results[0]?.publishedAt ?? '';
    expect(at >= (before?.now ?? '')).toBe(true);
    const { accounts } = await own.client.posts.metrics({ id });
    expect(accounts[0]?.publishedAt).toBe(at);
    expect(Date.parse(accounts[0]?.nextFetchAt ?? '')).toBe(Date.parse(at) + hourMs);
  });

  test.each(['x', 'mastodon', 'bluesky', 'linkedin_page', 'threads'])(
    'of a post whose answer was lost is when it went out, not when that was confirmed: %s',
    async (network) => {
      const id = await running.publishNow(await running.connect(network), 'Lost [sandbox:cut]');
      await until('the network has it', async () => (await running.shown(network, 'Lost')) === 1);
      const madeMs = running.clock.now().getTime();
      const post = await running.endedInTime(id);
      expect(post.status).toBe('Published');
      expect(running.clock.now().getTime()).toBeGreaterThan(madeMs + 50 * secondMs);
      expect(post.results[0]?.publishedAt).toMatch(/\.\d{6}Z$/);
      expect(Date.parse(post.results[0]?.publishedAt ?? '')).toBeLessThan(madeMs + 10 * secondMs);
    },
  );
});

test.each(['cut', '503-late'])(
  'a post whose files took long to upload is found again when its answer was lost (%s)',
  async (fault) => {
    const own = await beginHolding('uploadBlob');
    const file = await own.addFile();
    const id = await own.publishNow(await own.connect('bluesky'), `Slow [sandbox:${fault}]`, [file]);
    await own.isHeld();
    await own.clock.forward(3 * secondMs);
    own.letThrough();
    const post = await own.endedInTime(id);
    expect(post).toMatchObject({ status: 'Published', results: [{ ok: true, uncertain: false }] });
    expect(await own.shown('bluesky', 'Slow')).toBe(1);
  },
);

describe('what results say', () => {
  test.each<[string, Fault, string]>([
    ['mastodon', 'content-refused', 'Mastodon refused the post: '],
    [
      'mastodon',
      'refused-token',
      'Mastodon no longer accepts our access. Reconnect the account on the Social accounts',
    ],
    ['mastodon', 'missing-permission', 'Mastodon does not allow this'],
    ['pixelfed', 'content-refused', 'Pixelfed refused the post: '],
    ['bluesky', 'refused-token', 'Bluesky '],
  ])('names %s, no host, and what to do once (%s)', async (network, fault, words) => {
    const media = network === 'pixelfed' ? [await running.addFile()] : [];
    const id = await running.publishNow(await running.connect(network), `Words [sandbox:${fault}]`, media);
    const message = (await running.endedInTime(id)).results[0]?.error?.message ?? '';
    expect(message).toContain(words);
    expect(message).not.toMatch(/127\.0\.0\.1|localhost/);
    expect(message.match(/\b(re)?connect the account/gi)?.length ?? 0).toBeLessThanOrEqual(1);
  });

  test('what went out at a network whose clock is behind ours is found by its own time', async () => {
    const networks = await startSandboxNetworks();
    const own = await begin({ SANDBOX_URL: networks.url });
    own.startJobs();
    const account = await own.connect('x');
    await own.clock.forward(10 * 60 * secondMs);
    const id = await own.publishNow(account, 'Ahead [sandbox:cut]');
    expect((await own.endedInTime(id)).results).toMatchObject([{ ok: true, uncertain: false }]);
    expect(await networks.sandboxes.feed('x', 10)).toHaveLength(1);
    await networks.stop();
  });

  test('an event says in the same bytes as posts.get', async () => {
    const receiver = await startReceiver();
    const own = await begin(receiver.settings());
    own.startJobs();
    const browser = own.browser();
    await browser.signIn();
    const address = receiver.address();
    const events = ['post.published', 'post.failed'];
    expect((await browser.post('/api/webhooks', { url: address.url, events })).status).toBeLessThan(300);
    const accountIds = [await own.connect('x'), await own.connect('x')];
    const { id } = await own.client.posts.create({ accountIds, body: 'Bytes' });
    await own.client.posts.setVersionText({ id, accountId: accountIds[1] ?? '', body: '[sandbox:content-refused]' });
    await own.client.posts.setOption({ id, key: 'x.reply_settings', value: 'following' });
    await own.asHuman('posts.publishNow', { id });
    const { raw } = await address.nth(1);
    const answer = await fetch(`${own.url}/api/agent/tools/posts.get`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });
    expect(raw).toContain(`"data":{"post":${await answer.text()}}`);
    receiver.stop();
  });
});

describe('a webhook delivery', () => {
  test('is not sent by an instance that slept since it took it; that costs no attempt, and it is sent once', async () => {
    const receiver = await startReceiver();
    let sleeps = true;
    const own = await begin(receiver.settings(), { startStopwatch: () => (sleeps ? late() : startStopwatch()) });
    own.startJobs();
    const team = await newTeam(own);
    const address = receiver.address();
    const webhook = await team.addWebhook(address.url);
    await team.happen();
    await until('it was taken', async () => (await webhook.log())[0]?.state === 'sending');
    await until('it was let go', () => own.posthorn.jobs.inFlight().get('deliveries') === 0);
    expect(address.received()).toEqual([]);
    sleeps = false;
    await own.clock.forward(30 * secondMs);
    await address.nth(1);
    await until('it is delivered', async () => (await webhook.log())[0]?.state === 'delivered');
    expect((await webhook.log())[0]).toMatchObject({ attempts: 1 });
    expect(address.received()).toHaveLength(1);
    receiver.stop();
  });
});
