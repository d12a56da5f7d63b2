import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { connectAgent } from '#test/support/agent';
import { lockAwaited } from '#test/support/locks';
import { serviceWithSends } from '#test/support/sends';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
let editor: ReturnType<Service['browser']>;
let viewer: ReturnType<Service['browser']>;
let editorId: string;
let account: string;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  account = await service.addAccount('x');
  const people = await Promise.all([service.addMember('editor'), service.addMember('viewer')]);
  [owner, editor, viewer] = [service.browser(), service.browser(), service.browser()];
  await owner.signIn();
  await editor.signIn(people[0].email);
  await viewer.signIn(people[1].email);
  editorId = people[0].userId;
});
afterAll(() => service.stop());

const dayMs = 24 * 3_600_000;
const inDays = (days: number, from = service) => new Date(from.clock.now().getTime() + days * dayMs).toISOString();
const draft = (body: string, accountIds = [account]) => service.client.posts.create({ body, accountIds });
const remove = (id: string, by = owner) => by.post('/api/app/actions/posts.delete', { id });
const restore = (id: string, by = owner) => by.post(`/api/app/bin/${id}/restore`);
const bin = async (by = owner) =>
  (await by.get('/api/app/bin')).body.posts as { id: string; [field: string]: unknown }[];
const inBin = async (id: string) => (await bin()).find((post) => post.id === id);

