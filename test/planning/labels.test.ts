import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '#server/base/bounds';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let browser: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService();
  browser = service.browser();
  await browser.signIn();
});
afterAll(() => service.stop());

const add = (name: string, color = 'blue') => browser.post('/api/app/labels', { name, color });
const idOf = async (name: string) => (await add(name)).body.id as string;
const post = async (body: string) => (await service.client.posts.create({ body })).id;
const give = (postIds: string[], change: { add?: string[]; remove?: string[] }) =>
  browser.post('/api/app/posts/labels', { postIds, ...change });
const labelsOf = async (id: string) => (await browser.get(`/api/app/posts/${id}/labels`)).body.labelIds as string[];
const found = async (query: string) =>
  (await browser.get(`/api/app/posts?${query}`)).body.posts.map(({ id }: { id: string }) => id);

test('a name is unique in a workspace, in whatever case and however its letters are written', async () => {
  expect((await add('  Événement   2026 ')).body).toMatchObject({ name: 'Événement 2026', color: 'blue', posts: 0 });
  for (const name of ['événement 2026', 'ÉVÉNEMENT 2026', 'E\u0301ve\u0301nement 2026']) {
    expect((await add(name)).body).toMatchObject({ code: 'Conflict' });
  }
  const other = service.browser();
  await other.signIn((await service.addWorkspace()).email);
  expect((await other.post('/api/app/labels', { name: 'événement 2026' })).status).toBe(200);
  const id = await idOf('Once');
  expect((await browser.patch(`/api/app/labels/${id}`, { name: 'Événement 2026' })).body.code).toBe('Conflict');
  expect((await browser.patch(`/api/app/labels/${id}`, { name: 'ONCE', color: 'plum' })).body).toMatchObject({
    name: 'ONCE',
    color: 'plum',
  });
});

