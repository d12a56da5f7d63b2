import { expect, test } from 'vitest';
import type { Characters } from '#contracts/providers';
import { countText } from '#server/networks/counting';
import { excessStart, splitText } from '#server/networks/split-text';

const fitsIn = (max: number) => (text: string) => text.length <= max;
const dense = (text: string) => text.replace(/\s/g, '');

test('a text is split between paragraphs first, and short paragraphs stay together', () => {
  const text = 'One.\n\nTwo is short.\n\nThree is a little longer.';
  expect(splitText(text, fitsIn(25))).toEqual(['One.\n\nTwo is short.', 'Three is a little longer.']);
  expect(splitText(text, fitsIn(100))).toEqual([text]);
});

test('lines that belong to one paragraph stay together', () => {
  expect(splitText('a list:\n- one\n- two\n\nThe end.', fitsIn(22))).toEqual(['a list:\n- one\n- two', 'The end.']);
});

test('a paragraph that is too long is split between sentences, a sentence between words', () => {
  const text = 'The oven is on. The first loaves are out at seven in the morning on Saturday.';
  expect(splitText(text, fitsIn(32))).toEqual([
    'The oven is on.',
    'The first loaves are out at',
    'seven in the morning on',
    'Saturday.',
  ]);
});

test.each([
  ['a word that has no break', 'x'.repeat(45)],
  ['families of emoji', '👨‍👩‍👧‍👦'.repeat(12)],
  ['right-to-left text', 'שלום לכולם. '.repeat(9)],
  ['blank lines and spaces', `${'word  '.repeat(9)}\n\n\n \n${'more '.repeat(9)}`],
])('%s: every item fits, and no character is lost', (_, text) => {
  const items = splitText(text, fitsIn(20));
  expect(items.length).toBeGreaterThan(1);
  for (const item of items) expect(fitsIn(20)(item) || item === '👨‍👩‍👧‍👦').toBe(true);
  expect(dense(items.join(''))).toBe(dense(text));
});

test('items are counted as the network counts: a link is as long as the network says, however long it is', () => {
  const characters: Characters = {
    max: 60,
    counting: '',
    rule: 'CodePoints',
    links: { length: 23, bareDomains: false },
    required: false,
  };
  const fits = (text: string) => countText(characters, text) <= characters.max;
  const link = `https://example.com/${'long/'.repeat(30)}`;
  const items = splitText(`Read it here: ${link} and tell us. We answer every letter ourselves.`, fits);
  expect(items).toEqual([`Read it here: ${link} and tell us.`, 'We answer every letter ourselves.']);
});

test('a hundred thousand characters are split in a bounded number of steps', () => {
  let calls = 0;
  const fits = (text: string) => {
    calls++;
    return text.length <= 300;
  };
  expect(splitText('word '.repeat(20_000), fits).length).toBeGreaterThan(300);
  expect(calls).toBeLessThan(25_000);
});

test('the excess begins after the last character that fits, and never inside of one', () => {
  expect(excessStart('Hello', fitsIn(5))).toBeUndefined();
  expect(excessStart('Hello world', fitsIn(5))).toBe(5);
  const graphemes = (text: string) =>
    countText({ max: 3, counting: '', rule: 'Graphemes', required: false }, text) <= 3;
  expect(excessStart('ab👨‍👩‍👧‍👦cd', graphemes)).toBe('ab👨‍👩‍👧‍👦'.length);
  expect(excessStart('x'.repeat(100_000), fitsIn(300))).toBe(300);
});
