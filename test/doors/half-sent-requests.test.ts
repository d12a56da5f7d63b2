import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Role, roles } from '#contracts/scopes';
import { mcpTools } from '#generated/mcp-tools';
import { readContracts } from '#scripts/contracts';
import { createHalfSender, type HalfSent } from '#test/support/half-sent';
import { legacy, versionHeaders } from '#test/support/mcp';
import { changedTables, readRows } from '#test/support/rows';
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

const owner = () => ({ ...service.owner, role: 'owner' as const, mayPublish: true, isPerson: true });
/** What may happen to a sender between the halves of their request. */
const losses = {
  removed: ({ userId }: Sender) => service.posthorn.members.remove(owner(), userId),
  demoted: ({ userId }: Sender) => service.posthorn.members.changeRole(owner(), userId, 'viewer'),
  'signed out': ({ userId }: Sender) => service.posthorn.sessions.endOthers(userId),
  revoked: ({ tokenId }: Sender) => service.posthorn.tokens.revoke(tokenId),
};
type Loss = keyof typeof losses;

interface Write extends Omit<HalfSent, 'headers' | 'path'> {
  name: string;
  path: string | ((sender: Sender) => Promise<string>);
  by: 'token' | 'session' | 'address';
  roles?: readonly Role[] | undefined;
  headers?: Record<string, string>;
}

/**
 * Begins all writes, lets their senders lose their right, and sends the rest. Returns the answers, and the tables that
 * changed.
 */
const sendAround = async (
  writes: readonly Write[],
  { role = 'owner', lose }: { role?: Role; lose: (senders: readonly Sender[]) => Promise<unknown> },
) => {
  const senders: Sender[] = [];
  const begun: { name: string; finish: () => Promise<{ status: number; body: string }> }[] = [];
  for (const { name, by, headers, path, ...rest } of writes) {
    const sender = await newSender(role);
    const credentials = by === 'token' ? sender.byToken : by === 'session' ? sender.bySession : {};
    const to = typeof path === 'string' ? path : await path(sender);
    const { finish } = await half.begin({ ...rest, path: to, headers: { ...json, ...headers, ...credentials } });
    senders.push(sender);
    begun.push({ name, finish });
  }
  await lose(senders);
  const before = await readRows(service);
  const answers: string[] = [];
  for (const { name, finish } of begun) {
    const { status, body } = await finish();
    const { code, result } = JSON.parse(body);
    answers.push(`${name} ${status} ${code ?? (result?.isError && 'isError')}`);
  }
  return { answers, changed: changedTables(before, await readRows(service)) };
};

const expectRefused = async (
  loss: Loss,
  writes: readonly Write[],
  answer: string,
  mayChange: readonly string[] = [],
) => {
  expect(writes.length).toBeGreaterThan(0);
  const lose = async (senders: readonly Sender[]) => {
    for (const sender of senders) await losses[loss](sender);
  };
  const outcome = await sendAround(writes, { lose });
  expect(outcome.answers).toEqual(writes.map(({ name }) => `${name} ${answer}`));
  expect(outcome.changed.filter((table) => !mayChange.includes(table))).toEqual([]);
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

const picture = () =>
  sharp({ create: { width: 400, height: 400, channels: 3, background: '#8a4b08' } })
    .png()
    .toBuffer();
const form = async (file: Buffer, fields: Record<string, string> = {}) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.set('file', new Blob([new Uint8Array(file)]), 'file');
  const encoded = new Response(data);
  return {
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: Buffer.from(await encoded.arrayBuffer()),
  };
};
const tus = { 'tus-resumable': '1.0.0' };
type OwnBody = (by: Write['by']) => Promise<Pick<Write, 'method' | 'path' | 'headers' | 'body'>>;
/** What a path with a handler of its own takes as a body. A new one needs an entry, or the test fails. */
const ownPaths: Readonly<Record<string, OwnBody | undefined>> = {
  askAssistant: async () => ({
    method: 'POST',
    path: '/api/app/assistant/ask',
    body: JSON.stringify({ text: 'Which posts are scheduled?', timeZone: 'UTC' }),
  }),
  // Answered without its body, which is empty.
  createResumableUpload: undefined,
  resumableUpload: async (by) => {
    const body = await picture();
    return {
      method: 'PATCH',
      path: async ({ byToken, bySession }) => {
        const headers = { ...tus, 'upload-length': String(body.length), ...(by === 'token' ? byToken : bySession) };
        const { headers: answered } = await service.request('POST', '/api/media/uploads', { headers });
        return answered.get('location') ?? '';
      },
      headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
      body,
    };
  },
};

