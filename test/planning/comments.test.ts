import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bounds } from '#server/base/bounds';
import { escapeRegExp } from '#server/base/escape-reg-exp';
import { sql } from '#server/base/store/database';
import { createCommentStore } from '#server/planning/review/comment-store';
import { createComments, mentionsIn } from '#server/planning/review/comments';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
let editor: ReturnType<Service['browser']>;
let viewer: ReturnType<Service['browser']>;
let viewerId: string;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  const people = await Promise.all([service.addMember('editor'), service.addMember('viewer')]);
  [owner, editor, viewer] = [service.browser(), service.browser(), service.browser()];
  await owner.signIn();
  await editor.signIn(people[0].email);
  await viewer.signIn(people[1].email);
  viewerId = people[1].userId;
});
afterAll(() => service.stop());

const draft = async () => (await service.client.posts.create({ body: 'A draft', accountIds: [] })).id;
const at = (postId: string) => `/api/app/posts/${postId}/comments`;
const read = async (postId: string, as = owner) => (await as.get(at(postId))).body.comments;

describe('comments on a post', () => {
  test('a viewer writes one, others read it, and it is not part of the post', async () => {
    const id = await draft();
    const { status, body } = await viewer.post(at(id), { body: '  The second line is wrong.\n<b>Look</b>  ' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^cmt_/),
      body: 'The second line is wrong.\n<b>Look</b>',
      mentions: [],
      mayEdit: true,
      mayDelete: true,
    });
    expect(await read(id)).toMatchObject([{ id: body.id, mayEdit: false, mayDelete: true }]);
    expect(await read(id, editor)).toMatchObject([{ id: body.id, mayEdit: false, mayDelete: false }]);
    expect(JSON.stringify(await service.client.posts.get({ id }))).not.toContain('second line');
  });

  test('its author changes and deletes it, an admin or owner deletes it, nobody else does either', async () => {
    const id = await draft();
    const { body: first } = await editor.post(at(id), { body: 'One' });
    const path = `/api/app/comments/${first.id}`;
    expect((await viewer.patch(path, { body: 'Not mine' })).status).toBe(403);
    expect((await owner.patch(path, { body: 'Not mine' })).status).toBe(403);
    expect((await viewer.delete(path)).status).toBe(403);
    expect((await editor.patch(path, { body: 'Two' })).body).toMatchObject({
      body: 'Two',
      editedAt: expect.any(String),
    });
    expect((await owner.delete(path)).body).toEqual({ done: true });
    expect((await editor.delete(path)).status).toBe(404);
    const { body: second } = await viewer.post(at(id), { body: 'Mine' });
    expect((await viewer.delete(`/api/app/comments/${second.id}`)).status).toBe(200);
    expect(await read(id)).toEqual([]);
  });

  test('open tabs hear of each', async () => {
    const id = await draft();
    const stop = new AbortController();
    const stream = await fetch(`${service.url}/api/app/events`, {
      headers: { cookie: owner.cookie() },
      signal: stop.signal,
    });
    let heard = '';
    (async () => {
      for await (const chunk of stream.body ?? []) heard += new TextDecoder().decode(chunk);
    })().catch(() => undefined);
    await until('the stream is open', () => heard.includes('retry:'));
    const told = () => [...heard.matchAll(/event: comment\ndata: (.*)\n/g)].filter(([, data]) => data?.includes(id));
    const { body } = await viewer.post(at(id), { body: 'Hello' });
    await until('written', () => told().length === 1);
    await viewer.patch(`/api/app/comments/${body.id}`, { body: 'Hello again' });
    await until('changed', () => told().length === 2);
    await viewer.delete(`/api/app/comments/${body.id}`);
    await until('deleted', () => told().length === 3);
    stop.abort();
  });

  test('not for tokens, other workspaces, posts that are not there, or empty and endless text', async () => {
    const id = await draft();
    const token = { authorization: `Bearer ${service.token}` };
    expect((await owner.post(at(id), { body: 'x' }, token)).status).toBe(403);
    const other = await service.addWorkspace();
    const stranger = service.browser();
    await stranger.signIn(other.email);
    expect((await stranger.get(at(id))).status).toBe(404);
    expect((await stranger.post(at(id), { body: 'x' })).status).toBe(404);
    const { body: theirs } = await owner.post(at(id), { body: 'Ours' });
    expect((await stranger.patch(`/api/app/comments/${theirs.id}`, { body: 'x' })).status).toBe(404);
    expect((await stranger.delete(`/api/app/comments/${theirs.id}`)).status).toBe(404);
    for (const body of ['', '   ', 'x'.repeat(2_001), 7]) {
      expect((await owner.post(at(id), { body })).body).toMatchObject({ code: 'BadInput', issues: [{ path: 'body' }] });
    }
  });

  test('at most so many, and none is left of a post that is deleted', async () => {
    const id = await draft();
    await service.database.query(
      sql(
        'test.comments',
        `insert into post_comments (id, post_id, workspace_id, user_id, body)
         select 'cmt_' || $1 || n, $1, $2, $3, 'One of many' from generate_series(1, $4) n`,
      ),
      [id, service.owner.workspaceId, service.owner.userId, bounds.comments],
    );
    expect((await owner.post(at(id), { body: 'One too many' })).body).toMatchObject({
      code: 'Conflict',
      message: 'This post has 500 comments already. Delete some of them first.',
    });
    await service.asHuman('posts.delete', { id });
    const left = await service.database.query(sql('test.left', 'select 1 from post_comments where post_id = $1'), [id]);
    expect(left).toEqual([]);
  });
});

