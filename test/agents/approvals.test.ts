import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '#server/agents/approvals/cards';
import { openDatabase, sql } from '#server/base/store/database';
import { lockAwaited } from '#test/support/locks';
import { openPosthorn } from '#test/support/posthorn';
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
  const caller = { ...service.owner, role: 'owner' as const, mayPublish: false, isPerson: false };
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
const openCards = async () => (await browser.get('/api/approvals?status=Open')).body.cards as { id: string }[];
const path = (id: string, verb = '') => `/api/approvals/${id}${verb && `/${verb}`}`;

describe('a card', () => {
  test('shows who asks, for what, and the post with its validation', async () => {
    const post = await draft();
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
      sentence: 'Publish this post now',
      verb: 'Approve and publish',
      requestedBy: service.owner.userId,
      requestedByName: 'owner@example.com',
      media: [],
      post: { id: post.id, versions: post.versions },
      accounts: [{ id: account, provider: 'X' }],
      validation: { issues: [], warnings: [] },
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
  });

  test('is one of its own for each person whose agent asks', async () => {
    const post = await draft();
    const colleague = {
      ...(await service.addMember('editor')),
      role: 'editor' as const,
      mayPublish: false,
      isPerson: false,
    };
    const mine = await ask('posts.publishNow', { id: post.id });
    const theirs = await ask('posts.publishNow', { id: post.id }, { caller: colleague });
    expect(theirs.id).not.toBe(mine.id);
    expect((await browser.get(path(theirs.id))).body).toMatchObject({ status: 'Open', requestedBy: colleague.userId });
    expect((await browser.get(path(mine.id))).body).toMatchObject({
      status: 'Open',
      requestedBy: service.owner.userId,
    });
  });

  test('is the same for the same instant, in whatever zone it is written', async () => {
    const { id } = await draft();
    const first = await ask('posts.schedule', { id, at: '2126-01-01T12:00:00Z' });
    for (const at of ['2126-01-01T12:00:00+00:00', '2126-01-01T14:00:00.000+02:00']) {
      expect((await ask('posts.schedule', { id, at })).id).toBe(first.id);
    }
    expect((await ask('posts.schedule', { id, at: '2126-01-01T12:00:00+02:00' })).id).not.toBe(first.id);
  });

  test('for another time is a new one at a new address; the old one is Outdated and cannot be approved', async () => {
    const { id } = await draft();
    const first = await ask('posts.schedule', { id, at: '2126-01-01T12:00:00Z' });
    const second = await ask('posts.schedule', { id, at: '2126-01-02T12:00:00Z' });
    expect(second.id).not.toBe(first.id);
    expect((await browser.get(path(first.id))).body.status).toBe('Outdated');
    expect(await browser.post(path(first.id, 'approve'))).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await browser.get(path(second.id))).body).toMatchObject({
      status: 'Open',
      sentence: 'Schedule this post for 2126-01-02 12:00 UTC',
      verb: 'Approve and schedule',
    });
  });

  test('shows the files of the post with their alternative texts', async () => {
    const { id } = await draft();
    const file = await service.addFile();
    await browser.patch(`/api/media/${file}`, { alt: 'A cat' });
    const content = [{ body: 'Look', media: [file] }];
    await service.client.posts.update({ id, accountIds: [account], versions: [{ content }] });
    const card = (await browser.get(path((await ask('posts.publishNow', { id })).id))).body;
    expect(card.media).toMatchObject([
      { id: file, alt: 'A cat', thumbnailUrl: `http://posthorn.test/media/${file}?size=thumbnail` },
    ]);
  });

  test('to disconnect an account tells which scheduled posts would fail', async () => {
    const gone = await service.addAccount('bluesky');
    const { id } = await service.client.posts.create({ body: 'For next week', accountIds: [gone, account] });
    const at = tomorrow();
    await service.asHuman('posts.schedule', { id, at });
    await service.client.posts.create({ body: 'Only a draft', accountIds: [gone] });
    const card = (await browser.get(path((await ask('accounts.delete', { id: gone })).id))).body;
    expect(card).toMatchObject({
      sentence: 'Disconnect this account',
      account: { id: gone },
      scheduledPosts: [{ id, text: 'For next week', scheduledAt: expect.stringContaining(at.slice(0, 19)) }],
    });
    expect(card.scheduledPosts).toHaveLength(1);
  });

  test('to delete a Failed post says where it is public', async () => {
    const other = await service.addAccount('bluesky');
    const { id } = await service.client.posts.create({ body: 'Half out', accountIds: [account, other] });
    await service.setStatus(id, 'Failed');
    const results = [
      { accountId: account, ok: true, externalId: '1' },
      { accountId: other, ok: false },
    ];
    await service.database.query(sql('test.results', 'update posts set results = $2 where id = $1'), [
      id,
      JSON.stringify(results),
    ]);
    const { sentence } = (await browser.get(path((await ask('posts.delete', { id })).id))).body;
    expect(sentence).toMatch(/^Delete this post\. It is public on X \(x\d+\) and stays there\.$/);
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

  test('is made only for what can succeed: the checks of the action itself run at the request', async () => {
    const fine = { id: (await draft()).id };
    const long = await service.client.posts.create({ body: 'a'.repeat(281), accountIds: [account] });
    const nowhere = await service.client.posts.create({ body: 'Hello' });
    const set = { ...(await draft()), at: tomorrow() };
    const { versions } = await service.asHuman('posts.schedule', { id: set.id, at: set.at });
    const update = { id: set.id, accountIds: [account], versions, scheduledAt: '', baseUpdatedAt: '' };
    const before = (await openCards()).length;
    for (const [action, input, code] of [
      ['posts.schedule', { ...fine, at: '2020-01-01T00:00:00Z' }, 'BadInput'],
      ['posts.schedule', { id: set.id, at: set.at }, 'Conflict'],
      ['posts.schedule', { id: long.id, at: tomorrow() }, 'Invalid'],
      ['posts.schedule', { id: nowhere.id, at: tomorrow() }, 'Invalid'],
      ['posts.publishNow', { id: long.id }, 'Invalid'],
      ['posts.publishNow', { id: nowhere.id }, 'Invalid'],
      ['posts.publishNow', { id: set.id }, 'Conflict'],
      ['posts.update', { ...update, baseUpdatedAt: '2020-01-01T00:00:00Z' }, 'Conflict'],
      ['posts.update', { ...update, accountIds: ['acct_none'] }, 'BadInput'],
      ['posts.update', { ...update, accountIds: [] }, 'Invalid'],
      ['posts.update', { ...update, scheduledAt: '2020-01-01T00:00:00Z' }, 'BadInput'],
      ['posts.setVersionText', { id: set.id, body: 'a'.repeat(281), accountId: '', itemIndex: 0 }, 'Invalid'],
      ['posts.setVersionText', { id: set.id, body: 'a', accountId: 'acct_none', itemIndex: 0 }, 'BadInput'],
      ['posts.setOption', { id: set.id, key: 'x.nope', value: '1', accountId: '' }, 'BadInput'],
      ['posts.setOption', { id: set.id, key: 'x.made_with_ai', value: 'perhaps', accountId: '' }, 'BadInput'],
      ['accounts.delete', { id: 'acct_none' }, 'NotFound'],
    ] as const) {
      await expect(ask(action, input), `${action} ${JSON.stringify(input)}`).rejects.toMatchObject({ code });
    }
    const editor = { ...service.owner, role: 'editor' as const, mayPublish: false, isPerson: false };
    const input = { id: account };
    await expect(ask('accounts.delete', input, { caller: editor })).rejects.toMatchObject({ code: 'Forbidden' });
    expect(await openCards()).toHaveLength(before);
  });

  test('leaves nothing of the trial behind: no state, no event, no news, no use of the plan', async () => {
    const post = await draft();
    const events = await service.events();
    const used = await service.posthorn.plans.read(service.owner.workspaceId);
    await ask('posts.publishNow', { id: post.id });
    await ask('posts.schedule', { id: post.id, at: tomorrow() });
    await ask('posts.delete', { id: post.id });
    expect(await service.client.posts.get({ id: post.id })).toEqual(post);
    expect(await service.events()).toEqual(events);
    expect(await service.posthorn.plans.read(service.owner.workspaceId)).toEqual(used);
    expect(
      await service.database.query(sql('test.sends', 'select 1 from sends where post_id = $1'), [post.id]),
    ).toEqual([]);
  });

  test('that cannot succeed any more, since the post was saved again after its baseUpdatedAt, is Outdated', async () => {
    const { id } = await draft();
    const { versions, updatedAt } = await service.asHuman('posts.schedule', { id, at: tomorrow() });
    const changed = [{ ...versions[0], content: [{ body: 'By the agent', media: [] }] }];
    const input = { id, accountIds: [account], versions: changed, scheduledAt: '', baseUpdatedAt: updatedAt };
    const card = await ask('posts.update', input);
    await service.asHuman('posts.update', { id, accountIds: [account], versions });
    expect((await browser.get(path(card.id))).body.status).toBe('Open');
    expect(await browser.post(path(card.id, 'approve'))).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await browser.get(path(card.id))).body.status).toBe('Outdated');
  });

  test('that cannot succeed while the workspace is being deleted stays open, and is approved once that is cancelled', async () => {
    const card = await ask('posts.schedule', { id: (await draft()).id, at: tomorrow() });
    expect((await browser.post('/api/app/workspace/deletion', { name: 'Demo' })).status).toBe(200);
    expect(await browser.post(path(card.id, 'approve'))).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await browser.get(path(card.id))).body.status).toBe('Open');
    expect((await browser.delete('/api/app/workspace/deletion')).status).toBe(200);
    expect((await browser.post(path(card.id, 'approve'))).body.status).toBe('Approved');
  });

  test('of another workspace is 404', async () => {
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    const other = await service.addWorkspace();
    const stranger = service.browser();
    await stranger.signIn(`other${other.workspaceId.replace('ws_OTHER', '')}@example.com`);
    for (const answer of [
      await stranger.get(path(id)),
      await stranger.post(path(id, 'approve')),
      await stranger.post(path(id, 'reject')),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    }
    expect((await browser.get(path(id))).body.status).toBe('Open');
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

  test('while the agent asks for another time runs it, and the request is to move it; or does not run it', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await draft();
      const first = await ask('posts.schedule', { id, at: '2126-01-01T12:00:00Z' });
      const [{ status }, second] = await Promise.all([
        browser.post(path(first.id, 'approve')),
        ask('posts.schedule', { id, at: '2126-01-02T12:00:00Z' }),
      ]);
      const { sentence } = (await browser.get(path(second.id))).body;
      expect([
        [200, 'Move this scheduled post from 2126-01-01 12:00 UTC to 2126-01-02 12:00 UTC'],
        [409, 'Schedule this post for 2126-01-02 12:00 UTC'],
      ]).toContainEqual([status, sentence]);
      const scheduled = (await service.client.posts.get({ id })).status === 'Scheduled';
      expect(scheduled).toBe(status === 200);
    }
  });

  test('checks the limits again, and leaves the card open when they are broken', async () => {
    const server = await service.addAccount('mastodon');
    const post = await service.client.posts.create({ body: 'a'.repeat(400), accountIds: [server] });
    const { id } = await ask('posts.publishNow', { id: post.id });
    // The server of the account allows less than at the request.
    const facts = JSON.stringify({ maxCharacters: 300 });
    await service.database.query(sql('test.facts', 'update accounts set facts = $2 where id = $1'), [server, facts]);
    expect(await browser.post(path(id, 'approve'))).toMatchObject({ status: 400, body: { code: 'Invalid' } });
    expect((await browser.get(path(id))).body).toMatchObject({
      status: 'Open',
      validation: { issues: [{ code: 'TooLong', accountId: server }] },
    });
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
    const caller = { ...own.owner, role: 'owner' as const, mayPublish: false, isPerson: false };
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

  test('is not possible after 7 days, also for a card that nobody opened before', async () => {
    const post = await draft();
    const { id } = await ask('posts.delete', { id: post.id });
    const expire = sql(
      'test.expireCard',
      "update approval_cards set expires_at = posthorn_now() - interval '1 second' where id = $1",
    );
    await service.database.query(expire, [id]);
    const answer = await browser.post(path(id, 'approve'));
    expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining('older than 7 days') } });
    expect((await service.client.posts.get({ id: post.id })).status).toBe('Draft');
    expect((await browser.get(path(id))).body.status).toBe('Expired');
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
    expect(tab.heard()).toContain('Claude asks: Publish this post now');
    tab.stop();
  });

  test('are told of a decision', async () => {
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    const tab = await listen();
    expect((await browser.post(`/api/approvals/${id}/reject`)).status).toBe(200);
    await until('the tab is told', () => tab.heard().includes(id));
    tab.stop();
  });

  test('are told nothing of what is rolled back', async () => {
    const tab = await listen();
    await service.database
      .transaction(async () => {
        await service.posthorn.live.publish({
          workspaceId: service.owner.workspaceId,
          kind: 'approval',
          id: 'card_undone',
        });
        throw new Error('undone');
      })
      .catch(() => undefined);
    await service.posthorn.live.publish({ workspaceId: service.owner.workspaceId, kind: 'approval', id: 'card_done' });
    await until('the tab is told', () => tab.heard().includes('card_done'));
    expect(tab.heard()).not.toContain('card_undone');
    tab.stop();
  });

  test('of another instance are told too', async () => {
    const elsewhere = openDatabase(service.parts, { report: () => undefined });
    const { live } = openPosthorn({ ...service, database: elsewhere });
    const heard: (string | undefined)[] = [];
    live.subscribe({
      ...service.owner,
      after: undefined,
      receive: ({ id }) => heard.push(id),
      recheckAccess: () => undefined,
      end: () => undefined,
    });
    live.start();
    const { workspaceId } = service.owner;
    await until('the other instance hears', async () => {
      await service.posthorn.live.publish({ workspaceId, kind: 'approval', id: 'card_far' });
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

describe('the list of cards', () => {
  let team: Service;
  let here: ReturnType<Service['browser']>;
  beforeAll(async () => {
    team = await startService();
    here = team.browser();
    await here.signIn();
  });
  afterAll(() => team.stop());

  const request = async (body: string, action = 'posts.delete') => {
    const { id } = await team.client.posts.create({ body });
    const caller = { ...team.owner, role: 'owner' as const, mayPublish: false, isPerson: false };
    const request = { caller, client: 'Claude', action, input: { id }, requestId: 'r' };
    return { postId: id, cardId: (await team.posthorn.cards.request(request)).approvalUrl.split('/').at(-1) ?? '' };
  };
  const pages = async (query: Record<string, string> = {}) => {
    const found: { id: string; status: string }[][] = [];
    let cursor: string | undefined;
    do {
      const search = new URLSearchParams({ ...query, ...(cursor !== undefined && { cursor }) });
      const { status, body } = await here.get(`/api/approvals?${search}`);
      expect(status).toBe(200);
      found.push(body.cards);
      cursor = body.nextCursor;
    } while (cursor !== undefined);
    return found;
  };

  test('has the open ones first however old they are, page by page, without gaps or repeats', async () => {
    const old = await request('The oldest');
    const decided: string[] = [];
    for (let i = 0; i < 55; i++) {
      const { cardId } = await request(`Post ${i}`);
      await here.post(path(cardId, 'reject'));
      decided.unshift(cardId);
    }
    const young = await request('The youngest');
    const found = await pages();
    expect(found.map((page) => page.length)).toEqual([50, 7]);
    expect(found.flat().map(({ id }) => id)).toEqual([young.cardId, old.cardId, ...decided]);
    expect((await pages({ status: 'Open' })).flat().map(({ id }) => id)).toEqual([young.cardId, old.cardId]);
    expect((await pages({ status: 'Rejected' })).flat().map(({ id }) => id)).toEqual(decided);
    for (const { cardId } of [old, young]) await here.post(path(cardId, 'reject'));
  });

  test('whose post changed shows the post as it is now, can be rejected, and never approved', async () => {
    const post = await draft();
    const { id } = await ask('posts.publishNow', { id: post.id });
    expect((await browser.get(path(id))).body).not.toHaveProperty('changedPost');
    await service.client.posts.setVersionText({ id: post.id, body: 'Hello again' });
    const { body } = await browser.get(path(id));
    expect(body).toMatchObject({
      status: 'Outdated',
      post: { versions: [{ content: [{ body: 'Hello' }] }] },
      changedPost: { id: post.id, versions: [{ content: [{ body: 'Hello again' }] }] },
    });
    expect((await browser.post(path(id, 'approve'))).status).toBe(409);
    const rejected = await browser.post(path(id, 'reject'));
    expect(rejected.body).toMatchObject({ status: 'Rejected', decidedBy: service.owner.userId });
    expect(rejected.body).not.toHaveProperty('changedPost');
    expect((await browser.post(path(id, 'reject'))).status).toBe(409);
  });

  test('says of a card whose post changed that it is Outdated', async () => {
    const { postId, cardId } = await request('Before');
    await team.client.posts.setVersionText({ id: postId, body: 'After' });
    expect((await pages({ status: 'Open' })).flat()).toEqual([]);
    expect((await pages({ status: 'Outdated' })).flat()).toMatchObject([{ id: cardId, status: 'Outdated' }]);
  });

  test('ends a page early where it would become too large', async () => {
    for (let i = 0; i < 12; i++) await request('a'.repeat(100_000));
    const found = await pages({ status: 'Open' });
    expect(found.length).toBeGreaterThan(1);
    expect(new Set(found.flat().map(({ id }) => id)).size).toBe(12);
    for (const page of found) expect(JSON.stringify(page).length).toBeLessThan(1_300_000);
    for (const { id } of found.flat()) await here.post(path(id, 'reject'));
  });

  test.each(['status=Nope', 'cursor=nope', 'limit=3'])('refuses %s', async (query) => {
    const { status, body } = await here.get(`/api/approvals?${query}`);
    expect({ status, code: body.code, path: body.issues?.[0]?.path }).toEqual({
      status: 400,
      code: 'BadInput',
      path: query.split('=')[0],
    });
  });

  test('holds 200 open cards; the next is refused in words, and one that is outdated makes room', async () => {
    const { postId } = await request('First');
    await team.database.query(
      sql(
        'test.manyCards',
        `insert into approval_cards (id, conversation_id, workspace_id, requested_by, action, input, request_hash, subject,
           content_hash, created_at, expires_at)
         select 'card_' || lpad(n::text, 26, '0'), conversation_id, workspace_id, requested_by, action, input,
           sha256(n::text::bytea), subject, content_hash, created_at, expires_at
           from approval_cards, generate_series(1, 199) n where input ->> 'id' = $1`,
      ),
      [postId],
    );
    const waiting = await team.client.posts.create({ body: 'One too many' });
    const input = { id: waiting.id };
    const caller = { ...team.owner, role: 'owner' as const, mayPublish: false, isPerson: false };
    const next = () =>
      team.posthorn.cards.request({ caller, client: 'C', action: 'posts.delete', input, requestId: 'r' });
    await expect(next()).rejects.toMatchObject({
      code: 'TooManyRequests',
      message: expect.stringMatching(/^200 requests .* wait for a human.*\/approvals/),
    });
    await team.client.posts.setVersionText({ id: postId, body: 'Changed' });
    await expect(next()).resolves.toMatchObject({ status: 'Open' });
  });
});

describe('what is closed', () => {
  const run = (chore: string) => service.runChore(chore);
  const audited = async (cardId: string) =>
    (await browser.get('/api/app/audit')).body.entries.filter(
      ({ details }: { details: { cardId?: string } }) => details.cardId === cardId,
    );
  const rowsOf = <Row>(name: string, text: string, values: unknown[]) =>
    service.database.query(sql(name, text).holds<Row>(), values);

  test('goes after 90 days, but for decisions about a post that is still there; the audit log remembers for two years', async () => {
    const [kept, gone] = [await draft(), await draft()];
    const outdated = await ask('posts.publishNow', { id: kept.id }, { client: 'One that asked in vain' });
    await service.client.posts.setVersionText({ id: kept.id, body: 'Hello again' });
    const decided = await ask('posts.publishNow', { id: kept.id });
    const ofGone = await ask('posts.publishNow', { id: gone.id });
    for (const { id } of [decided, ofGone]) await browser.post(path(id, 'reject'));
    await service.posthorn.audit.write({ event: 'test.ofNone' });
    await service.asHuman('posts.delete', { id: gone.id });
    await rowsOf(
      'test.manyDecisions',
      `insert into approval_cards (id, conversation_id, workspace_id, requested_by, action, input, request_hash, subject,
         content_hash, status, decided_at, created_at, expires_at)
       select 'card_' || lpad(n::text, 26, '0'), conversation_id, workspace_id, requested_by, action, input, request_hash,
         subject, content_hash, status, decided_at, created_at, expires_at
         from approval_cards, generate_series(1, 60) n where id = $1`,
      [decided.id],
    );
    const found = () =>
      Promise.all([outdated, decided, ofGone].map(async ({ id }) => (await browser.get(path(id))).status));

    await service.clock.forward(89 * dayMs);
    await run('remove old approval cards');
    expect(await found()).toEqual([200, 200, 200]);

    await service.clock.forward(2 * dayMs);
    await run('remove old approval cards');
    expect(await found()).toEqual([404, 200, 404]);
    const history = (await browser.get(`/api/app/posts/${kept.id}/changes`)).body.entries;
    expect(history).toContainEqual(expect.objectContaining({ id: `${decided.id} Rejected`, kind: 'Rejected' }));
    const about = "select id from approval_cards where input ->> 'id' = $1";
    expect(await rowsOf('test.decisions', about, [kept.id])).toHaveLength(50);
    const clients = await rowsOf<{ client: string }>('test.clients', 'select client from conversations', []);
    expect(clients.map(({ client }) => client)).toContain('Claude');
    expect(clients.map(({ client }) => client)).not.toContain('One that asked in vain');

    const ofNoWorkspace = () => rowsOf('test.ofNone', "select from service_audit_log where event = 'test.ofNone'", []);
    await run('remove old entries of the audit log');
    expect(await audited(ofGone.id)).toHaveLength(2);
    expect(await ofNoWorkspace()).toHaveLength(1);
    await service.clock.forward(640 * dayMs);
    await run('remove old entries of the audit log');
    expect(await audited(ofGone.id)).toEqual([]);
    expect(await ofNoWorkspace()).toEqual([]);
  });

  test('is also what nobody decided or opened within 7 days', async () => {
    const [late, young] = [
      await ask('posts.publishNow', { id: (await draft()).id }),
      await ask('posts.publishNow', { id: (await draft()).id }),
    ];
    await rowsOf(
      'test.late',
      "update approval_cards set expires_at = posthorn_now() - interval '1 second' where id = $1",
      [late.id],
    );
    await run('close old approval cards');
    const status = 'select status from approval_cards where id = $1';
    expect(await rowsOf('test.card-status', status, [late.id])).toEqual([{ status: 'Expired' }]);
    expect(await rowsOf('test.card-status', status, [young.id])).toEqual([{ status: 'Open' }]);
  });

  test('takes no card with it that is being made for a client without any', async () => {
    const { database, owner } = service;
    const { id } = await ask('posts.publishNow', { id: (await draft()).id });
    await rowsOf('test.desert', "insert into conversations values ('conv_desert', $1, 'Back again', now())", [
      owner.workspaceId,
    ]);
    let purging: unknown;
    await database.transaction(async () => {
      const lock = sql('test.asking', `select pg_advisory_xact_lock(hashtextextended('approvals ' || $1, 0))`, 'locks');
      await database.query(lock, [owner.workspaceId]);
      purging = database.outside(() => run('remove old approval cards'));
      await lockAwaited(service);
      await rowsOf('test.made', "update approval_cards set conversation_id = 'conv_desert' where id = $1", [id]);
    });
    await purging;
    expect((await browser.get(path(id))).body.conversation.title).toBe('Requests from Back again');
  });
});
