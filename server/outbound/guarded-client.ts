import { type LookupAddress, type LookupOptions, lookup as resolveName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { type CheckedUrl, checkUrl, hostAndPort } from './check-url.ts';
import { type Exchanged, exchange, type Target, type WriteGuard } from './exchange.ts';
import { isPublicIp } from './public-address.ts';
import { brokeWhileReused, tolerant } from './tolerant-socket.ts';
import { BlockedAddress, TooLate, type Trouble, troubleFrom } from './trouble.ts';

export type { WriteGuard };

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is destroyed by whoever made it when there is trouble. */
  readonly body?: string | Uint8Array | Readable;
  /** For all of it, from the name to the last byte. */
  readonly timeoutMs?: number;
  /** A longer answer is trouble. 0: only status and headers are waited for. */
  readonly maxBytes?: number;
  /** Over the connection of a request just before, where there is one: for those that may be repeated or asked after. */
  readonly keptConnection?: boolean;
  /** Sent once more, over a fresh connection, when a kept one breaks before any answer: the other side may get it twice. */
  readonly repeatable?: boolean;
  readonly guard?: WriteGuard;
}

export type OutboundResponse = Exchanged;

export type OutboundAnswer = OutboundResponse | Trouble;

/** One whose body has not been read: whoever asked for it reads or destroys it. */
export interface OpenResponse extends Omit<OutboundResponse, 'body'> {
  readonly body: Readable;
}

export interface Outbound {
  /** For answers too large to hold. */
  open(url: string, options?: Pick<OutboundRequest, 'headers' | 'timeoutMs'>): Promise<OpenResponse | Trouble>;
  request(url: string, options?: OutboundRequest): Promise<OutboundAnswer>;
  /** What can be said of an address without asking anybody, for the moment it is typed in. */
  checkUrl(url: string): CheckedUrl;
  close(): Promise<void>;
}

export interface OutboundOptions {
  /** For development: `host:port` that may be private, as `127.0.0.1:9443`. */
  readonly allow?: readonly string[];
  readonly plainHttp?: boolean;
  /** One more certificate authority, in PEM. */
  readonly extraCa?: string | undefined;
  /** Names and sockets are handed in by tests, which never ask a public address. */
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
  /** Made once: reading all authorities for every connection would hold the process up. */
  readonly secureContext?: SecureContext;
  readonly timeout: number;
}

const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 1024 * 1024;
/** Shorter than any server waits, so that hardly ever one closes it under a request. */
const keptMs = 1000;
/** Node's own bound is 16 kB, which some servers exceed with cookies and policies. */
const maxHeaderSize = 64 * 1024;
/** What is read of an answer that nobody wants, to have the connection again. */
const droppedBytes = 16 * 1024;
const mostKnown = 500;

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
  // Every request has a time for all of it, so undici needs none for its parts.
  const shared = { maxHeaderSize, connect: tolerant(connect), headersTimeout: 0, bodyTimeout: 0 };
  // A kept connection could be closed by the other side just as a request is written to it.
  const agent = new Agent({ ...shared, pipelining: 0 });
  const keepingAgent = new Agent({ ...shared, keepAliveTimeout: keptMs, keepAliveMaxTimeout: keptMs });

  const known = new Map<string, CheckedTarget>();
  const targetOf = (text: string, { keptConnection }: OutboundRequest): CheckedTarget => {
    const found = known.get(text);
    if (found) return found;
    const checked = checkUrl(text, rules);
    const target = checked.ok
      ? { ok: true as const, origin: checked.url.origin, path: checked.url.pathname + checked.url.search }
      : checked;
    // Whoever keeps a connection asks the same address again.
    if (keptConnection) {
      if (known.size >= mostKnown) known.clear();
      known.set(text, target);
    }
    return target;
  };

  const request = (target: Target, options: OutboundRequest): Promise<OutboundAnswer> => {
    const { timeoutMs = defaultTimeoutMs, keptConnection } = options;
    if (!keptConnection) return ask(agent, target, options, timeoutMs).catch(troubleFrom);
    const begunMs = performance.now();
    return ask(keepingAgent, target, options, timeoutMs).catch((error: unknown) => {
      if (!options.repeatable || !brokeWhileReused(error)) return troubleFrom(error);
      return ask(agent, target, options, timeoutMs - (performance.now() - begunMs)).catch(troubleFrom);
    });
  };

  return {
    checkUrl: (url) => checkUrl(url, rules),
    open: async (text, options = {}) => {
      const checked = checkUrl(text, rules);
      return checked.ok ? begin(agent, checked.url, options).catch(troubleFrom) : checked;
    },
    request: (text, options = {}) => {
      const target = targetOf(text, options);
      return target.ok ? request(target, options) : Promise.resolve(target);
    },
    close: async () => {
      await Promise.all([agent.destroy(), keepingAgent.destroy()]);
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
  // Destroying a body that is still coming makes it report an error that is of no interest.
  answer.body.on('error', () => undefined);
  return { ok: true as const, status: answer.statusCode, headers: answer.headers, body: answer.body };
};

const ask = (
  dispatcher: Dispatcher,
  target: Target,
  { method = 'GET', headers = {}, body, guard, maxBytes = defaultMaxBytes, keptConnection }: OutboundRequest,
  timeoutMs: number,
): Promise<OutboundResponse> =>
  exchange(dispatcher, target, {
    method,
    headers,
    body: guard && body instanceof Readable ? (inPieces(body, guard) as unknown as Readable) : (body ?? null),
    guard,
    timeoutMs,
    maxBytes,
    droppedBytes: keptConnection ? droppedBytes : 0,
  });

/** Not as a stream, which would hold a piece back that was looked at too long ago. The head leaves with the first. */
async function* inPieces(stream: Readable, { mayBegin, mayGoOn = () => true }: WriteGuard) {
  let isFirst = true;
  for await (const piece of stream) {
    if (isFirst && !mayBegin()) throw new TooLate();
    if (!isFirst && !mayGoOn()) throw new Error('The process stood still while it sent this.');
    isFirst = false;
    yield piece;
  }
}

/** The addresses that are checked are the ones that are dialled: a name cannot change its mind in between. */
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

/** `checkUrl` and `publicLookup` have refused private addresses already; the socket says where it really went. */
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
