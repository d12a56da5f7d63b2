import type { ServerResponse } from 'node:http';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Post } from '#contracts/posts';
import { createMovableClock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { openDatabase, sql } from '#server/base/store/database';
import { NetworkTrouble } from '#server/networks/trouble';
import type { PlannedFault } from '#server/simulation/sandbox/faults';
import { openPosthorn } from '#test/support/posthorn';
import { type SandboxProxy, startSandboxProxy, startServiceWithProxy } from '#test/support/sandbox-proxy';
import type { Service } from '#test/support/service';
import { until } from '#test/support/until';
import { mp4 } from '#test/support/videos';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const steps = [hourMs, 6 * hourMs, dayMs, 3 * dayMs, 7 * dayMs, 30 * dayMs];

let proxy: SandboxProxy;
let service: Service;
beforeAll(async () => {
  ({ service, proxy } = await startServiceWithProxy());
  service.startJobs();
});
afterAll(async () => {
  proxy.stop();
  await service.stop();
});

/** Only the clock carries over from test to test. */
afterEach(async () => {
  proxy.hangUp();
  proxy.gate = () => undefined;
  proxy.answer = () => false;
  await until('nothing is under way', () =>
    [...service.posthorn.jobs.inFlight().values()].every((count) => count === 0),
  );
  for (const network of ['x', 'mastodon']) await readFault(network, undefined);
  await service.database.query(sql('test.forget', 'truncate accounts, posts, events cascade'));
});

const caller = (): Caller => ({ ...service.owner, role: 'owner', mayPublish: true, isPerson: true });

/** Some networks process a post for a while, so the clock moves now and then. */
const ended = async (id: string): Promise<Post> => {
  let post = await service.client.posts.get({ id });
  let looks = 0;
  await until(`${id} has ended`, async () => {
    post = await service.client.posts.get({ id });
    // Not while something is being sent: its lease would end.
    const isIdle = service.posthorn.jobs.inFlight().get('sends') === 0;
    if (++looks % 10 === 0 && isIdle) await service.clock.forward(20_000);
    return post.status !== 'Publishing';
  });
  return post;
};

let texts = 0;
const publish = async (
  accountIds: string[],
  // Some networks refuse the same text twice.
  { body = `What the numbers are about, ${++texts}`, media = [] as string[], options = {} } = {},
) => {
  const { id } = await service.client.posts.create({ accountIds, body });
  if (media.length > 0) {
    await service.client.posts.update({ id, accountIds, versions: [{ content: [{ body, media }], options }] });
  }
  await service.asHuman('posts.publishNow', { id });
  const post = await ended(id);
  expect(post).toMatchObject({ status: 'Published' });
  return post;
};

const entryOf = async ({ id }: Pick<Post, 'id'>, index = 0) => {
  const entry = (await service.client.posts.metrics({ id })).accounts[index];
  if (entry === undefined) throw new Error(`${id} was published to fewer accounts`);
  return entry;
};

const readsOf = async ({ id }: Pick<Post, 'id'>) =>
  (await service.posthorn.statistics.history(caller(), id)).accounts.flatMap(({ reads }) => reads);

/** The instant this many milliseconds after the post went out. */
const since = async (post: Post, ms: number) => Date.parse((await entryOf(post)).publishedAt) + ms;

/** Renews tokens first that end before then: a job that meets a renewal in progress retries two seconds later. */
const goTo = async (instantMs: number) => {
  const msTo = (earlierMs: number) => Math.max(instantMs - earlierMs - service.clock.now().getTime(), 0);
  const { jobs } = service.posthorn;
  await service.clock.forward(msTo(100));
  await until(
    'tokens are renewed',
    async () => (await jobs.msToNext(['accounts'])) !== 0 && jobs.inFlight().get('accounts') === 0,
  );
  await service.clock.forward(msTo(0));
};

const nextOf = async (post: Post) => {
  const { nextFetchAt } = await entryOf(post);
  return nextFetchAt === undefined ? undefined : Date.parse(nextFetchAt);
};

const read = (post: Post, count: number) =>
  until(`it was read ${count} times`, async () => (await readsOf(post)).length >= count);

const accountOf = async (accountId: string) => {
  const { accounts } = await service.client.accounts.list();
  const account = accounts.find(({ id }) => id === accountId);
  if (account === undefined) throw new Error(`${accountId} is not connected`);
  return account;
};

const numbersIn = (metrics: object = {}) =>
  Object.keys(metrics)
    .filter((name) => name !== 'fetchedAt' && name !== 'error')
    .sort();

const photo = async () => {
  const file = await sharp({ create: { width: 1080, height: 1080, channels: 3, background: '#8a4b08' } })
    .jpeg()
    .toBuffer();
  return (await service.client.media.upload(new Uint8Array(file))).id;
};

const readFault = (network: string, fault: PlannedFault['fault'] | undefined, times: number | null = null) =>
  service.posthorn.sandboxes.planFault(network, 'read', fault && { fault, times });

describe('the schedule', () => {
  test('a post is read 1 h, 6 h, 24 h, 3 d, 7 d and 30 d after publication, then never again; between two reads the numbers stay the same', async () => {
    const account = await service.connect('mastodon');
    const post = await publish([account]);
    expect(await entryOf(post)).not.toHaveProperty('metrics');
    for (const [index, step] of steps.entries()) {
      const due = await since(post, step);
      await goTo(due - minuteMs);
      expect(await nextOf(post)).toBe(due);
      const before = (await entryOf(post)).metrics;
      const reads = await readsOf(post);
      expect(reads).toHaveLength(index);
      expect(before).toEqual(reads.at(-1));
      await goTo(due + 1_000);
      await read(post, index + 1);
      const { metrics } = await entryOf(post);
      expect(numbersIn(metrics)).toEqual(['comments', 'likes', 'quotes', 'shares']);
      expect(metrics).not.toHaveProperty('error');
      expect(Date.parse(metrics?.fetchedAt ?? '')).toBeGreaterThanOrEqual(due);
      expect(Date.parse(metrics?.fetchedAt ?? '')).toBeLessThan(due + minuteMs);
      expect(metrics?.likes).toBeGreaterThanOrEqual(before?.likes ?? 0);
    }
    expect(await entryOf(post)).not.toHaveProperty('nextFetchAt');

    await service.clock.forward(100 * dayMs);
    const later = await publish([account], { body: 'Much later' });
    await goTo(await since(later, hourMs));
    await read(later, 1);
    expect(await readsOf(post)).toHaveLength(6);
  });

  test('steps that pass while nothing runs are one read, and the next is in the future', async () => {
    const post = await publish([await service.connect('mastodon')]);
    await goTo(await since(post, 4 * dayMs));
    await read(post, 1);
    expect(await nextOf(post)).toBe(await since(post, 7 * dayMs));
    await goTo(await since(post, 60 * dayMs));
    await read(post, 2);
    expect(await entryOf(post)).not.toHaveProperty('nextFetchAt');
    expect(await readsOf(post)).toHaveLength(2);
  });

  test('posts of networks that report nothing have no statistics and no nextFetchAt', async () => {
    for (const network of ['linkedin', 'linkedin_page', 'google_business']) {
      const account = await service.connect(network);
      const entry = await entryOf(await publish([account], { body: `On ${network}` }));
      expect(entry).not.toHaveProperty('nextFetchAt');
      expect(entry).not.toHaveProperty('metrics');
      expect(await accountOf(account)).toMatchObject({ statistics: 'None' });
    }
  });

  test('while a read is under way nextFetchAt is its time', async () => {
    const post = await publish([await service.connect('mastodon')]);
    const due = await since(post, hourMs);
    proxy.answer = (path) => path.includes('/api/v1/statuses/');
    proxy.requests = [];
    await goTo(due);
    await until('the network is asked', () => proxy.requests.some((path) => path.includes('/api/v1/statuses/')));
    expect(await nextOf(post)).toBe(due);
  });

  test('the due posts of an account are one question', async () => {
    const account = await service.connect('x');
    const posts = [];
    for (const body of ['One', 'Two', 'Three']) posts.push(await publish([account], { body }));
    proxy.requests = [];
    await service.clock.forward(hourMs + minuteMs);
    for (const post of posts) await read(post, 1);
    expect(proxy.requests.filter((path) => path.includes('/2/tweets?'))).toHaveLength(1);
  });
});

describe('a network that asks to wait', () => {
  test('is asked 3 hours later where read quotas are small, and a read that passes the next step takes its place', async () => {
    const post = await publish([await service.connect('x')]);
    await readFault('x', '429');
    const first = await since(post, hourMs);
    await goTo(first);
    await until('the read is moved', async () => (await nextOf(post)) !== first);
    const second = (await nextOf(post)) ?? 0;
    expect(second - first).toBeGreaterThanOrEqual(3 * hourMs);
    expect(second - first).toBeLessThan(3 * hourMs + minuteMs);
    expect(await entryOf(post)).not.toHaveProperty('metrics');

    await goTo(second);
    await until('the read is moved again', async () => (await nextOf(post)) !== second);
    await readFault('x', undefined);
    const third = (await nextOf(post)) ?? 0;
    expect(third).toBeGreaterThan(await since(post, 7 * hourMs));
    await goTo(third);
    await read(post, 1);
    expect(await readsOf(post)).toHaveLength(1);
    expect(await nextOf(post)).toBe(await since(post, dayMs));
  });

  test('is asked 2 hours later elsewhere, also when it is not available', async () => {
    const post = await publish([await service.connect('mastodon')]);
    await readFault('mastodon', '503', 1);
    const due = await since(post, hourMs);
    await goTo(due);
    await until('the read is moved', async () => (await nextOf(post)) !== due);
    const moved = (await nextOf(post)) ?? 0;
    expect(moved - due).toBeGreaterThanOrEqual(2 * hourMs);
    expect(moved - due).toBeLessThan(2 * hourMs + minuteMs);
    await goTo(moved);
    await read(post, 1);
    expect(await nextOf(post)).toBe(await since(post, 6 * hourMs));
  });

  test('is asked when it says, if that is later', async () => {
    const post = await publish([await service.connect('x')]);
    const due = await since(post, hourMs);
    const free = Math.ceil((due + 20 * hourMs) / 1000);
    proxy.answer = (path, res) => {
      if (!path.includes('/2/tweets?')) return false;
      res.writeHead(429, { 'x-rate-limit-reset': String(free) }).end();
      return true;
    };
    await goTo(due);
    await until('the read is moved', async () => (await nextOf(post)) !== due);
    expect(Math.abs(((await nextOf(post)) ?? 0) - free * 1000)).toBeLessThan(minuteMs);
  });

  test('for a year is asked after 30 days', async () => {
    const post = await publish([await service.connect('mastodon')]);
    const due = await since(post, hourMs);
    proxy.answer = (path, res) => {
      if (!path.includes('/api/v1/statuses/')) return false;
      res.writeHead(429, { 'retry-after': String((365 * dayMs) / 1000) }).end();
      return true;
    };
    await goTo(due);
    await until('the read is moved', async () => (await nextOf(post)) !== due);
    const movedMs = ((await nextOf(post)) ?? 0) - due;
    expect(movedMs).toBeGreaterThanOrEqual(30 * dayMs);
    expect(movedMs).toBeLessThan(30 * dayMs + minuteMs);
  });

  test('for ever is given up some time after the last step, and says so', async () => {
    const post = await publish([await service.connect('mastodon')]);
    await readFault('mastodon', '429');
    await goTo(await since(post, 30 * dayMs));
    let next = await since(post, hourMs);
    let moves = 0;
    for (; moves < 20; moves++) {
      const now = next;
      await until('the read is moved', async () => (await nextOf(post)) !== now);
      const moved = await nextOf(post);
      if (moved === undefined) break;
      next = moved;
      await goTo(next);
    }
    expect(moves).toBe(8);
    const { metrics, nextFetchAt } = await entryOf(post);
    expect(nextFetchAt).toBeUndefined();
    expect(metrics).toEqual({ fetchedAt: expect.any(String), error: expect.any(String) });
    expect(await readsOf(post)).toEqual([]);
  });

  test('does not hold up other networks', async () => {
    const slow = [];
    for (let one = 0; one < 6; one++) slow.push(await service.connect('mastodon'));
    const quick = await service.connect('bluesky');
    const held = await publish(slow);
    const post = await publish([quick]);
    proxy.answer = (path) => path.includes('/api/v1/statuses/');
    await service.clock.forward(hourMs);
    await read(post, 1);
    expect(await entryOf(held)).not.toHaveProperty('metrics');
  });
});

describe('a read that failed', () => {
  test('is told in metrics.error beside the numbers of the read before', async () => {
    const post = await publish([await service.connect('mastodon')]);
    await goTo(await since(post, hourMs));
    await read(post, 1);
    const { metrics: good } = await entryOf(post);
    const due = await since(post, 6 * hourMs);
    await readFault('mastodon', 'cut', 1);
    await goTo(due);
    await until('it has failed', async () => (await entryOf(post)).metrics?.error !== undefined);
    expect((await entryOf(post)).metrics).toEqual({ ...good, error: expect.any(String) });
    await goTo((await nextOf(post)) ?? 0);
    await read(post, 2);
    expect((await entryOf(post)).metrics).not.toHaveProperty('error');
    expect(await nextOf(post)).toBe(await since(post, dayMs));
  });

  test.each([
    [
      'answers something else',
      (_: string, res: ServerResponse) =>
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"da') && true,
    ],
    [
      'answers a page',
      (_: string, res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi') && true,
    ],
    ['hangs up', (_: string, res: ServerResponse) => res.destroy().destroyed],
    ['answers 500', (_: string, res: ServerResponse) => res.writeHead(500).end() && true],
    ['answers 502', (_: string, res: ServerResponse) => res.writeHead(502).end('<h1>Bad gateway') && true],
  ])('of a network that %s has no numbers, and is tried again', (_, answer) => failsFirst(answer));

  test('of a network that never answers has no numbers, and is tried again', async () => {
    const usual = { service, proxy };
    ({ service, proxy } = await startServiceWithProxy({ NETWORK_TIMEOUT_SECONDS: '3' }));
    service.startJobs();
    await failsFirst(() => true).finally(async () => {
      proxy.stop();
      await service.stop();
      ({ service, proxy } = usual);
    });
  });

  const failsFirst = async (answer: typeof proxy.answer) => {
    const post = await publish([await service.connect('x')]);
    proxy.answer = (path, res) => path.includes('/2/tweets?') && answer(path, res);
    const due = await since(post, hourMs);
    await goTo(due);
    await until('it has failed', async () => (await entryOf(post)).metrics !== undefined);
    const { metrics } = await entryOf(post);
    expect(metrics).toEqual({ fetchedAt: expect.any(String), error: expect.any(String) });
    expect(Date.parse(metrics?.fetchedAt ?? '')).toBeGreaterThanOrEqual(due);
    proxy.answer = () => false;
    await goTo((await nextOf(post)) ?? 0);
    await read(post, 1);
  };

  test('of one post leaves the others of its account to be read', async () => {
    const account = await service.connect('mastodon');
    const [bad, good] = [await publish([account]), await publish([account])];
    const { externalId } = await entryOf(bad);
    proxy.answer = (path, res) => path.includes(`/api/v1/statuses/${externalId}`) && !!res.writeHead(500).end();
    await goTo(await since(good, hourMs));
    await read(good, 1);
    await until('the other has failed', async () => (await entryOf(bad)).metrics?.error !== undefined);
    expect((await entryOf(good)).metrics).not.toHaveProperty('error');
  });

  test('of a post that is gone ends the schedule once it was missing on two days, and keeps the numbers', async () => {
    const account = await service.connect('x');
    const post = await publish([account]);
    await goTo(await since(post, hourMs));
    await read(post, 1);
    const { externalId, metrics } = await entryOf(post);
    await service.posthorn.sandboxes.remove('x', externalId);
    const lost = { ...metrics, error: expect.stringContaining('no longer') };
    let next = await nextOf(post);
    await goTo(await since(post, 6 * hourMs));
    // Every six hours, the fifth time a day after the first.
    for (let reads = 1; reads <= 4; reads++) {
      await until('it was not there, and is read again', async () => {
        const { metrics: now } = await entryOf(post);
        return now?.error !== undefined && (await nextOf(post)) !== next;
      });
      next = await nextOf(post);
      expect((await entryOf(post)).metrics).toEqual(lost);
      await goTo(next ?? 0);
    }
    await until('the schedule is over', async () => (await nextOf(post)) === undefined);
    expect((await entryOf(post)).metrics).toEqual(lost);
    expect(await accountOf(account)).toMatchObject({ status: 'Connected', statistics: 'Ok' });
  });

  test('that finds no post for a while goes on when the network shows it again', async () => {
    const account = await service.connect('x');
    const post = await publish([account]);
    const { externalId } = await entryOf(post);
    const type = 'https://api.x.com/2/problems/resource-not-found';
    proxy.answer = (path, res) => {
      if (!path.includes('/2/tweets?')) return false;
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ errors: [{ value: externalId, title: 'Not Found Error', type }] }));
      return true;
    };
    await goTo(await since(post, hourMs));
    await until('it was not there', async () => (await entryOf(post)).metrics?.error !== undefined);
    proxy.answer = () => false;
    await goTo((await nextOf(post)) ?? 0);
    await read(post, 1);
    expect((await entryOf(post)).metrics).not.toHaveProperty('error');
    expect(await nextOf(post)).toBeDefined();
  });

  test('has no numbers that cannot be', async () => {
    const post = await publish([await service.connect('x')]);
    const { externalId } = await entryOf(post);
    const public_metrics = {
      like_count: -1,
      reply_count: 1.5,
      retweet_count: 1e300,
      quote_count: 7,
      impression_count: 0,
    };
    proxy.answer = (path, res) => {
      if (!path.includes('/2/tweets?')) return false;
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ data: [{ id: externalId, public_metrics }] }));
      return true;
    };
    await goTo(await since(post, hourMs));
    await read(post, 1);
    expect((await entryOf(post)).metrics).toEqual({ quotes: 7, views: 0, fetchedAt: expect.any(String) });
  });
});

