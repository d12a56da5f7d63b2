import { expect, test } from 'vitest';
import type { Account, Post } from '#generated/app-client';
import { type Check, checksOf, readyAccounts } from '#web/pages/post/editor/checks.ts';
import {
  changeItem,
  changeSide,
  contentOf,
  draftOf,
  followOriginal,
  hasOwnMedia,
  hasOwnText,
  isOwn,
  removeItem,
  setOption,
  splitItem,
} from '#web/pages/post/editor/draft.ts';
import { toWebAddress } from '#web/pages/post/editor/to-web-address.ts';
import { headingOf } from '#web/parts/heading.ts';

const post: Post = {
  id: 'post_1',
  status: 'Draft',
  accountIds: ['acc_1', 'acc_2'],
  versions: [{ content: [{ body: 'Buns', media: [] }], options: {} }],
  results: [],
  updatedAt: '2026-11-15T12:00:00.000Z',
};
const write = (body: string) => changeItem(0, (item) => ({ ...item, body }));
const versionOf = (draft: ReturnType<typeof draftOf>, id?: string) =>
  contentOf(draft).versions.find(({ accountId }) => accountId === id);

test('an option for one account is no text of its own: the text stays that of the original, also when it changes', () => {
  const optioned = changeSide('acc_1', setOption('x.reply', 'following'))(draftOf(post));
  expect([isOwn(optioned, 'acc_1'), hasOwnText(optioned, 'acc_1')]).toEqual([true, false]);
  const rewritten = changeSide(undefined, write('Loaves'))(optioned);
  expect(versionOf(rewritten, 'acc_1')).toEqual({
    accountId: 'acc_1',
    content: [{ body: 'Loaves', media: [] }],
    options: { 'x.reply': 'following' },
  });
  expect(contentOf(rewritten).versions).toHaveLength(2);
});

test('saved and read again it still follows the original; a text of its own does not', () => {
  const both = [changeSide('acc_1', setOption('x.reply', 'following')), changeSide('acc_2', write('Short'))];
  const saved = contentOf(both.reduce((draft, change) => change(draft), draftOf(post)));
  const read = draftOf({ ...post, versions: saved.versions });
  expect([hasOwnText(read, 'acc_1'), hasOwnText(read, 'acc_2')]).toEqual([false, true]);
  const rewritten = changeSide(undefined, write('Loaves'))(read);
  expect(versionOf(rewritten, 'acc_1')?.content[0]?.body).toBe('Loaves');
  expect(versionOf(rewritten, 'acc_2')?.content[0]?.body).toBe('Short');
});

const withMedia = (...media: string[]) => changeItem(0, (item) => ({ ...item, media }));
const pictured: Post = { ...post, versions: [{ content: [{ body: 'Buns', media: ['m_1', 'm_2'] }], options: {} }] };
const reread = (draft: ReturnType<typeof draftOf>) => draftOf({ ...post, versions: contentOf(draft).versions });

test('media of its own leave the text following the original, and a text of its own leaves the media, also after it was saved', () => {
  const changes = [changeSide('acc_1', withMedia('m_1')), changeSide('acc_2', write('Short'))];
  const changed = changes.reduce((draft, change) => change(draft), draftOf(pictured));
  for (const draft of [changed, reread(changed)]) {
    expect([hasOwnText(draft, 'acc_1'), hasOwnMedia(draft, 'acc_1')]).toEqual([false, true]);
    expect([hasOwnText(draft, 'acc_2'), hasOwnMedia(draft, 'acc_2')]).toEqual([true, false]);
    const next = [changeSide(undefined, write('Loaves')), changeSide(undefined, withMedia('m_3'))].reduce(
      (before, change) => change(before),
      draft,
    );
    expect(versionOf(next, 'acc_1')?.content).toEqual([{ body: 'Loaves', media: ['m_1'] }]);
    expect(versionOf(next, 'acc_2')?.content).toEqual([{ body: 'Short', media: ['m_3'] }]);
  }
});

