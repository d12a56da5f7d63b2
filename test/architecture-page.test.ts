import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readLinks } from '#scripts/check-imports';

const root = resolve(import.meta.dirname, '..');
const page = await readFile(join(root, 'docs/architecture.md'), 'utf8');

/** The files at the head of the lines of each numbered list. */
const walks = page
  .split(/\n(?!\d+\. )/)
  .map((block) => [...block.matchAll(/^\d+\. `([\w/.-]+\.ts)`/gm)].map(([, file = '']) => file))
  .filter((files) => files.length > 1);

test('the page about the architecture walks along files that exist', () => {
  expect(walks.map((files) => files.length)).toEqual([11, 8, 9, 5, 6]);
  const named = [...page.matchAll(/`((?:server|generated|scripts|test)\/[\w/.-]+\.ts)`/g)].map(([, file = '']) => file);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test('each walk goes down: no file of it imports one above it, however indirectly', async () => {
  const links = (await readLinks(root)).filter(({ from }) => from.startsWith('server/'));
  const reachedFrom = (file: string) => {
    const reached = new Set([file]);
    for (const module of reached) for (const { from, to } of links) if (from === module) reached.add(to);
    return reached;
  };
  for (const files of walks) {
    const modules = files.map((file) => file.replace(/\.ts$/, ''));
    for (const [index, module] of modules.entries()) {
      const reached = reachedFrom(module);
      expect(
        modules.slice(0, index).filter((above) => reached.has(above)),
        module,
      ).toEqual([]);
    }
  }
});

test('the page about the architecture names every table', () => {
  const folder = join(root, 'server/store/migrations');
  const tables = readdirSync(folder).flatMap((file) =>
    Array.from(
      readFileSync(join(folder, file), 'utf8').matchAll(/create table (?:if not exists )?(\w+)/g),
      ([, name = '']) => name,
    ),
  );
  expect(tables.length).toBeGreaterThan(50);
  expect(tables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('every link of a page leads to a file, and to a heading in it', () => {
  const folders = ['.', 'docs', 'ops', 'bench', 'web', 'generated/sdk', 'generated/python', 'generated/contract'];
  const pages = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((file) => (file.endsWith('.md') ? [join(folder, file)] : [])),
  );
  const headings = (file: string) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.*)$/gm), ([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  const dead = pages.flatMap((file) =>
    Array.from(readFileSync(join(root, file), 'utf8').matchAll(/\]\((?!https?:|urn:)([^)#\s]*)#?([^)\s]*)\)/g))
      .filter(([, path = '', heading = '']) => {
        const target = path === '' ? file : join(dirname(file), path);
        return !existsSync(join(root, target)) || (heading !== '' && !headings(target).includes(heading));
      })
      .map(([link]) => `${file}: ${link}`),
  );
  expect(dead).toEqual([]);
});
