import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '#contracts/posts';
import { type Database, openDatabase } from '#server/base/store/database';
import { createSandboxClockStore } from '#server/simulation/sandbox/store';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { createProcesses, freePort, type Processes, type Running } from '#test/support/processes';
import { type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';
import { until } from '#test/support/until';

/** A request may leave only within half of it after "begun". */
const leaseMs = 4_000;
const beginLock = 4711;
const adminToken = 'a-token-for-operators';

let fresh: FreshDatabase;
let sandbox: SandboxNetworks;
let processes: Processes;
let database: pg.Pool;
let clockDatabase: Database;
/** A proxy between the instances and the networks. */
let line: ChildProcess;
let linePort: number;
let openOnLine = 0;
let accountId: string;

beforeAll(async () => {
  fresh = await freshDatabase({ isMigrated: true });
  sandbox = await startSandboxNetworks();
  linePort = await freePort();
  line = fork('test/support/held-connections.mjs', [String(linePort), new URL(sandbox.url).port]);
  await once(line, 'message');
  line.on('message', (open: number) => {
    openOnLine = open;
  });
  processes = await createProcesses(undefined, {
    DATABASE_URL: urlOf(fresh.parts),
    SANDBOX_URL: `http://127.0.0.1:${linePort}`,
    SEND_LEASE_SECONDS: String(leaseMs / 1000),
    REQUESTS_PER_MINUTE: '100000',
    ADMIN_TOKEN: adminToken,
    LOG_LEVEL: 'error',
  });
  const person = ['--email', 'a@example.com', '--password', 'correct horse', '--workspace', 'Demo'];
  await processes.ask('setup', ...person);
  const act = await human(await startInstance());
  [accountId = ''] = (await act('/api/app/sandbox/accounts', { networks: ['x'] })).accountIds as string[];
  clockDatabase = openDatabase(fresh.parts, { report: () => undefined });
  database = new pg.Pool({ ...fresh.parts, max: 3 });
  database.on('error', () => undefined);
  // Marking a send as begun waits here while a test holds the lock.
  await database.query(`
    create function wait_for_test() returns trigger language plpgsql as $$ begin
      if new.begun_at is distinct from old.begun_at and new.begun_at is not null then
        perform pg_advisory_xact_lock_shared(${beginLock});
      end if;
      return new;
    end $$;
    create trigger wait_for_test before update on sends for each row execute function wait_for_test()`);
});

afterAll(async () => {
  line.kill('SIGCONT');
  line.kill('SIGKILL');
  await database.end();
  await clockDatabase.close();
  await processes.clear();
  await sandbox.stop();
  await fresh.drop();
});

/** Moves the clock here and at the networks. */
const aMinuteLater = async () => {
  sandbox.forward(60_000);
  await createSandboxClockStore(clockDatabase).move(60_000);
};

const running: Running[] = [];
/** Keeps the last instance for the next test. */
afterEach(async () => {
  for (const instance of running.splice(0, running.length - 1)) {
    instance.kill('SIGKILL');
    await instance.ended;
  }
  running[0]?.kill('SIGCONT');
});

const startInstance = async () => {
  const instance = await processes.start(undefined, { PORT: String(await freePort()) });
  running.push(instance);
  return instance;
};
const onlyInstance = async () => running[0] ?? startInstance();

const human = (instance: Running) => instance.signIn({ email: 'a@example.com', password: 'correct horse' });

const publish = async (instance: Running, body: string) => {
  const act = await human(instance);
  const { id } = await act('/api/app/actions/posts.create', { accountIds: [accountId], body });
  await act('/api/app/actions/posts.publishNow', { id });
  return String(id);
};

const resultOf = async (id: string) => {
  const { rows } = await database.query<{ status: string; results: Result[] }>(
    'select status, results from posts where id = $1',
    [id],
  );
  return { status: rows[0]?.status, ...rows[0]?.results[0] };
};

const ended = (id: string) =>
  until('the post has ended', async () => ['Published', 'Failed'].includes((await resultOf(id)).status ?? ''));

const shown = async (body: string) =>
  (await sandbox.sandboxes.feed('x', 100)).filter(({ text }) => text.startsWith(body)).length;

const begunAt = async (id: string) =>
  (await database.query<{ begun_at: Date | null }>('select begun_at from sends where post_id = $1', [id])).rows[0]
    ?.begun_at;

/** Whether the send waits for longer than any lease. */
const waitsLong = async (id: string) => {
  const { rows } = await database.query<{ waits: boolean }>(
    `select due_at > posthorn_now() + interval '${leaseMs} milliseconds' as waits from sends where post_id = $1`,
    [id],
  );
  return rows[0]?.waits === true;
};

/** Another instance takes over the row, asks the network, and waits until an aborted request would have settled. */
const endedByAnother = async (id: string) => {
  const another = await startInstance();
  await until('the lease has ended and another asked the network', () => waitsLong(id));
  await aMinuteLater();
  await ended(id);
  return another;
};

/** While the network still holds a request, the post must not be reported as missing. */
const untilLetGo = (id: string, isDone: (result: Awaited<ReturnType<typeof resultOf>>) => boolean) =>
  until('the network has let go of it', async () => {
    if (await waitsLong(id)) await aMinuteLater();
    return isDone(await resultOf(id));
  });

/** Resumes the first instance and waits until it has finished whatever it was about to do. */
const goOn = async (first: Running) => {
  first.kill('SIGCONT');
  await until('it has nothing in hand', async () => {
    const answer = await fetch(`${first.url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } });
    return /^posthorn_sends_in_flight\{network="x"\} 0$/m.test(await answer.text());
  });
};

/** Edits the text first: the network refuses duplicates itself, which is not what these tests are about. */
const publishAgain = async (instance: Running, id: string, body: string) => {
  const act = await human(instance);
  await act('/api/app/actions/posts.setVersionText', { id, body: `${body} Edited.` });
  await act('/api/app/actions/posts.publishNow', { id });
  await untilLetGo(id, ({ status }) => status !== 'Publishing');
};

describe('an instance is stopped and goes on after its lease', () => {
  /** The database has committed "begun", but the instance does not know yet. */
  const stoppedBeforeConnect = async (body: string) => {
    const first = await onlyInstance();
    const held = await database.connect();
    await held.query('select pg_advisory_lock($1)', [beginLock]);
    const id = await publish(first, body);
    await until('it is about to begin', async () => {
      const { rowCount } = await held.query(
        `select from pg_locks where locktype = 'advisory' and objid = ${beginLock} and not granted`,
      );
      return rowCount === 1;
    });
    first.kill('SIGSTOP');
    await held.query('select pg_advisory_unlock($1)', [beginLock]);
    held.release();
    await until('it has begun', async () => (await begunAt(id)) !== null);
    return { first, id };
  };

  /** The instance connects, but nobody accepts the connection until the instance is stopped. */
  const stoppedDuringConnect = async (body: string) => {
    const first = await onlyInstance();
    await until('its kept connections are closed', () => openOnLine === 0);
    line.kill('SIGSTOP');
    const callers: Socket[] = [];
    for (let i = 0; i < 4; i++) callers.push(connect(linePort, '127.0.0.1').on('error', () => undefined));
    await sleep(100);
    const id = await publish(first, body);
    await until('it has begun', async () => (await begunAt(id)) !== null);
    await sleep(200);
    first.kill('SIGSTOP');
    for (const caller of callers) caller.destroy();
    line.kill('SIGCONT');
    return { first, id };
  };

  describe.each([
    ['before the connection is opened', stoppedBeforeConnect],
    ['while the connection is opened', stoppedDuringConnect],
  ])('%s', (where, stopped) => {
    test('nothing is sent, and what is said not to be there stays away', async () => {
      const body = `Stopped ${where}, never published again.`;
      const { first, id } = await stopped(body);
      await endedByAnother(id);
      expect(await resultOf(id)).toMatchObject({ status: 'Failed', error: { code: 'uncertain' }, uncertain: true });
      await untilLetGo(id, ({ uncertain }) => uncertain === false);
      expect(await resultOf(id)).toMatchObject({ status: 'Failed', error: { code: 'not_sent' } });
      // Publishing again asks the network first.
      expect(await begunAt(id)).not.toBeNull();
      await goOn(first);
      expect(await shown(body)).toBe(0);
      expect(await resultOf(id)).toMatchObject({ status: 'Failed', error: { code: 'not_sent' } });
    });

    test('and a person published again: it is public once', async () => {
      const body = `Stopped ${where}, published again.`;
      const { first, id } = await stopped(body);
      const another = await endedByAnother(id);
      await publishAgain(another, id, body);
      expect(await resultOf(id)).toMatchObject({ status: 'Published', ok: true });
      await goOn(first);
      expect(await shown(body)).toBe(1);
      expect(await resultOf(id)).toMatchObject({ status: 'Published', ok: true });
    });
  });

  test('and nobody else was there: it begins anew and is public once', async () => {
    const body = 'Stopped all alone.';
    const { first, id } = await stoppedBeforeConnect(body);
    await sleep(leaseMs);
    await goOn(first);
    expect(await shown(body)).toBe(0);
    await until('it is over', async () => {
      if (await waitsLong(id)) await aMinuteLater();
      return (await resultOf(id)).status !== 'Publishing';
    });
    expect(await shown(body)).toBe((await resultOf(id)).ok ? 1 : 0);
  });
});
