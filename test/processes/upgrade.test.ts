import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Posthorn as Client, verifyWebhook } from '#packages/sdk/src/index';
import { unsafeStatements } from '#scripts/check-migrations';
import { readStatements } from '#scripts/statements/read-statements';
import { findAction, runNow } from '#server/agents/admission';
import { readConfig } from '#server/base/config/config';
import { openDatabase, sql } from '#server/base/store/database';
import { migrate, pendingIn } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import { createHttpServer } from '#server/doors/http/server';
import { applyMigrations } from '#server/operation/startup/startup-migrations';
import { diagnose } from '#server/wiring/cli/doctor';
import { start } from '#server/wiring/main';
import { type OpenService, openService } from '#server/wiring/open-service';
import { selfSigned } from '#test/support/certificate';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { pretendInternet } from '#test/support/internet';
import { freePort } from '#test/support/processes';
import { startService } from '#test/support/service';
import { until } from '#test/support/until';

/** Of the database in first-release.sql, which nobody uses. */
const ENCRYPTION_KEYS = 'k1:Zmlyc3QgcmVsZWFzZSBvZiBwb3N0aG9ybmZpcnN0IHI=';
const token = 'posthorn_pat_LXp8f1ou85tTQupGqPri2idFzXrY02FQJ4eS04hgZn';
const webhookSecret = 'whsec_+Li/3N4oaYe2kCooRoSUOxQ/Q8skJyVT';

const contracting = migrations.filter((migration) => 'contracts' in migration);

