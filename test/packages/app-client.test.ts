import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest';
import type { z } from 'zod';
import type { Route } from '#contracts/define';
import {
  type AppClient,
  type AppClientOptions,
  type CallOptions,
  ConflictError,
  ConnectionError,
  createAppClient,
  isAlreadyDone,
  isPosthornError,
  type NetworkKey,
  NotFoundError,
  type OptionKey,
  TooManyRequestsError,
} from '#generated/app-client';
import { routes } from '#generated/rest';
import { type Service, startService } from '#test/support/service';

const root = resolve(import.meta.dirname, '../..');

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The client as a page of the app uses it: the browser adds the cookie and the origin. */
const page = async (options: AppClientOptions = {}) => {
  const browser = service.browser();
  await browser.signIn();
  const send: NonNullable<AppClientOptions['fetch']> = (url, init) => {
    const headers = new Headers(init.headers);
    headers.set('cookie', browser.cookie());
    headers.set('sec-fetch-site', 'same-origin');
    return fetch(url, { ...init, headers });
  };
  return createAppClient({ baseUrl: service.url, fetch: send, ...options });
};

const failure = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  );

describe('the client of the app', () => {
  const isForPages = ({ access }: Route) => ['Session', 'SessionOrToken', 'Public'].includes(access);

  test('has a method for each route of the app, and none for programs', () => {
    const names = Object.entries(routes).flatMap(([name, route]) => (isForPages(route) ? [name] : []));
    const { actions: _, ...methods } = createAppClient({ baseUrl: service.url });
    expect(Object.keys(methods).sort()).toEqual(names.sort());
  });

  test('has the types of the contracts', () => {
    type Sent<T> = T extends object ? { [K in keyof T]: Sent<Exclude<T[K], undefined>> } : T;
    /** Contracts name no network; the generator knows them all. */
    type Open<T> = T extends object ? { [K in keyof T]: Open<T[K]> } : T extends NetworkKey | OptionKey ? string : T;
    type Routes = typeof routes;
    type Fields<R, Part extends string> =
      R extends Record<Part, infer S extends z.ZodType>
        ? z.input<S> extends Record<string, never>
          ? unknown
          : z.input<S>
        : unknown;
    type Input<R> = Fields<R, 'params'> & Fields<R, 'query'> & Fields<R, 'body'>;
    type Output<N extends keyof AppClient> = AppClient[N] extends (...all: never[]) => PromiseLike<infer O> ? O : never;
    type Names = Exclude<keyof AppClient, 'actions'>;
    expectTypeOf<Open<{ [N in Names]: Output<N> }>>().toEqualTypeOf<{
      [N in Names]: Sent<z.output<Routes[N]['responses'][200]['body']>>;
    }>();
    // A file is a Blob in the client, but a string in the contract.
    type WithFile = 'uploadMedia' | 'checkImport';
    type Taking = Exclude<{ [N in Names]: keyof Input<Routes[N]> extends never ? never : N }[Names], WithFile>;
    expectTypeOf<{ [N in Taking]: NonNullable<Parameters<AppClient[N]>[0]> }>().toExtend<{
      [N in Taking]: Sent<Input<Routes[N]>>;
    }>();
    expectTypeOf<Sent<Input<Routes['changeWebhook']>>>().toExtend<Parameters<AppClient['changeWebhook']>[0]>();
    expectTypeOf<CallOptions>().toExtend<NonNullable<Parameters<AppClient['listWebhooks']>[0]>>();
  });

  test('calls paths, with the fields of path and body in one argument', async () => {
    const client = await page();
    const added = await client.addWebhook({ url: 'https://hooks.example.com/in', events: ['post.failed'] });
    const changed = await client.changeWebhook({ id: added.id, events: ['post.published'] });
    expect(changed).toMatchObject({ id: added.id, events: ['post.published'] });
    expect((await client.listWebhooks()).webhooks).toEqual([changed]);
    expect(await client.deleteWebhook({ id: added.id })).toEqual({ done: true });
  });

  test('runs actions through the SDK, where the click of a person is the approval', async () => {
    const { actions } = await page();
    const post = await actions.posts.create({ body: 'Hello' });
    expect(await actions.posts.delete({ id: post.id })).toEqual({ id: post.id, deleted: true });
  });

  test('throws the error classes of the SDK and tells onError once', async () => {
    const told: unknown[] = [];
    const client = await page({ onError: (error) => told.push(error) });
    const errors = [
      await failure(client.getWebhook({ id: 'whk_none' })),
      await failure(client.actions.posts.get({ id: 'post_none' })),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ code: 'NotFound', status: 404, requestId: expect.any(String), issues: [] });
    }
    expect(told).toEqual(errors);
  });

  test('what is added again after its answer was lost is there once', async () => {
    let isLost = true;
    const client = await page({
      onResponse: ({ status }) => {
        if (isLost && status === 200) throw new ConnectionError('the answer was lost');
      },
    });
    const { id } = await service.client.posts.create({ body: 'A draft', accountIds: [] });
    const additions = [
      () => client.addComment({ id, body: 'Good' }),
      () => client.addSlots({ slots: [{ days: [1], time: '09:00' }] }),
      () => client.addTemplate({ name: 'Greeting', items: ['Hello'] }),
    ];
    for (const add of additions) {
      isLost = true;
      await failure(add());
      isLost = false;
      expect(await add().withResponse()).toMatchObject({ replayed: true });
    }
    expect((await client.listComments({ id })).comments).toHaveLength(1);
    expect((await client.listSlots()).slots).toHaveLength(1);
    expect((await client.listTemplates()).templates).toHaveLength(1);
    await client.addComment({ id, body: 'Good' });
    expect((await client.listComments({ id })).comments).toHaveLength(2);
  });

  test('keeps what is wrong with the input', async () => {
    const error = await failure((await page()).addWebhook({ url: 'https://a.example', events: [] }));
    expect(isPosthornError(error, 'BadInput') && error.issues[0]?.path).toBe('events');
  });

  test('uploads a file, or lets the server fetch one', async () => {
    const client = await page();
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#c0392b' } })
      .png()
      .toBuffer();
    const item = await client.uploadMedia({ file: new Blob([new Uint8Array(png)]), alt: 'Red' });
    expect(item).toMatchObject({ kind: 'Image', alt: 'Red', width: 8 });
    expect(await failure(client.uploadMedia({ url: 'http://127.0.0.1/x.png' }))).toMatchObject({ code: 'BadInput' });
    expect(await client.deleteMedia({ id: item.id })).toEqual({ id: item.id, deleted: true });
  });
});

