// A temporary database and folder in which servers are measured.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { importCompiled } from './compiled.mjs';
import { command, startContender, startService, stopAll } from './processes.mjs';
import { connectAccount, signIn } from './signed-in.mjs';

export const poolSize = 4;
const cli = resolve(import.meta.dirname, '../dist/cli.js');

/** With --blink all metrics share one place, with one database and one service of each kind, until the run ends. */
let shared;

/** Runs `work(place)`, then stops and removes everything it started, also on Ctrl-C. */
export const atPlace = async ({ blink = false }, work) => {
  if (blink) shared ??= openPlace();
  const opened = shared ?? openPlace();
  try {
    return await work(await opened.place);
  } catch (error) {
    if (opened.isClosing()) await opened.interrupted(); // our own shutdown caused the error
    throw error;
  } finally {
    if (blink) await stopAll((await opened.place).servicePids());
    else await opened.close();
  }
};

export const closeShared = () => shared?.close();

const openPlace = () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  chmodSync(folder, 0o711); // PostgreSQL may run as another user
  const starting = startDatabase(join(folder, 'database'));
  let cleaning;
  const clean = () => {
    cleaning ??= stopAll()
      .then(() => starting)
      .then(({ stop }) => stop())
      .finally(() => rmSync(folder, { recursive: true, force: true }));
    return cleaning;
  };
  const interrupted = async () => {
    if (cleaning === undefined) console.error('\nInterrupted: ending what was started.');
    await clean();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupted);
  return {
    place: starting.then(({ config }) => placeIn(folder, config)),
    isClosing: () => cleaning !== undefined,
    interrupted,
    close: async () => {
      await clean();
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
    },
  };
};

/** The service's own embedded PostgreSQL. We start it ourselves, so that it outlives every contender. */
const startDatabase = async (folder) => {
  const { startEmbedded } = await importCompiled('server/base/store/embedded.ts');
  return startEmbedded(folder);
};

let databases = 0;

/** Starts servers and commands on the database. A shared place still has what earlier metrics started or created. */
const placeIn = (folder, config, more = {}) => {
  const env = {
    PGHOST: config.host,
    PGPORT: String(config.port),
    PGUSER: config.user,
    PGPASSWORD: config.password,
    PGDATABASE: config.database,
    DATABASE_POOL: String(poolSize),
  };
  const settings = {
    POSTHORN_DATA: folder,
    DATABASE_URL: '',
    DATABASE_POOL: String(poolSize),
    LOG_LEVEL: '',
    REQUESTS_PER_MINUTE: '1000000000',
    SIGN_INS_PER_HOUR: '1000000',
    ...more,
  };
  const person = { email: 'bench@example.com', password: 'long enough to be taken' };
  const owner = ['--email', person.email, '--password', person.password, '--workspace', 'Bench'];
  const made = new Map();
  const once = (name, make) => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name);
  };
  const pids = new Set();
  const ask = (...args) => command(cli, settings, ...args);
  const setUp = () => once('owner', () => ask('setup', ...owner));
  return {
    folder,
    cli,
    config,
    settings,
    owner,
    contender: async (name, file, more = {}) => ({ name, ...(await startContender(file, { ...env, ...more })) }),
    service: (name, more = {}, program = cli) =>
      once(JSON.stringify([name, more, program]), async () => {
        const log = join(folder, `service-${config.database}-${made.size}.log`);
        const service = await startService(program, { ...settings, ...more }, log);
        pids.add(service.pid);
        return { name, ...service };
      }),
    servicePids: () => pids,
    command: ask,
    setUp,
    /** `url` is that of a service on this place. */
    browser: async (url) => {
      await setUp();
      return signIn(url, person);
    },
    account: (url, network) =>
      once(`account at ${network}`, async () => {
        await setUp();
        return connectAccount(url, person, network);
      }),
    /** The same with its own database, for work that would disturb other metrics or be disturbed by them. */
    apart: async (more = {}) => {
      const database = `bench_${++databases}`;
      await createDatabase(config, database);
      const { user, password, host } = config;
      const DATABASE_URL = `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}`;
      return placeIn(folder, { ...config, database }, { DATABASE_URL, ...more });
    },
  };
};

const createDatabase = async (config, name) => {
  const db = new pg.Client(config);
  await db.connect();
  await db.query(`create database ${name}`);
  await db.end();
};
