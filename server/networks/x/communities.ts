import { z } from 'zod';
import type { Lookup } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { ask } from './api.ts';

const Community = z.object({ id: z.string(), name: z.string(), member_count: z.number().optional() });
/** Without communities there is no `data`, but errors come with status 200, too. */
const Communities = z.union([
  z.object({ data: z.array(Community) }),
  z.object({ meta: z.object({}), errors: z.undefined().optional() }).transform(() => ({ data: [] })),
]);

/** The smallest number that X accepts. Each community that is read costs the operator. */
const fewest = 10;

export const findCommunities: Lookup = async (site, account, words) => {
  if (words === '') return [];
  const query = { query: words, max_results: fewest, 'community.fields': 'name,member_count' };
  const { data } = shaped(Communities, await ask(site, account, { path: '/2/communities/search', query }));
  return data.map(({ id, name, member_count: members }) => ({
    value: id,
    label: members === undefined ? name : `${name} (${members} member${members === 1 ? '' : 's'})`,
  }));
};