describe('what it sends', () => {
  interface Received {
    method: string | undefined;
    path: string | undefined;
    headers: IncomingHttpHeaders;
    body: string;
  }
  const received: Received[] = [];
  const answers: { status: number; headers?: Record<string, string>; body?: object; hangUp?: boolean }[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { method, url: path, headers } = req;
    received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    const { status, headers: more, body = {}, hangUp } = answers.shift() ?? { status: 200 };
    if (hangUp) return req.socket.destroy();
    res.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
  });
  let baseUrl: string;
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    received.length = 0;
    answers.length = 0;
    vi.unstubAllGlobals();
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('names the workspace of the tab, asked at each call, and carries no token', async () => {
    let workspace: string | undefined = 'ws_1';
    const client = createAppClient({ baseUrl, workspace: () => workspace });
    await client.listWebhooks();
    await client.actions.posts.list();
    workspace = undefined;
    await client.listWebhooks();
    expect(received.map(({ path, headers }) => [path, headers['posthorn-workspace'], headers.authorization])).toEqual([
      ['/api/webhooks', 'ws_1', undefined],
      ['/api/app/actions/posts.list', 'ws_1', undefined],
      ['/api/webhooks', undefined, undefined],
    ]);
  });

  test('all attempts of one call name the same workspace', async () => {
    const ids = ['ws_1', 'ws_2'];
    const client = createAppClient({ baseUrl, workspace: () => ids.shift(), maxRetries: 1 });
    answers.push({ status: 429, headers: { 'retry-after': '0' } });
    await client.actions.posts.create({ body: 'Hello' });
    expect(received.map(({ headers }) => headers['posthorn-workspace'])).toEqual(['ws_1', 'ws_1']);
    expect(received[0]?.headers['idempotency-key']).toBe(received[1]?.headers['idempotency-key']);
  });

  test('fills the path, whatever the id holds, and leaves it out of the body', async () => {
    const client = createAppClient({ baseUrl });
    await client.resendDelivery({ id: 'whk/1', deliveryId: 'a b' });
    await client.changeWebhook({ id: 'whk_1', url: 'https://a.example' });
    expect(received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/api/webhooks/whk%2F1/deliveries/a%20b/resend', '{}'],
      ['PATCH', '/api/webhooks/whk_1', '{"url":"https://a.example"}'],
    ]);
  });

  test('a write whose answer is lost is not sent again', async () => {
    const client = createAppClient({ baseUrl, maxRetries: 3 });
    answers.push({ status: 200, hangUp: true });
    expect(await failure(client.publishAgain({ id: 'post_1', accountIds: ['acct_1'] }))).toBeInstanceOf(
      ConnectionError,
    );
    answers.push({ status: 503 });
    expect(await failure(client.actions.posts.publishNow({ id: 'post_1' }))).toMatchObject({ status: 503 });
    expect(received).toHaveLength(2);
  });

  test('what had no answer has the same Idempotency-Key when it is sent again, and no other call has it', async () => {
    const client = createAppClient({ baseUrl });
    const comment = { id: 'post_1', body: 'Good' };
    answers.push({ status: 200, hangUp: true }, { status: 502 });
    for (const _ of [1, 2]) await failure(client.addComment(comment));
    await client.addComment(comment);
    await client.addComment(comment);
    await client.addComment(comment);
    await client.addComment({ ...comment, id: 'post_2' });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 3)).toEqual([keys[0], keys[0], keys[0]]);
    expect(new Set(keys.slice(2)).size).toBe(4);
    expect(keys).not.toContain(undefined);
  });

  test('a refusal says nothing about an earlier attempt, so the key stays until the work is known to be done', async () => {
    const client = createAppClient({ baseUrl });
    const headers = { 'x-request-id': 'req_1' };
    const body = {
      code: 'Conflict',
      message: 'Exists',
      issues: [{ path: 'Idempotency-Key', code: 'Repeated', message: '' }],
    };
    answers.push(
      { status: 200, hangUp: true },
      { status: 429, headers },
      { status: 409, headers },
      { status: 409, headers, body },
    );
    const errors = [];
    for (const _ of [1, 2, 3, 4]) errors.push(await failure(client.createToken({ name: 'Laptop' })));
    expect(errors.map(isAlreadyDone)).toEqual([false, false, false, true]);
    await client.createToken({ name: 'Laptop' });
    const keys = received.map(({ headers: sent }) => sent['idempotency-key']);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[4]).not.toBe(keys[0]);
  });

  test('what is made again after something was deleted has a new key', async () => {
    const client = createAppClient({ baseUrl });
    answers.push({ status: 200, hangUp: true }, { status: 404 });
    await failure(client.createToken({ name: 'Laptop' }));
    await failure(client.revokeToken({ id: 'tok_1' }));
    answers.push({ status: 200, hangUp: true });
    await failure(client.createToken({ name: 'Laptop' }));
    await client.revokeToken({ id: 'tok_1' });
    await client.createToken({ name: 'Laptop' });
    const [first, , second, , third] = received.map(({ headers }) => headers['idempotency-key']);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('nothing is sent again unless asked for; the error says how long to wait', async () => {
    const client = createAppClient({ baseUrl });
    answers.push({ status: 429, headers: { 'retry-after': '7' } });
    const error = await failure(client.listWebhooks());
    expect(error).toBeInstanceOf(TooManyRequestsError);
    expect(error).toMatchObject({ retryAfterMs: 7000 });
    answers.push({ status: 409 });
    expect(await failure(client.listWebhooks())).toBeInstanceOf(ConflictError);
    expect(received).toHaveLength(2);
  });

  describe('an upload', () => {
    /** The part of XMLHttpRequest that an upload uses. */
    class Request extends EventTarget {
      static sent: { method: string; url: string; headers: Record<string, string>; body: unknown }[] = [];
      static answers = true;
      readonly upload = new EventTarget();
      readonly status = 200;
      readonly responseText = '{"id":"media_1"}';
      #to = { method: '', url: '' };
      #headers: Record<string, string> = {};
      open(method: string, url: string) {
        this.#to = { method, url };
      }
      setRequestHeader(name: string, value: string) {
        this.#headers[name] = value;
      }
      getAllResponseHeaders() {
        return 'content-type: application/json\r\nx-request-id: req_1\r\n';
      }
      send(body: unknown) {
        Request.sent.push({ ...this.#to, headers: this.#headers, body });
        for (const loaded of [2, 4]) {
          this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded, total: 4 }));
        }
        if (Request.answers) this.#end('load');
      }
      abort() {
        this.#end('abort');
      }
      #end(how: string) {
        this.dispatchEvent(new Event(how));
        this.dispatchEvent(new Event('loadend'));
      }
    }
    const file = new File(['abcd'], 'horn.png');

    test('tells how much is sent, under the same headers', async () => {
      vi.stubGlobal('XMLHttpRequest', Request);
      const told: unknown[] = [];
      const client = createAppClient({ baseUrl, workspace: () => 'ws_1' });
      const call = client.uploadMedia({ file, alt: 'A horn' }, { onProgress: (progress) => told.push(progress) });
      const { data, requestId } = await call.withResponse();
      expect({ data, requestId }).toEqual({ data: { id: 'media_1' }, requestId: 'req_1' });
      expect(told).toEqual([2, 4].map((sentBytes) => ({ sentBytes, totalBytes: 4 })));
      const { body, ...request } = Request.sent.pop() ?? {};
      expect(request).toEqual({
        method: 'POST',
        url: `${baseUrl}/api/media`,
        headers: { accept: 'application/json', 'posthorn-workspace': 'ws_1', 'user-agent': expect.any(String) },
      });
      expect([...((body ?? new FormData()) as FormData)]).toEqual([
        ['file', expect.objectContaining({ name: 'horn.png', size: 4 })],
        ['alt', 'A horn'],
      ]);
    });

    test('stops when it is aborted', async () => {
      vi.stubGlobal('XMLHttpRequest', Request);
      Request.answers = false;
      const controller = new AbortController();
      const reason = new Error('the user left');
      const options = { signal: controller.signal, onProgress: () => controller.abort(reason) };
      expect(await failure(createAppClient({ baseUrl }).uploadMedia({ file }, options))).toBe(reason);
    });

    test('without progress goes through fetch', async () => {
      await createAppClient({ baseUrl }).uploadMedia({ file }, { filename: 'other.png' });
      expect(received[0]?.headers['content-type']).toContain('multipart/form-data');
      expect(received[0]?.body).toContain('filename="other.png"');
    });
  });

  test('an aborted call rejects with the reason of the signal, and onError hears nothing', async () => {
    const onError = vi.fn();
    const reason = new Error('the user left');
    const client = createAppClient({ baseUrl, onError });
    expect(await failure(client.listWebhooks({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(onError).not.toHaveBeenCalled();
  });
});

test('a page loads it without zod, in less than 10 kB', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [resolve(root, 'generated/app-client.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  expect(
    Object.keys(metafile.inputs).filter((file) => !/^(generated\/|packages\/sdk\/|web\/base\/app-http\.ts)/.test(file)),
  ).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(10 * 1024);
});