describe('a deleted post', () => {
  test('is gone for API callers, and lies in the bin of the app', async () => {
    const { id } = await draft('To be deleted');
    const before = await service.count('posts');
    expect((await remove(id)).body).toEqual({ id, deleted: true });
    expect(await service.count('posts')).toBe(before - 1);
    for (const action of ['posts.get', 'posts.validate', 'posts.metrics']) {
      expect((await service.call(action, { id })).body).toMatchObject({ code: 'NotFound', issues: [] });
    }
    expect((await service.call('posts.list', {})).body.posts.map((post: { id: string }) => post.id)).not.toContain(id);
    expect((await remove(id)).status).toBe(404);
    expect(await inBin(id)).toMatchObject({
      text: 'To be deleted',
      status: 'Draft',
      accountIds: [account],
      reachedAccountIds: [],
      deletedBy: { id: service.owner.userId },
      mayDelete: true,
    });
    const { deletedAt, goneAt } = (await inBin(id)) as unknown as { deletedAt: string; goneAt: string };
    expect(Date.parse(goneAt) - Date.parse(deletedAt)).toBe(30 * dayMs);
  });

  test('lies there too when an MCP client asked and a person approved', async () => {
    const { id } = await draft('Asked by an agent');
    const agent = await connectAgent(service, 'Claude Code');
    const card = await agent.ask('posts_delete', { id });
    await agent.client.close();
    expect(await inBin(id)).toBeUndefined();
    expect((await owner.post(`/api${card}/approve`)).status).toBe(200);
    expect((await service.call('posts.get', { id })).status).toBe(404);
    expect(await inBin(id)).toMatchObject({ text: 'Asked by an agent' });
    expect((await restore(id)).body.post).toMatchObject({ id, status: 'Draft' });
  });

  test('returns as a Draft with its content, labels, comments and history, and with a later updatedAt', async () => {
    const post = await draft('First words');
    const { id } = post;
    await service.call('posts.setVersionText', { id, body: 'Second words' });
    const { body: label } = await owner.post('/api/app/labels', { name: 'Kept' });
    await owner.post('/api/app/posts/labels', { postIds: [id], add: [label.id] });
    await viewer.post(`/api/app/posts/${id}/comments`, { body: 'Nice' });
    // Only callers of the API see labels.
    const { labels, ...before } = await service.client.posts.get({ id });
    const commentsBefore = (await owner.get(`/api/app/posts/${id}/comments`)).body.comments;
    await remove(id, editor);
    const { body } = await restore(id);
    expect(body).toEqual({ post: { ...before, updatedAt: expect.any(String) }, leftOut: [], lostFiles: 0 });
    expect(body.post.updatedAt > before.updatedAt).toBe(true);
    expect(await service.client.posts.get({ id })).toEqual({ ...body.post, labels });
    expect((await owner.get(`/api/app/posts/${id}/labels`)).body.labelIds).toEqual([label.id]);
    expect((await owner.get(`/api/app/posts/${id}/comments`)).body.comments).toEqual(commentsBefore);
    const { entries } = (await owner.get(`/api/app/posts/${id}/changes`)).body;
    expect(entries.map(({ kind }: { kind: string }) => kind)).toEqual(['Restored', 'Deleted', 'Edited', 'Created']);
    expect(entries[1].person.id).toBe(editorId);
    expect(await inBin(id)).toBeUndefined();
    expect((await restore(id)).status).toBe(404);
  });

  test('that was scheduled does not go out, and keeps its time as a suggestion', async () => {
    const { id } = await draft('Scheduled');
    const at = inDays(2);
    await service.asHuman('posts.schedule', { id, at });
    await remove(id);
    const { post } = (await restore(id)).body;
    expect(post.status).toBe('Draft');
    expect(Date.parse(post.scheduledAt)).toBe(Date.parse(at));
  });

  test('that went out on one account returns for the others, and is not sent there again', async () => {
    const own = await startService();
    try {
      const [reached, doubtful, missed] = [
        await own.connect('bluesky'),
        await own.connect('mastodon'),
        await own.connect('pixelfed'),
      ];
      const media = await own.addFile();
      const versions = [
        { content: [{ body: 'Partly out', media: [media] }] },
        { accountId: reached, content: [{ body: 'Own text' }] },
      ];
      const { id } = await own.client.posts.create({ accountIds: [reached, doubtful, missed], versions });
      const results = [
        { accountId: reached, ok: true, externalId: 'there', uncertain: false },
        { accountId: doubtful, ok: false, uncertain: true, error: { code: 'uncertain', message: 'No answer.' } },
        { accountId: missed, ok: false, uncertain: false, error: { code: 'unavailable', message: 'Down.' } },
      ];
      const fail = sql('test.fail', `update posts set status = 'Failed', results = $2 where id = $1`);
      await own.database.run(fail, [id, JSON.stringify(results)]);
      const browser = own.browser();
      await browser.signIn();
      await remove(id, browser);
      expect((await bin(browser))[0]).toMatchObject({ status: 'Failed', reachedAccountIds: [reached, doubtful] });
      const { post, leftOut } = (await restore(id, browser)).body;
      expect(leftOut).toEqual([reached, doubtful]);
      expect(post).toMatchObject({ status: 'Draft', accountIds: [missed], results: [] });
      expect(post.versions).toHaveLength(1);
      // When the account is added again, it still counts as having the post, so nothing is sent there.
      await own.client.posts.update({ id, accountIds: [reached, missed], versions: post.versions });
      await own.startJobs();
      await own.asHuman('posts.publishNow', { id });
      await until('it is out', async () => (await own.client.posts.get({ id })).status === 'Published');
      expect(await own.feed('bluesky')).toHaveLength(0);
      expect(await own.feed('pixelfed')).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  test('whose thread is partly out continues with the next part when its account is added again', async () => {
    const own = serviceWithSends(await startService());
    try {
      own.startJobs();
      const account = await own.connect('x');
      const versions = [
        { content: [{ body: 'The first part' }, { body: 'The second part [sandbox:content-refused]' }] },
      ];
      const { id } = await own.client.posts.create({ accountIds: [account], versions });
      await own.asHuman('posts.publishNow', { id });
      await own.ended(id);
      const browser = own.browser();
      await browser.signIn();
      await remove(id, browser);
      expect((await restore(id, browser)).body).toMatchObject({ leftOut: [account], post: { accountIds: [] } });
      await own.client.posts.update({ id, accountIds: [account], versions });
      await own.asHuman('posts.publishNow', { id });
      expect(await own.ended(id)).toMatchObject({ status: 'Published' });
      expect(await own.shown('x', 'The first part')).toBe(1);
      expect(await own.shown('x', 'The second part')).toBe(1);
    } finally {
      await own.stop();
    }
  });

  test('that may be out is not sent again before the network was asked', async () => {
    const own = serviceWithSends(await startService());
    try {
      own.startJobs();
      const account = await own.connect('x');
      const id = await own.publishNow(account, 'Comes out late [sandbox:late]');
      expect(await own.endedInTime(id)).toMatchObject({ status: 'Failed', results: [{ uncertain: true }] });
      const browser = own.browser();
      await browser.signIn();
      await remove(id, browser);
      expect((await restore(id, browser)).body).toMatchObject({ leftOut: [account] });
      const versions = [{ content: [{ body: 'Sent again' }] }];
      await own.client.posts.update({ id, accountIds: [account], versions });
      await own.asHuman('posts.publishNow', { id });
      expect(await own.settledInTime(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
      expect(await own.shown('x', 'Comes out late')).toBe(1);
      expect(await own.shown('x', 'Sent again')).toBe(0);
    } finally {
      await own.stop();
    }
  });

  test('gives back what its schedule used of the plan, and restoring uses nothing', async () => {
    const own = await startService();
    try {
      const id = (await own.client.posts.create({ body: 'Counted', accountIds: [await own.addAccount('x')] })).id;
      const browser = own.browser();
      await browser.signIn();
      const used = async () => JSON.stringify((await browser.get('/api/app/plan')).body);
      const before = await used();
      await own.asHuman('posts.schedule', { id, at: inDays(2, own) });
      expect(await used()).not.toBe(before);
      await remove(id, browser);
      expect(await used()).toBe(before);
      await restore(id, browser);
      expect(await used()).toBe(before);
    } finally {
      await own.stop();
    }
  });

  test('is not restored twice by two clicks at once', async () => {
    const { id } = await draft('Twice');
    await remove(id);
    const statuses = (await Promise.all([restore(id), restore(id), restore(id, editor)])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 404, 404]);
  });

  test('cannot be approved for anything; restored, it is scheduled as any draft', async () => {
    const { id } = await draft('Pinned');
    const agent = await connectAgent(service, 'Cursor');
    const card = await agent.ask('posts_schedule', { id, at: inDays(1) });
    await agent.client.close();
    await remove(id);
    expect((await owner.post(`/api${card}/approve`)).status).toBe(409);
    await restore(id);
    const again = await owner.post('/api/app/actions/posts.schedule', { id, at: inDays(1) });
    expect(again.body).toMatchObject({ id, status: 'Scheduled' });
  });

  test('takes a comment along whose change is under way', async () => {
    const { id } = await draft('Commented');
    const { body: comment } = await owner.post(`/api/app/posts/${id}/comments`, { body: 'Old' });
    const edit = sql('test.edit', `update post_comments set body = 'New' where id = $1`);
    let removing: ReturnType<typeof remove> | undefined;
    await service.database.transaction(async () => {
      await service.database.run(edit, [comment.id]);
      removing = service.database.outside(() => remove(id));
      await service.database.outside(() => lockAwaited(service));
    });
    expect((await removing)?.status).toBe(200);
    await restore(id);
    expect((await owner.get(`/api/app/posts/${id}/comments`)).body.comments).toMatchObject([{ body: 'New' }]);
  });
});

describe('the bin', () => {
  test('is closed to viewers and to other workspaces', async () => {
    const { id } = await draft('Not theirs');
    await remove(id);
    for (const answer of [
      await viewer.get('/api/app/bin'),
      await restore(id, viewer),
      await viewer.delete(`/api/app/bin/${id}`),
    ]) {
      expect(answer.status).toBe(403);
    }
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    expect(await bin(stranger)).toEqual([]);
    expect((await restore(id, stranger)).status).toBe(404);
    expect((await stranger.delete(`/api/app/bin/${id}`)).status).toBe(404);
    expect(
      (await service.request('GET', '/api/app/bin', { headers: { authorization: `Bearer ${service.token}` } })).status,
    ).toBe(403);
  });

  test('lets owners and admins delete anything for good, and editors what they wrote', async () => {
    const theirs = (await editor.post('/api/app/actions/posts.create', { body: 'By the editor' })).body.id;
    const { id } = await draft('By the owner');
    await remove(theirs);
    await remove(id);
    expect(
      (await bin(editor)).filter((post) => [id, theirs].includes(post.id)).map(({ mayDelete }) => mayDelete),
    ).toEqual([false, true]);
    expect((await editor.delete(`/api/app/bin/${id}`)).body).toMatchObject({ code: 'Forbidden' });
    expect((await editor.delete(`/api/app/bin/${theirs}`)).body).toEqual({ id: theirs, deleted: true });
    expect((await owner.delete(`/api/app/bin/${id}`)).status).toBe(200);
    expect((await restore(id)).status).toBe(404);
    const { entries } = (await owner.get('/api/app/audit')).body;
    expect(entries[0]).toMatchObject({ event: 'bin.deleted', details: { id, text: 'By the owner' } });
  });

  test('lists page by page, the last deleted first', async () => {
    const own = await startService();
    try {
      const browser = own.browser();
      await browser.signIn();
      const ids: string[] = [];
      for (let at = 0; at < 60; at++) ids.unshift((await own.client.posts.create({ body: `Post ${at}` })).id);
      for (const id of ids.toReversed()) await remove(id, browser);
      const { body: first } = await browser.get('/api/app/bin');
      const { body: second } = await browser.get(`/api/app/bin?cursor=${first.nextCursor}`);
      expect([first.total, first.posts.length, second.posts.length, second.nextCursor]).toEqual([
        60,
        50,
        10,
        undefined,
      ]);
      expect([...first.posts, ...second.posts].map(({ id }) => id)).toEqual(ids);
      expect((await browser.get('/api/app/bin?cursor=nonsense')).body.code).toBe('BadInput');
      expect((await browser.delete('/api/app/bin')).body).toEqual({ done: true });
      expect(await bin(browser)).toEqual([]);
    } finally {
      await own.stop();
    }
  });

  test('does not keep files: a restored post comes back without those that were deleted, and says so', async () => {
    const [file, other] = [await service.addFile(), await service.addFile()];
    const versions = [
      { content: [{ body: 'With pictures', media: [file, other] }], options: { 'instagram.cover': file } },
    ];
    const { id } = await service.client.posts.create({ accountIds: [account], versions });
    await remove(id);
    expect((await restore(id)).body).toMatchObject({ post: { versions }, lostFiles: 0 });
    await remove(id);
    expect((await owner.delete(`/api/media/${file}`)).status).toBe(200);
    const { body } = await restore(id);
    expect(body.lostFiles).toBe(1);
    expect(body.post.versions).toMatchObject([{ content: [{ body: 'With pictures', media: [other] }], options: {} }]);
    expect(body.post.versions[0].options).toEqual({});
  });

  test('holds a post for 30 days, and a chore removes it then', async () => {
    const own = await startService();
    try {
      const browser = own.browser();
      await browser.signIn();
      const file = await own.addFile();
      const versions = [{ content: [{ body: 'Old', media: [file] }] }];
      const [old, young] = [
        await own.client.posts.create({ versions }),
        await own.client.posts.create({ body: 'Young' }),
      ];
      await remove(old.id, browser);
      await own.clock.forward(29 * dayMs);
      await remove(young.id, browser);
      await own.runChore('remove old posts from the bin');
      expect((await bin(browser)).map(({ id }) => id)).toEqual([young.id, old.id]);
      await own.clock.forward(dayMs);
      expect((await bin(browser)).map(({ id }) => id)).toEqual([young.id]);
      expect((await restore(old.id, browser)).status).toBe(404);
      expect((await browser.delete(`/api/media/${file}`)).status).toBe(200);
      const rows = sql('test.binRows', 'select id from deleted_posts');
      expect(await own.database.query(rows)).toHaveLength(2);
      await own.runChore('remove old posts from the bin');
      expect(await own.database.query(rows)).toEqual([{ id: young.id }]);
    } finally {
      await own.stop();
    }
  });
});
