import { topLevelDomains } from './top-level-domains.ts';

/** A link in a text, by UTF-16 units. */
export interface Link {
  readonly start: number;
  readonly end: number;
  /** False for a bare domain, with or without a path. */
  readonly hasScheme: boolean;
}

/** X does not link a longer address. */
const longestLink = 4096;
const longestLabel = 63;
const longestDomain = 253;
const longestEnding = 24;
const schemes = ['http://', 'https://'];

/**
 * The links of a text as X, and most other networks, find them: after a space or bracket, a domain with a known ending,
 * then its port, path and query. The work grows only with the length of the text.
 */
export const findLinks = (
  text: string,
  { bareDomains, most = Number.POSITIVE_INFINITY }: { bareDomains: boolean; most?: number },
): Link[] => {
  const links: Link[] = [];
  let done = 0;
  let to = 0;
  for (let dot = text.indexOf('.'); dot !== -1 && links.length < most; dot = text.indexOf('.', done)) {
    let from = dot;
    while (from > done && isHost(text.charCodeAt(from - 1))) from--;
    // A run that contained a link still has the same end, so `to` is kept.
    if (to <= dot) to = dot + 1;
    while (to < text.length && isHost(text.charCodeAt(to))) to++;
    const scheme = schemeBefore(text, from, links.at(-1)?.end ?? 0);
    const link =
      scheme === undefined ? (bareDomains ? firstBare(text, from, to) : undefined) : withScheme(text, scheme, from, to);
    if (link && link.end - link.start <= longestLink) links.push(link);
    done = link ? link.end : to;
  }
  return links;
};

/** Where `http://` or `https://` begins, when it ends at `at`. */
const schemeBefore = (text: string, at: number, floor: number) => {
  if (text[at - 1] !== '/') return undefined;
  for (const scheme of schemes) {
    const start = at - scheme.length;
    if (start >= floor && text.slice(start, at).toLowerCase() === scheme) return start;
  }
  return undefined;
};

const withScheme = (text: string, start: number, from: number, to: number): Link | undefined => {
  if (!mayPrecede(text, start)) return undefined;
  const domainEnd = endOfDomain(text, from, to);
  return domainEnd === undefined ? undefined : { start, end: endOfAddress(text, domainEnd).end, hasScheme: true };
};

/** The first bare domain in a run of host characters. Only Latin letters belong to it. */
const firstBare = (text: string, from: number, to: number): Link | undefined => {
  for (let at = from; at < to; ) {
    while (at < to && !isLatin(text.charCodeAt(at))) at++;
    let end = at;
    while (end < to && isLatin(text.charCodeAt(end))) end++;
    const link = bareIn(text, at, end, to);
    if (link) return link;
    at = end;
  }
  return undefined;
};

/** Only the top-level domain may continue in another script, up to `most`. */
const bareIn = (text: string, from: number, to: number, most: number): Link | undefined => {
  let start = from;
  while (start < to && isJoint(text.charCodeAt(start))) start++;
  if (!mayStartBare(text, start)) return undefined;
  const domainEnd = endOfDomain(text, start, to, most);
  if (domainEnd === undefined) return undefined;
  for (let at = domainEnd - 1; at > start; at--) if (text[at] === '_') start = at + 1;
  const { end, hasPath } = endOfAddress(text, domainEnd);
  return { start, end: hasPath ? end : domainEnd, hasScheme: false };
};

