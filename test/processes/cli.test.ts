import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyWebhook } from '#packages/sdk/src/webhooks';
import { readConfig, SettingError } from '#server/base/config/config';
import { Refusal } from '#server/base/errors';
import { dueWork } from '#server/base/jobs/due-work';
import { addAccount } from '#server/wiring/cli/account';
import { backup, restore } from '#server/wiring/cli/backup';
import { clock } from '#server/wiring/cli/clock';
import type { Command } from '#server/wiring/cli/command';
import { diagnose, doctor } from '#server/wiring/cli/doctor';
import { rotateKeys } from '#server/wiring/cli/keys';
import { link } from '#server/wiring/cli/link';
import { listen } from '#server/wiring/cli/listen';
import { logs } from '#server/wiring/cli/logs';
import { setPlan } from '#server/wiring/cli/plan';
import { setup } from '#server/wiring/cli/setup';
import { createToken } from '#server/wiring/cli/token';
import { start } from '#server/wiring/main';
import { openService } from '#server/wiring/open-service';
import { createProcesses, type ExitResult, type Processes, type Running } from '#test/support/processes';
import { until } from '#test/support/until';

const stackTrace = /^\s+at .+:\d+/m;
const password = 'correct horse battery';

/** One sentence for a human and a code for a script. */
const expectRefusal = ({ code, stdout, stderr }: ExitResult, words: RegExp) => {
  expect(stderr).toMatch(words);
  expect(stdout + stderr).not.toMatch(stackTrace);
  expect(code).toBe(1);
};

/** The program prints the message of these two errors alone and ends with 1, so a command that throws one needs no process. */
const expectRefusalOf = async (work: () => unknown, words: RegExp) => {
  const error = await Promise.resolve()
    .then(work)
    .catch((refused: unknown) => refused);
  expect(error instanceof SettingError || error instanceof Refusal, String(error)).toBe(true);
  const { message } = error as Error;
  expect(`${message}\n`).toMatch(words);
  expect(message).not.toMatch(stackTrace);
  expect(message).not.toContain('hunter2');
};

