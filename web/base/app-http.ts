import type { ApiPromise } from '#packages/sdk/src/api-promise';
import { type Call, type CallOptions, Http, type PosthornOptions, randomKey } from '#packages/sdk/src/http';
import { type ErrorClasses, isApiError } from '#packages/sdk/src/posthorn-error';

export interface AppClientOptions
  extends Pick<PosthornOptions, 'fetch' | 'timeoutMs' | 'maxRetries' | 'onError' | 'onRequest' | 'onResponse'> {
  /** Id of the workspace that this tab shows; asked once per call. Without one, the workspace opened last is meant */
  workspace?: (() => string | undefined) | undefined;
  /** Default: the address of the page */
  baseUrl?: string | undefined;
}

export interface FormOptions extends CallOptions {
  /** Called while the file is on its way. Only in browsers */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Default: the name of a File, otherwise `upload` */
  filename?: string | undefined;
}

export interface Progress {
  sentBytes: number;
  totalBytes: number;
}

type Method = Call['method'];
type Path = (segment: (field: string) => string) => string;

/** The options of the SDK for a page of the app: its session cookie instead of a token, and the workspace of its tab. */
export const sdkOptions = ({ workspace, baseUrl, ...options }: AppClientOptions): PosthornOptions => ({
  // Retries are left to the caller: query libraries retry by themselves.
  maxRetries: 0,
  ...options,
  token: null,
  baseUrl: baseUrl ?? globalThis.location?.origin,
  actionsPath: '/api/app/actions',
  headers: () => {
    const id = workspace?.();
    return id === undefined ? {} : { 'Posthorn-Workspace': id };
  },
});

/** An earlier call with the same Idempotency-Key was done. Its answer had a secret, which cannot be shown again. */
export const isAlreadyDone = (error: unknown) =>
  isApiError(error, 'Conflict') && error.issues.some(({ code }) => code === 'Repeated');

/** Calls the app's own routes. A write is retried only after 429, because the server did not process it. */
export class AppHttp {
  readonly #options: PosthornOptions;
  readonly #errorClasses: ErrorClasses;
  readonly #http: Http;
  /** Keys of calls that may have been done although no answer said so, by path and body. */
  readonly #unansweredKeys = new Map<string, string>();

  constructor(options: AppClientOptions, errorClasses: ErrorClasses) {
    this.#options = sdkOptions(options);
    this.#errorClasses = errorClasses;
    this.#http = new Http(this.#options, errorClasses);
  }

  /** `path` takes its fields from the input, `query` names the fields of the query, and the rest is the body. */
  json<T>(
    method: Method,
    path: Path,
    query: readonly string[],
    input: object,
    options: CallOptions | undefined,
  ): ApiPromise<T> {
    const answer = this.#http.call<T>(callOf(method, path, query, input), options);
    // A person who deletes what a lost answer was about, and makes it again, wants a new one.
    if (method === 'DELETE') {
      answer.then(
        () => this.#unansweredKeys.clear(),
        () => {},
      );
    }
    return answer;
  }

  /** The same content again, after its answer was lost, has the same Idempotency-Key, so that it is done once. */
  once<T>(
    method: Method,
    path: Path,
    query: readonly string[],
    input: object,
    options: CallOptions | undefined,
  ): ApiPromise<T> {
    const call = callOf(method, path, query, input);
    const content = `${call.path} ${call.body}`;
    const idempotencyKey = this.#unansweredKeys.get(content) ?? randomKey();
    this.#unansweredKeys.set(content, idempotencyKey);
    const answer = this.#http.call<T>(call, { idempotencyKey, ...options });
    const forget = () => this.#unansweredKeys.delete(content);
    // Any other refusal says nothing about an earlier attempt, and leaves the key unused.
    answer.then(forget, (error) => isAlreadyDone(error) && forget());
    return answer;
  }

  /** A form with a file. No default timeout, because an upload may take long. */
  form<T>(path: string, input: object, { onProgress, filename, ...options }: FormOptions = {}): ApiPromise<T> {
    const form = new FormData();
    for (const [field, value] of Object.entries(input)) {
      if (value instanceof Blob) form.set(field, value, filename ?? (value instanceof File ? value.name : 'upload'));
      else if (value !== undefined) form.set(field, String(value));
    }
    const canReportProgress = onProgress !== undefined && typeof XMLHttpRequest !== 'undefined';
    const http = canReportProgress
      ? new Http({ ...this.#options, fetch: sendWithProgress(onProgress) }, this.#errorClasses)
      : this.#http;
    return http.call(
      { method: 'POST', path, body: form, retry: 'IfRefused' },
      { timeoutMs: Number.POSITIVE_INFINITY, ...options },
    );
  }
}

const callOf = (method: Method, path: Path, query: readonly string[], input: object): Call => {
  const rest = new Map<string, unknown>(Object.entries(input));
  const take = (field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    return value;
  };
  const filled = path((field) => encodeURIComponent(String(take(field))));
  const values = query.map((field) => [field, take(field)] as const).filter(([, value]) => value !== undefined);
  const queryText = new URLSearchParams(values.map(([field, value]) => [field, String(value)])).toString();
  const body = method === 'GET' || method === 'DELETE' ? undefined : JSON.stringify(Object.fromEntries(rest));
  return {
    method,
    path: queryText === '' ? filled : `${filled}?${queryText}`,
    body,
    retry: method === 'GET' ? 'Always' : 'IfRefused',
  };
};

/** XMLHttpRequest with the interface of fetch, which cannot report upload progress in any browser. */
const sendWithProgress =
  (onProgress: (progress: Progress) => void) =>
  (url: string, { method = 'POST', headers, body, signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const stop = () => request.abort();
      request.open(method, url);
      new Headers(headers).forEach((value, name) => {
        request.setRequestHeader(name, value);
      });
      request.upload.addEventListener('progress', ({ loaded, total }) =>
        onProgress({ sentBytes: loaded, totalBytes: total }),
      );
      request.addEventListener('load', () =>
        resolve(new Response(request.responseText, { status: request.status, headers: headersOf(request) })),
      );
      request.addEventListener('error', () => reject(new TypeError('the connection was lost')));
      request.addEventListener('abort', () => reject(signal?.reason));
      request.addEventListener('loadend', () => signal?.removeEventListener('abort', stop));
      signal?.addEventListener('abort', stop, { once: true });
      request.send(body instanceof FormData ? body : null);
    });

const headersOf = (request: XMLHttpRequest): Headers => {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
};
