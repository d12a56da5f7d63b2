import { type JWTPayload, type JWTVerifyGetKey, errors as joseErrors, jwtVerify } from 'jose';
import { type Scope, scopes as scopeTexts } from '#contracts/scopes';
import type { AccessToken } from '#server/access/auth/mcp-access';
import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import { sha256 } from '#server/base/sha256';
import type { TokenUser } from './store.ts';

const cacheMs = 60_000;
const maxCachedTokens = 1000;

interface AccessTokenOptions {
  readonly issuer: () => Promise<string> | string;
  /** The `/mcp` address. */
  readonly audience: string;
  readonly algorithms: string[];
  readonly keyFor: JWTVerifyGetKey;
  readonly findUser: (subject: string, tokenOf: Date) => Promise<TokenUser | undefined>;
  readonly clock: Clock;
}

/** A claim of our own tokens: when they were issued, in milliseconds. */
export const issuedAtMs = 'posthorn:issued_at_ms';

/** SPEC, MCP bearer tokens (a): from our identity provider, for `/mcp`, not expired and not revoked by the user. */
export const createAccessTokens = ({ issuer, audience, algorithms, keyFor, findUser, clock }: AccessTokenOptions) => {
  // Cached, because verifying a signature takes longer than the rest of a request. A change takes effect within a
  // minute.
  const cache = new Map<string, { token: AccessToken; untilMs: number }>();

  const cacheToken = (hash: string, token: AccessToken, expiresMs: number) => {
    const [oldest] = cache.keys();
    if (cache.size >= maxCachedTokens && oldest !== undefined) cache.delete(oldest);
    cache.set(hash, { token, untilMs: Math.min(expiresMs, clock.now().getTime() + cacheMs) });
  };

  const check = async (jwt: string) => {
    const { payload } = await jwtVerify(jwt, keyFor, {
      issuer: await issuer(),
      audience,
      algorithms,
      // ID tokens are signed with the same key, but have another type.
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti'],
      clockTolerance: 5,
      currentDate: clock.now(),
    });
    return payload;
  };

  return {
    verify: async (jwt: string): Promise<AccessToken | undefined> => {
      const hash = sha256(jwt, 'base64');
      const cached = cache.get(hash);
      if (cached && cached.untilMs > clock.now().getTime()) return cached.token;
      cache.delete(hash);

      const payload = await check(jwt).catch(refuseOrThrow);
      if (payload === undefined) return undefined;
      const { sub = '', iat = 0, exp = 0, client_id: clientId, [issuedAtMs]: exactMs } = payload;
      const issuedAt = new Date(typeof exactMs === 'number' ? exactMs : iat * 1000);
      const user = await findUser(sub, issuedAt);
      if (!user?.trusted || typeof clientId !== 'string') return undefined;
      const token = { userId: user.id, scopes: scopesOf(payload), clientId, issuedAt };
      cacheToken(hash, token, exp * 1000);
      return token;
    },

    forget: (userId: string) => {
      for (const [hash, { token }] of cache) if (token.userId === userId) cache.delete(hash);
    },
  };
};

const scopesOf = ({ scope }: JWTPayload): ReadonlySet<Scope> =>
  new Set(
    String(scope ?? '')
      .split(' ')
      .filter((one): one is Scope => Object.hasOwn(scopeTexts, one)),
  );

/** A bad token is the caller's error. An error while fetching the keys is ours, so it is a 503. */
const refuseOrThrow = (error: unknown): undefined => {
  if (refusals.some((refusal) => error instanceof refusal)) return undefined;
  if (error instanceof joseErrors.JOSEError || error instanceof TypeError) {
    throw new Refusal('Internal', 'The identity provider cannot be reached. Try again later.', [], 503);
  }
  throw error;
};

const refusals = [
  joseErrors.JWTClaimValidationFailed,
  joseErrors.JWTExpired,
  joseErrors.JWTInvalid,
  joseErrors.JWSInvalid,
  joseErrors.JWSSignatureVerificationFailed,
  joseErrors.JOSEAlgNotAllowed,
  joseErrors.JOSENotSupported,
  joseErrors.JWKSNoMatchingKey,
  joseErrors.JWKSMultipleMatchingKeys,
];
