import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { isUrl } from '#contracts/is-url';
import type { Clock } from '#server/clock';
import type { Outbound, OutboundResponse } from '#server/outbound/guarded-client';

const timeoutMs = 2500;
const documentBytes = 5120;
const keySetBytes = 65_536;

/** All that we use of a document; what the provider refuses, as a secret, is left in for it to see. */
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

/** It is the key of what people gave to the client, and an index takes no longer one. */
const longestAddress = 2_000;

/** For so long a document that failed is not fetched again: anybody can make us ask for any address. */
const failedMs = 60_000;
const mostFailed = 1000;

/** Client ID metadata documents: the rules of the draft and of MCP that the provider leaves to us. */
export const clientDocuments = (outbound: Outbound, clock: Clock) => {
  /** Until when, by address; the oldest first. */
  const failed = new Map<string, number>();
  const hasFailed = (id: string) => (failed.get(id) ?? 0) > clock.now().getTime();

  const allowFetch: NonNullable<Documents['allowFetch']> = (ctx, id) => {
    if (hasFailed(id)) return false;
    // A document that failed would be asked for again to report the failure. Outside of the provider's routes there is
    // no ctx, though its type says so.
    const tried: Set<string> = ctx?.state.triedDocuments ?? new Set();
    if (ctx) ctx.state.triedDocuments = tried;
    const isFirst = !tried.has(id);
    tried.add(id);
    return isFirst && id.length <= longestAddress && new URL(id).pathname !== '/' && outbound.checkUrl(id).ok;
  };

  return {
    /** Once a request is over, and whatever was wrong with a document is known. */
    rememberFailed: ({ state, oidc }: KoaContextWithOIDC) => {
      if (oidc?.client !== undefined) return;
      for (const id of (state.triedDocuments as Set<string> | undefined) ?? []) {
        const [oldest] = failed.keys();
        if (failed.size >= mostFailed && oldest !== undefined) failed.delete(oldest);
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

    /** Everything the provider fetches on behalf of a client goes through the guarded door. */
    fetch: async (input: string | URL | Request): Promise<Response> => {
      const url = String(input);
      const headers = { accept: 'application/json', 'user-agent': 'Posthorn' };
      const answer = await outbound.request(url, { headers, timeoutMs, maxBytes: keySetBytes });
      if (!answer.ok) throw new Error(answer.message);
      if (!/^application\/([\w.-]+\+)?json\b/i.test(headerOf(answer, 'content-type'))) return refused(406);
      const document = parse(answer.body);
      if (document?.client_id === url && answer.body.length > documentBytes) return refused(413);
      return new Response(document?.client_id === url ? JSON.stringify(tidy(document)) : Uint8Array.from(answer.body), {
        status: answer.status,
        headers: { 'cache-control': headerOf(answer, 'cache-control'), expires: headerOf(answer, 'expires') },
      });
    },
  };
};

const refused = (status: number) => new Response(null, { status });

const headerOf = ({ headers }: OutboundResponse, name: string) => String(headers[name] ?? '');

const parse = (body: Buffer): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
};

const tidy = (document: Record<string, unknown>) => {
  const kept = Object.fromEntries(Object.entries(document).filter(([name]) => members.includes(name)));
  if (!Array.isArray(kept.redirect_uris)) return kept;
  const redirects = kept.redirect_uris.filter((uri) => isHttps(uri) || isLoopback(uri));
  // A program on somebody's machine picks a port when it starts; only for a native client is the port left open.
  return { ...kept, redirect_uris: redirects, application_type: redirects.some(isLoopback) ? 'native' : 'web' };
};

const isHttps = (uri: unknown) => typeof uri === 'string' && /^https:\/\//i.test(uri) && isUrl(uri);

/** `http` to the machine that the browser runs on. */
export const isLoopback = (uri: unknown) =>
  typeof uri === 'string' &&
  isUrl(uri) &&
  /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(new URL(uri).origin);
