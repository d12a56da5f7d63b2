import type { NetworkAccount, Site, Tokens } from '#server/networks/network';
import { TokenAnswer, tokensFrom } from '#server/networks/oauth2';
import { type NetworkAnswer, type NetworkRequest, shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { graphTrouble, wordsOf } from './graph.ts';

/** Meta appends `#_` to every code. */
export const plainCode = (code: string): string => code.replace(/#_$/, '');

/** Asks for tokens. After a refusal the account has to be connected again. */
export const askForAccess = async (name: string, site: Site, request: NetworkRequest): Promise<NetworkAnswer> => {
  const answer = await site.request(request);
  if (answer.status >= 400) throw accessTrouble(name, answer, site.now());
  return answer;
};

const accessTrouble = (name: string, answer: NetworkAnswer, now: Date) => {
  const trouble = graphTrouble(name, answer, now);
  const { kind, networkCode = '' } = trouble;
  // Code 1 means an outage elsewhere, but a wrong secret here.
  if (kind === 'rateLimited' || answer.status >= 500 || (kind === 'temporary' && !/^1\b/.test(networkCode)))
    return trouble;
  // The answer comes from a proxy or firewall, which knows nothing about our access.
  if (answer.json === undefined && ![400, 401].includes(answer.status)) {
    return new NetworkTrouble('temporary', `${name} cannot give access right now. Try again later.`, { networkCode });
  }
  return new NetworkTrouble('token', `${name} gave no access (${wordsOf(answer)}). Connect the account again.`, {
    networkCode,
  });
};

/** Instagram and Threads exchange a one-hour token for one of 60 days, and that one for the next. */
export const createLongTokens = (name: string, prefix: 'ig' | 'th') => {
  const get = async (site: Site, path: string, query: Record<string, string>): Promise<Tokens> => {
    const answer = await askForAccess(name, site, { url: site.host('graph') + path, query });
    return tokensFrom(shaped(TokenAnswer, answer), site.now());
  };
  return {
    exchange: (site: Site, shortToken: string) =>
      get(site, '/access_token', {
        grant_type: `${prefix}_exchange_token`,
        client_secret: site.registration.clientSecret,
        access_token: shortToken,
      }),
    refresh: (site: Site, { tokens }: NetworkAccount) =>
      get(site, '/refresh_access_token', {
        grant_type: `${prefix}_refresh_token`,
        access_token: tokens.accessToken,
      }),
  };
};

/** A long-lived token can be renewed from one day after it was issued until it expires. */
export const longTokensAheadMs = 15 * 24 * 3_600_000;
