import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Post } from '#contracts/posts';
import { type Embedded, startEmbedded } from '#server/store/embedded';
import { urlOf } from '#test/support/database';
import { createProcesses, freePort, type Processes, type Running } from '#test/support/processes';
import { type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';
import { until } from '#test/support/until';

/** `npm run chaos` runs it at length. */
const { posts, kills, overMs } =
  process.env.CHAOS === 'long' ? { posts: 300, kills: 14, overMs: 45_000 } : { posts: 60, kills: 4, overMs: 10_000 };

const networks = ['x', 'bluesky'];
const leaseSeconds = 5;
const folder = mkdtempSync(join(tmpdir(), 'posthorn-chaos-'));
chmodSync(folder, 0o711);
let postgres: Embedded;
let sandbox: SandboxNetworks;
let processes: Processes;
let database: pg.Pool;

beforeAll(async () => {
  postgres = await startEmbedded(folder);
  // As long as a network may take, so that a kill finds many sends under way.
  sandbox = await startSandboxNetworks({ delayMs: () => 60 + Math.random() * 80 });
  processes = await createProcesses(undefined, {
    DATABASE_URL: urlOf(postgres.config),
    SANDBOX_URL: sandbox.url,
    SEND_LEASE_SECONDS: String(leaseSeconds),
    NETWORK_TIMEOUT_SECONDS: '5',
    REQUESTS_PER_MINUTE: '100000',
    LOG_LEVEL: 'error',
  });
  database = new pg.Pool({ ...postgres.config, max: 2 });
  database.on('error', () => undefined);
});
afterAll(async () => {
  await database.end();
  await processes.clear();
  await sandbox.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  'of two instances one is killed again and again, the database is restarted, and no account gets a post twice',
  async () => {
    const { workspaceId = '' } = await processes.ask(
      'setup',
      '--email',
      'a@example.com',
      '--password',
      'correct horse',
      '--workspace',
      'Demo',
    );
    const accountIds: string[] = [];
    for (const network of networks) {
      accountIds.push(
        (await processes.ask('account', 'add', '--workspace', workspaceId, '--network', network)).id ?? '',
      );
    }
    const ports = [await freePort(), await freePort()];
    const startOn = (port: number) => processes.start(undefined, { PORT: String(port) });
    const instances: Running[] = [await startOn(ports[0] ?? 0), await startOn(ports[1] ?? 0)];

    const human = await instances[0]?.signIn({ email: 'a@example.com', password: 'correct horse' });
    if (human === undefined) throw new Error('nothing runs');
    const begin = Date.now() + 3_000;
    for (let i = 0; i < posts; i++) {
      const post = await human('/api/app/actions/posts.create', { accountIds, body: `Chaos number ${i}.` });
      const at = new Date(Math.max(begin, Date.now() + 5_000) + (i / posts) * overMs).toISOString();
      await human('/api/app/actions/posts.schedule', { id: post.id, at });
    }

    await until('the first have left', async () => (await sandbox.sandboxes.feed('x', 1)).length > 0);
    for (let kill = 0; kill < kills; kill++) {
      await sleep(overMs / kills / 2);
      const victim = kill % 2;
      instances[victim]?.kill('SIGKILL');
      await instances[victim]?.ended;
      if (kill === Math.floor(kills / 2)) {
        await postgres.stop();
        await sleep(300);
        postgres = await startEmbedded(folder);
      }
      instances[victim] = await startOn(ports[victim] ?? 0);
    }

    // What was in hand at a kill is found when its lease has ended.
    const open = async () =>
      (await database.query(`select id from posts where status in ('Scheduled', 'Publishing')`)).rows.length;
    // When the clock moves, another process would take what is being sent.
    const isQuiet = async () => {
      const { rowCount } = await database.query(
        `select from posts where status = 'Scheduled'
         union all select from sends where due_at < posthorn_now() + interval '${leaseSeconds + 1} seconds'`,
      );
      return rowCount === 0;
    };
    await until('nothing is being sent', isQuiet, 60_000 + overMs);
    for (let minute = 0; (await open()) > 0 && minute < 30; minute++) {
      sandbox.forward(60_000);
      await processes.ask('clock', '--forward', '1m');
      await until('nothing is being sent', isQuiet);
    }
    expect(await open()).toBe(0);

    const { rows } = await database.query<{
      id: string;
      status: Post['status'];
      results: Post['results'];
      body: string;
    }>(`select id, status, results, versions -> 0 -> 'content' -> 0 ->> 'body' as body from posts`);
    expect(rows).toHaveLength(posts);
    const feeds = await Promise.all(networks.map(async (network) => sandbox.sandboxes.feed(network, 10_000)));
    for (const { status, results, body } of rows) {
      expect(results.map(({ accountId }) => accountId)).toEqual(accountIds);
      for (const [index, { ok, uncertain, error }] of results.entries()) {
        const seen = feeds[index]?.filter(({ text }) => text === body).length ?? 0;
        expect(seen, `${body} on ${networks[index]}`).toBeLessThanOrEqual(1);
        if (ok) expect(seen, `${body} is said to be on ${networks[index]}`).toBe(1);
        else if (!uncertain) expect(seen, `${body} is said not to be on ${networks[index]}: ${error?.code}`).toBe(0);
      }
      expect(status).toBe(results.every(({ ok }) => ok) ? 'Published' : 'Failed');
    }
    const events = await database.query<{ post: string; type: string }>(
      `select data -> 'post' ->> 'id' as post, type from events where type like 'post.%'`,
    );
    expect(events.rows).toHaveLength(posts);
    const status = new Map(
      rows.map((post) => [post.id, post.status === 'Published' ? 'post.published' : 'post.failed']),
    );
    for (const { post, type } of events.rows) expect(type).toBe(status.get(post));
    const okCount = rows.flatMap(({ results }) => results).filter(({ ok }) => ok).length;
    // Kills hit some, but most of it is out.
    expect(okCount).toBeGreaterThan(posts);
  },
  300_000 + overMs,
);
