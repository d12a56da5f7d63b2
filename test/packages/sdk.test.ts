import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import type { z } from 'zod';
import type { accountActions } from '#contracts/accounts';
import type { analyticsActions } from '#contracts/analytics';
import { type ErrorCode, errors } from '#contracts/errors';
import type { EventType, events } from '#contracts/events';
import type { mediaActions } from '#contracts/media';
import type { postActions } from '#contracts/posts';
import type { providerActions } from '#contracts/providers';
import type { uiActions } from '#contracts/ui';
import * as sdk from '#packages/sdk/src/index';
import { readContracts } from '#scripts/contracts';
import { emitSdk } from '#scripts/emit-sdk';

const {
  ApiError,
  ConnectionError,
  isApiError,
  isPosthornError,
  Posthorn,
  PosthornError,
  signWebhook,
  TimeoutError,
  verifyWebhook,
} = sdk;

interface Received {
  method: string | undefined;
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}
interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Text is sent as it is, anything else as JSON */
  body?: unknown;
  instead?: 'silence' | 'hang up';
}

const received: Received[] = [];
const answers: Answer[] = [];
const waits: number[] = [];
let server: Server;
let baseUrl: string;
let posthorn: sdk.Posthorn;

/** A client that does not really wait; `waits` records how long it would have waited. */
const client = (options: sdk.PosthornOptions = {}) => {
  const sleep = async (ms: number) => void waits.push(ms);
  return new Posthorn({ baseUrl, token: 'posthorn_pat_test', sleep, ...options });
};
const failure = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  );
const fault = (code: ErrorCode, more: Answer = {}): Answer => ({
  status: errors[code].status,
  body: { code, message: `about ${code}`, issues: [] },
  ...more,
});

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    const answer = answers.shift() ?? {};
    if (answer.instead === 'silence') return;
    if (answer.instead === 'hang up') return request.socket.destroy();
    const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  for (const list of [received, answers, waits]) list.length = 0;
  posthorn = client();
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

describe('actions', async () => {
  type Actions = typeof accountActions &
    typeof analyticsActions &
    typeof mediaActions &
    typeof postActions &
    typeof providerActions &
    typeof uiActions;
  type Method<Name> = Name extends `${infer Domain extends keyof sdk.Posthorn}.${infer Verb}`
    ? sdk.Posthorn[Domain][Verb & keyof sdk.Posthorn[Domain]]
    : never;
  type Called<M> = M extends (input: infer I, options?: sdk.CallOptions) => sdk.ApiPromise<infer O>
    ? { input: NonNullable<I>; output: O }
    : never;
  /** JSON has no undefined: an optional field is there or it is not. */
  type Sent<T> = T extends object ? { [K in keyof T]: Sent<Exclude<T[K], undefined>> } : T;
  /** Contracts name no network; the generator knows them all. */
  type Open<T> = T extends object
    ? { [K in keyof T]: Open<T[K]> }
    : T extends sdk.NetworkKey | sdk.OptionKey
      ? string
      : T;
  const { actions: declared } = await readContracts(process.cwd());

  test('the printed types are those of the contracts', () => {
    type Printed = { [N in keyof Actions]: Called<Method<N>> };
    type Declared = {
      [N in keyof Actions]: { input: z.input<Actions[N]['input']>; output: z.output<Actions[N]['output']> };
    };
    expectTypeOf<Open<Printed>>().toEqualTypeOf<Sent<Declared>>();
    expectTypeOf<Open<sdk.WebhookEvent>>().toEqualTypeOf<Sent<z.output<(typeof events)[EventType]['schema']>>>();
    expectTypeOf<'bluesky'>().toExtend<sdk.NetworkKey>();
    expectTypeOf<string>().not.toExtend<sdk.NetworkKey>();
    expectTypeOf<'bluesky.reply_control'>().toExtend<sdk.OptionKey>();
    expectTypeOf<sdk.ErrorCode>().toEqualTypeOf<ErrorCode>();
  });

  test.each(declared)('$name sends its input and returns the output', async ({ name, domain, verb, action }) => {
    const namespace = posthorn[domain as 'posts'] as unknown as Record<string, (input: unknown) => Promise<unknown>>;
    for (const { input, output } of action.examples) {
      answers.push({ body: output });
      expect(await namespace[verb]?.(input)).toEqual(output);
      const request = received.pop();
      expect(request).toMatchObject({ method: 'POST', path: `/api/agent/tools/${name}` });
      expect(JSON.parse(request?.body ?? '')).toEqual(input);
      expect(request?.headers).toMatchObject({
        authorization: 'Bearer posthorn_pat_test',
        'content-type': 'application/json',
      });
    }
  });

  test('an action whose input is all optional needs none', async () => {
    answers.push({ body: { accounts: [] } });
    expect(await posthorn.accounts.list()).toEqual({ accounts: [] });
    expect(received[0]?.body).toBe('{}');
  });

  test('fields the SDK does not know yet are kept', async () => {
    answers.push({ body: { accounts: [], colour: 'green' } });
    expect(await posthorn.accounts.list()).toEqual({ accounts: [], colour: 'green' });
  });

  test('catalog reads the list of actions', async () => {
    const entry = { name: 'posts.get', description: 'One post', policy: 'Allowed', inputSchema: {} };
    answers.push({ body: [entry] });
    expect(await posthorn.catalog()).toEqual([entry]);
    expect(received[0]).toMatchObject({ method: 'GET', path: '/api/agent/tools', body: '' });
  });

  test('the emitter prints the same text twice', () => {
    expect(emitSdk(declared)).toEqual(emitSdk(declared));
  });
});

