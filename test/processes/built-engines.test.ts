import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAnswer } from '#test/support/assistant';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { setUpInstallation } from '#test/support/installation';
import { type MailServer, startMailServer } from '#test/support/mail-server';
import { type ModelStub, startModel } from '#test/support/model';
import { startMongo } from '#test/support/mongo';
import { startOutsideProvider } from '#test/support/outside-provider';
import { createProcesses, type Processes, type Running } from '#test/support/processes';
import { type PushService, startPushService } from '#test/support/push-service';
import { startS3 } from '#test/support/s3';
import { until } from '#test/support/until';

// The program as `npm start` runs it, with each engine that is loaded only if a setting names it. Other tests cover the
// rules of each engine on the sources.

const owner = { email: 'owner@example.com', password: 'correct horse' };
const setup = ['setup', '--email', owner.email, '--password', owner.password, '--workspace', 'Demo'];

/** Cleans up what a test started, in reverse order. */
const createCleanup = () => {
  const steps: (() => unknown)[] = [];
  return {
    add: (step: () => unknown) => steps.unshift(step),
    run: async () => {
      for (const step of steps) await step();
    },
  };
};

const uploadPhoto = async (url: string, token: string) => {
  const photo = await sharp({ create: { width: 1080, height: 1080, channels: 3, background: '#8a4b08' } })
    .jpeg()
    .toBuffer();
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'horn.jpg');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/media`, { method: 'POST', headers, body: form });
  return { status: answer.status, body: await answer.json() };
};

const askAssistant = async (url: string, cookie: string) => {
  const answer = await fetch(`${url}/api/app/assistant/ask`, {
    method: 'POST',
    headers: { origin: url, cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Who are you?', timeZone: 'Europe/Paris' }),
  });
  return parseAnswer(await answer.text());
};

describe('the built program with S3, SMTP, MongoDB, web push and a model that speaks as OpenAI', () => {
  const cleanup = createCleanup();
  let fresh: FreshDatabase;
  let s3: Awaited<ReturnType<typeof startS3>>;
  let mongo: Awaited<ReturnType<typeof startMongo>>;
  let mail: MailServer;
  let pushes: PushService;
  let model: ModelStub;
  let posthorn: Processes;
  let service: Running;
  let token: string;
  let account: string;
  let person: Awaited<ReturnType<Running['signIn']>>;

  beforeAll(async () => {
    fresh = await freshDatabase({ isMigrated: true });
    cleanup.add(() => fresh.drop());
    [s3, mongo, mail, pushes, model] = await Promise.all([
      startS3(),
      startMongo(),
      startMailServer(),
      startPushService(),
      startModel(),
    ]);
    for (const engine of [s3, mongo, mail, pushes, model]) cleanup.add(() => engine.stop());
    posthorn = await createProcesses(undefined, {
      DATABASE_URL: urlOf(fresh.parts),
      MONGODB_URL: mongo.url,
      ...s3.settings,
      ...mail.settings,
      ...pushes.settings,
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'small',
      LLM_API_KEY: 'sk-test',
    });
    cleanup.add(() => posthorn.clear());
    const made = await setUpInstallation(posthorn.settings, owner, ['x']);
    token = made.token;
    [account = ''] = made.accountIds;
    service = await posthorn.start();
    person = await service.signIn(owner);
  });
  afterAll(() => cleanup.run());

  const publish = async (text: string, media: string[] = []) => {
    const { body: draft } = await service.call(token, 'posts.create', { body: text, accountIds: [account] });
    const versions = [{ content: [{ body: text, media }] }];
    await service.call(token, 'posts.update', { id: draft.id, accountIds: [account], versions });
    await person('/api/app/actions/posts.publishNow', { id: draft.id });
    const post = async () => (await service.call(token, 'posts.get', { id: draft.id })).body;
    await until('the post is out, or failed', async () => /Published|Failed/.test(String((await post()).status)));
    return post();
  };

  test('keeps an upload in S3, reads it back, and publishes it', async () => {
    const { status, body } = await uploadPhoto(service.url, token);
    expect({ status, body }).toMatchObject({ status: 200, body: { kind: 'Image' } });
    const stored = s3.objects.get(body.id);
    expect(stored?.type).toBe('image/jpeg');
    const answer = await fetch(`${service.url}/media/${body.id}`);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(stored?.body);
    expect(await publish('With a picture', [body.id])).toMatchObject({ status: 'Published', results: [{ ok: true }] });
  });

  test('mails an invitation', async () => {
    const { url, mailed } = await person('/api/app/invitations', { email: 'new@example.com', role: 'editor' });
    expect(mailed).toBe(true);
    expect((await mail.nth('new@example.com')).text).toContain(String(url));
  });

  test('pushes to a browser that a post failed', async () => {
    const phone = pushes.subscribe();
    await person('/api/app/push-browsers', phone.subscription);
    expect(await publish('[sandbox:content-refused!] Never')).toMatchObject({ status: 'Failed' });
    expect((await phone.nth(1)).message).toMatchObject({ title: expect.stringContaining('failed'), body: 'Demo' });
  });

  test('lets the assistant answer with the model', async () => {
    model.will([{ text: 'I am the model.' }]);
    expect((await askAssistant(service.url, person.cookie)).text).toBe('I am the model.');
    expect(model.requests).toMatchObject([
      { path: '/v1/chat/completions', headers: { authorization: 'Bearer sk-test' }, body: { model: 'small' } },
    ]);
  });

  test('keeps time for recurring work in MongoDB', async () => {
    await until('it has run', () =>
      mongo.documents('agendaJobs').some(({ name, lastRunAt }) => name === 'remove old sessions' && lastRunAt),
    );
    const jobs = (await posthorn.ask('jobs')) as unknown as { name: string; lastRunAt?: string }[];
    expect(jobs).toContainEqual(
      expect.objectContaining({ name: 'remove old sessions', lastRunAt: expect.any(String) }),
    );
    expect(mongo.documents('agendaJobs')).toHaveLength(jobs.length);
    expect(mongo.unknown).toEqual([]);
  });

  test('says in doctor that all of them can be used', async () => {
    const { stdout } = await posthorn.run(['doctor']);
    expect(stdout).toMatch(/^ok +Media is kept in .*media/m);
    expect(stdout).toMatch(/^ok +The mail server of SMTP_URL answers/m);
  });
});

describe('the built program with an outside provider, and a model of Anthropic', () => {
  const cleanup = createCleanup();
  let provider: Awaited<ReturnType<typeof startOutsideProvider>>;
  let model: ModelStub;
  let service: Running;
  let cookie: string;

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { redirect: 'manual', headers });
  const cookieOf = ({ headers }: Response) => headers.getSetCookie()[0]?.split(';')[0] ?? '';

  beforeAll(async () => {
    const fresh = await freshDatabase({ isMigrated: true });
    cleanup.add(() => fresh.drop());
    [provider, model] = await Promise.all([startOutsideProvider(), startModel()]);
    for (const engine of [provider, model]) cleanup.add(() => engine.stop());
    const posthorn = await createProcesses(undefined, {
      DATABASE_URL: urlOf(fresh.parts),
      ...provider.settings,
      LLM_BASE_URL: model.url,
      LLM_MODEL: 'claude',
      ANTHROPIC_API_KEY: 'sk-ant',
    });
    cleanup.add(() => posthorn.clear());
    await setUpInstallation(posthorn.settings, owner);
    service = await posthorn.start();
  });
  afterAll(() => cleanup.run());

  test('lets in whom the provider names', async () => {
    const begun = await get('/sign-in/begin?next=%2Fposts');
    const query = provider.answer(begun.headers.get('location') ?? '', {
      sub: 'someone',
      email: owner.email,
      email_verified: true,
    });
    const back = await get(`/sign-in/callback?${query}`, { cookie: cookieOf(begun) });
    expect(back.headers.get('location')).toBe('/posts');
    cookie = cookieOf(back);
    const session = await (await get('/api/auth/session', { cookie })).json();
    expect(session.user.email).toBe(owner.email);
  });

  test('lets the assistant answer with the model', async () => {
    model.will([{ text: 'I am the model.' }]);
    expect((await askAssistant(service.url, cookie)).text).toBe('I am the model.');
    expect(model.requests).toMatchObject([
      { path: '/v1/messages', headers: { 'x-api-key': 'sk-ant' }, body: { model: 'claude' } },
    ]);
  });
});

describe('the built program with the environment of ops/compose.full.yaml', () => {
  const cleanup = createCleanup();
  afterAll(() => cleanup.run());

  /** The environment variables of the image, then those of the service. */
  const environment = async (given: Record<string, string>) => {
    const [, ofImage = ''] = /^ENV (.+)$/m.exec(await readFile('ops/Dockerfile', 'utf8')) ?? [];
    const [, ofService = ''] =
      /^x-posthorn:.+?^ {2}environment:\n(.+?)^ {2}\w/ms.exec(await readFile('ops/compose.full.yaml', 'utf8')) ?? [];
    const filled = ofService.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name: string) => given[name] ?? '');
    return Object.fromEntries([
      ...[...ofImage.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
      ...[...filled.matchAll(/^ {4}(\w+): (.+)$/gm)].map(([, name, value]) => [name, value]),
    ]) as Record<string, string>;
  };

  test('starts, is ready and keeps an upload', async () => {
    const fresh = await freshDatabase();
    cleanup.add(() => fresh.drop());
    const [s3, mongo] = await Promise.all([startS3({ bucket: 'posthorn', region: 'us-east-1' }), startMongo()]);
    for (const engine of [s3, mongo]) cleanup.add(() => engine.stop());
    const settings = await environment({
      DOMAIN: 'posthorn.example.com',
      POSTGRES_PASSWORD: 'secret',
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
    });
    expect(settings).toMatchObject({
      NODE_ENV: 'production',
      BASE_URL: 'https://posthorn.example.com',
      DATABASE_URL: 'postgres://posthorn:secret@postgres/posthorn',
      MONGODB_URL: 'mongodb://mongodb/posthorn',
      S3_ENDPOINT: 'http://store:8333',
    });
    const { POSTHORN_DATA, PORT, ...others } = settings;
    expect([POSTHORN_DATA, PORT]).toEqual(['/data', '3000']);
    const posthorn = await createProcesses(undefined, {
      ...others,
      // Stand-ins for the hosts of the compose file.
      DATABASE_URL: urlOf(fresh.parts),
      MONGODB_URL: mongo.url,
      S3_ENDPOINT: s3.settings.S3_ENDPOINT,
    });
    cleanup.add(() => posthorn.clear());
    const service = await posthorn.start();
    expect(service.url).toBe('https://posthorn.example.com');
    const url = `http://127.0.0.1:${posthorn.port}`;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const { token = '' } = await posthorn.ask(...setup);
    const { status, body } = await uploadPhoto(url, token);
    expect({ status, body }).toMatchObject({ status: 200 });
    expect([...s3.objects.keys()]).toContain(body.id);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(mongo.unknown).toEqual([]);
  });
});
