import { z } from 'zod';
import type { CredentialsTried, Site, Tokens } from './network.ts';
import { type NetworkAnswer, retryAt, shaped } from './request.ts';
import { NetworkTrouble } from './trouble.ts';

export const TokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().positive().optional(),
  refresh_token_expires_in: z.coerce.number().positive().optional(),
  scope: z.string().optional(),
});
export type TokenAnswer = z.output<typeof TokenAnswer>;

/** The address, with these parameters, where a person gives consent. */
export const authorizeUrl = (address: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const defined = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== undefined);
  return `${address}?${new URLSearchParams(defined)}`;
};

interface TokenRequest {
  readonly url: string;
  readonly form: Readonly<Record<string, string | undefined>>;
  readonly basic?: boolean;
}

/** Asks a token endpoint (RFC 6749). After a refusal the account has to be connected again. */
export const askForTokens = async (site: Site, request: TokenRequest): Promise<TokenAnswer> =>
  shaped(TokenAnswer, await askAsClient(site, request));

/** Ends a token (RFC 7009). */
export const revokeToken = async (site: Site, request: TokenRequest): Promise<void> => {
  await askAsClient(site, request);
};

const askAsClient = async (site: Site, request: TokenRequest): Promise<NetworkAnswer> => {
  const { clientId, clientSecret } = site.registration;
  const answer = await site.request({
    url: request.url,
    form: request.form,
    ...(request.basic && { headers: { authorization: basic(clientId, clientSecret) } }),
  });
  if (answer.status >= 400) throw tokenTrouble(answer, site.now());
  return answer;
};

/** The refresh token first: the access token expires soon anyway. */
export const bothTokens = ({ accessToken, refreshToken }: Tokens): string[] => [
  ...(refreshToken === undefined ? [] : [refreshToken]),
  accessToken,
];

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

const TokenError = z.object({ error: z.string(), error_description: z.string().optional() });

export const tokenTrouble = (answer: NetworkAnswer, now: Date): NetworkTrouble => {
  const { data } = TokenError.safeParse(answer.json);
  const networkCode = data?.error ?? String(answer.status);
  if (answer.status === 429) {
    const until = retryAt(answer.headers['retry-after'], now);
    return new NetworkTrouble('rateLimited', 'The network asks to wait before it gives new access.', {
      networkCode,
      ...(until && { until }),
    });
  }
  // Not JSON: the answer comes from a proxy or firewall, which cannot judge our access.
  const isFromProxy = answer.json === undefined && ![400, 401].includes(answer.status);
  if (answer.status >= 500 || isFromProxy) {
    return new NetworkTrouble('temporary', 'The network cannot give access right now. Try again later.', {
      networkCode,
    });
  }
  const why = data?.error_description ?? data?.error ?? `HTTP ${answer.status}`;
  return new NetworkTrouble('token', `The network refused access (${why}). Connect the account again.`, {
    networkCode,
  });
};

/**
 * Asks a token endpoint for an invented grant. The endpoint checks the app first, so an error about the grant means that the
 * credentials are right.
 */
export const tryMadeUpGrant = async (
  site: Site,
  request: { url: string; form: Readonly<Record<string, string | undefined>>; basic?: boolean },
): Promise<CredentialsTried> => {
  const { clientId, clientSecret } = site.registration;
  const answer = await site.request({
    url: request.url,
    form: request.form,
    ...(request.basic && { headers: { authorization: basic(clientId, clientSecret) } }),
  });
  const { error = '', error_description: said = error } = TokenError.safeParse(answer.json).data ?? {};
  if (answer.status === 401 || /client/.test(error)) return { is: 'refused', said: said || `HTTP ${answer.status}` };
  if (answer.status === 400) return { is: 'accepted' };
  return { is: 'unclear', said: said || `HTTP ${answer.status}` };
};

export const madeUpGrant = 'posthorn-doctor';

/** Capped, because a server can report any lifetime. */
const longestLifeSeconds = 10 * 365 * 86_400;

/** A network that sends no new refresh token expects the old one to be kept. */
export const tokensFrom = (answer: TokenAnswer, now: Date, old?: Tokens): Tokens => {
  const refreshToken = answer.refresh_token ?? old?.refreshToken;
  const inSeconds = (seconds: number) =>
    new Date(now.getTime() + Math.min(seconds, longestLifeSeconds) * 1000).toISOString();
  const refreshExpiresAt =
    answer.refresh_token_expires_in === undefined
      ? answer.refresh_token === undefined
        ? old?.refreshExpiresAt
        : undefined
      : inSeconds(answer.refresh_token_expires_in);
  return {
    accessToken: answer.access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(answer.expires_in !== undefined && { expiresAt: inSeconds(answer.expires_in) }),
    ...(refreshExpiresAt !== undefined && { refreshExpiresAt }),
  };
};

/** For networks that have nothing to refresh with. */
export const cannotRefresh = async (): Promise<never> => {
  throw new NetworkTrouble('token', 'The network no longer accepts our access. Connect the account again.');
};
