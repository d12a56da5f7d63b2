import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readLinks } from '#scripts/check-imports';

const root = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const page = read('docs/architecture.md');
const links = await readLinks(root);
const linksFrom = new Map<string, string[]>();
for (const { from, to } of links) linksFrom.set(from, [...(linksFrom.get(from) ?? []), to]);

const moduleOf = (path: string) => path.replace(/\.tsx?$|\/$/, '');

/** The sections below "Walks", each with the files named at the start of its steps. */
const walks = page
  .split(/^## /m)
  .filter((section) => section.startsWith('Walks\n'))
  .flatMap((section) => section.split(/^### /m).slice(1))
  .map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    steps: [...section.matchAll(/^\d+\. (.*)$/gm)].map(([, step = '']) => step),
  }));
const fileOf = (step: string) => /^`([\w/.-]+\.tsx?)`/.exec(step)?.[1] ?? '';

test('every file and folder that the page names exists, by its path from the root', () => {
  const named = Array.from(page.matchAll(/`([\w/.<>-]+(?:\.(?:tsx?|mjs|json|md)|\/))`/g), ([, path = '']) => path);
  const paths = named.map((path) =>
    path.replace('<room>', 'writing').replace('<slice>', 'posts').replace('<rule>', 'outcome'),
  );
  expect(paths.filter((path) => !path.includes('/') || !existsSync(join(root, path)))).toEqual([]);
});

test('every step of a walk begins with a file', () => {
  expect(walks.map(({ title }) => title)).toContain('A post goes out');
  for (const { title, steps } of walks) {
    expect(steps.length, title).toBeGreaterThan(1);
    expect(
      steps.filter((step) => fileOf(step) === ''),
      title,
    ).toEqual([]);
  }
});

test('each walk goes down: no file of it imports one above it, however indirectly', () => {
  for (const { title, steps } of walks) {
    const modules = steps.map((step) => moduleOf(fileOf(step)));
    for (const [index, module] of modules.entries()) {
      const reached = reachedFrom(module);
      expect(
        modules.slice(0, index).filter((above) => reached.has(above)),
        `${title}: ${module}`,
      ).toEqual([]);
    }
  }
});

/** Generated files import the types of the code that they are handed to, so theirs do not count. */
const reachedFrom = (file: string) => {
  const reached = new Set([file]);
  for (const module of reached) {
    if (module.startsWith('generated/')) continue;
    for (const to of linksFrom.get(module) ?? []) reached.add(to);
  }
  return reached;
};

const picture = /!\[[^\]]+\]\((pictures\/[\w-]+\.svg)\)/.exec(page)?.[1] ?? '';
const drawing = () => read(join('docs', picture));

test('the page shows its picture, which names every room of server/ and everything in it', () => {
  const drawn = Array.from(drawing().matchAll(/class="names?"[^>]*>([^<]*)</g), ([, names = '']) => names.split(' '));
  const names = new Set(drawn.flat());
  const rooms = readdirSync(join(root, 'server'));
  const entries = rooms
    .filter((room) => !['media', 'networks'].includes(room))
    .flatMap((room) => readdirSync(join(root, 'server', room)));
  expect([...rooms, ...entries].filter((name) => !names.has(name) && !names.has(`${name}/`))).toEqual([]);
});

test('the page about the architecture names every table', () => {
  const folder = join(root, 'server/base/store/migrations');
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
  const folders = ['.', 'docs', 'ops', 'bench', 'web', 'packages/sdk', 'packages/python', 'packages/contract'];
  const pages = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((file) => (file.endsWith('.md') ? [join(folder, file)] : [])),
  );
  const headings = (file: string) =>
    Array.from(read(file).matchAll(/^#+ (.*)$/gm), ([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
  const dead = pages.flatMap((file) =>
    Array.from(read(file).matchAll(/\]\((?!https?:|urn:)([^)#\s]*)#?([^)\s]*)\)/g))
      .filter(([, path = '', heading = '']) => {
        const target = path === '' ? file : join(dirname(file), path);
        return !existsSync(join(root, target)) || (heading !== '' && !headings(target).includes(heading));
      })
      .map(([link]) => `${file}: ${link}`),
  );
  expect(dead).toEqual([]);
});
