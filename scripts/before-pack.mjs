// Runs in a package of packages/ before it is packed: copies what is written once in the tree.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = process.cwd();
const copy = (from, to) => copyFileSync(join(root, from), join(folder, to));

copy('LICENSE', 'LICENSE');
const name = basename(folder);
if (name !== 'n8n') copy('docs/api-changes.md', 'CHANGELOG.md');
if (name === 'n8n') {
  mkdirSync(join(folder, 'icons'), { recursive: true });
  copy('web/public/favicon.svg', 'icons/posthorn.svg');
}
if (name === 'contract') copyContracts();

/** What the generated contract imports, directly or not. */
function copyContracts() {
  const target = join(folder, 'src/contracts');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const sources = readdirSync(join(folder, 'src/generated')).map((file) => join(folder, 'src/generated', file));
  const needed = new Set();
  for (const file of [...sources, join(folder, 'src/index.ts')]) add(file, /from '\.\.?\/contracts\/([\w-]+)\.ts'/g);
  for (const file of needed) copy(`contracts/${file}.ts`, `src/contracts/${file}.ts`);

  function add(file, importing) {
    for (const [, other] of readFileSync(file, 'utf8').matchAll(importing)) {
      if (needed.has(other)) continue;
      needed.add(other);
      add(join(root, `contracts/${other}.ts`), /from '\.\/([\w-]+)\.ts'/g);
    }
  }
}
