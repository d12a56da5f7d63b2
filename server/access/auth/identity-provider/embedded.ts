import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { createLocalJWKSet, type JWTVerifyGetKey, errors as joseErrors } from 'jose';
import type { ClientMetadata, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Registrations } from '#server/access/auth/registrations';
import type { Clock } from '#server/base/clock';
import { createReport } from '#server/base/logging/report';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { pageSecurity } from '#server/base/pages/layout';
import type { Seal } from '#server/base/secrets/seal';
import type { WhoIsSignedIn } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import { createAccessTokens } from './access-tokens.ts';
import { createInteractions, type GivenConsent } from './interactions.ts';
import { createProvider } from './provider.ts';
import { registrationRoute } from './registration.ts';
import { createSigningKeys, signingAlgorithm } from './signing-keys.ts';
import { createIdentityStore } from './store.ts';

const readKeysEveryMs = 60_000;
/** The shortest time between two reads of the keys because of tokens with an unknown key. */
const rereadKeysMs = 5000;

export interface IdentityProviderOptions {
  readonly baseUrl: string;
  readonly database: Database;
  readonly outbound: Outbound;
  readonly seal: Seal;
  readonly registrations: Registrations;
  readonly whoIsSignedIn: WhoIsSignedIn;
  /** Invalidates all access tokens of this user that were issued until now. */
  readonly distrustTokens: (userId: string) => Promise<void>;
  /** The wall clock, which the library uses for the times in its tokens. */
  readonly clock: Clock;
  readonly log: Logger;
  /** Records a consent in the list of clients and the audit log. */
  readonly onConsent?: (consent: GivenConsent) => Promise<void>;
  readonly hasConsent?: (userId: string, clientId: string) => Promise<boolean>;
  /** Called when a client revokes its own token. */
  readonly onRevoke?: (access: { userId: string; clientId: string }) => Promise<void>;
  /** Preconfigured clients, beside those with a metadata document and those that register themselves. */
  readonly clients?: readonly ClientMetadata[];
}

/** The embedded identity provider at `{base_url}/auth`. */
export const createIdentityProvider = async ({
  baseUrl,
  database,
  outbound,
  seal,
  registrations,
  whoIsSignedIn,
  distrustTokens,
  clock,
  log,
  onConsent = async () => undefined,
  hasConsent = async () => false,
  onRevoke = async () => undefined,
  clients = [],
}: IdentityProviderOptions) => {
  const library = await loadLibrary(log);
  const store = createIdentityStore(database);
  const keys = createSigningKeys({ store, seal, clock });
  const issuer = `${baseUrl}/auth`;
  const mcp = `${baseUrl}/mcp`;

  const build = async (before?: ProviderWithKeys): Promise<ProviderWithKeys> => {
    const list = await keys.read();
    const order = list.map(({ publicKey }) => publicKey.kid).join(' ');
    if (order === before?.order) return before;
    const parts = { library, baseUrl, store, outbound, registrations, whoIsSignedIn, hasConsent, clients, clock, log };
    const provider = createProvider(parts, list);
    const keyFor = createLocalJWKSet({ keys: list.map(({ publicKey }) => publicKey) });
    return { order, provider, handle: provider.callback(), keyFor };
  };

  let current = await build();
  let readAtMs = clock.now().getTime();
  const readKeys = async () => {
    readAtMs = clock.now().getTime();
    current = await build(current);
  };
  const readTimer = setInterval(() => {
    database.outside(readKeys).catch(createReport(log, 'signing keys not read'));
  }, readKeysEveryMs).unref();

  /** Another instance may already sign with a key that this one has not read yet. */
  const keyFor: JWTVerifyGetKey = async (header, token) => {
    try {
      return await current.keyFor(header, token);
    } catch (error) {
      const wasReadRecently = clock.now().getTime() - readAtMs < rereadKeysMs;
      if (!(error instanceof joseErrors.JWKSNoMatchingKey) || wasReadRecently) throw error;
      await readKeys();
      return current.keyFor(header, token);
    }
  };

  const tokens = createAccessTokens({
    issuer: () => issuer,
    audience: mcp,
    algorithms: [signingAlgorithm],
    keyFor,
    findUser: store.userById,
    clock,
  });

  /**
   * RFC 7009. The library can revoke only stored tokens, but our access tokens are signed and not stored. Anyone who
   * holds a token may revoke it. The response is the same for an invalid token.
   */
  const revoke = async (req: Request, res: Response) => {
    const form = new URLSearchParams(typeof req.body === 'string' ? req.body : '');
    const token = form.get('token');
    if (token === null) {
      return void res.status(400).json({ error: 'invalid_request', error_description: 'token is missing' });
    }
    const access = await tokens.verify(token);
    if (access && [null, access.clientId].includes(form.get('client_id'))) {
      await onRevoke(access);
      tokens.forget(access.userId);
    }
    res.status(200).end();
  };

  const interactions = createInteractions({
    library,
    provider: () => current.provider,
    mcp,
    whoIsSignedIn,
    onConsent,
  });

  return {
    issuer,

    /** For the consent page of the app. */
    consent: interactions.consent,

    router: routes({
      baseUrl,
      handle: (req, res) => current.handle(req, res),
      interactions: interactions.router,
      registration: registrationRoute(registrations.register),
      revoke,
    }),

    verifyAccessToken: tokens.verify,

    /** Signing out of the app also ends the browser's session at the provider. */
    endSession: async (req: IncomingMessage, res: ServerResponse) => {
      const { provider } = current;
      const ctx = provider.createContext(req, res);
      const session = await provider.Session.get(ctx);
      if (session.accountId !== undefined) await session.destroy();
      ctx.cookies.set(provider.cookieName('session'), null, { path: '/' });
    },

    /** After a password change, or when somebody leaves: invalidates their tokens, codes and sessions. */
    forgetUser: async (userId: string) => {
      await store.transaction(async () => {
        await distrustTokens(userId);
        await store.forget(userId);
      });
      tokens.forget(userId);
    },

    /**
     * Runs once a minute, because `posthorn keys rotate` adds keys, and keys start or stop signing at certain times.
     */
    readSigningKeys: readKeys,

    /** Deletes expired records and returns their number. */
    purge: () => store.purge(clock.now()),

    stop: () => clearInterval(readTimer),
  };
};

