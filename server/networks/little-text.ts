import { findLinks } from './links.ts';

/**
 * LinkedIn's "little text": reserved characters must be escaped, because an unescaped bracket silently cuts off the rest of
 * the post. Hashtags and mentions have their own syntax; links stay as they are. Pure, so that the browser counts exactly
 * what is sent.
 */
export const littleText = (text: string): string => {
  let from = 0;
  const pieces: string[] = [];
  for (const { start, end } of findLinks(text, { bareDomains: false })) {
    pieces.push(withoutLinks(text.slice(from, start)), text.slice(start, end).replace(inLinks, encodeBracket));
    from = end;
  }
  return pieces.join('') + withoutLinks(text.slice(from));
};

/** The text as readers see it, for comparison. */
export const plainText = (text: string): string =>
  text
    .replace(/\{hashtag\|\\?#\|([^}]*)\}/g, '#$1')
    .replace(/@\[((?:\\.|[^\]\\])*)\]\(urn:li:(?:organization|person):[\w-]+\)/g, '$1')
    .replace(/\\([\\|{}@[\]()<>#*_~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFC');

const reserved = /[\\|{}@[\]()<>#*_~]/g;
const special =
  /@\[([^\][\n]{1,200})\]\((urn:li:(?:organization:\d{1,20}|person:[\w-]{1,40}))\)|(?<![\p{L}\p{N}_&])#([\p{N}_]*\p{L}[\p{L}\p{N}_]*)|[\\|{}@[\]()<>#*_~]/gu;

const withoutLinks = (text: string) =>
  text.replace(special, (sign, name?: string, urn?: string, tag?: string) => {
    if (urn !== undefined) return `@[${escaped(name ?? '')}](${urn})`;
    return tag === undefined ? `\\${sign}` : `{hashtag|\\#|${escaped(tag)}}`;
  });

const escaped = (text: string) => text.replace(reserved, '\\$&');

/** Percent-encodes the reserved characters that would cut off the text; the address stays the same. */
const inLinks = /[()[\]|]/g;
const encodeBracket = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
