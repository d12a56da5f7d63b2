import { z } from 'zod';
import { graphVersion } from '#server/networks/families/meta/graph';
import { askForAccess, plainCode } from '#server/networks/families/meta/tokens';
import type { NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { authorizeUrl, TokenAnswer } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export const scopes = [
  'pages_show_list',
  'pages_read_engagement',
  // To find comments of the Page again, and to count those of others.
  'pages_read_user_content',
  'pages_manage_posts',
  'pages_manage_engagement',
  'business_management',
  'read_insights',
];

const Page = z.object({
  id: z.string(),
  name: z.string(),
  username: z.string().optional(),
  picture: z.object({ data: z.object({ url: z.string() }) }).optional(),
});
const pageFields = 'id,name,username,picture.type(large)';

const OwnPage = Page.extend({ access_token: z.string().optional() });
const Business = z.object({ id: z.string() });
const Permission = z.object({ permission: z.string(), status: z.string() });

const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    data: z.array(entry),
    paging: z
      .object({ next: z.string().optional(), cursors: z.object({ after: z.string().optional() }).optional() })
      .optional(),
  });

const profileOf = ({ id, name, username, picture }: z.output<typeof Page>): Profile => ({
  name,
  // Not every Page has chosen one.
  handle: username ?? id,
  ...(picture && { avatarUrl: picture.data.url }),
  facts: null,
});

const askForToken = async (site: Site, query: Record<string, string>): Promise<Tokens> => {
  const answer = await askForAccess('Facebook', site, {
    url: `${site.host('graph')}/${graphVersion(site)}/oauth/access_token`,
    query: { client_id: site.registration.clientId, client_secret: site.registration.clientSecret, ...query },
  });
  return { accessToken: shaped(TokenAnswer, answer).access_token };
};

/** Upper bound for the pages of a list; nobody manages that many. */
const mostPages = 50;

const readAll = async <Entry extends z.ZodType>(
  site: Site,
  tokens: Tokens,
  entry: Entry,
  { path, fields }: { path: string; fields?: string },
) => {
  const all: z.output<Entry>[] = [];
  let after: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await ask(site, { tokens }, { path, query: { fields, limit: 100, after } });
    const { data, paging } = shaped(listOf(entry), answer);
    all.push(...data);
    // The address of the next page has the token in it, so only its cursor is used.
    after = paging?.next === undefined ? undefined : paging.cursors?.after;
    if (after === undefined) break;
  }
  return all;
};

const pageFieldsWithToken = `${pageFields},access_token`;

/** The person's own Pages, and those of the businesses they work for. A business may refuse to list its Pages. */
const pagesOf = async (site: Site, tokens: Tokens, granted: readonly string[]) => {
  const pages = await readAll(site, tokens, OwnPage, { path: '/me/accounts', fields: pageFieldsWithToken });
  if (!granted.includes('business_management')) return pages;
  const businesses = await unlessRefused(readAll(site, tokens, Business, { path: '/me/businesses', fields: 'id' }));
  for (const { id } of businesses) {
    for (const edge of ['owned_pages', 'client_pages']) {
      const list = { path: `/${id}/${edge}`, fields: pageFieldsWithToken };
      pages.push(...(await unlessRefused(readAll(site, tokens, OwnPage, list))));
    }
  }
  return pages;
};

const unlessRefused = async <Entry>(reading: Promise<Entry[]>): Promise<Entry[]> => {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof NetworkTrouble && ['permission', 'content'].includes(error.kind)) return [];
    throw error;
  }
};

export const connect: OAuthConnect = {
  kind: 'OAuth',
  pkce: false,
  authorizeUrl: (site, { redirectUri, state }) =>
    authorizeUrl(`${site.link('web')}/${graphVersion(site)}/dialog/oauth`, {
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      state,
      response_type: 'code',
      scope: scopes.join(','),
    }),
  exchange: async (site, { code, redirectUri }) => {
    const short = await askForToken(site, { redirect_uri: redirectUri, code: plainCode(code) });
    // The tokens of Pages last as long as the one they are read with; with this one they do not expire.
    const person = await askForToken(site, { grant_type: 'fb_exchange_token', fb_exchange_token: short.accessToken });
    const answers = await readAll(site, person, Permission, { path: '/me/permissions' });
    const granted = answers.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
    const accounts = new Map<string, NetworkAccount>();
    for (const page of await pagesOf(site, person, granted)) {
      if (page.access_token === undefined || accounts.has(page.id)) continue;
      // A Page's token cannot revoke itself; the person's token revokes everything they granted.
      const tokens = { accessToken: page.access_token, refreshToken: person.accessToken };
      accounts.set(page.id, { id: page.id, ...profileOf(page), tokens, scopes: granted });
    }
    return [...accounts.values()];
  },
};

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> =>
  profileOf(shaped(Page, await ask(site, account, { path: `/${account.id}`, query: { fields: pageFields } })));

/**
 * Revokes everything that the person granted to our app. Pages connected by an earlier release have only their own
 * token, so nothing is revoked for them.
 */
export const revoke = async (site: Site, { tokens: { refreshToken } }: NetworkAccount): Promise<void> => {
  if (refreshToken === undefined) return;
  await ask(site, { tokens: { accessToken: refreshToken } }, { method: 'DELETE', path: '/me/permissions' });
};
