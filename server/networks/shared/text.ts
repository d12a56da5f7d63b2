import type { Characters } from '#contracts/providers';
import { findLinks } from '#server/networks/links';

/** For networks that document only "characters": UTF-16 units are never fewer than what they count. */
export const countedAsUnits: Pick<Characters, 'counting' | 'rule'> = {
  counting: 'Characters as UTF-16 units: a letter is 1, most emoji are 2 or more, a URL counts in full',
  rule: 'Utf16Units',
};

/** Links beyond this position do not matter: the text is already too long. */
const mostScanned = 1_500;

/** Every link a network may see, bare domains included. */
export const links = (text: string): string[] =>
  findLinks(text.slice(0, mostScanned), { bareDomains: true }).map(({ start, end }) => text.slice(start, end));

export const replaceLinks = (text: string, replacement: (link: string) => string): string => {
  let from = 0;
  const pieces: string[] = [];
  for (const { start, end } of findLinks(text, { bareDomains: true })) {
    pieces.push(text.slice(from, start), replacement(text.slice(start, end)));
    from = end;
  }
  return pieces.join('') + text.slice(from);
};

/** Normalizes a text, to compare ours with the network's version of it. */
export const comparable = (text: string): string => text.replace(/\s+/g, ' ').trim().normalize('NFC');

export const isLanguage = (tag: string): boolean => {
  try {
    return tag.length <= longestTag && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
};

const longestTag = 100;
