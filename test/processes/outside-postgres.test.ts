import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Posthorn as Client } from '#packages/sdk/src/index';
import { findAction, runNow } from '#server/agents/admission';
import { readConfig } from '#server/base/config/config';
import { openDatabase, sql } from '#server/base/store/database';
import { connectInSandbox } from '#server/simulation/sandbox/sign-up';
import { type RunningService, start } from '#server/wiring/main';
import {
  type DebianServer,
  startBouncer,
  startLeader,
  startReplica,
  stopServers,
  withoutServers,
} from '#test/support/debian-postgres';
import { freePort } from '#test/support/processes';
import { type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';
import { until } from '#test/support/until';

describe.skipIf(withoutServers)('PostgreSQL 15 of Debian', () => {
  let leader: DebianServer;
  let replica: DebianServer;
  let sandbox: SandboxNetworks;
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-outside-'));
  const running: RunningService[] = [];
  const leaseSeconds = 5;

  beforeAll(async () => {
    leader = await startLeader();
    for (const database of ['pooled', 'replicated', 'failing']) await leader.query(`create database ${database}`);
    replica = await startReplica(leader);
    sandbox = await startSandboxNetworks({ delayMs: () => 20 + Math.random() * 60 });
  });
  afterAll(async () => {
    for (const one of running) await one.stop().catch(() => undefined);
    await sandbox?.stop();
    await stopServers();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const configWith = (settings: NodeJS.ProcessEnv) =>
    readConfig({
      POSTHORN_DATA: dataDir,
      SANDBOX_URL: sandbox.url,
      SEND_LEASE_SECONDS: String(leaseSeconds),
      REQUESTS_PER_MINUTE: '100000',
      LOG_LEVEL: 'silent',
      ...settings,
    });

  /** A service with a person, a token and an account. */
  const startWith = async (settings: NodeJS.ProcessEnv) => {
    const service = await start(configWith({ PORT: String(await freePort()), ...settings }));
    running.push(service);
    const { posthorn, url } = service;
    const owner = await posthorn.people.setUp({ email: 'a@example.com', password: 'correct horse', workspace: 'Demo' });
    const { token } = await posthorn.tokens.create(owner, 'Test');
    const caller = { ...owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const handle = new URL(url).port;
    const accountId = await connectInSandbox(posthorn, caller, 'x', { handle, here: (to) => to });
    const asHuman = async (name: string, input: unknown) => {
      const action = findAction(posthorn.actions, name);
      return (await runNow(action, action.admit(input, caller))).value as { id: string };
    };
    const client = new Client({ token, baseUrl: url });
    return { ...service, owner, accountId, asHuman, client };
  };

  test('behind PgBouncer in transaction mode everything works once it is told where PostgreSQL is', async () => {
    const DATABASE_URL = await startBouncer(leader, 'pooled', 'transaction');
    await expect(start(configWith({ DATABASE_URL, PORT: '0' }))).rejects.toThrow('set DATABASE_DIRECT_URL');
    const DATABASE_DIRECT_URL = `postgres://app@127.0.0.1:${leader.port}/pooled`;
    const { posthorn, client, asHuman, accountId, owner, stop } = await startWith({
      DATABASE_URL,
      DATABASE_DIRECT_URL,
    });
    const heard: (string | undefined)[] = [];
    const tab = { ...owner, after: undefined, recheckAccess: () => undefined, end: () => undefined };
    posthorn.live.subscribe({ ...tab, receive: ({ id }) => void heard.push(id) });
    // More concurrent requests than connections, so that transactions switch connections.
    const bodies = Array.from({ length: 40 }, (_, index) => `Pooled ${index}.`);
    const made = await Promise.all(bodies.map((body) => client.posts.create({ body, accountIds: [accountId] })));
    expect((await client.posts.list({ limit: 50 })).posts).toHaveLength(40);
    const [first = { id: '', updatedAt: '' }] = made;
    // Times are read in UTC with all digits, whatever connection it was.
    expect(first.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await asHuman('posts.publishNow', { id: first.id });
    await until('it is published', async () => (await client.posts.get({ id: first.id })).status === 'Published');
    expect((await sandbox.sandboxes.feed('x', 100)).filter(({ text }) => text === 'Pooled 0.')).toHaveLength(1);
    await until('the tab has heard of all', () => made.every(({ id }) => heard.includes(id)));
    await stop();
  });

  test('PgBouncer in statement mode is told at once, with what to set there', async () => {
    const DATABASE_URL = await startBouncer(leader, 'pooled', 'statement');
    const starting = start(configWith({ DATABASE_URL, PORT: '0' }));
    await expect(starting).rejects.toThrow(/pooler in statement mode.*Set pool_mode = transaction or session/);
  });

  test('a replica is read while it has all that was committed, and else the leader', async () => {
    const database = openDatabase(leader.at('replicated'), {
      report: () => undefined,
      replica: replica.at('replicated'),
    });
    await database.script('create table notes (text text)');
    const where = sql(
      'test.where',
      'select pg_is_in_recovery() as late, (select count(*)::int from notes) as notes',
    ).holds<{ late: boolean; notes: number }>();
    const onReplica = async () => (await database.queryReplica(where))[0];
    await until('the replica has caught up', async () => (await onReplica())?.late);
    await replica.query('select pg_wal_replay_pause()');
    await database.script(`insert into notes values ('written a moment ago')`);
    expect(await onReplica()).toEqual({ late: false, notes: 1 });
    await replica.query('select pg_wal_replay_resume()');
    let read: Awaited<ReturnType<typeof onReplica>>;
    await until('it has caught up again', async () => {
      read = await onReplica();
      return read?.late;
    });
    expect(read).toEqual({ late: true, notes: 1 });
    // Reads that decide a write go to the leader.
    await database.transaction(async () => expect(await onReplica()).toMatchObject({ late: false }));
    await database.close();
  });

  test('the leader is killed while posts go out: the replica takes over, nothing is lost or posted twice', async () => {
    const hosts = `127.0.0.1:${leader.port},127.0.0.1:${replica.port}`;
    const DATABASE_URL = `postgres://app@${hosts}/failing?target_session_attrs=read-write`;
    const { posthorn, client, asHuman, accountId, url, stop } = await startWith({ DATABASE_URL });
    const posts = 24;
    const ids: string[] = [];
    for (let i = 0; i < posts; i++) {
      const { id } = await asHuman('posts.create', { accountIds: [accountId], body: `Failover ${i}.` });
      const at = new Date(Date.now() + 5_000 + i * 200).toISOString();
      await asHuman('posts.schedule', { id, at });
      ids.push(id);
    }
    let goesOn = true;
    const acknowledged: string[] = [];
    const writing = (async () => {
      for (let isAnswered = true; goesOn || !isAnswered; await sleep(20)) {
        const idempotencyKey = `draft-${acknowledged.length}`;
        const input = { body: `Draft ${acknowledged.length}.` };
        // A person tries again under the same key until there is an answer.
        const made = await client.posts.create(input, { idempotencyKey, maxRetries: 0 }).catch(() => undefined);
        isAnswered = made !== undefined;
        if (made) acknowledged.push(made.id);
      }
    })();

    const left = async () => (await sandbox.sandboxes.feed('x', 1_000)).filter(({ text }) => /^Failover/.test(text));
    await until('some have left', async () => (await left()).length > posts / 4);
    const before = acknowledged.length;
    leader.kill();
    await sleep(1_000);
    await replica.query('select pg_promote()');
    await until('writes work again', () => acknowledged.length > before + 10);
    await until('it says that it is ready', async () => (await fetch(`${url}/readyz`)).ok);
    goesOn = false;
    await writing;

    const open = async () =>
      (await replica.query(`select from posts where status in ('Scheduled', 'Publishing')`, 'failing')).length;
    // Moving the clock ends leases, so another process would pick up sends that are still in flight.
    const moving = `select from posts where status = 'Scheduled'
      union all select from sends where due_at < posthorn_now() + interval '${leaseSeconds + 1} seconds'`;
    const isQuiet = async () => (await replica.query(moving, 'failing')).length === 0;
    await until('nothing is being sent', isQuiet);
    for (let minute = 0; (await open()) > 0 && minute < 30; minute++) {
      await posthorn.sandboxClock.forward(60_000);
      await until('nothing is being sent', isQuiet);
    }
    expect(await open()).toBe(0);
    const feed = await sandbox.sandboxes.feed('x', 1_000);
    const ended = await replica.query(
      `select id, results -> 0 as result, versions -> 0 -> 'content' -> 0 ->> 'body' as body from posts where account_ids <> '{}'`,
      'failing',
    );
    expect(ended.map(({ id }) => id).sort()).toEqual(ids.toSorted());
    for (const { body, result } of ended) {
      const seen = feed.filter(({ text }) => text === body).length;
      if (result.uncertain) expect(seen, body).toBeLessThanOrEqual(1);
      else expect(seen, body).toBe(result.ok ? 1 : 0);
    }
    expect(ended.filter(({ result }) => result.ok).length).toBeGreaterThan(posts / 2);
    const drafts = await replica.query(`select id from posts where account_ids = '{}'`, 'failing');
    expect(drafts.map(({ id }) => id).sort()).toEqual(acknowledged.toSorted());
    await stop();
  });
});
