import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Action, RawRoute, Route } from '#contracts/define';

interface RecordPlace {
  /** The contract file and the record in it: posts, postActions */
  readonly file: string;
  readonly record: string;
}

export interface DeclaredAction extends RecordPlace {
  /** Dotted name: posts.create */
  readonly name: string;
  /** posts */
  readonly domain: string;
  /** create */
  readonly verb: string;
  readonly action: Action;
}

export interface DeclaredRoute extends RecordPlace {
  /** Name of the method in the client and of the handler: listWebhooks */
  readonly name: string;
  readonly route: Route;
}

export interface DeclaredRaw extends RecordPlace {
  readonly name: string;
  readonly route: RawRoute;
}

export interface Contracts {
  readonly actions: readonly DeclaredAction[];
  readonly routes: readonly DeclaredRoute[];
  readonly raw: readonly DeclaredRaw[];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isAction = (value: unknown): value is Action =>
  isObject(value) && 'kind' in value && 'input' in value && 'output' in value;
const isRoute = (value: unknown): value is Route =>
  isObject(value) && 'method' in value && 'path' in value && 'responses' in value;
const isRaw = (value: unknown): value is RawRoute => isObject(value) && 'methods' in value && 'path' in value;

/** Every action and route in the exported records of contracts/, ordered by file and declaration. */
export const readContracts = async (root: string): Promise<Contracts> => {
  const actions: DeclaredAction[] = [];
  const routes: DeclaredRoute[] = [];
  const raw: DeclaredRaw[] = [];
  for (const entry of (await readdir(join(root, 'contracts'))).sort()) {
    const file = entry.replace(/\.ts$/, '');
    const module: Record<string, unknown> = await import(pathToFileURL(join(root, 'contracts', entry)).href);
    for (const [record, value] of Object.entries(module)) {
      if (!isObject(value)) continue;
      for (const [name, declaration] of Object.entries(value)) {
        if (!isAction(declaration) && !isRoute(declaration) && !isRaw(declaration)) continue;
        if ([...actions, ...routes, ...raw].some((other) => other.name === name))
          throw new Error(`contracts/${entry}: ${name} is declared twice`);
        if (
          isAction(declaration) &&
          declaration.errors.includes('ApprovalRequired') &&
          declaration.approval === undefined
        )
          throw new Error(`contracts/${entry}: ${name} may need approval, so it needs the card it becomes (approval)`);
        if (isAction(declaration)) actions.push({ ...dotted(entry, name), file, record, action: declaration });
        else if (isRoute(declaration)) routes.push({ name, file, record, route: declaration });
        else raw.push({ name, file, record, route: declaration });
      }
    }
  }
  refuseSamePath(routes);
  return { actions, routes, raw };
};

const dotted = (entry: string, name: string) => {
  const [domain = '', verb = '', ...rest] = name.split('.');
  if (!domain || !verb || rest.length > 0) throw new Error(`contracts/${entry}: ${name} is not <domain>.<verb>`);
  return { name, domain, verb };
};

const refuseSamePath = (routes: readonly DeclaredRoute[]) => {
  const names = new Map<string, string>();
  for (const { name, file, route } of routes) {
    const place = `${route.method} ${route.path}`;
    const other = names.get(place);
    if (other !== undefined) throw new Error(`contracts/${file}.ts: ${name} has the path of ${other}: ${place}`);
    names.set(place, name);
  }
};

/** The imports of the records that contain these declarations. */
export const recordImports = (declared: readonly RecordPlace[]) => {
  const byFile = new Map<string, Set<string>>();
  for (const { record, file } of declared) byFile.set(file, (byFile.get(file) ?? new Set()).add(record));
  return [...byFile].map(([file, records]) => `import { ${[...records].join(', ')} } from '#contracts/${file}';`);
};

export const recordNames = (declared: readonly RecordPlace[]) => [...new Set(declared.map(({ record }) => record))];

export const toolName = (name: string) => name.replace('.', '_');