describe('a client', () => {
  test('asks a token function before every attempt', async () => {
    const tokens = ['first', 'second'];
    answers.push({ status: 503 });
    await client({ token: async () => tokens.shift() ?? '' }).accounts.list();
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('sends its headers, and those of the call on top', async () => {
    await client({ headers: { 'X-One': 'client', 'X-Two': 'client' } }).accounts.list(
      {},
      { headers: { 'X-Two': 'call' }, requestId: 'req_mine' },
    );
    expect(received[0]?.headers).toMatchObject({ 'x-one': 'client', 'x-two': 'call', 'x-request-id': 'req_mine' });
  });

  test('names itself and its version', async () => {
    await posthorn.accounts.list();
    expect(received[0]?.headers['user-agent']).toBe('posthorn-sdk/0.1.0');
  });

  test('knows an answer that was given before', async () => {
    answers.push({ headers: { 'idempotency-replayed': 'true' } }, {});
    expect((await posthorn.posts.create().withResponse()).replayed).toBe(true);
    expect((await posthorn.posts.create().withResponse()).replayed).toBe(false);
  });

  test('takes a base address with a path and a slash at the end', async () => {
    await client({ baseUrl: `${baseUrl}/posthorn/` }).accounts.list();
    expect(received[0]?.path).toBe('/posthorn/api/agent/tools/accounts.list');
  });

  test('takes address and token from the environment, and says so when they are missing', async () => {
    vi.stubEnv('POSTHORN_URL', undefined);
    vi.stubEnv('POSTHORN_TOKEN', undefined);
    expect(() => new Posthorn({ token: 'posthorn_pat_test' })).toThrow('Posthorn needs a baseUrl');
    expect(() => new Posthorn({ baseUrl })).toThrow('set POSTHORN_TOKEN');
    vi.stubEnv('POSTHORN_URL', baseUrl);
    vi.stubEnv('POSTHORN_TOKEN', 'posthorn_pat_env');
    await new Posthorn().accounts.list();
    vi.unstubAllEnvs();
    expect(received[0]?.headers.authorization).toBe('Bearer posthorn_pat_env');
  });

  test('withResponse gives the data, the response and the request id', async () => {
    answers.push({ body: { accounts: [] }, headers: { 'x-request-id': 'req_1', ratelimit: 'r=299' } });
    const { data, response, requestId } = await posthorn.accounts.list().withResponse();
    expect(data).toEqual({ accounts: [] });
    expect(requestId).toBe('req_1');
    expect(response.headers.get('ratelimit')).toBe('r=299');
  });

  test('a failure seen through withResponse is not an unhandled one elsewhere', async () => {
    answers.push(fault('NotFound'));
    expect(await failure(posthorn.posts.get({ id: 'post_1' }).withResponse())).toBeInstanceOf(sdk.NotFoundError);
  });

  test('tells onRequest and onResponse about every attempt, without the token', async () => {
    const seen: unknown[] = [];
    answers.push({ instead: 'hang up' }, { status: 503, headers: { 'retry-after': '1' } }, {});
    await client({
      onRequest: (request) => seen.push(request),
      onResponse: ({ request, status, error, durationMs }) => seen.push([request.attempt, status, error, durationMs]),
    }).posts.list({ limit: 1 }, { requestId: 'req_mine' });
    const request = {
      method: 'POST',
      url: `${baseUrl}/api/agent/tools/posts.list`,
      headers: expect.objectContaining({ authorization: 'Bearer ***', 'x-request-id': 'req_mine' }),
      body: '{"limit":1}',
      requestId: 'req_mine',
    };
    expect(seen).toEqual([
      { ...request, attempt: 1 },
      [1, undefined, expect.any(ConnectionError), expect.any(Number)],
      { ...request, attempt: 2 },
      [2, 503, undefined, expect.any(Number)],
      { ...request, attempt: 3 },
      [3, 200, undefined, expect.any(Number)],
    ]);
    expect(JSON.stringify(seen)).not.toContain('posthorn_pat_test');
  });
});

describe('errors', () => {
  const classes: { [Code in ErrorCode as `${Code}Error`]: new (...details: never[]) => sdk.ApiError<Code> } = sdk;

  test.each(Object.keys(errors) as ErrorCode[])('%s has its own class', async (code) => {
    const issues = [{ path: 'body', code: 'TooLong', message: 'Shorten it', limit: 300, actual: 301 }];
    answers.push({
      status: errors[code].status,
      headers: { 'x-request-id': 'req_1', 'posthorn-note': 'kept' },
      body: { code, message: 'What to do', issues },
    });
    const error = await failure(posthorn.posts.validate({ id: 'post_1' }, { maxRetries: 0 }));
    expect(error).toBeInstanceOf(classes[`${code}Error`]);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(PosthornError);
    expect(error).toMatchObject({
      name: `${code}Error`,
      code,
      status: errors[code].status,
      message: 'What to do',
      issues,
      requestId: 'req_1',
    });
    expect((error as sdk.ApiError).headers.get('posthorn-note')).toBe('kept');
  });

  test('isPosthornError narrows to a code', async () => {
    answers.push(fault('Conflict'));
    const error = await failure(posthorn.posts.get({ id: 'post_1' }));
    if (!isPosthornError(error)) return expect.unreachable('it is an error of this package');
    expectTypeOf(error.code).toEqualTypeOf<ErrorCode | undefined>();
    expect(error.code).toBe('Conflict');
    expect(isPosthornError(error, 'NotFound')).toBe(false);
    expect(isPosthornError(new Error('Conflict'), 'Conflict')).toBe(false);
    if (!isPosthornError(error, 'Conflict')) return expect.unreachable('it is a Conflict');
    expectTypeOf(error.code).toEqualTypeOf<'Conflict'>();
  });

  test.each([
    [400, 'BadInput'],
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [413, 'BadInput'],
    [429, 'TooManyRequests'],
    [502, 'Internal'],
  ] as const)('a page of a proxy with status %i is an ApiError %s', async (status, code) => {
    answers.push({ status, headers: { 'content-type': 'text/html' }, body: '<h1>nginx</h1>' });
    const error = await failure(posthorn.posts.list({}, { maxRetries: 0 }));
    expect(error).toMatchObject({ code, status, issues: [], message: expect.stringContaining(`answered ${status}`) });
    expect(error).toBeInstanceOf(classes[`${code}Error`]);
  });

  test('a code the SDK does not know yet becomes that of its status, with the message kept', async () => {
    answers.push({ status: 409, body: { code: 'Locked', message: 'Somebody edits it', issues: [] } });
    const error = await failure(posthorn.posts.list());
    expect(error).toMatchObject({ name: 'ConflictError', message: 'Somebody edits it' });
  });

  test('a 200 that is not JSON is an error too', async () => {
    answers.push({ body: '<h1>Sign in to the hotel network</h1>' });
    expect(await failure(posthorn.posts.list())).toMatchObject({ name: 'InternalError', status: 200 });
  });

  test('a redirect is not followed, and the message says where to', async () => {
    answers.push({ status: 301, headers: { location: 'https://posts.example.com/' } });
    const error = await failure(posthorn.posts.create());
    expect(error).toMatchObject({ code: 'NotFound', message: expect.stringContaining('https://posts.example.com/') });
    expect(received).toHaveLength(1);
  });

  test('an unreachable server is a ConnectionError that says why', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const error = await failure(client({ baseUrl: `http://127.0.0.1:${port}` }).posts.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect([error instanceof PosthornError, isPosthornError(error), isApiError(error)]).toEqual([true, true, false]);
    expect(error).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining('ECONNREFUSED') });
    const { message } = error as Error;
    expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'ConnectionError', message });
    expect(waits).toHaveLength(2);
  });

  test('silence past timeoutMs is a TimeoutError', async () => {
    // On its own server, because the request may arrive after the client has given up on it.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { posts } = client({ baseUrl: `http://127.0.0.1:${port}` });
    const error = await failure(posts.list({}, { timeoutMs: 20, maxRetries: 0 }));
    silent.close();
    silent.closeAllConnections();
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ name: 'TimeoutError', message: expect.stringContaining('within 20 ms') });
  });

  test('an aborted call rejects with the reason of the signal', async () => {
    const reason = new Error('the user left');
    expect(await failure(posthorn.posts.list({}, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(received).toHaveLength(0);

    const leaving = new AbortController();
    const token = async () => {
      leaving.abort(reason);
      return 'pht_x';
    };
    expect(await failure(client({ token }).posts.list({}, { signal: leaving.signal }))).toBe(reason);
    expect(received).toHaveLength(0);

    answers.push({ instead: 'silence' });
    const controller = new AbortController();
    const call = posthorn.posts.list({}, { signal: controller.signal });
    await vi.waitUntil(() => received.length === 1, { timeout: 60_000 });
    controller.abort(reason);
    expect(await failure(call)).toBe(reason);
    expect(received).toHaveLength(1);
  });
});

describe('retries', () => {
  const key = (request: Received | undefined) => request?.headers['idempotency-key'];

  test.each([429, 500, 502, 503, 504])('%i is tried again, twice by default', async (status) => {
    answers.push({ status }, { status }, { status }, {});
    expect(await failure(posthorn.posts.list())).toMatchObject({ status });
    expect(received).toHaveLength(3);
  });

  test('a lost connection and a timeout are tried again', async () => {
    answers.push({ instead: 'hang up' }, {}, { instead: 'silence' }, {});
    await posthorn.posts.list();
    expect(received).toHaveLength(2);
    await posthorn.posts.list({}, { timeoutMs: 1000 });
    // More than four, if even an immediate answer takes longer.
    expect(received.length).toBeGreaterThanOrEqual(4);
  });

  test('the wait doubles from half a second up to eight, less a quarter at most', async () => {
    answers.push(...Array.from({ length: 7 }, () => ({ status: 500 })));
    await posthorn.posts.list({}, { maxRetries: 7 });
    for (const [index, full] of [500, 1000, 2000, 4000, 8000, 8000, 8000].entries()) {
      expect(waits[index]).toBeGreaterThan(full * 0.75 - 1);
      expect(waits[index]).toBeLessThanOrEqual(full);
    }
  });

  test('Retry-After in seconds or as a date says how long to wait', async () => {
    const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
    const longAgo = new Date(0).toUTCString();
    for (const value of ['7', inTenSeconds, longAgo, 'soon', '1.5']) {
      answers.push(fault('TooManyRequests', { headers: { 'retry-after': value } }), {});
      await posthorn.posts.list();
    }
    expect(waits[0]).toBe(7000);
    expect(waits[1]).toBeGreaterThan(5000);
    expect(waits[1]).toBeLessThanOrEqual(10_000);
    expect(waits[2]).toBe(0);
    expect(waits[3]).toBeLessThanOrEqual(500);
    expect(waits[4]).toBe(1500);
  });

  test('a Retry-After of more than a minute is thrown at once', async () => {
    answers.push(fault('TooManyRequests', { headers: { 'retry-after': '61' } }));
    expect(await failure(posthorn.posts.list())).toBeInstanceOf(sdk.TooManyRequestsError);
    expect(waits).toEqual([]);
  });

  test.each(['BadInput', 'Unauthorized', 'Conflict'] as const)('%s is never tried again', async (code) => {
    answers.push(fault(code));
    expect(await failure(posthorn.posts.create())).toMatchObject({ code });
    expect(received).toHaveLength(1);
  });

  test('a write keeps its key over the retries, and the next write has another', async () => {
    answers.push({ status: 503 }, { instead: 'hang up' }, {}, {});
    await posthorn.posts.create({ body: 'Hello' });
    await posthorn.posts.create({ body: 'Hello' });
    const keys = received.map(key);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[3]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test('a write takes the key of the caller', async () => {
    await posthorn.posts.create({}, { idempotencyKey: 'import-17' });
    expect(key(received[0])).toBe('import-17');
  });

  test('reading needs no key', async () => {
    await posthorn.posts.list();
    expect(key(received[0])).toBeUndefined();
  });

  test('what needs approval is tried again only when it was refused for its rate', async () => {
    for (const answer of [{ status: 500 }, { instead: 'hang up' }] as const) {
      answers.push(answer);
      await failure(posthorn.posts.publishNow({ id: 'post_1' }));
    }
    expect(received).toHaveLength(2);
    answers.push(fault('TooManyRequests'), { status: 408 }, fault('ApprovalRequired'));
    expect(await failure(posthorn.posts.publishNow({ id: 'post_1' }))).toBeInstanceOf(sdk.ApprovalRequiredError);
    expect(received).toHaveLength(5);
  });

  test('an abort ends the wait before the next attempt', async () => {
    const reason = new Error('the user left');
    const controller = new AbortController();
    answers.push({ status: 503, headers: { 'retry-after': '30' } });
    const call = client({
      sleep: undefined,
      onResponse: () => void setImmediate(() => controller.abort(reason)),
    }).posts.list({}, { signal: controller.signal });
    expect(await failure(call)).toBe(reason);
    expect(received).toHaveLength(1);
  });
});

describe('waitForResult', () => {
  const post = (status: string) => ({ body: { id: 'post_1', status, results: [] } });

  test('looks again until publishing has ended', async () => {
    answers.push(post('Draft'), post('Publishing'), { status: 503 }, post('Failed'));
    expect(await posthorn.posts.waitForResult('post_1')).toMatchObject({ status: 'Failed' });
    expect(waits.length).toBe(3);
    expect(waits[0]).toBe(2000);
  });

  test('passes over a failure from before `since`, and returns the one that comes after it', async () => {
    const failed = (updatedAt: string) => ({ body: { id: 'post_1', status: 'Failed', updatedAt, results: [] } });
    const [before, after] = ['2026-11-15T09:30:01.000000Z', '2026-11-15T09:30:01.000001Z'] as const;
    answers.push(failed(before), post('Publishing'), failed(after));
    expect(await posthorn.posts.waitForResult('post_1', { since: before })).toMatchObject({ updatedAt: after });
    answers.push(failed(before));
    expect(await posthorn.posts.waitForResult('post_1')).toMatchObject({ updatedAt: before });
  });

  test('ends with what the post was when the time is over', async () => {
    answers.push(...Array.from({ length: 9 }, () => post('Draft')));
    const error = await failure(posthorn.posts.waitForResult('post_1', { waitMs: 10_000 }));
    expect(error).toBeInstanceOf(sdk.NotPublishedYetError);
    expect(error).toMatchObject({ post: { status: 'Draft' } });
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(10_000);
  });
});

describe('an error', () => {
  test('keeps its message in JSON', async () => {
    answers.push(fault('Conflict', { headers: { 'x-request-id': 'req_1' } }));
    const error = await failure(posthorn.posts.create());
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ConflictError',
      code: 'Conflict',
      status: 409,
      message: 'about Conflict',
      issues: [],
      requestId: 'req_1',
    });
  });

  test('that asks for a human says where', async () => {
    const message = 'posts.publishNow needs a human, who can do it at https://p.example/posts/post_1. Do not retry.';
    answers.push({ status: 403, body: { code: 'ApprovalRequired', message, issues: [] } }, fault('Forbidden'));
    expect(await failure(posthorn.posts.publishNow({ id: 'post_1' }))).toMatchObject({
      approvalUrl: 'https://p.example/posts/post_1',
    });
    expect(await failure(posthorn.posts.list())).toMatchObject({ approvalUrl: undefined });
  });
});

describe('lists', () => {
  test('listAll goes through the pages and stops at the last', async () => {
    answers.push(
      { body: { posts: [{ id: 'post_3' }, { id: 'post_2' }], nextCursor: 'c1' } },
      { body: { posts: [], nextCursor: 'c2' } },
      { body: { posts: [{ id: 'post_1' }] } },
    );
    const ids: string[] = [];
    for await (const post of posthorn.posts.listAll({ status: 'Draft' })) ids.push(post.id);
    expect(ids).toEqual(['post_3', 'post_2', 'post_1']);
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      { status: 'Draft' },
      { status: 'Draft', cursor: 'c1' },
      { status: 'Draft', cursor: 'c2' },
    ]);
  });

  test('listAll asks for no more pages than are used', async () => {
    answers.push({ body: { media: [{ id: 'media_2' }, { id: 'media_1' }], nextCursor: 'c1' } });
    for await (const item of posthorn.media.listAll()) {
      expect(item.id).toBe('media_2');
      break;
    }
    expect(received).toHaveLength(1);
  });

  test('only actions that answer in pages have an All', () => {
    expectTypeOf<Extract<keyof sdk.PostsApi, `${string}All`>>().toEqualTypeOf<'listAll'>();
    expect(posthorn.accounts).not.toHaveProperty('listAll');
  });

  test('listAll takes no view, which would leave every page without posts', () => {
    type Taken = keyof NonNullable<Parameters<sdk.PostsApi['listAll']>[0]>;
    expectTypeOf<Extract<Taken, 'view' | 'status'>>().toEqualTypeOf<'status'>();
  });
});

