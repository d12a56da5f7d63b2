import twitter from 'twitter-text';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const chunk = 500;

/**
 * What a reader sees as one character: a family emoji or a letter with its accent is one.
 * Works in chunks, since the segmenter of Node 20 takes seconds for a long text. The cut may go through a character,
 * even through a surrogate pair, so the next chunk begins with the last two pieces of this one.
 */
export const graphemes = (text: string): string[] => {
  const all: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + chunk;
    const pieces = Array.from(segmenter.segment(text.slice(start, end)), ({ segment }) => segment);
    if (end < text.length && pieces.length > 2) pieces.splice(-2);
    for (const piece of pieces) start += piece.length;
    all.push(...pieces);
  }
  return all;
};

export const codePoints = (text: string): number => [...text].length;

export const utf8Bytes = (text: string): number => Buffer.byteLength(text);

/** For networks that say "characters" and no more: UTF-16 units never come out below their count. */
export const characters = (text: string): number => text.length;
export const charactersCounting =
  'Characters as UTF-16 units: a letter is 1, most emoji are 2 or more, a URL counts in full';

/** Looking for bare domains takes time with the square of the length. Fits the longest links in use and a post. */
export const maxScanned = 2_500;

/** Every link a network may see, bare domains included. */
export const links = (text: string): string[] => twitter.extractUrls(text.slice(0, maxScanned));

/** Replaces links that begin with http:// or https://. */
export const replaceWebLinks = (text: string, replacement: string): string => {
  const found = twitter.extractUrlsWithIndices(text, { extractUrlsWithoutProtocol: false });
  const ends = [0, ...found.map(({ indices }) => indices[1])];
  const starts = [...found.map(({ indices }) => indices[0]), text.length];
  return ends.map((end, index) => text.slice(end, starts[index])).join(replacement);
};

export const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};
