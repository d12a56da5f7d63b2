import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Notification } from '#contracts/notifications';
import type { Post } from '#contracts/posts';
import { jsonOf } from '#server/base/json/json-text';
import type { LiveEvent } from '#server/base/live/changes';
import { sql } from '#server/base/store/database';
import { lockAwaited } from '#test/support/locks';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const dayMs = 24 * 3_600_000;

let service: Service;
type Browser = ReturnType<Service['browser']>;
let owner: Browser;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  service.startJobs();
  owner = await signedIn('owner@example.com');
});
afterAll(() => service.stop());

const signedIn = async (email: string) => {
  const browser = service.browser();
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
};

const listed = async (browser: Browser = owner, query = '') => {
  const { status, body } = await browser.get(`/api/app/notifications${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as { needsYou: Notification[]; earlier: Notification[]; unread: number; nextCursor?: string };
};
const about = async (path: string, browser: Browser = owner) => {
  const { needsYou, earlier } = await listed(browser);
  return [...needsYou, ...earlier].filter((one) => one.path === path);
};

const ask = async (action: string, input: Record<string, unknown>, client = 'Desk Agent') => {
  const { approvalUrl } = await service.posthorn.cards.request({
    caller: { ...service.owner, role: 'owner', mayPublish: false, isPerson: false },
    client,
    action,
    input,
    requestId: 'r',
  });
  return new URL(approvalUrl).pathname;
};

const failedPost = async (mark = 'content-refused') => {
  const account = await service.connect('mastodon');
  const { id } = await service.client.posts.create({ body: `Secret bread [sandbox:${mark}]`, accountIds: [account] });
  await service.asHuman('posts.publishNow', { id });
  await until('it failed', async () => (await service.client.posts.get({ id })).status === 'Failed');
  return { id, account, path: `/posts/${id}` };
};

/** As a slice does it, without what happened. */
const happen = (subjectId: string, more: object = {}) =>
  service.database.transaction(() =>
    service.posthorn.notifications.tell([
      {
        workspaceId: service.owner.workspaceId,
        kind: 'member.joined',
        subjectId,
        title: `Told of ${subjectId}`,
        path: `/told/${subjectId}`,
        ...more,
      },
    ]),
  );

describe('a request of an agent', () => {
  test('is one notification with the others of its burst, unread again when it grows', async () => {
    const account = await service.addAccount('x');
    const of = async (browser: Browser = owner) => {
      const { needsYou, earlier } = await listed(browser);
      return [...needsYou, ...earlier].filter(({ title }) => title.includes('Burst Agent'));
    };
    const askFor = async (n: number) => {
      const { id } = await service.client.posts.create({ body: `Post ${n}`, accountIds: [account] });
      return ask('posts.publishNow', { id }, 'Burst Agent');
    };
    const first = await askFor(1);
    expect(await of()).toMatchObject([{ title: 'Burst Agent asks to publish a post', path: first, needsYou: true }]);
    await owner.post('/api/app/notifications/mark', { read: true });
    const paths = [first, await askFor(2), await askFor(3)];
    expect(await of()).toMatchObject([{ title: '3 requests of Burst Agent', needsYou: true, read: false }]);
    // It counts those that are open.
    await owner.post(`/api${paths[0]}/reject`);
    expect(await of()).toMatchObject([{ title: '2 requests of Burst Agent', needsYou: true }]);
    await owner.post(`/api${paths[0]}/reopen`);
    expect(await of()).toMatchObject([{ title: '3 requests of Burst Agent', needsYou: true }]);
    await owner.post(`/api${paths[0]}/reject`);
    await owner.post(`/api${paths[1]}/approve`);
    expect(await of()).toMatchObject([{ title: '1 request of Burst Agent', needsYou: true, read: true }]);
    await owner.post(`/api${paths[2]}/reject`);
    expect(await of()).toMatchObject([{ needsYou: false }]);
    // No request of the burst is open any more, so the next one triggers a new notification.
    await askFor(4);
    expect((await of()).map(({ title }) => title)).toEqual([
      'Burst Agent asks to publish a post',
      '1 request of Burst Agent',
    ]);
    await owner.post(`/api${(await of())[0]?.path}/reject`);
  });

  test('needs those who may decide until one of them has, and is told once however often it is asked', async () => {
    const account = await service.addAccount('x');
    const { id } = await service.client.posts.create({ body: 'Sourdough today', accountIds: [account] });
    const path = await ask('posts.publishNow', { id });
    expect(await ask('posts.publishNow', { id })).toBe(path);
    const editor = await signedIn((await service.addMember('editor')).email);
    const viewer = await signedIn((await service.addMember('viewer')).email);
    for (const browser of [owner, editor]) {
      expect(await about(path, browser)).toMatchObject([
        {
          kind: 'approval.requested',
          title: 'Desk Agent asks to publish a post',
          excerpt: 'Sourdough today',
          needsYou: true,
        },
      ]);
    }
    expect(await about(path, viewer)).toEqual([]);
    expect((await editor.post(`/api${path}/reject`)).status).toBe(200);
    // It was the owner's agent that asked.
    expect(await about(path)).toMatchObject([
      { kind: 'approval.rejected', needsYou: false, read: false },
      { kind: 'approval.requested', needsYou: false, read: false },
    ]);
    // The person who decided does not need a notification.
    expect(await about(path, editor)).toMatchObject([{ needsYou: false, read: true }]);
  });

  test('whose card expired needs nobody', async () => {
    const account = await service.addAccount('x');
    const path = await ask('accounts.delete', { id: account });
    expect(await about(path)).toMatchObject([{ title: 'Desk Agent asks to disconnect an account', needsYou: true }]);
    const expire = sql(
      'test.expire',
      "update approval_cards set expires_at = posthorn_now() - interval '1 second' where id = $1",
    );
    await service.database.query(expire, [path.split('/').at(-1)]);
    expect(await about(path)).toMatchObject([{ needsYou: false }]);
  });
});

test('what waits is counted once: cards under approvals, and the bell has only what Home does not show', async () => {
  const counts = async () => (await owner.get('/api/app/notifications/count')).body;
  await owner.post('/api/app/notifications/mark', { read: true });
  const before = await counts();
  expect(before.news).toBe(0);
  const account = await service.addAccount('x');
  const { id } = await service.client.posts.create({ body: 'Buns', accountIds: [account] });
  const path = await ask('posts.publishNow', { id });
  expect(await counts()).toMatchObject({ approvals: before.approvals + 1, unread: 1, news: 0 });
  await happen('counted once');
  expect(await counts()).toMatchObject({ approvals: before.approvals + 1, unread: 2, news: 1 });
  expect((await owner.post(`/api${path}/reject`)).status).toBe(200);
  expect(await counts()).toMatchObject({ approvals: before.approvals, unread: 1, news: 1 });
});

describe('a post', () => {
  test('that failed needs an editor until it is published; it is told once for each time it fails', async () => {
    const { id, path } = await failedPost('content-refused!');
    const viewer = await signedIn((await service.addMember('viewer')).email);
    expect(await about(path)).toMatchObject([
      { kind: 'post.failed', title: 'A post failed on 1 of 1 account', needsYou: true, detail: expect.any(String) },
    ]);
    expect(await about(path, viewer)).toMatchObject([{ needsYou: false }]);
    await service.asHuman('posts.publishNow', { id });
    await until('it failed again', async () => (await about(path)).length === 2);
    // The later notification covers both.
    expect((await about(path)).map(({ needsYou }) => needsYou)).toEqual([true, false]);
    await service.asHuman('posts.delete', { id });
    expect((await about(path)).map(({ needsYou }) => needsYou)).toEqual([false, false]);
  });

  test('that may be out is told as that', async () => {
    const account = await service.addAccount('x');
    const { id } = await service.client.posts.create({ body: 'Unsure', accountIds: [account] });
    const post = await service.client.posts.get({ id });
    const results = [
      { accountId: account, ok: false, uncertain: true, error: { code: 'uncertain' as const, message: 'Look.' } },
    ];
    await service.database.transaction(() =>
      service.posthorn.outcomes.tell([
        { workspaceId: service.owner.workspaceId, post: jsonOf<Post>({ ...post, status: 'Failed', results }) },
      ]),
    );
    expect(await about(`/posts/${id}`)).toMatchObject([
      { kind: 'post.uncertain', title: 'A post may or may not be out on 1 of 1 account', detail: 'Look.' },
    ]);
  });

  test('that went out is no notification', async () => {
    const account = await service.connect('mastodon');
    const { id } = await service.client.posts.create({ body: 'Fine', accountIds: [account] });
    await service.asHuman('posts.publishNow', { id });
    await until('it is out', async () => (await service.client.posts.get({ id })).status === 'Published');
    expect(await about(`/posts/${id}`)).toEqual([]);
  });
});

test('an account that the network refuses needs an admin until it is gone, and an editor only sees it', async () => {
  const { account } = await failedPost('refused-token');
  const editor = await signedIn((await service.addMember('editor')).email);
  const told = async (browser: Browser) =>
    (await about('/accounts', browser)).filter(({ kind }) => kind === 'account.reconnect');
  expect(await told(owner)).toMatchObject([{ needsYou: true }]);
  expect(await told(editor)).toMatchObject([{ needsYou: false }]);
  await service.asHuman('accounts.delete', { id: account });
  expect(await told(owner)).toMatchObject([{ needsYou: false }]);
});

test('an accepted invitation is told to admins', async () => {
  const { body } = await owner.post('/api/app/invitations', { email: 'new@example.com', role: 'editor' });
  const token = body.url.split('/').at(-1);
  const guest = service.browser();
  expect((await guest.post('/api/auth/invitations/accept', { token, password: 'correct horse' })).status).toBe(200);
  const title = 'new@example.com joined the workspace';
  expect((await about('/settings/workspace')).map((one) => one.title)).toContain(title);
  expect((await about('/settings/workspace', guest)).map((one) => one.title)).not.toContain(title);
});

describe('reading', () => {
  test('is for each person alone, and what was before somebody joined is no news to them', async () => {
    await happen('read_1');
    await happen('read_2');
    const late = await signedIn((await service.addMember('admin')).email);
    expect((await listed(late)).unread).toBe(0);
    await happen('read_3');
    const { unread } = await listed(late);
    expect(unread).toBe(1);
    const [one] = await about('/told/read_3', late);
    const mark = (ids: string[] | undefined, read: boolean) =>
      late.post('/api/app/notifications/mark', { ...(ids && { ids }), read });
    expect((await mark([one?.id ?? ''], true)).body).toMatchObject({ unread: 0, needsYou: expect.any(Number) });
    expect(await about('/told/read_3', late)).toMatchObject([{ read: true }]);
    expect(await about('/told/read_3')).toMatchObject([{ read: false }]);
    expect((await mark([one?.id ?? ''], false)).body.unread).toBe(1);
    expect((await mark(undefined, true)).body.unread).toBe(0);
    expect((await late.get('/api/app/notifications/count')).body.unread).toBe(0);
    expect((await listed()).unread).toBeGreaterThan(0);
  });

  test('of another workspace, or of what a role does not see, changes nothing', async () => {
    await happen('hidden_1');
    const [one] = await about('/told/hidden_1');
    const stranger = await signedIn((await service.addWorkspace()).email);
    const viewer = await signedIn((await service.addMember('viewer')).email);
    for (const browser of [stranger, viewer]) {
      expect((await browser.post('/api/app/notifications/mark', { ids: [one?.id], read: true })).status).toBe(200);
      expect(await about('/told/hidden_1', browser)).toEqual([]);
    }
    const rows = sql('test.reads', 'select 1 from notification_reads where notification_id = $1');
    expect(await service.database.query(rows, [one?.id])).toEqual([]);
  });

  test('goes page by page without gaps or repeats', async () => {
    const team = await service.addWorkspace();
    const browser = await signedIn(team.email);
    for (let i = 0; i < 55; i++) await happen(`page_${i}`, { workspaceId: team.workspaceId });
    const first = await listed(browser);
    const second = await listed(browser, `?cursor=${first.nextCursor}`);
    const paths = [...first.earlier, ...second.earlier].map(({ path }) => path);
    expect(paths).toEqual(Array.from({ length: 55 }, (_, i) => `/told/page_${54 - i}`));
    expect(second.nextCursor).toBeUndefined();
    expect((await browser.get('/api/app/notifications?cursor=nonsense')).body).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'cursor' }],
    });
  });
});

test('open tabs hear of a new one', async () => {
  const told: LiveEvent[] = [];
  const stop = service.posthorn.live.subscribe({
    workspaceId: service.owner.workspaceId,
    userId: '',
    after: undefined,
    receive: (event) => told.push(event),
    recheckAccess: () => undefined,
    end: () => undefined,
  });
  await happen('live_1');
  await until('they heard', () => told.some(({ kind }) => kind === 'notification'));
  stop();
});

test('what is rolled back was never told', async () => {
  const work = service.database.transaction(async () => {
    await happen('undone');
    throw new Error('no');
  });
  await expect(work).rejects.toThrow('no');
  expect(await about('/told/undone')).toEqual([]);
});

test('choices that are changed at the same moment are all kept', async () => {
  const browser = await signedIn((await service.addMember('editor')).email);
  const change = (choices: object) => browser.patch('/api/app/notification-choices', choices);
  await change({ mail: [] });
  const { database } = service;
  const hold = sql('test.holdChoices', 'select from notification_choices for update', 'locks');
  let changing: Promise<unknown> = Promise.resolve();
  await database.transaction(async () => {
    await database.run(hold);
    changing = Promise.all([change({ mail: ['requests'] }), change({ push: ['posts'] })]);
    await lockAwaited(service, 2);
  });
  await changing;
  const { body } = await browser.get('/api/app/notification-choices');
  expect(body).toMatchObject({ mail: ['requests'], push: ['posts'] });
});

test('they are kept for 90 days', async () => {
  await happen('old');
  await service.clock.forward(89 * dayMs);
  await service.posthorn.notifications.purge();
  expect(await about('/told/old')).toHaveLength(1);
  await service.clock.forward(2 * dayMs);
  await service.posthorn.notifications.purge();
  expect(await about('/told/old')).toEqual([]);
});
