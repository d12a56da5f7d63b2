import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Clock } from '#server/clock';
import type { OutsideProvider } from '#server/config/config';
import { Refusal } from '#server/errors';
import type { Seal } from '#server/secrets/seal';
import type { Database } from '#server/store/database';
import { createAccessTokens } from './access-tokens.ts';
import { createIdentityStore } from './store.ts';

const signInMs = 15 * 60_000;

/** What the browser carries, sealed, while somebody is at the provider. */
const Begun = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  code: z.string(),
  beganAtMs: z.number(),
});
type Begun = z.output<typeof Begun>;

interface SignedInOutside {
  readonly subject: string;
  /** Absent: the provider does not vouch for one. */
  readonly email: string | undefined;
  readonly next: string;
  /** Of the first owner. */
  readonly code: string;
}

interface OutsideIdentityOptions extends OutsideProvider {
  readonly baseUrl: string;
  readonly database: Database;
  readonly seal: Seal;
  /** No access token of this user from before now counts. */
  readonly distrustTokens: (userId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

export type OutsideIdentity = ReturnType<typeof createOutsideIdentity>;

/** An OpenID Connect provider that the operator runs elsewhere (AUTH_URL), in the place of the embedded one. */
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
  const discover = untilItWorks(async () => {
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
  const reach = () =>
    discover().catch((err: unknown) => {
      log.warn({ err }, 'AUTH_URL does not answer');
      throw new Refusal('Internal', 'The identity provider cannot be reached. Try again later.', [], 503);
    });

  const keyFor: JWTVerifyGetKey = async (header, token) => (await reach()).keyFor(header, token);
  const tokens = createAccessTokens({
    issuer: async () => (await reach()).name,
    audience: `${baseUrl}/mcp`,
    algorithms: ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'],
    keyFor,
    findUser: store.userBySubject,
    clock,
  });

  const redeem = async (config: openid.Configuration, callbackUrl: string, state: string) => {
    const begun = Begun.parse(JSON.parse(seal.open(state, cookiePlace)));
    if (clock.now().getTime() - begun.beganAtMs > signInMs) throw new Error('The sign-in took too long');
    const answer = await openid.authorizationCodeGrant(config, new URL(callbackUrl), {
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      pkceCodeVerifier: begun.verifier,
      idTokenExpected: true,
    });
    const claims = answer.claims();
    if (claims === undefined) throw new Error('There is no ID token');
    return {
      ...(await moreClaims(config, answer.access_token, claims.sub)),
      ...claims,
      next: begun.next,
      code: begun.code,
    };
  };

  return {
    issuer,

    verifyAccessToken: tokens.verify,

    outsideSignIn: {
      /** The address at the provider, and what the browser keeps in a cookie until it comes back from there. */
      begin: async (next: string, code = ''): Promise<{ url: string; state: string }> => {
        const { config } = await reach();
        const begun: Begun = {
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
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(begun.verifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, state: seal.seal(JSON.stringify(begun), cookiePlace) };
      },

      /** Throws Unauthorized when the callback does not belong to what this browser began. */
      finish: async (callbackUrl: string, state: string): Promise<SignedInOutside> => {
        const { config } = await reach();
        const { next, code, ...claims } = await redeem(config, callbackUrl, state).catch((err: unknown) => {
          log.warn({ err }, 'sign-in at AUTH_URL failed');
          throw new Refusal('Unauthorized', 'The sign-in was not completed. Try again.');
        });
        return { subject: claims.sub, email: vouchedEmail(claims, trustEmail), next, code };
      },
    },

    /** Signing out here does not sign out there. */
    endSession: async () => undefined,

    /** As of the embedded provider; what the outside one has issued ends here, not there. */
    forgetUser: async (userId: string) => {
      await store.transaction(async () => {
        await distrustTokens(userId);
        await store.forget(userId);
      });
      tokens.forget(userId);
    },
  };
};

/** Basic where the provider does not say otherwise, as OpenID Connect Discovery has it. */
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
 * An address makes somebody the user who has it here, so one that anybody may have typed in does not count: the provider
 * says that it is verified, or leaves that out and the operator says that it always is.
 */
const vouchedEmail = ({ email, email_verified: verified }: Record<string, unknown>, trustEmail: boolean) => {
  const isVouched = verified === true || verified === 'true' || (trustEmail && verified === undefined);
  return isVouched && typeof email === 'string' ? email : undefined;
};

/** The address is often not in the ID token but behind the userinfo endpoint. */
const moreClaims = async (config: openid.Configuration, accessToken: string, subject: string) =>
  config.serverMetadata().userinfo_endpoint === undefined
    ? {}
    : await openid.fetchUserInfo(config, accessToken, subject);

/** Remembers the first success, never a failure. */
const untilItWorks = <Result>(work: () => Promise<Result>) => {
  let done: Promise<Result> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
};
