import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Notification } from '#contracts/notifications';
import type { ForecastCode, ForecastEntry, Post } from '#contracts/posts';
import { createMovableClock } from '#server/base/clock';
import { sql } from '#server/base/store/database';
import { findEntries } from '#server/planning/forecast/judge';
import { findFullUntil } from '#server/planning/forecast/limits';
import { limitKey, type Situation } from '#server/planning/forecast/rules';
import { openPosthorn } from '#test/support/posthorn';
import { randomOf } from '#test/support/random';
import { startServiceWithProxy } from '#test/support/sandbox-proxy';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' }, { ownAddress: true });
  service.startJobs();
});
afterAll(() => service.stop());

const human = () => ({ ...service.owner, role: 'owner' as const, mayPublish: true, isPerson: true });
const inDays = (days: number) => new Date(service.clock.now().getTime() + days * dayMs).toISOString();

/** A scheduled post. */
const plan = async (
  accountIds: string[],
  at: string,
  { body = `Bread ${randomUUID()}`, media = [] as string[] } = {},
) => {
  const { id } = await service.client.posts.create({ body, accountIds });
  if (media.length > 0) {
    await service.client.posts.update({ id, accountIds, versions: [{ content: [{ body, media }] }] });
  }
  await service.asHuman('posts.schedule', { id, at });
  return id;
};

const forecastOf = async (id: string): Promise<ForecastEntry[]> =>
  (await service.client.posts.get({ id })).forecast ?? [];
const entryOf = async (id: string, code: ForecastCode) => (await forecastOf(id)).find((entry) => entry.code === code);

const foretold = async (id: string, code: ForecastCode) => {
  await until(`${code} is foretold`, async () => (await entryOf(id, code)) !== undefined);
  return (await entryOf(id, code)) as ForecastEntry;
};
const isGone = (id: string, code: ForecastCode) =>
  until(`${code} is gone`, async () => (await entryOf(id, code)) === undefined);

/** Moves the clock past its time. */
const reachTime = async (id: string): Promise<Post> => {
  const { scheduledAt = '' } = await service.client.posts.get({ id });
  await service.clock.forward(Math.max(Date.parse(scheduledAt) - service.clock.now().getTime(), 0) + 1000);
  await until('it has ended', async () =>
    ['Published', 'Failed'].includes((await service.client.posts.get({ id })).status),
  );
  return service.client.posts.get({ id });
};
const goesOut = async (id: string) => {
  const { status, results } = await reachTime(id);
  expect({ status, results }).toMatchObject({ status: 'Published' });
};

const notifications = async () => {
  const browser = service.browser();
  await browser.signIn();
  const { body } = await browser.get('/api/app/notifications');
  return [...body.needsYou, ...body.earlier] as Notification[];
};

const read = async () => {
  const browser = service.browser();
  await browser.signIn();
  await browser.post('/api/app/notifications/mark', { read: true });
};

const run = (name: string, text: string, values: unknown[]) =>
  service.database.query(sql(`test.forecast.${name}`, text), values);
const judged = (ids: readonly string[]) =>
  run('judged', 'select post_id from forecasts where post_id = any($1)', [ids]);
const announce = (kind: 'account' | 'media', id = 'x') =>
  service.posthorn.live.publish({ workspaceId: service.owner.workspaceId, kind, id });

