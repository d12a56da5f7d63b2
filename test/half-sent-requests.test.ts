import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Role, roles } from '#contracts/scopes';
import { mcpTools } from '#generated/mcp-tools';
import { readContracts } from '#scripts/contracts';
import { sql } from '#server/store/database';
import { createHalfSender, type HalfSent } from '#test/support/half-sent';
import { legacy, versionHeaders } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';

/**
 * Every write with a body that stops halfway, while its sender loses what let them send it. New actions, tools and routes
 * are covered as soon as they are declared.
 */

vi.setConfig({ testTimeout: 300_000 });

const contracts = await readContracts(process.cwd());
const json = { 'content-type': 'application/json' };

let service: Service;
let half: ReturnType<typeof createHalfSender>;
let accountId: string;
let postId: string;

beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '100000' });
  half = createHalfSender(service);
  accountId = await service.addAccount('bluesky');
  postId = (await service.client.posts.create({ body: 'Hello', accountIds: [accountId] })).id;
});
afterAll(async () => {
  half.stop();
  await service.stop();
});

interface Sender {
  userId: string;
  tokenId: string;
  byToken: Record<string, string>;
  bySession: Record<string, string>;
}
const newSender = async (role: Role): Promise<Sender> => {
  const { userId, email, id: tokenId, token } = await service.addMember(role);
  const browser = service.browser();
  await browser.signIn(email);
  return {
    userId,
    tokenId,
    byToken: { authorization: `Bearer ${token}` },
    bySession: { cookie: browser.cookie(), origin: service.config.baseUrl },
  };
};

const owner = () => ({ ...service.owner, role: 'owner' as const, human: true });
/** What may happen to a sender between the halves of their request. */
const losses = {
  removed: ({ userId }: Sender) => service.posthorn.members.remove(owner(), userId),
  demoted: ({ userId }: Sender) => service.posthorn.members.changeRole(owner(), userId, 'viewer'),
  'signed out': ({ userId }: Sender) => service.posthorn.sessions.endOthers(userId),
  revoked: ({ tokenId }: Sender) => service.posthorn.tokens.revoke(tokenId),
};
type Loss = keyof typeof losses;

interface Write extends Omit<HalfSent, 'headers'> {
  name: string;
  by: 'token' | 'session';
  roles?: readonly Role[] | undefined;
  headers?: Record<string, string>;
}

