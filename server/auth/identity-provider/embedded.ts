import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { createLocalJWKSet, type JWTVerifyGetKey, errors as joseErrors } from 'jose';
import type { ClientMetadata, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import type { Registrations } from '#server/auth/registrations';
import type { Clock } from '#server/clock';
import { createReport } from '#server/logging/report';
import type { Outbound } from '#server/outbound/guarded-client';
import { pageSecurity } from '#server/pages/layout';
import type { Seal } from '#server/secrets/seal';
import type { WhoIsSignedIn } from '#server/signed-in';
import type { Database } from '#server/store/database';
import { createAccessTokens } from './access-tokens.ts';
import { type Consented, createInteractions } from './interactions.ts';
import { createProvider } from './provider.ts';
import { registrationRoute } from './registration.ts';
import { createSigningKeys, signingAlgorithm } from './signing-keys.ts';
import { createIdentityStore } from './store.ts';

const readKeysEveryMs = 60_000;
/** How often tokens with an unknown key may make us look for a new one. */
const lookAgainMs = 5000;

export interface IdentityProviderOptions {
  readonly baseUrl: string;
  readonly database: Database;
  readonly outbound: Outbound;
  readonly seal: Seal;
  readonly registrations: Registrations;
  readonly whoIsSignedIn: WhoIsSignedIn;
  /** No access token of this user from before now counts. */
  readonly distrustTokens: (userId: string) => Promise<void>;
  /** The wall clock: the provider takes the times in its tokens from there. */
  readonly clock: Clock;
  readonly log: Logger;
  /** For the list of clients and the audit log. */
  readonly consented?: (consent: Consented) => Promise<void>;
  readonly hasConsent?: (userId: string, clientId: string) => Promise<boolean>;
  /** A client gave its token back. */
  readonly revoked?: (access: { userId: string; clientId: string }) => Promise<void>;
  /** Clients that are known beforehand, beside those with a metadata document and those that register. */
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
  consented = async () => undefined,
  hasConsent = async () => false,
  revoked = async () => undefined,
  clients = [],
}: IdentityProviderOptions) => {
  const library = await loadLibrary(log);
  const store = createIdentityStore(database);
  const keys = createSigningKeys({ store, seal, clock });
  const issuer = `${baseUrl}/auth`;
  const mcp = `${baseUrl}/mcp`;

  const build = async (before?: Current): Promise<Current> => {
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
  const reading = setInterval(() => {
    database.outside(readKeys).catch(createReport(log, 'signing keys not read'));
  }, readKeysEveryMs).unref();

  /** Another instance may have taken over a new key a moment ago. */
  const keyFor: JWTVerifyGetKey = async (header, token) => {
    try {
      return await current.keyFor(header, token);
    } catch (error) {
      const isEarly = clock.now().getTime() - readAtMs < lookAgainMs;
      if (!(error instanceof joseErrors.JWKSNoMatchingKey) || isEarly) throw error;
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
   * RFC 7009. The provider revokes only what it stores, and our access tokens are signed, not stored. Whoever has a token
   * may end it; one that is not good (any more) is answered the same.
   */
  const revoke = async (req: Request, res: Response) => {
    const form = new URLSearchParams(typeof req.body === 'string' ? req.body : '');
    const token = form.get('token');
    if (token === null) {
      return void res.status(400).json({ error: 'invalid_request', error_description: 'token is missing' });
    }
    const access = await tokens.verify(token);
    if (access && [null, access.clientId].includes(form.get('client_id'))) {
      await revoked(access);
      tokens.forget(access.userId);
    }
    res.status(200).end();
  };

  const interactions = createInteractions({
    library,
    provider: () => current.provider,
    mcp,
    whoIsSignedIn,
    consented,
  });

  return {
    issuer,

    /** What a client asks a person, for the page of the app. */
    consent: interactions.consent,

    router: routes({
      baseUrl,
      handle: (req, res) => current.handle(req, res),
      interactions: interactions.router,
      registration: registrationRoute(registrations.register),
      revoke,
    }),

    verifyAccessToken: tokens.verify,

    /** Ends what this browser has with the provider, when it signs out of the app. */
    endSession: async (req: IncomingMessage, res: ServerResponse) => {
      const { provider } = current;
      const ctx = provider.createContext(req, res);
      const session = await provider.Session.get(ctx);
      if (session.accountId !== undefined) await session.destroy();
      ctx.cookies.set(provider.cookieName('session'), null, { path: '/' });
    },

    /** After a change of password, or when somebody leaves: no token, code or session of before counts any more. */
    forgetUser: async (userId: string) => {
      await store.transaction(async () => {
        await distrustTokens(userId);
        await store.forget(userId);
      });
      tokens.forget(userId);
    },

    /** Once a minute by itself: takes over what `posthorn keys rotate`, or the time, has changed. */
    readSigningKeys: readKeys,

    /** For a job: removes what has expired, and says how much. */
    purge: () => store.purge(clock.now()),

    stop: () => clearInterval(reading),
  };
};

interface Current {
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

  /** The provider takes its addresses from the request, where anybody may write what they like. */
  const asBaseUrl: RequestHandler = (req, res, next) => {
    req.headers.host = host;
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    res.setHeader('content-security-policy', pageSecurity);
    next();
  };

  /** RFC 8414 puts the well-known part first; clients try that form before the other. */
  const wellKnown: RequestHandler = (req, res) => {
    req.url = req.path.replace(/\/auth$/, '');
    req.originalUrl = `/auth${req.url}`;
    return handle(req, res);
  };

  return Router()
    .use('/auth', asBaseUrl)
    .use('/auth/interaction', interactions)
    .use('/auth/register', registration)
    .post('/auth/revoke', plainForm, revoke)
    .use('/auth', (req, res) => handle(req, res))
    .all(
      ['/.well-known/oauth-authorization-server/auth', '/.well-known/openid-configuration/auth'],
      asBaseUrl,
      wellKnown,
    );
};

/**
 * Loaded only here, so that a command which starts no service does not wait for it. It warns on every start that it is
 * made for Node 22. Our tests run it on 20, and who reads the start can do nothing about it: the log is the place.
 */
const loadLibrary = async (log: Logger) => {
  const { warn } = console;
  console.warn = (...said: unknown[]) => {
    if (String(said[0]).includes('Unsupported runtime')) log.debug(String(said[0]));
    else warn(...said);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
};