describe('a cause is foretold days before, goes with its mend, and the post then goes out', () => {
  test('a sign-in that ends before the post; people are told once', async () => {
    const account = await service.connect('linkedin', { handle: 'selfserve-anna' });
    await service.clock.forward(45 * dayMs);
    const [id, other] = [await plan([account], inDays(20)), await plan([account], inDays(21))];
    const early = await plan([account], inDays(5));
    const beyond = await plan([account], inDays(40));
    const entry = await foretold(id, 'sign_in_ends');
    expect(entry).toMatchObject({ level: 'Blocks', accountId: account, provider: 'LinkedIn' });
    expect(entry.fixes?.map(({ kind }) => kind)).toEqual(['Reconnect', 'MoveTo']);
    await foretold(other, 'sign_in_ends');
    expect(await entryOf(early, 'sign_in_ends')).toBeUndefined();
    expect(await entryOf(beyond, 'sign_in_ends')).toBeUndefined();
    await service.clock.forward(2 * dayMs);
    await plan([account], inDays(22));
    const messages = async () =>
      (await notifications()).filter(({ title }) => title.includes('LinkedIn: sign-in ends'));
    // During a check of the whole workspace people are told at its end, after the entries of its first pages.
    await until('people are told', async () => (await messages()).length > 0);
    expect(await messages()).toMatchObject([{ kind: 'post.forecast', needsYou: true, read: false }]);
    await read();
    await foretold(await plan([account], inDays(23)), 'sign_in_ends');
    expect(await messages()).toMatchObject([{ needsYou: true, read: true }]);
    await service.connect('linkedin', { handle: 'selfserve-anna' });
    await isGone(id, 'sign_in_ends');
    await until('nothing is to be done', async () => (await messages()).every(({ needsYou }) => !needsYou));
    expect(await messages()).toHaveLength(1);
    await goesOut(id);
  });

  test('access that the network refused', async () => {
    const account = await service.connect('mastodon', { handle: 'refused' });
    const id = await plan([account], inDays(6));
    const first = await service.client.posts.create({ body: 'Now [sandbox:refused-token]', accountIds: [account] });
    await service.asHuman('posts.publishNow', { id: first.id });
    expect(await foretold(id, 'reconnect')).toMatchObject({ level: 'Blocks', fixes: [{ kind: 'Reconnect' }] });
    await service.connect('mastodon', { handle: 'refused' });
    await isGone(id, 'reconnect');
    await goesOut(id);
  });

  test('a permission that was not granted', async () => {
    const account = await service.connect('mastodon', { handle: 'shy', without: ['write:statuses'] });
    const id = await plan([account], inDays(6));
    expect(await foretold(id, 'permission')).toMatchObject({ level: 'Blocks' });
    await service.connect('mastodon', { handle: 'shy' });
    await isGone(id, 'permission');
    await goesOut(id);
  });

  test('a permission that the network refused to another post: not certain', async () => {
    const account = await service.connect('mastodon', { handle: 'lost-permission' });
    const id = await plan([account], inDays(6));
    const first = await service.client.posts.create({
      body: 'Now [sandbox:missing-permission]',
      accountIds: [account],
    });
    await service.asHuman('posts.publishNow', { id: first.id });
    expect(await foretold(id, 'permission')).toMatchObject({ level: 'Warns' });
    await service.connect('mastodon', { handle: 'lost-permission' });
    await isGone(id, 'permission');
    await goesOut(id);
  });

  test('an account that was disconnected, also when it was the only one', async () => {
    const [gone, stays] = [await service.connect('mastodon'), await service.connect('bluesky')];
    const id = await plan([gone, stays], inDays(6));
    const alone = await plan([gone], inDays(7));
    await service.asHuman('accounts.delete', { id: gone });
    expect(await foretold(id, 'disconnected')).toMatchObject({
      level: 'Blocks',
      accountId: gone,
      provider: 'Mastodon',
      fixes: [{ kind: 'LeaveOut' }],
    });
    expect(await foretold(alone, 'disconnected')).not.toHaveProperty('fixes');
    const { versions } = await service.client.posts.get({ id });
    await service.asHuman('posts.update', { id, accountIds: [stays], versions });
    await isGone(id, 'disconnected');
    await goesOut(id);
  });

  test('a limit that the account has since', async () => {
    const account = await service.connect('mastodon', { handle: 'long-texts' });
    const id = await plan([account], inDays(6), { body: 'Bread! '.repeat(60) });
    const [row] = (await run('facts', 'select facts from accounts where id = $1', [account])) as { facts: object }[];
    const text = JSON.stringify(row?.facts);
    const shorter = text.replace(/("maxCharacters": ?)500/, '$1300');
    expect(shorter).not.toBe(text);
    const set = 'update accounts set facts = $2 where id = $1';
    await run('setFacts', set, [account, shorter]);
    await announce('account');
    expect(await foretold(id, 'limit')).toMatchObject({ level: 'Blocks' });
    await run('setFacts', set, [account, text]);
    await announce('account');
    await isGone(id, 'limit');
    await goesOut(id);
  });

  test('a limit that nobody reported, at the check of the next day', async () => {
    const account = await service.connect('bluesky');
    const id = await plan([account], inDays(6));
    const other = await plan([account], inDays(7));
    await until('both are judged', async () => (await judged([id, other])).length === 2);
    // As if this release had just got a lower limit: nothing else about the post changed.
    const setText = `update posts set versions = jsonb_set(versions, '{0,content,0,body}', to_jsonb($2::text)) where id = $1`;
    await run('setText', setText, [id, 'Bread '.repeat(200)]);
    await service.clock.forward(dayMs + hourMs);
    expect(await foretold(id, 'limit')).toMatchObject({ level: 'Blocks' });
    expect(await entryOf(other, 'limit')).toBeUndefined();
  });

  test('no limit that the account had only while its posts were examined', async () => {
    const account = await service.connect('mastodon', { handle: 'two-minds' });
    const id = await plan([account], inDays(6), { body: 'Bread! '.repeat(60), media: [await service.addFile()] });
    const [row] = (await run('facts', 'select facts from accounts where id = $1', [account])) as { facts: object }[];
    const text = JSON.stringify(row?.facts);
    const setLimit = (characters: number) =>
      run('setFacts', 'update accounts set facts = $2 where id = $1', [
        account,
        text.replace(/("maxCharacters": ?)500/, `$1${characters}`),
      ]);
    const now = async () => {
      const [time] = (await run('now', 'select posthorn_now()::text as text', [])) as { text: string }[];
      return time?.text;
    };
    const isCheckedSince = (time: string | undefined) =>
      until('it is checked', async () => {
        const since = 'select from forecast_checks where workspace_id = $1 and checked_at > $2::timestamptz';
        return (await run('checkedSince', since, [service.owner.workspaceId, time])).length > 0;
      });
    await setLimit(450);
    const holder = new pg.Client(service.parts);
    await holder.connect();
    await holder.query('begin; lock table media in access exclusive mode');
    const begun = await now();
    await announce('account');
    await until('a check has read the account and waits for the files', async () => {
      const waiting = "select from pg_locks where relation = 'media'::regclass and not granted";
      return (await holder.query(waiting)).rowCount !== 0;
    });
    await setLimit(300);
    await holder.query('commit');
    await holder.end();
    await isCheckedSince(begun);
    await setLimit(450);
    const changed = await now();
    await announce('account');
    await isCheckedSince(changed);
    expect(await entryOf(id, 'limit')).toBeUndefined();
    await goesOut(id);
  });

  test('a file that is no longer there', async () => {
    const account = await service.connect('mastodon');
    const [lost, other] = [await service.addFile(), await service.addFile()];
    const id = await plan([account], inDays(6), { media: [lost] });
    await run('loseFile', 'delete from media where id = $1', [lost]);
    await announce('media', lost);
    expect(await foretold(id, 'media')).toMatchObject({ level: 'Blocks' });
    const { accountIds } = await service.client.posts.get({ id });
    await service.asHuman('posts.update', {
      id,
      accountIds,
      versions: [{ content: [{ body: 'Bread', media: [other] }] }],
    });
    await isGone(id, 'media');
    await goesOut(id);
  });

  test('posts beyond what a network takes in a day', async () => {
    const account = await service.connect('instagram', { handle: 'busy' });
    const [{ person } = { person: '' }] = (await run(
      'person',
      'select external_id as person from accounts where id = $1',
      [account],
    )) as { person: string }[];
    const id = await plan([account], new Date(service.clock.now().getTime() + 3 * hourMs).toISOString(), {
      media: [await service.addFile()],
    });
    const publishedAt = new Date(service.clock.now().getTime() - hourMs).toISOString();
    await run(
      'oldPosts',
      `insert into posts (id, workspace_id, status, account_ids, versions, created_by)
       select 'post_OLD' || n, $1, 'Published', array[$2], '[{"content": [{"body": "", "media": []}], "options": {}}]', $3
         from generate_series(1, 100) n`,
      [service.owner.workspaceId, account, service.owner.userId],
    );
    await run(
      'publications',
      `insert into publications (workspace_id, post_id, account_id, network, external_id, published_at)
       select $1, 'post_OLD' || n, $2, 'instagram', 'old-' || n, $3::timestamptz from generate_series(1, 100) n`,
      [service.owner.workspaceId, account, publishedAt],
    );
    await run(
      'sandboxPosts',
      `insert into sandbox_records (network, kind, id, owner, value)
       select 'instagram', 'post', '9' || n, $1, jsonb_build_object('id', '9' || n, 'author', $1::text, 'authorName', 'Busy',
         'text', '', 'media', '[]'::jsonb, 'createdAt', $2::text, 'data', '{}'::jsonb) from generate_series(1, 100) n`,
      [person, publishedAt],
    );
    await announce('account');
    const { level, fixes } = await foretold(id, 'network_quota');
    expect({ level, kind: fixes?.[0]?.kind }).toEqual({ level: 'Blocks', kind: 'MoveTo' });
    const { accountIds, versions } = await service.client.posts.get({ id });
    await service.asHuman('posts.update', { id, accountIds, versions, scheduledAt: fixes?.[0]?.at });
    await isGone(id, 'network_quota');
    await goesOut(id);
  });

  test('a plan that no longer covers the network, found at the daily check', async () => {
    const account = await service.connect('x');
    const id = await plan([account], inDays(6));
    const setPlan = 'update workspaces set plan = $2 where id = $1';
    await run('setPlan', setPlan, [service.owner.workspaceId, 'free']);
    await service.clock.forward(dayMs + hourMs);
    expect(await foretold(id, 'plan')).toMatchObject({ level: 'Warns' });
    await run('setPlan', setPlan, [service.owner.workspaceId, 'unlimited']);
    await service.clock.forward(dayMs + hourMs);
    await isGone(id, 'plan');
    await goesOut(id);
  });

  test('two posts in one minute on one account', async () => {
    const account = await service.connect('bluesky');
    const at = inDays(6);
    const [first, second] = [await plan([account], at), await plan([account], at)];
    expect(await foretold(first, 'same_minute')).toMatchObject({ level: 'Warns' });
    const { fixes } = await foretold(second, 'same_minute');
    const { accountIds, versions } = await service.client.posts.get({ id: second });
    await service.asHuman('posts.update', { id: second, accountIds, versions, scheduledAt: fixes?.[0]?.at });
    await Promise.all([isGone(first, 'same_minute'), isGone(second, 'same_minute')]);
    await goesOut(first);
    await goesOut(second);
  });

  test('a workspace that waits to be deleted, however far ahead', async () => {
    const account = await service.connect('bluesky');
    const id = await plan([account], inDays(2));
    const late = await plan([account], inDays(90));
    await service.posthorn.deletion.ask(human(), 'Demo', 'r');
    for (const one of [id, late]) {
      const { code, level, at, fixes } = await foretold(one, 'workspace_deletion');
      expect({ code, level, fixes }).toEqual({
        code: 'workspace_deletion',
        level: 'Blocks',
        fixes: [{ kind: 'KeepWorkspace' }],
      });
      expect(at).toBe(await service.posthorn.deletion.dateOf(service.owner.workspaceId));
    }
    await service.posthorn.deletion.takeBack(human(), 'r');
    await Promise.all([isGone(id, 'workspace_deletion'), isGone(late, 'workspace_deletion')]);
    await service.asHuman('posts.delete', { id: late });
    await goesOut(id);
  });

  test('times that a clock change moves or doubles, however far ahead', async () => {
    const browser = service.browser();
    await browser.signIn();
    const slots = { timeZone: 'Europe/Berlin', slots: [{ days: [7], time: '02:30', accountIds: [] }] };
    expect((await browser.post('/api/app/slots', slots)).status).toBe(200);
    const account = await service.connect('bluesky');
    const year = new Date(Date.parse(inDays(60))).getUTCFullYear() + 1;
    const lastSunday = (month: number) => {
      const last = new Date(Date.UTC(year, month + 1, 0));
      return last.getTime() - last.getUTCDay() * dayMs;
    };
    // Berlin skips 02:30 at 01:00 UTC in March, and has it twice around 01:00 UTC in October.
    const moved = await plan([account], new Date(lastSunday(2) + 1.5 * hourMs).toISOString());
    const doubled = await plan([account], new Date(lastSunday(9) + 0.5 * hourMs).toISOString());
    expect(await foretold(moved, 'clock_change')).toMatchObject({ level: 'Warns', short: 'the clock goes forward' });
    const entry = await foretold(doubled, 'clock_change');
    expect(entry.message).toContain('02:30 comes twice. The post goes out the first time.');
    const { accountIds, versions } = await service.client.posts.get({ id: doubled });
    await service.asHuman('posts.update', { id: doubled, accountIds, versions, scheduledAt: entry.fixes?.[0]?.at });
    await isGone(doubled, 'clock_change');
    for (const id of [moved, doubled]) await service.asHuman('posts.delete', { id });
  });
});

