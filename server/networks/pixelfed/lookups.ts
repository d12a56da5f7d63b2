import { z } from 'zod';
import { ask } from '#server/networks/families/mastodon/api';
import { idAtServer } from '#server/networks/families/mastodon/connect';
import type { Lookup } from '#server/networks/network';
import { shaped } from '#server/networks/request';

const Places = z.array(z.object({ id: z.int().positive(), name: z.string(), country: z.string().nullish() }));

/** Cities of the world, which every server has. */
export const findPlaces: Lookup = async (site, account, words) => {
  if (words === '') return [];
  const answer = await ask(site, account, { path: '/api/v1.1/compose/search/location', query: { q: words } });
  return shaped(Places, answer).map(({ id, name, country }) => ({
    value: String(id),
    label: country ? `${name}, ${country}` : name,
  }));
};

const Collections = z.array(z.object({ id: z.string(), title: z.string().nullish() }));
const maxPages = 5;

/** Collections of the account itself; the server returns nine at a time. */
export const findCollections: Lookup = async (site, account, words) => {
  const path = `/api/v1.1/collections/accounts/${encodeURIComponent(idAtServer(account))}`;
  const collections: z.output<typeof Collections> = [];
  for (let page = 1; page <= maxPages; page++) {
    const more = shaped(Collections, await ask(site, account, { path, query: { page } }));
    collections.push(...more);
    if (more.length === 0) break;
  }
  return collections
    .map(({ id, title }) => ({ value: id, label: title || 'Untitled collection' }))
    .filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()));
};
