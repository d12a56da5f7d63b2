import type { ClientMetadata, Configuration, ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { scopes } from '#contracts/scopes';
import type { Registrations } from '#server/access/auth/registrations';
import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { pageSecurity } from '#server/base/pages/layout';
import type { WhoIsSignedIn } from '#server/base/signed-in';
import { issuedAtMs } from './access-tokens.ts';
import { clientDocuments } from './client-documents.ts';
import { errorPage } from './error-page.ts';
import { createRecords } from './records.ts';
import { type SigningKey, signingAlgorithm } from './signing-keys.ts';
import type { IdentityStore } from './store.ts';

const hour = 60 * 60;
const days = 24 * hour;

export type Library = typeof import('oidc-provider');

interface ProviderParts {
  readonly library: Library;
  readonly baseUrl: string;
  readonly store: IdentityStore;
  readonly outbound: Outbound;
  readonly whoIsSignedIn: WhoIsSignedIn;
  /** Whether this person has given consent to the client. */
  readonly hasConsent: (userId: string, clientId: string) => Promise<boolean>;
  readonly registrations: Pick<Registrations, 'find'>;
  readonly clients: readonly ClientMetadata[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** The library takes its keys once, so a new provider is created when the keys change. The first key signs. */
export const createProvider = (parts: ProviderParts, keys: readonly SigningKey[]): Provider => {
  const { library, baseUrl, outbound, clock, log } = parts;
  const documents = clientDocuments(outbound, clock);
  const provider = new library.Provider(`${baseUrl}/auth`, configurationOf(parts, documents, keys));
  // Trusts the forwarded headers, which the router has overwritten with BASE_URL.
  provider.proxy = true;
  provider.on('authorization.error', (ctx, error) => {
    ctx.state.authorizationError = error;
  });
  provider.use(async (ctx, next) => {
    await next();
    documents.rememberFailed(ctx as KoaContextWithOIDC);
    await showErrorHere(ctx as KoaContextWithOIDC, parts);
    // For an unknown path or method the library sets no body, and Koa would send the status text.
    if (ctx.status === 404 && !ctx.body) Object.assign(ctx, { status: 404, body: noSuchPath.body });
  });
  const report = (err: unknown) => log.error({ err }, 'identity provider failed');
  provider.onerror = report;
  provider.on('server_error', (_ctx, error) => report(error));
  return provider;
};

/**
 * RFC 9700, 4.11.2: anybody can register a redirect address, so redirecting errors there would make us an open
 * redirect. The error stays on our own page, unless the person has given consent to the client or has just refused it.
 */
const showErrorHere = async (ctx: KoaContextWithOIDC, { whoIsSignedIn, hasConsent, clients }: ProviderParts) => {
  const { authorizationError: error, isErrorPage } = ctx.state;
  if (error === undefined || isErrorPage) return;
  const { client, params, route } = ctx.oidc;
  const { redirect_uri, state } = params ?? ctx.query;
  const isRefusedByPerson = route === 'resume' && error.error === 'access_denied';
  if (client === undefined || isRefusedByPerson || !isSelfIntroduced(client, clients)) return;
  const who = await whoIsSignedIn(ctx.req);
  if (who && (await hasConsent(who.userId, client.clientId))) return;
  const back = new URL(String(redirect_uri));
  back.searchParams.set('error', error.error);
  if (typeof state === 'string') back.searchParams.set('state', state);
  ctx.remove('location');
  // The library's policy allows the script of its self-submitting form, which this page does not have.
  ctx.set('content-security-policy', pageSecurity);
  Object.assign(ctx, { status: 400, type: 'html', body: errorPage(describe(error), back).toString() });
};

const describe = ({ error, error_description = error }: ErrorOut) => error_description;

const noSuchPath = new Refusal(
  'NotFound',
  'There is nothing here for this method. The paths are in /auth/.well-known/openid-configuration.',
);

const configurationOf = (
  { library, baseUrl, store, whoIsSignedIn, registrations, clients, clock }: ProviderParts,
  documents: ReturnType<typeof clientDocuments>,
  keys: readonly SigningKey[],
): Configuration => {
  const { errors } = library;
  const mcp = `${baseUrl}/mcp`;
  return {
    adapter: createRecords({
      store,
      registrations,
      clock,
      consumedError: () => new errors.InvalidGrant('authorization code already consumed'),
    }),
    jwks: { keys: keys.map(({ privateKey }) => privateKey) },
    clients: [...clients],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: signingAlgorithm,
      grant_types: ['authorization_code'],
      response_types: ['code'],
    },
    responseTypes: ['code'],
    scopes: ['openid', 'offline_access'],
    // Our own endpoint, because the library's would offer client secrets and grant types that we do not support.
    discovery: { registration_endpoint: `${baseUrl}/auth/register` },
    claims: { openid: ['sub'], email: ['email'] },
    enabledJWA: { idTokenSigningAlgValues: [signingAlgorithm] },
    clientAuthMethods: ['none', 'client_secret_basic', 'private_key_jwt'],
    clientBasedCORS: () => false,
    pkce: { required: () => true },
    routes: {
      authorization: '/authorize',
      token: '/token',
      jwks: '/jwks',
      userinfo: '/userinfo',
      end_session: '/logout',
      revocation: '/revoke',
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: 60,
      IdToken: hour,
      Interaction: hour,
      Session: 14 * days,
      Grant: 14 * days,
      RefreshToken: 14 * days,
    },
    cookies: {
      names: { session: 'posthorn_provider', interaction: 'posthorn_interaction', resume: 'posthorn_resume' },
      // Path `/`, because the app's sign-out needs this cookie to end the session.
      long: { path: '/', httpOnly: true, sameSite: 'lax' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    // `iat` has whole seconds, so a token issued right after a password change would look older than the change.
    extraTokenClaims: async () => ({ [issuedAtMs]: clock.now().getTime() }),
    // SPEC, Authorization flow 4: only preconfigured clients get a refresh token.
    issueRefreshToken: async (_ctx, client, code) =>
      !isSelfIntroduced(client, clients) &&
      client.grantTypeAllowed('refresh_token') &&
      code.scopes.has('offline_access'),
    // The library runs the validator of an extra parameter on every request, even if the parameter is absent.
    extraParams: { posthorn_guard: (ctx) => checkRequest(ctx, errors) },
    findAccount: async (_ctx, id) => {
      const user = await store.userById(id, clock.now());
      return user && { accountId: id, claims: () => ({ sub: id, email: user.email }) };
    },
    interactions: {
      policy: interactionPolicy(library, whoIsSignedIn, clients),
      url: (_ctx, { uid }) => `/auth/interaction/${uid}`,
    },
    renderError: (ctx, error) => {
      ctx.state.isErrorPage = true;
      ctx.type = 'html';
      ctx.body = errorPage(describe(error)).toString();
    },
    fetch: documents.fetch,
    features: {
      devInteractions: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      clientIdMetadataDocument: documents.feature,
      resourceIndicators: {
        enabled: true,
        defaultResource: (_ctx, client) => (isSelfIntroduced(client, clients) ? mcp : undefined),
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, resource) => {
          if (resource !== mcp) throw new errors.InvalidTarget();
          return {
            scope: Object.keys(scopes).join(' '),
            audience: mcp,
            accessTokenTTL: hour,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: signingAlgorithm } },
          };
        },
      },
    },
  };
};

/** Clients with a metadata document, and those that registered themselves. */
const isSelfIntroduced = ({ clientId }: { clientId: string }, preconfigured: readonly ClientMetadata[]) =>
  !preconfigured.some(({ client_id }) => client_id === clientId);

/** SPEC, Authorization flow 3: without `openid`, or with no scope at all, the request is refused. */
const checkRequest = ({ oidc }: KoaContextWithOIDC, errors: Library['errors']) => {
  if (!oidc.requestParamScopes.has('openid')) throw new errors.InvalidScope('openid must be requested', '');
  // The request is stored until it is decided, and PostgreSQL stores no NUL.
  if (Object.values(oidc.params ?? {}).some((value) => String(value).includes('\0'))) {
    throw new errors.InvalidRequest('a parameter holds a NUL character');
  }
};

const interactionPolicy = (
  { interactionPolicy: { base, Check } }: Library,
  whoIsSignedIn: WhoIsSignedIn,
  preconfigured: readonly ClientMetadata[],
) => {
  const policy = base();
  policy.get('login')?.checks.add(
    new Check('app_session', 'End-User authentication is required', 'login_required', async ({ req, oidc }) => {
      const who = await whoIsSignedIn(req);
      return who?.userId !== oidc.session?.accountId;
    }),
  );
  policy.get('consent')?.checks.add(
    new Check('asked_each_time', 'this client is asked about each time', 'interaction_required', ({ oidc }) => {
      const { client, result } = oidc;
      return client !== undefined && isSelfIntroduced(client, preconfigured) && !result?.consent;
    }),
  );
  return policy;
};
