import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './processes.ts';
import { until } from './until.ts';

const bin = '/usr/lib/postgresql/15/bin';
const isHere = existsSync(join(bin, 'postgres')) && spawnSync('pgbouncer', ['--version']).status === 0;
const isRequired = process.env.DEBIAN_SERVERS_REQUIRED === '1';
/** In CI they are required; elsewhere the tests that need them are skipped. */
export const withoutServers = !isHere && !isRequired;
if (withoutServers) {
  console.warn('No postgresql-15 and pgbouncer from Debian: the tests with them are skipped. apt-get installs both.');
}

const canGerman =
  existsSync('/usr/share/i18n/locales/de_DE') && existsSync('/usr/share/locale/de/LC_MESSAGES/postgres-15.mo');
/** As above, for a server whose messages are German. */
export const withoutGerman = withoutServers || (!canGerman && !isRequired);
if (withoutGerman && !withoutServers) {
  console.warn('No German messages for PostgreSQL: the tests with them are skipped. apt-get installs locales.');
}

/** Neither program runs as root. */
const owner = () => {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('postgres:'));
  const [, , uid = 0, gid = 0] = (line ?? '').split(':').map(Number);
  return { uid, gid };
};

const folderFor = (what: string) => {
  const folder = mkdtempSync(join(tmpdir(), `posthorn-${what}-`));
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  chmodSync(folder, 0o700);
  return folder;
};

const run = (program: string, args: readonly string[]) => {
  const { status, stderr } = spawnSync(join(bin, program), args, { encoding: 'utf8', cwd: '/', ...owner() });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
};

const started: { child: ChildProcess; folder: string }[] = [];

const launch = (program: string, args: readonly string[], folder: string, env = process.env) => {
  const child = spawn(program, args, { stdio: 'ignore', cwd: '/', env, ...owner() });
  started.push({ child, folder });
  return child;
};

export type DebianServer = Awaited<ReturnType<typeof serve>>;

const serve = async (folder: string, messages?: string) => {
  const port = await freePort();
  // The data is temporary. Without fsync only a crash of the machine loses data, not that of a process.
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  if (messages) settings.push(`lc_messages=${messages}`);
  const args = ['-D', folder, ...settings.flatMap((one) => ['-c', one])];
  const env = messages ? { ...process.env, LOCPATH: makeLocale(folder, messages) } : process.env;
  const child = launch(join(bin, 'postgres'), args, folder, env);
  const at = (database: string) => ({ host: '127.0.0.1', port, user: 'app', database });
  const query = async (text: string, database = 'postgres') => {
    const client = new pg.Client(at(database));
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const answers = () =>
    query('select 1').then(
      () => true,
      () => false,
    );
  await until('PostgreSQL answers', answers);
  return { port, at, query, kill: () => void child.kill('SIGKILL') };
};

/** In its own folder: the locales of the machine stay unchanged. */
const makeLocale = (folder: string, locale: string) => {
  const [name = '', charset = ''] = locale.split('.');
  // As the owner of the folder.
  const { status, stderr } = spawnSync('localedef', ['-i', name, '-f', charset, join(folder, locale)], {
    encoding: 'utf8',
    ...owner(),
  });
  if (status !== 0) throw new Error(`localedef ended with ${status}: ${stderr}`);
  return folder;
};

/** `messages`: the locale of the server's messages. */
export const startLeader = async ({ messages }: { messages?: string } = {}) => {
  const folder = folderFor('leader');
  run('initdb', ['-D', folder, '-U', 'app', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']);
  return serve(folder, messages);
};

/** Streams from the leader, whose commits are synchronous from now on. */
export const startReplica = async (leader: DebianServer) => {
  const folder = folderFor('replica');
  run('pg_basebackup', [
    '-h',
    '127.0.0.1',
    '-p',
    `${leader.port}`,
    '-U',
    'app',
    '-D',
    folder,
    '-R',
    '-c',
    'fast',
    '-N',
  ]);
  const replica = await serve(folder);
  await leader.query(`alter system set synchronous_standby_names = '*'`);
  await leader.query('select pg_reload_conf()');
  const isSynchronous = async () =>
    (await leader.query(`select from pg_stat_replication where sync_state = 'sync'`)).length === 1;
  await until('the replica is synchronous', isSynchronous);
  return replica;
};

/** In front of one database, with fewer connections than a process wants. */
export const startBouncer = async (
  { port }: DebianServer,
  database: string,
  mode: 'transaction' | 'session' | 'statement',
) => {
  const folder = folderFor('bouncer');
  const listenPort = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
${database} = host=127.0.0.1 port=${port} user=app
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 3
`,
    { mode: 0o644 },
  );
  launch('pgbouncer', [file], folder);
  const client = () => new pg.Client({ host: '127.0.0.1', port: listenPort, user: 'app', database });
  const answers = async () => {
    const one = client();
    one.on('error', () => undefined);
    return one.connect().then(
      () => one.end().then(() => true),
      () => false,
    );
  };
  await until('PgBouncer answers', answers);
  return `postgres://app@127.0.0.1:${listenPort}/${database}`;
};

export const stopServers = async () => {
  for (const { child, folder } of started.splice(0).reverse()) {
    const gone = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGQUIT');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
};
