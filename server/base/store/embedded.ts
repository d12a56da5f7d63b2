import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sha256 } from '#server/base/sha256';
import { CarefulClient } from './careful-client.ts';
import type { Connection } from './database.ts';
import { isAlive, type Server, serverHolding } from './embedded-process.ts';
import { findProgram, orElse, type Program } from './embedded-program.ts';

export interface EmbeddedOptions {
  timeoutMs?: number;
  flags?: readonly string[];
  /** Called when the server was lost and could not be started again. */
  report?: (error: Error) => void;
}

export interface Embedded {
  config: Connection;
  /**
   * Releases the server; the last process to do so stops it. With `waitMs`, waits up to that long for other processes
   * to leave, because the server notices a killed process only a moment later.
   */
  stop(options?: { waitMs?: number }): Promise<void>;
}

interface Cluster {
  /** Lazy, because finding it is slow and only needed to start the server. */
  readonly program: () => Promise<Program>;
  readonly data: string;
  readonly log: string;
  readonly config: Connection;
  readonly flags: readonly string[];
}

const user = 'posthorn';
const port = 5432; // no port is opened, the number only names the socket file
const usersLock = 727000; // shared advisory lock of every process that uses the server
const pollMs = 15;
const maxLaunches = 9; // about 15 seconds, with exponential backoff
const stopMs = 60_000;
const logBytes = 1_000_000;
const trimMs = 3_600_000;

/** The PostgreSQL in `dir`: created if there is none, reused if it is running, started otherwise. */
export async function startEmbedded(dir: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  const { timeoutMs = 60_000, flags = [], report = () => undefined } = options;
  const cluster = await openCluster(path.resolve(dir), flags);
  let isStopping = false;
  let holder = hold();
  await holder;
  // The server may run for months, and nobody needs old log lines.
  const trimming = setInterval(() => trimLog(cluster.log), trimMs).unref();

  // If any backend crashes, PostgreSQL closes every connection, and our lock is lost with its connection. Without the
  // lock another process would stop the server while this one uses it.
  async function hold(): Promise<pg.Client> {
    const client = await reach(cluster, timeoutMs);
    client.once('end', () => {
      if (isStopping) return;
      holder = hold();
      holder.catch(report);
    });
    return client;
  }

  async function stop({ waitMs = 0 } = {}): Promise<void> {
    isStopping = true;
    clearInterval(trimming);
    const client = await holder.catch(() => undefined);
    if (client) await leave(client, cluster, waitMs);
  }

  return { config: cluster.config, stop };
}

/** Whether an earlier start created a cluster. */
export function hasCluster(dir: string): boolean {
  return fs.existsSync(versionFile(path.join(path.resolve(dir), 'pg')));
}

