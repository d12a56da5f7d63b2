import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeclaredAction } from './contracts.ts';
import { banner, camel, lines } from './text.ts';

/** generated/handlers.ts: the handler of every action. Throws on a contract without a handler, and on the reverse. */
export const emitHandlers = async (root: string, declared: readonly DeclaredAction[]) => {
  const files = await handlerFiles(root);
  const undeclared = [...files].filter(([name]) => !declared.some((one) => one.name === name));
  const missing = declared.filter(({ name }) => !files.has(name));
  const complaints = [
    ...undeclared.map(([name, file]) => `${file} has no contract: declare ${name} in contracts/ or remove the file`),
    ...missing.map(
      ({ name }) => `${name} has no handler: write ${name.replace('.', '/actions/')}.ts in the room of its slice`,
    ),
  ];
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  const handlers = await Promise.all(
    declared.map(async ({ name }) => {
      const file = files.get(name) ?? '';
      return { name, file, factory: await factoryIn(root, file) };
    }),
  );
  return {
    'generated/handlers.ts': lines(
      banner,
      "import type { Handlers } from '#server/agents/admission';",
      handlers.map(({ file, factory }) => `import { ${factory} } from '#${file.replace(/\.ts$/, '')}';`),
      "import type { actions } from './catalog.ts';",
      '',
      'type RulesOf<Build> = Build extends (rules: infer Rules) => unknown ? Rules : never;',
      '',
      '/** What the handlers ask for, all together. */',
      'export type Rules =',
      `${handlers.map(({ factory }) => `  & RulesOf<typeof ${factory}>`).join('\n')};`,
      '',
      '/** A handler that needs no rules takes none. */',
      'const build = <Needed, Built>(factory: (rules: Needed) => Built, rules: Needed) => factory(rules);',
      '',
      'export const createHandlers = (rules: Rules): Handlers<typeof actions> => ({',
      handlers.map(({ name, factory }) => `  '${name}': build(${factory}, rules),`),
      '});',
    ),
  };
};

/** What a handler file exports: one function, named after what the action does. */
const factoryIn = async (root: string, file: string) => {
  const exported = [...(await readFile(join(root, file), 'utf8')).matchAll(/^export (?:const )?(\w+)/gm)];
  const [name, ...others] = exported.map(([, one = '']) => one);
  if (name === undefined || name === 'default' || others.length > 0)
    throw new Error(`${file} must export its handler alone, by name: export const doSomething = …`);
  return name;
};

/** By name of the action, such as `posts.create`: its file, such as `server/writing/posts/actions/create.ts`. */
const handlerFiles = async (root: string) => {
  const files = await readdir(join(root, 'server'), { recursive: true });
  return new Map<string, string>(
    files.sort().flatMap((file) => {
      const [, slice, action] = /([\w-]+)\/actions\/(\w+)\.ts$/.exec(file) ?? [];
      return slice === undefined ? [] : [[`${slice}.${action}`, `server/${file}`] as const];
    }),
  );
};

/** Every folder of server/networks that holds a network. */
export const networkKeys = async (root: string) =>
  (await folders(join(root, 'server/networks'))).filter((key) => !['shared', 'families'].includes(key));

/** All networks, and separately their sandboxes, which only the service loads. */
export const emitNetworks = async (root: string) => {
  const keys = await networkKeys(root);
  return {
    'generated/networks.ts': lines(
      banner,
      "import type { Network } from '#server/networks/network';",
      keys.map((key) => `import ${camel(key)} from '#server/networks/${key}/index';`),
      '',
      'export const networks: readonly Network[] = [',
      await Promise.all(keys.map(async (key) => `  { ...${camel(key)}${await iconOf(root, key)} },`)),
      '];',
    ),
    'generated/sandboxes.ts': lines(
      banner,
      "import type { Sandbox } from '#server/networks/sandbox';",
      keys.map((key) => `import ${camel(key)}Sandbox from '#server/networks/${key}/sandbox';`),
      '',
      'export const sandboxes: Readonly<Record<string, Sandbox>> = {',
      keys.map((key) => `  ${key}: ${camel(key)}Sandbox,`),
      '};',
    ),
  };
};

/** A network without `icon.svg` is drawn by its letters. */
const iconOf = async (root: string, key: string) => {
  const icon = await readFile(join(root, 'server/networks', key, 'icon.svg'), 'utf8').catch(() => '');
  const path = / d="([^"]+)"/.exec(icon)?.[1];
  return path === undefined ? '' : `, icon: '${path}'`;
};

const folders = async (path: string) =>
  (await readdir(path, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