describe('access that a network refuses to the daily read', () => {
  /** What is foretold about the next post when this happens before the network answers the read, and how the post ends. */
  const readAfter = async (happens: (own: Service) => Promise<unknown>) => {
    const { service: own, proxy } = await startServiceWithProxy();
    const account = await own.connect('bluesky', { handle: 'whim' });
    await own.clock.forward(2 * hourMs);
    let reads = 0;
    let renewals = 0;
    /** What was noted of the account when new access was asked for a second time. */
    let noted: unknown = 'no new access was asked for';
    proxy.gate = async (path) => {
      if (path.includes('getProfile') && ++reads === 1) await happens(own);
      if (path.includes('refreshSession') && ++renewals === 2) [noted] = await own.database.query(refusal, [account]);
    };
    await own.posthorn.jobs.runDue(['accounts']);
    const { id } = await own.client.posts.create({ body: 'Bread', accountIds: [account] });
    const at = new Date(own.clock.now().getTime() + hourMs).toISOString();
    await own.asHuman('posts.schedule', { id, at });
    await own.posthorn.jobs.runDue(['forecasts']);
    const { forecast = [] } = await own.client.posts.get({ id });
    await own.clock.forward(hourMs + minuteMs);
    await own.posthorn.jobs.runDue(['posts']);
    await own.posthorn.jobs.runDue(['sends']);
    const { status } = await own.client.posts.get({ id });
    await own.stop();
    proxy.stop();
    return { noted, codes: forecast.map(({ code, short }) => `${code}: ${short}`), status };
  };
  const refusal = sql('test.forecast.refusal', 'select refusal from accounts where id = $1');
  const forget = (own: Service, kinds: string[]) =>
    own.database.query(
      sql('test.forecast.endGrants', `delete from sandbox_records where network = 'bluesky' and kind = any($1)`),
      [kinds],
    );

  test('is renewed as for a send when the clock passed its end on the way, and nothing is foretold', async () => {
    const outcome = await readAfter((own) => own.clock.forward(3 * hourMs));
    expect(outcome).toEqual({ noted: { refusal: null }, codes: [], status: 'Published' });
  });

  test('is renewed as for a send when the network ended it early, and nothing is foretold', async () => {
    const outcome = await readAfter((own) => forget(own, ['grant access']));
    expect(outcome).toEqual({ noted: { refusal: null }, codes: [], status: 'Published' });
  });

  test('is foretold when the network gives no new access either', async () => {
    const outcome = await readAfter((own) => forget(own, ['grant access', 'grant refresh']));
    expect(outcome).toEqual({ noted: { refusal: null }, codes: ['sign_in_ends: sign-in refused'], status: 'Failed' });
  });
});

