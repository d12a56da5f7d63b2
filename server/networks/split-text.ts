import { graphemes } from './counting.ts';

/** Whether a text fits the limits of all networks in question. */
type Fits = (text: string) => boolean;

/**
 * Splits a text into items that fit: between paragraphs where possible, else between sentences, words, characters. Nothing
 * but spaces between items is lost. Pure, because the editor splits in the browser.
 */
export const splitText = (text: string, fits: Fits): string[] =>
  pack(text, fits, 0)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Each splits a text into pieces that together are the text. */
const splitters: readonly ((text: string) => string[])[] = [
  (text) => text.match(/[^\n]*(?:\n(?!\s*\n)[^\n]*)*(?:\n\s*\n)?/g)?.filter((piece) => piece !== '') ?? [],
  (text) => Array.from(new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text), ({ segment }) => segment),
  (text) => text.match(/\s*\S+\s*/g) ?? [],
  (text) => [...graphemes(text)],
];

const pack = (text: string, fits: Fits, level: number): string[] => {
  const split = splitters[level];
  if (split === undefined || fits(text.trim())) return [text];
  const items: string[] = [];
  let current = '';
  for (const piece of split(text)) {
    if (fits((current + piece).trim())) {
      current += piece;
      continue;
    }
    if (current.trim() !== '') items.push(current);
    const parts = pack(piece, fits, level + 1);
    current = parts.pop() ?? '';
    items.push(...parts);
  }
  return current.trim() === '' ? items : [...items, current];
};

/** Longer texts are cut here first, so that one key press costs a bounded time. */
const longestSearched = 20_000;

/** Where the part over the limit begins; undefined when the text fits. */
export const excessStart = (text: string, fits: Fits): number | undefined => {
  if (fits(text)) return undefined;
  const ends = [0];
  for (const piece of graphemes(text.slice(0, longestSearched))) ends.push((ends.at(-1) ?? 0) + piece.length);
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(text.slice(0, ends[middle]))) low = middle;
    else high = middle - 1;
  }
  return ends[low];
};