// The tests are steps of one story: a first start is slow, so all of them share it.
describe('a service on its own data folder', () => {
  let posthorn: Processes;
  let service: Running;
  let doctorBefore: ExitResult;
  let owner: Record<string, string>;
  let token: string;

  beforeAll(async () => {
    // So that no other Posthorn of this machine is found.
    const TMPDIR = await mkdtemp(join(tmpdir(), 'posthorn-cli-'));
    await chmod(TMPDIR, 0o711);
    // Requests to a service that is shutting down take a while on a busy machine.
    const settings = { LOG_FILE: join(TMPDIR, 'posthorn.log'), DRAIN_SECONDS: '60' };
    posthorn = await createProcesses(undefined, { TMPDIR, ...settings });
    service = await posthorn.start();
    doctorBefore = await posthorn.run(['doctor']);
    owner = await posthorn.ask('setup', '--email', 'owner@example.com', '--password', password, '--workspace', 'Demo');
    token = owner.token ?? '';
  });

  afterAll(() => posthorn?.clear());

  const expectRefused = (
    command: Command,
    options: Record<string, string>,
    words: RegExp,
    { rest = [], settings = {} }: { rest?: string[]; settings?: NodeJS.ProcessEnv } = {},
  ) => expectRefusalOf(() => command(readConfig({ ...posthorn.settings, ...settings }), options, rest), words);

  test('prints its address and is ready there', async () => {
    expect(service.url).toBe(`http://localhost:${posthorn.port}`);
    const answer = await fetch(`${service.url}/readyz`);
    expect([answer.status, await answer.text()]).toEqual([200, 'ready']);
  });

  test('setup prints ids and a token that works, while the service runs', async () => {
    expect(owner).toEqual({
      userId: expect.stringMatching(/^usr_/),
      workspaceId: expect.stringMatching(/^ws_/),
      tokenId: expect.stringMatching(/^tok_/),
      token: expect.stringMatching(/^posthorn_pat_/),
    });
    expect(await service.call(token, 'posts.list')).toEqual({ status: 200, body: { posts: [] } });
  });

  test('a second setup is refused', async () => {
    const other = { email: 'other@example.com', password, workspace: 'Other' };
    await expectRefused(setup, other, /^Posthorn is set up already: .+ run: npx posthorn link\n$/);
  });

  test('link prints an address that lets the owner in once', async () => {
    const { email, url = '' } = await posthorn.ask('link');
    expect(email).toBe('owner@example.com');
    expect((await fetch(url, { headers: { accept: 'text/html' } })).status).toBe(200);
    const { origin, pathname } = new URL(url);
    const enter = () =>
      fetch(`${origin}/api/auth/links/use`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ secret: pathname.split('/').at(-1) }),
      });
    const arrived = await enter();
    expect(arrived.status).toBe(200);
    expect(arrived.headers.getSetCookie()[0]).toMatch(/^sid=/);
    expect((await enter()).status).toBe(404);
    await expectRefused(link, { email: 'nobody@example.com' }, /^Nobody here has the address nobody@/);
  });

  test('user lists who is here, makes a link for a new password, and signs somebody out', async () => {
    const everybody = async () => (await posthorn.ask('user', 'list')) as unknown as Record<string, unknown>[];
    const post = (path: string, body: unknown) =>
      fetch(service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify(body),
      });
    const { url = '' } = await posthorn.ask('user', 'reset', '--email', 'Owner@example.com');
    const secret = new URL(url).pathname.split('/').at(-1);
    expect(url).toBe(`${service.url}/new-password/${secret}`);
    const reset = () => post('/api/auth/password/reset', { secret, password, endTokens: false });
    expect((await reset()).status).toBe(200);
    expect((await reset()).status).toBe(404);
    expect(await everybody()).toMatchObject([
      {
        id: owner.userId,
        operator: true,
        hasPassword: true,
        workspaces: [{ name: 'Demo', role: 'owner' }],
        sessions: 1,
      },
    ]);
    await posthorn.ask('user', 'sign-out', '--email', 'owner@example.com');
    expect(await everybody()).toMatchObject([{ sessions: 0, lastSeenAt: null }]);
    expect(await service.call(token, 'posts.list')).toMatchObject({ status: 200 });
    const { workspaceId = '' } = owner;
    await posthorn.ask('user', 'sign-out', '--email', 'owner@example.com', '--all');
    expect(await service.call(token, 'posts.list')).toMatchObject({ status: 401 });
    const fresh = await posthorn.ask('token', 'create', '--workspace', workspaceId, '--name', 'Setup');
    token = fresh.token ?? '';
    owner = { ...owner, tokenId: fresh.id ?? '' };
  });

  test('logs tells what the log file says of one request', async () => {
    const id = 'one-of-many-requests';
    await fetch(`${service.url}/api/agent/tools/posts.list`, { method: 'POST', headers: { 'x-request-id': id } });
    const { code, stdout } = await posthorn.run(['logs', id]);
    expect(stdout).toMatch(
      /^\S+Z info {2}request method=POST path=\/api\/agent\/tools\/posts\.list status=401 ms=[\d.]+\n$/,
    );
    expect(code).toBe(0);
    expect(JSON.parse((await posthorn.run(['logs', id, '--json'])).stdout)).toMatchObject({ requestId: id, level: 30 });
    await expectRefused(logs, {}, /^No line of \S+posthorn\.log has the request id another\.\n$/, {
      rest: ['another'],
    });
  });

  test('tokens are created, listed without their secret, and refused once revoked', async () => {
    const { workspaceId = '' } = owner;
    const made = await posthorn.ask('token', 'create', '--workspace', workspaceId, '--name', 'Second');
    expect(await service.call(made.token ?? '', 'posts.list')).toMatchObject({ status: 200 });
    const listed = await posthorn.ask('token', 'list', '--workspace', workspaceId);
    expect(listed).toMatchObject([{ id: made.id, name: 'Second' }, { id: owner.tokenId }]);
    expect(JSON.stringify(listed)).not.toContain('posthorn_pat_');
    await posthorn.ask('token', 'revoke', '--id', made.id ?? '');
    expect(await service.call(made.token ?? '', 'posts.list')).toMatchObject({ status: 401 });
    expect(await posthorn.ask('token', 'list', '--workspace', workspaceId)).toHaveLength(1);
  });

  test('an added account is in accounts.list', async () => {
    const account = ['--network', 'bluesky', '--handle', 'demo'];
    const { id } = await posthorn.ask('account', 'add', '--workspace', owner.workspaceId ?? '', ...account);
    const { body } = await service.call(token, 'accounts.list');
    expect(body).toMatchObject({
      accounts: [{ id, network: 'bluesky', handle: expect.stringContaining('demo'), status: 'Connected' }],
    });
  });

  test('a file is imported as drafts, and what cannot be one is told', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'posthorn-import-')), 'posts.csv');
    await writeFile(file, 'text,time\nFrom a file,2090-01-01 08:00\nNever,2090-13-01 08:00\n');
    const told = await posthorn.ask('import', '--workspace', owner.workspaceId ?? '', '--file', file, '--save');
    expect(told).toMatchObject({
      totals: { rows: 2, saved: 1, bad: 1, scheduled: 0 },
      problems: [{ number: 2, problems: [{ column: 'time', code: 'BadTime' }] }],
    });
    const { body } = await service.call(token, 'posts.list');
    expect(body).toMatchObject({ posts: [{ status: 'Draft', scheduledAt: '2090-01-01T08:00:00.000000Z' }] });
    await rm(dirname(file), { recursive: true });
  });

  test('listen forwards the events of a workspace to a local program, signed like webhooks, and ends cleanly', async () => {
    const { workspaceId = '' } = owner;
    const requests: { type: string; raw: string; signature: string }[] = [];
    const program = createServer(async (req, res) => {
      const raw = await text(req);
      requests.push({
        type: String(req.headers['posthorn-event']),
        raw,
        signature: String(req.headers['posthorn-signature']),
      });
      res.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(program, 'listening');
    const forward = `http://localhost:${(program.address() as AddressInfo).port}/hook`;
    const listening = posthorn.open(['listen', '--workspace', workspaceId, '--forward', forward]);
    await until('the program got a ping', () => requests.length === 1);

    const post = await service.signIn({ email: 'owner@example.com', password });
    const { body } = await service.call(token, 'accounts.list');
    const [account] = body.accounts as { id: string }[];
    const draft = await service.call(token, 'posts.create', { accountIds: [account?.id], body: 'Heard' });
    await post('/api/app/actions/posts.publishNow', { id: draft.body.id });
    await until('the program got the event', () => requests.length === 2);
    expect(requests.map(({ type }) => type)).toEqual(['ping', 'post.published']);
    const secret = /Signing secret of this run: (whsec_\S+)/.exec(listening.output.stdout)?.[1] ?? '';
    for (const { raw, signature } of requests) {
      expect(await verifyWebhook(Buffer.from(raw), signature, secret)).toMatchObject({ workspaceId });
    }
    await until('it is printed', () => listening.output.stdout.includes(`"id": "${draft.body.id}"`));
    expect(listening.output.stdout).toMatch(/post\.published evt_\w+: HTTP 204 after \d+ ms/);

    program.close();
    listening.child.kill('SIGINT');
    expect(await listening.ended).toMatchObject({ code: 0, stderr: '' });
    await expectRefused(
      listen,
      { workspace: workspaceId, forward: 'localhost:4000' },
      /^--forward must be an address such as http:\/\/localhost:4000\/hook, not localhost:4000\.\n$/,
    );
    await expectRefused(listen, { workspace: 'ws_none', forward }, /^There is no workspace ws_none\. There are: /);
  });

  test('a plan is set and shown', async () => {
    const { workspaceId = '' } = owner;
    expect(await posthorn.ask('plan', 'set', '--workspace', workspaceId, '--plan', 'team')).toMatchObject({
      key: 'team',
    });
    expect(await posthorn.ask('plan', 'show', '--workspace', workspaceId)).toMatchObject({ key: 'team', accounts: 15 });
  });

  test('a new signing key is made, and says when it signs', async () => {
    const { signsAt = '', othersEndAt = '' } = await posthorn.ask('keys', 'rotate');
    expect(Date.parse(othersEndAt) - Date.parse(signsAt)).toBe(70 * 60_000);
    const elsewhere = { AUTH_URL: 'https://id.example.com', AUTH_CLIENT_ID: 'posthorn' };
    await expectRefused(rotateKeys, {}, /^There is no signing key here: /, { settings: elsewhere });
  });

  type Job = Record<'name' | 'every' | 'lastRunAt' | 'nextRunAt', string>;
  const hourly = (jobs: Job[]) => jobs.find(({ name }) => name === 'remove old sessions');
  let before: Job | undefined;

  test('what recurs is shown with its times', async () => {
    let jobs: Job[] = [];
    await until('it has run', async () => {
      jobs = (await posthorn.ask('jobs')) as unknown as Job[];
      before = hourly(jobs);
      return before?.lastRunAt !== undefined;
    });
    for (const name of Object.values(dueWork)) {
      expect(jobs).toContainEqual(expect.objectContaining({ name, every: '1 minute' }));
    }
    const recurring = jobs.filter(({ every }) => every !== '1 minute').map(({ name, every }) => `${name}: ${every}`);
    expect(recurring.toSorted()).toEqual([
      'back up every night: 5 minutes',
      'close old approval cards: 10 minutes',
      'find posts without a forecast: 1 hour',
      'forget counted requests: 5 minutes',
      'forget old confirmations with a passkey: 1 hour',
      'forget old imports: 1 day',
      'forget old requests to passkeys: 1 hour',
      'forget used upload addresses: 1 hour',
      'forget wrong passwords: 1 hour',
      'remind of open approval cards: 1 hour',
      'remove abandoned uploads: 1 hour',
      'remove clients that registered and are not used: 1 hour',
      'remove expired records of the identity provider: 1 hour',
      'remove files without a media item: 1 hour',
      'remove old approval cards: 1 day',
      'remove old chats: 1 day',
      'remove old deliveries and events: 1 hour',
      'remove old entries of the audit log: 1 day',
      'remove old idempotent answers: 1 hour',
      'remove old invitations: 1 day',
      'remove old mails and push messages: 1 day',
      'remove old notifications: 1 day',
      'remove old one-time links: 1 hour',
      'remove old posts from the bin: 1 hour',
      'remove old sessions: 1 hour',
      'remove registrations at servers nobody uses: 1 day',
      'remove shares that have ended: 1 hour',
      'remove sign-ins that were not finished: 1 hour',
      'remove the plan usage of past months: 1 day',
      'remove tokens that were revoked: 1 day',
      'remove unfinished connections: 1 hour',
      'remove workspaces whose time has come: 1 hour',
      'seal anew what an old key sealed: 1 hour',
    ]);
  });

  test('the clock goes forward, for every process, and what recurs is shown by it, also what ran before', async () => {
    await posthorn.ask('clock', '--forward', '2h');
    const { now = '' } = await posthorn.ask('clock', '--forward', '1s');
    expect(Date.parse(now)).toBeGreaterThan(Date.now() + 7_000_000);
    const { workspaceId = '' } = owner;
    const { createdAt = '' } = await posthorn.ask('token', 'create', '--workspace', workspaceId, '--name', 'Later');
    expect(Date.parse(createdAt)).toBeGreaterThan(Date.now() + 7_000_000);
    const after = hourly((await posthorn.ask('jobs')) as unknown as Job[]);
    expect(after?.lastRunAt).toBe(before?.lastRunAt);
    expect(Date.parse(after?.nextRunAt ?? '')).toBeGreaterThan(Date.parse(now));
  });

  test('a backup of the running service is restored into a new folder, where all of it is', async () => {
    const file = join(posthorn.dir, 'backup.tar');
    const made = await posthorn.run(['backup', file, '--with-keys']);
    expect(made.stderr).toMatch(/^Table \d+ of \d+: \w+ …\n[\s\S]*The backup holds the keys\./);
    const elsewhere = { POSTHORN_DATA: join(posthorn.dir, 'restored'), PORT: '1' };
    const { code, stdout, stderr } = await posthorn.run(['restore', file], elsewhere);
    expect([code, JSON.parse(stdout)]).toEqual([0, JSON.parse(made.stdout)]);
    expect(stderr).toMatch(
      /Restored as of \S+Z\. Start Posthorn now: nothing goes out, .+ until you release it in the app/,
    );
    const restored = await diagnose(readConfig({ ...posthorn.settings, ...elsewhere }));
    expect(restored.text).toContain('ok       Workspaces: Demo');
    const again = { rest: [file], settings: elsewhere };
    await expectRefused(restore, {}, /This database is not empty: /, again);
    const verified = await posthorn.run(['backup', file, '--verify']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ file, verified: true, tables: expect.any(Number) });
    await expectRefused(backup, {}, /already exists\. Choose another name/, { rest: [file] });
  });

  test.each([
    [['setup', '--email', 'a@example.com'], /^Give --workspace\.\n/],
    [['token', 'revoke', '--id', 'tok_1'], /^There is no token with id tok_1 here\.\n$/],
    [['token', 'list', '--nonsense'], /^Unknown option '--nonsense'/],
  ])('posthorn %j is refused in words', async (args, words) => {
    expectRefusal(await posthorn.run(args), words);
  });

  const toAccount = (network: string) => ({ workspace: 'ws_1', network });
  const toPlan = (plan: string) => ({ workspace: 'ws_1', plan });

  test.each<[string, Command, Record<string, string>, RegExp]>([
    ['backup without a name', backup, {}, /^Name a file or folder: posthorn backup <file or folder>\n$/],
    ['plan set for no workspace', setPlan, toPlan('team'), /^There is no workspace with id ws_1/],
    ['plan set to no plan', setPlan, toPlan('gold'), /^There is no plan gold\. Choose unlimited, free/],
    ['clock without a time', clock, { forward: 'soon' }, /^Give --forward as a number with s, m, h or d/],
    ['account add at no network', addAccount, toAccount('nope'), /^There is no network nope\. Choose one of .+\n$/],
    [
      'account add for no workspace',
      addAccount,
      toAccount('x'),
      /^There is no workspace ws_1\. There are: .+Demo.+\n$/,
    ],
    ['token create for no workspace', createToken, { workspace: 'ws_1', name: 'A' }, /^There is no workspace ws_1\./],
    ['token create without a workspace', createToken, { name: 'A' }, /^Give --workspace\.\n/],
    ['setup without a password', setup, { email: 'a@example.com', workspace: 'A' }, /^Give --password\.\n/],
  ])('posthorn %s is refused in words', async (_, command, options, words) => {
    await expectRefused(command, options, words);
  });

  test('posthorn restore is refused in words with a file that is not there', async () => {
    await expectRefused(restore, {}, /^The backup \/nowhere\.tar cannot be read: ENOENT/, { rest: ['/nowhere.tar'] });
  });

  test('an unknown command shows what there is', async () => {
    const { code, stdout } = await posthorn.run(['token', 'shout']);
    expect(stdout).toContain('create --workspace <id>');
    expect(code).toBe(2);
  });

  test('doctor says what is missing and fails, then that all is well', async () => {
    expect(doctorBefore.stdout).toMatch(/^FAILURE {2}Nobody is set up yet: run `posthorn setup .+`\.$/m);
    expect(doctorBefore).toMatchObject({ code: 1, stderr: '' });
    const { code, stdout } = await posthorn.run(['doctor']);
    expect(stdout).toContain(`ok       The service answers at ${service.url}/readyz`);
    expect(stdout).toContain('ok       Workspaces: Demo');
    expect(stdout).toContain('note     The assistant uses its embedded model');
    expect(stdout).toMatch(/All is well\.\n$/);
    expect(code).toBe(0);
  });

  test('doctor examines networks, in words and as JSON', async () => {
    const settings = { LINKEDIN_CLIENT_ID: 'id' };
    const { code, stdout } = await posthorn.run(['doctor', '--network', 'linkedin'], settings);
    expect(stdout).toMatch(/^LinkedIn \(linkedin\)\nFAILURE {2}.+ Set LINKEDIN_CLIENT_SECRET too/);
    expect(stdout).toContain(`${service.url}/connect/linkedin/callback`);
    expect(stdout).toMatch(/\n1 failure: LinkedIn\.\n$/);
    expect(code).toBe(1);
    const all = await posthorn.run(['doctor', '--network', 'all', '--json']);
    const { healthy, networks } = JSON.parse(all.stdout) as { healthy: boolean; networks: { network: string }[] };
    expect([all.code, healthy, networks.length]).toEqual([0, true, 13]);
    await expectRefused(doctor, { network: 'myspace' }, /^There is no network myspace\. There are: all, /);
  });

  test('a second service on the same port says that the port is in use', async () => {
    const refused = await posthorn.run(['start']);
    expectRefusal(refused, new RegExp(`^Port ${posthorn.port} is in use`));
    // Before anything else was begun.
    expect(refused.stdout).toBe('');
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  test('a command without its settings finds it and says which folder it uses', async () => {
    const nowhere = { POSTHORN_DATA: '', PORT: '' };
    const { code, stdout, stderr } = await posthorn.run(['user', 'list'], nowhere);
    expect(stderr).toBe(`Using ${posthorn.dataDir}, the data folder of the Posthorn at ${service.url}.\n`);
    // A new key has nothing to do with it.
    expect(await posthorn.run(['keys', 'generate'], nowhere)).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ workspaces: [{ name: 'Demo' }] }]);
    expect(code).toBe(0);
  });

  test('a second service on the same data folder says that there is another', async () => {
    const second = await posthorn.start(/^Another Posthorn \((\S+), process \d+\) uses the data folder/m, {
      PORT: '0',
    });
    expect(second.url).toBe(service.url);
    second.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  test('only the user of the service may read its secrets', async () => {
    for (const file of ['secrets.json', 'database/pg/posthorn.password']) {
      const { mode } = await stat(join(posthorn.dataDir, file));
      expect((mode & 0o777).toString(8), file).toBe('600');
    }
  });

  test('a kill loses nothing that was answered', async () => {
    const created = [];
    for (const body of ['one', 'two', 'three']) {
      created.unshift((await service.call(token, 'posts.create', { body })).body);
    }
    service.kill('SIGKILL');
    await service.ended;
    service = await posthorn.start();
    const { body } = await service.call(token, 'posts.list');
    expect((body as { posts: unknown[] }).posts.slice(0, created.length)).toEqual(created);
    // Only the first start tells how to set it up.
    expect(posthorn.logs().match(/posthorn setup/g)).toHaveLength(1);
  });

  /** Begins a request whose body is still incomplete. */
  const beginRequest = async (body: string) => {
    const client = connect(posthorn.port, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    client.on('data', (text: string) => {
      answer += text;
    });
    client.on('error', () => undefined);
    client.write(
      [
        'POST /api/agent/tools/posts.create HTTP/1.1',
        'host: localhost',
        `authorization: Bearer ${token}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
        'expect: 100-continue',
        '',
        body.slice(0, 10),
      ].join('\r\n'),
    );
    await until('the service reads the request', () => answer.includes('100 Continue'));
    return {
      end: async () => {
        client.write(body.slice(10));
        await once(client, 'close');
        return answer;
      },
      cut: () => once(client, 'close').then(() => answer),
    };
  };

  test('asked to stop, it finishes the request under way, begins nothing new, and leaves nothing running', async () => {
    const { body: listed } = await service.call(token, 'accounts.list');
    const [account] = (listed as { accounts: { id: string }[] }).accounts;
    const made = await service.call(token, 'posts.create', { body: 'later', accountIds: [account?.id] });
    const { id } = made.body;
    const person = await service.signIn({ email: 'owner@example.com', password });
    const tab = await fetch(`${service.url}/api/app/events`, { headers: { cookie: person.cookie } });
    const underWay = await beginRequest(JSON.stringify({ body: 'last words' }));

    service.kill('SIGTERM');
    const isReady = () =>
      fetch(`${service.url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until('it is not ready any more', async () => !(await isReady()));
    // It keeps listening until the work is done, and makes clients reconnect elsewhere for their next request.
    const notReady = await fetch(`${service.url}/readyz`);
    expect([notReady.status, await notReady.text()]).toEqual([503, 'shutting down']);
    expect(notReady.headers.get('connection')).toBe('close');
    expect(await (await fetch(`${service.url}/healthz`)).text()).toBe('ok');
    // The tab's stream ends without a reason, but with the delay after which to reconnect.
    const events = await tab.text();
    expect(events).toMatch(/^retry: \d+$/m);
    expect(events).not.toContain('event: ended');
    expect(posthorn.postgres()).toBeDefined();
    // What arrives now is for another one, or for the next start.
    expect((await service.call(token, 'posts.get', { id })).status).toBe(503);
    expect(await underWay.end()).toMatch(/HTTP\/1\.1 200 OK[\s\S]+last words/);
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(posthorn.postgres()).toBeUndefined();

    const { now = '' } = await posthorn.ask('clock', '--forward', '1s');
    service = await posthorn.start(undefined, { DRAIN_SECONDS: '1' });
    const status = async () => (await service.call(token, 'posts.get', { id })).body;
    await person('/api/app/actions/posts.publishNow', { id });
    await until('another one publishes it', async () => (await status()).status === 'Published');
    const [result] = (await status()).results as { publishedAt: string }[];
    expect(Date.parse(result?.publishedAt ?? '')).toBeGreaterThan(Date.parse(now));
  });

  test('what does not end within DRAIN_SECONDS is cut', async () => {
    const endless = await beginRequest(JSON.stringify({ body: 'never comes' }));
    service.kill('SIGTERM');
    expect(await endless.cut()).not.toContain('HTTP/1.1 200');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    // On a busy machine it ends after the service, which no longer waits for it.
    await until('PostgreSQL is gone', () => posthorn.postgres() === undefined);
  });

  test('no log holds a token, a password or a key', async () => {
    const read = (file: string) => readFile(join(posthorn.dataDir, file), 'utf8');
    const { encryptionKeys } = JSON.parse(await read('secrets.json'));
    const secrets = [password, await read('database/pg/posthorn.password'), encryptionKeys[0].split(':')[1]];
    const logs = posthorn.logs() + (await read('database/postgres.log'));
    expect(logs).toContain('/api/agent/tools/posts.create');
    for (const secret of [...secrets, 'posthorn_pat_']) expect(logs).not.toContain(secret);
    // The answers of the commands hold tokens on purpose, and nothing else that is secret.
    for (const secret of secrets) expect(posthorn.outputs.join('')).not.toContain(secret);
  });
});

describe('a start', () => {
  let posthorn: Processes;

  beforeEach(async () => {
    posthorn = await createProcesses();
  });

  afterEach(() => posthorn?.clear());

  test('that is asked to stop before it is ready leaves no PostgreSQL behind', async () => {
    // To start takes longer than usual on a busy machine, and it ends when it has started.
    const service = await posthorn.start(/Starting the embedded PostgreSQL/, { DRAIN_SECONDS: '120' });
    await until('PostgreSQL runs', () => posthorn.postgres());
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    expect(posthorn.postgres()).toBeUndefined();
  });

  const startWith = (settings: NodeJS.ProcessEnv) =>
    start(readConfig({ ...posthorn.settings, LOG_LEVEL: 'silent', ...settings }));

  test.each([
    [{ NODE_ENV: 'production' }, /^DATABASE_URL is not set\. In production say where PostgreSQL is, .+\n$/],
    [{ PORT: 'abc' }, /^PORT must be a number from 0 to 65535\n$/],
    [{ BASE_URL: 'https://example.com/posthorn' }, /^BASE_URL .+ without a path\n$/],
    [{ HOST: '203.0.113.1' }, /^Check HOST and PORT: .+\n$/],
    [{ DATABASE_URL: 'nonsense:hunter2' }, /^The database cannot be used: DATABASE_URL is not understood\. .+\n$/],
    [{ NODE_ENV: 'prod' }, /^NODE_ENV must be production, development or test; .+\n$/],
  ])('with %j says which setting is wrong', async (settings, words) => {
    await expectRefusalOf(() => startWith(settings), words);
  });

  test('with a wrong setting ends with a sentence that holds no password', async () => {
    const settings = { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/db', START_PATIENCE: '0s' };
    const ended = await posthorn.run(['start'], settings);
    expectRefusal(ended, /^The database cannot be used: .+ECONNREFUSED.+\n$/);
    expect(ended.stdout + ended.stderr).not.toContain('hunter2');
  });

  test('in production goes by the true time whatever the sandbox did, and asks the first owner for its code', async () => {
    const development = await openService(readConfig(posthorn.settings), pino({ level: 'silent' }));
    await development.posthorn.sandboxClock.forward(30 * 24 * 3_600_000);
    await development.close();
    const production = {
      NODE_ENV: 'production',
      EMBEDDED_DATABASE: 'true',
      BASE_URL: 'https://posthorn.example.com',
      HOST: '127.0.0.1',
    };
    const service = await posthorn.start(/First owner .+ with the code (\S+)/, production);
    expect(posthorn.logs()).toContain('the sandbox clock was ahead');
    expect(posthorn.logs()).not.toContain('/welcome/');
    const signUp = (code: string) =>
      fetch(`http://127.0.0.1:${posthorn.port}/api/auth/sign-up`, {
        method: 'POST',
        headers: { origin: production.BASE_URL, 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'first@example.com', password, code }),
      });
    expect((await signUp('guessed')).status).toBe(403);
    expect((await signUp(service.url)).status).toBe(200);
    // A development command on the same database moves nothing.
    await expectRefusalOf(
      () => clock(readConfig(posthorn.settings), { forward: '1d' }, []),
      /^This database was used in production, .+\n$/,
    );
    service.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
  });

  test('with a data folder that is none says so', async () => {
    const file = join(posthorn.dir, 'file');
    await writeFile(file, '');
    await expectRefusalOf(() => startWith({ POSTHORN_DATA: file }), /^The data folder cannot be used: .+\n$/);
  });

  test('with damaged secrets says so without quoting them', async () => {
    await mkdir(posthorn.dataDir);
    await writeFile(join(posthorn.dataDir, 'secrets.json'), '{"encryptionKeys":["k1:hunter2');
    const ended = await posthorn.run(['start']);
    expectRefusal(ended, /secrets\.json is damaged\. Restore it from a backup/);
    expect(ended.stdout + ended.stderr).not.toContain('hunter2');
  });
});
