import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Role, roles } from '#contracts/scopes';
import { sql } from '#server/base/store/database';
import { pretendInternet } from '#test/support/internet';
import { readDocuments } from '#test/support/openapi';
import { type Service, startService } from '#test/support/service';

/**
 * Checks for every operation of the OpenAPI document that the credentials and roles it declares are the ones enforced.
 * New routes are covered as soon as they are declared.
 */

vi.setConfig({ testTimeout: 300_000 });

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  enum?: unknown[];
  default?: unknown;
}
interface Operation {
  description?: string;
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, { schema: Schema; examples?: Record<string, { value: object }> }> };
}
const document = readDocuments<Operation, Schema>();

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const takes = operation.security.flatMap((one) => Object.keys(one));
    const named = /Roles: ([a-z, ]+)\./.exec(operation.description ?? '')?.[1]?.split(', ') as Role[] | undefined;
    const json = operation.requestBody?.content['application/json'];
    return { name: `${method.toUpperCase()} ${path}`, path, method, takes, allowed: named ?? roles, json };
  }),
);
type Declared = (typeof operations)[number];
const isWrite = ({ method }: Declared) => method !== 'get';

const publicIp = '93.184.216.34';
const internet = pretendInternet({
  names: { 'public.example.com': [[publicIp]], 'rebind.example.com': [['10.0.0.1']] },
  port: 1,
});
let service: Service;
let browsers: Record<Role, ReturnType<Service['browser']>>;
let tokens: Record<Role, string>;
let stranger: { browser: ReturnType<Service['browser']>; token: string };

beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '100000' }, { internet });
  const entered = async (email: string) => {
    const browser = service.browser();
    await browser.signIn(email);
    return browser;
  };
  browsers = {} as typeof browsers;
  tokens = {} as typeof tokens;
  for (const role of roles) {
    const member = await service.addMember(role);
    browsers[role] = await entered(member.email);
    tokens[role] = member.token;
  }
  const other = await service.addWorkspace();
  stranger = { browser: await entered(other.email), token: other.token };
});
afterAll(() => service.stop());

/** Runs a few at a time, like concurrent callers. */
const all = async <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) => {
  const left = [...items];
  const next = async () => {
    for (let one = left.pop(); one; one = left.pop()) await work(one);
  };
  await Promise.all(Array.from({ length: 6 }, next));
};

const at = ({ path }: Declared, id = 'x') => path.replaceAll(/\{\w+\}/g, id);

const send = (operation: Declared, headers: Record<string, string>, body?: unknown, id?: string) =>
  service.request(operation.method.toUpperCase(), at(operation, id), {
    headers: { 'content-type': 'application/json', ...headers },
    ...(isWrite(operation) && { body: JSON.stringify(body ?? { surprise: 1 }) }),
  });
const byToken = (token: string) => ({ authorization: `Bearer ${token}` });
const bySession = (browser: ReturnType<Service['browser']>, origin = service.config.baseUrl) => ({
  cookie: browser.cookie(),
  origin,
});

/** Something of the right type for each field, so that the rules behind the input are reached. */
const plausible = ({ json }: Declared): Record<string, unknown> => {
  const example = Object.values(json?.examples ?? {})[0]?.value;
  if (example) return { ...example };
  const { properties = {} } = resolved(json?.schema);
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueFor(resolved(field))]));
};
const resolved = (schema: Schema = {}): Schema =>
  schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
const valueFor = ({ type, enum: choices, default: byDefault }: Schema): unknown => {
  if (byDefault !== undefined) return byDefault;
  if (choices) return choices[0];
  if (type === 'array') return [];
  if (type === 'object') return {};
  if (type === 'integer' || type === 'number') return 1;
  return type === 'boolean' ? true : 'x';
};

test('without a credential, or with a wrong one, every operation but the public ones is 401', async () => {
  const wrong: string[] = [];
  await all(operations, async (operation) => {
    const credentials = [{}, { cookie: 'sid=made-up' }, byToken('eyJhbGciOiJFUzI1NiJ9.e30.AA')];
    for (const headers of credentials) {
      const { status } = await send(operation, { origin: service.config.baseUrl, ...headers });
      if ((status === 401) === (operation.takes.length === 0)) wrong.push(`${operation.name} ${status}`);
    }
  });
  expect(wrong).toEqual([]);
});

test('a token reaches what tokens may and no more, and a session what sessions may, from our own pages alone', async () => {
  const wrong: string[] = [];
  await all(
    operations.filter(({ takes }) => takes.length > 0),
    async (operation) => {
      const { takes, name } = operation;
      const token = await send(operation, byToken(tokens.owner));
      const session = await send(operation, bySession(browsers.owner));
      if (!takes.includes('personalToken') && token.status !== 403) wrong.push(`${name} by token: ${token.status}`);
      if (
        takes.includes('personalToken') &&
        [401, 403].includes(token.status) &&
        token.body.code !== 'ApprovalRequired'
      )
        wrong.push(`${name} by token: ${token.status}`);
      if (takes.includes('session') ? session.status === 401 : session.status !== 401)
        wrong.push(`${name} by session: ${session.status}`);
      if (takes.includes('session') && isWrite(operation)) {
        const elsewhere = await send(operation, bySession(browsers.owner, 'https://evil.example'));
        if (elsewhere.status !== 403) wrong.push(`${name} from another site: ${elsewhere.status}`);
      }
    },
  );
  expect(wrong).toEqual([]);
});