describe('a mention', () => {
  test('is a notification for the one who is named, and for nobody else', async () => {
    const id = await draft();
    expect((await owner.post(`/api/app/posts/${id}/comments`, { body: 'Look, @member2' })).status).toBe(200);
    const heard = async (person: typeof owner) => {
      const { earlier, unread } = (await person.get('/api/app/notifications')).body;
      return { unread, kinds: earlier.map((one: { kind: string; path: string }) => `${one.kind} ${one.path}`) };
    };
    const told = `comment.mentioned /posts/${id}?side=comments`;
    expect(await heard(viewer)).toMatchObject({ unread: 1, kinds: [told] });
    for (const other of [owner, editor]) expect((await heard(other)).kinds).not.toContain(told);
  });

  test('is the longest name of a member behind an @', () => {
    const members = ['Ann', 'Ann Lee', 'jörg'].map((name) => ({ id: `usr_${name}`, name }));
    const names = (body: string) => mentionsIn(body, members).map(({ name }) => name);
    expect(names('@Ann Lee, please')).toEqual(['Ann Lee']);
    expect(names('@ann: and @JÖRG.')).toEqual(['Ann', 'jörg']);
    expect(names('mail@annabel.example @Anna Ann')).toEqual([]);
  });

  test('finds a name with any character', () => {
    const printable = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
    for (const one of printable) expect(one).toMatch(new RegExp(`^${escapeRegExp(one)}$`, 'giu'));
    expect('Anna-Lena (ads)').toMatch(new RegExp(`^${escapeRegExp('Anna-Lena (ads)')}$`, 'u'));
  });

  test('is told to each member once, and never to its author', async () => {
    const id = await draft();
    const told: { userIds: readonly string[]; postId: string }[] = [];
    const { posthorn, database, clock } = service;
    const comments = createComments({
      store: createCommentStore(database),
      reading: posthorn.reading,
      notifyMentioned: async (_caller, comment) => void told.push(comment),
      clock,
    });
    const caller = { ...service.owner, role: 'owner' as const, mayPublish: true, isPerson: true };
    const written = await comments.add(caller, id, 'Ask @member2, says @owner');
    expect(written.mentions.map(({ name }) => name)).toEqual(expect.arrayContaining(['member2', 'owner']));
    await comments.edit(caller, written.id, 'Ask @member2 and @member1');
    expect(told.map(({ userIds }) => userIds.length)).toEqual([1, 1]);
    expect(told[0]).toMatchObject({ userIds: [viewerId], postId: id });
    expect(told[1]?.userIds).not.toContain(viewerId);
  });
});