const allTables = sql(
  'test.allTables',
  `select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
);
/** The content of each table. */
const readDatabase = async () => {
  const tables = await service.database.query<{ name: string }>(allTables);
  const each = tables.map(
    ({ name }) => `select '${name}' as name, array(select t::text from ${name} t order by 1) as rows`,
  );
  const rows = await service.database.query<{ name: string; rows: string[] }>(
    sql('test.rows', each.join(' union all ')),
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]));
};

/** Begins all writes, lets each sender lose their right, and sends the rest. Returns the answers by name. */
const sendAround = async (writes: readonly Write[], lose: (sender: Sender) => Promise<unknown>) => {
  const begun: { name: string; sender: Sender; finish: () => Promise<{ status: number; body: string }> }[] = [];
  for (const { name, by, headers, ...rest } of writes) {
    const sender = await newSender('owner');
    const credentials = by === 'token' ? sender.byToken : sender.bySession;
    const { finish } = await half.begin({ ...rest, headers: { ...json, ...headers, ...credentials } });
    begun.push({ name, sender, finish });
  }
  for (const { sender } of begun) await lose(sender);
  const before = await readDatabase();
  const answers: string[] = [];
  for (const { name, finish } of begun) {
    const { status, body } = await finish();
    const { code, result } = JSON.parse(body);
    answers.push(`${name} ${status} ${code ?? (result?.isError && 'isError')}`);
  }
  expect(await readDatabase()).toEqual(before);
  return answers;
};

const expectRefused = async (loss: Loss, writes: readonly Write[], answer: string) => {
  expect(writes.length).toBeGreaterThan(0);
  expect(await sendAround(writes, losses[loss])).toEqual(writes.map(({ name }) => `${name} ${answer}`));
};

/** The input of the contract's first example, with ids of existing records. */
const inputOf = (input: unknown) => {
  const text = JSON.stringify(input)
    .replaceAll(/acct_\w+/g, accountId)
    .replaceAll(/post_\w+/g, postId);
  const { baseUpdatedAt: _, ...rest } = JSON.parse(text);
  return { ...rest, ...('at' in rest && { at: '2126-11-16T08:00:00Z' }) };
};
const isForViewers = ({ roles: allowed = roles }: Pick<Write, 'roles'>) => allowed.includes('viewer');

const actionsBy = (by: Write['by']): Write[] =>
  contracts.actions
    .filter(({ action }) => action.kind !== 'ReadOnly')
    .map(({ name, action }) => ({
      name,
      by,
      method: 'POST',
      path: `/api/${by === 'token' ? 'agent/tools' : 'app/actions'}/${name}`,
      roles: action.roles,
      body: JSON.stringify(inputOf(action.examples[0]?.input)),
    }));

test('an action keeps nothing once its token was revoked, or its person removed, before the body was there', async () => {
  await expectRefused('revoked', actionsBy('token'), '401 Unauthorized');
  await expectRefused('removed', actionsBy('token'), '401 Unauthorized');
});

test('an action keeps nothing once the role of its sender no longer takes it', async () => {
  for (const by of ['token', 'session'] as const) {
    await expectRefused(
      'demoted',
      actionsBy(by).filter((write) => !isForViewers(write)),
      '403 Forbidden',
    );
  }
});

test('an action keeps nothing once its person signed out or was removed before the body was there', async () => {
  await expectRefused('signed out', actionsBy('session'), '401 Unauthorized');
  await expectRefused('removed', actionsBy('session'), '403 Forbidden');
});

/** Bodies that would be accepted; the other routes are refused before their body is looked at. */
const accepted: Readonly<Record<string, object>> = {
  addWebhook: { url: 'https://public.example.com/', events: ['post.published'] },
  createToken: { name: 'Later' },
  addLabel: { name: 'Later', color: 'blue' },
  invite: { email: 'later@example.com', role: 'owner' },
  createWorkspace: { name: 'Later' },
};

const routesBy = (by: Write['by']): Write[] =>
  contracts.routes
    .filter(({ route: { method, access } }) => method !== 'GET' && takes(access).includes(by))
    .map(({ name, route }) => ({
      name,
      by,
      method: route.method,
      path: route.path.replaceAll(/:\w+/g, postId),
      roles: route.roles,
      body: JSON.stringify(accepted[name] ?? { surprise: 1 }),
    }));
const takes = (access: string): readonly Write['by'][] =>
  access === 'Session' ? ['session'] : access === 'SessionOrToken' ? ['session', 'token'] : [];

test('a route of the app keeps nothing once its sender signed out, or their token was revoked', async () => {
  await expectRefused('signed out', routesBy('session'), '401 Unauthorized');
  await expectRefused('revoked', routesBy('token'), '401 Unauthorized');
});

test('a route of a workspace keeps nothing once its sender was removed, or has too low a role', async () => {
  const ofWorkspace = routesBy('session').filter(({ roles: allowed }) => allowed !== undefined);
  await expectRefused('removed', ofWorkspace, '403 Forbidden');
  await expectRefused('removed', routesBy('token'), '401 Unauthorized');
  for (const by of ['token', 'session'] as const) {
    await expectRefused(
      'demoted',
      routesBy(by).filter((write) => !isForViewers(write)),
      '403 Forbidden',
    );
  }
});

const toolCalls = (): Write[] =>
  mcpTools.flatMap(({ action, tool }) => {
    const { kind, roles: allowed, examples } = contracts.actions.find(({ name }) => name === action)?.action ?? {};
    if (kind === 'ReadOnly') return [];
    const params = { name: tool.name, arguments: inputOf(examples?.[0]?.input) };
    const [version = ''] = legacy;
    return {
      name: tool.name,
      by: 'token',
      method: 'POST',
      path: '/mcp',
      roles: allowed,
      headers: { accept: 'application/json, text/event-stream', ...versionHeaders(version, 'tools/call', tool.name) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    };
  });

test('an MCP tool keeps nothing and asks for no approval once its token or its person is gone', async () => {
  await expectRefused('revoked', toolCalls(), '401 Unauthorized');
  await expectRefused('removed', toolCalls(), '401 Unauthorized');
});

test('an MCP tool keeps nothing and asks for no approval once the role of its person no longer takes it', async () => {
  const calls = toolCalls().filter((write) => !isForViewers(write));
  // The refusal is a result of the tool, which the model reads.
  await expectRefused('demoted', calls, '200 isError');
});