describe('access to statistics', () => {
  test('that was never granted shows a message instead of numbers without asking; reconnecting reads at once', async () => {
    const handle = 'anna';
    const account = await service.connect('facebook', { handle, without: ['read_insights'] });
    const post = await publish([account]);
    const older = await publish([account], { body: 'Another' });
    expect(await accountOf(account)).toMatchObject({ statistics: 'Reconnect', status: 'Connected' });
    proxy.requests = [];
    await goTo(await since(older, hourMs));
    await until('it is said', async () => (await entryOf(post)).metrics !== undefined);
    expect(await entryOf(post)).toMatchObject({ metrics: { error: expect.stringContaining('Reconnect') } });
    expect(await entryOf(post)).not.toHaveProperty('nextFetchAt');
    expect(numbersIn((await entryOf(post)).metrics)).toEqual([]);
    expect(proxy.requests).toEqual([]);

    await service.clock.forward(35 * dayMs);
    const young = await publish([account], { body: 'A new one' });
    expect(await service.connect('facebook', { handle })).toBe(account);
    for (const one of [post, older, young]) await read(one, 1);
    expect((await entryOf(post)).metrics).not.toHaveProperty('error');
    expect(await entryOf(post)).not.toHaveProperty('nextFetchAt');
    expect(await nextOf(young)).toBe(await since(young, hourMs));
    expect(await accountOf(account)).toMatchObject({ statistics: 'Ok' });
  });

  test.each(['expired-token', 'missing-permission'] as const)(
    'that the network takes back (%s) stops statistics alone, until somebody reconnects',
    async (fault) => {
      const handle = 'anna';
      const account = await service.connect('x', { handle });
      const post = await publish([account]);
      await goTo(await since(post, hourMs));
      await read(post, 1);
      const { metrics } = await entryOf(post);
      await readFault('x', fault);
      await goTo(await since(post, 6 * hourMs));
      await until('statistics have stopped', async () => (await accountOf(account)).statistics === 'Reconnect');
      expect(await accountOf(account)).toMatchObject({
        status: 'Connected',
        statisticsMessage: expect.stringContaining('Reconnect'),
      });
      expect((await entryOf(post)).metrics).toEqual({ ...metrics, error: expect.stringContaining('Reconnect') });
      expect(await entryOf(post)).not.toHaveProperty('nextFetchAt');
      const next = await publish([account]);
      expect((await service.events()).map(({ type }) => type)).not.toContain('account.disconnected');

      proxy.requests = [];
      await goTo(await since(next, hourMs));
      await until('the new post says so too', async () => (await entryOf(next)).metrics?.error !== undefined);
      expect(proxy.requests.filter((path) => path.includes('/2/tweets?'))).toEqual([]);

      await readFault('x', undefined);
      expect(await service.connect('x', { handle })).toBe(account);
      await read(post, 2);
      await read(next, 1);
      expect((await entryOf(post)).metrics).not.toHaveProperty('error');
      expect(await nextOf(post)).toBe(await since(post, dayMs));
      expect(await accountOf(account)).toMatchObject({ statistics: 'Ok' });
    },
  );

  test('that ended everywhere does not disconnect the account either', async () => {
    const account = await service.connect('x');
    const post = await publish([account]);
    await readFault('x', 'refused-token', 1);
    await goTo(await since(post, hourMs));
    await until('statistics have stopped', async () => (await accountOf(account)).statistics === 'Reconnect');
    expect(await accountOf(account)).toMatchObject({ status: 'Connected' });
    expect((await service.events()).map(({ type }) => type)).not.toContain('account.disconnected');
  });

  /** A service without its loops, so that nothing else takes over the read that is under way. */
  const beginReading = async () => {
    const { service: own, proxy: between } = await startServiceWithProxy();
    const { jobs } = own.posthorn;
    const { id } = await own.client.posts.create({
      accountIds: [await own.connect('x', { handle: 'anna' })],
      body: 'Read',
    });
    await own.asHuman('posts.publishNow', { id });
    await jobs.runDue(['sends']);
    await own.clock.forward(hourMs);
    const held: ServerResponse[] = [];
    between.answer = (path, res) => path.includes('/2/tweets?') && held.length === 0 && held.push(res) > 0;
    const ended = jobs.runDue(['reads']);
    await until('the network is asked', () => held.length > 0);
    const [row] = await own.database.query(
      sql('test.claim', 'select claim from publications where post_id = $1').holds<{ claim: string }>(),
      [id],
    );
    return {
      own,
      jobs,
      isClaimed: async () =>
        (await own.database.query(sql('test.isClaimed', 'select from publications where claim = $1'), [row?.claim]))
          .length === 1,
      answer: async (status: number, body: object) => {
        held[0]?.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        await ended;
      },
      entry: async () => (await own.client.posts.metrics({ id })).accounts[0],
      stop: async () => {
        between.stop();
        await own.stop();
      },
    };
  };

  test('that was refused before somebody reconnected stops nothing afterwards, and the numbers are read at once', async () => {
    const { own, jobs, isClaimed, answer, entry, stop } = await beginReading();
    try {
      await own.connect('x', { handle: 'anna' });
      // The read that is under way stays with the process that makes it.
      expect(await isClaimed()).toBe(true);
      await answer(403, { type: '/problems/client-forbidden' });
      await own.clock.forward(1_000);
      await jobs.runDue(['reads']);
      expect(numbersIn((await entry())?.metrics)).not.toEqual([]);
      expect((await entry())?.metrics).not.toHaveProperty('error');
      expect((await own.client.accounts.list()).accounts).toMatchObject([{ status: 'Connected', statistics: 'Ok' }]);
    } finally {
      await stop();
    }
  });

  test.each([
    ['has failed', 500, {}],
    ['was refused', 403, { type: '/problems/client-forbidden' }],
  ])('that another process took over meanwhile is left to it, also when it %s here', async (_, status, body) => {
    const { own, answer, entry, stop } = await beginReading();
    try {
      const taken = `update publications set claim = gen_random_uuid(), due_at = posthorn_now() + interval '1 minute'
                     returning due_at as at, claim`;
      const before = await own.database.query(sql('test.taken', taken));
      await answer(status, body);
      const now = sql('test.now', 'select due_at as at, claim from publications');
      expect(await own.database.query(now)).toEqual(before);
      expect(await entry()).not.toHaveProperty('metrics');
    } finally {
      await stop();
    }
  });

  test('is renewed when a token has expired early', async () => {
    const account = await service.connect('x');
    const post = await publish([account]);
    await readFault('x', 'expired-token', 1);
    await goTo(await since(post, hourMs));
    await read(post, 1);
    expect(await accountOf(account)).toMatchObject({ status: 'Connected', statistics: 'Ok' });
  });

  test('ends with the account', async () => {
    const account = await service.connect('mastodon');
    const post = await publish([account]);
    await service.asHuman('accounts.delete', { id: account });
    expect(await nextOf(post)).toBeUndefined();
    await goTo(await since(post, hourMs));
    await until('it says why', async () => (await entryOf(post)).metrics !== undefined);
    expect(await nextOf(post)).toBeUndefined();
    expect((await entryOf(post)).metrics).toEqual({
      fetchedAt: expect.any(String),
      error: expect.stringContaining('disconnected'),
    });
  });
});

