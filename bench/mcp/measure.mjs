// tools/list and tools/call through the whole service, for a client of today and one of before, beside the official SDK.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { importCompiled } from '../compiled.mjs';
import {
  command,
  cpuSeconds,
  messageFrom,
  startContender,
  startFile,
  startService,
  stopAll,
} from '../rest/processes.mjs';
import { ratio, shuffled, table } from '../table.mjs';

const connections = 16;
const poolSize = 4;
const warmUpSeconds = 3;
const modern = '2026-07-28';
const legacy = '2025-11-25';
const cli = resolve(import.meta.dirname, '../../dist/cli.js');

export const measure = async ({ rounds = 5, seconds = 1.5 }) => {
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
    await clean();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupted);
  try {
    const { env } = await starting;
    const servers = await startServers(place, env);
    const work = await prepare(servers, place);
    const samples = await run(servers, work, { rounds, seconds });
    console.log(report(servers, work, samples, { rounds, seconds }));
  } finally {
    await clean();
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted);
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
  return { env, stop };
};

const settings = (place) => ({
  POSTHORN_DATA: place,
  DATABASE_URL: '',
  DATABASE_POOL: String(poolSize),
  LOG_LEVEL: '',
  REQUESTS_PER_MINUTE: '1000000000',
});

/** 1.00 comes first. */
const startServers = async (place, env) => {
  const contender = (name, path, more) =>
    startContender(`../mcp/servers/${path}`, { ...env, ...more }).then((at) => ({ name, ...at }));
  const service = (name, more, log) =>
    startService(cli, { ...settings(place), ...more }, join(place, log)).then((at) => ({ name, ...at }));
  return [
    await contender('Express 5, a JSON route', 'express.mjs'),
    // One after the other: the first one makes the tables.
    await service('Posthorn', {}, 'posthorn.log'),
    await service('Posthorn, LOG_LEVEL=warn', { LOG_LEVEL: 'warn' }, 'posthorn-warn.log'),
    await contender('MCP SDK 2, Server', 'sdk.mjs', { SDK_FORM: 'Server' }),
    await contender('MCP SDK 2, McpServer', 'sdk.mjs', { SDK_FORM: 'McpServer' }),
  ];
};

/** What a client of that version sends. */
const message = (token, version, method, params) => ({
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    ...(version === modern && { 'mcp-method': method, ...(params.name && { 'mcp-name': params.name }) }),
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: version === modern ? { ...params, _meta: envelope } : params,
  }),
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A workspace with posts in it, the load, and the certainty that all servers answer alike. */
const prepare = async (servers, place) => {
  const owner = ['--email', 'bench@example.com', '--password', 'long enough to be taken', '--workspace', 'Bench'];
  const { token } = await command(cli, settings(place), 'setup', ...owner);

  const ask = async ({ url, name }, { headers, body }) => {
    const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
    const text = await answer.text();
    assert.equal(answer.status, 200, `${name}: ${text}`);
    // The SDK answers older clients with an event stream of one event.
    return JSON.parse(text.replace(/^(event|id): .*$/gm, '').replace(/^\s*data: /, '')).result;
  };

  const drafts = Array.from({ length: 100 }, (_, i) => ({ body: `Draft ${i}: one draft, thirteen networks 🎉` }));
  const ids = [];
  for (const draft of drafts) {
    const params = { name: 'posts_create', arguments: draft };
    ids.push((await ask(servers[1], message(token, modern, 'tools/call', params))).structuredContent.id);
  }

  const lists = (version) => [message(token, version, 'tools/list', {})];
  const calls = (version) =>
    ids.map((id) => message(token, version, 'tools/call', { name: 'posts_get', arguments: { id } }));
  const work = {
    [`tools/list ${modern}`]: lists(modern),
    [`tools/list ${legacy}`]: lists(legacy),
    [`tools/call ${modern}`]: calls(modern),
    [`tools/call ${legacy}`]: calls(legacy),
  };
  for (const [first] of Object.values(work)) {
    const expected = await ask(servers[0], first);
    for (const server of servers) {
      const { tools, structuredContent } = await ask(server, first);
      assert.deepEqual(structuredContent, expected.structuredContent, server.name);
      assert.deepEqual(tools?.map(shown), expected.tools?.map(shown), server.name);
    }
  }

  const load = startFile('../mcp/load.mjs');
  const visit = async ({ url, pid, name }, what, seconds) => {
    const before = cpuSeconds(pid);
    const [{ headers }] = work[what];
    const bodies = work[what].map(({ body }) => body);
    load.send({ url: `${url}/mcp`, headers, bodies, connections, seconds });
    const { answered, failed, seconds: took } = await messageFrom(load);
    const after = cpuSeconds(pid);
    if (failed > 0 || answered === 0) throw new Error(`${what} at ${name}: ${failed} failed, ${answered} answered`);
    return { perSecond: answered / took, cpu: before === undefined ? undefined : (after - before) / answered };
  };
  return { names: Object.keys(work), visit };
};

/** McpServer adds members of its own. */
const shown = ({ name, description, inputSchema, annotations }) => {
  const { $schema: _, ...schema } = inputSchema;
  return { name, description, schema, annotations };
};

const run = async (servers, { names, visit }, { rounds, seconds }) => {
  const say = (what) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${what}` : `${what}\n`);
  say('warming up …');
  for (const what of names) for (const server of servers) await visit(server, what, warmUpSeconds);
  const samples = [];
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const what of names) {
      for (const server of shuffled(servers)) {
        samples.push({ round, what, server: server.name, ...(await visit(server, what, seconds)) });
      }
    }
  }
  if (process.stderr.isTTY) say('');
  return samples;
};

const report = (servers, { names }, samples, { rounds, seconds }) => {
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
        ...servers.slice(3).map((server) => row(`Posthorn : ${server.name}`, servers[1], server, compare)),
      ],
    );
  return [
    '## mcp',
    '',
    `1.00 is ${base.name} with the same tools and the same statements; higher is faster. Median [quartiles] of the`,
    `ratios within each round. ${rounds} rounds, ${seconds} s a visit in random order, ${connections} connections, pool of ${poolSize},`,
    `Node ${process.version}, one process a server, PostgreSQL on the same machine. tools/call runs posts_get.`,
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