describe.each([
  { place: 'alone', waiting: [] },
  { place: 'while a process of then is connected', waiting: contracting },
])('a database of the first release, $place', ({ waiting }) => {
  let fresh: FreshDatabase;
  let dataDir: string;
  let opened: OpenService;
  let url: string;
  let client: Client;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  const ends: (() => unknown)[] = [];
  let endThen = async () => {};

  beforeAll(async () => {
    fresh = await freshDatabase();
    const old = openDatabase(fresh.parts, { report: () => undefined });
    await old.script(await readFile('test/upgrade/first-release.sql', 'utf8'));
    expect(await pendingIn(old, migrations)).toEqual(migrations.slice(7));
    await old.close();
    if (waiting.length > 0) {
      // Builds of then name no session.
      const client = new pg.Client(fresh.parts);
      await client.connect();
      endThen = () => client.end();
    }

    const { cert, key } = selfSigned({ names: ['hook.example.com'] });
    const receiver = createServer({ cert, key }, async (req, res) => {
      received.push({ headers: req.headers, body: Buffer.concat(await req.toArray()).toString() });
      res.end();
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port: receiving } = receiver.address() as AddressInfo;
    const internet = pretendInternet({ names: { 'hook.example.com': [['93.184.216.34']] }, port: receiving });

    dataDir = await mkdtemp(join(tmpdir(), 'posthorn-upgrade-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const config = readConfig({
      POSTHORN_DATA: dataDir,
      DATABASE_URL: urlOf(fresh.parts),
      BASE_URL: url,
      REQUESTS_PER_MINUTE: '100000',
      ENCRYPTION_KEYS,
      // It was due long ago, and is to go out all the same.
      LATE_GRACE: '99999d',
    });
    opened = await openService(config, pino({ level: 'silent' }), () => url, { ...internet, extraCa: cert });
    const { posthorn } = opened;
    const identity = await posthorn.openIdentity();
    const server = createHttpServer(posthorn.openDoors(identity).app).listen(port, '127.0.0.1');
    await once(server, 'listening');
    client = new Client({ token: () => token, baseUrl: url, maxRetries: 0 });
    ends.push(
      () => posthorn.jobs.stop(5_000),
      () => identity.stop?.(),
      () => server.closeAllConnections(),
      () => server.close(),
      () => receiver.closeAllConnections(),
      () => receiver.close(),
      () => opened.close(),
      () => fresh.drop(),
      () => rm(dataDir, { recursive: true }),
    );
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });

  test('is migrated to today, with its token, its posts and their numbers', async () => {
    expect(await pendingIn(opened.database, migrations)).toEqual(waiting);
    const { posts } = await client.posts.list();
    expect(posts.map(({ status, versions }) => [status, versions[0]?.content[0]?.body])).toEqual([
      ['Scheduled', 'Scheduled by the first release'],
      ['Published', 'Published by the first release'],
      ['Draft', 'A draft of the first release'],
    ]);
    expect(posts[1]?.results.map(({ ok }) => ok)).toEqual([true, true]);
    const { totals } = await client.analytics.summary({ from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' });
    expect(totals.posts).toBe(1);
    expect((await client.accounts.list()).accounts.map(({ network, status }) => [network, status])).toEqual([
      ['mastodon', 'Connected'],
      ['threads', 'Connected'],
    ]);
  });

  test('lets its owner in with the password of then, as the operator', async () => {
    const answer = await fetch(`${url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'owner@example.com', password: 'correct horse' }),
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { user: { operator: true }, workspace: { name: 'First', role: 'owner' } },
    ]);
  });

  test('publishes what it had scheduled, and its webhook gets what was left to deliver and what is new', async () => {
    const [scheduled] = (await client.posts.list({ status: 'Scheduled' })).posts;
    // Its time, an hour after the database was made, has come whenever this runs. Nothing is sent while the clock moves.
    await opened.posthorn.sandboxClock.forward(2 * 3_600_000);
    opened.posthorn.jobs.start();
    const id = scheduled?.id ?? '';
    await until(
      'it has ended',
      async () => !['Scheduled', 'Publishing'].includes((await client.posts.get({ id })).status),
    );
    expect(await client.posts.get({ id })).toMatchObject({ status: 'Published', results: [{ ok: true }] });
    await until('both deliveries came', () => received.length >= 2);
    for (const { headers, body } of received) {
      const event = await verifyWebhook(body, String(headers['posthorn-signature']), webhookSecret);
      expect(event.type).toBe('post.published');
    }
  });

  test('takes new work', async () => {
    const { id } = await client.posts.create({ body: 'Written today' });
    expect(await client.posts.get({ id })).toMatchObject({ status: 'Draft' });
    const numbers = sql(
      'test.numbers',
      'select count(*)::int as count, count(distinct number)::int as numbers from sandbox_records',
    ).holds<{ count: number; numbers: number }>();
    const [records] = await opened.database.query(numbers);
    expect(records?.numbers).toBe(records?.count);
  });

  test('works on when the process of then has ended', async () => {
    await endThen();
    await applyMigrations(opened.database, { info: () => undefined });
    expect(await pendingIn(opened.database, migrations)).toEqual([]);
    const { accounts } = await client.accounts.list();
    const { id } = await client.posts.create({ body: 'Written later', accountIds: accounts.map((one) => one.id) });
    const person = await opened.database.query(
      sql('test.person', 'select user_id as "userId", workspace_id as "workspaceId" from members').holds<{
        userId: string;
        workspaceId: string;
      }>(),
    );
    const publish = findAction(opened.posthorn.actions, 'posts.publishNow');
    const [caller] = person.map((one) => ({ ...one, role: 'owner', mayPublish: true, isPerson: true }) as const);
    expect(caller).toBeDefined();
    if (caller) await runNow(publish, publish.admit({ id }, caller));
    await until('it is public', async () => (await client.posts.get({ id })).status === 'Published');
  });
});

describe('while a migration waits for the release before', () => {
  test('every statement of this release can run without it', async () => {
    // Earlier files of this process have declared some of their own.
    vi.resetModules();
    const statements = await readStatements(process.cwd());
    expect(statements.length).toBeGreaterThan(500);
    for (const { number } of contracting) {
      const fresh = await freshDatabase();
      const database = openDatabase(fresh.parts, { report: () => undefined });
      const without = contracting.map((one) => one.number).filter((one) => one >= number);
      await migrate(database, migrations, { without });
      const client = new pg.Client(fresh.parts);
      await client.connect();
      const refusals: string[] = [];
      for (const { name, text } of statements) {
        const plan = /^\s*(select|with|insert|update|delete)\b/i.test(text)
          ? 'explain (generic_plan) '
          : 'prepare test as ';
        await client.query(plan + text).catch(({ message }: Error) => refusals.push(`${name}: ${message}`));
      }
      expect(refusals, `without ${without}`).toEqual([]);
      await client.end();
      await database.close();
      await fresh.drop();
    }
  });
});

describe('a start on an empty database', () => {
  test('makes all tables, also while programs that are no Posthorn are connected as the same role', async () => {
    const fresh = await freshDatabase();
    const others = ['', 'psql'].map((name) => new pg.Client({ ...fresh.parts, application_name: name }));
    for (const other of others) await other.connect();
    const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-empty-'));
    const settings = { POSTHORN_DATA: dataDir, DATABASE_URL: urlOf(fresh.parts), PORT: '0', LOG_LEVEL: 'silent' };
    const { url, posthorn, stop } = await start(readConfig(settings));
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ready');
    const person = { email: 'owner@example.com', password: 'correct horse', workspace: 'Demo' };
    const owner = await posthorn.people.setUp(person);
    const { token: ownToken } = await posthorn.tokens.create(owner, 'Test');
    const client = new Client({ token: () => ownToken, baseUrl: url, maxRetries: 0 });
    expect(await client.posts.list()).toMatchObject({ posts: [] });
    expect(await client.accounts.list()).toMatchObject({ accounts: [] });
    for (const other of others) await other.end();
    await stop();
    await fresh.drop();
    await rm(dataDir, { recursive: true });
  });
});

test('/readyz says what doctor says while a table that this release needs is missing', async () => {
  const service = await startService();
  const last = migrations.at(-1);
  await service.database.run(sql('test.forgetMigration', 'delete from schema_migrations where number = $1'), [
    last?.number,
  ]);
  const { status, body } = await service.request('GET', '/readyz');
  const { checks } = await diagnose({ ...service.config, databaseUrl: urlOf(service.parts) });
  expect([status, body]).toEqual([503, expect.stringContaining(`Migrations pending: ${last?.number} ${last?.name}.`)]);
  expect(checks).toContainEqual({ name: 'migrations', level: 'failure', message: body });
  await service.stop();
});

describe('migrations', () => {
  /** A hash of the SQL of each released migration. Releases append theirs and never change one. */
  const released = readFile('test/upgrade/released-migrations.txt', 'utf8');

  test('that were released are as they were', async () => {
    const expected = (await released).trimEnd().split('\n');
    const now = migrations.map(({ number, name, sql: text }) => {
      const mark = createHash('sha256').update(text).digest('hex').slice(0, 16);
      return `${number} ${name} ${mark}`;
    });
    expect(now.slice(0, expected.length)).toEqual(expected);
  });

  /** Statements older than the rule, when no other release could be running next to them; and those of 29 and 31. */
  const exceptions: Readonly<Record<number, readonly RegExp[]>> = {
    1: [/^create function/, /^create trigger/],
    2: [/add column subject text unique/],
    4: [/^create function/],
    6: [/^create (function|trigger)/, /set not null/],
    7: [/^create (function|trigger)/],
    10: [/alter column answer type text/],
    11: [/add column id text not null unique/],
    13: [/^drop (trigger|function)/, /set not null/],
    14: [/rename column/],
    20: [/add constraint one_time_secrets_purpose_check/],
    // Fills a column for rows that the previous release writes; the contracting migration drops the trigger.
    29: [/^create (function|trigger) fill_workspace/],
    // Wider than a key there is, so no row can break it.
    31: [/^create unique index/],
  };

  test('are safe with the release before still running, but for those that wait for its end and those named here', () => {
    const beside = migrations.filter((migration) => !('contracts' in migration));
    const found = beside.flatMap(({ number, name, sql: text }) =>
      unsafeStatements(text)
        .filter(({ statement }) => !exceptions[number]?.some((known) => known.test(statement)))
        .map(({ statement, rule }) => `${number} ${name}: "${statement.slice(0, 100)}": ${rule}`),
    );
    expect(found).toEqual([]);
    // An exception that no longer matches must be removed.
    for (const [number, known] of Object.entries(exceptions)) {
      const unsafe = unsafeStatements(migrations[Number(number) - 1]?.sql ?? '').map(({ statement }) => statement);
      for (const one of known)
        expect(
          unsafe.some((statement) => one.test(statement)),
          `${number} ${one}`,
        ).toBe(true);
    }
  });

  test.each([
    'drop table posts',
    'alter table posts drop column results',
    'alter table posts drop results',
    'alter table posts rename column results to outcome',
    'alter table posts rename to articles',
    'alter table posts add column color text not null',
    "alter table posts add column a text not null default '', add column color text not null",
    'alter table posts alter column created_by set not null',
    'alter table posts alter column status type int using 1',
    'alter table posts add constraint short check (length(status) < 9)',
    'alter table posts add unique (status)',
    'create unique index posts_one on posts (status)',
    'truncate posts',
    'delete from posts',
    'create function f() returns int language sql as $$ select 1; $$',
  ])('refused: %s', (statement) => {
    expect(unsafeStatements(`-- why\n${statement};`)).toHaveLength(1);
  });

  test.each([
    'create table colors (id text primary key, name text not null); create unique index colors_name on colors (name)',
    'alter table posts add column color text',
    "alter table posts add column color text not null default 'red'",
    "alter table posts add column color text default 'red' not null, add column b int",
    'alter table posts alter column created_by drop not null, alter column status drop default',
    'create index posts_color on posts (status)',
    'alter table posts add constraint short check (length(status) < 9) not valid',
    'alter index posts_newest rename to posts_last',
    'drop index posts_newest',
    "comment on table posts is 'never drop table posts'",
  ])('allowed: %s', (statement) => {
    expect(unsafeStatements(statement)).toEqual([]);
  });
});
