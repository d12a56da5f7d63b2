// Compares openapi.json with the last release in scripts/released.json. With --release it becomes the new baseline.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { breakingChanges, type Document, declaredIn, publicPart } from './breaking-changes.ts';
import { json } from './text.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const document = publicPart(JSON.parse(read('openapi/openapi.json')) as Document);

if (process.argv.includes('--release')) {
  writeFileSync(resolve(root, 'scripts/released.json'), json(document));
  console.log('scripts/released.json is the document of today. Give "Unreleased" in docs/api-changes.md its number.');
} else {
  const declared = declaredIn(read('docs/api-changes.md'));
  const changes = breakingChanges(JSON.parse(read('scripts/released.json')) as Document, document);
  const undeclared = changes.filter((change) => !declared.includes(change));
  for (const change of undeclared) console.error(`breaks callers: ${change}`);
  if (undeclared.length > 0) {
    console.error(
      'Take it back, or declare each in docs/api-changes.md below "### Breaking" of Unreleased, as: - `<that line>`: what to do instead.',
    );
    process.exit(1);
  }
}
