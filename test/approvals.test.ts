import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPosthorn } from '#server/app';
import type { ApprovalRequest } from '#server/approvals/cards';
import { openDatabase } from '#server/store/database';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let account: string;
let browser: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  account = await service.addAccount('x');
  browser = service.browser();
  await browser.signIn();
});
afterAll(() => service.stop());

const dayMs = 24 * 3_600_000;
const tomorrow = () => new Date(service.clock.now().getTime() + dayMs).toISOString();
const draft = () => service.client.posts.create({ body: 'Hello', accountIds: [account] });

/** What the MCP door does when an agent calls a tool that needs approval. */
const ask = async (action: string, input: Record<string, unknown>, more: Partial<ApprovalRequest> = {}) => {
  const caller = { ...service.owner, role: 'owner' as const, human: false };
  const { approvalUrl } = await service.posthorn.cards.request({
    caller,
    client: 'Claude',
    action,
    input,
    requestId: 'r',
    ...more,
  });
  return { approvalUrl, id: approvalUrl.split('/').at(-1) ?? '' };
};
const path = (id: string, verb = '') => `/api/approvals/${id}${verb && `/${verb}`}`;

describe('a card', () => {
  test('shows who asks, for what, and the post with its validation', async () => {
    const post = await service.client.posts.create({ body: 'a'.repeat(281), accountIds: [account] });
    const { id, approvalUrl } = await ask('posts.publishNow', { id: post.id });
    expect(approvalUrl).toBe(`http://posthorn.test/approvals/${id}`);
    const { body } = await browser.get(path(id));
    expect(body).toMatchObject({
      id,
      status: 'Open',
      conversation: { id: expect.stringMatching(/^conv_/), title: 'Requests from Claude' },
      client: 'Claude',
      action: 'posts.publishNow',
      input: { id: post.id },
      requestedBy: service.owner.userId,
      post: { id: post.id, versions: post.versions },
      accounts: [{ id: account, provider: 'X' }],
      validation: { issues: [{ code: 'TooLong', accountId: account }] },
    });
    const [listed] = (await browser.get('/api/approvals')).body.cards;
    expect(listed.id).toBe(id);
    expect(listed).not.toHaveProperty('validation');
  });

  test('is the same for the same request while it is open, also when asked twice at once', async () => {
    const post = await draft();
    const input = { id: post.id, at: tomorrow() };
    const cards = await Promise.all([1, 2, 3, 4].map(() => ask('posts.schedule', input)));
    expect(new Set(cards.map(({ id }) => id)).size).toBe(1);
    expect((await ask('posts.schedule', input)).id).toBe(cards[0]?.id);
    expect((await ask('posts.schedule', { ...input, at: '2031-01-01T00:00:00Z' })).id).not.toBe(cards[0]?.id);
  });

  test('is a new one when the post changed since, and the old one says so', async () => {
    const post = await draft();
    const before = await ask('posts.publishNow', { id: post.id });
    await service.client.posts.setVersionText({ id: post.id, body: 'Changed' });
    const after = await ask('posts.publishNow', { id: post.id });
    expect(after.id).not.toBe(before.id);
    expect((await browser.get(path(before.id))).body.status).toBe('Outdated');
  });

  test('is not made for a post that does not exist, or is out already', async () => {
    await expect(ask('posts.publishNow', { id: 'post_none' })).rejects.toMatchObject({ code: 'NotFound' });
    const post = await draft();
    await service.setStatus(post.id, 'Published');
    await expect(ask('posts.delete', { id: post.id })).rejects.toMatchObject({ code: 'Conflict' });
  });

  test('of another workspace is 404', async () => {
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    const other = await service.addWorkspace();
    const stranger = service.browser();
    await stranger.signIn(`other${other.workspaceId.replace('ws_OTHER', '')}@example.com`);
    for (const answer of [await stranger.get(path(id)), await stranger.post(path(id, 'approve'))]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    }
  });
});

