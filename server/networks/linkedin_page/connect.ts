import { z } from 'zod';
import { ask, call } from '#server/networks/families/linkedin/api';
import { createConnect } from '#server/networks/families/linkedin/connect';
import type { Json, NetworkAccount, Profile, Site, Tokens } from '#server/networks/network';
import { type NetworkAnswer, shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

/** LinkedIn checks comments against the `_feed` scopes, posts against the others. */
const commentScope = 'w_organization_social_feed';

export const scopes = [
  'r_organization_social',
  'w_organization_social',
  'r_organization_social_feed',
  commentScope,
  'rw_organization_admin',
];

const Logo = z.object({
  'original~': z.object({
    elements: z.array(z.object({ identifiers: z.array(z.object({ identifier: z.string() })) })),
  }),
});

const Page = z
  .object({
    localizedName: z.string(),
    vanityName: z.string().optional(),
    logoV2: Logo.optional().catch(undefined),
  })
  // For a closed page, LinkedIn returns its id without its details.
  .optional()
  .catch(undefined);

const Role = z.object({ role: z.string() });
/** The versioned API, and the one before it. */
const Roles = z.object({
  elements: z.array(
    z.union([
      Role.extend({ organization: z.string(), 'organization~': Page }).transform((one) => ({
        role: one.role,
        urn: one.organization,
        page: one['organization~'],
      })),
      Role.extend({ organizationalTarget: z.string(), 'organizationalTarget~': Page }).transform((one) => ({
        role: one.role,
        urn: one.organizationalTarget,
        page: one['organizationalTarget~'],
      })),
    ]),
  ),
});

/** Built as text, because LinkedIn does not understand encoded brackets. */
const rolesPath = (finder: string, target: string) =>
  `${finder}?q=roleAssignee&state=APPROVED&start=0&count=100` +
  `&projection=(elements*(role,${target}~(localizedName,vanityName,logoV2(original~:playableStreams))))`;

const urnStart = 'urn:li:organization:';

const writers = ['ADMINISTRATOR', 'CONTENT_ADMINISTRATOR', 'DIRECT_SPONSORED_CONTENT_POSTER'];

/** Some apps may use only the older finder, and the versioned one may leave the names out. */
const readRoles = async (site: Site, tokens: Tokens): Promise<NetworkAnswer> => {
  const answer = await call(site, { tokens }, { path: rolesPath('/rest/organizationAcls', 'organization') });
  const elements = Roles.safeParse(answer.json).data?.elements;
  const isNamed = elements?.length === 0 || elements?.some(({ page }) => page !== undefined);
  if (answer.status < 400 && isNamed) return answer;
  return ask(site, { tokens }, { path: rolesPath('/v2/organizationalEntityAcls', 'organizationalTarget') });
};

/** Every page that the person may write for. */
const readPages = async (
  site: Site,
  tokens: Tokens,
  granted: readonly string[],
): Promise<(Profile & { id: string })[]> => {
  const { elements } = shaped(Roles, await readRoles(site, tokens));
  const pages = elements.flatMap(({ role, urn, page }) => {
    if (page === undefined || !urn.startsWith(urnStart) || !writers.includes(role)) return [];
    const avatarUrl = page.logoV2?.['original~'].elements[0]?.identifiers[0]?.identifier;
    return {
      id: urn.slice(urnStart.length),
      name: page.localizedName,
      handle: page.vanityName ?? page.localizedName,
      ...(avatarUrl && { avatarUrl }),
      facts: { canComment: granted.includes(commentScope) },
    };
  });
  // Somebody may have several roles on one page.
  return [...new Map(pages.map((page) => [page.id, page])).values()];
};

const Facts = z.object({ canComment: z.boolean() });

/** Accounts that were connected before the scope was asked for do not have it. */
export const lacksComments = (facts: Json | undefined): boolean => Facts.safeParse(facts).data?.canComment === false;

export const connect = createConnect(scopes, readPages);

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> => {
  const page = (await readPages(site, account.tokens, account.scopes)).find(({ id }) => id === account.id);
  if (page === undefined) {
    throw new NetworkTrouble(
      'permission',
      'The person who connected this page may no longer write for it. Let an administrator connect it again.',
    );
  }
  const { id: _, ...details } = page;
  return details;
};
