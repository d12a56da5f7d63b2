import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Embedded, type EmbeddedOptions, startEmbedded, trimLog } from '#server/base/store/embedded';
import { isAlive } from '#server/base/store/embedded-process';
import { until } from '#test/support/until';

const isRoot = process.getuid?.() === 0;
/** False in a container or chroot, where root cannot reach below a directory that only root may enter. */
const mayMakeNamespace = isRoot && spawnSync('unshare', ['--user', 'true']).status === 0;

/** A server that was created and stopped, as a template: copying is faster than creating one. */
let made: string;
/** Compiled once. */
let childProgram: string;
beforeAll(async () => {
  made = fs.mkdtempSync(path.join(os.tmpdir(), 'posthorn-embedded-'));
  fs.chmodSync(made, 0o711);
  await (await startEmbedded(made)).stop();
  // Where the packages are found from.
  childProgram = path.resolve(`node_modules/.embedded-child-${process.pid}.mjs`);
  const compiling = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const;
  await build({ ...compiling, entryPoints: ['test/support/embedded-child.ts'], outfile: childProgram });
});
afterAll(() => {
  fs.rmSync(made, { recursive: true });
  fs.rmSync(childProgram);
});

it('empties a long log under the server that writes it, and leaves a short one', () => {
  const log = path.join(made, 'long.log');
  const writer = fs.openSync(log, 'a');
  fs.writeSync(writer, 'x'.repeat(1_000_001));
  trimLog(log);
  fs.writeSync(writer, 'after');
  trimLog(log);
  expect(fs.readFileSync(log, 'utf8')).toBe('after');
  fs.closeSync(writer);
});

let dir: string;
let started: Embedded[];
let children: ChildProcess[];

beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'posthorn-embedded-'));
  fs.chmodSync(dir, 0o711);
  started = [];
  children = [];
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const child of children) child.kill('SIGKILL');
  await Promise.allSettled(started.map((embedded) => embedded.stop()));
  for (const below of [dir, ...deepIn(dir)]) end(serverIn(below));
  fs.rmSync(dir, { recursive: true, force: true });
});

