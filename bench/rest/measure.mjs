// posts.get, posts.list and posts.create through the whole service, beside the same work on other servers.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { importCompiled } from '../compiled.mjs';
import { ratio, shuffled, table } from '../table.mjs';
import { command, cpuSeconds, messageFrom, startContender, startFile, startService, stopAll } from './processes.mjs';
import { columns, statements } from './servers/statements.mjs';

const connections = 32;
const poolSize = 4;
const listed = 50;
const warmUpSeconds = 3; // the service has more code to warm than a bare handler
const cli = resolve(import.meta.dirname, '../../dist/cli.js');

const text =
  'Posthorn 0.1 is out 🎉 One draft, thirteen networks, and a human has the last word. ' +
  'Read how it works at https://example.com/posthorn/release-notes and tell us what is missing. #opensource';

export const measure = async ({ rounds = 5, seconds = 1.5, others = [] }) => {
  mustBeStatementsOfTheService();
  const place = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  chmodSync(place, 0o711); // PostgreSQL may run as another user
  const starting = startDatabase(join(place, 'database'));
  let cleaning;
  const clean = () => {
    cleaning ??= stopAll()
      .then(() => starting)
      .then(({ stop }) => stop())
      .finally(() => rmSync(place, { recursive: true, force: true }));
    return cleaning;
  };
  const interrupted = async () => {
    if (cleaning === undefined) console.error('\nInterrupted: ending what was started.');
    await clean();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupted);
  try {
    const database = await starting;
    const servers = await startServers(place, database.env, others);
    const work = await prepare(servers, place, database);
    const samples = await run(servers, work, { rounds, seconds });
    console.log(report(servers, work, samples, { rounds, seconds }));
  } catch (error) {
    if (cleaning !== undefined) await interrupted(); // what broke was broken by us
    throw error;
  } finally {
    await clean();
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
  }
};

/** A contender with a statement of yesterday would do other work. */
const mustBeStatementsOfTheService = () => {
  const plain = (text) => text.replaceAll(/\$\{columns\d*\}/g, columns).replaceAll(/\s+/g, ' ');
  const service = plain(readFileSync(cli, 'utf8'));
  for (const [name, text] of Object.entries(statements)) {
    if (!service.includes(plain(text)))
      throw new Error(`The statement ${name} in statements.mjs is not the service's.`);
  }
};

/** The service's own embedded PostgreSQL, held by us so that it outlives every contender. */
const startDatabase = async (folder) => {
  const { startEmbedded } = await importCompiled('server/store/embedded.ts');
  const { config, stop } = await startEmbedded(folder);
  const env = {
    PGHOST: config.host,
    PGPORT: String(config.port),
    PGUSER: config.user,
    PGPASSWORD: config.password,
    PGDATABASE: config.database,
    DATABASE_POOL: String(poolSize),
  };
  return { config, env, stop };
};

const settings = (place) => ({
  POSTHORN_DATA: place,
  DATABASE_URL: '',
  DATABASE_POOL: String(poolSize),
  LOG_LEVEL: '',
  REQUESTS_PER_MINUTE: '1000000000',
});

/** 1.00 comes first. */
const startServers = async (place, env, others) => {
  const service = (name, program, more, log) =>
    startService(program, { ...settings(place), ...more }, join(place, log)).then((at) => ({ name, ...at }));
  const contender = (name, path) => startContender(path, env).then((at) => ({ name, ...at }));
  return [
    await contender('bare node:http', 'servers/bare.mjs'),
    // One after the other: the first one makes the tables.
    await service('Posthorn', cli, {}, 'posthorn.log'),
    await service('Posthorn, LOG_LEVEL=warn', cli, { LOG_LEVEL: 'warn' }, 'posthorn-warn.log'),
    ...(await Promise.all(others.map((other, i) => service(`Posthorn, build ${i + 2}`, other, {}, `other-${i}.log`)))),
    await contender('Fastify 5', 'servers/fastify.mjs'),
    await contender('Express 5', 'servers/express.mjs'),
    await contender('NestJS 12 on Express', 'servers/nest.mjs'),
  ];
};