describe('uploads', () => {
  const item = { id: 'media_1', kind: 'Image' };
  const sent = async (attempt = 0) => {
    const request = received[attempt];
    const headers = { 'content-type': request?.headers['content-type'] ?? '' };
    const form = await new Response(request?.body ?? '', { headers }).formData();
    const file = form.get('file') as File;
    return { path: request?.path, alt: form.get('alt'), name: file.name, type: file.type, text: await file.text() };
  };

  test.each([
    ['a Blob', new Blob(['horn'], { type: 'image/png' }), { filename: 'horn.png' }],
    ['a File', new File(['horn'], 'horn.png', { type: 'image/png' }), {}],
    ['bytes', new TextEncoder().encode('horn'), { filename: 'horn.png', type: 'image/png' }],
    ['a buffer', new TextEncoder().encode('horn').buffer, { filename: 'horn.png', type: 'image/png' }],
  ])('%s goes up as a form with its alternative text', async (_, file, options) => {
    answers.push({ body: item });
    expect(await posthorn.media.upload(file, { ...options, alt: 'A horn' })).toEqual(item);
    expect(await sent()).toEqual({
      path: '/api/media',
      alt: 'A horn',
      name: 'horn.png',
      type: 'image/png',
      text: 'horn',
    });
    expect(received[0]?.headers.authorization).toBe('Bearer posthorn_pat_test');
  });

  test('a file without a name or alternative text is fine', async () => {
    await posthorn.media.upload(new Uint8Array([104]));
    expect(await sent()).toMatchObject({ alt: null, name: 'upload', text: 'h' });
  });

  test('an address goes up as JSON', async () => {
    answers.push({ body: item });
    expect(await posthorn.media.uploadFromUrl('https://example.com/horn.png', { alt: 'A horn' })).toEqual(item);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ url: 'https://example.com/horn.png', alt: 'A horn' });
  });

  test('an upload is sent again with the whole form and the same key', async () => {
    answers.push(fault('TooManyRequests'), { status: 500 }, { body: item });
    expect(await posthorn.media.upload(new Blob(['horn']))).toEqual(item);
    expect(received[2]?.body).toContain('horn');
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0], keys[0]]);
  });

  test('an upload tells how far it is, on every attempt', async () => {
    const told: sdk.Progress[] = [];
    answers.push({ status: 503 }, { body: item });
    const file = new Blob(['horn'.repeat(50_000)]);
    expect(await posthorn.media.upload(file, { alt: 'A horn', onProgress: (one) => told.push(one) })).toEqual(item);
    expect(told.at(-1)).toEqual({ sent: 200_006, total: 200_006 });
    expect(told.filter(({ sent }) => sent === 200_006).length).toBeGreaterThanOrEqual(2);
    expect((await sent(1)).text).toHaveLength(200_000);
  });

  test.each([
    ['a path', 'horn.png'],
    ['a stream', new Blob(['horn']).stream()],
  ])('%s is refused before anything is sent', (_, file) => {
    expect(() => posthorn.media.upload(file as unknown as Blob)).toThrow(/openAsBlob/);
    expect(received).toEqual([]);
  });
});

