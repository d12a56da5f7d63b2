import { createHash } from 'node:crypto';
import { type JWTPayload, type JWTVerifyGetKey, errors as joseErrors, jwtVerify } from 'jose';
import { type Scope, scopes as scopeTexts } from '#contracts/scopes';
import type { AccessToken } from '#server/auth/mcp-access';
import type { Clock } from '#server/clock';
import { Refusal } from '#server/errors';
import type { TokenUser } from './store.ts';

const rememberMs = 60_000;
const rememberedTokens = 1000;

interface AccessTokenOptions {
  readonly issuer: () => Promise<string> | string;
  /** The `/mcp` address. */
  readonly audience: string;
  readonly algorithms: string[];
  readonly keyFor: JWTVerifyGetKey;
  readonly findUser: (subject: string, tokenOf: Date) => Promise<TokenUser | undefined>;
  readonly clock: Clock;
}

/** A claim of our own tokens: when they were made, to the millisecond. */
export const issuedAtMs = 'posthorn:issued_at_ms';

/** SPEC, MCP bearer tokens (a): from our identity provider, for `/mcp`, not expired, of a user who still trusts them. */
export const createAccessTokens = ({ issuer, audience, algorithms, keyFor, findUser, clock }: AccessTokenOptions) => {
  // A signature costs more than all the rest of a request; a minute is how long a change may take to be felt.
  const remembered = new Map<string, { token: AccessToken; untilMs: number }>();

  const remember = (hash: string, token: AccessToken, expiresMs: number) => {
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedTokens && oldest !== undefined) remembered.delete(oldest);
    remembered.set(hash, { token, untilMs: Math.min(expiresMs, clock.now().getTime() + rememberMs) });
  };

  const check = async (jwt: string) => {
    const { payload } = await jwtVerify(jwt, keyFor, {
      issuer: await issuer(),
      audience,
      algorithms,
      // Keeps ID tokens out, which have the same signer.
      typ: 'at+jwt',
      requiredClaims: ['exp', 'iat', 'sub', 'client_id', 'jti'],
      clockTolerance: 5,
      currentDate: clock.now(),
    });
    return payload;
  };

  return {
    verify: async (jwt: string): Promise<AccessToken | undefined> => {
      const hash = createHash('sha256').update(jwt).digest('base64');
      const known = remembered.get(hash);
      if (known && known.untilMs > clock.now().getTime()) return known.token;
      remembered.delete(hash);

      const payload = await check(jwt).catch(refusedOrDown);
      if (payload === undefined) return undefined;
      const { sub = '', iat = 0, exp = 0, client_id: clientId, [issuedAtMs]: exactly } = payload;
      const issuedAt = new Date(typeof exactly === 'number' ? exactly : iat * 1000);
      const user = await findUser(sub, issuedAt);
      if (!user?.trusted || typeof clientId !== 'string') return undefined;
      const token = { userId: user.id, scopes: scopesOf(payload), clientId, issuedAt };
      remember(hash, token, exp * 1000);
      return token;
    },

    forget: (userId: string) => {
      for (const [hash, { token }] of remembered) if (token.userId === userId) remembered.delete(hash);
    },
  };
};

const scopesOf = ({ scope }: JWTPayload): ReadonlySet<Scope> =>
  new Set(
    String(scope ?? '')
      .split(' ')
      .filter((one): one is Scope => Object.hasOwn(scopeTexts, one)),
  );

/** What is wrong with the token is the caller's trouble, what is wrong with the way to the keys is ours. */
const refusedOrDown = (error: unknown): undefined => {
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
