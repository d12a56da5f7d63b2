// A database and a folder of our own for servers to be measured in.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importCompiled } from './compiled.mjs';
import { command, startContender, startService, stopAll } from './processes.mjs';

export const poolSize = 4;
const cli = resolve(import.meta.dirname, '../dist/cli.js');

/** Everything that `work(place)` started is ended and removed, also on Ctrl-C. */
export const atPlace = async (work) => {
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
  try {
    return await work(placeIn(folder, await starting));
  } catch (error) {
    if (cleaning !== undefined) await interrupted(); // what broke was broken by us
    throw error;
  } finally {
    await clean();
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
  }
};

/** The service's own embedded PostgreSQL, held by us so that it outlives every contender. */
const startDatabase = async (folder) => {
  const { startEmbedded } = await importCompiled('server/store/embedded.ts');
  return startEmbedded(folder);
};

/** How servers and commands get at the database. */
const placeIn = (folder, { config }) => {
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
  };
  const owner = ['--email', 'bench@example.com', '--password', 'long enough to be taken', '--workspace', 'Bench'];
  let logs = 0;
  return {
    folder,
    cli,
    config,
    settings,
    owner,
    contender: async (name, file, more = {}) => ({ name, ...(await startContender(file, { ...env, ...more })) }),
    service: async (name, more = {}, program = cli) => {
      const log = join(folder, `service-${++logs}.log`);
      return { name, ...(await startService(program, { ...settings, ...more }, log)) };
    },
    command: (...args) => command(cli, settings, ...args),
    setUp: () => command(cli, settings, 'setup', ...owner),
  };
};