describe('the rules', () => {
  const nowMs = Date.UTC(2026, 10, 17);
  const situation = (change: Partial<Situation>): Situation => ({
    nowMs,
    accounts: new Map(),
    issues: new Map(),
    posts: [{ id: 'post_1', atMs: nowMs + 10 * dayMs, accountIds: ['acct_1'], text: '' }],
    fullUntilMs: new Map(),
    minutes: new Map(),
    refusedPermissions: new Map(),
    plan: {
      name: 'Unlimited',
      paidNetworks: true,
      scheduledPerMonth: null,
      paidPostsPerMonth: null,
      used: { scheduled: 0, paidPosts: 0 },
    },
    slots: { timeZone: 'UTC', slots: [] },
    clockChanges: [],
    deleteAt: undefined,
    ...change,
  });
  const codesIn = (change: Partial<Situation>) =>
    (findEntries(situation(change)).get('post_1') ?? []).map(({ code, level }) => `${level} ${code}`);

  test('a post whose account does not exist is foretold and breaks nothing', () => {
    expect(codesIn({})).toEqual(['Blocks disconnected']);
  });

  const account = (network: string, api: object = {}) => ({
    id: 'acct_1',
    network: service.posthorn.networks.get(network),
    name: 'Anna',
    status: 'Connected' as const,
    connectedAt: '2026-11-01T00:00:00.000000Z',
    canPublish: true,
    hasEndDate: true,
    api,
    facts: 'null',
  });

  test('a version of an API that ends before the post is a warning, and none with a later version', () => {
    const with202511 = (endsOn: string) => {
      const api = { version: '202511', endsOn, setting: 'LINKEDIN_VERSION' };
      return { accounts: new Map([['acct_1', account('linkedin', api)]]) };
    };
    expect(codesIn(with202511('2026-11-20'))).toEqual(['Warns api_version']);
    expect(codesIn(with202511('2027-11-15'))).toEqual([]);
  });

  test.each([
    ['instagram', 100, 24, 'Blocks'],
    ['threads', 250, 24, 'Blocks'],
    // The post waits, and goes out late.
    ['x', 300, 3, 'Warns'],
  ])('%s takes %i posts in any %i hours', (network, quota, hours, level) => {
    const accounts = new Map([['acct_1', account(network)]]);
    const atMs = nowMs + hours * 3_600_000;
    const posts = [{ id: 'post_1', atMs, accountIds: ['acct_1'], text: '' }];
    const afterPosts = (count: number, ageMs: number) => {
      const times = Array.from({ length: count }, (_, n) => atMs - hours * 3_600_000 + ageMs + n);
      const { untilMs } = findFullUntil(posts, { posts: quota, hours }, times);
      const fullUntilMs = new Map([...untilMs].map(([id, ms]) => [limitKey(id, 'acct_1'), ms]));
      return codesIn({ accounts, posts, fullUntilMs });
    };
    expect(afterPosts(quota, 60_000)).toEqual([`${level} network_quota`]);
    expect(afterPosts(quota - 1, 60_000)).toEqual([]);
    expect(afterPosts(quota, -60_000)).toEqual([]);
  });
});

