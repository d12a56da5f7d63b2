import { type LookupAddress, type LookupOptions, lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { refuseInTransaction } from '#server/base/running-transaction';
import { type CheckedUrl, checkUrl, hostAndPort } from './check-url.ts';
import { type ExchangeResponse, exchange, type Target, type WriteGuard } from './exchange.ts';
import { isPublicIp } from './public-address.ts';
import { brokeWhileReused, tolerant } from './tolerant-socket.ts';
import { BlockedAddress, TooLate, type Trouble, troubleFrom } from './trouble.ts';

export type { WriteGuard };

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** When the request fails, the caller destroys a stream it passed. */
  readonly body?: string | Uint8Array | Readable;
  /** For the whole exchange, from the DNS lookup to the last byte. */
  readonly timeoutMs?: number;
  /** A longer answer is an error. 0: resolve with status and headers, without the body. */
  readonly maxBytes?: number;
  /** May use an idle connection, which can break under the request. For requests that are safe to repeat or can be verified. */
  readonly reuseConnection?: boolean;
  /** Retried once on a fresh connection when a reused one breaks before any answer: the server may get the request twice. */
  readonly repeatable?: boolean;
  readonly guard?: WriteGuard;
}

export type OutboundResponse = ExchangeResponse;

export type OutboundAnswer = OutboundResponse | Trouble;

/** With an unread body, which the caller reads or destroys. */
export interface OpenResponse extends Omit<OutboundResponse, 'body'> {
  readonly body: Readable;
}

export interface Outbound {
  /** For answers too large to hold in memory. */
  open(url: string, options?: Pick<OutboundRequest, 'headers' | 'timeoutMs'>): Promise<OpenResponse | Trouble>;
  request(url: string, options?: OutboundRequest): Promise<OutboundAnswer>;
  /** Checks an address without any network access, for instance while it is typed in. */
  checkUrl(url: string): CheckedUrl;
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** For development: `host:port` that may be private, as `127.0.0.1:9443`. */
  readonly allow?: readonly string[];
  readonly plainHttp?: boolean;
  /** One more certificate authority, in PEM. */
  readonly extraCa?: string | undefined;
  /** Replaced by tests, which never reach a public address. */
  readonly lookup?: Lookup;
  readonly connectorFor?: (options: ConnectorOptions) => buildConnector.connector;
}

export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface ConnectorOptions {
  readonly lookup: LookupFunction;
  /** Created once: parsing all certificate authorities for every connection would block the event loop. */
  readonly secureContext?: SecureContext;
  readonly timeout: number;
}

const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 1024 * 1024;
/** Shorter than the keep-alive timeout of servers, so that they rarely close a connection under a request. */
const keepAliveMs = 1000;
/** Node's own bound is 16 kB, which some servers exceed with cookies and policies. */
const maxHeaderSize = 64 * 1024;
/** How much of an unwanted body is drained, so that the connection can be reused. */
const drainBytes = 16 * 1024;
const maxCachedTargets = 500;

