import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Account } from '#contracts/accounts';
import type { ApprovalCard } from '#contracts/approvals';
import type { Post, Result } from '#contracts/posts';
import type { Delivery, Webhook } from '#contracts/webhooks';
import { Posthorn as Client } from '#packages/sdk/src/index';
import { type Config, readConfig } from '#server/base/config/config';
import { createLog } from '#server/base/logging/log';
import { demoZone } from '#server/wiring/demo/local-time';
import { type Demo, makeDemo } from '#server/wiring/demo/make';
import { type RunningService, start } from '#server/wiring/main';
import { openService } from '#server/wiring/open-service';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { freePort } from '#test/support/processes';

// A month takes its time on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const dayMs = 24 * 3_600_000;

let databases: FreshDatabase[] = [];
let folders: string[] = [];

/** A database and a data folder of their own. */
const freshConfig = async (settings: NodeJS.ProcessEnv = {}): Promise<Config> => {
  const fresh = await freshDatabase({ isMigrated: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-demo-'));
  databases.push(fresh);
  folders.push(dataDir);
  return readConfig({
    PORT: String(await freePort()),
    POSTHORN_DATA: dataDir,
    DATABASE_URL: urlOf(fresh.parts),
    LOG_LEVEL: 'error',
    ...settings,
  });
};

const clear = async () => {
  for (const { drop } of databases) await drop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
  databases = [];
  folders = [];
};

describe('a demo', () => {
  let config: Config;
  let demo: Demo;
  const said: string[] = [];
  let service: RunningService;
  let cookie = '';
  let client: Client;
  let posts: Post[];
  let accounts: Account[];

  const get = async <T>(path: string): Promise<T> => {
    const answer = await fetch(service.url + path, { headers: { cookie } });
    expect([path, answer.status]).toEqual([path, 200]);
    return (await answer.json()) as T;
  };
  const networkOf = ({ accountId }: Result) => accounts.find(({ id }) => id === accountId)?.network;
  const titled = (title: string) => {
    const found = posts.find(({ versions }) => versions[0]?.content[0]?.body.startsWith(title));
    if (found === undefined) throw new Error(`no post ${title}`);
    return found;
  };
  const count = (status: Post['status']) => posts.filter((post) => post.status === status).length;

  beforeAll(async () => {
    config = await freshConfig();
    demo = await makeDemo(config, { progress: (text) => said.push(text) });
    service = await start(config);
    const answer = await fetch(`${service.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { origin: config.baseUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ email: demo.email, password: demo.password }),
    });
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    client = new Client({ token: () => demo.token, baseUrl: service.url, maxRetries: 0 });
    ({ posts } = await client.posts.list({ limit: 100 }));
    ({ accounts } = await client.accounts.list({}));
  });

  afterAll(async () => {
    await service?.stop();
    await clear();
  });

  test('ends at the present, and says on the way how far it is', async () => {
    const { now } = await get<{ now: string }>('/api/app/sandbox/clock');
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000);
    expect(said).toContain('Living through day 20 of 35');
  });

  test('has an owner who can sign in, two more members and an invitation', async () => {
    const { members } = await get<{ members: { email: string; role: string }[] }>('/api/app/members');
    expect(members.map(({ email, role }) => [email, role])).toEqual([
      ['marta@ryeandember.example', 'owner'],
      ['jonas@ryeandember.example', 'admin'],
      ['ines@ryeandember.example', 'editor'],
    ]);
  });

  test('has thirteen accounts, one to be reconnected and one without statistics', () => {
    expect(new Set(accounts.map(({ network }) => network)).size).toBe(13);
    expect(accounts.filter(({ status }) => status === 'NeedsReconnect').map(({ network }) => network)).toEqual([
      'linkedin_page',
    ]);
    expect(accounts.filter(({ statistics }) => statistics === 'Reconnect').map(({ network }) => network)).toEqual([
      'threads',
    ]);
  });

  test('has handles that differ, and times of day in the zone of its people', async () => {
    expect(new Set(accounts.map(({ handle }) => handle)).size).toBe(accounts.length);
    const { user } = await get<{ user: { timeZone: string } }>('/api/auth/session');
    expect(user.timeZone).toBe(demoZone());
    const hour = new Intl.DateTimeFormat('en-GB', { timeZone: user.timeZone, hour: '2-digit', hourCycle: 'h23' });
    const hours = posts.flatMap(({ scheduledAt }) => (scheduledAt ? [Number(hour.format(new Date(scheduledAt)))] : []));
    expect(hours.filter((one) => one < 7 || one > 20)).toEqual([]);
    // A post about Saturday goes out on a Friday.
    const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: user.timeZone, weekday: 'long' });
    const { cards } = await get<{ cards: ApprovalCard[] }>('/api/approvals');
    const birthday = cards.find(
      ({ post, action }) => post?.id === titled('Birthday of the starter').id && action === 'posts.schedule',
    );
    expect(weekday.format(new Date(String(birthday?.input.at)))).toBe('Friday');
  });

  test('has posts of every state, over the last weeks and the next', () => {
    expect(posts.length).toBeGreaterThanOrEqual(60);
    expect(posts.length).toBeLessThanOrEqual(85);
    expect(count('Published')).toBeGreaterThanOrEqual(40);
    expect(count('Scheduled')).toBeGreaterThanOrEqual(8);
    expect(count('Draft')).toBeGreaterThanOrEqual(6);
    expect(count('Failed')).toBe(3);
    expect(count('Publishing')).toBe(0);
    const times = posts.flatMap(({ scheduledAt }) => (scheduledAt ? [Date.parse(scheduledAt)] : []));
    const now = Date.now();
    expect(Math.min(...times)).toBeLessThan(now - 30 * dayMs);
    expect(Math.max(...times)).toBeGreaterThan(now + 7 * dayMs);
    expect(posts.some(({ versions }) => versions[0]?.content[0]?.body === '')).toBe(true);
  });

  test('published every post at its time', () => {
    const late = posts.flatMap(({ scheduledAt = '', results }) =>
      results.flatMap(({ publishedAt }) =>
        publishedAt && scheduledAt ? [Date.parse(publishedAt) - Date.parse(scheduledAt)] : [],
      ),
    );
    expect(late.length).toBeGreaterThan(80);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(15 * 60_000);
  });

  test('has a thread with a text of its own for one account, options and media, some without alt text', async () => {
    const { versions } = titled('Birthday of the starter');
    expect(versions[0]?.content).toHaveLength(2);
    expect(versions[0]?.content[0]?.media).toHaveLength(3);
    expect(versions[0]?.options).toHaveProperty(['pinterest.board']);
    expect(versions).toHaveLength(3);
    const { media: items } = await client.media.list({ limit: 100 });
    expect(items.length).toBeGreaterThanOrEqual(14);
    expect(items.some(({ kind }) => kind === 'Video')).toBe(true);
    expect(items.some(({ alt }) => alt === undefined)).toBe(true);
    const bytes = await fetch(items[0]?.url ?? '');
    expect(bytes.status).toBe(200);
  });

  test('failed on one of two accounts, whose sign-in was refused', () => {
    const { status, results } = titled('How to keep a loaf fresh');
    expect(status).toBe('Failed');
    expect(results.map((result) => [networkOf(result), result.ok, result.error?.code])).toEqual([
      ['x', true, undefined],
      ['linkedin_page', false, 'reconnect'],
    ]);
  });

  test('foretells that a scheduled post will not go out there', async () => {
    const { id } = titled('We are looking for a second apprentice');
    await expect
      .poll(async () => (await client.posts.get({ id })).forecast?.map(({ code, level }) => `${level} ${code}`))
      .toEqual(['Blocks reconnect']);
  });

  test('failed on Bluesky with a picture, in words that say why and what to do', () => {
    const { results } = titled('Cinnamon or cardamom');
    expect(results.find((result) => networkOf(result) === 'bluesky')?.error?.message).toBe(
      'Bluesky refused the media: the server of the account accepts no file as large as this one. Change the media, then publish again.',
    );
  });

  test('does not know what became of a post that Mastodon took before it went down', async () => {
    const { results } = titled('New on the shelf: seeded spelt');
    expect(results.map((result) => [networkOf(result), result.ok, result.uncertain])).toEqual([
      ['x', true, false],
      ['bluesky', true, false],
      ['mastodon', false, true],
    ]);
  });

  test('has numbers, read at their times', async () => {
    const to = Date.now();
    const summary = await client.analytics.summary({
      from: new Date(to - 30 * dayMs).toISOString(),
      to: new Date(to).toISOString(),
    });
    expect(summary.totals.posts).toBeGreaterThan(30);
    expect(summary.totals.engagement).toBeGreaterThan(1000);
    expect(summary.totals.views).toBeGreaterThan(10_000);

    const old = posts.filter(({ status, results }) => status === 'Published' && results.length > 0).at(-1);
    const { accounts: told } = await get<{ accounts: { reads: { fetchedAt: string; likes?: number }[] }[] }>(
      `/api/app/posts/${old?.id}/history`,
    );
    const published = Date.parse(old?.results[0]?.publishedAt ?? '');
    const hours = told[0]?.reads.map(({ fetchedAt }) => Math.round((Date.parse(fetchedAt) - published) / 3_600_000));
    expect(hours?.slice(0, 5)).toEqual([1, 6, 24, 72, 168]);
  });

  test('has cards of two clients: open, approved, rejected, outdated and expired', async () => {
    const { cards } = await get<{ cards: ApprovalCard[] }>('/api/approvals');
    const open = cards.filter(({ status }) => status === 'Open');
    expect(open.map(({ client: name, action }) => `${name} ${action}`).sort()).toEqual([
      'Claude Code posts.publishNow',
      'Claude Code posts.schedule',
      'Cursor posts.delete',
    ]);
    for (const { id } of open) {
      const { post, validation } = await get<ApprovalCard>(`/api/approvals/${id}`);
      expect([post?.versions[0]?.content[0]?.body.slice(0, 20), validation?.issues]).toEqual([expect.anything(), []]);
    }
    const states = cards.map(({ status }) => status);
    expect(states).toEqual(expect.arrayContaining(['Approved', 'Rejected', 'Outdated', 'Expired']));
  });

  test('has webhooks with deliveries that came, are tried again and were given up, and one that is paused', async () => {
    const { webhooks } = await get<{ webhooks: Webhook[] }>('/api/webhooks');
    expect(webhooks.map(({ state }) => state)).toEqual(['active', 'paused', 'active']);
    expect(webhooks.every(({ url }) => url.startsWith('https://'))).toBe(true);
    const { deliveries } = await get<{ deliveries: Delivery[] }>(`/api/webhooks/${webhooks[0]?.id}/deliveries`);
    expect(deliveries.filter(({ state }) => state === 'delivered').length).toBeGreaterThan(10);
    const pending = deliveries.filter(({ state }) => state === 'pending');
    expect(pending).toMatchObject([{ type: 'post.failed' }]);
    // Two hours ago by day, the evening before by night.
    expect(pending[0]?.attempts).toBeGreaterThanOrEqual(4);
    expect(deliveries.filter(({ state }) => state === 'failed')).toMatchObject([{ type: 'post.failed', attempts: 8 }]);
    expect(deliveries.some(({ state, attempts }) => state === 'delivered' && attempts === 2)).toBe(true);
  });

  test('has tokens and an audit log', async () => {
    const tokens = await get<{ name: string; lastUsedAt?: string }[]>('/api/auth/tokens');
    expect(tokens.map(({ name }) => name).sort()).toEqual(['Claude Code', 'Cursor']);
    const { entries } = await get<{ entries: { event: string }[] }>('/api/app/audit');
    expect(entries.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        ...['member.invited', 'member.joined', 'token.created', 'token.revoked', 'account.connected'],
        ...['webhook.added', 'webhook.paused'],
        ...['approval.requested', 'approval.approved', 'approval.rejected', 'approval.outdated'],
      ]),
    );
  });
});

describe('where no demo can be', () => {
  afterAll(clear);

  test('production has none', async () => {
    const config = { ...(await freshConfig()), production: true };
    await expect(makeDemo(config)).rejects.toThrow('There is no demo in production');
  });

  test('a live network is left alone', async () => {
    const config = await freshConfig({ X_CLIENT_ID: 'a', X_CLIENT_SECRET: 'b' });
    await expect(makeDemo(config)).rejects.toThrow(/would be the real one\. Unset X_CLIENT_ID/);
  });

  test('a sandbox elsewhere has a clock of its own', async () => {
    await expect(makeDemo(await freshConfig({ SANDBOX_URL: 'http://127.0.0.1:1' }))).rejects.toThrow(
      /Unset SANDBOX_URL/,
    );
  });

  test('while Posthorn runs on the database, its clock is left alone', async () => {
    const config = await freshConfig();
    const service = await start(config);
    await expect(makeDemo(config)).rejects.toThrow(/^Posthorn is running on this database, .+ Stop it/);
    expect(await service.posthorn.sandboxClock.offsetMs()).toBe(0);
    await service.stop();
  });

  test('a second one wants to be asked for, and the clock is as before', async () => {
    const config = await freshConfig();
    const opened = await openService(config, createLog(config));
    await opened.posthorn.people.setUp({ email: 'me@example.com', workspace: 'Rye & Ember' });
    await opened.posthorn.sandboxClock.forward(3_600_000);
    await expect(makeDemo(config)).rejects.toThrow(
      /^There is a demo already: the workspace Rye & Ember \(ws_.+--again/,
    );
    expect(await opened.posthorn.sandboxClock.offsetMs()).toBe(3_600_000);
    await opened.close();
  });

  test('a clock that a killed demo left in the past keeps the service from starting', async () => {
    const config = await freshConfig();
    const opened = await openService(config, createLog(config));
    await opened.posthorn.sandboxClock.setOffset(-3 * dayMs);
    await opened.close();
    await expect(start(config)).rejects.toThrow(/is in the past.+demo --again/);
  });
});
