import type { Characters } from '#contracts/providers';
import { countText, graphemes } from './counting.ts';
import { findLinks } from './links.ts';

/** `rest` is what readers see only after a click; empty when the text is shown whole. */
export interface FoldedText {
  readonly shown: string;
  readonly rest: string;
}

/**
 * Cuts a text where the network does. Pure, so that the browser cuts with the rule that the server declares. A fold after
 * lines depends on the width of the screen, so here such a text stays whole.
 */
export const foldText = (characters: Characters, text: string): FoldedText => {
  const { fold } = characters;
  if (fold === undefined || fold.unit === 'Lines') return { shown: text, rest: '' };
  const end = fold.unit === 'Counted' ? endByRule(characters, text, fold.at) : endByGraphemes(text, fold.at);
  // Do not fold when only spaces would be hidden.
  return text.slice(end).trim() === ''
    ? { shown: text, rest: '' }
    : { shown: text.slice(0, end), rest: text.slice(end) };
};

const endByGraphemes = (text: string, at: number): number => {
  let end = 0;
  let length = 0;
  for (const piece of graphemes(text)) {
    if (++length > at) break;
    end += piece.length;
  }
  return end;
};

/** A link counts as a whole, so the cut is before it or after it. */
const endByRule = (characters: Characters, text: string, at: number): number => {
  const { links, ...plain } = characters;
  // Every character counts at least 1 and every link at least its length, so the cut is among these links.
  const firstLinks = links ? findLinks(text, { ...links, most: Math.ceil(at / links.length) + 1 }) : [];
  let end = 0;
  let length = 0;
  for (const link of [...firstLinks, { start: text.length, end: text.length }]) {
    for (const piece of graphemes(text.slice(end, link.start))) {
      length += countText(plain, piece);
      if (length > at) return end;
      end += piece.length;
    }
    length += links && link.end > link.start ? links.length : 0;
    if (length > at) return end;
    end = link.end;
  }
  return end;
};