/** A link does not begin in the middle of a word, a mention, a tag, a sum of money or another address. */
const mayPrecede = (text: string, at: number) =>
  at === 0 || !/[A-Za-z0-9@＠$#＃\uFFFE\uFEFF\uFFFF]/.test(text.charAt(at - 1));

const mayStartBare = (text: string, at: number) => {
  if (!mayPrecede(text, at)) return false;
  const before = text.charAt(at - 1);
  // `日本.example.com`: the Latin part of a longer domain.
  if (before === '.') return at > 1 && text.charCodeAt(at - 2) > 0x7f && isHost(text.charCodeAt(at - 2));
  return !/[-_/]/.test(before);
};

/** The end of the longest domain that begins at `from` and has a known ending. */
const endOfDomain = (text: string, from: number, to: number, most = to): number | undefined => {
  let domainEnd: number | undefined;
  let label = from;
  while (label < to && label - from < longestDomain) {
    let end = label;
    let hasUnderscore = false;
    for (; end < to && text[end] !== '.'; end++) hasUnderscore ||= text[end] === '_';
    const isLabel = end > label && !isJoint(text.charCodeAt(label)) && !isJoint(text.charCodeAt(end - 1));
    if (end === to || !isLabel || end - label > longestLabel) break;
    if (!hasUnderscore) domainEnd = endOfEnding(text, end + 1, most) ?? domainEnd;
    label = end + 1;
  }
  return domainEnd;
};

/** The end of a top-level domain that begins at `at`. `example.comです` ends in `com`. */
const endOfEnding = (text: string, at: number, to: number): number | undefined => {
  const isEncoded = /x/i.test(text.charAt(at)) && text.slice(at, at + 4).toLowerCase() === 'xn--';
  if (isEncoded) {
    let end = at + 4;
    while (end < to && /[-0-9a-z]/i.test(text.charAt(end))) end++;
    return end > at + 4 ? end : undefined;
  }
  let end = at;
  let hasCapitals = false;
  for (; end < to && end - at <= longestEnding && isLetter(text.charCodeAt(end)); end++) {
    hasCapitals ||= mayBeCapital(text.charCodeAt(end));
  }
  for (let until = end; until > at + 1; until--) {
    if (continuesWord(text.charCodeAt(until))) continue;
    const ending = text.slice(at, until);
    if (topLevelDomains.has(hasCapitals ? ending.toLowerCase() : ending)) return until;
  }
  return undefined;
};

/** Lower-casing is slow, so scripts without capitals skip it. */
const mayBeCapital = (code: number) => (code >= 0x41 && code <= 0x5a) || (code > 0x7f && code < 0x2e80);

/** A letter, digit, @, + or - after an ending makes it part of a longer word. */
const continuesWord = (code: number) =>
  isAsciiLetter(code) || isDigit(code) || code === 0x40 || code === 0x2b || code === 0x2d;

const endOfAddress = (text: string, domainEnd: number): { end: number; hasPath: boolean } => {
  let end = domainEnd;
  if (text[end] === ':' && isDigit(text.charCodeAt(end + 1))) {
    end++;
    while (isDigit(text.charCodeAt(end))) end++;
  }
  const hasPath = text[end] === '/';
  if (hasPath) end = endOfPath(text, end + 1);
  if (text[end] === '?') end = endOfQuery(text, end + 1) ?? end;
  return { end, hasPath };
};

/** A full stop after an address is not part of it; a closing bracket only if it was opened inside. */
const endOfPath = (text: string, from: number): number => {
  let last = from;
  for (let at = from; at < text.length && at - from <= longestLink; ) {
    const code = text.charCodeAt(at);
    if (isIn(code, inPath)) {
      at++;
      if (isIn(code, endsPath)) last = at;
    } else {
      const closed = code === open ? endOfBrackets(text, at) : undefined;
      if (closed === undefined) break;
      at = closed;
      last = at;
    }
  }
  return last;
};

/** `(film)` or `(Album_(Edited))`. */
const endOfBrackets = (text: string, from: number): number | undefined => {
  const skip = (at: number) => {
    let end = at;
    while (end < text.length && end - from <= longestLink && isIn(text.charCodeAt(end), inPath)) end++;
    return end;
  };
  const first = skip(from + 1);
  if (text.charCodeAt(first) === close) return first > from + 1 ? first + 1 : undefined;
  if (text.charCodeAt(first) !== open) return undefined;
  const second = skip(first + 1);
  if (second === first + 1 || text.charCodeAt(second) !== close) return undefined;
  const third = skip(second + 1);
  return text.charCodeAt(third) === close ? third + 1 : undefined;
};

const endOfQuery = (text: string, from: number): number | undefined => {
  let last: number | undefined;
  for (let at = from; at < text.length && at - from <= longestLink; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f || !isIn(code, inQuery)) break;
    if (isIn(code, endsQuery)) last = at + 1;
  }
  return last;
};

const open = 0x28;
const close = 0x29;
const inPath = 1;
const endsPath = 2;
const inQuery = 4;
const endsQuery = 8;

const alphanumerics = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const kinds = new Uint8Array(128);
for (const [kind, characters] of [
  [inPath, `${alphanumerics}!*';:=+,.$/%#[]-_~@|&`],
  [endsPath, `${alphanumerics}+-=_#/`],
  [inQuery, `${alphanumerics}!?*'@();:&=+$/%#[]-_.,~|`],
  [endsQuery, `${alphanumerics}-_&=#/`],
] as const) {
  for (const character of characters) kinds[character.charCodeAt(0)] = (kinds[character.charCodeAt(0)] ?? 0) | kind;
}

const isIn = (code: number, kind: number): boolean => {
  if (code <= 0x7f) return ((kinds[code] ?? 0) & kind) !== 0;
  return isAccent(code) || (code >= 0x400 && code <= 0x4ff) || (code === 0x2013 && kind === inPath);
};

const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isAsciiLetter = (code: number) => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
const isLetter = (code: number) => isAsciiLetter(code) || (code > 0x7f && isHost(code));
/** A hyphen or underscore stands inside a label, a full stop between two. */
const isJoint = (code: number) => code === 0x2d || code === 0x2e || code === 0x5f;

const isAccent = (code: number) =>
  (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) ||
  (code >= 0x300 && code <= 0x36f) ||
  (code >= 0x1e00 && code <= 0x1eff);

const isLatin = (code: number) => isDigit(code) || isAsciiLetter(code) || isJoint(code) || isAccent(code);

/** Not a space, a direction mark or an invalid character. */
const isHost = (code: number) =>
  code <= 0x7f ? isDigit(code) || isAsciiLetter(code) || isJoint(code) : !isSpaceOrMark(code);

const isSpaceOrMark = (code: number) =>
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x61c ||
  code === 0x1680 ||
  code === 0x180e ||
  (code >= 0x2000 && code <= 0x206f && isGeneralMark(code)) ||
  code === 0x3000 ||
  code === 0xfeff ||
  code >= 0xfffe;

const isGeneralMark = (code: number) =>
  code <= 0x200a ||
  code === 0x200e ||
  code === 0x200f ||
  (code >= 0x2028 && code <= 0x202f) ||
  code === 0x205f ||
  (code >= 0x2066 && code <= 0x2069);
