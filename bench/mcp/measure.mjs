// tools/list and tools/call through the whole service, for a client of today and one of before, beside the official SDK.
import assert from 'node:assert/strict';
import { contest } from '../contest.mjs';

export const modern = '2026-07-28';
const legacy = '2025-11-25';

export const measure = (options) =>
  contest(
    {
      title: 'mcp',
      intro: ' with the same tools and the same statements; tools/call runs posts_get',
      connections: 16,
      enter: enterWith(startServers),
    },
    options,
  );

/** `start(place, blink)` starts the baseline, Posthorn and then the others. */
export const enterWith =
  (start) =>
  async (place, { blink }) => {
    const servers = await start(place, blink);
    const { token } = await place.setUp();
    const ids = [];
    for (let i = 0; i < (blink ? 2 : 100); i++) {
      const draft = { body: `Draft ${i}: one draft, thirteen networks 🎉` };
      const created = message(token, modern, 'tools/call', { name: 'posts_create', arguments: draft });
      ids.push((await ask(servers[1], created)).structuredContent.id);
    }

    const messages = {};
    for (const version of [modern, legacy])
      messages[`tools/list ${version}`] = [message(token, version, 'tools/list', {})];
    for (const version of [modern, legacy]) {
      messages[`tools/call ${version}`] = ids.map((id) =>
        message(token, version, 'tools/call', { name: 'posts_get', arguments: { id } }),
      );
    }
    await mustAnswerAlike(servers, messages);

    const work = Object.fromEntries(
      Object.entries(messages).map(([what, list]) => [
        what,
        { path: '/mcp', headers: list[0].headers, bodies: list.map(({ body }) => body) },
      ]),
    );
    return { servers, work, compared: servers.slice(-2).map((sdk) => [servers[1], sdk]) };
  };

const startServers = async ({ contender, service }, blink) => [
  await contender('Express 5, a JSON route', 'mcp/servers/express.mjs'),
  // One after the other: the first one makes the tables.
  await service('Posthorn'),
  ...(blink ? [] : [await service('Posthorn, LOG_LEVEL=warn', { LOG_LEVEL: 'warn' })]),
  await contender('MCP SDK 2, Server', 'mcp/servers/sdk.mjs', { SDK_FORM: 'Server' }),
  await contender('MCP SDK 2, McpServer', 'mcp/servers/sdk.mjs', { SDK_FORM: 'McpServer' }),
];

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

const ask = async ({ url, name }, { headers, body }) => {
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
  const text = await answer.text();
  assert.equal(answer.status, 200, `${name}: ${text}`);
  // The SDK answers older clients with an event stream of one event.
  return JSON.parse(text.replace(/^(event|id): .*$/gm, '').replace(/^\s*data: /, '')).result;
};

const mustAnswerAlike = async (servers, messages) => {
  for (const [first] of Object.values(messages)) {
    const expected = await ask(servers[0], first);
    for (const server of servers) {
      const { tools, structuredContent } = await ask(server, first);
      assert.deepEqual(structuredContent, expected.structuredContent, server.name);
      assert.deepEqual(tools?.map(shown), expected.tools?.map(shown), server.name);
    }
  }
};

/** Compares only these fields: McpServer adds fields of its own. */
const shown = ({ name, description, inputSchema, annotations }) => {
  const { $schema: _, ...schema } = inputSchema;
  return { name, description, schema, annotations };
};
