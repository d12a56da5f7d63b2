import { z } from 'zod';
import type { Lookup } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export const locationScope = 'threads_location_tagging';

const Text = z.string().optional();
const Place = z.object({ id: z.string().regex(/^\d+$/), name: z.string(), address: Text, city: Text, country: Text });
const Places = z.object({ data: z.array(Place) });

export const findPlaces: Lookup = async (site, account, words) => {
  if (!account.scopes.includes(locationScope)) {
    throw new NetworkTrouble(
      'permission',
      `Threads shows places only to apps with the permission ${locationScope}: the operator of this server sets THREADS_LOCATION, then the account is connected again.`,
    );
  }
  if (words === '') return [];
  // The guide calls the parameter q, the reference query. Graph ignores a parameter that it does not know.
  const query = { q: words, query: words, fields: 'id,name,address,city,country' };
  const answer = await ask(site, account, { path: '/location_search', query });
  const { data } = shaped(Places, { ...answer, json: withIdsAsText(answer.text) });
  return data.map(({ id, name, address, city, country }) => ({
    value: id,
    label: [name, address, city, country].filter((part, index, all) => part && all.indexOf(part) === index).join(', '),
  }));
};

/** The examples show ids as numbers, which can be too long for a JavaScript number. */
const withIdsAsText = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(/("id"\s*:\s*)(\d+)/g, '$1"$2"'));
  } catch {
    return undefined;
  }
};