describe('approving', () => {
  test.each([
    ['posts.schedule', () => ({ at: tomorrow() }), 'Scheduled'],
    ['posts.publishNow', () => ({}), 'Publishing'],
  ])('%s runs it as the approving user', async (action, more, status) => {
    const post = await draft();
    const { id } = await ask(action, { id: post.id, ...more() });
    const { body } = await browser.post(path(id, 'approve'));
    expect(body).toMatchObject({ status: 'Approved', decidedBy: service.owner.userId });
    expect((await service.client.posts.get({ id: post.id })).status).toBe(status);
  });

  test('posts.delete and accounts.delete removes', async () => {
    const post = await draft();
    await browser.post(path((await ask('posts.delete', { id: post.id })).id, 'approve'));
    expect((await service.call('posts.get', { id: post.id })).status).toBe(404);
    const gone = await service.addAccount('mastodon');
    const { id } = await ask('accounts.delete', { id: gone });
    expect((await browser.get(path(id))).body.account.id).toBe(gone);
    expect((await browser.post(path(id, 'approve'))).status).toBe(200);
    expect((await service.client.accounts.list()).accounts.map((one) => one.id)).not.toContain(gone);
  });

  test('an edit of a Scheduled post edits it', async () => {
    const post = await draft();
    await service.asHuman('posts.schedule', { id: post.id, at: tomorrow() });
    const input = { id: post.id, body: 'Edited', accountId: '', itemIndex: 0 };
    await browser.post(path((await ask('posts.setVersionText', input)).id, 'approve'));
    const after = await service.client.posts.get({ id: post.id });
    expect(after).toMatchObject({ status: 'Scheduled', versions: [{ content: [{ body: 'Edited' }] }] });
  });

  test('twice at once runs once, the other is a Conflict', async () => {
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    const answers = await Promise.all(Array.from({ length: 5 }, () => browser.post(path(id, 'approve'))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
  });

  test('what was changed since the request is a Conflict, runs nothing, and the card says so', async () => {
    const post = await draft();
    const { id } = await ask('posts.publishNow', { id: post.id });
    await service.client.posts.setVersionText({ id: post.id, body: 'Something else entirely' });
    expect(await browser.post(path(id, 'approve'))).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await service.client.posts.get({ id: post.id })).status).toBe('Draft');
    expect((await browser.get(path(id))).body.status).toBe('Outdated');
  });

  test('checks the limits again, and leaves the card open when they are broken', async () => {
    const post = await service.client.posts.create({ body: 'a'.repeat(281), accountIds: [account] });
    const { id } = await ask('posts.publishNow', { id: post.id });
    expect(await browser.post(path(id, 'approve'))).toMatchObject({ status: 400, body: { code: 'Invalid' } });
    expect((await browser.get(path(id))).body.status).toBe('Open');
  });

  test('checks the role of the one who approves', async () => {
    const { id } = await ask('accounts.delete', { id: await service.addAccount('x') });
    const editor = service.browser();
    await editor.signIn((await service.addMember('editor')).email);
    expect(await editor.post(path(id, 'approve'))).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    const viewer = service.browser();
    await viewer.signIn((await service.addMember('viewer')).email);
    for (const verb of ['approve', 'reject']) expect((await viewer.post(path(id, verb))).status).toBe(403);
    expect((await viewer.get(path(id))).status).toBe(200);
  });

  test('is out of reach of every kind of token', async () => {
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    for (const verb of ['approve', 'reject']) {
      const answer = await service.request('POST', path(id, verb), {
        headers: { authorization: `Bearer ${service.token}`, origin: 'http://posthorn.test' },
      });
      expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    }
    expect((await browser.get(path(id))).body.status).toBe('Open');
  });

  test('is not possible after 7 days', async () => {
    const own = await startService();
    const here = own.browser();
    const post = await own.client.posts.create({ body: 'Hi' });
    const caller = { ...own.owner, role: 'owner' as const, human: false };
    const request = { caller, client: 'Claude', action: 'posts.delete', input: { id: post.id }, requestId: 'r' };
    const first = await own.posthorn.cards.request(request);
    await own.clock.forward(7 * dayMs + 1);
    await here.signIn();
    const id = first.approvalUrl.split('/').at(-1) ?? '';
    expect((await here.get(path(id))).body.status).toBe('Expired');
    expect(await here.post(path(id, 'approve'))).toMatchObject({ status: 409 });
    expect((await own.client.posts.get({ id: post.id })).status).toBe('Draft');
    expect(await own.posthorn.cards.request(request)).not.toEqual(first);
    await own.stop();
  });
});