describe('webhooks', () => {
  const secret = 'whsec_dGhlIHBvc3QgaG9ybg';
  const now = new Date('2026-11-15T09:30:00Z');
  const later = (seconds: number) => ({ now: new Date(now.getTime() + seconds * 1000) });
  const event = {
    id: 'evt_1',
    type: 'ping',
    createdAt: '2026-11-15T09:30:00.000Z',
    workspaceId: 'ws_1',
    data: { message: 'Grüße' },
  };
  const body = JSON.stringify(event);
  const time = now.getTime() / 1000;
  const hmac = (key: string, text = `${time}.${body}`) => createHmac('sha256', key).update(text).digest('hex');
  const header = `t=${time},v1=${hmac(secret)}`;

  test('signWebhook signs as the specification says', async () => {
    expect(await signWebhook(body, secret, { now })).toBe(header);
    expect(await signWebhook(Buffer.from(body), secret, { now })).toBe(header);
  });

  test('a good delivery gives the event, from text or bytes', async () => {
    expect(await verifyWebhook(body, header, secret, { now })).toEqual(event);
    expect(await verifyWebhook(Buffer.from(body), header, secret, { now })).toEqual(event);
  });

  test('the type of the event says what its data is', async () => {
    const verified = await verifyWebhook(body, header, secret, { now });
    if (verified.type !== 'ping') return expect.unreachable('it is a ping');
    expectTypeOf(verified.data).toEqualTypeOf<{ message: string }>();
    expect(verified.data.message).toBe('Grüße');
  });

  test('the clock of today is used when none is given', async () => {
    expect(await verifyWebhook(body, await signWebhook(body, secret), secret)).toEqual(event);
    expect(await failure(verifyWebhook(body, 't=1,v1=' + hmac(secret, `1.${body}`), secret))).toMatchObject({
      reason: 'TooOld',
    });
  });

  test.each([
    ['a changed body', body.replace('Gr', 'gr'), header],
    ['a reformatted body', JSON.stringify(event, null, 2), header],
    ['a changed time', body, header.replace(`${time}`, `${time + 1}`)],
    ['another secret', body, `t=${time},v1=${hmac('whsec_other')}`],
    ['the secret without its prefix', body, `t=${time},v1=${hmac(secret.slice(6))}`],
  ])('%s is refused', async (_, received, signature) => {
    const error = await failure(verifyWebhook(received, signature, secret, { now }));
    expect(error).toBeInstanceOf(sdk.WebhookVerificationError);
    expect(error).toMatchObject({ name: 'WebhookVerificationError', reason: 'WrongSignature' });
  });

  test('five minutes to either side are accepted, a second more is not', async () => {
    for (const seconds of [300, -300]) {
      expect(await verifyWebhook(body, header, secret, later(seconds))).toEqual(event);
    }
    expect(await failure(verifyWebhook(body, header, secret, later(301)))).toMatchObject({ reason: 'TooOld' });
    expect(await failure(verifyWebhook(body, header, secret, later(-301)))).toMatchObject({ reason: 'FromTheFuture' });
    expect(await verifyWebhook(body, header, secret, { ...later(3600), toleranceSeconds: 3600 })).toEqual(event);
  });

  test('one good signature among several is enough', async () => {
    const two = `t=${time}, v1=${hmac('whsec_other')}, v1=${hmac(secret)}, v2=unknown`;
    expect(await verifyWebhook(body, two, secret, { now })).toEqual(event);
  });

  test('during a rotation both secrets are accepted', async () => {
    expect(await verifyWebhook(body, header, ['whsec_new', secret], { now })).toEqual(event);
    expect(await failure(verifyWebhook(body, header, ['whsec_new', 'whsec_newer'], { now }))).toMatchObject({
      reason: 'WrongSignature',
    });
  });

  test.each([null, undefined, ''])('without a header (%j) it says so', async (missing) => {
    expect(await failure(verifyWebhook(body, missing, secret, { now }))).toMatchObject({ reason: 'MissingHeader' });
  });

  test.each([
    'garbage',
    't=,v1=',
    `v1=${hmac(secret)}`,
    `t=${time}`,
    `t=${time},v1=abc`,
    `t=soon,v1=${hmac(secret)}`,
    `t=${time},t=${time},v1=${hmac(secret)}`,
    `t=${time},v1=${hmac(secret).toUpperCase()}`,
  ])('the header %s is refused as malformed', async (garbage) => {
    expect(await failure(verifyWebhook(body, garbage, secret, { now }))).toMatchObject({ reason: 'MalformedHeader' });
  });

  test('a signed body that is not JSON is refused', async () => {
    for (const text of ['hello', 'null', '{"id": 7}']) {
      const signed = await signWebhook(text, secret, { now });
      expect(await failure(verifyWebhook(text, signed, secret, { now }))).toMatchObject({ reason: 'NotAnEvent' });
    }
  });

  test('an empty secret, as from a missing setting, verifies nothing', async () => {
    for (const missing of ['', [], ['whsec_a', ''], undefined as unknown as string]) {
      expect(await failure(verifyWebhook(body, header, missing, { now }))).toMatchObject({ reason: 'MissingSecret' });
    }
  });

  test.each([
    ['Node and Express', { host: 'x', 'posthorn-signature': header }],
    ['a Lambda', { 'Posthorn-Signature': header }],
    ['Node, when the header came twice', { 'posthorn-signature': [header] }],
    ['fetch', new Headers({ 'Posthorn-Signature': header })],
    ['the header alone, as Node types it', [header]],
  ])('headers are taken as %s gives them', async (_, headers) => {
    expect(await verifyWebhook(body, headers, secret, { now })).toEqual(event);
  });

  test('a body that was parsed is refused in words', async () => {
    const parsed = await failure(verifyWebhook(event as unknown as string, header, secret, { now }));
    expect(parsed).toMatchObject({ reason: 'NotTheRawBody', message: expect.stringContaining('express.raw()') });
  });
});