/** A workspace with posts in it, the load, and the certainty that all servers answer alike. */
const prepare = async (servers, place, { config }) => {
  const env = settings(place);
  const owner = ['--email', 'bench@example.com', '--password', 'long enough to be taken', '--workspace', 'Bench'];
  const { token, workspaceId } = await command(cli, env, 'setup', ...owner);
  const accountIds = [];
  for (const network of ['mastodon', 'bluesky']) {
    accountIds.push((await command(cli, env, 'account', 'add', '--workspace', workspaceId, '--network', network)).id);
  }

  const call = async ({ url }, action, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/agent/tools/${action}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const content = await answer.json();
    assert.equal(answer.status, 200, `${action}: ${JSON.stringify(content)}`);
    return content;
  };

  const draft = { accountIds, body: text };
  const ids = [];
  for (let i = 0; i < 2 * listed; i++) {
    const { id } = await call(servers[1], 'posts.create', draft);
    const versions = [
      { content: [{ body: text }] },
      { accountId: accountIds[1], content: [{ body: text }], options: { 'bluesky.reply_control': 'nobody' } },
    ];
    await call(servers[1], 'posts.update', { id, accountIds, versions });
    ids.push(id);
  }

  const db = new pg.Client(config);
  db.on('error', () => undefined); // the database stops under it when we are interrupted
  await db.connect();
  /** Every visit finds the same posts. */
  const forgetCreated = async () => {
    await sleep(100); // what was cut off at the end of a visit may still be on its way
    await db.query('delete from posts where id > $1', [ids.at(-1)]);
    await db.query('vacuum posts');
  };
  await db.query('vacuum analyze');

  const actions = {
    'posts.get': ids.map((id) => ({ id })),
    'posts.list': [{ limit: listed }],
    'posts.create': [draft],
  };
  for (const action of ['posts.get', 'posts.list']) {
    const expected = await call(servers[0], action, actions[action][0]);
    for (const server of servers) assert.deepEqual(await call(server, action, actions[action][0]), expected);
  }
  const created = (post) => ({ ...post, id: '', updatedAt: '' });
  const expected = created(await call(servers[0], 'posts.create', draft));
  for (const server of servers) assert.deepEqual(created(await call(server, 'posts.create', draft)), expected);
  await forgetCreated();

  const load = startFile('load.mjs');
  const visit = async ({ url, pid }, action, seconds) => {
    const before = cpuSeconds(pid);
    load.send({ url: `${url}/api/agent/tools/${action}`, token, bodies: actions[action], connections, seconds });
    const { answered, failed, seconds: took } = await messageFrom(load);
    const after = cpuSeconds(pid);
    if (failed > 0 || answered === 0) throw new Error(`${action} at ${url}: ${failed} failed, ${answered} answered`);
    if (action === 'posts.create') await forgetCreated();
    return { perSecond: answered / took, cpu: before === undefined ? undefined : (after - before) / answered };
  };
  const close = () => db.end();
  return { names: Object.keys(actions), visit, close };
};

const run = async (servers, { names, visit, close }, { rounds, seconds }) => {
  const say = (what) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${what}` : `${what}\n`);
  say('warming up …');
  for (const action of names) for (const server of servers) await visit(server, action, warmUpSeconds);
  const samples = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const action of names) {
      for (const server of shuffled(servers)) {
        samples.push({ round, action, server: server.name, ...(await visit(server, action, seconds)) });
      }
    }
  }
  if (process.stderr.isTTY) say('');
  await close();
  return samples;
};

const report = (servers, { names }, samples, { rounds, seconds }) => {
  const [base] = servers;
  const sampleOf = (round, action, server) =>
    samples.find((sample) => sample.round === round && sample.action === action && sample.server === server);
  const ratios = (action, server, compare) =>
    Array.from({ length: rounds }, (_, i) =>
      compare(sampleOf(i + 1, action, server), sampleOf(i + 1, action, base.name)),
    );
  const lines = (compare) =>
    table(
      ['server', ...names.map((name) => (name === 'posts.list' ? `posts.list, ${listed} posts` : name))],
      servers.map(({ name }) => [
        name,
        ...names.map((action) => (name === base.name ? '1.00' : ratio(ratios(action, name, compare)))),
      ]),
    );
  const tells = samples[0].cpu !== undefined;
  return [
    '## rest',
    '',
    `1.00 is ${base.name} with the same prepared statements and a check by hand; higher is faster. Median [quartiles]`,
    `of the ratios within each round. ${rounds} rounds, ${seconds} s a visit in random order, ${connections} connections, pool of ${poolSize},`,
    `Node ${process.version}, one process a server, PostgreSQL on the same machine.`,
    ...(tells
      ? ['', 'Requests per CPU second of the server process:', '', lines((one, bare) => bare.cpu / one.cpu)]
      : []),
    '',
    `Requests per second, with load and database on the same cores:`,
    '',
    lines((one, bare) => one.perSecond / bare.perSecond),
    '',
  ].join('\n');
};