test('labels are given to a post that is being scheduled, and neither of the two fails', async () => {
  const { database, owner } = service;
  const [id, label] = [await post('Both at once'), await idOf('Both at once')];
  const lockPost = sql('test.lockPost', 'select from posts where id = $1 for update', 'locks');
  const lockWorkspace = sql('test.lockWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
  const waiting = sql(
    'test.waiting',
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  let giving: ReturnType<typeof give> | undefined;
  await database.transaction(async () => {
    await database.run(lockPost, [id]);
    giving = give([id], { add: [label] });
    // Inside a transaction PostgreSQL shows the same activity for ever.
    const look = () => database.outside(() => database.query(waiting));
    await until('it waits for the post', async () => (await look()).length > 0);
    await database.run(lockWorkspace, [owner.workspaceId]);
  });
  expect((await giving)?.status).toBe(200);
  expect(await labelsOf(id)).toEqual([label]);
});

test.each([
  '50 %, "yes" & <b>no</b>',
  "Robert'); drop table labels;--",
  '#1',
  'ß',
  '日本語',
  'عربي',
  '👩‍👩‍👧‍👦',
  '.',
  'a,b',
])('the odd name %s is kept as it is, found by its label and shown on the post', async (name) => {
  const made = await add(name);
  expect(made.body).toMatchObject({ name });
  const id = await post('odd');
  await give([id], { add: [made.body.id] });
  expect(await found(`group=Recent&labelIds=${made.body.id}`)).toEqual([id]);
});

test.each([
  ['', /^name must not be empty/],
  ['   ', /^name must not be empty/],
  ['\u200B\u200D', /^name must have a letter/],
  ['\u202Eevil', /^name must be one line of plain text/],
  ['bell\u0007', /^name must be one line of plain text/],
  ['x'.repeat(41), /^name must have at most 40 characters/],
])('%j is no name', async (name, message) => {
  const { body } = await add(name);
  expect(body).toMatchObject({ code: 'BadInput', message: expect.stringMatching(message) });
});

test('labels filter lists and counts, and change nothing else of the post', async () => {
  const [red, plum] = [await idOf('Red herring'), await idOf('Plum cake')];
  const [one, two, three] = [await post('labelled one'), await post('labelled two'), await post('labelled three')];
  const before = await service.client.posts.get({ id: one });
  await give([one, two], { add: [red] });
  await give([two], { add: [plum] });
  expect(await service.client.posts.get({ id: one })).toEqual({ ...before, labels: ['Red herring'] });
  expect((await found(`group=Drafts&labelIds=${red}`)).sort()).toEqual([one, two].sort());
  expect((await found(`group=Drafts&labelIds=${red},${plum}&query=labelled`)).sort()).toEqual([one, two].sort());
  expect(await found(`group=Drafts&labelIds=${plum}`)).toEqual([two]);
  expect((await browser.get(`/api/app/posts/counts?labelIds=${red}`)).body.counts).toMatchObject({ Draft: 2 });
  const [row] = (await browser.get(`/api/app/posts?group=Recent&ids=${two}`)).body.posts;
  expect(row.labelIds.sort()).toEqual([plum, red].sort());
  expect(await labelsOf(three)).toEqual([]);
  await give([one, two], { remove: [red] });
  expect(await labelsOf(two)).toEqual([plum]);
  const { labels } = (await browser.get('/api/app/labels')).body;
  expect(labels.find(({ id }: { id: string }) => id === plum)).toMatchObject({ posts: 1 });
  await browser.delete(`/api/app/labels/${plum}`);
  expect(await labelsOf(two)).toEqual([]);
  await service.asHuman('posts.delete', { id: one });
});

test('labels and posts of another workspace are not known here, and nothing is done', async () => {
  const other = await service.addWorkspace();
  const stranger = service.browser();
  await stranger.signIn(other.email);
  const theirs = (await stranger.post('/api/app/labels', { name: 'Theirs' })).body.id;
  const [mine, id] = [await idOf('Mine'), await post('mine')];
  expect((await give([id], { add: [mine, theirs] })).body.message).toMatch(/^add\.1 names label_/);
  expect((await give([id, 'post_none'], { add: [mine] })).body.message).toMatch(/^postIds\.1 names post_none/);
  expect(await labelsOf(id)).toEqual([]);
  expect((await stranger.get(`/api/app/posts/${id}/labels`)).status).toBe(404);
  expect((await stranger.post('/api/app/posts/labels', { postIds: [id], add: [theirs] })).body.code).toBe('BadInput');
  expect((await stranger.patch(`/api/app/labels/${mine}`, { name: 'Stolen' })).status).toBe(404);
  expect((await stranger.delete(`/api/app/labels/${mine}`)).status).toBe(404);
});

test('labels are bounded, of a workspace and of a post', async () => {
  const other = service.browser();
  const { email, workspaceId } = await service.addWorkspace();
  await other.signIn(email);
  const many = sql(
    'test.labels',
    `insert into labels (id, workspace_id, name, name_key, color)
     select 'label_' || n, $1, 'Label ' || n, 'label ' || n, 'grey' from generate_series(1, $2) as n`,
  );
  await service.database.query(many, [workspaceId, bounds.labels]);
  const ids = Array.from({ length: bounds.labels }, (_, n) => `label_${n + 1}`);
  expect((await other.post('/api/app/labels', { name: 'One more' })).body).toMatchObject({
    code: 'Conflict',
    message: 'A workspace has at most 200 labels. Delete one first.',
  });
  const { id } = (await other.post('/api/app/actions/posts.create', { body: 'full' })).body;
  const label = (add: string[]) => other.post('/api/app/posts/labels', { postIds: [id], add });
  await label(ids.slice(0, bounds.labelsPerPost));
  expect((await label(ids.slice(0, bounds.labelsPerPost + 1))).body.code).toBe('Conflict');
  expect((await other.get(`/api/app/posts/${id}/labels`)).body.labelIds).toHaveLength(bounds.labelsPerPost);
});

test('a viewer sees labels and changes none', async () => {
  const { email } = await service.addMember('viewer');
  const viewer = service.browser();
  await viewer.signIn(email);
  const id = await post('seen');
  expect((await viewer.get('/api/app/labels')).status).toBe(200);
  expect((await viewer.post('/api/app/labels', { name: 'Mine' })).status).toBe(403);
  expect((await viewer.post('/api/app/posts/labels', { postIds: [id] })).status).toBe(403);
});
