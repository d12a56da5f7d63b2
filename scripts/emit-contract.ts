import { readFileSync } from 'node:fs';
import type { DeclaredAction, DeclaredRoute } from './contracts.ts';
import { printContract } from './emit-rest.ts';
import { emitTsconfig, packageJson } from './emit-sdk.ts';
import { banner } from './text.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** generated/contract/: a package with the ts-rest contract of everything a token can call. Schemas are copied, never printed. */
export const emitContract = (
  actions: readonly DeclaredAction[],
  routes: readonly DeclaredRoute[],
): Record<string, string> => {
  const callable = routes.filter(({ route }) => ['Open', 'PersonalToken', 'SessionOrToken'].includes(route.access));
  const rest = printContract(actions, callable);
  const contracts = filesBehind([...actions, ...callable].map(({ file }) => file).concat('errors', 'events'));
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

/** These files of contracts/ and their transitive imports. */
const filesBehind = (first: readonly string[]): string[] => {
  const closure = new Set<string>();
  const add = (file: string) => {
    if (closure.has(file)) return;
    closure.add(file);
    for (const [, other = ''] of read(`contracts/${file}.ts`).matchAll(/from '\.\/([\w-]+)\.ts'/g)) add(other);
  };
  for (const file of first) add(file);
  return [...closure].sort();
};