async function openCluster(dir: string, flags: readonly string[]): Promise<Cluster> {
  // Root starts the server as another user, who has to reach the folder.
  fs.mkdirSync(dir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  const data = path.join(dir, 'pg');
  let cached: Promise<Program> | undefined;
  const program = () => {
    cached ??= findMatching(dir, data);
    return cached;
  };
  const host = socketOfRunning(data) || makeSocketDir(dir, await program());
  const password = fs.readFileSync(passwordFile(data), 'utf8');
  const config = { host, port, user, password, database: 'postgres' };
  return { program, data, log: path.join(dir, 'postgres.log'), config, flags };
}

/** Undefined for a server of another user, for which findProgram gives advice. */
function socketOfRunning(data: string): string | undefined {
  const uid = process.getuid?.();
  const isOurs = uid === 0 || fs.statSync(data, { throwIfNoEntry: false })?.uid === uid;
  return isOurs ? serverHolding(dataLock(data))?.socketDir : undefined;
}

async function findMatching(dir: string, data: string): Promise<Program> {
  const program = await findProgram(dir, data);
  if (!fs.existsSync(versionFile(data))) await createCluster(dir, data, program);
  refuseOtherVersion(data, program);
  return program;
}

/**
 * Created in a temporary folder and renamed when complete: if several processes start at once, one wins, and no incomplete
 * cluster is ever used.
 */
async function createCluster(dir: string, data: string, program: Program): Promise<void> {
  removeAbandoned(dir);
  const tempDir = fs.mkdtempSync(path.join(dir, `${tempPrefix}${process.pid}-`));
  try {
    const newData = path.join(tempDir, 'pg');
    const passwords = path.join(tempDir, 'password');
    fs.writeFileSync(passwords, randomBytes(24).toString('base64url'), { mode: 0o600 });
    for (const file of [tempDir, passwords]) giveTo(program, file);
    await initialise(newData, passwords, program);
    fs.renameSync(passwords, passwordFile(newData));
    publish(newData, data);
  } finally {
    fs.rmSync(tempDir, { recursive: true, force: true });
  }
}

const tempPrefix = 'new-';

function removeAbandoned(dir: string): void {
  for (const name of fs.readdirSync(dir)) {
    const abandoned = name.startsWith(tempPrefix) && !isAlive(Number.parseInt(name.slice(tempPrefix.length), 10));
    if (abandoned) fs.rmSync(path.join(dir, name), { recursive: true, force: true });
  }
}

function giveTo({ owner }: Program, file: string): void {
  if (owner) fs.chownSync(file, owner.uid, owner.gid);
}

async function initialise(newData: string, passwords: string, program: Program): Promise<void> {
  const args = ['-D', newData, '-U', user, '--auth=scram-sha-256', `--pwfile=${passwords}`, '--no-instructions'];
  // Not the machine's locale: LANG=C would create a cluster without UTF-8.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const child = program.start('initdb', [...args, ...locale], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')]);
  if (code !== 0) {
    throw new Error(
      `The embedded PostgreSQL could not be set up. Run Posthorn as another user, ${orElse}. ${stderr.trim()}`,
    );
  }
}

function publish(newData: string, data: string): void {
  try {
    fs.renameSync(newData, data);
  } catch (error) {
    if (!fs.existsSync(versionFile(data))) throw error; // otherwise another process was first, and its cluster is just as good
  }
}

function passwordFile(data: string): string {
  return path.join(data, 'posthorn.password');
}

function versionFile(data: string): string {
  return path.join(data, 'PG_VERSION');
}

function refuseOtherVersion(data: string, program: Program): void {
  const version = fs.readFileSync(versionFile(data), 'utf8').trim();
  if (version === program.majorVersion) return;
  throw new Error(
    `The database in ${data} was made by PostgreSQL ${version}, and this Posthorn brings ${program.majorVersion}. ` +
      `Start the Posthorn that made it and take a backup there, then restore it here, ${orElse}.`,
  );
}

/** The path of a unix socket has at most about 100 bytes, so a deep directory gets a short one in the temp folder. */
function makeSocketDir(dir: string, program: Program): string {
  const near = path.join(dir, 'sock');
  const short = path.join(os.tmpdir(), `posthorn-${sha256(dir, 'hex').slice(0, 12)}`);
  const chosen = Buffer.byteLength(near) <= 85 ? near : short;
  fs.mkdirSync(chosen, { recursive: true, mode: 0o700 });
  const { uid } = fs.lstatSync(chosen);
  if (![process.getuid?.(), program.owner?.uid].includes(uid)) {
    throw new Error(`${chosen} belongs to user id ${uid}. Remove it, or choose a data directory with a shorter path.`);
  }
  giveTo(program, chosen);
  return chosen;
}

/** A connection that holds the users' lock. Starts the server if it is not running. */
async function reach(cluster: Cluster, timeoutMs: number): Promise<pg.Client> {
  const deadline = performance.now() + timeoutMs;
  let launched: Launch | undefined;
  for (;;) {
    const attempt = await join(cluster.config);
    if (attempt instanceof pg.Client) return attempt;
    if (performance.now() > deadline || launched?.failure) throw startError(cluster, launched?.failure ?? attempt);
    // If several processes launch it at once, PostgreSQL's own locks end all but one immediately.
    if (!runningServer(cluster) && mayLaunch(launched)) {
      launched = launch(await cluster.program(), cluster, launched);
    }
    await sleep(pollMs);
  }
}

async function join(config: Connection): Promise<pg.Client | Error> {
  const client = new CarefulClient({ ...config, application_name: 'posthorn embedded' });
  try {
    await client.connect();
    await client.query('select pg_advisory_lock_shared($1)', [usersLock]);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    return error as Error;
  }
}

function runningServer({ data, config }: Cluster): Server | undefined {
  return serverHolding(dataLock(data)) ?? serverHolding(path.join(config.host, `.s.PGSQL.${port}.lock`));
}

function dataLock(data: string): string {
  return path.join(data, 'postmaster.pid');
}

interface Launch {
  running: boolean;
  failure?: Error;
  readonly attempt: number;
  readonly nextAt: number;
}

function mayLaunch(earlier: Launch | undefined): boolean {
  return !earlier || (!earlier.running && performance.now() > earlier.nextAt);
}

function launch(program: Program, { data, log, config, flags }: Cluster, earlier?: Launch): Launch {
  const attempt = (earlier?.attempt ?? 0) + 1;
  // Processes of a crashed server block a new start until they end, so launches are retried.
  const launched: Launch = { running: true, attempt, nextAt: performance.now() + pollMs * 2 ** attempt };
  const settings = [
    'listen_addresses=',
    `port=${port}`, // PGPORT would change it
    'max_connections=80',
    'log_min_messages=log', // errors of statements are reported to the caller
    'log_checkpoints=off',
    // Background workers that have nothing to do here.
    'io_workers=1',
    'max_logical_replication_workers=0',
  ];
  const args = ['-D', data, '-k', config.host, ...settings.flatMap((setting) => ['-c', setting]), ...flags];
  const output = openLog(log);
  // Detached into its own process group, so that Ctrl-C does not stop the server before Posthorn has finished.
  const child = program.start('postgres', args, { detached: true, stdio: ['ignore', output, output] });
  fs.closeSync(output);
  child.unref();
  child.once('error', (error) => {
    launched.failure = error;
  });
  child.once('exit', (code) => {
    launched.running = false;
    if (attempt === maxLaunches) launched.failure = new Error(`postgres ended at once with code ${code}`);
  });
  return launched;
}

function openLog(log: string): number {
  trimLog(log);
  return fs.openSync(log, 'a', 0o600);
}

/** The server opened the log for appending, so after the file is emptied it continues at the start. */
export function trimLog(log: string): void {
  const bytes = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > logBytes) fs.truncateSync(log);
}

