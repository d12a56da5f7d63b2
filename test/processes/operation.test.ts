import { spawn, spawnSync } from 'node:child_process';
import type { Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { AggregatorRegistry, Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig, SettingError } from '#server/base/config/config';
import { Settings } from '#server/base/config/settings';
import { openAgenda } from '#server/base/jobs/agenda';
import { logFiles, openLogFile } from '#server/base/logging/log-file';
import { createReport } from '#server/base/logging/report';
import { readSecrets } from '#server/base/secrets/keys';
import { type Connection, openDatabase, sql } from '#server/base/store/database';
import { migrate, pendingIn } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import { createHealth } from '#server/doors/http/health';
import { type MetricsMessage, sendClusterMetrics } from '#server/operation/metrics/cluster-metrics';
import { createMetrics } from '#server/operation/metrics/metrics';
import { endOfNode } from '#server/operation/startup/end-of-node';
import { diagnose, diagnoseNetworks } from '#server/wiring/cli/doctor';
import { start } from '#server/wiring/main';
import { openService } from '#server/wiring/open-service';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { pretendInternet } from '#test/support/internet';
import { freePort } from '#test/support/processes';
import { type Service, startService } from '#test/support/service';
import { buildWeb } from '#test/support/shared';
import { until } from '#test/support/until';
import { startWire } from '#test/support/wire';

const one = sql('test.one', 'select 1 as one');
const urlAt = ({ user, password, database }: Connection, port: number) =>
  `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;

let fresh: FreshDatabase;
let dataDir: string;
beforeEach(async () => {
  fresh = await freshDatabase({ isMigrated: true });
  dataDir = await mkdtemp(join(tmpdir(), 'posthorn-operation-'));
});
afterEach(async () => {
  await fresh.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** For tests whose start applies the migrations. */
const useEmptyDatabase = async () => {
  await fresh.drop();
  fresh = await freshDatabase();
};

const configWith = (settings: NodeJS.ProcessEnv) =>
  readConfig({ POSTHORN_DATA: dataDir, PORT: '0', LOG_LEVEL: 'silent', ...settings });

describe('Node', () => {
  test.each([
    ['v20.20.2', '2026-04-30T12:00:00Z', undefined],
    ['v20.20.2', '2026-05-01T12:00:00Z', /^Node 20 has had no security fixes since 2026-04-30\./],
    ['v24.9.0', '2026-11-15T00:00:00Z', undefined],
    ['v99.0.0', '2040-01-01T00:00:00Z', undefined],
  ])('%s at %s is spoken of only after its end', (version, at, words) => {
    const said = endOfNode(version, new Date(at));
    if (words) expect(said).toMatch(words);
    else expect(said).toBeUndefined();
  });
});

describe('a database that is not there yet', () => {
  let line: Server;
  const sockets = new Set<Socket>();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    line?.close();
  });

  /** A TCP proxy to the database. It cuts the connections with these numbers soon after PostgreSQL first answers. */
  const openLine = async (port: number, cuts: readonly number[] = []) => {
    let made = 0;
    line = createServer((outside) => {
      const { host, port: number } = fresh.parts;
      const inside = connect(join(host, `.s.PGSQL.${number}`));
      for (const socket of [outside, inside]) {
        sockets.add(socket);
        socket.on('error', () => [outside, inside].map((each) => each.destroy()));
      }
      outside.pipe(inside).pipe(outside);
      const place = ++made;
      // Both ends: a session that PostgreSQL keeps would go on holding its locks.
      const cut = () => [outside, inside].map((each) => each.destroy());
      if (cuts.includes(place)) inside.once('data', () => setTimeout(cut, 3 * place));
    }).listen(port, '127.0.0.1');
    await once(line, 'listening');
  };

  test('is waited for, with a line that says so', async () => {
    const port = await freePort();
    const said: string[] = [];
    const starting = start(configWith({ DATABASE_URL: urlAt(fresh.parts, port) }), { say: (text) => said.push(text) });
    await until('it says that it waits', () => said.length > 1);
    expect(said[1]).toMatch(/^The database cannot be used: .*ECONNREFUSED.*\. Trying again for up to \d+ s …$/);
    await openLine(port);
    const running = await starting;
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    await running.stop();
  });

  test('is one sentence when the patience has ended', async () => {
    const settings = { DATABASE_URL: urlAt(fresh.parts, 1), START_PATIENCE: '1s' };
    await expect(start(configWith(settings))).rejects.toThrow(/^The database cannot be used: .*ECONNREFUSED/);
  });

  test('is not waited for by somebody who asked to stop', async () => {
    const asked = new AbortController();
    const say = () => asked.abort();
    const settings = { DATABASE_URL: urlAt(fresh.parts, 1) };
    await expect(start(configWith(settings), { say, signal: asked.signal })).rejects.toThrow('aborted');
  });

  test.each([
    ['migrations', 727001],
    ['tables of Agenda', 727002],
  ])('whose %s a forgotten session holds up is waited for, and that session is named', async (_, lock) => {
    await useEmptyDatabase();
    const port = await freePort();
    await openLine(port);
    const forgotten = new pg.Client(fresh.parts);
    await forgotten.connect();
    await forgotten.query('begin');
    await forgotten.query('select pg_advisory_xact_lock($1)', [lock]);
    const { rows } = await forgotten.query('select pg_backend_pid() as pid');
    const { pid } = rows[0];
    const DATABASE_URL = urlAt(fresh.parts, port);
    await expect(start(configWith({ DATABASE_URL, START_PATIENCE: '1s' }))).rejects.toThrow(
      new RegExp(`The session ${pid} of PostgreSQL .*pg_terminate_backend\\(${pid}\\)$`),
    );
    const said: string[] = [];
    const starting = start(configWith({ DATABASE_URL }), { say: (text) => said.push(text) });
    await until('it says whom it waits for', () =>
      said.some((text) => text.includes(`The session ${pid} of PostgreSQL`)),
    );
    await forgotten.end();
    const running = await starting;
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    await running.stop();
  });

  test('a wrong password or database is told at once', async () => {
    const port = await freePort();
    await openLine(port);
    const url = urlAt({ ...fresh.parts, database: 'nowhere' }, port);
    await expect(start(configWith({ DATABASE_URL: url }))).rejects.toThrow('database "nowhere" does not exist');
  });

  test.each([
    ['as it is asked whether it is a pooler', /^Qbegin/, 1],
    ['as the tables of Agenda are made', /^QSELECT 1/, 1],
    ['as Agenda connects', /^QSELECT 1/, 2],
    ['as Agenda begins to listen', /^QLISTEN "agenda:jobs"/, 1],
    ['as Agenda saves a job', /^PINSERT INTO "agenda_jobs"/, 1],
  ])('that breaks off %s is met again, and the line says what happened', async (_, words, time) => {
    const wire = await startWire(fresh.parts);
    let times = 0;
    wire.onMessage = (message, from) => {
      const text = message.toString('latin1');
      const asked = text[0] + text.slice(5).replaceAll(/\0/g, '').trimStart();
      if (words.test(asked) && ++times === time) from.cut();
    };
    const said: string[] = [];
    const DATABASE_URL = urlAt(fresh.parts, wire.parts.port);
    const running = await start(configWith({ DATABASE_URL }), { say: (text) => said.push(text) });
    expect(said[1]).toMatch(
      /^The database cannot be used: Connection terminated unexpectedly\. Check that PostgreSQL runs, .+ Trying again/,
    );
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    await running.stop();
    wire.stop();
  });

  test('that broke off as Agenda began to listen does not keep the start from ending, also when Agenda came back by itself', async () => {
    const wire = await startWire(fresh.parts);
    let times = 0;
    wire.onMessage = (message, from) => {
      if (message.toString('latin1').includes('LISTEN "agenda:jobs"') && ++times === 1) from.cut();
    };
    const { agenda, close } = await openAgenda({
      connection: { ...fresh.parts, ...wire.parts },
      mongodbUrl: undefined,
      name: 'test',
      report: () => undefined,
    });
    await expect(agenda.start()).rejects.toThrow('Connection terminated');
    await until('Agenda listens by itself', () => times > 1);
    await close();
    wire.stop();
  });

  test('that breaks off at any moment of the start is met again', async () => {
    await useEmptyDatabase();
    const port = await freePort();
    await openLine(port, [1, 4, 8, 13, 19]);
    const running = await start(configWith({ DATABASE_URL: urlAt(fresh.parts, port) }));
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    await running.stop();
  });
});

describe('a disk that is full', () => {
  test('as Posthorn starts is told in one sentence, and it is not ready before', async () => {
    const port = await freePort();
    const config = configWith({ DATABASE_URL: urlOf(fresh.parts), PORT: String(port) });
    await (await start(config)).stop();
    const admin = openDatabase(fresh.parts, { report: () => undefined, poolSize: 1 });
    await admin.script(`
      create function full_disk() returns trigger language plpgsql as $$ begin
        perform pg_sleep(1);
        raise exception using errcode = '53100', message = 'could not extend file: No space left on device';
      end $$;
      create trigger full_disk before insert on agenda_jobs execute function full_disk();
      delete from agenda_jobs`);
    await admin.close();
    const answers = new Set<string>();
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        if (answer) answers.add(`${answer.status} ${await answer.text()}`);
        await sleep(10);
      }
    })();
    const error = await start(config).catch((refused: unknown) => refused);
    isOver = true;
    await asking;
    expect(error).toBeInstanceOf(SettingError);
    expect((error as Error).message).toBe(
      'The database cannot be used: could not extend file: No space left on device. Free space on the disk of PostgreSQL, or make it writable, then start again.',
    );
    expect([...answers]).toEqual(['503 starting']);
  });
});

describe('too few connections', () => {
  test('are waited for, and then it is TooManyRequests with the time to come again', async () => {
    const database = openDatabase(fresh.parts, { report: () => undefined, poolSize: 1, waitMs: 300 });
    const isOpen = (work: Promise<unknown>) =>
      work.then(
        () => true,
        () => false,
      );
    // Connecting may take longer than that.
    await until('there is one for statements', () => isOpen(database.query(one)));
    await until('there is one for transactions', () => isOpen(database.transaction(() => database.query(one))));
    let end = () => undefined as unknown;
    const held = database.transaction(() => new Promise<void>((resolve) => (end = () => resolve())));
    const sleeping = database.query(sql('test.sleep', 'select pg_sleep(1)'));
    const busy = { code: 'TooManyRequests', status: 429, retryAfterSeconds: expect.any(Number) };
    await expect(database.query(one)).rejects.toMatchObject(busy);
    await expect(database.transaction(() => database.query(one))).rejects.toMatchObject(busy);
    end();
    await Promise.all([held, sleeping]);
    expect(await database.query(one)).toEqual([{ one: 1 }]);
    await database.close();
  });

  test('of the server are waited for as well', async () => {
    const role = `few_${fresh.parts.database}`;
    const admin = new pg.Client(fresh.parts);
    await admin.connect();
    await admin.query(`create role ${role} login password 'few' connection limit 1`);
    const few = { ...fresh.parts, user: role, password: 'few' };
    const holder = new pg.Client(few);
    await holder.connect();
    const hasty = openDatabase(few, { report: () => undefined, waitMs: 200 });
    await expect(hasty.query(one)).rejects.toMatchObject({ code: 'TooManyRequests' });
    await hasty.close();
    const patient = openDatabase(few, { report: () => undefined });
    const waiting = patient.query(one);
    await holder.end();
    expect(await waiting).toEqual([{ one: 1 }]);
    await patient.close();
    await admin.query(`drop role ${role}`);
    await admin.end();
  });
});

describe('/readyz', () => {
  const findSchemaProblem = async () => undefined;

  test('says so when nothing can be written', async () => {
    const admin = openDatabase(fresh.parts, { report: () => undefined });
    await admin.script(`alter database ${fresh.parts.database} set default_transaction_read_only = on`);
    await admin.close();
    const database = openDatabase(fresh.parts, { report: () => undefined });
    const { ready } = createHealth({ database, findSchemaProblem, idleMs: () => 0 });
    expect(await ready()).toEqual({
      status: 503,
      body: expect.stringMatching(/^the database cannot be written to: .+ read-only transaction$/),
    });
    await expect(database.script('create table full_disk (id int)')).rejects.toThrow();
    expect(database.writeFailedAt()).toEqual(expect.any(Number));
    await database.close();
  });

  test('looks again as soon as a write has failed, and not with every question', async () => {
    let tries = 0;
    let failedAt: number | undefined;
    let trouble: Error | undefined;
    const database = {
      ping: async () => undefined,
      tryWrite: async () => {
        tries++;
        if (trouble) throw trouble;
      },
      writeFailedAt: () => failedAt,
    };
    const { ready } = createHealth({ database, findSchemaProblem, idleMs: () => 0 });
    for (let i = 0; i < 5; i++) expect((await ready()).status).toBe(200);
    expect(tries).toBe(1);
    trouble = new Error('could not extend file: No space left on device');
    failedAt = performance.now();
    expect(await ready()).toMatchObject({ status: 503, body: expect.stringContaining('No space left on device') });
    expect(tries).toBe(2);
  });

  test('says so for as long as a write gets no answer, and holds one connection for that', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const tryWrite = vi.fn(() => new Promise<void>(() => undefined));
    const { ready } = createHealth({
      database: { ping: async () => undefined, tryWrite, writeFailedAt: () => undefined },
      findSchemaProblem,
      idleMs: () => 0,
    });
    for (const _ of ['first', 'second']) {
      const answer = ready();
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await answer).toEqual({ status: 503, body: expect.stringContaining('a write gets no answer') });
    }
    expect(tryWrite).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });
});

test('the metrics of all processes always have those of the process that answers; one that was killed just now is left out', async () => {
  const messages: MetricsMessage[] = [];
  const gone = Object.assign(new EventEmitter(), {
    send: (_: MetricsMessage, sent: (error: Error) => void) => sent(new Error('Channel closed')),
  });
  const asker = Object.assign(new EventEmitter(), { send: (message: MetricsMessage) => void messages.push(message) });
  const own = { name: 'own', help: 'own', type: 'gauge', aggregator: 'sum', values: [{ value: 1, labels: {} }] };
  await sendClusterMetrics(() => [gone as unknown as Worker])(asker as unknown as Worker, {
    metricsRequest: 'asked',
    metrics: [own],
    isForAll: true,
  });
  expect(messages).toMatchObject([{ metricsRequest: 'asked', text: expect.stringContaining('own 1') }]);
});

test('what every process of one start measures alike is not added up', async () => {
  const readText = vi.spyOn(Registry.prototype, 'metrics');
  onTestFinished(() => readText.mockRestore());
  const metrics = createMetrics({ report: () => undefined });
  metrics.watch({
    jobs: { agesMs: async () => new Map([['posts', 80_000]]), inFlight: () => new Map(), idleMs: () => 7_000 },
    database: { pools: () => ({}), query: async () => [{ ms: 0 }] } as never,
    live: { subscriberCount: () => 3 },
  });
  await metrics.text();
  const own = await (readText.mock.contexts[0] as Registry).getMetricsAsJSON();
  const text = await AggregatorRegistry.aggregate([own, own]).metrics();
  expect(text).toMatch(/^posthorn_build_info\{version="\S+"\} 1$/m);
  expect(text).toContain('posthorn_queue_age_seconds{kind="posts"} 80\n');
  expect(text).toContain('posthorn_scheduler_idle_seconds 7\n');
  expect(text).toContain('posthorn_streams_open 6\n');
});

describe('PgBouncer', () => {
  const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;
  const isRoot = process.getuid?.() === 0;
  const ended: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ended.splice(0)) await end();
  });

  const bouncerIn = async (mode: string) => {
    const port = await freePort();
    const { host, port: number, user, password, database } = fresh.parts;
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-bouncer-'));
    await chmod(folder, 0o755);
    const settings = join(folder, 'pgbouncer.ini');
    await writeFile(
      settings,
      `[databases]\n${database} = host=${host} port=${number} user=${user} password=${password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\npool_mode = ${mode}\n`,
    );
    // pgbouncer refuses to run as root, and must be able to reach the socket.
    const { uid, gid } = await stat(join(host, `.s.PGSQL.${number}`));
    const child = spawn('pgbouncer', [settings], { stdio: 'ignore', ...(isRoot && { uid, gid }) });
    ended.push(async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    });
    await until('PgBouncer listens', () => canConnect(port));
    return configWith({ DATABASE_URL: urlAt(fresh.parts, port) });
  };

  const canConnect = (port: number) =>
    new Promise<boolean>((resolve) => {
      const probe = connect(port, '127.0.0.1', () => resolve(true));
      probe.once('error', () => resolve(false)).once('connect', () => probe.destroy());
    });

  test.skipIf(!hasPgBouncer)('in statement mode is refused in words', async () => {
    await expect(start(await bouncerIn('statement'))).rejects.toThrow(
      /pooler in statement mode.*pool_mode = transaction or session/,
    );
  });

  test.skipIf(!hasPgBouncer)('in session mode works', async () => {
    await useEmptyDatabase();
    const running = await start(await bouncerIn('session'));
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    await running.stop();
  });
});

describe('doctor in production', () => {
  test('tells networks that need no credentials from those that have theirs', async () => {
    const settings = {
      NODE_ENV: 'production',
      BASE_URL: 'https://posthorn.invalid',
      DATABASE_URL: urlOf(fresh.parts),
    };
    const plain = await diagnose(configWith(settings));
    expect(plain.text).toMatch(/^ok +Networks that need no credentials: .*Bluesky/m);
    expect(plain.text).not.toContain('with credentials');
    const opened = await openService(configWith(settings), pino({ level: 'silent' }));
    const [needy] = opened.posthorn.networks.all.filter((network) => network.settings.length > 0);
    await opened.close();
    const given = Object.fromEntries((needy?.settings ?? []).map((name) => [name, 'x']));
    const { text } = await diagnose(configWith({ ...settings, ...given }));
    expect(text).toMatch(new RegExp(`^ok +Networks with credentials: ${needy?.name}$`, 'm'));
  });

  test('tries credentials through the guarded client, and says so when the network cannot be reached', async () => {
    const config = configWith({
      NODE_ENV: 'production',
      BASE_URL: 'https://posthorn.invalid',
      DATABASE_URL: urlOf(fresh.parts),
      X_CLIENT_ID: 'id',
      X_CLIENT_SECRET: 'secret',
    });
    const unreachable = pretendInternet({ names: { 'api.x.com': [['10.0.0.1']] }, port: 1 });
    const { text, healthy } = await diagnoseNetworks(config, 'x', unreachable);
    expect(text).toMatch(
      /^WARNING +The credentials could not be tried\. X could not be reached: .+ Run doctor again\.$/m,
    );
    expect(text).toContain('https://posthorn.invalid/connect/x/callback');
    expect([healthy, unreachable.dialled]).toEqual([true, []]);
  });

  test('says which stored secrets still need an old key, and which key is missing', async () => {
    const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
    const [first, second] = [key('k1'), key('k2')];
    const settings = {
      NODE_ENV: 'production',
      BASE_URL: 'https://posthorn.invalid',
      DATABASE_URL: urlOf(fresh.parts),
    };
    const doctor = async (...keys: string[]) =>
      (await diagnose(configWith({ ...settings, ENCRYPTION_KEYS: keys.join(',') }))).text;
    const withKeys = (...keys: string[]) =>
      openService(configWith({ ...settings, ENCRYPTION_KEYS: keys.join(',') }), pino({ level: 'silent' }));
    const before = await withKeys(first);
    await before.posthorn.push.publicKey();
    await before.close();
    expect(await doctor(first)).toMatch(
      /^ok +All stored secrets \(1\) can be decrypted\. The newest key is "k1" \(finger/m,
    );
    expect(await doctor(second, first)).toMatch(/^note +1 stored secret is still sealed with the key "k1"/m);
    expect(await doctor(second)).toMatch(
      /^FAILURE +Stored secrets cannot be decrypted: 1 key for push messages\. The key "k1" that encrypted them is not in ENCRYPTION_KEYS\. Put that key back/m,
    );
    const after = await withKeys(second, first);
    await after.posthorn.resealing.run();
    await after.close();
    expect(await doctor(second, first)).toMatch(/^ok +Nothing needs the key "k1" any more/m);
  });
});

describe('doctor', () => {
  test('says which migrations are pending, and with --fix applies them, closes the keys to others and removes files of nobody', async () => {
    await useEmptyDatabase();
    const config = configWith({ DATABASE_URL: urlOf(fresh.parts) });
    expect((await diagnose(config)).text).toContain('FAILURE  The database has no tables of Posthorn yet: `npm start`');
    await readSecrets(config);
    await chmod(join(config.dataDir, 'secrets.json'), 0o644);
    const old = openDatabase(fresh.parts, { report: () => undefined });
    const contracting = migrations.findIndex(({ name }) => name === 'workspace-keys-alone');
    await migrate(old, migrations.slice(0, contracting));
    const last = migrations.slice(contracting).map(({ number, name }) => `${number} ${name}`);
    const { text, healthy } = await diagnose(config);
    expect(text).toContain(`FAILURE  Migrations pending: ${last.join(', ')}. Take a backup;`);
    expect(text).toMatch(/^FAILURE {2}Others on this machine can read the keys in \S+secrets\.json/m);
    expect(healthy).toBe(false);
    // The check must not have changed anything.
    expect(await pendingIn(old, migrations)).toHaveLength(last.length);
    const before = new pg.Client({ ...fresh.parts, application_name: 'posthorn 31' });
    await before.connect();
    const orphan = join(config.dataDir, 'media/media_01JCQ3A1B2C3D4E5F6G7H8J9K0');
    await mkdir(dirname(orphan));
    await writeFile(orphan, 'x');
    await utimes(orphan, 0, 0);
    const mended = await diagnose(config, { fix: true });
    const waiting = last.slice(0, 2);
    expect(mended.text).toContain(`FIXED    Migrations applied: ${last.slice(2).join(', ')}`);
    expect(mended.text).toMatch(
      /^WARNING {2}Migration 32 "workspace-keys-alone" waits until .* session \d+ of PostgreSQL \(posthorn 31, idle\)/m,
    );
    expect(mended.text).toContain('FIXED    Only the user of the service can read');
    expect(mended.text).toContain('FIXED    Files removed that belong to no media item: 1');
    await expect(access(orphan)).rejects.toThrow();
    await before.end();
    const again = await diagnose(config, { fix: true });
    expect(again.text).toContain(`FIXED    Migrations applied: ${waiting.join(', ')}`);
    expect(again.text).toContain('schema is up to date');
    expect(await pendingIn(old, migrations)).toEqual([]);
    await old.close();
  });
});

describe('the log', () => {
  const recorded = () => {
    const lines: { level: number; msg: string; err?: { message: string } }[] = [];
    return { lines, log: pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
  };

  test('warns of what passes when the database answers again, and has a fault as an error', () => {
    const { lines, log } = recorded();
    const report = createReport(log, 'work failed');
    report(new Error('it failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }));
    report(new TypeError('x is not a function'), { requestId: 'find-me' });
    expect(lines).toMatchObject([{ level: 40 }, { level: 50, requestId: 'find-me', msg: 'work failed' }]);
  });

  test('warns of a busy database once a minute, and says how often it was', async () => {
    const database = openDatabase(fresh.parts, { report: () => undefined, poolSize: 1, waitMs: 300 });
    const held = database.query(sql('test.long', 'select pg_sleep(1)'));
    const busy = await database.query(one).catch((refused: unknown) => refused);
    await held;
    await database.close();
    const { lines, log } = recorded();
    const reports = [createReport(log, 'work failed'), createReport(log, 'other work failed')];
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const reportMany = () => {
      for (let time = 0; time < 50; time++) {
        for (const report of reports) report(time % 2 ? busy : new Error('The recurring work failed', { cause: busy }));
      }
    };
    reportMany();
    vi.advanceTimersByTime(59_000);
    reportMany();
    expect(lines).toMatchObject([{ level: 40, times: 1, msg: expect.stringContaining('the database is busy') }]);
    vi.advanceTimersByTime(2_000);
    reportMany();
    expect(lines.slice(1)).toMatchObject([{ level: 40, times: 200 }]);
  });

  test('has recurring work that failed, by its name; other processes hear of it, and go on', async () => {
    const [{ lines, log }, elsewhere] = [recorded(), recorded()];
    const openAs = (name: string, to: typeof log) =>
      openAgenda({ connection: fresh.parts, mongodbUrl: undefined, name, report: createReport(to, 'work failed') });
    const opened = await openAs('one', log);
    const beside = await openAs('two', elsewhere.log);
    let heard = false;
    beside.agenda.on('fail', (_error: string, _job: object, isElsewhere: true) => {
      heard = isElsewhere;
    });
    await beside.agenda.start();
    opened.agenda.define('sweep', async () => {
      throw new Error('the broom broke');
    });
    await opened.agenda.start();
    await opened.agenda.every('1 hour', 'sweep');
    await until('it is told', () => lines.length > 0);
    expect(lines[0]).toMatchObject({
      level: 50,
      err: { message: expect.stringMatching(/^The recurring work "sweep" failed: the broom broke/) },
    });
    await until('the other process has heard', () => heard);
    expect(elsewhere.lines).toEqual([]);
    await Promise.all([opened.close(), beside.close()]);
  });

  test('has a lock of recurring work that could not be released, and the process goes on', async () => {
    const { lines, log } = recorded();
    const report = createReport(log, 'work failed');
    const opened = await openAgenda({ connection: fresh.parts, mongodbUrl: undefined, name: 'one', report });
    await opened.agenda.start();
    // Agenda calls it without await and without catch.
    await opened.agenda.db.unlockJob({ _id: 'none', name: 'sweep' } as never);
    await opened.close();
    await opened.agenda.db.unlockJob({ _id: 1, name: 'sweep' } as never);
    const stops = { level: 30, msg: expect.stringContaining('the process stops') };
    expect(lines).toMatchObject([{ level: 50, err: { message: expect.stringContaining('none') } }, stops]);
  });
});

describe('a log file', () => {
  test('is moved aside when it is large, also under another process, and the old ones are read too', async () => {
    const path = join(dataDir, 'posthorn.log');
    const [one, two] = [openLogFile(path, { bytes: 100 }), openLogFile(path, { bytes: 100 })];
    for (let turn = 0; turn < 8; turn++) {
      one.write(`${turn} ${'x'.repeat(110)}\n`);
      one.rotateIfLarge();
      two.rotateIfLarge();
      two.write(`${turn} two\n`);
      one.rotateIfLarge();
    }
    expect(logFiles(path).map((name) => name.replace(path, ''))).toEqual(['', '.1', '.2', '.3', '.4', '.5']);
    expect(await readFile(`${path}.1`, 'utf8')).toMatch(/^6 two\n7 x+\n$/);
    expect(await readFile(path, 'utf8')).toBe('7 two\n');
  });

  test('that cannot be opened again gets no line into what the process opens next', async () => {
    const folder = join(dataDir, 'moved');
    const [path, other] = [join(folder, 'posthorn.log'), join(dataDir, 'other')];
    const log = openLogFile(path);
    await rename(folder, `${folder}-away`);
    expect(() => log.rotateIfLarge()).toThrow('ENOENT');
    const opened = openSync(other, 'a');
    log.write('one\n');
    closeSync(opened);
    expect(await readFile(other, 'utf8')).toBe('');
    await mkdir(folder);
    log.rotateIfLarge();
    log.write('two\n');
    expect(await readFile(path, 'utf8')).toBe('two\n');
    expect(await readFile(join(`${folder}-away`, 'posthorn.log'), 'utf8')).toBe('one\n');
  });
});

describe('a running service', () => {
  let service: Service;
  beforeAll(async () => {
    await buildWeb();
    service = await startService();
  });
  afterAll(() => service.stop());

  const get = (path: string, accept: string) => service.request('GET', path, { headers: { accept } });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test('has a page for a person at a wrong address, and the error shape for programs', async () => {
    const page = await get('/nowhere', browser);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.body).toContain('<div id="app">');
    for (const [path, accept] of [
      ['/nowhere', '*/*'],
      ['/nowhere', 'application/json'],
      ['/api/nowhere', browser],
      ['/.well-known/nowhere', browser],
    ] as const) {
      expect(await get(path, accept)).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    }
    expect(await service.request('POST', '/nowhere', { headers: { accept: browser } })).toMatchObject({
      status: 404,
      body: { code: 'NotFound' },
    });
  });

  test.each(['/favicon.ico', '/favicon.svg'])('has its mark at %s', async (path) => {
    const answer = await get(path, 'image/*');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(answer.body).toMatch(/^<svg /);
  });

  test("an account on YouTube's sandbox has a picture", async () => {
    await service.connect('youtube');
    const { accounts } = await service.client.accounts.list();
    const { pathname } = new URL(accounts[0]?.avatarUrl ?? '');
    const answer = await get(pathname, browser);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  });

  test('has the figures of its work in /metrics, and every one that ops/ names', async () => {
    const ADMIN_TOKEN = 'a-token-for-operators';
    const internet = pretendInternet({ names: { 'hook.example.com': [['93.184.216.34']] }, port: 1 });
    const own = await startService({ ADMIN_TOKEN }, { internet });
    const figures = async (): Promise<string> =>
      (await own.request('GET', '/metrics', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })).body;
    const person = own.browser();
    await person.signIn();
    const hook = { url: 'https://hook.example.com/', events: ['post.published'] };
    expect((await person.post('/api/webhooks', hook)).status).toBe(200);
    const { id } = await own.client.posts.create({ accountIds: [await own.connect('bluesky')], body: 'Hi' });
    const at = new Date(own.clock.now().getTime() + 60_000).toISOString();
    await own.asHuman('posts.schedule', { id, at });
    await own.clock.forward(660_000);
    const before = await figures();
    const age = Number(/^posthorn_queue_age_seconds\{kind="posts"\} (\S+)$/m.exec(before)?.[1]);
    expect(Math.round(age / 60)).toBe(10);

    own.startJobs();
    await until('the webhook was tried', async () =>
      (await figures()).includes('posthorn_delivery_tries_total{result="failed"} 1'),
    );
    await own.clock.forward(2 * 3_600_000);
    await until('numbers were read', async () =>
      (await figures()).includes('posthorn_reads_total{network="bluesky",result="ok"} 1'),
    );
    await own.call('posts.list', {}, { authorization: 'Bearer wrong' });
    let text = '';
    await until('nobody works with the database', async () => {
      text = await figures();
      // Queries of the metrics endpoint itself do not count.
      const isQuiet = text.includes('posthorn_database_connections{pool="statements",state="waiting"} 0\n');
      return isQuiet && /^posthorn_database_connections\{pool="transactions",state="idle"\} [1-4]$/m.test(text);
    });
    expect(text).toMatch(/^posthorn_http_requests_total\{door="rest",status="200"\} [1-9]/m);
    expect(text).toContain('posthorn_http_requests_total{door="rest",status="401"} 1\n');
    expect(text).toMatch(/^posthorn_http_request_seconds_bucket\{le="60",door="rest"\} [1-9]/m);
    expect(text).toContain('posthorn_database_connections{pool="statements",state="most"} 4\n');
    expect(text).toMatch(/^posthorn_queue_age_seconds\{kind="posts"\} 0$/m);
    await own.stop();

    const known = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => [name, type]));
    const exists = (name: string) =>
      known.has(name) || known.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';
    for (const file of ['ops/alerts.yaml', 'ops/grafana-dashboard.json']) {
      const named = new Set((await readFile(file, 'utf8')).match(/\b(posthorn|nodejs|process)_[a-z0-9_]+/g));
      expect(named.size, file).toBeGreaterThan(8);
      expect(
        [...named].filter((name) => !exists(name)),
        file,
      ).toEqual([]);
    }
    // Each of ours is on the dashboard.
    const dashboard = await readFile('ops/grafana-dashboard.json', 'utf8');
    expect([...known.keys()].filter((name) => name.startsWith('posthorn_') && !dashboard.includes(name))).toEqual([]);
  });

  test('is run by ops/ with settings that exist, on its own port, and is given longer to stop than it takes', async () => {
    const files = ['Dockerfile', 'compose.yaml', 'compose.full.yaml', 'kubernetes.yaml', 'posthorn.service'];
    const { port, drainMs } = readConfig({});
    // Variables of PostgreSQL, of the media store, and of systemd.
    const others = /^(POSTGRES|AWS|AF)_/;
    for (const file of files) {
      const text = await readFile(`ops/${file}`, 'utf8');
      const named = text.match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? [];
      expect(
        named.filter((name) => !(name in Settings.shape) && !others.test(name)),
        file,
      ).toEqual([]);
      for (const [, found] of text.matchAll(/(?:EXPOSE |containerPort: |PORT=|posthorn:|:3000:)(\d+)/g))
        expect(Number(found), file).toBe(port);
      for (const [, seconds] of text.matchAll(/(?:stop_grace_period: |GracePeriodSeconds: |TimeoutStopSec=)(\d+)/g))
        expect(Number(seconds) * 1000, file).toBeGreaterThan(drainMs);
    }
  });

  test('is healthy for the HEALTHCHECK of its image while it is ready, and not while it stops or is gone', async () => {
    const [, check = ''] = /^HEALTHCHECK .* CMD (\[.+\])$/m.exec(await readFile('ops/Dockerfile', 'utf8')) ?? [];
    const [program, ...args] = JSON.parse(check) as string[];
    expect(program).toBe('node');
    const own = await startService();
    const env = { ...process.env, PORT: new URL(own.url).port };
    const exitCode = async () => (await once(spawn(process.execPath, args, { env }), 'exit'))[0];
    expect(await exitCode()).toBe(0);
    own.health.beginStop();
    expect(await exitCode()).toBe(1);
    await own.stop();
    expect(await exitCode()).toBe(1);
  });

  test('reads the settings of docs/self-hosting.md as systemd gives them, to which a comment behind a value is part of it', async () => {
    const [, settings = ''] = /```sh\n(NODE_ENV=.+?)```/s.exec(await readFile('docs/self-hosting.md', 'utf8')) ?? [];
    const lines = settings.split('\n').filter((line) => line && !line.startsWith('#'));
    const environment = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(Object.keys(environment).length).toBeGreaterThan(4);
    expect(readConfig(environment)).toMatchObject({
      baseUrl: 'https://posthorn.example.com',
      dataDir: '/var/lib/posthorn',
    });
  });

  test('is run by its systemd unit and by the command beside it as one user, with the same settings and program', async () => {
    const unit = await readFile('ops/posthorn.service', 'utf8');
    const command = await readFile('ops/posthorn', 'utf8');
    const shared = /^(?:User|StateDirectory|StateDirectoryMode|UMask|EnvironmentFile)=.+$/gm;
    const properties = unit.match(shared) ?? [];
    expect(properties).toHaveLength(5);
    for (const property of properties) expect(command).toContain(` --property=${property} `);
    const [, environment = ''] = /^Environment=(NODE_ENV.+)$/m.exec(unit) ?? [];
    expect(environment.split(' ')).toHaveLength(2);
    for (const one of environment.split(' ')) expect(command).toContain(` --setenv=${one} `);
    const [, program = ''] = /^ExecStart=(.+) start$/m.exec(unit) ?? [];
    expect(command).toContain(`  ${program} "$@"`);
  });

  test('that stops ends the streams of open tabs, and is alive but not ready', async () => {
    const own = await startService();
    const tab = own.browser();
    await tab.signIn();
    const listen = async () => {
      const stream = await fetch(`${own.url}/api/app/events`, { headers: { cookie: tab.cookie() } });
      return stream.text();
    };
    const before = listen();
    await until('the stream is open', () => own.posthorn.live.subscriberCount() > 0);
    own.health.beginStop();
    own.posthorn.live.stop();
    expect(await before).toContain('retry: ');
    expect(await listen()).toContain('retry: ');
    expect(await own.request('GET', '/healthz')).toMatchObject({ status: 200, body: 'ok' });
    expect(await own.request('GET', '/readyz')).toMatchObject({ status: 503, body: 'shutting down' });
    await own.stop();
  });
});
