import type { Characters } from '#contracts/providers';
import { findLinks } from './links.ts';
import { littleText } from './little-text.ts';
import { withShortLinks } from './short-links.ts';

/**
 * The length of a text by the network's counting rule, as in providers.limits. Pure, so that the server and the editor in
 * the browser count with the same code. Exact up to `countedUpTo`, which is the result for any longer text.
 */
export const countText = (
  characters: Characters,
  text: string,
  options: Readonly<Record<string, string>> = {},
): number => {
  const most = countedUpTo(characters);
  const optionTexts = (characters.countedOptions ?? []).map((key) => options[key]?.trim() ?? '');
  const length = optionTexts.reduce((sum, option) => sum + count(characters, option, most), 0);
  return Math.min(length + count(characters, readable(characters, text), most), most);
};

/** Beyond four times the limit the exact length does not matter, and counting stops. */
export const countedUpTo = ({ max }: Pick<Characters, 'max'>): number => Math.max(4 * max, 1_000);

/** Real characters have fewer UTF-16 units. */
const longestCharacter = 32;

const count = ({ rule, links }: Characters, text: string, most: number): number => {
  if (rule === 'Utf16Units') return text.length;
  if (text.length > most * longestCharacter && !(rule === 'Weighted' && links)) return most;
  return counters[rule](text, most, links);
};

type Counter = (text: string, most: number, links: Characters['links']) => number;

const counters: Readonly<Record<Exclude<Characters['rule'], 'Utf16Units'>, Counter>> = {
  CodePoints: (text, most) => sumOf(text, most, () => 1),
  Utf8Bytes: (text, most) => sumOf(text, most, bytesOf),
  Escaped: (text, most) => littleText(text.slice(0, most)).length,
  Graphemes: (text, most) => sumOfGraphemes(text, most, () => 1),
  EmojiBytes: (text, most) =>
    sumOfGraphemes(text, most, (piece) => sumOf(piece, most, emoji.test(piece) ? bytesOf : () => 1)),
  Weighted: (text, most, links) => weightOf(text, most, links),
};

/**
 * The text as the network counts it: mentions without their host, links replaced by a placeholder of the counted
 * length.
 */
const readable = (characters: Characters, text: string): string => {
  const { rule, links, shortLinks, shortMentions } = characters;
  if (rule === 'Weighted') return text;
  if (shortLinks) return withShortLinks(text).text;
  const short = links ? replaceLinks(text, links, countedUpTo(characters)) : text;
  return shortMentions ? short.replace(remoteMention, '@$1') : short;
};

type Links = NonNullable<Characters['links']>;

/** A text with this many links exceeds the limit by the links alone. */
const mostLinks = ({ length }: Links, most: number) => Math.ceil(most / length);

const replaceLinks = (text: string, links: Links, most: number): string => {
  const { length, bareDomains } = links;
  let from = 0;
  const pieces: string[] = [];
  for (const { start, end } of findLinks(text, { bareDomains, most: mostLinks(links, most) })) {
    pieces.push(text.slice(from, start), 'x'.repeat(length));
    from = end;
  }
  return pieces.join('') + text.slice(from);
};

const remoteMention = /(?<![/\w])@(\w+(?:[.-]+\w+)*)@[a-z0-9.-]+[a-z0-9]/gi;

const sumOf = (text: string, most: number, weight: (code: number) => number): number => {
  let sum = 0;
  for (let at = 0; at < text.length && sum < most; ) {
    const code = text.codePointAt(at) ?? 0;
    sum += weight(code);
    at += unitsOf(code);
  }
  return sum;
};

const unitsOf = (code: number) => (code > 0xffff ? 2 : 1);

const bytesOf = (code: number) => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

/** Counts the whole text, without an upper bound. */
export const utf8Bytes = (text: string): number => sumOf(text, Number.POSITIVE_INFINITY, bytesOf);

export const codePoints = (text: string): number => sumOf(text, Number.POSITIVE_INFINITY, () => 1);

export const countGraphemes = (text: string): number => sumOfGraphemes(text, Number.POSITIVE_INFINITY, () => 1);

/** Pictographs, flags and keycaps. */
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

/** In this range every code unit is one grapheme. */
const plain = /^[\n -~]*$/;

/** Created lazily, because that is the slowest step here. */
let segmenter: Intl.Segmenter | undefined;
const chunk = 500;

/**
 * User-perceived characters: a family emoji or a letter with its accent is one. Works in chunks, because the segmenter of
 * Node 20 takes seconds for a long text. A chunk may end inside a grapheme or a surrogate pair, so the next chunk begins
 * with the last two graphemes of this one.
 */
export const graphemes = function* (text: string): Generator<string> {
  if (plain.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (let start = 0; start < text.length; ) {
    const end = start + chunk;
    const pieces = Array.from(segmenter.segment(text.slice(start, end)), ({ segment }) => segment);
    if (end < text.length && pieces.length > 2) pieces.splice(-2);
    for (const piece of pieces) start += piece.length;
    yield* pieces;
  }
};

const sumOfGraphemes = (text: string, most: number, weight: (piece: string) => number): number => {
  // Most texts are plain, and no rule weighs a plain character other than 1.
  if (plain.test(text)) return text.length;
  let sum = 0;
  for (const piece of graphemes(text)) {
    sum += weight(piece);
    if (sum >= most) break;
  }
  return sum;
};

/**
 * X: Latin and most European characters count 1, others 2, an emoji 2 however long, a link 23. Accents are composed
 * first.
 */
const weightOf = (text: string, most: number, links: Characters['links']): number => {
  let sum = 0;
  let from = 0;
  for (const { start, end } of links ? findLinks(text, { ...links, most: mostLinks(links, most) }) : []) {
    sum += weightOfPlain(text.slice(from, start), most - sum) + (links?.length ?? 0);
    if (sum >= most) return sum;
    from = end;
  }
  return sum + weightOfPlain(text.slice(from), most - sum);
};

/** Normalizes grapheme by grapheme, because a hundred thousand accents on one letter take seconds otherwise. */
const weightOfPlain = (text: string, most: number): number =>
  sumOfGraphemes(text, most, (piece) => weightOfCharacter(piece.normalize('NFC')));

const weightOfCharacter = (text: string): number => {
  let sum = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) ?? 0;
    const emojiUnits = mayBeEmoji(text, at, code) ? unitsOfEmoji(text, at) : 0;
    sum += emojiUnits > 0 || !isLight(code) ? 2 : 1;
    at += emojiUnits || unitsOf(code);
  }
  return sum;
};

const isLight = (code: number) =>
  code <= 0x10ff ||
  (code >= 0x2000 && code <= 0x200d) ||
  (code >= 0x2010 && code <= 0x201f) ||
  (code >= 0x2032 && code <= 0x2037);

/** A digit is an emoji with a keycap, and © with the emoji variation selector. */
const mayBeEmoji = (text: string, at: number, code: number) => {
  if (code > 0x2000) return code < 0x3300 || code > 0x1f000;
  const next = text.charCodeAt(at + 1);
  return next === 0xfe0f || next === 0x20e3;
};

const picture = '\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?';
/** A flag, a keycap, or up to four pictures joined into one. */
const oneEmoji = new RegExp(
  `\\p{RGI_Emoji_Flag_Sequence}|\\p{RGI_Emoji_Tag_Sequence}|[#*0-9]\\uFE0F?\\u20E3|${picture}(?:\\u200D${picture}){0,3}`,
  'vy',
);

const unitsOfEmoji = (text: string, at: number): number => {
  oneEmoji.lastIndex = at;
  return oneEmoji.exec(text)?.[0].length ?? 0;
};
