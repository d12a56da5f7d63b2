// npm run build:help: builds docs/ into the static pages of /help, in dist/help, if a source has changed.
import './node-version.mjs';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compress, hashOf, replaceFolder } from './build-folder.mjs';

const root = resolve(import.meta.dirname, '..');
const output = join(root, 'dist/help');
const sources = [
  'docs',
  'scripts/help',
  'scripts/build-help.mjs',
  'web/theme/tokens.css',
  'package.json',
  'package-lock.json',
  'CHANGES.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'SUPPORT.md',
  'ops/README.md',
  'packages/sdk/README.md',
  'packages/python/README.md',
];
const stamp = join(output, '.sources');

export const isHelpBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(root, sources);

/** The app's design tokens. If no script sets the colour scheme, the system's scheme applies. */
const styles = () => {
  const tokens = readFileSync(join(root, 'web/theme/tokens.css'), 'utf8');
  const dark = [...tokens.matchAll(/\[data-mantine-color-scheme="dark"\] \{([^}]*)\}/g)]
    .map(([, body]) => body)
    .join('');
  const bySystem = `@media (prefers-color-scheme: dark) {\n:root:not([data-mantine-color-scheme]) {${dark}}\n}\n`;
  const schemes =
    ':root { color-scheme: light dark; }\n[data-mantine-color-scheme="light"] { color-scheme: light; }\n[data-mantine-color-scheme="dark"] { color-scheme: dark; }\n';
  return tokens + bySystem + schemes + readFileSync(join(root, 'scripts/help/help.css'), 'utf8');
};

const searchIndex = (pages) =>
  pages.flatMap(({ address, title, sections }) =>
    sections.map(({ title: heading, slug, depth, text }) => ({
      address: depth === 1 ? address : `${address}#${slug}`,
      page: title,
      heading,
      text,
    })),
  );

const buildHelp = async () => {
  const hash = hashOf(root, sources);
  const { readPages } = await import('./help/pages.mjs').catch(() => {
    throw new Error('The help is not built, and marked is not installed. Run npm ci, or bring dist/help along.');
  });
  const { layout, notFoundPage } = await import('./help/layout.mjs');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { pages, menu, pictures } = readPages(root);
  const folder = `${output}.${process.pid}`;
  const write = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const page of [...pages, notFoundPage]) {
    const path = page.address === '/help' ? 'index' : page.address.slice('/help/'.length);
    write(`${path}.html`, layout({ page, pages, menu, version }));
  }
  write('help.css', styles());
  write('search.js', readFileSync(join(root, 'scripts/help/search.js')));
  write('search.json', JSON.stringify(searchIndex(pages)));
  for (const picture of pictures) {
    const target = join(folder, picture.replace(/^docs\//, ''));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, picture), target);
  }
  await compress(folder);
  writeFileSync(join(folder, '.sources'), hash);
  replaceFolder(output, folder, isHelpBuilt);
};

if (process.argv[1] === import.meta.filename && !isHelpBuilt()) {
  try {
    await buildHelp();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
