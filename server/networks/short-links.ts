import { isUrl } from '#contracts/is-url';
import { findLinks } from './links.ts';

/** A link in a text: its visible text and its target. */
export interface ShownLink {
  readonly start: number;
  readonly text: string;
  readonly uri: string;
}

/** Matches as Bluesky's own app does: at the beginning or after a space or a bracket, up to the next space. */
const webLink = /(?<=^|[\s(])https?:\/\/\S+/gi;

export const linksOf = (text: string): ShownLink[] => {
  const whole = Array.from(text.matchAll(webLink), ({ index, 0: typed }) => linkAt(index, withoutEnd(typed), ''));
  const isInside = (at: number) => whole.some(({ start, text: link }) => at >= start && at < start + link.length);
  const bare = findLinks(text, { bareDomains: true })
    .filter(({ hasScheme, start }) => !hasScheme && !isInside(start))
    .map(({ start, end }) => linkAt(start, text.slice(start, end), 'https://'));
  return [...whole, ...bare].filter(({ uri }) => isUrl(uri)).sort((a, b) => a.start - b.start);
};

/** Longer texts are refused anyway. */
const longestText = 3_000;

/**
 * The text as Bluesky's own app publishes it: a link shows its host and the beginning of its path, and keeps the full address
 * as its target. Pure, so that the browser counts exactly what is sent.
 */
export const withShortLinks = (text: string): { readonly text: string; readonly links: readonly ShownLink[] } => {
  if (text.length > longestText) return { text, links: [] };
  let shown = '';
  let from = 0;
  const links: ShownLink[] = [];
  for (const { start, text: typed, uri } of linksOf(text)) {
    shown += text.slice(from, start);
    const link = shortened(typed);
    links.push({ start: shown.length, text: link, uri });
    shown += link;
    from = start + typed.length;
  }
  return { text: shown + text.slice(from), links };
};

const longestPath = 15;

const shortened = (typed: string): string => {
  const address = typed.replace(/^https?:\/\//i, '');
  const hostEnd = address.search(/[/?#]|$/);
  const path = address.slice(hostEnd) === '/' ? '' : address.slice(hostEnd);
  const end = path.length > longestPath ? `${path.slice(0, longestPath - 2)}...` : path;
  return address.slice(0, hostEnd) + end.toWellFormed();
};

const linkAt = (start: number, text: string, scheme: string): ShownLink => ({ start, text, uri: scheme + text });

/** Punctuation at the end of a sentence is not part of the link, nor a bracket that was opened before it. */
const withoutEnd = (link: string): string => {
  const cut = link.replace(/[.,;:!?'"”’»]+$/, '');
  const shorter = cut.endsWith(')') && cut.split(')').length > cut.split('(').length ? cut.slice(0, -1) : cut;
  return shorter === link ? link : withoutEnd(shorter);
};
