import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { isUrl } from '#contracts/is-url';
import type { Clock } from '#server/base/clock';
import type { Outbound, OutboundResponse } from '#server/base/outbound/guarded-client';

const timeoutMs = 2500;
const documentBytes = 5120;
const keySetBytes = 65_536;

/** The members that we use. `client_secret` stays in, so that the provider can refuse a document that has one. */
const members = [
  'client_id',
  'client_name',
  'client_uri',
  'redirect_uris',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'jwks',
  'jwks_uri',
  'client_secret',
  'client_secret_expires_at',
];

type Documents = NonNullable<NonNullable<Configuration['features']>['clientIdMetadataDocument']>;

/** The address is part of an index, and PostgreSQL limits the size of index entries. */
const maxAddressCharacters = 2_000;

/** A failed document is not fetched again for this long, because anybody can make us fetch any address. */
const failedMs = 60_000;
const maxFailed = 1000;

/** Client ID metadata documents: the rules of the draft and of MCP that the library leaves to us. */
export const clientDocuments = (outbound: Outbound, clock: Clock) => {
  /** When the failure expires, by address. Oldest first. */
  const failed = new Map<string, number>();
  const hasFailed = (id: string) => (failed.get(id) ?? 0) > clock.now().getTime();

  const allowFetch: NonNullable<Documents['allowFetch']> = (ctx, id) => {
    if (hasFailed(id)) return false;
    // The library would fetch a failed document a second time to report the failure. Outside of its routes `ctx` is
    // undefined, although its type says otherwise.
    const fetchedIds: Set<string> = ctx?.state.triedDocuments ?? new Set();
    if (ctx) ctx.state.triedDocuments = fetchedIds;
    const isFirst = !fetchedIds.has(id);
    fetchedIds.add(id);
    return isFirst && id.length <= maxAddressCharacters && new URL(id).pathname !== '/' && outbound.checkUrl(id).ok;
  };

  return {
    /** Called after a request: only then is it clear whether its document was accepted. */
    rememberFailed: ({ state, oidc }: KoaContextWithOIDC) => {
      if (oidc?.client !== undefined) return;
      for (const id of (state.triedDocuments as Set<string> | undefined) ?? []) {
        const [oldest] = failed.keys();
        if (failed.size >= maxFailed && oldest !== undefined) failed.delete(oldest);
        failed.delete(id);
        failed.set(id, clock.now().getTime() + failedMs);
      }
    },

    feature: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: { min: 60, max: 3600 },
      allowFetch,
      allowClient: (_ctx, { clientName }) => Boolean(clientName?.trim()),
    } satisfies Documents,

    /** Everything that the provider fetches for a client goes through the guarded HTTP client. */
    fetch: async (input: string | URL | Request): Promise<Response> => {
      const url = String(input);
      const headers = { accept: 'application/json', 'user-agent': 'Posthorn' };
      const answer = await outbound.request(url, { headers, timeoutMs, maxBytes: keySetBytes });
      if (!answer.ok) throw new Error(answer.message);
      if (!/^application\/([\w.-]+\+)?json\b/i.test(headerOf(answer, 'content-type'))) return refuse(406);
      const document = parse(answer.body);
      if (document?.client_id === url && answer.body.length > documentBytes) return refuse(413);
      return new Response(
        document?.client_id === url ? JSON.stringify(toMetadata(document)) : Uint8Array.from(answer.body),
        {
          status: answer.status,
          headers: { 'cache-control': headerOf(answer, 'cache-control'), expires: headerOf(answer, 'expires') },
        },
      );
    },
  };
};

const refuse = (status: number) => new Response(null, { status });

const headerOf = ({ headers }: OutboundResponse, name: string) => String(headers[name] ?? '');

const parse = (body: Buffer): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

const toMetadata = (document: Record<string, unknown>) => {
  const metadata = Object.fromEntries(Object.entries(document).filter(([name]) => members.includes(name)));
  if (!Array.isArray(metadata.redirect_uris)) return metadata;
  const redirects = metadata.redirect_uris.filter((uri) => isHttps(uri) || isLoopback(uri));
  // A local program picks a free port at start, and the provider accepts any port only for native clients.
  return { ...metadata, redirect_uris: redirects, application_type: redirects.some(isLoopback) ? 'native' : 'web' };
};

const isHttps = (uri: unknown) => typeof uri === 'string' && /^https:\/\//i.test(uri) && isUrl(uri);

/** An `http` address on the machine of the browser. */
export const isLoopback = (uri: unknown) =>
  typeof uri === 'string' &&
  isUrl(uri) &&
  /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(new URL(uri).origin);
