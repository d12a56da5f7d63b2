import { describe, expect, test } from 'vitest';
import type { Characters, Fold } from '#contracts/providers';
import { networks as folders } from '#generated/networks';
import { countGraphemes, countText } from '#server/networks/counting';
import { foldText } from '#server/networks/fold';
import { createNetworks } from '#server/networks/registry';

const networks = createNetworks(folders);
const network = (key: string) => networks.get(key).constraints.characters;
const shownOf = (key: string, text: string) => foldText(network(key), text).shown;

const folding = (fold: Omit<Fold, 'isObserved'>): Characters => ({
  max: 2_200,
  counting: '',
  rule: 'Utf16Units',
  required: false,
  fold: { ...fold, isObserved: false },
});
const after5 = folding({ at: 5, unit: 'Characters' });

describe('a text folds after characters', () => {
  test.each([
    ['abcdefgh', 'abcde', 'fgh'],
    ['abcde', 'abcde', ''],
    ['abcde \n', 'abcde \n', ''],
    ['', '', ''],
    ['   ', '   ', ''],
    // An emoji of several code points is one character, and so is a letter with its accent.
    ['👨‍👩‍👧‍👦👍🏽🇩🇪é1️⃣!', '👨‍👩‍👧‍👦👍🏽🇩🇪é1️⃣', '!'],
    ['नमस्ते दुनिया', 'नमस्ते दु', 'निया'],
    // Text is cut in reading order; the page then lays it out from right to left.
    ['שלום עולם', 'שלום ', 'עולם'],
    ['مرحبا بك', 'مرحبا', ' بك'],
    ['a\nb\nc\nd', 'a\nb\nc', '\nd'],
    ['https://example.com', 'https', '://example.com'],
  ])('%j', (text, shown, rest) => {
    expect(foldText(after5, text)).toEqual({ shown, rest });
  });

  test('nothing is lost, whatever the text', () => {
    const text = 'Größe 🎂 שלום https://example.com/a?b=c é 👨‍👩‍👧‍👦 '.repeat(40);
    for (const { key } of networks.all) {
      const { shown, rest } = foldText(network(key), text);
      expect(shown + rest, key).toBe(text);
    }
  });

  test('a hundred thousand characters are cut without reading them all', () => {
    const { shown, rest } = foldText(network('instagram'), '👍🏽'.repeat(25_000));
    expect(countGraphemes(shown)).toBe(125);
    expect(rest.length).toBe(4 * (25_000 - 125));
  });
});

describe('X folds by its own counting', () => {
  test.each([
    ['a Latin letter is 1', 'a'.repeat(300), 280],
    ['other scripts are 2', '日'.repeat(300), 140],
    ['an emoji is 2, however long', '👨‍👩‍👧‍👦'.repeat(300), 140 * '👨‍👩‍👧‍👦'.length],
    ['a link is 23, however long', `https://example.com/${'a'.repeat(200)} ${'b'.repeat(300)}`, 220 + 1 + 256],
    ['a bare domain is a link', `example.com ${'b'.repeat(300)}`, 12 + 256],
    ['a link is never cut in two', `${'a'.repeat(269)} https://example.com/page and more`, 270],
    ['a link that just fits is shown', `${'a'.repeat(256)} https://example.com/page`, 281],
  ])('%s', (_, text, units) => {
    const { shown } = foldText(network('x'), text);
    expect(shown.length).toBe(units);
    expect(countText(network('x'), shown)).toBeLessThanOrEqual(280);
  });
});

describe('each network declares where it folds', () => {
  test.each([
    ['x', 280, 'Counted', false],
    ['instagram', 125, 'Characters', false],
    ['linkedin', 210, 'Characters', true],
    ['linkedin_page', 210, 'Characters', true],
    ['google_business', 90, 'Characters', true],
    ['pinterest', 60, 'Characters', false],
    ['facebook', 5, 'Lines', false],
    ['youtube', 3, 'Lines', false],
    ['tiktok', 2, 'Lines', false],
  ])('%s after %i %s', (key, at, unit, isObserved) => {
    expect(network(key).fold).toEqual({ at, unit, isObserved });
  });

  test.each(['threads', 'bluesky', 'mastodon', 'pixelfed'])('%s shows the whole text', (key) => {
    const text = 'a'.repeat(network(key).max);
    expect(shownOf(key, text)).toBe(text);
  });

  test('lines depend on the screen, so the text stays whole for the page to cut', () => {
    expect(foldText(network('facebook'), 'a\n'.repeat(50)).rest).toBe('');
  });

  test('photos on TikTok fold as its videos do', () => {
    const image = { id: 'one', kind: 'Image', mimeType: 'image/jpeg', bytes: 1, width: 1, height: 1 } as const;
    const post = { items: [{ body: '', media: [image] }], options: {} };
    expect(networks.get('tiktok').constraintsFor(post).characters).toMatchObject({ max: 4_000, fold: { at: 2 } });
  });
});
