import { resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Action } from '#contracts/define';
import { type Role, roles } from '#contracts/scopes';
import { actions } from '#generated/catalog';
import { mcpTools } from '#generated/mcp-tools';
import { readContracts } from '#scripts/contracts';
import { asker } from '#test/support/assistant';
import { modern, speak } from '#test/support/mcp';
import { type ModelStub, startModel } from '#test/support/model';
import { type Answer, type Service, startService } from '#test/support/service';

/** Role and input checks of every action and every declared path. New ones are covered once they are declared. */

vi.setConfig({ testTimeout: 120_000 });

const { routes, raw } = await readContracts(resolve(import.meta.dirname, '../..'));

let service: Service;
let model: ModelStub;
let browsers: Record<Role, ReturnType<Service['browser']>>;
let tokens: Record<Role, string>;

beforeAll(async () => {
  model = await startModel();
  service = await startService({ LLM_BASE_URL: model.url, LLM_MODEL: 'stub', SIGN_INS_PER_HOUR: '1000' });
  browsers = {} as typeof browsers;
  tokens = {} as typeof tokens;
  for (const role of roles) {
    const { email, token } = await service.addMember(role);
    browsers[role] = service.browser();
    await browsers[role].signIn(email);
    tokens[role] = token;
  }
});
afterAll(async () => {
  await service.stop();
  model.stop();
});

const declared = Object.entries(actions) as [string, Action][];
const toolName = (action: string) => action.replace('.', '_');
const json = { 'content-type': 'application/json' };
const asText = ({ body }: Answer) => `${body.code}: ${body.message} ${JSON.stringify(body.issues)}`;

/** The answer of each action to this input, by name. */
type Door = (role: Role, names: readonly string[], input: unknown) => Promise<Map<string, string>>;

const oneByOne =
  (ask: (role: Role, name: string, input: unknown) => Promise<string>): Door =>
  async (role, names, input) => {
    const answers = new Map<string, string>();
    for (const name of names) answers.set(name, await ask(role, name, input));
    return answers;
  };

const doors: [string, readonly string[], Door][] = [
  [
    'REST',
    declared.map(([name]) => name),
    oneByOne(async (role, name, input) =>
      asText(await service.call(name, input, { authorization: `Bearer ${tokens[role]}` })),
    ),
  ],
  [
    'the app',
    declared.map(([name]) => name),
    oneByOne(async (role, name, input) => asText(await browsers[role].post(`/api/app/actions/${name}`, input))),
  ],
  [
    'MCP',
    mcpTools.filter(({ listing }) => listing === 'Listed').map(({ action }) => action),
    oneByOne(async (role, name, input) => {
      const { body } = await speak(service.url, tokens[role], modern).call(toolName(name), input);
      return body.result.content[0].text.replaceAll(toolName(name), name);
    }),
  ],
  [
    'the assistant',
    declared.filter(([, { appOnly }]) => !appOnly).map(([name]) => name),
    async (role, names, input) => {
      model.will([{ calls: names.map((name) => ({ name: toolName(name), input })) }]);
      const { used } = await asker(browsers[role])('Try everything.');
      const answers = used.map(({ name, output: { error } }) => [
        name.replace('_', '.'),
        `${error?.code}: ${error?.message} ${JSON.stringify(error?.issues)}`,
      ]);
      return new Map(answers as [string, string][]);
    },
  ],
];

describe.each(doors)('an action by %s', (_where, names, ask) => {
  test.each(roles)('is for the roles that it declares, and refuses %s with one sentence', async (role) => {
    const answers = await ask(role, names, { surprise: 1 });
    expect(answers.size).toBe(names.length);
    for (const [name, answer] of answers) {
      const { roles: allowed } = actions[name as keyof typeof actions] as Action;
      const who = { owner: 'An owner', admin: 'An admin', editor: 'An editor', viewer: 'A viewer' }[role];
      const sentence = `Forbidden: ${who} may not use ${name}. It takes one of: ${allowed.join(', ')}.`;
      expect(answer.startsWith(sentence), `${name}: ${answer}`).toBe(!allowed.includes(role));
    }
  });

  test('names the field that is wrong', async () => {
    for (const [name, answer] of await ask('owner', names, { surprise: 1 })) {
      expect(answer, name).toMatch(/^BadInput:.*surprise.*is not a field of this input/s);
    }
  });
});

test('an action is out of reach without a credential', async () => {
  const unknown = service.browser();
  for (const [name] of declared) {
    const rest = await service.request('POST', `/api/agent/tools/${name}`, { headers: json, body: '{}' });
    const app = await unknown.post(`/api/app/actions/${name}`);
    const mcp = await speak(service.url, 'nobody', modern).call(toolName(name));
    expect([rest.status, app.status, mcp.status], name).toEqual([401, 401, 401]);
  }
  expect((await asker(unknown)('Hello')).status).toBe(401);
});

test('an approved card runs for the role that its action declares, and for no other', async () => {
  const account = await service.addAccount('x');
  const { approvalUrl } = await service.posthorn.cards.request({
    caller: { ...service.owner, role: 'owner', mayPublish: false, isPerson: false },
    client: 'Agent',
    action: 'accounts.delete',
    input: { id: account },
    requestId: 'r',
  });
  const path = `/api${new URL(approvalUrl).pathname}/approve`;
  const refused = await browsers.editor.post(path);
  expect(refused.status).toBe(403);
  expect(refused.body.message).toBe('An editor may not use accounts.delete. It takes one of: owner, admin.');
  expect((await service.client.accounts.list()).accounts.map(({ id }) => id)).toContain(account);
  expect((await browsers.admin.post(path)).body.status).toBe('Approved');
});