test('each part follows the original again by itself', () => {
  const changes = [changeSide('acc_1', withMedia('m_1')), changeSide('acc_1', write('Short'))];
  const both = changes.reduce((draft, change) => change(draft), draftOf(pictured));
  const text = followOriginal('acc_1', 'text')(both);
  expect(versionOf(text, 'acc_1')?.content).toEqual([{ body: 'Buns', media: ['m_1'] }]);
  const media = followOriginal('acc_1', 'media')(both);
  expect(versionOf(media, 'acc_1')?.content).toEqual([{ body: 'Short', media: ['m_1', 'm_2'] }]);
  expect(contentOf(followOriginal('acc_1', 'media')(text)).versions).toHaveLength(1);
});

test('a thread of its own gets the media of the original item by item, and a removed item takes no media of another', () => {
  const split = changeSide('acc_1', splitItem(0, ['One', 'Two']))(draftOf(pictured));
  expect(hasOwnMedia(split, 'acc_1')).toBe(false);
  const [, second] = versionOf(split, 'acc_1')?.content ?? [];
  expect(second).toEqual({ body: 'Two', media: [] });
  const rest = changeSide('acc_1', removeItem(0))(split);
  expect(versionOf(rest, 'acc_1')?.content).toEqual([{ body: 'Two', media: [] }]);
  expect(hasOwnMedia(rest, 'acc_1')).toBe(true);
});

test('an option that is taken back leaves no version behind', () => {
  const optioned = changeSide('acc_1', setOption('x.reply', 'following'))(draftOf(post));
  const cleared = changeSide('acc_1', setOption('x.reply', ''))(optioned);
  expect(contentOf(cleared).versions).toHaveLength(1);
});

test.each([
  ['Easter hours\n\nWe open at nine.', 'Easter hours'],
  [
    'New on the shelf: seeded spelt. Sunflower, linseed and a long cold night in the fridge.',
    'New on the shelf: seeded spelt',
  ],
  ['Cinnamon or cardamom? A photo of both, because we could not decide this morning', 'Cinnamon or cardamom?'],
  [
    'A line without an end that goes on, and on, until nobody can follow it',
    'A line without an end that goes on, and on, until nobody…',
  ],
  ['😀'.repeat(70), `${'😀'.repeat(60)}…`],
  ['', ''],
])('the heading of %j is %j', (text, heading) => expect(headingOf(text)).toBe(heading));

test('what only the network knows to be needed is said, by the name of the option; what is counted here is said once', () => {
  const account = { id: 'acc_1', network: 'google_business' } as Account;
  const needs = { code: 'OptionRequired', accountId: 'acc_1', provider: 'Google' } as const;
  const issue = (key: string, message: string) => ({ ...needs, path: `versions.0.options.${key}`, message });
  const checks = checksOf({
    draft: draftOf({ ...post, accountIds: ['acc_1'] }),
    chosen: [account],
    base: post,
    issues: [
      issue('google_business.event_start', 'Set google_business.event_start.'),
      issue('google_business.topic_type', 'Set it.'),
    ],
    warnings: [],
    limitsOf: () => ({ characters: { max: 100, rule: 'CodePoints' }, thread: { max: 1, form: 'None' } }) as never,
    optionsOf: () => [
      { key: 'google_business.event_start', label: 'Start', type: 'Instant' },
      { key: 'google_business.topic_type', label: 'Type', type: 'Choice', required: true },
    ],
    mediaOf: () => undefined,
    isSandbox: () => true,
  });
  expect(checks.map(({ tone, text }) => [tone, text])).toEqual([
    ['red', 'Type is needed'],
    ['red', 'Set “Start”'],
  ]);
});

test('an account is ready unless something of its own is broken, or something of the whole post', () => {
  const check = (tone: Check['tone'], ...accountIds: string[]): Check => ({ tone, accountIds, networks: [], text: '' });
  const ids = ['one', 'two', 'three'];
  expect(readyAccounts([], ids)).toEqual(ids);
  expect(readyAccounts([check('red', 'two'), check('orange', 'one')], ids)).toEqual(['one', 'three']);
  expect(readyAccounts([check('red')], ids)).toEqual([]);
});

test.each([
  ['example.com/menu', 'https://example.com/menu'],
  [' http://example.com ', 'http://example.com'],
  ['https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
  ['bread', undefined],
  ['two words.com', undefined],
  ['javascript:alert(1)', undefined],
  ['ftp://example.com', undefined],
  ['https://me@example.com', undefined],
  ['', undefined],
])('the address %j is inserted as %j', (text, address) => expect(toWebAddress(text)).toBe(address));
