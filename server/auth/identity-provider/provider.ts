import type { ClientMetadata, Configuration, ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from 'pino';
import { scopes } from '#contracts/scopes';
import type { Registrations } from '#server/auth/registrations';
import type { Clock } from '#server/clock';
import { Refusal } from '#server/errors';
import type { Outbound } from '#server/outbound/guarded-client';
import { pageSecurity } from '#server/pages/layout';
import type { WhoIsSignedIn } from '#server/signed-in';
import { issuedAtMs } from './access-tokens.ts';
import { clientDocuments } from './client-documents.ts';
import { createRecords } from './records.ts';
import { type SigningKey, signingAlgorithm } from './signing-keys.ts';
import type { IdentityStore } from './store.ts';
import { troublePage } from './trouble-page.ts';

const hour = 60 * 60;
const days = 24 * hour;

export type Library = typeof import('oidc-provider');

interface ProviderParts {
  readonly library: Library;
  readonly baseUrl: string;
  readonly store: IdentityStore;
  readonly outbound: Outbound;
  readonly whoIsSignedIn: WhoIsSignedIn;
  /** Whether this person has let the client in. */
  readonly hasConsent: (userId: string, clientId: string) => Promise<boolean>;
  readonly registrations: Pick<Registrations, 'find'>;
  readonly clients: readonly ClientMetadata[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** One provider for one set of keys: the first signs. It is made anew when the keys change. */
export const createProvider = (parts: ProviderParts, keys: readonly SigningKey[]): Provider => {
  const { library, baseUrl, outbound, clock, log } = parts;
  const documents = clientDocuments(outbound, clock);
  const provider = new library.Provider(`${baseUrl}/auth`, configurationOf(parts, documents, keys));
  // It believes the forwarded headers, which the router sets from BASE_URL.
  provider.proxy = true;
  provider.on('authorization.error', (ctx, error) => {
    ctx.state.authorizationError = error;
  });
  provider.use(async (ctx, next) => {
    await next();
    documents.rememberFailed(ctx as KoaContextWithOIDC);
    await keepHere(ctx as KoaContextWithOIDC, parts);
    // It answers a path or method that it does not know with no body, which would become the text of the status.
    if (ctx.status === 404 && !ctx.body) Object.assign(ctx, { status: 404, body: nothingHere.body });
  });
  const report = (err: unknown) => log.error({ err }, 'identity provider failed');
  provider.onerror = report;
  provider.on('server_error', (_ctx, error) => report(error));
  return provider;
};

/**
 * RFC 9700, 4.11.2: anybody can register an address, so that an error which sends browsers there by itself would make us
 * an open redirect. It stays on a page of ours until the person has let the client in. Their own no is a decision too.
 */
const keepHere = async (ctx: KoaContextWithOIDC, { whoIsSignedIn, hasConsent, clients }: ProviderParts) => {
  const { authorizationError: error, isOnOurPage } = ctx.state;
  if (error === undefined || isOnOurPage) return;
  const { client, params, route } = ctx.oidc;
  const { redirect_uri, state } = params ?? ctx.query;
  const isTheirNo = route === 'resume' && error.error === 'access_denied';
  if (client === undefined || isTheirNo || !isUnknownBeforehand(client, clients)) return;
  const who = await whoIsSignedIn(ctx.req);
  if (who && (await hasConsent(who.userId, client.clientId))) return;
  const back = new URL(String(redirect_uri));
  back.searchParams.set('error', error.error);
  if (typeof state === 'string') back.searchParams.set('state', state);
  ctx.remove('location');
  // The provider has allowed the script of a form that sends itself off.
  ctx.set('content-security-policy', pageSecurity);
  Object.assign(ctx, { status: 400, type: 'html', body: troublePage(describe(error), back).toString() });
};

const describe = ({ error, error_description = error }: ErrorOut) => error_description;

const nothingHere = new Refusal(
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
      usedUp: () => new errors.InvalidGrant('authorization code already consumed'),
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
    // Ours, not the provider's: it would let clients have secrets and grants that there are none of here.
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
      // Also sent to the app's own sign-out, which ends this session too.
      long: { path: '/', httpOnly: true, sameSite: 'lax' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    // `iat` counts seconds: a token made right after a change of password would seem older than it.
    extraTokenClaims: async () => ({ [issuedAtMs]: clock.now().getTime() }),
    // SPEC, Authorization flow 4: clients that nobody here has chosen come again after an hour.
    issueRefreshToken: async (_ctx, client, code) =>
      !isUnknownBeforehand(client, clients) &&
      client.grantTypeAllowed('refresh_token') &&
      code.scopes.has('offline_access'),
    // A validator runs on every request, whether or not its parameter is there.
    extraParams: { posthorn_guard: (ctx) => guard(ctx, errors) },
    findAccount: async (_ctx, id) => {
      const user = await store.userById(id, clock.now());
      return user && { accountId: id, claims: () => ({ sub: id, email: user.email }) };
    },
    interactions: {
      policy: interactionPolicy(library, whoIsSignedIn, clients),
      url: (_ctx, { uid }) => `/auth/interaction/${uid}`,
    },
    renderError: (ctx, error) => {
      ctx.state.isOnOurPage = true;
      ctx.type = 'html';
      ctx.body = troublePage(describe(error)).toString();
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
        defaultResource: (_ctx, client) => (isUnknownBeforehand(client, clients) ? mcp : undefined),
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

/** One with a metadata document, or one that registered itself: nobody here has chosen it. */
const isUnknownBeforehand = ({ clientId }: { clientId: string }, known: readonly ClientMetadata[]) =>
  !known.some(({ client_id }) => client_id === clientId);

/** SPEC, Authorization flow 3: without `openid`, or with no scope at all, the request is refused. */
const guard = ({ oidc }: KoaContextWithOIDC, errors: Library['errors']) => {
  if (!oidc.requestParamScopes.has('openid')) throw new errors.InvalidScope('openid must be requested', '');
  // The request is remembered until it is decided, and PostgreSQL keeps no NUL.
  if (Object.values(oidc.params ?? {}).some((value) => String(value).includes('\0'))) {
    throw new errors.InvalidRequest('a parameter holds a NUL character');
  }
};

const interactionPolicy = (
  { interactionPolicy: { base, Check } }: Library,
  whoIsSignedIn: WhoIsSignedIn,
  known: readonly ClientMetadata[],
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
      return client !== undefined && isUnknownBeforehand(client, known) && !result?.consent;
    }),
  );
  return policy;
};
