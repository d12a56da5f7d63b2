import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { API, type Checker, SymbolFlags, type Type, TypeFlags, type UnionType } from 'typescript/unstable/sync';

/** What programs see of an SDK: the members of each exported type. `code?` may be undefined. */
export type ExportedTypes = Record<string, readonly string[]>;

/** Of the TypeScript SDK in this folder. A function has no members here. */
export const typescriptTypes = (folder: string): ExportedTypes => {
  const config = resolve(folder, 'tsconfig.json');
  const api = new API({ cwd: resolve(folder) });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    const source = project?.program.getSourceFile(resolve(folder, 'src/index.ts'));
    if (project === undefined || source === undefined) throw new Error(`${folder} has no src/index.ts`);
    const { checker } = project;
    const index = checker.getSymbolAtLocation(source);
    const exported = index ? checker.getExportsOfModule(index) : [];
    return sorted(
      exported.map((symbol) => {
        const target = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const isType = (target.flags & (SymbolFlags.Class | SymbolFlags.Interface | SymbolFlags.TypeAlias)) !== 0;
        return [symbol.name, isType ? membersOf(checker.getDeclaredTypeOfSymbol(target), checker) : []];
      }),
    );
  } finally {
    api.close();
  }
};

/** Without private members and those that a symbol names, and without what every string has. */
const membersOf = (type: Type, checker: Checker): string[] =>
  partsOf(type).some(({ flags }) => flags & TypeFlags.StringLike)
    ? []
    : checker
        .getPropertiesOfType(type)
        .filter(({ name }) => /^\w+$/.test(name) && !name.startsWith('__'))
        .map((symbol) => {
          const parts = partsOf(checker.getTypeOfSymbol(symbol));
          const isOptional =
            symbol.flags & SymbolFlags.Optional || parts.some(({ flags }) => flags & TypeFlags.Undefined);
          return isOptional ? `${symbol.name}?` : symbol.name;
        });

const partsOf = (type: Type | undefined): readonly Type[] => {
  if (type === undefined) return [];
  return type.flags & TypeFlags.Union ? (type as UnionType).getTypes() : [type];
};

/** Of the Python SDK in this folder, as its sources are formatted: classes with their own and inherited members. */
export const pythonTypes = (folder: string): ExportedTypes => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.py'));
  const text = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const classes = new Map(
    text
      .split(/^(?=class )/m)
      .slice(1)
      .map((part) => {
        const [, name = '', bases = ''] = /^class (\w+)(?:\((.*)\))?:/.exec(part) ?? [];
        // The next line that is not indented ends the class.
        const [body = ''] = part.slice(part.indexOf('\n') + 1).split(/^(?=[^\s])/m);
        const own = [
          ...body.matchAll(/^ {4}(?:async )?def (\w+)\(|^ {4}(\w+):|^ {8}self\.(\w+)(?:: [^=\n]+)? = /gm),
        ].map(([, method, field, attribute]) => method ?? field ?? attribute ?? '');
        return [name, { bases: bases.split(', '), own }] as const;
      }),
  );
  const allOf = (name: string): string[] => {
    const { bases, own } = classes.get(name) ?? { bases: [], own: [] };
    return [...new Set([...bases.flatMap(allOf), ...own])].filter((member) => !member.startsWith('_'));
  };
  const functions = [...text.matchAll(/^(?:async )?def (\w+)\(/gm)].map(([, name = '']) => name);
  const names = [...classes.keys(), ...functions].filter((name) => !name.startsWith('_'));
  return sorted(names.map((name) => [name, allOf(name)]));
};

const sorted = (entries: [string, string[]][]): ExportedTypes =>
  Object.fromEntries(entries.map(([name, members]) => [name, members.toSorted()] as const).toSorted());

/** Of every SDK, by the name of its package. */
export type SdkTypes = Record<string, ExportedTypes>;

export const sdkTypes = (root: string): SdkTypes => ({
  'posthorn-sdk': typescriptTypes(join(root, 'packages/sdk')),
  'posthorn for Python': pythonTypes(join(root, 'packages/python/posthorn')),
});

/** What breaks a program written for `before`. Types that callers pass in may get members that are optional. */
export const breakingTypes = (before: SdkTypes, after: SdkTypes): string[] =>
  Object.entries(before).flatMap(([sdk, types]) => lostTypes(sdk, types, after[sdk] ?? {}));

const lostTypes = (sdk: string, before: ExportedTypes, after: ExportedTypes): string[] =>
  Object.entries(before).flatMap(([name, members]) => {
    const now = after[name];
    if (now === undefined) return [`${sdk} ${name} is gone`];
    const isPassedIn = /(?:Input|Options)$/.test(name);
    return members.flatMap((member) => {
      const plain = member.replace('?', '');
      if (now.includes(plain) || (now.includes(`${plain}?`) && (isPassedIn || member.endsWith('?')))) return [];
      return [`${sdk} ${name}.${plain} ${now.includes(`${plain}?`) ? 'may be undefined' : 'is gone'}`];
    });
  });