test('a request for a card is refused as its action would be', async () => {
  const request = (input: Record<string, unknown>, role: Role) =>
    service.posthorn.cards.request({
      caller: { ...service.owner, role, mayPublish: false, isPerson: false },
      client: 'Agent',
      action: 'posts.publishNow',
      input,
      requestId: 'r',
    });
  await expect(request({ surprise: 1 }, 'viewer')).rejects.toMatchObject({ code: 'Forbidden' });
  await expect(request({ surprise: 1 }, 'editor')).rejects.toMatchObject({
    code: 'BadInput',
    issues: [{ path: 'id' }, { path: 'surprise' }],
  });
});

describe('a path of the app', () => {
  const send = (role: Role, { method, path }: { method: string; path: string }, query = '') =>
    service.request(method, path.replaceAll(/:\w+/g, 'x') + query, {
      headers: { cookie: browsers[role].cookie(), origin: service.config.baseUrl, ...json },
      ...(method !== 'GET' && { body: JSON.stringify({ surprise: 1 }) }),
    });
  const forSessions = routes.filter(({ route }) => route.access === 'Session' || route.access === 'SessionOrToken');

  test('refuses a role with one sentence, before it looks at the input', async () => {
    for (const { name, route } of forSessions) {
      for (const role of roles.filter((one) => route.roles && !route.roles.includes(one))) {
        const { status, body } = await send(role, route);
        const sentence = `may not do this. It takes one of: ${route.roles?.join(', ')}.`;
        expect({ name, status, message: body.message }).toMatchObject({
          name,
          status: 403,
          message: expect.stringContaining(sentence),
        });
      }
    }
  });

  test('names the field of the body, and of the query, that is wrong', async () => {
    const wrong: string[] = [];
    for (const { name, route } of forSessions) {
      const isWrite = route.method !== 'GET';
      if (isWrite ? !route.body : !route.query) continue;
      const { status, body } = await send('owner', route, isWrite ? '' : '?surprise=1');
      const paths = body.issues?.map(({ path }: { path: string }) => path);
      if (status !== 400 || body.code !== 'BadInput' || !paths.includes('surprise')) wrong.push(`${name} ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  test('names the part of the address that is wrong', async () => {
    const wrong: string[] = [];
    for (const { name, route } of forSessions.filter(({ route }) => route.params && !route.body && !route.query)) {
      const path = route.path.replaceAll(/:\w+/g, 'x'.repeat(1000));
      const { status, body } = await send('owner', { method: route.method, path });
      if (status !== 400 || !route.path.includes(`:${body.issues[0].path}`)) wrong.push(`${name} ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  test('that writes its answer itself takes a session from our own pages, and no token', async () => {
    const paths = raw.filter(({ route }) => route.access === 'Session' && route.handler === 'Own');
    expect(paths.length).toBeGreaterThan(2);
    for (const { name, route } of paths) {
      const method = route.methods[0] ?? 'GET';
      const ask = async (headers: Record<string, string>) =>
        (await service.request(method, route.path, { headers: { ...json, ...headers } })).status;
      const cookie = browsers.owner.cookie();
      expect({ name, status: await ask({ origin: service.config.baseUrl }) }).toEqual({ name, status: 401 });
      expect({ name, status: await ask({ authorization: `Bearer ${tokens.owner}` }) }).toEqual({ name, status: 403 });
      if (method === 'POST')
        expect({ name, status: await ask({ cookie, origin: 'https://evil.example' }) }).toEqual({ name, status: 403 });
    }
  });

  test('that writes its answer itself names the field that is wrong', async () => {
    const ask = await browsers.owner.post('/api/app/assistant/ask', { surprise: 1 });
    const exported = await browsers.owner.get('/api/app/export?surprise=1');
    const events = await browsers.owner.get('/api/app/events?workspace=a&workspace=b');
    expect([ask, exported, events].map(asText)).toEqual([
      expect.stringMatching(/^BadInput: .*"surprise"/),
      expect.stringMatching(/^BadInput: .*"surprise"/),
      expect.stringMatching(/^BadInput: workspace must be given once/),
    ]);
  });
});

describe.each(routes.filter(({ route }) => route.form).map(({ route }) => [route.path, route] as const))(
  'a form to %s',
  (path, { access }) => {
    const upload = async (headers: Record<string, string>) => {
      const pixel = { create: { width: 1, height: 1, channels: 3, background: '#8a4b08' } } as const;
      const body = new FormData();
      body.set('surprise', '1');
      body.set('file', new Blob([new Uint8Array(await sharp(pixel).png().toBuffer())]), 'a.png');
      return service.request('POST', path, { headers, body });
    };
    const bySession = (role: Role, origin = service.config.baseUrl) => ({ cookie: browsers[role].cookie(), origin });

    test('takes a credential, from our own pages', async () => {
      expect((await upload({ origin: service.config.baseUrl })).status).toBe(401);
      expect((await upload(bySession('owner', 'https://evil.example'))).status).toBe(403);
      expect((await upload({ authorization: 'Bearer nobody' })).status).toBe(401);
    });

    test('refuses a role before it reads the file', async () => {
      const byToken = { authorization: `Bearer ${tokens.viewer}` };
      for (const headers of [bySession('viewer'), ...(access === 'SessionOrToken' ? [byToken] : [])]) {
        expect(await upload(headers)).toMatchObject({
          status: 403,
          body: { message: 'A viewer may not do this. It takes one of: owner, admin, editor.' },
        });
      }
    });

    test('names the field that is wrong', async () => {
      expect(asText(await upload(bySession('editor')))).toMatch(/^BadInput: surprise is not a field/);
    });
  },
);
