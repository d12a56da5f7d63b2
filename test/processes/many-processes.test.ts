import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Posthorn } from '#packages/sdk/src/index';
import { migrations } from '#server/base/store/migrations/index';
import { startBalancer } from '#test/support/balancer';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { setUpInstallation } from '#test/support/installation';
import { modern, speak } from '#test/support/mcp';
import { createProcesses, freePort, type Processes, type Running } from '#test/support/processes';
import { type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';
import { buildProgram } from '#test/support/shared';
import { until } from '#test/support/until';

const here = resolve(import.meta.dirname, '../..');
const person = { email: 'a@example.com', password: 'correct horse' };
const adminToken = 'long enough for an operator';
const scheduled = 20;
const overMs = 14_000;
const leaseSeconds = 5;

let fresh: FreshDatabase;
let sandbox: SandboxNetworks;
let database: pg.Pool;
let balancer: Awaited<ReturnType<typeof startBalancer>>;
let ports: number[];
let old: Processes;
let next: Processes;
/** With a database of its own. */
let alone: Processes | undefined;
let token: string;
let accountId: string;
const oldRoot = mkdtempSync(join(tmpdir(), 'posthorn-old-'));
const nextRoot = mkdtempSync(join(tmpdir(), 'posthorn-next-'));

const newest = migrations.length;
const lastEntry = new RegExp(`\\{ number: ${newest}, name: .+ \\},?`, 'g');

/** Creates a release of its own from what is built here. */
const buildRelease = (root: string, changes: readonly (readonly [RegExp, (found: string) => string])[]) => {
  mkdirSync(join(root, 'dist'));
  for (const name of ['node_modules', 'openapi']) symlinkSync(join(here, name), join(root, name));
  for (const name of ['package.json', 'scripts/posthorn.mjs', 'scripts/node-version.mjs'])
    cpSync(join(here, name), join(root, name));
  const changed = changes.map(() => 0);
  for (const name of readdirSync(join(here, 'dist')).filter((one) => one.endsWith('.js'))) {
    const text = changes.reduce(
      (before, [what, change], index) =>
        before.replace(what, (found) => {
          changed[index] = (changed[index] ?? 0) + 1;
          return change(found);
        }),
      readFileSync(join(here, 'dist', name), 'utf8'),
    );
    writeFileSync(join(root, 'dist', name), text);
  }
  expect(changed).not.toContain(0);
};

const buildReleases = async () => {
  await buildProgram();
  buildRelease(oldRoot, []);
  // The next release adds something, then removes something, and checks more often whether it may.
  const added = `alter table posts add column fixture text; create index fixture on posts (fixture) where fixture is not null`;
  const adding = `{ number: ${newest + 1}, name: 'adding', sql: '${added}' }`;
  const contracting = `{ number: ${newest + 2}, name: 'contracting', sql: 'drop index fixture', contracts: true }`;
  buildRelease(nextRoot, [
    [lastEntry, (last) => `${last.replace(/,?$/, '')}, ${adding}, ${contracting}`],
    [/postponedRetryMs = \w+/, () => 'postponedRetryMs = 300'],
  ]);
};

beforeAll(async () => {
  await buildReleases();
  fresh = await freshDatabase();
  const { host, user = '', password = '', database: name } = fresh.parts;
  sandbox = await startSandboxNetworks({ delayMs: () => 20 + Math.random() * 60 });
  ports = [await freePort(), await freePort(), await freePort()];
  balancer = await startBalancer(ports);
  const shared = {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`,
    DATABASE_POOL: '2',
    BASE_URL: balancer.url,
    SANDBOX_URL: sandbox.url,
    SEND_LEASE_SECONDS: String(leaseSeconds),
    NETWORK_TIMEOUT_SECONDS: '10',
    REQUESTS_PER_MINUTE: '100000',
    LOG_LEVEL: 'error',
  };
  old = await createProcesses(oldRoot, shared);
  const made = await setUpInstallation(old.settings, person, ['x']);
  token = made.token;
  [accountId = ''] = made.accountIds;
  next = await createProcesses(nextRoot, { ...shared, POSTHORN_DATA: old.dataDir });
  database = new pg.Pool({ ...fresh.parts, max: 2 });
  database.on('error', () => undefined);
});

afterAll(async () => {
  await alone?.clear();
  await balancer.stop();
  await database.end();
  await next.clear();
  await old.clear();
  await sandbox.stop();
  await fresh.drop();
  for (const root of [oldRoot, nextRoot]) rmSync(root, { recursive: true });
});

/** Repeats the work until told to stop, and collects errors. */
const keepOn = (work: () => Promise<unknown>) => {
  const troubles: unknown[] = [];
  let rounds = 0;
  let goesOn = true;
  const done = (async () => {
    while (goesOn) {
      await work().catch((error: unknown) => troubles.push(error));
      rounds++;
      await sleep(100);
    }
  })();
  return async () => {
    goesOn = false;
    await done;
    return { troubles, rounds };
  };
};

/** Waits and retries like the generated SDK for a read-only call. */
const likeTheSdk = async (work: () => Promise<{ status: number }>) => {
  for (let retries = 0; ; retries++) {
    const { status } = await work().catch(() => ({ status: 0 }));
    if (status === 200) return;
    if (retries === 2 || (status >= 400 && status < 500)) throw new Error(`answered ${status}`);
    await sleep(500 * 2 ** retries);
  }
};

/** A tab that reconnects like a browser and records the events it has seen. */
const openTab = (cookie: string) => {
  const heard = new Map<string, number>();
  let last: string | undefined;
  let resyncs = 0;
  const stop = new AbortController();
  const read = async () => {
    const headers = { cookie, ...(last !== undefined && { 'last-event-id': last }) };
    const response = await fetch(`${balancer.url}/api/app/events`, { headers, signal: stop.signal });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk);
      const whole = text.split('\n\n');
      text = whole.pop() ?? '';
      for (const block of whole) {
        last = /^id: (\S+)$/m.exec(block)?.[1] ?? last;
        const id = /^data: .*"id":"(post_\w+)"/m.exec(block)?.[1];
        if (id !== undefined) heard.set(id, (heard.get(id) ?? 0) + 1);
        if (/^event: resync$/m.test(block)) resyncs++;
      }
    }
  };
  const done = (async () => {
    while (!stop.signal.aborted) {
      await read().catch(() => undefined);
      if (!stop.signal.aborted) await sleep(300);
    }
  })();
  return {
    heard,
    resyncs: () => resyncs,
    stop: async () => {
      stop.abort();
      await done;
    },
  };
};

const signIn = async () => {
  const headers = { origin: balancer.url, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(person) };
  const answer = await fetch(`${balancer.url}/api/auth/sign-in`, init);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const act = async (action: string, input: unknown) => {
    const sent = { ...init, headers: { ...headers, cookie }, body: JSON.stringify(input) };
    const response = await fetch(`${balancer.url}/api/app/actions/${action}`, sent);
    if (!response.ok) throw new Error(`${action}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };
  return { cookie, act };
};

const startOn = async (processes: Processes, index: number) => {
  const PORT = String(ports[index]);
  // One of them answers requests alone.
  const running = await processes.start(undefined, { PORT, POSTHORN_ROLE: index === 2 ? 'web' : 'all' });
  await until('the balancer sees it', () => balancer.ready().includes(ports[index] ?? 0));
  return running;
};

const applied = async () =>
  (await database.query<{ newest: number }>('select max(number)::int as newest from schema_migrations')).rows[0]
    ?.newest;

/** Due, or in hand for as long as its lease: when the clock moves, another process would take what is being sent. */
const isQuiet = async () => {
  const { rowCount } = await database.query(
    `select from posts where status = 'Scheduled'
     union all select from sends where due_at < posthorn_now() + interval '${leaseSeconds + 1} seconds'`,
  );
  return rowCount === 0;
};

const open = async () =>
  (await database.query(`select id from posts where status in ('Scheduled', 'Publishing')`)).rowCount ?? 0;

test('three processes, one killed, all replaced over a migration that contracts: callers see no error, and nothing is posted twice', {
  timeout: 300_000,
}, async () => {
  const instances: Running[] = await Promise.all(ports.map((_, index) => startOn(old, index)));
  const human = await signIn();
  const tab = openTab(human.cookie);
  const ids: string[] = [];
  const begin = Date.now() + 2_000;
  for (let i = 0; i < scheduled; i++) {
    const { id } = await human.act('posts.create', { accountIds: [accountId], body: `Rolling number ${i}.` });
    const at = new Date(Math.max(begin, Date.now() + 5_000) + (i / scheduled) * overMs).toISOString();
    await human.act('posts.schedule', { id, at });
    ids.push(id);
  }

  const client = new Posthorn({ token, baseUrl: balancer.url });
  const acknowledged: string[] = [];
  const writing = keepOn(async () => {
    const body = `Draft ${acknowledged.length}.`;
    const { id } = await client.posts.create({ body, accountIds: [accountId] });
    acknowledged.push(id);
    expect((await client.posts.get({ id })).versions[0]?.content[0]?.body).toBe(body);
  });
  const listing = keepOn(() => client.posts.list({ limit: 10 }));
  const agent = keepOn(() => likeTheSdk(() => speak(balancer.url, token, modern).ask('tools/list')));

  await until('the first have left', async () => (await sandbox.sandboxes.feed('x', 1)).length > 0);
  instances[0]?.kill('SIGKILL');
  await instances[0]?.ended;
  for (const index of ports.keys()) {
    if (index > 0) {
      instances[index]?.kill('SIGTERM');
      expect(await instances[index]?.ended).toMatchObject({ code: 0 });
    }
    if (index < ports.length - 1) {
      instances[index] = await startOn(next, index);
      // Both releases answer requests while the migration waits.
      expect(await applied()).toBe(newest + 1);
    }
  }
  // The last process of the old release has stopped, so a running process applies the migration.
  await until('the index is gone', async () => (await applied()) === newest + 2);
  instances[ports.length - 1] = await startOn(next, ports.length - 1);

  await sleep(500);
  for (const stop of [writing, listing, agent]) {
    const { troubles, rounds } = await stop();
    expect(troubles).toEqual([]);
    expect(rounds).toBeGreaterThan(20);
  }

  // Work that was in flight at the kill is picked up after its lease ends.
  await until('nothing is being sent', isQuiet);
  for (let minute = 0; (await open()) > 0 && minute < 20; minute++) {
    sandbox.forward(60_000);
    await next.ask('clock', '--forward', '1m');
    await until('nothing is being sent', isQuiet);
  }
  const feed = await sandbox.sandboxes.feed('x', 1_000);
  const ended = await database.query<{ id: string; ok: boolean; uncertain: boolean; body: string }>(
    `select id, (results -> 0 ->> 'ok')::boolean as ok, coalesce((results -> 0 ->> 'uncertain')::boolean, false) as uncertain,
            versions -> 0 -> 'content' -> 0 ->> 'body' as body
       from posts where id = any($1)`,
    [ids],
  );
  expect(ended.rows).toHaveLength(scheduled);
  for (const { ok, uncertain, body } of ended.rows) {
    const seen = feed.filter(({ text }) => text === body).length;
    if (uncertain) expect(seen, body).toBeLessThanOrEqual(1);
    else expect(seen, body).toBe(ok ? 1 : 0);
  }
  expect(ended.rows.filter(({ ok }) => ok).length).toBeGreaterThan(scheduled / 2);

  const drafts = await database.query<{ id: string }>(`select id from posts where versions::text like '%Draft %'`);
  expect(drafts.rows.map(({ id }) => id).sort()).toEqual(acknowledged.toSorted());

  // The tab has moved from one process to the next, and still hears.
  const { id: last } = await human.act('posts.create', { accountIds: [accountId], body: 'After all of it.' });
  await until('the tab hears of it', () => tab.heard.has(last));
  if (tab.resyncs() === 0) for (const id of ids) expect(tab.heard.has(id), id).toBe(true);
  await tab.stop();
  for (const instance of instances) {
    instance.kill('SIGKILL');
    await instance.ended;
  }
});

test('a process for the web claims nothing, and one for jobs does that work and answers for itself alone', async () => {
  const web = await startOn(next, 2);
  const human = await signIn();
  const { id } = await human.act('posts.create', { accountIds: [accountId], body: 'For another process.' });
  await human.act('posts.publishNow', { id });
  await sleep(1_500);
  const { rows } = await database.query('select since from sends where post_id = $1', [id]);
  expect(rows).toEqual([{ since: null }]); // nobody has claimed it

  const PORT = String(await freePort());
  const settings = { PORT, ADMIN_TOKEN: adminToken };
  const jobs = await next.start(/is ready at (\S+), for jobs/, settings, '--role', 'jobs');
  await until('it is out', async () => {
    const { rowCount } = await database.query(`select from posts where id = $1 and status = 'Published'`, [id]);
    return rowCount === 1;
  });
  const statusOf = async (path: string, headers = {}) =>
    (await fetch(`http://127.0.0.1:${PORT}${path}`, { headers })).status;
  expect(await statusOf('/healthz')).toBe(200);
  expect(await statusOf('/readyz')).toBe(200);
  expect(await statusOf('/metrics', { authorization: `Bearer ${settings.ADMIN_TOKEN}` })).toBe(200);
  for (const path of ['/', '/api/agent/tools', '/mcp', '/docs']) expect(await statusOf(path), path).toBe(404);
  for (const one of [web, jobs]) {
    one.kill('SIGTERM');
    expect(await one.ended).toMatchObject({ code: 0 });
  }
  expect(await next.run(['start', '--role', 'both'])).toMatchObject({
    code: 1,
    stderr: '--role must be one of web, jobs, all.\n',
  });
});

test('several processes of one start share its port and the embedded database; one that dies is replaced, and one that hangs does not keep the database running after a stop', async () => {
  alone = await createProcesses(undefined, {
    WEB_PROCESSES: '2',
    DATABASE_POOL: '2',
    ADMIN_TOKEN: adminToken,
    DRAIN_SECONDS: '2',
  });
  const parent = await alone.start();
  const children = () => childrenOf(parent.pid);
  const isReady = async () =>
    // Node may hand a connection to a worker that is just dying, and nobody then answers it.
    fetch(`${parent.url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('both run', () => children().length === 2);
  const [first = 0] = children();
  process.kill(first, 'SIGKILL');
  await until('another took its place', () => children().length === 2 && !children().includes(first));
  await until('it answers', isReady);
  const metrics = await fetch(`${parent.url}/metrics`, {
    headers: { authorization: `Bearer ${adminToken}` },
    signal: AbortSignal.timeout(30_000),
  });
  expect(await metrics.text()).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
  process.kill(children()[0] ?? 0, 'SIGSTOP');
  parent.kill('SIGTERM');
  expect(await parent.ended).toMatchObject({ code: 0 });
  expect(alone.postgres()).toBeUndefined();
});

/** Those that run the service, not the compiler or the database. */
const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const [, ppid] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        return Number(ppid) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0start\0');
      } catch {
        return false; // it has just ended
      }
    })
    .map(Number);