/** The one HTTP client for every address that a user can influence: it reaches the public internet and nothing else. */
export const createOutbound = ({
  allow = [],
  plainHttp = false,
  extraCa,
  lookup = resolveName,
  connectorFor = buildConnector,
}: OutboundOptions): Outbound => {
  const rules = { allow: new Set(allow), plainHttp };
  const secure = {
    timeout: defaultTimeoutMs,
    ...(extraCa && { secureContext: createSecureContext({ ca: [...rootCertificates, extraCa] }) }),
  };
  const connectPublic = onlyPublic(connectorFor({ ...secure, lookup: publicLookup(lookup) }));
  const connectAny = connectorFor({ ...secure, lookup: anyLookup(lookup) });
  const connect: buildConnector.connector = (target, callback) =>
    (rules.allow.has(hostAndPort(target)) ? connectAny : connectPublic)(target, callback);
  // Every request has a total timeout, so undici needs none for its phases.
  const shared = { maxHeaderSize, connect: tolerant(connect), headersTimeout: 0, bodyTimeout: 0 };
  // No keep-alive: the server could close an idle connection just as a request is written to it.
  const agent = new Agent({ ...shared, pipelining: 0 });
  const keepAliveAgent = new Agent({ ...shared, keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs });

  const cachedTargets = new Map<string, CheckedTarget>();
  const targetOf = (text: string, { reuseConnection }: OutboundRequest): CheckedTarget => {
    const cached = cachedTargets.get(text);
    if (cached) return cached;
    const checked = checkUrl(text, rules);
    const target = checked.ok
      ? { ok: true as const, origin: checked.url.origin, path: checked.url.pathname + checked.url.search }
      : checked;
    // Callers that reuse connections call the same addresses again.
    if (reuseConnection) {
      if (cachedTargets.size >= maxCachedTargets) cachedTargets.clear();
      cachedTargets.set(text, target);
    }
    return target;
  };

  const request = (target: Target, options: OutboundRequest): Promise<OutboundAnswer> => {
    const { timeoutMs = defaultTimeoutMs, reuseConnection } = options;
    if (!reuseConnection) return ask(agent, target, options, timeoutMs).catch(troubleFrom);
    const startedMs = performance.now();
    return ask(keepAliveAgent, target, options, timeoutMs).catch((error: unknown) => {
      if (!options.repeatable || !brokeWhileReused(error)) return troubleFrom(error);
      return ask(agent, target, options, timeoutMs - (performance.now() - startedMs)).catch(troubleFrom);
    });
  };

  return {
    checkUrl: (url) => checkUrl(url, rules),
    open: async (text, options = {}) => {
      refuseInTransaction('A request');
      const checked = checkUrl(text, rules);
      return checked.ok ? begin(agent, checked.url, options).catch(troubleFrom) : checked;
    },
    request: (text, options = {}) => {
      refuseInTransaction('A request');
      const target = targetOf(text, options);
      return target.ok ? request(target, options) : Promise.resolve(target);
    },
    close: async () => {
      await Promise.all([agent.destroy(), keepAliveAgent.destroy()]);
    },
  };
};

type CheckedTarget = ({ readonly ok: true } & Target) | Trouble;

const begin = async (
  dispatcher: Dispatcher,
  url: URL,
  { headers = {}, timeoutMs = defaultTimeoutMs }: Pick<OutboundRequest, 'headers' | 'timeoutMs'>,
) => {
  const answer = await send(url, { dispatcher, headers, signal: AbortSignal.timeout(timeoutMs) });
  // A body that is destroyed while data arrives emits an error, which would be unhandled.
  answer.body.on('error', () => undefined);
  return { ok: true as const, status: answer.statusCode, headers: answer.headers, body: answer.body };
};

const ask = (
  dispatcher: Dispatcher,
  target: Target,
  { method = 'GET', headers = {}, body, guard, maxBytes = defaultMaxBytes, reuseConnection }: OutboundRequest,
  timeoutMs: number,
): Promise<OutboundResponse> =>
  exchange(dispatcher, target, {
    method,
    headers,
    body: guard && body instanceof Readable ? (guardedChunks(body, guard) as unknown as Readable) : (body ?? null),
    guard,
    timeoutMs,
    maxBytes,
    drainBytes: reuseConnection ? drainBytes : 0,
  });

/** A generator, because a stream would buffer chunks after their check. The request head is written with the first chunk. */
async function* guardedChunks(stream: Readable, { mayBegin, mayContinue = () => true }: WriteGuard) {
  let isFirst = true;
  for await (const chunk of stream) {
    if (isFirst && !mayBegin()) throw new TooLate();
    if (!isFirst && !mayContinue()) throw new Error('The process stalled while it sent this.');
    isFirst = false;
    yield chunk;
  }
}

/** Checks the addresses that are then dialled, so that a name cannot resolve differently in between (DNS rebinding). */
const publicLookup = (lookup: Lookup) =>
  lookupWith(lookup, (addresses) => addresses.length > 0 && addresses.every(({ address }) => isPublicIp(address)));

const anyLookup = (lookup: Lookup) => lookupWith(lookup, ({ length }) => length > 0);

const lookupWith =
  (lookup: Lookup, isFine: (addresses: LookupAddress[]) => boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error || first === undefined) return callback(error ?? new BlockedAddress(), []);
      if (!isFine(addresses)) return callback(new BlockedAddress(), []);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });

/** `checkUrl` and `publicLookup` refuse private addresses before; this checks where the socket really connected. */
const onlyPublic =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) => {
    connect(target, (...result) => {
      const [, socket] = result;
      if (!socket || isPublicIp(socket.remoteAddress ?? '')) return callback(...result);
      socket.destroy();
      callback(new BlockedAddress(), null);
    });
  };
