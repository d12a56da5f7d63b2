import { z } from 'zod';
import { ask } from '#server/networks/families/linkedin/api';
import { createConnect } from '#server/networks/families/linkedin/connect';
import type { NetworkAccount, Profile, Site, Tokens } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

export const scopes = ['r_organization_social', 'w_organization_social', 'rw_organization_admin'];

const Logo = z.object({
  'original~': z.object({
    elements: z.array(z.object({ identifiers: z.array(z.object({ identifier: z.string() })) })),
  }),
});

const Roles = z.object({
  elements: z.array(
    z.object({
      role: z.string(),
      organizationalTarget: z.string(),
      'organizationalTarget~': z
        .object({
          localizedName: z.string(),
          vanityName: z.string().optional(),
          logoV2: Logo.optional().catch(undefined),
        })
        // A page that was closed is named, but not shown.
        .optional()
        .catch(undefined),
    }),
  ),
});

/** Written by hand: LinkedIn does not understand brackets that are encoded. */
const rolesPath =
  '/v2/organizationalEntityAcls?q=roleAssignee&state=APPROVED&start=0&count=100' +
  '&projection=(elements*(role,organizationalTarget~(localizedName,vanityName,logoV2(original~:playableStreams))))';

const urnStart = 'urn:li:organization:';

const writers = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR'];

/** Every page that the person may write for. */
const readPages = async (site: Site, tokens: Tokens): Promise<(Profile & { id: string })[]> => {
  const { elements } = shaped(Roles, await ask(site, { tokens }, { path: rolesPath }));
  return elements.flatMap(({ role, organizationalTarget: urn, 'organizationalTarget~': page }) => {
    if (page === undefined || !urn.startsWith(urnStart) || !writers.includes(role)) return [];
    const avatarUrl = page.logoV2?.['original~'].elements[0]?.identifiers[0]?.identifier;
    return {
      id: urn.slice(urnStart.length),
      name: page.localizedName,
      handle: page.vanityName ?? page.localizedName,
      ...(avatarUrl && { avatarUrl }),
      facts: null,
    };
  });
};

export const connect = createConnect(scopes, readPages);

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> => {
  const page = (await readPages(site, account.tokens)).find(({ id }) => id === account.id);
  if (page === undefined) {
    throw new NetworkTrouble(
      'permission',
      'The person who connected this page may no longer write for it. Let an administrator connect it again.',
    );
  }
  const { id: _, ...told } = page;
  return told;
};
