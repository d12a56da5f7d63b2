import type { IncomingHttpHeaders } from 'node:http';
import { shorten } from '#server/base/shorten';
import { clientInfoKey, type Fields, isFields } from './protocol.ts';

const maxCharacters = 80;
const fallbackName = 'an MCP client';
/** The app's own assistant signs its approval cards with this name; no other client may. */
const isReserved = (name: string) => /^assistant$/i.test(name.normalize('NFKC'));

/** The name on the approval card. Clients choose it themselves, so it is cleaned and never trusted. */
export const clientName = (meta: Fields, headers: IncomingHttpHeaders): string => {
  const info = meta[clientInfoKey];
  const { title, name } = isFields(info) ? info : {};
  const claimedName = cleaned(title) || cleaned(name) || cleaned(headers['user-agent']) || fallbackName;
  return isReserved(claimedName) ? `${claimedName} (an MCP client)` : claimedName;
};

/** Control characters and those that turn the direction of text could make one name look like another. */
const cleaned = (text: unknown) => {
  if (typeof text !== 'string') return '';
  const line = text
    .slice(0, 1000)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return shorten(line, maxCharacters);
};
