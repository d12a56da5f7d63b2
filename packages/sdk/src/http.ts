import { ApiPromise, type WithResponse } from './api-promise.ts';
import { version } from './generated/version.ts';
import { ConnectionError, type ErrorClasses, errorFrom, TimeoutError } from './posthorn-error.ts';
import type { Progress } from './progress.ts';
import { type Retry, sleep, waitBeforeRetry } from './retries.ts';

export interface PosthornOptions {
  /**
   * Personal API token, or a function that gives one; it is asked before every attempt. `null` sends none, for a page that
   * has a session cookie. Default: `POSTHORN_TOKEN` of the environment
   */
  token?: string | (() => string | Promise<string>) | null | undefined;
  /** Address of the server, such as `https://posts.example.com`. Default: `POSTHORN_URL` of the environment */
  baseUrl?: string | undefined;
  /** How long one attempt may take, the body of the answer included; for an upload, the longest time without progress. Default 30 000 */
  timeoutMs?: number | undefined;
  /** How often a failed attempt is repeated. Default 2 */
  maxRetries?: number | undefined;
  /** Used instead of the global fetch: for a proxy agent, tracing or tests */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Sent with every request. A function is asked once per call, so that all attempts of a call are the same */
  headers?: Record<string, string> | (() => Record<string, string>) | undefined;
  /** Path of the actions. Default `/api/agent/tools`; people with a session cookie have `/api/app/actions` */
  actionsPath?: string | undefined;
  /** Called before every attempt, for logs and traces. Authorization is redacted */
  onRequest?: ((request: SentRequest) => void) | undefined;
  /** Called after every attempt */
  onResponse?: ((answer: ReceivedAnswer) => void) | undefined;
  /** Called once when a call fails for good, before its promise rejects. Not called for an aborted call */
  onError?: ((error: unknown) => void) | undefined;
  /** Waits between attempts. Replaced by tests */
  sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

export interface CallOptions {
  /** Aborts the request or the wait before the next attempt; the promise rejects with the signal's reason */
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** Within 24 hours, the same key and input give the first answer again. Default: a new key for every write */
  idempotencyKey?: string | undefined;
  /** Sent as `X-Request-Id`, which the server reuses in its answer and its log */
  requestId?: string | undefined;
}

export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | FormData | Blob | undefined;
  /** From 1 */
  attempt: number;
  requestId: string | undefined;
}

export interface ReceivedAnswer {
  request: SentRequest;
  /** Absent when no answer arrived; `error` says why */
  status?: number;
  error?: unknown;
  requestId: string | undefined;
  durationMs: number;
}

export interface Call {
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: string | FormData | Blob | undefined;
  retry: Retry;
  /** The answer has no body. */
  isEmpty?: boolean;
  /** Called with the progress of an upload */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Sends calls to the server: token, time limit, retries, errors. */
export class Http {
  readonly #options: PosthornOptions;
  readonly #errorClasses: ErrorClasses;
  readonly #baseUrl: string;
  readonly #token: string | (() => string | Promise<string>) | null;

  constructor(options: PosthornOptions, errorClasses: ErrorClasses) {
    this.#options = options;
    this.#errorClasses = errorClasses;
    this.#baseUrl = new URL(required('baseUrl', options.baseUrl, 'POSTHORN_URL')).href.replace(/\/+$/, '');
    this.#token = options.token === null ? null : required('token', options.token, 'POSTHORN_TOKEN');
  }

  action<T>(name: string, retry: Retry, input: object, options?: CallOptions): ApiPromise<T> {
    const path = `${this.#options.actionsPath ?? '/api/agent/tools'}/${name}`;
    return this.call({ method: 'POST', path, body: JSON.stringify(input), retry }, options);
  }

  call<T>(call: Call, options: CallOptions = {}): ApiPromise<T> {
    return new ApiPromise(this.#report(this.#run<T>(call, options), options));
  }

  /** Waits between the calls of a helper. */
  pause(ms: number, signal?: AbortSignal): Promise<void> {
    return (this.#options.sleep ?? sleep)(ms, signal);
  }

  async #report<T>(answer: Promise<T>, { signal }: CallOptions): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!signal?.aborted) this.#options.onError?.(error);
      throw error;
    }
  }

  async #run<T>(call: Call, options: CallOptions): Promise<WithResponse<T>> {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? 2;
    const key = options.idempotencyKey ?? (call.retry === 'WithKey' ? randomKey() : undefined);
    const { headers: own } = this.#options;
    const more = { ...(typeof own === 'function' ? own() : own), ...options.headers };
    for (let retries = 0; ; retries++) {
      options.signal?.throwIfAborted();
      const headers = await this.#headers(call, { ...options, headers: more }, key);
      // The caller may have left while the token was fetched.
      options.signal?.throwIfAborted();
      try {
        return await this.#attempt<T>(call, options, headers, retries + 1);
      } catch (error) {
        const wait = retries < maxRetries ? waitBeforeRetry(error, call.retry, retries) : undefined;
        if (wait === undefined) throw error;
        await this.pause(wait, options.signal);
      }
    }
  }

