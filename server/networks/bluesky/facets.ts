import { countGraphemes, utf8Bytes } from '#server/networks/counting';
import type { withShortLinks } from '#server/networks/short-links';

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

/** Matches as Bluesky's own app does: at the beginning, or after a space or a bracket. */
const mention = /(?<=^|[\s(])@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?/gi;
const cashtag = /(?<=^|[\s(])\$[a-z][a-z0-9]{0,4}(?=$|[\s.,;:!?)"'\u2019])/gi;
const tag = /(?<=^|\s)[#＃][^\s\p{Cf}]+/gu;

export const handlesOf = (text: string): string[] => [
  ...new Set(pieces(text, mention).map(({ text }) => handleOf(text))),
];

/** Facets of a text whose links are shortened. Handles that nobody has stay plain text. */
export const facetsOf = (
  { text, links }: ReturnType<typeof withShortLinks>,
  dids: Readonly<Record<string, string>>,
): Facet[] => {
  const facets: (Piece & { feature: Feature })[] = links.map(({ uri, ...piece }) => ({
    ...piece,
    feature: { $type: 'app.bsky.richtext.facet#link', uri },
  }));
  for (const piece of pieces(text, mention)) {
    const did = dids[handleOf(piece.text)];
    if (did !== undefined) facets.push({ ...piece, feature: { $type: 'app.bsky.richtext.facet#mention', did } });
  }
  for (const { start, text: typed } of pieces(text, tag)) {
    const whole = typed.replace(/\p{P}+$/u, '');
    const name = whole.slice(1);
    if (!/[^\d\p{P}\p{M}]/u.test(name) || countGraphemes(name) > maxTagGraphemes) continue;
    facets.push({ start, text: whole, feature: { $type: 'app.bsky.richtext.facet#tag', tag: name } });
  }
  for (const piece of pieces(text, cashtag)) {
    const isTaken = facets.some((other) => isInside(piece.start, other));
    // Bluesky's own app stores a cashtag in capitals and with its `$`.
    const feature = { $type: 'app.bsky.richtext.facet#tag', tag: piece.text.toUpperCase() } as const;
    if (!isTaken) facets.push({ ...piece, feature });
  }
  return facets
    .sort((a, b) => a.start - b.start)
    .map(({ start, text: piece, feature }) => {
      const byteStart = utf8Bytes(text.slice(0, start));
      return { index: { byteStart, byteEnd: byteStart + utf8Bytes(piece) }, features: [feature] };
    });
};

const pieces = (text: string, pattern: RegExp): Piece[] =>
  Array.from(text.matchAll(pattern), (match) => ({ start: match.index, text: match[0] }));

const handleOf = (mentioned: string) => mentioned.slice(1).toLowerCase();

const isInside = (position: number, { start, text }: Piece) => position >= start && position < start + text.length;
