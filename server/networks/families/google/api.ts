import { z } from 'zod';
import type { NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { askForTokens, authorizeUrl, revokeToken, tokensFrom } from '#server/networks/oauth2';
import { type NetworkAnswer, retryAt } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';

/** `accountsOf` reads every account that the person can choose from. */
export const googleConnect = (
  scopes: readonly string[],
  accountsOf: (
    site: Site,
    tokens: Tokens,
    granted: readonly string[],
  ) => Promise<readonly (Profile & { id: string })[]>,
): OAuthConnect => ({
  kind: 'OAuth',
  pkce: true,
  authorizeUrl: (site, { redirectUri, state, challenge }) =>
    authorizeUrl(`${site.link('accounts')}/o/oauth2/v2/auth`, {
      response_type: 'code',
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      // Google issues a refresh token only with these two parameters.
      access_type: 'offline',
      prompt: 'consent',
    }),
  exchange: async (site, { code, redirectUri, verifier }) => {
    const answer = await tokenAnswer(site, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const tokens = tokensFrom(answer, site.now());
    const granted = answer.scope?.split(' ') ?? scopes;
    return (await accountsOf(site, tokens, granted)).map((account) => ({ ...account, tokens, scopes: granted }));
  },
});

export const googleRefresh = async (site: Site, { tokens }: NetworkAccount): Promise<Tokens> => {
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken ?? '' };
  return tokensFrom(await tokenAnswer(site, form), site.now(), tokens);
};

/**
 * Google reports an expiry while the app's consent screen is in testing, or when the person gave access for a limited
 * time.
 */
export const googleSignInEnd = ({ refreshExpiresAt }: Tokens) => refreshExpiresAt;

/** Revokes everything that the person granted to our app: both tokens, and those of its other Google networks. */
export const googleRevoke = (site: Site, { tokens }: NetworkAccount): Promise<void> =>
  revokeToken(site, {
    url: `${site.host('oauth')}/revoke`,
    form: { token: tokens.refreshToken ?? tokens.accessToken },
  });

const tokenAnswer = (site: Site, form: Readonly<Record<string, string>>) =>
  askForTokens(site, {
    url: `${site.host('oauth')}/token`,
    form: { ...form, client_id: site.registration.clientId, client_secret: site.registration.clientSecret },
  });

export const bearer = ({ tokens }: Pick<NetworkAccount, 'tokens'>) => ({
  authorization: `Bearer ${tokens.accessToken}`,
});

const Failure = z.object({
  error: z.object({
    message: z.string().optional(),
    status: z.string().optional(),
    errors: z.array(z.object({ reason: z.string() })).catch([]),
    details: z
      .array(
        z.object({
          reason: z.string().optional(),
          metadata: z.record(z.string(), z.unknown()).optional(),
          retryDelay: z.string().optional(),
          errorDetails: z
            .array(
              z.object({ code: z.number().optional(), field: z.string().optional(), message: z.string().optional() }),
            )
            .optional(),
        }),
      )
      .catch([]),
  }),
});

/** A refusal, read from the several shapes that Google uses. */
export interface GoogleFailure {
  readonly status: number;
  /** The most exact name that Google gives: `quotaExceeded`, `ACCESS_TOKEN_SCOPE_INSUFFICIENT`, `NOT_FOUND`. */
  readonly code: string;
  readonly said: string;
  /** What is wrong with single fields. */
  readonly fields: readonly { readonly code?: number | undefined; readonly field?: string | undefined }[];
  readonly until: Date | undefined;
  /** The operator's Google project has a quota of zero. */
  readonly withoutQuota: boolean;
}

export const failureOf = ({ status, headers, json }: NetworkAnswer, now: Date): GoogleFailure => {
  const error = Failure.safeParse(json).data?.error;
  const details = error?.details ?? [];
  const fields = details.flatMap(({ errorDetails = [] }) => errorDetails);
  const reasons = [...(error?.errors ?? []), ...details].flatMap(({ reason }) => reason ?? []);
  const named = fields.map(({ field, message }) => [field, message].filter(Boolean).join(': ')).join('; ');
  const text = named || error?.message || `HTTP ${status}`;
  const delay = details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  return {
    status,
    code: reasons[0] ?? error?.status ?? String(status),
    // Some of Google's messages contain HTML.
    said: text.replace(/<\/?[a-z][^>]*>/gi, ''),
    fields,
    until: retryAt(headers['retry-after'] ?? delay?.replace(/s$/, ''), now),
    withoutQuota: details.some(({ metadata }) => metadata?.quota_limit_value === '0'),
  };
};

/** Errors that mean the same in every Google API. `name` is the network, as people know it. */
export const googleTrouble = (name: string, { status, code: networkCode, said, until }: GoogleFailure) => {
  if (status === 401) {
    return new NetworkTrouble('token', `${name} no longer accepts our access. Connect the account again.`, {
      networkCode,
    });
  }
  if (status === 429) {
    return new NetworkTrouble('rateLimited', `${name} asks to wait before the next request.`, {
      networkCode,
      ...(until && { until }),
    });
  }
  if (status >= 500) {
    return new NetworkTrouble('temporary', `${name} is not available. Try again later.`, { networkCode });
  }
  if (['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'].includes(networkCode)) {
    return new NetworkTrouble(
      'permission',
      `${name} needs a permission that was not given. Connect the account again and leave everything checked.`,
      { networkCode },
    );
  }
  if (status === 403) {
    return new NetworkTrouble('permission', `${name} does not allow this to the account or to this server: ${said}`, {
      networkCode,
    });
  }
  return new NetworkTrouble('content', `${name} refused the post: ${said}`, { networkCode });
};