  /** A plain object, because the class Headers makes Node load all of fetch, even when another client is used. */
  async #headers(call: Call, options: CallOptions, key: string | undefined): Promise<Record<string, string>> {
    const token = typeof this.#token === 'function' ? await this.#token() : this.#token;
    const headers: Record<string, string> = { accept: 'application/json' };
    // Not in browsers, where a custom user agent would cost a preflight request.
    if (!('document' in globalThis)) headers['user-agent'] = `posthorn-sdk/${version}`;
    if (token !== null) headers.authorization = `Bearer ${token}`;
    // fetch sets the content type of a form itself, with its boundary.
    if (typeof call.body === 'string') headers['content-type'] = 'application/json';
    if (key !== undefined) headers['idempotency-key'] = key;
    if (options.requestId !== undefined) headers['x-request-id'] = options.requestId;
    for (const [name, value] of Object.entries({ ...call.headers, ...options.headers }))
      headers[name.toLowerCase()] = value;
    return headers;
  }

  async #attempt<T>(
    call: Call,
    options: CallOptions,
    headers: Record<string, string>,
    attempt: number,
  ): Promise<WithResponse<T>> {
    const { method, body } = call;
    const url = this.#baseUrl + call.path;
    const { requestId } = options;
    const request = { method, url, headers: redacted(headers), body, attempt, requestId };
    const startedAt = performance.now();
    const report = (answer: Pick<ReceivedAnswer, 'status' | 'error' | 'requestId'>) =>
      this.#options.onResponse?.({ request, ...answer, durationMs: performance.now() - startedAt });

    this.#options.onRequest?.(request);
    let response: Response;
    let text: string;
    const limit = timeLimit(options.timeoutMs ?? this.#options.timeoutMs ?? 30_000, options.signal);
    const advance = (progress: Progress) => {
      limit.extend();
      call.onProgress?.(progress);
    };
    try {
      // A local variable, because browsers refuse fetch when it is called as a method of another object.
      const send = this.#options.fetch ?? globalThis.fetch;
      // The API never redirects; following one would turn a POST into a GET.
      const init: RequestInit = { method, headers, body: body ?? null, redirect: 'manual', signal: limit.signal };
      const isFile = body !== undefined && typeof body !== 'string';
      // Progress matters to who listens to it, and to a time limit.
      const isMeasured = isFile && (call.onProgress !== undefined || Number.isFinite(limit.ms));
      response = isMeasured
        ? // Lazy, for programs that never upload.
          await (await import('./progress.ts')).sendFile(url, init, body, advance, send)
        : await send(url, init);
      text = await response.text();
    } catch (cause) {
      const error = options.signal?.aborted ? options.signal.reason : noAnswer(`${method} ${url}`, cause, limit);
      report({ error, requestId });
      throw error;
    } finally {
      limit.clear();
    }

    const data = parseJson(text);
    const answerRequestId = response.headers.get('x-request-id') ?? undefined;
    report({ status: response.status, requestId: answerRequestId });
    if (!response.ok || (data === undefined && !call.isEmpty)) throw errorFrom(this.#errorClasses, response, data);
    const replayed = response.headers.get('idempotency-replayed') === 'true';
    return { data: data as T, response, requestId: answerRequestId, replayed };
  }
}

const required = <T>(option: string, value: T | undefined, variable: string): T | string => {
  // Not every platform has a process, and this package must not need the types of one.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const setting = value || process?.env?.[variable];
  if (!setting) throw new TypeError(`Posthorn needs a ${option}: pass it to the constructor, or set ${variable}`);
  return setting;
};

/** Not crypto.randomUUID, which browsers withhold from pages without https. */
export const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const redacted = (headers: Record<string, string>): Record<string, string> => ({
  ...headers,
  ...(headers.authorization !== undefined && { authorization: 'Bearer ***' }),
});

interface TimeLimit {
  ms: number;
  signal: AbortSignal;
  /** Starts the time anew, after progress. */
  extend: () => void;
  clear: () => void;
}

/** Not AbortSignal.any and .timeout: Node 20 may collect such a signal before it fires. */
const timeLimit = (ms: number, outer: AbortSignal | undefined): TimeLimit => {
  const controller = new AbortController();
  const stop = () => controller.abort(outer?.reason);
  // setTimeout fires at once for longer delays.
  const start = () => (ms < 2 ** 31 ? setTimeout(() => controller.abort(), ms) : undefined);
  let timer = start();
  const extend = () => {
    clearTimeout(timer);
    timer = start();
  };
  outer?.addEventListener('abort', stop, { once: true });
  const clear = () => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', stop);
  };
  return { ms, signal: controller.signal, extend, clear };
};

const noAnswer = (request: string, cause: unknown, limit: TimeLimit): ConnectionError => {
  if (limit.signal.aborted) return new TimeoutError(`${request}: no answer within ${limit.ms} ms`, { cause });
  // Node's message is "fetch failed", and the reason is in the cause.
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return new ConnectionError(`${request}: ${reason instanceof Error ? reason.message : String(reason)}`, { cause });
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