describe('the embedded server', () => {
  it('starts, speaks UTF-8 whatever the machine speaks, opens no port, and is gone after stop', async () => {
    const embedded = await start();
    const [row] = await ask(
      embedded,
      `select upper('ä') as upper, current_setting('server_encoding') as encoding,
              current_setting('listen_addresses') as addresses`,
    );
    expect(row).toEqual({ upper: 'Ä', encoding: 'UTF8', addresses: '' });
    const pid = serverIn(dir);
    await embedded.stop();
    expect(serverIn(dir)).toBe(0);
    await until('the process is gone', () => !isAlive(pid));
  });

  it('keeps its data over a restart', async () => {
    copyMade();
    const first = await start();
    await ask(first, 'create table kept as select 42 as answer');
    await first.stop();
    expect(await ask(await start(), 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('is adopted after the Node process that started it was killed', async () => {
    copyMade();
    const child = await startInChild();
    const pid = serverIn(dir);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const embedded = await start();
    expect(serverIn(dir)).toBe(pid);
    await embedded.stop();
    await until('the adopted server is gone', () => !isAlive(pid));
  });

  it('is made once when several processes start for the first time together', async () => {
    const [embedded] = await Promise.all([start(), startInChild(), startInChild()]);
    const holders = `select count(*)::int as holders from pg_stat_activity where application_name = 'posthorn embedded'`;
    expect(await ask(embedded, holders)).toEqual([{ holders: 3 }]);
    expect(fs.readdirSync(dir).filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  it('is turned off by the last process that leaves', async () => {
    copyMade();
    const [child, embedded] = [await startInChild(), await start()];
    const pid = serverIn(dir);
    await embedded.stop();
    expect(serverIn(dir)).toBe(pid);
    child.send('stop');
    await once(child, 'exit');
    expect(serverIn(dir)).toBe(0);
  });

  it('is turned off by one that waits until the connection of a killed process has ended', async () => {
    copyMade();
    const embedded = await start();
    const killed = await connect(embedded);
    await killed.query('select pg_advisory_lock_shared(727000)');
    const stopped = embedded.stop({ waitMs: 60_000 });
    const held = `select from pg_locks where locktype = 'advisory' and objid = 727000 and granted`;
    await until('it waits', async () => (await killed.query(held)).rowCount === 1);
    await killed.end();
    await stopped;
    expect(serverIn(dir)).toBe(0);
  });

  it('comes back by itself after it was killed, with what was committed and nothing else', async () => {
    copyMade();
    const embedded = await start();
    await ask(embedded, 'create table kept as select 1 as number');
    const open = await connect(embedded);
    await open.query('begin; insert into kept values (2)');
    const pid = serverIn(dir);
    process.kill(pid, 'SIGKILL');
    await until('another server runs', () => ![0, pid].includes(serverIn(dir)));
    await until('it answers', () => ask(embedded, 'select 1').catch(() => false));
    expect(await ask(embedded, 'select number from kept')).toEqual([{ number: 1 }]);
    await open.end().catch(() => undefined);
  });

  it('starts again after Node and server were both killed', async () => {
    copyMade();
    const child = await startInChild();
    const pid = serverIn(dir);
    child.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    const embedded = await start();
    expect(serverIn(dir)).not.toBe(pid);
    expect(await ask(embedded, 'select 1 as answer')).toEqual([{ answer: 1 }]);
  });

  it('still counts its users after a crash of one connection cut them all', async () => {
    copyMade();
    const [child, embedded] = [await startInChild(), await start()];
    const victim = await connect(embedded);
    const { rows } = await victim.query('select pg_backend_pid() as pid');
    process.kill(rows[0].pid, 'SIGKILL');
    const held = `select 1 from pg_locks where locktype = 'advisory' and objid = 727000 and granted`;
    await until('both hold the lock again', async () => (await ask(embedded, held).catch(() => [])).length === 2);
    child.send('stop');
    await once(child, 'exit');
    expect(await ask(embedded, 'select 1 as answer')).toEqual([{ answer: 1 }]);
  });

  it.runIf(!isRoot || mayMakeNamespace)(
    'is not kept from starting by a process that got the number of a crashed server',
    async () => {
      await fs.promises.chmod(dir, 0o700); // the server runs as this user, so it cannot tell by itself
      await (await start()).stop();
      const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      children.push(other);
      const note = [other.pid, path.join(dir, 'pg'), 0, 5432, path.join(dir, 'sock'), '', '', 'ready'];
      fs.writeFileSync(path.join(dir, 'pg/postmaster.pid'), note.join('\n'), { mode: 0o600 });
      await start();
      expect(serverIn(dir)).not.toBe(other.pid);
    },
  );

  it('clears away what a process left that was killed during the first start', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    fs.mkdirSync(path.join(dir, `new-${child.pid}-x/pg`), { recursive: true });
    await start();
    expect(fs.readdirSync(dir).filter((name) => name.startsWith('new-'))).toEqual([]);
  });

  it('refuses data of another major version and says what to do', async () => {
    copyMade();
    fs.writeFileSync(path.join(dir, 'pg/PG_VERSION'), '12\n');
    await expect(start()).rejects.toThrow(
      /was made by PostgreSQL 12, and this Posthorn brings \d+.*backup.*DATABASE_URL/,
    );
  });

  it('starts in a directory whose path is too long for a socket', async () => {
    const deep = path.join(dir, 'deep-'.repeat(30));
    const embedded = await start(deep);
    expect(await ask(embedded, 'select 1 as answer')).toEqual([{ answer: 1 }]);
    expect(embedded.config.host).not.toContain('deep-');
    await embedded.stop();
    fs.rmSync(embedded.config.host, { recursive: true });
  });

  it.runIf(isRoot)(
    'runs for root in a container that allows no user namespace, below a closed data folder',
    async () => {
      fs.chmodSync(dir, 0o700);
      // A missing `unshare` has the same effect as a refused one.
      vi.stubEnv('PATH', '');
      const embedded = await start(path.join(dir, 'database'));
      vi.unstubAllEnvs();
      expect(await ask(embedded, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect((fs.statSync(dir).mode & 0o777).toString(8)).toBe('711');
    },
  );

  it('gives up in time, with the reason, when the server cannot start', async () => {
    copyMade();
    const flags = ['-c', 'shared_buffers=nonsense'];
    // On a busy machine, starting the process that reports the reason may take longer than the timeout.
    await until('it says why', async () => {
      const outcome = await start(dir, { flags, timeoutMs: 300 }).catch(String);
      expect(outcome).toMatch(/did not start.*DATABASE_URL/s);
      return /nonsense/.test(String(outcome));
    });
  });

  it.runIf(mayMakeNamespace)(
    'starts below a directory that only root may enter, and again once others may',
    async () => {
      fs.chmodSync(dir, 0o700);
      await (await start()).stop();
      expect(fs.statSync(path.join(dir, 'pg')).uid).toBe(0);
      fs.chmodSync(dir, 0o711);
      expect(await ask(await start(), 'select 1 as answer')).toEqual([{ answer: 1 }]);
    },
  );
});

function copyMade(): void {
  const { status } = spawnSync('cp', ['-a', path.join(made, 'pg'), dir]);
  if (status !== 0) throw new Error('the server could not be copied');
}

async function start(where = dir, options: EmbeddedOptions = {}): Promise<Embedded> {
  const embedded = await startEmbedded(where, options);
  started.push(embedded);
  return embedded;
}

async function startInChild(): Promise<ChildProcess> {
  const child = fork(childProgram, [dir], { execArgv: [] });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function ask(embedded: Embedded, question: string): Promise<unknown[]> {
  const client = await connect(embedded);
  try {
    return (await client.query(question)).rows;
  } finally {
    await client.end();
  }
}

async function connect(embedded: Embedded): Promise<pg.Client> {
  const client = new pg.Client(embedded.config);
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function serverIn(where: string): number {
  const file = path.join(where, 'pg/postmaster.pid');
  return fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : 0;
}

function deepIn(where: string): string[] {
  return fs.readdirSync(where).map((name) => path.join(where, name));
}

function end(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}
