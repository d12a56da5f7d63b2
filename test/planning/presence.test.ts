import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
let editor: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService();
  owner = service.browser();
  await owner.signIn();
  editor = service.browser();
  await editor.signIn((await service.addMember('editor')).email);
});
afterAll(() => service.stop());

type Browser = typeof owner;
const report = (browser: Browser, id: string, { tab = 'one', isOpen = true } = {}) =>
  browser.post(`/api/app/posts/${id}/presence`, { tab, isOpen });
const peopleOf = async (browser: Browser, id: string, tab = 'watch') =>
  ((await report(browser, id, { tab })).body.people as { id: string }[]).length;
const makePost = async () => (await service.client.posts.create({ body: 'Open' })).id;

test('who has a post open is told to all who have it open, and gone when the last of their tabs closes', async () => {
  const id = await makePost();
  expect((await report(owner, id)).body.people).toHaveLength(1);
  expect((await report(editor, id)).body.people).toHaveLength(2);
  await report(editor, id, { tab: 'two' });
  expect((await report(owner, id)).body.people).toHaveLength(2);
  await report(editor, id, { isOpen: false });
  expect((await report(owner, id)).body.people).toHaveLength(2);
  await report(editor, id, { tab: 'two', isOpen: false });
  expect((await report(owner, id)).body.people).toEqual([{ id: service.owner.userId, name: expect.any(String) }]);
});

test('a tab that does not report for a minute is gone, and nothing of it is kept', async () => {
  const [id, other] = [await makePost(), await makePost()];
  await report(editor, id);
  await service.clock.forward(50_000);
  expect(await peopleOf(owner, id)).toBe(2);
  await service.clock.forward(11_000);
  expect(await peopleOf(owner, id)).toBe(1);
  await service.clock.forward(61_000);
  await report(owner, other);
  const rows = sql('test.presence', 'select post_id as id from post_presence');
  expect(await service.database.query(rows, [])).toEqual([{ id: other }]);
});

test('open tabs hear when somebody comes or goes, and not of every report', async () => {
  const id = await makePost();
  const stop = new AbortController();
  const stream = await fetch(`${service.url}/api/app/events`, {
    headers: { cookie: owner.cookie() },
    signal: stop.signal,
  });
  let text = '';
  (async () => {
    for await (const chunk of stream.body ?? []) text += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  const heard = () => text.split('event: presence').length - 1;
  await report(editor, id);
  await until('the arrival', () => heard() === 1);
  await report(editor, id);
  await report(editor, id, { isOpen: false });
  await until('the departure', () => heard() === 2);
  await report(editor, id, { isOpen: false });
  await report(editor, id);
  await until('the return', () => heard() === 3);
  stop.abort();
});

test('a post of another workspace is not found, and a removed member is nobody', async () => {
  const id = await makePost();
  const stranger = service.browser();
  await stranger.signIn((await service.addWorkspace()).email);
  expect((await report(stranger, id)).body.code).toBe('NotFound');
  expect((await report(owner, 'post_nothing')).body.code).toBe('NotFound');
  expect((await report(owner, id, { tab: 'with space' })).body.code).toBe('BadInput');
  const { email, userId } = await service.addMember('viewer');
  const viewer = service.browser();
  await viewer.signIn(email);
  expect((await report(viewer, id)).body.people).toHaveLength(1);
  await owner.delete(`/api/app/members/${userId}`);
  expect((await report(owner, id)).body.people).toHaveLength(1);
});