describe('what networks tell', () => {
  test.each([
    ['beyond the metrics that they declare', { likes: 3, views: 1000, clicks: 7 }],
    ['that cannot be a count', { likes: 3, comments: -1, shares: 1.5, quotes: 2 ** 53 }],
  ])('%s is not passed on', async (_, metrics) => {
    const account = await service.connect('mastodon');
    const post = await publish([account]);
    const asked = vi.spyOn(service.posthorn.networks.get('mastodon'), 'readMetrics');
    asked.mockResolvedValue([{ is: 'numbers', metrics }]);
    try {
      await goTo(await since(post, hourMs));
      await read(post, 1);
    } finally {
      asked.mockRestore();
    }
    expect((await entryOf(post)).metrics).toEqual({ likes: 3, fetchedAt: expect.any(String) });
  });

  test('about fewer posts than they were asked about is an error, and they are asked again', async () => {
    const account = await service.connect('mastodon');
    const post = await publish([account]);
    const asked = vi.spyOn(service.posthorn.networks.get('mastodon'), 'readMetrics');
    asked.mockResolvedValueOnce([]);
    await goTo(await since(post, hourMs));
    await until('it is said', async () => (await entryOf(post)).metrics?.error !== undefined);
    asked.mockRestore();
    await goTo((await nextOf(post)) ?? 0);
    await read(post, 1);
    expect((await entryOf(post)).metrics).not.toHaveProperty('error');
  });

  test('about one post that is wrong does not concern the others of its account', async () => {
    const account = await service.connect('mastodon');
    const posts = [await publish([account]), await publish([account])];
    const asked = vi.spyOn(service.posthorn.networks.get('mastodon'), 'readMetrics');
    asked.mockRejectedValueOnce(new NetworkTrouble('unknown', 'Mastodon answered something strange.'));
    await service.clock.forward(hourMs);
    await until('one is read', async () => (await Promise.all(posts.map(readsOf))).flat().length === 1);
    asked.mockRestore();
    const entries = await Promise.all(posts.map((post) => entryOf(post)));
    expect(entries.filter(({ metrics }) => metrics?.error !== undefined)).toHaveLength(1);
  });

  test('photo network stories report views, reach and shares only, and nothing until 5 people have seen them', async () => {
    const handle = 'anna';
    const account = await service.connect('instagram', { handle });
    const story = await publish([account], {
      body: '',
      media: [await photo()],
      options: { 'instagram.type': 'story' },
    });
    await service.connect('instagram', { handle });
    await read(story, 1);
    expect((await entryOf(story)).metrics).toEqual({ fetchedAt: expect.any(String) });
    await goTo(await since(story, hourMs));
    await read(story, 2);
    expect(numbersIn((await entryOf(story)).metrics)).toEqual(['reach', 'shares', 'views']);
    await goTo(await since(story, 6 * hourMs));
    await read(story, 3);
    const { metrics } = await entryOf(story);
    expect(await nextOf(story)).toBe(await since(story, dayMs));
    // A little later, so that the network has forgotten it.
    await goTo(await since(story, dayMs + 60_000));
    await until('the schedule is over', async () => (await nextOf(story)) === undefined);
    expect((await entryOf(story)).metrics).toEqual({
      ...metrics,
      error: 'Instagram keeps the numbers of a story for 24 hours.',
    });
  });

  test('a story that the network still tells of at 24 hours is read then, for the last time', async () => {
    const account = await service.connect('instagram');
    const options = { 'instagram.type': 'story' };
    const story = await publish([account], { body: '', media: [await photo()], options });
    await goTo(await since(story, hourMs));
    await read(story, 1);
    const older = `update publications set published_at = published_at - interval '1 day', due_at = posthorn_now() where post_id = $1`;
    await service.database.query(sql('test.older', older), [story.id]);
    await service.clock.forward(1);
    await read(story, 2);
    expect((await entryOf(story)).metrics).not.toHaveProperty('error');
    expect(await nextOf(story)).toBeUndefined();
  });

  test('a Page returns views and reach only once it has 100 likes; smaller Pages still return likes, comments and shares', async () => {
    const small = await publish([await service.connect('facebook', { handle: 'small' })]);
    const large = await publish([await service.connect('facebook', { handle: 'large' })]);
    await goTo(await since(large, hourMs));
    await read(small, 1);
    await read(large, 1);
    expect(numbersIn((await entryOf(small)).metrics)).toEqual(['comments', 'likes', 'shares']);
    expect(numbersIn((await entryOf(large)).metrics)).toEqual(['comments', 'likes', 'reach', 'shares', 'views']);
  });

  test('a short-video post without a public id has no statistics', async () => {
    const video = await service.client.media.upload(
      new Uint8Array(mp4({ width: 720, height: 1280, padding: 100_000 })),
    );
    const account = await service.connect('tiktok');
    const hidden = await publish([account], { media: [video.id], options: { 'tiktok.privacy': 'SELF_ONLY' } });
    expect(await entryOf(hidden)).not.toHaveProperty('nextFetchAt');
    const shown = await publish([account], { media: [video.id], options: { 'tiktok.privacy': 'PUBLIC_TO_EVERYONE' } });
    await goTo(await since(shown, hourMs));
    await read(shown, 1);
    expect(numbersIn((await entryOf(shown)).metrics)).toEqual(['comments', 'likes', 'shares', 'views']);
    expect(await entryOf(hidden)).not.toHaveProperty('metrics');
  });
});

