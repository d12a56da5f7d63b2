import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpTools } from '#generated/mcp-tools';
import { legacy, post } from '#test/support/mcp';
import { readDocuments } from '#test/support/openapi';
import { type Service, startService } from '#test/support/service';

/** Hostile values for everything in the OpenAPI document and the MCP catalog: none may cause a server error. */

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  enum?: unknown[];
  default?: unknown;
}
interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> };
  parameters?: { in?: string; name?: string }[];
}
const document = readDocuments<Operation, Schema>();

/** As JSON, because most of them cannot be said in JavaScript. */
const values = [
  'null',
  'true',
  '-1',
  '1.5',
  '1e308',
  '1e999',
  '9007199254740993',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\ud800b"',
  '"\\udfff"',
  '"\\u202e\\ufeff\\uffff"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"9999-12-31T23:59:59-23:59"',
  '"0000-01-01T00:00:00Z"',
  '"+275760-09-13T00:00:00Z"',
  '"2026-02-30T25:61:61Z"',
  '"http://[::1"',
  `"${'a'.repeat(100_001)}"`,
  '[]',
  '[null]',
  '[[]]',
  '{}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `[${Array(15_000).fill('{}').join()}]`,
];
const manyFields = `{${Array.from({ length: 60_000 }, (_, i) => `"f${i}":${i}`).join()}}`;
const bodies: (string | Blob)[] = [
  '',
  'null',
  '[]',
  '"text"',
  '{',
  '{"a":1}{',
  '{"__proto__":{"a":1}}',
  '{"\\u0000":1}',
  new Blob([new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])]),
];
/** All operations share one body parser, so a few of them show that bodies are limited. */
const largeBodies = [manyFields, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`];
const segments = [
  '%00',
  'a%00b',
  '%ff',
  '%ed%a0%80',
  '%e2%80%ae',
  '__proto__',
  'constructor',
  '..%2f..%2fetc%2fpasswd',
  "'%20or%201=1--",
  '%25',
  '%20',
  'a'.repeat(5000),
];

let service: Service;
let browser: ReturnType<Service['browser']>;

beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '100000' });
  browser = service.browser();
  await browser.signIn();
  // The first request of each door loads and compiles what it needs.
  await browser.get('/api/auth/session');
  await service.call('posts.list');
  await post(service.url, '{}', { authorization: `Bearer ${service.token}` });
});
afterAll(() => service.stop());

/** What was wrong with the answer, if anything. */
type Sending = () => Promise<string | undefined>;

const sending =
  (what: string, method: string, path: string, body?: string | Blob, headers = {}): Sending =>
  async () => {
    const { status } = await service.request(method.toUpperCase(), path, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    return status === 500 ? `${what} ${method} ${path.slice(0, 100)}` : undefined;
  };

/** A few at a time, as many callers would. */
const expectNoFault = async (work: readonly Sending[]) => {
  const left = [...work];
  const faults: string[] = [];
  const next = async () => {
    for (let one = left.pop(); one; one = left.pop()) {
      const fault = await one();
      if (fault) faults.push(fault);
    }
  };
  await Promise.all(Array.from({ length: 6 }, next));
  expect(work.length).toBeGreaterThan(400);
  expect(faults).toEqual([]);
  expect(service.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
};

const resolved = (schema: Schema = {}): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

/** A value of the right type for the fields that are not under attack. */
const plausible = (schema: Schema): unknown => {
  const { type, enum: choices, default: byDefault } = resolved(schema);
  if (byDefault !== undefined) return byDefault;
  if (choices) return choices[0];
  if (type === 'array') return [];
  if (type === 'object') return {};
  if (type === 'integer' || type === 'number') return 1;
  return type === 'boolean' ? true : 'x';
};

/** Every value in every field, or every n-th, another for each field. */
const hostileBodies = (schema: Schema, everyNth = 1): string[] => {
  const { properties = {} } = resolved(schema);
  const usual = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, plausible(field)]));
  return Object.keys(properties).flatMap((name, field) =>
    values
      .filter((_, index) => (index + field) % everyNth === 0)
      .map((value) => JSON.stringify({ ...usual, [name]: 'PLACE' }).replace('"PLACE"', () => value)),
  );
};

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const token = () => ({ authorization: `Bearer ${service.token}` });
const session = () => ({ cookie: browser.cookie(), origin: service.config.baseUrl });

test('no operation of the OpenAPI document fails, whatever is in its path and body', { timeout: 300_000 }, async () => {
  await expectNoFault(
    operations.flatMap(({ path, method, operation }, number) => {
      const { schema } = operation.requestBody?.content['application/json'] ?? {};
      const isAction = path.startsWith('/api/agent/');
      // The other endpoint runs the same action.
      const doors = isAction
        ? [
            { path, headers: token, everyNth: 1 },
            { path: path.replace('/api/agent/tools', '/api/app/actions'), headers: session, everyNth: 5 },
          ]
        : [{ path, headers: session, everyNth: 1 }];
      const places = doors.flatMap((door) =>
        path.includes('{')
          ? segments.map((segment) => ({ ...door, path: door.path.replaceAll(/\{\w+\}/g, () => segment) }))
          : [door],
      );
      // If an operation has both a path and a body, sending every body to every path would show nothing more.
      return places.flatMap(({ path, headers, everyNth }, index) => {
        if (schema === undefined || index >= doors.length) {
          return [sending('path', method, path, method === 'get' ? undefined : '{}', headers())];
        }
        const large = number % 10 === 0 ? largeBodies : [];
        return [...hostileBodies(schema, everyNth), ...bodies, ...large].map((body) =>
          sending(typeof body === 'string' ? body.slice(0, 80) : 'bytes', method, path, body, headers()),
        );
      });
    }),
  );
});

test('every tool of the MCP catalog answers in its own shape, with the id of the request', async () => {
  const tools = mcpTools as readonly { tool: { name: string; inputSchema: Schema } }[];
  await expectNoFault(
    tools.flatMap(({ tool: { name, inputSchema } }) =>
      [...hostileBodies(inputSchema, 3), '{"__proto__":{}}', manyFields].map((args) => async () => {
        const text = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
        const { status, body } = await post(service.url, text, {
          ...token(),
          'mcp-protocol-version': legacy[0] ?? '',
        });
        const isTooMany = args === manyFields && status === 400 && body.error?.code === -32600;
        const isRight = (status === 200 || isTooMany) && body.id === 7 && body.error?.code !== -32603;
        return isRight ? undefined : `${name} ${args.slice(0, 80)}: ${status} ${JSON.stringify(body).slice(0, 200)}`;
      }),
    ),
  );
});

test('no page, file or public path fails, whatever is in it', async () => {
  const paths = [
    '/approvals/{}',
    '/posts?cursor={}',
    '/accounts?connected={}',
    '/connect/{}',
    '/connect/choose/{}',
    '/connect/bluesky/callback?state={}&code={}',
    '/connect/{}/callback?state={}',
    '/media/{}',
    '/media/{}?size={}',
    '/invitations/{}',
    '/welcome/{}',
    '/sign-in?next={}',
    '/auth/authorize?client_id={}&scope={}',
    '/auth/interaction/{}',
    '/auth/{}',
    '/sandbox/x/{}',
    '/sandbox/{}',
    '/sandbox/mastodon/server/oauth/authorize?client_id={}',
    '/docs/{}',
    '/.well-known/{}',
    '/api/{}',
    '/{}',
  ];
  await expectNoFault(
    paths.flatMap((path) =>
      segments.flatMap((segment) =>
        ['GET', 'POST'].map((method) => {
          const place = path.replaceAll('{}', () => segment.slice(0, 3000));
          return sending('page', method, place, method === 'POST' ? '{}' : undefined, session());
        }),
      ),
    ),
  );
});

test('no header that programs read makes one fail', async () => {
  const odd = [
    '',
    ' ',
    '\u00ff',
    'a'.repeat(8000),
    '%00',
    '__proto__',
    'Bearer',
    'Bearer ',
    'bytes=9-1',
    '*',
    '"',
    ',',
  ];
  const names = ['authorization', 'cookie', 'idempotency-key', 'x-request-id', 'if-none-match', 'range', 'user-agent'];
  const more = ['mcp-protocol-version', 'origin', 'content-type', 'accept', 'x-forwarded-for', 'if-range'];
  await expectNoFault(
    [...names, ...more].flatMap((name) =>
      odd.flatMap((value) =>
        ['/api/agent/tools/posts.create', '/api/auth/session', '/mcp', '/media/x', '/auth/token', '/posts'].map(
          (path) =>
            sending(name, path.includes('tools') || path === '/mcp' ? 'POST' : 'GET', path, undefined, {
              ...token(),
              [name]: value,
            }),
        ),
      ),
    ),
  );
});