test('a role does what the document says, and is refused the rest', async () => {
  const wrong: string[] = [];
  let refused = 0;
  await all(
    operations.filter(({ takes }) => takes.length > 0),
    async (operation) => {
      for (const role of roles) {
        const isToken = operation.takes.includes('personalToken');
        const { status, body } = await send(operation, isToken ? byToken(tokens[role]) : bySession(browsers[role]));
        const isRefused = status === 403 && body.code === 'Forbidden' && body.message.includes('It takes one of: ');
        if (isRefused) refused++;
        if (isRefused === operation.allowed.includes(role)) wrong.push(`${operation.name} as ${role}: ${status}`);
      }
    },
  );
  expect(wrong).toEqual([]);
  expect(refused).toBeGreaterThan(50);
});

const tablesWithIds = sql(
  'test.tablesWithIds',
  `select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and 2 = (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('id', 'workspace_id'))
    order by 1`,
).holds<{ name: string }>();
const rowsOf = async (table: string) =>
  service.database.query(
    sql(`test.rows.${table}`, `select id, t::text as row from ${table} t where workspace_id = $1 order by id`).holds<{
      id: string;
      row: string;
    }>(),
    [service.owner.workspaceId],
  );

test('an id of another workspace is answered as one that does not exist, and nothing there changes', async () => {
  const owner = browsers.owner;
  const account = await service.addAccount('bluesky');
  const { id } = await service.client.posts.create({ body: 'Ours', accountIds: [account] });
  await service.addMedia();
  await owner.post('/api/webhooks', { url: 'https://public.example.com/', events: ['post.published'] });
  await owner.post('/api/app/labels', { name: 'Ours', color: 'blue' });
  await owner.post('/api/app/slots', { timeZone: 'UTC', slots: [{ days: [1], time: '09:00' }] });
  await owner.post(`/api/app/posts/${id}/comments`, { body: 'Ours' });
  await owner.post(`/api/app/posts/${id}/shares`, { days: 7 });
  await owner.post('/api/app/invitations', { email: 'new@example.com', role: 'editor' });

  const tables = (await service.database.query(tablesWithIds)).map(({ name }) => name);
  const before = new Map<string, { id: string; row: string }[]>();
  for (const table of tables) before.set(table, await rowsOf(table));
  // One of each kind is enough.
  const ids = [...before.values()].flatMap(([first]) => (first ? [first.id] : []));
  expect(ids.length).toBeGreaterThan(7);

  const wrong: string[] = [];
  const madeUp = (real: string) => `${real.slice(0, -5)}ZZZZZ`;
  /** In every field that holds an id or several. */
  const bodyWith = (operation: Declared, one: string) =>
    Object.fromEntries(
      Object.entries(plausible(operation)).map(([name, value]) => [
        name,
        /ids?$/i.test(name) ? (Array.isArray(value) ? [one] : one) : value,
      ]),
    );
  const holdsIds = (operation: Declared) =>
    operation.path.includes('{') || JSON.stringify(bodyWith(operation, 'here')).includes('"here"');
  const cases = operations
    .filter((operation) => operation.takes.length > 0 && holdsIds(operation))
    .flatMap((operation) => ids.map((real) => ({ operation, real })));
  expect(cases.length).toBeGreaterThan(300);
  await all(cases, async ({ operation, real }) => {
    const headers = operation.takes.includes('personalToken') ? byToken(stranger.token) : bySession(stranger.browser);
    const ask = (one: string) => send(operation, headers, bodyWith(operation, one), one);
    const [theirs, nothing] = [await ask(real), await ask(madeUp(real))];
    // Password attempts are rate limited, whatever the id.
    const isLimited = theirs.status === 429 || nothing.status === 429;
    if (theirs.status !== nothing.status && !isLimited)
      wrong.push(`${operation.name} ${real}: ${theirs.status}, not ${nothing.status}`);
  });
  expect(wrong).toEqual([]);
  for (const table of tables) expect(await rowsOf(table), table).toEqual(before.get(table));
});

test('an address that is private is dialled from no field of any operation', async () => {
  const addresses = [
    'https://127.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:10.0.0.1]/',
    'https://localhost:5432/',
    'http://public.example.com/',
    'https://rebind.example.com/',
  ];
  const fields = operations.flatMap((operation) =>
    operation.json
      ? Object.entries(resolved(operation.json.schema).properties ?? {})
          .filter(([, field]) => [resolved(field).type].flat().includes('string') && !resolved(field).enum)
          .map(([field]) => ({ operation, field }))
      : [],
  );
  expect(fields.length).toBeGreaterThan(40);
  await all(
    fields.flatMap((one) => addresses.map((address) => ({ ...one, address }))),
    async ({ operation, field, address }) => {
      const headers = operation.takes.includes('session') ? bySession(browsers.admin) : byToken(tokens.admin);
      const { status } = await send(operation, headers, { ...plausible(operation), [field]: address });
      if (status >= 500) expect.fail(`${operation.name} ${field} ${address}: ${status}`);
    },
  );
  expect(internet.dialled).toEqual([]);
  // The public address is fetched, which shows that the test would see a connection.
  const fetched = await browsers.admin.post('/api/media', { url: 'https://public.example.com/picture.png' });
  expect([fetched.status, internet.dialled]).toEqual([400, [publicIp]]);
});