test('the app reads days, posts and what cannot be known in one answer', async () => {
  const account = await service.connect('mastodon', { handle: 'overview', without: ['write:statuses'] });
  const id = await plan([account], inDays(3));
  await foretold(id, 'permission');
  const browser = service.browser();
  await browser.signIn();
  const { status, body } = await browser.get('/api/app/forecast?timeZone=Europe/Berlin');
  expect(status).toBe(200);
  expect(body.days).toHaveLength(30);
  expect(body.posts.map((post: { id: string }) => post.id)).toContain(id);
  expect(body.blocked).toBeGreaterThanOrEqual(1);
  expect(body.unknown).toContain('Mastodon');
  const { posts } = await service.client.posts.list({ status: 'Scheduled' });
  expect(posts.find((post) => post.id === id)?.forecast).toMatchObject([{ code: 'permission' }]);
  const { summaries = [] } = await service.client.posts.list({ status: 'Scheduled', view: 'summary' });
  expect(summaries.find((line) => line.id === id)?.forecast).toMatchObject([{ code: 'permission' }]);
  await service.asHuman('posts.delete', { id });
});

test('a check that was lost with its process is made up for', async () => {
  const account = await service.connect('mastodon', { handle: 'lost-check', without: ['write:statuses'] });
  const id = await plan([account], inDays(3));
  await foretold(id, 'permission');
  await run('forgetRows', 'delete from forecasts where post_id = $1', [id]);
  await run('forgetCheck', 'delete from forecast_checks where workspace_id = $1', [service.owner.workspaceId]);
  expect(await entryOf(id, 'permission')).toBeUndefined();
  await service.runChore('find posts without a forecast');
  await foretold(id, 'permission');
});

