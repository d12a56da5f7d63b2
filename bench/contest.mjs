// Servers beside each other on one database: what the figures for rest and mcp have in common.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importCompiled } from './compiled.mjs';
import { command, cpuSeconds, messageFrom, startContender, startFile, startService, stopAll } from './processes.mjs';
import { ratio, shuffled, table } from './table.mjs';

const poolSize = 4;
const warmUpSeconds = 3; // the service has more code to warm than a bare handler
const cli = resolve(import.meta.dirname, '../dist/cli.js');

/**
 * `enter(place)` starts the servers, 1.00 first, and answers `{ servers, work, afterVisit?, close?, compared? }`, where
 * `work` has the requests by their name. Everything that was started is ended and removed, also on Ctrl-C.
 */
export const contest = async ({ title, intro, connections, enter }, { rounds = 5, seconds = 1.5, ...options }) => {
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
    const entered = await enter(placeIn(folder, await starting), options);
    const samples = await run(entered, { rounds, seconds, connections });
    console.log(report(entered, samples, { title, intro, rounds, seconds, connections }));
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
  let logs = 0;
  return {
    cli,
    config,
    contender: async (name, file, more = {}) => ({ name, ...(await startContender(file, { ...env, ...more })) }),
    service: async (name, more = {}, program = cli) => {
      const log = join(folder, `service-${++logs}.log`);
      return { name, ...(await startService(program, { ...settings, ...more }, log)) };
    },
    command: (...args) => command(cli, settings, ...args),
    setUp: () => {
      const owner = ['--email', 'bench@example.com', '--password', 'long enough to be taken', '--workspace', 'Bench'];
      return command(cli, settings, 'setup', ...owner);
    },
  };
};

const run = async ({ servers, work, afterVisit, close }, { rounds, seconds, connections }) => {
  const load = startFile('load.mjs');
  const visit = async ({ url, pid, name }, what, forSeconds) => {
    const { path, headers, bodies } = work[what];
    const before = cpuSeconds(pid);
    load.send({ url: url + path, headers, bodies, connections, seconds: forSeconds });
    const { answered, failed, seconds: took } = await messageFrom(load);
    const after = cpuSeconds(pid);
    if (failed > 0 || answered === 0) throw new Error(`${what} at ${name}: ${failed} failed, ${answered} answered`);
    await afterVisit?.(what);
    return { perSecond: answered / took, cpu: before === undefined ? undefined : (after - before) / answered };
  };
  const say = (what) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${what}` : `${what}\n`);
  say('warming up …');
  for (const what of Object.keys(work)) for (const server of servers) await visit(server, what, warmUpSeconds);
  const samples = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const what of Object.keys(work)) {
      for (const server of shuffled(servers)) {
        samples.push({ round, what, server: server.name, ...(await visit(server, what, seconds)) });
      }
    }
  }
  if (process.stderr.isTTY) say('');
  await close?.();
  return samples;
};

/** `compared` has further pairs of servers to form a ratio of. */
const report = ({ servers, work, compared = [] }, samples, { title, intro, rounds, seconds, connections }) => {
  const names = Object.keys(work);
  const [base] = servers;
  const sampleOf = (round, what, { name }) =>
    samples.find((sample) => sample.round === round && sample.what === what && sample.server === name);
  const ratios = (what, one, other, compare) =>
    Array.from({ length: rounds }, (_, i) => compare(sampleOf(i + 1, what, one), sampleOf(i + 1, what, other)));
  const row = (label, one, other, compare) => [
    label,
    ...names.map((what) => (one === other ? '1.00' : ratio(ratios(what, one, other, compare)))),
  ];
  const lines = (compare) =>
    table(
      ['server', ...names],
      [
        ...servers.map((server) => row(server.name, server, base, compare)),
        ...compared.map(([one, other]) => row(`${one.name} : ${other.name}`, one, other, compare)),
      ],
    );
  return [
    `## ${title}`,
    '',
    `1.00 is ${base.name}${intro}; higher is faster. Median [quartiles] of the ratios within each round.`,
    `${rounds} rounds, ${seconds} s a visit in random order, ${connections} connections, pool of ${poolSize}, Node ${process.version}, one process a`,
    'server, PostgreSQL on the same machine.',
    ...(samples[0].cpu === undefined
      ? []
      : ['', 'Requests per CPU second of the server process:', '', lines((one, other) => other.cpu / one.cpu)]),
    '',
    'Requests per second, with load and database on the same cores:',
    '',
    lines((one, other) => one.perSecond / other.perSecond),
    '',
  ].join('\n');
};
