// Compares openapi.json and the types of the SDKs with those of the last release, in scripts/released.json and
// scripts/released-types.json. With --release they become the new baseline.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { breakingChanges, type Document, declaredIn, publicPart } from './breaking-changes.ts';
import { breakingTypes, type SdkTypes, sdkTypes } from './sdk-types.ts';
import { jsonByEntry } from './text.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string) => readFileSync(resolve(root, path), 'utf8');
const write = (path: string, text: string) => writeFileSync(resolve(root, path), text);
const document = publicPart(JSON.parse(read('openapi/openapi.json')) as Document);
const types = sdkTypes(root);

if (process.argv.includes('--release')) {
  write('scripts/released.json', jsonByEntry(document));
  write('scripts/released-types.json', jsonByEntry(types, 2));
  console.log(
    'The document and the types of today are the released ones. Give "Unreleased" in docs/api-changes.md its number.',
  );
} else {
  const declared = declaredIn(read('docs/api-changes.md'));
  const changes = [
    ...breakingChanges(JSON.parse(read('scripts/released.json')) as Document, document),
    ...breakingTypes(JSON.parse(read('scripts/released-types.json')) as SdkTypes, types),
  ];
  const undeclared = changes.filter((change) => !declared.includes(change));
  for (const change of undeclared) console.error(`breaks callers: ${change}`);
  if (undeclared.length > 0) {
    console.error(
      'Take it back, or declare each in docs/api-changes.md below "### Breaking" of Unreleased, as: - `<that line>`: what to do instead.',
    );
    process.exit(1);
  }
}