function startError({ log }: Cluster, cause: Error): Error {
  const logTail = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').slice(-1000) : '';
  const advice = `The end of its log ${log} may help, ${orElse}.`;
  return new Error(`The embedded PostgreSQL did not start: ${cause.message}. ${advice}\n${logTail}`, { cause });
}

async function leave(client: pg.Client, cluster: Cluster, waitMs: number): Promise<void> {
  try {
    if (await isLast(client, waitMs)) await turnOff(cluster);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function isLast(client: pg.Client, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  try {
    await client.query('select pg_advisory_unlock_shared($1)', [usersLock]);
    for (;;) {
      const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [usersLock]);
      if (rows[0].last || performance.now() > deadline) return rows[0].last;
      await sleep(pollMs);
    }
  } catch {
    return false; // the connection broke, so there is nothing left to stop
  }
}

async function turnOff(cluster: Cluster): Promise<void> {
  const server = runningServer(cluster);
  if (!server) return;
  process.kill(server.pid, 'SIGINT'); // SIGTERM would wait for every client to go
  const deadline = performance.now() + stopMs;
  while (runningServer(cluster)?.pid === server.pid) {
    if (performance.now() > deadline) throw new Error(`The embedded PostgreSQL, process ${server.pid}, does not stop`);
    await sleep(pollMs);
  }
}