interface ProviderWithKeys {
  readonly order: string;
  readonly provider: Provider;
  readonly handle: Handle;
  readonly keyFor: JWTVerifyGetKey;
}

const plainForm = express.text({ type: 'application/x-www-form-urlencoded', limit: '16kb' });

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

const routes = ({
  baseUrl,
  handle,
  interactions,
  registration,
  revoke,
}: {
  baseUrl: string;
  handle: Handle;
  interactions: Router;
  registration: Router;
  revoke: RequestHandler;
}): Router => {
  const { host, protocol } = new URL(baseUrl);

  /** The library builds its addresses from request headers, which anybody can forge, so they are overwritten. */
  const setBaseUrl: RequestHandler = (req, res, next) => {
    req.headers.host = host;
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    res.setHeader('content-security-policy', pageSecurity);
    next();
  };

  /** RFC 8414 puts `/.well-known` before the path of the issuer, and clients try that form first. */
  const wellKnown: RequestHandler = (req, res) => {
    req.url = req.path.replace(/\/auth$/, '');
    req.originalUrl = `/auth${req.url}`;
    return handle(req, res);
  };

  return Router()
    .use('/auth', setBaseUrl)
    .use('/auth/interaction', interactions)
    .use('/auth/register', registration)
    .post('/auth/revoke', plainForm, revoke)
    .use('/auth', (req, res) => handle(req, res))
    .all(
      ['/.well-known/oauth-authorization-server/auth', '/.well-known/openid-configuration/auth'],
      setBaseUrl,
      wellKnown,
    );
};

/**
 * Imported on demand, so that commands do not wait for it. On Node 20 it prints a warning that it is made for Node 22.
 * Our tests cover Node 20, and the operator cannot act on the warning, so it goes to the debug log.
 */
const loadLibrary = async (log: Logger) => {
  const { warn } = console;
  console.warn = (...args: unknown[]) => {
    if (String(args[0]).includes('Unsupported runtime')) log.debug(String(args[0]));
    else warn(...args);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
};