describe('several instances', () => {
  /** Another process on the same database; `url` is where it finds the networks. */
  const startAnother = (url: string) => {
    const { parts, config, seal, outbound, log } = service;
    const database = openDatabase(parts, { report: () => undefined });
    const clock = createMovableClock();
    const other = openPosthorn({
      database,
      outbound,
      seal,
      config: { ...config, sandboxUrl: url },
      clock,
      ownUrl: service.ownUrl,
      log,
    });
    return { ...other, database };
  };

  test('share the reads: every post is read once', async () => {
    const second = await startSandboxProxy(service.url);
    const other = startAnother(second.url);
    await other.sandboxClock.read();
    const accounts: string[] = [];
    for (let one = 0; one < 12; one++) accounts.push(await service.connect('mastodon'));
    const posts = [await publish(accounts), await publish(accounts, { body: 'Twice as many' })];
    other.jobs.start();
    proxy.requests = [];
    // Who has as many as it takes at once waits for the other.
    const both = until('both ask', () => proxy.requests.length > 0 && second.requests.length > 0);
    proxy.gate = () => both;
    second.gate = proxy.gate;
    await service.clock.forward(hourMs + minuteMs);
    for (const post of posts) await read(post, 12);
    const asked = [...proxy.requests, ...second.requests].filter((path) => path.includes('/api/v1/statuses/'));
    expect(asked).toHaveLength(24);
    await other.jobs.stop(5_000);
    await other.close();
    await other.database.close();
    second.stop();
  });

  test('take over what one that died had begun to read', async () => {
    const account = await service.connect('mastodon');
    const post = await publish([account]);
    await service.posthorn.jobs.stop(5_000);

    const silent = await startSandboxProxy();
    silent.answer = () => true;
    const other = startAnother(silent.url);
    await service.clock.forward(hourMs);
    await other.sandboxClock.read();
    other.jobs.start();
    await until('it has begun', () => silent.requests.length > 0);
    await other.database.close();
    silent.stop();
    await other.jobs.stop(0);
    await other.close();

    service.startJobs();
    expect(await readsOf(post)).toEqual([]);
    await service.clock.forward(minuteMs);
    await read(post, 1);
    expect(await nextOf(post)).toBe(await since(post, 6 * hourMs));
  });
});
