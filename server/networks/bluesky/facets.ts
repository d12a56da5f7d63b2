import { isUrl } from '#contracts/is-url';
import { utf8Bytes } from '#server/networks/counting';
import { findLinks } from '#server/networks/links';
import { countGraphemes } from '#server/networks/shared/text';

/** A piece of text with a link. Bluesky finds no links by itself: the client says where they are, in bytes. */
export interface Facet {
  readonly index: { readonly byteStart: number; readonly byteEnd: number };
  readonly features: readonly [Feature];
}

type Feature =
  | { readonly $type: 'app.bsky.richtext.facet#link'; readonly uri: string }
  | { readonly $type: 'app.bsky.richtext.facet#tag'; readonly tag: string }
  | { readonly $type: 'app.bsky.richtext.facet#mention'; readonly did: string };

interface Piece {
  readonly start: number;
  readonly text: string;
}

const maxTagGraphemes = 64;

/** As Bluesky's own app finds them: after the beginning, a space or a bracket, up to the next space. */
const webLink = /(?<=^|[\s(])https?:\/\/\S+/gi;
const mention = /(?<=^|[\s(])@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?/gi;
const cashtag = /(?<=^|[\s(])\$[a-z][a-z0-9]{0,4}(?=$|[\s.,;:!?)"'\u2019])/gi;
const tag = /(?<=^|\s)[#＃][^\s\p{Cf}]+/gu;

export interface Link extends Piece {
  readonly uri: string;
}

export const linksOf = (text: string): Link[] => {
  const whole = pieces(text, webLink).map(({ start, text }) => linkAt(start, withoutEnd(text), ''));
  const bare = findLinks(text, { bareDomains: true })
    .filter(({ hasScheme, start }) => !hasScheme && !whole.some((link) => isInside(start, link)))
    .map(({ start, end }) => linkAt(start, text.slice(start, end), 'https://'));
  return [...whole, ...bare].filter(({ uri }) => isUrl(uri)).sort((a, b) => a.start - b.start);
};

export const handlesOf = (text: string): string[] => [
  ...new Set(pieces(text, mention).map(({ text }) => handleOf(text))),
];

/** Handles that nobody has stay plain text. */
export const facetsOf = (text: string, dids: Readonly<Record<string, string>>): Facet[] => {
  const found: (Piece & { feature: Feature })[] = linksOf(text).map(({ uri, ...piece }) => ({
    ...piece,
    feature: { $type: 'app.bsky.richtext.facet#link', uri },
  }));
  for (const piece of pieces(text, mention)) {
    const did = dids[handleOf(piece.text)];
    if (did !== undefined) found.push({ ...piece, feature: { $type: 'app.bsky.richtext.facet#mention', did } });
  }
  for (const { start, text: typed } of pieces(text, tag)) {
    const whole = typed.replace(/\p{P}+$/u, '');
    const name = whole.slice(1);
    if (!/[^\d\p{P}\p{M}]/u.test(name) || countGraphemes(name) > maxTagGraphemes) continue;
    found.push({ start, text: whole, feature: { $type: 'app.bsky.richtext.facet#tag', tag: name } });
  }
  for (const piece of pieces(text, cashtag)) {
    const isTaken = found.some((other) => isInside(piece.start, other));
    // As Bluesky's own app writes it, in capitals and with its sign.
    const feature = { $type: 'app.bsky.richtext.facet#tag', tag: piece.text.toUpperCase() } as const;
    if (!isTaken) found.push({ ...piece, feature });
  }
  return found
    .sort((a, b) => a.start - b.start)
    .map(({ start, text: piece, feature }) => {
      const byteStart = utf8Bytes(text.slice(0, start));
      return { index: { byteStart, byteEnd: byteStart + utf8Bytes(piece) }, features: [feature] };
    });
};

const pieces = (text: string, pattern: RegExp): Piece[] =>
  Array.from(text.matchAll(pattern), (match) => ({ start: match.index, text: match[0] }));

const handleOf = (mentioned: string) => mentioned.slice(1).toLowerCase();

const linkAt = (start: number, text: string, scheme: string): Link => ({ start, text, uri: scheme + text });

const isInside = (position: number, { start, text }: Piece) => position >= start && position < start + text.length;

/** The end of a sentence is not part of its link, nor a bracket that was opened before it. */
const withoutEnd = (link: string): string => {
  const cut = link.replace(/[.,;:!?'"”’»]+$/, '');
  const shorter = cut.endsWith(')') && cut.split(')').length > cut.split('(').length ? cut.slice(0, -1) : cut;
  return shorter === link ? link : withoutEnd(shorter);
};
