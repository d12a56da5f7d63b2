import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '#test/support/service';
import { buildWeb } from '#test/support/shared';

let service: Service;
beforeAll(async () => {
  await buildWeb();
  service = await startService({}, { ownAddress: true });
});
afterAll(() => service.stop());

/** As a browser that opens an address; the body stays packed. */
const open = async (path: string, headers: Record<string, string> = {}) => {
  const {
    statusCode,
    headers: got,
    body,
  } = await request(service.url + path, {
    headers: { accept: 'text/html,*/*;q=0.8', ...headers },
  });
  return { status: statusCode, headers: got, bytes: Buffer.from(await body.arrayBuffer()) };
};

const scriptOf = async () => {
  const { bytes } = await open('/');
  return /src="(\/assets\/[^"]+\.js)"/.exec(bytes.toString())?.[1] ?? '';
};

const root = resolve(import.meta.dirname, '../..');

test('the font of pages that the server makes is the one of the app, without the hash of its name', async () => {
  const { status, headers, bytes } = await open('/geist.woff2');
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'font/woff2', 'no-cache']);
  expect(bytes.subarray(0, 4).toString()).toBe('wOF2');
  const page = await open('/sandbox/x/web/i/oauth2/authorize');
  expect(page.headers['content-security-policy']).toContain("font-src 'self'");
});

describe('what the first page waits for', () => {
  test('is below 185 kB, packed with gzip', async () => {
    const html = (await open('/')).bytes.toString();
    const files = [...html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path ?? '');
    const sizes = await Promise.all(
      files.map(async (path) => (await open(path, { 'accept-encoding': 'gzip' })).bytes.length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(185_000);
  });

  test('has the style of each Mantine component that is built in, and of no other', () => {
    const built = resolve(root, 'dist/web/assets');
    const classesIn = (text: string) => [...text.matchAll(/\bm_[0-9a-z]+/g)].map(([name]) => name);
    const read = (folder: string, name: string) => readFileSync(resolve(folder, name), 'utf8');
    const used = new Set(
      readdirSync(built)
        .filter((name) => name.endsWith('.js'))
        .flatMap((name) => classesIn(read(built, name))),
    );
    const styles = resolve(root, 'node_modules/@mantine/core/styles');
    const isBuiltIn = (name: string) => classesIn(read(styles, name)).some((one) => used.has(one));
    const listed = readFileSync(resolve(root, 'web/theme/mantine.css'), 'utf8').matchAll(/styles\/(.+\.layer\.css)/g);
    const ofNoComponent = /^(baseline|default-css-variables|global)\./;
    const named = [...listed].map(([, name]) => name ?? '').filter((name) => !ofNoComponent.test(name));
    const needed = readdirSync(styles).filter((name) => name.endsWith('.layer.css') && isBuiltIn(name));
    expect(named.toSorted()).toEqual(needed.toSorted());
  });
});

describe('a page of the app', () => {
  test.each(['/', '/posts', '/posts/post_1', '/calendar', '/media', '/analytics', '/approvals/card_1', '/accounts'])(
    'is served at %s, asked for anew each time',
    async (path) => {
      const { status, headers, bytes } = await open(path);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('text/html; charset=utf-8');
      expect(headers['cache-control']).toBe('no-cache');
      expect(bytes.toString()).toContain('<div id="app">');
    },
  );

  test('comes with the production build of React', async () => {
    expect((await open('/')).bytes.toString()).not.toContain('jsx-dev-runtime');
  });

  test('has no inline script, and its policy allows none', async () => {
    const { headers, bytes } = await open('/settings/webhooks/whk_1');
    const scripts = [...bytes.toString().matchAll(/<script([^>]*)>([^<]*)/g)];
    expect(scripts.length).toBeGreaterThan(0);
    for (const [, attributes, text] of scripts) {
      expect(attributes).toContain('src="/');
      expect(text).toBe('');
    }
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/https?:|\*/);
  });

  test('is not sent again to a browser that has it', async () => {
    const { headers } = await open('/');
    const again = await open('/', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test.each(['*/*', ''])('that is there comes for a program that takes anything: %j', async (accept) => {
    const { status, bytes } = await open('/sign-in', { accept });
    expect(status).toBe(200);
    expect(bytes.toString()).toContain('<div id="app">');
  });

  test('says itself that there is nothing, to a person', async () => {
    const { status, bytes } = await open('/no/such/page');
    expect(status).toBe(404);
    expect(bytes.toString()).toContain('<div id="app">');
  });

  test('is never the answer to a program, nor to a path of the API', async () => {
    for (const [path, accept] of [
      ['/no/such/page', 'application/json'],
      ['/no/such/page', '*/*'],
      ['/api/no/such/path', 'text/html'],
    ] as const) {
      const { status, bytes } = await open(path, { accept });
      expect(status).toBe(404);
      expect(JSON.parse(bytes.toString())).toMatchObject({ code: 'NotFound' });
    }
  });
});

describe('a file of the app', () => {
  test('with a hash in its name is kept for a year', async () => {
    const { status, headers } = await open(await scriptOf());
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test('comes packed as the browser can read it', async () => {
    const path = await scriptOf();
    const plain = await open(path);
    const brotli = await open(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    const gzip = await open(path, { 'accept-encoding': 'gzip, br;q=0' });
    expect([plain, brotli, gzip].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'br', 'gzip']);
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(brotli.headers.vary).toBe('accept-encoding');
  });

  test.each([
    ['/favicon.svg', 'image/svg+xml'],
    ['/manifest.webmanifest', 'application/manifest+json'],
    ['/color-scheme.js', 'text/javascript; charset=utf-8'],
    ['/first-files.js', 'text/javascript; charset=utf-8'],
  ])('%s is there', async (path, type) => {
    const { status, headers } = await open(path, { accept: '*/*' });
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, type, 'no-cache']);
  });

  test('of another release is asked for again, as another process may have it, and not without end', async () => {
    const { status, headers } = await open('/assets/main-other.js');
    expect([status, headers.location]).toEqual([307, '/assets/main-other.js?again=1']);
    expect([headers['cache-control'], headers.connection]).toEqual(['no-store', 'close']);
    const file = await scriptOf();
    expect((await open(`${file}?again=9`)).status).toBe(200);
    for (const again of ['10', '-1', 'x', '1&again=2']) {
      expect((await open(`/assets/main-other.js?again=${again}`, { accept: '*/*' })).status, again).toBe(404);
    }
  });

  test('that a build left beside it is not served', async () => {
    for (const path of [
      '/.sources',
      '/index.html.br',
      '/assets/../../package.json',
      '/assets/..%2f..%2fpackage.json',
    ]) {
      const { headers, bytes } = await open(path, { accept: '*/*' });
      expect(headers['content-type']).toContain('json');
      expect(JSON.parse(bytes.toString())).toMatchObject({ code: expect.stringMatching(/NotFound|BadInput/) });
    }
  });
});
