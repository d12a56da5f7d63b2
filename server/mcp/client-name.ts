import type { IncomingHttpHeaders } from 'node:http';
import { clientInfoKey, type Fields, isFields } from './protocol.ts';

const maxCharacters = 80;
const nameless = 'an MCP client';
/** A card of the app's own assistant says so; nobody else may look like it. */
const isReserved = (name: string) => /^assistant$/i.test(name.normalize('NFKC'));

/** What a human reads on the approval card. Clients say it of themselves, so it is cleaned and never trusted. */
export const clientName = (meta: Fields, headers: IncomingHttpHeaders): string => {
  const info = meta[clientInfoKey];
  const { title, name } = isFields(info) ? info : {};
  const found = cleaned(title) || cleaned(name) || cleaned(headers['user-agent']) || nameless;
  return isReserved(found) ? `${found} (an MCP client)` : found;
};

/** Control characters and those that turn the direction of text could make one name look like another. */
const cleaned = (text: unknown) => {
  if (typeof text !== 'string') return '';
  const characters = [
    ...text
      .slice(0, 1000)
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim(),
  ];
  return characters.length <= maxCharacters
    ? characters.join('')
    : `${characters.slice(0, maxCharacters - 1).join('')}…`;
};
