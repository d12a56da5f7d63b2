import { readFileSync } from 'node:fs';
import type { Declared, DeclaredRoute } from './contracts.ts';
import { emitRest } from './emit-rest.ts';
import { emitTsconfig, packageJson } from './emit-sdk.ts';
import { banner } from './text.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** generated/contract/: the ts-rest contract of what a token reaches, as a package of its own. Schemas are copied, never printed. */
export const emitContract = (
  actions: readonly Declared[],
  routes: readonly DeclaredRoute[],
): Record<string, string> => {
  const reached = routes.filter(({ route }) => ['Open', 'PersonalToken', 'SessionOrToken'].includes(route.access));
  const rest = Object.values(emitRest(actions, reached))[0] ?? '';
  const contracts = filesBehind([...actions, ...reached].map(({ file }) => file).concat('errors', 'events'));
  const files = {
    LICENSE: read('LICENSE'),
    'README.md': read('scripts/sdk/contract-README.md'),
    'CHANGELOG.md': read('docs/api-changes.md'),
    'package.json': packageJson({
      name: 'posthorn-contract',
      description: 'The ts-rest contract of Posthorn, with its zod schemas',
      keywords: ['posthorn', 'ts-rest', 'zod', 'contract'],
      peerDependencies: { '@ts-rest/core': '>=3.53.0-rc.1 <4', zod: '^4.0.0' },
      devDependencies: { '@ts-rest/core': '3.53.0-rc.1', typescript: '7.0.2', zod: '4.6.7' },
    }),
    'tsconfig.json': emitTsconfig('esm'),
    'tsconfig.cjs.json': emitTsconfig('cjs'),
    'src/rest.ts': rest.replaceAll(/'#contracts\/([\w-]+)'/g, "'./$1.ts'"),
    'src/index.ts': `${banner}
export { type ErrorBody, type ErrorCode, errorSchemas } from './errors.ts';
export { type EventType, events } from './events.ts';
export { rest } from './rest.ts';
`,
    ...Object.fromEntries(contracts.map((file) => [`src/${file}.ts`, banner + read(`contracts/${file}.ts`)])),
  };
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`generated/contract/${path}`, content]));
};

/** These files of contracts/, and all that they import. */
const filesBehind = (first: readonly string[]): string[] => {
  const found = new Set<string>();
  const add = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, other = ''] of read(`contracts/${file}.ts`).matchAll(/from '\.\/([\w-]+)\.ts'/g)) add(other);
  };
  for (const file of first) add(file);
  return [...found].sort();
};
