import { describe, expect, test } from 'vitest';
import type { Characters } from '#contracts/providers';
import { countedUpTo, countText } from '#server/networks/counting';
import { findLinks } from '#server/networks/links';

/** Worked out by hand from X's published weights: 1 or 2 a code point, 2 an emoji, 23 a link. */
const x: Characters = {
  max: 280,
  counting: '',
  rule: 'Weighted',
  links: { length: 23, bareDomains: true },
  required: false,
};

describe('X weighs', () => {
  test.each([
    ['', 0],
    ['Hello, world', 12],
    ['Grüße', 5],
    ['e\u0301', 1],
    ['ȩ́', 2],
    ['Привет', 6],
    ['ხ', 1],
    ['日本語', 6],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['“quoted” – it’s…', 17],
    ['😀', 2],
    ['👍🏽', 2],
    ['👨‍👩‍👧‍👦', 2],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['🇩🇪🇫🇷', 4],
    ['1️⃣', 2],
    ['❤️', 2],
    ['❤', 2],
    ['©', 1],
    ['©️', 2],
    ['https://example.com', 23],
    ['see example.com.', 28],
    ['https://example.com/a_(b)_c?d=e#f now', 27],
    ['(https://example.com/)', 25],
    ['example.com/path and example.org', 51],
    ['見てhttp://example.com', 27],
    ['3.5円http://example.com', 28],
    ['twitter.comです', 27],
    ['日本.example.com', 28],
    ['file.txt', 8],
    ['3.14', 4],
    ['anna@example.com', 16],
    ['#example.com', 12],
    ['end.Then', 8],
    ['https://localhost/a', 19],
    ['http://foo_bar.com', 18],
    ['...example.com', 14],
    [`https://example.com/${'a'.repeat(4000)}`, 23],
  ])('%j as %i', (text, weight) => {
    expect(countText(x, text)).toBe(weight);
  });

  test('as many emoji and links as fit, to the one', () => {
    expect(countText(x, '👨‍👩‍👧‍👦'.repeat(140))).toBe(280);
    expect(countText(x, '👨‍👩‍👧‍👦'.repeat(141))).toBe(282);
    expect(countText(x, 'a.co '.repeat(11))).toBe(264);
    expect(countText(x, `${'é'.repeat(499)}e\u0301${'é'.repeat(20)}`)).toBe(520);
  });
});

test('counting stops at four times the limit, and is exact until then', () => {
  const most = countedUpTo(x);
  expect(most).toBe(1120);
  expect(countText(x, 'a'.repeat(most - 1))).toBe(most - 1);
  expect(countText(x, 'a'.repeat(100_000))).toBe(most);
  expect(countText({ ...x, rule: 'Graphemes' }, '\u0301'.repeat(100_000))).toBe(most);
  expect(countText({ ...x, max: 0, rule: 'Utf16Units' }, 'a'.repeat(999))).toBe(999);
});

test('a link longer than X takes is text', () => {
  const address = (length: number) => `https://example.com/${'a'.repeat(length - 20)}`;
  expect(findLinks(address(4096), { bareDomains: true })).toHaveLength(1);
  expect(findLinks(address(4097), { bareDomains: true })).toHaveLength(0);
});

test.each([
  'http://a.a.a.',
  'a.',
  'a.com ',
  'a.com',
  '日a.com',
  'http://a.co/(',
  'http://a.co/((a)',
  '_a.',
  '@a.',
  '-.',
  'a.xn--',
  '\u0327\u0301',
  '👨‍👩‍👧‍👦',
  '🇩',
  '1\u20e3',
  '@a@b.',
])('the work for a text of %j grows with its length alone', (piece) => {
  const rules = [x, { ...x, rule: 'Graphemes', shortMentions: true } as const, { ...x, rule: 'EmojiBytes' } as const];
  // A quadratic step would run into the time limit of the test: ten times the length is a hundred times the work.
  const text = piece.repeat(1_000_000 / piece.length);
  for (const rule of rules) expect(countText(rule, text)).toBe(countedUpTo(rule));
  expect(findLinks(text, { bareDomains: true })).toBeInstanceOf(Array);
});
