import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Settings } from '#server/base/config/settings';
import { help } from '#server/wiring/cli/help';
import { type Service, startService } from '#test/support/service';
import { buildHelp } from '#test/support/shared';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const rootPages = readdirSync(root).filter((name) => name.endsWith('.md'));
const sources = [...rootPages, ...markdownIn('docs'), 'ops/README.md', 'web/README.md', 'bench/README.md'];
const networkPages = markdownIn('docs/networks');

let service: Service;
beforeAll(async () => {
  await buildHelp();
  service = await startService({}, { ownAddress: true });
});
afterAll(() => service.stop());

const open = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(service.url + path, { headers, redirect: 'manual' });

/** All help pages by address, as the server serves them, found by following links from the front page only. */
const walk = async () => {
  const pages = new Map<string, string>();
  const left = ['/help'];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (pages.has(path)) continue;
    const answer = await open(path);
    expect(answer.status, path).toBe(200);
    const html = await answer.text();
    pages.set(path, html);
    left.push(
      ...linksOf(html)
        .filter((href) => href.startsWith('/help'))
        .map((href) => href.split('#')[0] ?? ''),
    );
  }
  return pages;
};
const linksOf = (html: string) => Array.from(html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g), ([, href = '']) => href);
const idsOf = (html: string) => new Set(Array.from(html.matchAll(/\bid="([^"]+)"/g), ([, id = '']) => id));

describe('the help at /help', () => {
  test('has every page of docs/, and each link leads to a page and a heading that exist', async () => {
    const pages = await walk();
    const missing = markdownIn('docs')
      .map((path) => `/help/${path.slice('docs/'.length, -'.md'.length)}`)
      .filter((address) => address !== '/help/README' && !pages.has(address));
    expect(missing).toEqual([]);
    const broken = [...pages].flatMap(([address, html]) =>
      linksOf(html)
        .filter((href) => href.includes('#'))
        .map((href) => (href.startsWith('#') ? address + href : href))
        .filter((href) => {
          const [page = '', anchor = ''] = href.split('#');
          return page.startsWith('/help') && !idsOf(pages.get(page) ?? '').has(decodeURIComponent(anchor));
        })
        .map((href) => `${address}: ${href}`),
    );
    expect(broken).toEqual([]);
  });

  test('shows its pictures, with the content security policy of the app and the version that runs', async () => {
    const answer = await open('/help/tutorial');
    const html = await answer.text();
    expect(answer.headers.get('content-security-policy')).toBe(
      (await open('/')).headers.get('content-security-policy'),
    );
    expect(html).toContain(`Posthorn ${JSON.parse(read('package.json')).version}.`);
    const pictures = Array.from(html.matchAll(/<img src="(\/help\/[^"]+)" alt="([^"]+)"/g));
    expect(pictures.length).toBeGreaterThan(3);
    for (const [, path = ''] of pictures) expect((await open(path)).headers.get('content-type')).toBe('image/png');
  });

  test('comes compressed, and is not sent again while it is the same', async () => {
    const answer = await open('/help/faq', { accept: 'text/html', 'accept-encoding': 'br' });
    expect(answer.headers.get('content-encoding')).toBe('br');
    const { bytes } = await answer.blob().then(async (blob) => ({ bytes: Buffer.from(await blob.arrayBuffer()) }));
    // fetch decompresses by itself.
    expect(bytes.toString()).toContain('Questions and answers');
    expect(brotliDecompressSync(readFileSync(join(root, 'dist/help/faq.html.br'))).equals(bytes)).toBe(true);
    const tag = answer.headers.get('etag') ?? '';
    expect((await open('/help/faq', { 'if-none-match': tag })).status).toBe(304);
  });

  test('answers an unknown page with 404: a page for browsers, the error shape for programs', async () => {
    const page = await open('/help/nothing');
    expect([page.status, (await page.text()).includes('No such page')]).toEqual([404, true]);
    const answer = await open('/help/nothing', { accept: 'application/json' });
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'NotFound']);
    expect((await open('/help/../../package.json')).status).toBe(404);
    expect((await open('/help/%2e%2e/%2e%2e/package.json')).status).toBe(404);
  });

  test('has every heading in its search', async () => {
    const sections = (await (await open('/help/search.json')).json()) as { address: string; heading: string }[];
    const pages = await walk();
    for (const { address, heading } of sections) {
      const [path = '', anchor] = address.split('#');
      expect(pages.has(path), address).toBe(true);
      if (anchor) expect(idsOf(pages.get(path) ?? '').has(anchor), `${address}: ${heading}`).toBe(true);
    }
    expect(sections.map(({ heading }) => heading)).toContain('When the key is lost');
  });
});

describe('docs', () => {
  const links = sources.flatMap((path) =>
    Array.from(
      read(path)
        .replaceAll(/```.*?```|`[^`\n]*`/gs, '')
        .matchAll(/\]\(([^)\s]+)\)/g),
      ([, href = '']) => ({ path, href }),
    ),
  );

  test('link to files that exist', () => {
    const broken = links
      .filter(({ href }) => !/^(https?:|mailto:|#|\/)/.test(href))
      .filter(({ path, href }) => !existsSync(join(root, normalize(join(dirname(path), href.split('#')[0] ?? '')))));
    expect(broken).toEqual([]);
  });

  test('name commands and options that exist', () => {
    const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
    const wrong = sources.flatMap((path) => {
      const text = read(path);
      const commands = Array.from(text.matchAll(/\bposthorn ([a-z][a-z-]+)((?: (?:[^`\n|#]*))?)/g))
        .filter(({ index = 0 }) => /(npx |`|\n|exec posthorn )$/.test(text.slice(Math.max(0, index - 16), index)))
        .flatMap(([, name = '', rest = '']) => {
          const isCommand = help.split('\n').some((line) => line.startsWith(`  ${name} `) || line.trim() === name);
          const unknownOptions = Array.from(rest.matchAll(/ (--[a-z][a-z-]*)/g), ([, option = '']) => option).filter(
            (option) => name !== 'call' && name !== 'profile' && !help.includes(option),
          );
          return isCommand ? unknownOptions.map((option) => `${name} ${option}`) : [name];
        });
      const runs = Array.from(text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g), ([, name = '']) => name)
        .filter((name) => !scripts.includes(name))
        .map((name) => `npm run ${name}`);
      return [...commands, ...runs].map((what) => `${path}: ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  test('name settings that exist', () => {
    const settings = new Set(Object.keys(Settings.shape));
    const ofNetworks = new Set(
      networkPages.flatMap((path) =>
        Array.from(read(path).matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g), ([, name]) => name),
      ),
    );
    const wrong = [
      'docs/self-hosting.md',
      'docs/troubleshooting.md',
      'docs/faq.md',
      'docs/tutorial.md',
      'docs/operating.md',
    ]
      .flatMap((path) =>
        Array.from(read(path).matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)(?:=[^`]*)?`/g), ([, name = '']) => ({
          path,
          name,
        })),
      )
      .filter(({ name }) => !settings.has(name) && !ofNetworks.has(name) && name !== 'MALLOC_MMAP_THRESHOLD_');
    expect(wrong).toEqual([]);
  });

  test('have a page for each network that says what its review asks for, or that nothing has to be registered', () => {
    const without = networkPages.filter((path) => {
      const text = read(path);
      return !text.includes('## What the review asks for') && !/needs no registration/.test(text);
    });
    expect([networkPages.length, without]).toEqual([13, []]);
  });
});
