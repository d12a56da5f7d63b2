import { z } from 'zod';
import type { Json, NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { askForTokens, authorizeUrl, tokensFrom } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { apiOf, ask } from './api.ts';

export const scopes = ['user_accounts:read', 'boards:read', 'boards:write', 'pins:read', 'pins:write'];

const Me = z.object({
  id: z.string(),
  username: z.string(),
  business_name: z.string().nullish(),
  profile_image: z.string().nullish(),
});

const readMe = async (site: Site, tokens: Tokens): Promise<Profile & { id: string }> => {
  const me = shaped(Me, await ask(site, { tokens }, { path: '/user_account' }));
  return {
    id: me.id,
    name: me.business_name || me.username,
    handle: me.username,
    ...(me.profile_image && { avatarUrl: me.profile_image }),
    facts: { boards: await readBoards(site, tokens) },
  };
};

const Section = z.object({ id: z.string(), name: z.string() });
const Sections = z.object({ items: z.array(Section) });
const Board = z.object({ id: z.string(), name: z.string(), sections: z.array(Section).optional() });
const Boards = z.object({ items: z.array(Board), bookmark: z.string().nullish() });

type Board = z.output<typeof Board>;

const maxPages = 8;
/** Sections take a request for each board. */
const maxBoardsWithSections = 50;
const requestsAtOnce = 5;

const readBoards = async (site: Site, tokens: Tokens) => {
  const boards: Board[] = [];
  let bookmark: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const query = { page_size: 250, bookmark };
    const read = shaped(Boards, await ask(site, { tokens }, { path: '/boards', query }));
    boards.push(...read.items);
    if (!read.bookmark) break;
    bookmark = read.bookmark;
  }
  const first = boards.slice(0, maxBoardsWithSections);
  const withSections: Board[] = [];
  for (let start = 0; start < first.length; start += requestsAtOnce) {
    const batch = first.slice(start, start + requestsAtOnce);
    withSections.push(...(await Promise.all(batch.map((board) => readSections(site, tokens, board)))));
  }
  return [...withSections, ...boards.slice(maxBoardsWithSections)];
};

/** A board can be used without its sections, so a refusal here is ignored. */
const readSections = async (site: Site, tokens: Tokens, { id, name }: Board): Promise<Board> => {
  const path = `/boards/${encodeURIComponent(id)}/sections`;
  try {
    const { items } = shaped(Sections, await ask(site, { tokens }, { path, query: { page_size: 250 } }));
    return { id, name, ...(items.length > 0 && { sections: items }) };
  } catch {
    return { id, name };
  }
};

/** Undefined when the account's facts have no boards. */
export const boardsFrom = (facts: Json | undefined) =>
  z.object({ boards: z.array(Board) }).safeParse(facts).data?.boards;

export const connect: OAuthConnect = {
  kind: 'OAuth',
  pkce: false,
  authorizeUrl: (site, { redirectUri, state }) =>
    authorizeUrl(`${site.link('web')}/oauth/`, {
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: scopes.join(','),
      state,
    }),
  exchange: async (site, { code, redirectUri }) => {
    const answer = await askForTokens(site, {
      url: `${apiOf(site)}/v5/oauth/token`,
      // Older apps get a refresh token that is renewed with each use only when they ask for it.
      form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, continuous_refresh: 'true' },
      basic: true,
    });
    const tokens = tokensFrom(answer, site.now());
    return [{ ...(await readMe(site, tokens)), tokens, scopes: answer.scope?.split(/[\s,]+/) ?? scopes }];
  },
};

export const profile = async (site: Site, { tokens }: NetworkAccount): Promise<Profile> => {
  const { id: _, ...me } = await readMe(site, tokens);
  return me;
};

export const refresh = async (site: Site, { tokens }: NetworkAccount): Promise<Tokens> => {
  const answer = await askForTokens(site, {
    url: `${apiOf(site)}/v5/oauth/token`,
    form: { grant_type: 'refresh_token', refresh_token: tokens.refreshToken ?? '' },
    basic: true,
  });
  return tokensFrom(answer, site.now(), tokens);
};