test('a check that another process overtook is not saved, but made again', async () => {
  const { database, outbound, seal, config, log } = service;
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  let isReady = false;
  const slow: typeof database = {
    ...database,
    transaction: async (work) => {
      isReady = true;
      await held;
      return database.transaction(work);
    },
  };
  const clock = createMovableClock();
  const other = openPosthorn({ database: slow, outbound, seal, config, clock, ownUrl: () => '', log });
  await other.sandboxClock.read();
  const overtaken = await plan([await service.connect('mastodon', { handle: 'overtaken' })], inDays(3));
  await until('its forecast is current', async () => {
    const current = `select 1 from forecasts f join forecast_checks c using (workspace_id)
      where f.post_id = $1 and c.started_at is null and c.due_at > posthorn_now() + interval '1 hour'`;
    return (await run('current', current, [overtaken])).length > 0;
  });
  await run('due', 'update forecast_checks set due_at = posthorn_now()', []);
  const checking = other.jobs.runDue(['forecasts']);
  await until('the other process has read all posts', () => isReady);
  const account = await service.connect('mastodon', { handle: 'overtaking', without: ['write:statuses'] });
  const id = await plan([account], inDays(4));
  await foretold(id, 'permission');
  // From here on, only the repeated check can write these rows.
  await run('forgetForecast', 'delete from forecasts where post_id = $1', [id]);
  go();
  await checking;
  const checksWithCause = `select 1 from forecast_checks where 'Blocks permission ' || $1 = any (told)`;
  expect(await run('checksWithCause', checksWithCause, [account])).toHaveLength(1);
  expect(await entryOf(id, 'permission')).toBeDefined();
});

