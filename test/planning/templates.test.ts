import { afterAll, beforeAll, expect, test } from 'vitest';
import { bounds } from '#server/base/bounds';
import { type Service, startService } from '#test/support/service';

let service: Service;
let browser: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService();
  browser = service.browser();
  await browser.signIn();
});
afterAll(() => service.stop());

const add = (template: object) => browser.post('/api/app/templates', template);

test('a template keeps its text, line by line, and its options; the list shows its beginning', async () => {
  const items = [`  Two spaces before\n\n日本語 👩‍👩‍👧‍👦 ${'x'.repeat(300)}`, 'Second item'];
  const made = await add({ name: ' Weekly  offer ', items, options: { 'bluesky.reply_control': 'nobody' } });
  expect(made.body).toMatchObject({ kind: 'Text', name: 'Weekly offer', items });
  const { id } = made.body;
  expect((await browser.get(`/api/app/templates/${id}`)).body).toEqual(made.body);
  await add({ kind: 'Signature', name: 'Bakery', items: ['— Rye & Ember'] });
  expect((await browser.get('/api/app/templates')).body.templates).toMatchObject([
    { id, kind: 'Text', name: 'Weekly offer', items: 2, options: 1 },
    { kind: 'Signature', name: 'Bakery', text: '— Rye & Ember', items: 1, options: 0 },
  ]);
  const changed = await browser.patch(`/api/app/templates/${id}`, { name: 'Offer' });
  expect(changed.body).toMatchObject({ name: 'Offer', items, options: { 'bluesky.reply_control': 'nobody' } });
  expect((await browser.delete(`/api/app/templates/${id}`)).body).toEqual({ done: true });
  expect((await browser.get(`/api/app/templates/${id}`)).status).toBe(404);
});

test.each([
  [{ name: 'No text', items: [' '] }, 'items must have some text'],
  [{ name: ' ', items: ['a'] }, 'name must not be empty'],
  [{ name: 'x'.repeat(81), items: ['a'] }, 'name must have at most 80 characters'],
  [{ name: 'None', items: [] }, 'items must have at least one entry'],
  [
    { name: 'Long', items: ['a'.repeat(15_000), 'b'.repeat(5_001)] },
    /^items must have at most 20000 characters in all/,
  ],
  [{ name: 'Option', items: ['a'], options: { 'nowhere.board': '1' } }, /^options.nowhere.board names no option/],
  [{ kind: 'Signature', name: 'Two', items: ['a', 'b'] }, 'items must have one entry in a signature'],
  [
    { kind: 'Signature', name: 'Option', items: ['a'], options: { 'bluesky.reply_control': 'nobody' } },
    'options must be empty in a signature',
  ],
])('what is no template is refused with the field: %#', async (template, message) => {
  const { body } = await add(template);
  expect(body.code).toBe('BadInput');
  expect(body.message).toMatch(message);
});

test('templates are bounded, and belong to their workspace; a viewer changes none', async () => {
  const other = service.browser();
  await other.signIn((await service.addWorkspace()).email);
  const template = { name: 'Again', items: ['again'] };
  let id = '';
  for (let n = 0; n < bounds.templates; n++) id = (await other.post('/api/app/templates', template)).body.id;
  expect((await other.post('/api/app/templates', template)).body).toMatchObject({
    code: 'Conflict',
    message: 'A workspace has at most 100 templates. Delete one first.',
  });
  expect((await browser.get(`/api/app/templates/${id}`)).status).toBe(404);
  expect((await browser.patch(`/api/app/templates/${id}`, { name: 'Mine' })).status).toBe(404);
  expect((await browser.delete(`/api/app/templates/${id}`)).status).toBe(404);
  const viewer = service.browser();
  await viewer.signIn((await service.addMember('viewer')).email);
  expect((await viewer.get('/api/app/templates')).status).toBe(200);
  expect((await viewer.post('/api/app/templates', template)).status).toBe(403);
});
