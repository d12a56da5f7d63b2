import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '#server/base/clock';
import type { OutsideProvider } from '#server/base/config/config';
import { Refusal } from '#server/base/errors';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import { createAccessTokens } from './access-tokens.ts';
import { createIdentityStore } from './store.ts';

const signInMs = 15 * 60_000;

/** Stored encrypted in a cookie while the person is at the provider. */
const PendingSignIn = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  code: z.string(),
  beganAtMs: z.number(),
});
type PendingSignIn = z.output<typeof PendingSignIn>;

interface OutsideSignInResult {
  readonly subject: string;
  /** Absent: the provider has not verified an address. */
  readonly email: string | undefined;
  readonly next: string;
  /** The code of the first owner. */
  readonly code: string;
}

interface OutsideIdentityOptions extends OutsideProvider {
  readonly baseUrl: string;
  readonly database: Database;
  readonly seal: Seal;
  /** Invalidates all access tokens of this user that were issued until now. */
  readonly distrustTokens: (userId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export type OutsideIdentity = ReturnType<typeof createOutsideIdentity>;

/** An OpenID Connect provider at AUTH_URL, instead of the embedded one. */
export const createOutsideIdentity = ({
  issuer,
  clientId,
  clientSecret,
  trustEmail,
  baseUrl,
  database,
  seal,
  distrustTokens,
  clock,
  log,
}: OutsideIdentityOptions) => {
  const store = createIdentityStore(database);
  const redirectUri = `${baseUrl}/sign-in/callback`;
  const discover = cacheSuccess(async () => {
    const insecure = issuer.startsWith('http:') ? { execute: [openid.allowInsecureRequests] } : {};
    const config = await openid.discovery(new URL(issuer), clientId, {}, authenticate(clientSecret), insecure);
    const { issuer: name, jwks_uri: jwksUri = '' } = config.serverMetadata();
    const keyFor = createRemoteJWKSet(new URL(jwksUri), {
      cooldownDuration: 30_000,
      cacheMaxAge: 600_000,
      timeoutDuration: 3000,
    });
    return { config, name, keyFor };
  });
  const mustDiscover = () =>
    discover().catch((err: unknown) => {
      log.warn({ err }, 'AUTH_URL does not answer');
      throw new Refusal('Internal', 'The identity provider cannot be reached. Try again later.', [], 503);
    });

  const keyFor: JWTVerifyGetKey = async (header, token) => (await mustDiscover()).keyFor(header, token);
  const tokens = createAccessTokens({
    issuer: async () => (await mustDiscover()).name,
    audience: `${baseUrl}/mcp`,
    algorithms: ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'],
    keyFor,
    findUser: store.userBySubject,
    clock,
  });

  const redeem = async (config: openid.Configuration, callbackUrl: string, state: string) => {
    const pending = PendingSignIn.parse(JSON.parse(seal.open(state, cookiePlace)));
    if (clock.now().getTime() - pending.beganAtMs > signInMs) throw new Error('The sign-in took too long');
    const answer = await openid.authorizationCodeGrant(config, new URL(callbackUrl), {
      expectedState: pending.state,
      expectedNonce: pending.nonce,
      pkceCodeVerifier: pending.verifier,
      idTokenExpected: true,
    });
    const claims = answer.claims();
    if (claims === undefined) throw new Error('There is no ID token');
    return {
      ...(await userInfoClaims(config, answer.access_token, claims.sub)),
      ...claims,
      next: pending.next,
      code: pending.code,
    };
  };

  return {
    issuer,

    verifyAccessToken: tokens.verify,

    outsideSignIn: {
      /** `url` is the address at the provider; `state` goes into a cookie until the browser comes back. */
      begin: async (next: string, code = ''): Promise<{ url: string; state: string }> => {
        const { config } = await mustDiscover();
        const pending: PendingSignIn = {
          state: openid.randomState(),
          nonce: openid.randomNonce(),
          verifier: openid.randomPKCECodeVerifier(),
          next,
          code,
          beganAtMs: clock.now().getTime(),
        };
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email',
          state: pending.state,
          nonce: pending.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, state: seal.seal(JSON.stringify(pending), cookiePlace) };
      },

      /** Throws Unauthorized if this browser has not started the sign-in. */
      finish: async (callbackUrl: string, state: string): Promise<OutsideSignInResult> => {
        const { config } = await mustDiscover();
        const { next, code, ...claims } = await redeem(config, callbackUrl, state).catch((err: unknown) => {
          log.warn({ err }, 'sign-in at AUTH_URL failed');
          throw new Refusal('Unauthorized', 'The sign-in was not completed. Try again.');
        });
        return { subject: claims.sub, email: verifiedEmail(claims, trustEmail), next, code };
      },
    },

    /** Signing out of Posthorn does not sign out of the outside provider. */
    endSession: async () => undefined,

    /** Posthorn no longer accepts the user's tokens, but the outside provider does not revoke them. */
    forgetUser: async (userId: string) => {
      await store.transaction(async () => {
        await distrustTokens(userId);
        await store.forget(userId);
      });
      tokens.forget(userId);
    },
  };
};

/** OpenID Connect Discovery: client_secret_basic is the default. */
const authenticate = (secret: string | undefined): openid.ClientAuth => {
  if (secret === undefined) return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (provider, ...rest) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(provider, ...rest);
  };
};

const cookiePlace = 'cookie:sign-in:state';

/**
 * People are linked to users by their email address, so an unverified one would let anybody take over a user. It counts
 * if the provider calls it verified, or says nothing and the operator has set AUTH_TRUST_EMAIL.
 */
const verifiedEmail = ({ email, email_verified: verified }: Record<string, unknown>, trustEmail: boolean) => {
  const isVerified = verified === true || verified === 'true' || (trustEmail && verified === undefined);
  return isVerified && typeof email === 'string' ? email : undefined;
};

/** The address is often not in the ID token but behind the userinfo endpoint. */
const userInfoClaims = async (config: openid.Configuration, accessToken: string, subject: string) =>
  config.serverMetadata().userinfo_endpoint === undefined
    ? {}
    : await openid.fetchUserInfo(config, accessToken, subject);

/** Caches the first success, never a failure. */
const cacheSuccess = <Result>(work: () => Promise<Result>) => {
  let cached: Promise<Result> | undefined;
  return () => {
    cached ??= work().catch((error: unknown) => {
      cached = undefined;
      throw error;
    });
    return cached;
  };
};
