import emojilib from 'emojilib';
import { expect, test } from 'vitest';
import { groupEmoji, searchEmoji } from '#web/pages/post/editor/emoji-search.ts';

/** The package is one JSON file. */
const keywords = emojilib as unknown as Record<string, string[]>;
const groups = groupEmoji(keywords);
const find = (query: string) => searchEmoji(groups, query, 20).map(({ character }) => character);

test('every emoji is in one of nine groups', () => {
  expect(groups.map(({ name }) => name)).toEqual([
    'Smileys',
    'People',
    'Animals and nature',
    'Food and drink',
    'Places',
    'Activities',
    'Objects',
    'Symbols',
    'Flags',
  ]);
  expect(groups.flatMap(({ emoji }) => emoji)).toHaveLength(Object.keys(keywords).length);
  const foods = groups.find(({ name }) => name === 'Food and drink')?.emoji.map(({ character }) => character);
  expect(foods).toEqual(expect.arrayContaining(['🍞', '🥐', '🎂', '☕']));
});

test('a search matches the beginning of words, names before keywords, and every word of it', () => {
  expect(find('birthday ca')[0]).toBe('🎂');
  expect(find('bread')[0]).toBe('🍞');
  expect(find('happy')).toContain('😀');
  expect(find('no such emoji')).toEqual([]);
});