/** The paths that read a body themselves, and the forms of routes. */
const uploadsBy = async (by: 'token' | 'session'): Promise<Write[]> => {
  const forms: Readonly<Record<string, () => ReturnType<typeof form>>> = {
    uploadMedia: async () => form(await picture(), { alt: 'A loaf' }),
    checkImport: () => form(Buffer.from('text,accounts\nHello,bluesky\n'), { timeZone: 'UTC' }),
  };
  const writes: Write[] = [];
  for (const { name, route } of contracts.raw) {
    const isWrite =
      route.methods !== 'Every' && route.methods.some((method) => method === 'POST' || method === 'PATCH');
    if (!isWrite || route.handler !== 'Own' || !takes(route.access).includes(by)) continue;
    if (!(name in ownPaths)) throw new Error(`half-sent-requests.test.ts needs a body for ${name} in ownPaths`);
    const own = ownPaths[name];
    if (own) writes.push({ name, by, roles: route.roles, ...(await own(by)) });
  }
  for (const { name, route } of contracts.routes) {
    if (route.form === undefined || !takes(route.access).includes(by)) continue;
    const sent = forms[name];
    if (sent === undefined) throw new Error(`half-sent-requests.test.ts needs a form for ${name} in forms`);
    writes.push({ name, by, method: 'POST', path: route.path, roles: route.roles, ...(await sent()) });
  }
  return writes;
};
/** The bytes of an unfinished upload stay until it expires: its sender may come back and continue. */
const unfinished = ['resumable_uploads'];
const filesOf = async (folder: string) =>
  (await readdir(join(service.config.dataDir, folder)).catch(() => [])).filter((name) => !name.startsWith('upl_'));

test('a file keeps nothing once its sender signed out, was removed or has too low a role before it was complete', async () => {
  await expectRefused('signed out', await uploadsBy('session'), '401 Unauthorized', unfinished);
  await expectRefused('removed', await uploadsBy('session'), '403 Forbidden', unfinished);
  await expectRefused('revoked', await uploadsBy('token'), '401 Unauthorized', unfinished);
  await expectRefused('removed', await uploadsBy('token'), '401 Unauthorized', unfinished);
  for (const by of ['token', 'session'] as const) {
    const writes = (await uploadsBy(by)).filter((write) => !isForViewers(write));
    await expectRefused('demoted', writes, '403 Forbidden', unfinished);
  }
  expect([...(await filesOf('media')), ...(await filesOf('incoming'))]).toEqual([]);
});

test('an upload address keeps nothing once its token or its person is gone before the file was complete', async () => {
  const toAddress = async (): Promise<Write> => ({
    name: 'uploadToAddress',
    by: 'address',
    method: 'POST',
    path: async ({ byToken }) => {
      const { upload } = (await service.call('media.list', {}, byToken)).body;
      return new URL(upload.url).pathname;
    },
    ...(await form(await picture())),
  });
  for (const loss of ['revoked', 'removed', 'demoted'] as const)
    await expectRefused(loss, [await toAddress()], '404 NotFound');
  expect([...(await filesOf('media')), ...(await filesOf('incoming'))]).toEqual([]);
});

test('an upload address that expires while its file is on the way still takes it', async () => {
  const { upload } = (await service.call('media.list')).body;
  const { finish } = await half.begin({
    method: 'POST',
    path: new URL(upload.url).pathname,
    ...(await form(await picture())),
  });
  service.wallClock.forward(16 * 60_000);
  expect((await finish()).status).toBe(200);
  service.wallClock.forward(-16 * 60_000);
});

test('a half-sent action becomes a request once only approvers may publish', async () => {
  const { id } = await service.client.posts.create({ body: 'Scheduled', accountIds: [accountId] });
  await service.asHuman('posts.schedule', { id, at: '2126-11-15T08:00:00Z' });
  const asked = contracts.actions.filter(
    ({ action }) => action.kind === 'NeedsApproval' && action.roles.includes('editor'),
  );
  const writes = actionsBy('session').flatMap(({ body, ...write }) => {
    const action = asked.find(({ name }) => name === write.name)?.action;
    // Deleting a draft needs no approval.
    return action
      ? [{ ...write, body: action.approval?.areDraftsFree ? String(body).replaceAll(postId, id) : body }]
      : [];
  });
  const browser = service.browser();
  await browser.signIn();
  const letPublish = (publishers: string) => browser.patch('/api/app/workspace', { publishers });
  const outcome = await sendAround(writes, { role: 'editor', lose: () => letPublish('approvers') });
  await letPublish('editors');
  expect(outcome.answers).toEqual(writes.map(({ name }) => `${name} 403 ApprovalRequired`));
  expect(outcome.changed).toEqual(['approval_cards', 'audit_log', 'conversations', 'notifications']);
});

test('a body that comes byte by byte is refused when its sender was removed on the way', async () => {
  const [create] = actionsBy('token').filter(({ name }) => name === 'posts.create') as [Write];
  for (const by of ['token', 'session'] as const) {
    const { userId, byToken, bySession } = await newSender('editor');
    const path = `/api/${by === 'token' ? 'agent/tools' : 'app/actions'}/posts.create`;
    const headers = { ...json, ...(by === 'token' ? byToken : bySession) };
    const { drip } = await half.begin({ method: 'POST', path, headers, body: create.body });
    const posts = await service.count('posts');
    const { status } = await drip(() => service.posthorn.members.remove(owner(), userId));
    expect([by, status]).toEqual([by, by === 'token' ? 401 : 403]);
    expect(await service.count('posts')).toBe(posts);
  }
});