test('a check that failed is made a minute later', async () => {
  const account = await service.connect('mastodon', { handle: 'twice-a-minute' });
  await run(
    'refuse',
    `create function refuse_forecasts() returns trigger language plpgsql as $$ begin raise 'no disk'; end $$`,
    [],
  );
  await run('refuseRows', 'create trigger refuse before insert on forecasts execute function refuse_forecasts()', []);
  const at = inDays(3);
  const [id] = [await plan([account], at), await plan([account], at)];
  const laterIn = `select 1 from forecast_checks where due_at between posthorn_now() + interval '1 second' and posthorn_now() + interval '1 minute'`;
  await until('it is to be made later', async () => (await run('later', laterIn, [])).length > 0);
  await run('takeRows', 'drop function refuse_forecasts cascade', []);
  expect(await entryOf(id, 'same_minute')).toBeUndefined();
  await service.clock.forward(minuteMs);
  await foretold(id, 'same_minute');
});

test('in a random month every failure was foretold, and nothing that was blocked went out', async () => {
  const random = randomOf(29);
  const steady = await service.connect('mastodon', { handle: 'month-steady' });
  const shy = await service.connect('mastodon', { handle: 'month-shy', without: ['write:statuses'] });
  const refused = await service.connect('mastodon', { handle: 'month-refused' });
  const leaving = await service.connect('bluesky', { handle: 'month-leaving' });
  const ending = await service.connect('linkedin', { handle: 'selfserve-month' });
  // Its sign-in ends in the middle of the month.
  await service.clock.forward(47 * dayMs);
  const accounts = [steady, shy, refused, leaving, ending];
  const start = service.clock.now().getTime();
  const forwardTo = (ms: number) => service.clock.forward(Math.max(ms - service.clock.now().getTime(), 0));
  const due: { id: string; atMs: number }[] = [];
  const lostFiles: string[] = [];
  for (let n = 0; n < 36; n++) {
    const chosen = accounts.filter((id) => id === steady || random(3) === 0);
    const atMs = start + dayMs + random(28 * 24 * 60) * minuteMs;
    const at = new Date(atMs).toISOString();
    const hasFile = random(6) === 0;
    const file = hasFile ? await service.addFile() : undefined;
    if (file !== undefined) lostFiles.push(file);
    due.push({ id: await plan(chosen, at, { media: file === undefined ? [] : [file] }), atMs });
  }
  due.sort((a, b) => a.atMs - b.atMs);
  const posts = due.map(({ id }) => id);
  const happenings: Record<number, () => Promise<unknown>> = {
    6: async () => {
      const { id } = await service.client.posts.create({
        body: 'This month [sandbox:refused-token]',
        accountIds: [refused],
      });
      await service.asHuman('posts.publishNow', { id });
      await until('it failed', async () => (await service.client.posts.get({ id })).status === 'Failed');
    },
    10: () => service.asHuman('accounts.delete', { id: leaving }),
    12: async () => {
      await run('loseFiles', 'delete from media where id = any($1)', [lostFiles]);
      await announce('media', lostFiles[0]);
    },
  };
  /** The last forecast for each account before its post was due. */
  const seen = new Map<string, ForecastEntry[]>();
  for (let day = 0; day < 30; day++) {
    await happenings[day]?.();
    const { checkedAt: before = '' } = await lastCheck();
    await announce('account');
    await until(
      'the forecast is current',
      async () => ((await lastCheck()).checkedAt ?? '') > before || (await isNothingPlanned()),
    );
    const scheduled = await service.client.posts.list({ status: 'Scheduled', limit: 100 });
    expect(scheduled.nextCursor).toBeUndefined();
    for (const { id, forecast = [] } of scheduled.posts) seen.set(id, forecast);
    // Each at its own time: a jump over all of them would send the first ones late.
    const dayEndMs = start + (day + 1) * dayMs;
    for (const { id, atMs } of due.filter((one) => one.atMs >= dayEndMs - dayMs && one.atMs < dayEndMs)) {
      await forwardTo(atMs + 1000);
      await until('it has ended', async () =>
        ['Published', 'Failed'].includes((await service.client.posts.get({ id })).status),
      );
    }
    await forwardTo(dayEndMs);
  }
  const table = new Map<string, { failed: number; foretold: number }>();
  const wrong: unknown[] = [];
  let blocked = 0;
  for (const id of posts) {
    const { results } = await service.client.posts.get({ id });
    for (const { accountId, ok, error } of results) {
      const blocks = (seen.get(id) ?? []).filter((entry) => entry.level === 'Blocks' && entry.accountId === accountId);
      if (blocks.length > 0) blocked++;
      if (ok && blocks.length > 0) wrong.push({ id, accountId, blocks });
      if (ok) continue;
      const row = table.get(error?.code ?? '') ?? { failed: 0, foretold: 0 };
      table.set(error?.code ?? '', { failed: row.failed + 1, foretold: row.foretold + (blocks.length > 0 ? 1 : 0) });
      if (blocks.length === 0) wrong.push({ id, accountId, error });
    }
  }
  expect(wrong).toEqual([]);
  expect([...table.keys()].sort()).toEqual(['disconnected', 'invalid', 'permission', 'reconnect']);
  expect([...table.values()].reduce((sum, { failed }) => sum + failed, 0)).toBe(blocked);
});

const lastCheck = async (): Promise<{ checkedAt?: string }> => {
  const text = 'select checked_at as "checkedAt" from forecast_checks where workspace_id = $1';
  return ((await run('checkedAt', text, [service.owner.workspaceId])) as { checkedAt: string }[])[0] ?? {};
};
const isNothingPlanned = async () => (await service.client.posts.list({ status: 'Scheduled' })).posts.length === 0;