test('rejecting runs nothing and is final', async () => {
  const post = await draft();
  const { id } = await ask('posts.publishNow', { id: post.id });
  expect((await browser.post(path(id, 'reject'))).body.status).toBe('Rejected');
  expect((await browser.post(path(id, 'approve'))).status).toBe(409);
  expect((await service.client.posts.get({ id: post.id })).status).toBe('Draft');
});

test('every request and decision is in the audit log with the name of the client', async () => {
  const { id } = await ask('posts.publishNow', { id: (await draft()).id }, { client: 'Inspector' });
  await browser.post(path(id, 'reject'));
  const { entries } = (await browser.get('/api/app/audit')).body;
  expect(entries.slice(0, 2)).toMatchObject([
    { event: 'approval.rejected', client: 'Inspector', userId: service.owner.userId, details: { cardId: id } },
    { event: 'approval.requested', client: 'Inspector', details: { action: 'posts.publishNow' } },
  ]);
});

describe('open tabs', () => {
  const listen = async () => {
    const stop = new AbortController();
    const response = await fetch(`${service.url}/api/app/events`, {
      headers: { cookie: browser.cookie() },
      signal: stop.signal,
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    let heard = '';
    (async () => {
      for await (const chunk of response.body ?? []) heard += new TextDecoder().decode(chunk);
    })().catch(() => undefined);
    await until('the stream is open', () => heard.includes('retry: 1000'));
    return { heard: () => heard, stop: () => stop.abort() };
  };

  test('are told of a new request, with the sentence for the toast', async () => {
    const tab = await listen();
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    await until('the tab is told', () => tab.heard().includes(id));
    expect(tab.heard()).toContain('event: approval\n');
    expect(tab.heard()).toContain('Claude asks for posts.publishNow');
    tab.stop();
  });

  test('are told nothing of what is rolled back', async () => {
    const tab = await listen();
    await service.database
      .transaction(async () => {
        await service.posthorn.live.tell({
          workspaceId: service.owner.workspaceId,
          kind: 'approval',
          id: 'card_undone',
        });
        throw new Error('undone');
      })
      .catch(() => undefined);
    await service.posthorn.live.tell({ workspaceId: service.owner.workspaceId, kind: 'approval', id: 'card_done' });
    await until('the tab is told', () => tab.heard().includes('card_done'));
    expect(tab.heard()).not.toContain('card_undone');
    tab.stop();
  });

  test('of another instance are told too', async () => {
    const elsewhere = openDatabase(service.parts, { report: () => undefined });
    const { live } = createPosthorn({ ...service, database: elsewhere });
    const heard: (string | undefined)[] = [];
    live.hear({
      ...service.owner,
      after: undefined,
      hear: ({ id }) => heard.push(id),
      lookAgain: () => undefined,
      end: () => undefined,
    });
    live.start();
    const { workspaceId } = service.owner;
    await until('the other instance hears', async () => {
      await service.posthorn.live.tell({ workspaceId, kind: 'approval', id: 'card_far' });
      return heard.includes('card_far');
    });
    await elsewhere.close();
  });

  test('need somebody signed in', async () => {
    expect((await service.request('GET', '/api/app/events')).status).toBe(401);
    const headers = { authorization: `Bearer ${service.token}` };
    expect((await service.request('GET', '/api/app/events', { headers })).status).toBe(403);
  });
});
