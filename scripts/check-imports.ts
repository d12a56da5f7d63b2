import { readdir, readFile } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import { serverRooms, webRooms } from './rooms.ts';

interface Complaint {
  readonly file: string;
  readonly line: number;
  /** The offending import or word, as written. */
  readonly found: string;
  /** The rule, and what to do instead. */
  readonly rule: string;
}

/** One import. Modules are paths without extension, such as `server/writing/posts/post-store`; packages have their own name. */
export interface Link {
  readonly file: string;
  readonly line: number;
  readonly found: string;
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
}

interface Rule {
  readonly says: string;
  readonly isBroken: (link: Link) => boolean;
}

const root = resolve(import.meta.dirname, '..');
const folders = ['contracts', 'generated', 'packages', 'server', 'web', 'scripts', 'test', 'bench'];

const isOurs = (module: string) => folders.some((folder) => module.startsWith(`${folder}/`));
const houses = [
  ['server/', Object.keys(serverRooms)],
  ['web/', Object.keys(webRooms)],
] as const;

/** Floors count from the top. Files outside of the rooms are above all. */
const floorIn = (house: string, rooms: readonly string[], module: string) =>
  rooms.findIndex((room) => module.startsWith(`${house}${room}/`));

const goesUp = ({ from, to }: Link) =>
  houses.some(
    ([house, rooms]) =>
      from.startsWith(house) && to.startsWith(house) && floorIn(house, rooms, from) > floorIn(house, rooms, to),
  );

const packageOf = (module: string) => /^packages\/[^/]+\//.exec(module)?.[0];
const pageOf = (module: string) => /^web\/pages\/([^/]+)\//.exec(module)?.[1];

const isTypeOfStatements = ({ from, to, isTypeOnly }: Link) =>
  from === 'server/base/store/statement' && to === 'generated/statements' && isTypeOnly;

const isWiring = (module: string) => module.startsWith('server/wiring/');
const isDoor = (module: string) => module.startsWith('server/doors/');
const isAction = (module: string) => module.startsWith(`${sliceFolder(module)}/actions/`);
/** `store.ts`, `<rule>-store.ts` beside its rule, or `stores.ts`, which opens several of a slice. */
const hasStoreName = (module: string) => /[/-]stores?$/.test(module);
const isSliceStore = (module: string) => hasStoreName(module) && posix.dirname(module) === sliceFolder(module);
const isStore = (module: string) => isSliceStore(module) || module.startsWith('server/base/store/');
const networkFolder = (module: string) => /^server\/networks\/(families\/[^/]+\/|[^/]+\/)/.exec(module)?.[0];
const isFamily = (module: string) => module.startsWith('server/networks/families/');
const isSharedByNetworks = (module: string) => module.startsWith('server/networks/shared/');

/** The folder of a slice: in rooms of one slice that is the room. */
const sliceFolder = (module: string) => /^server\/(?:media|networks|[^/]+\/[^/]+)(?=\/)/.exec(module)?.[0];

const sliceOf = (module: string) => {
  const folder = sliceFolder(module);
  return folder === undefined || /\/(http|mcp|networks|outbound|jobs|store)$/.test(folder)
    ? undefined
    : posix.basename(folder);
};

const rules: readonly Rule[] = [
  {
    says: 'contracts/ imports contracts/ and zod alone; move what both sides need into contracts/',
    isBroken: ({ from, to }) => from.startsWith('contracts/') && !to.startsWith('contracts/') && to !== 'zod',
  },
  {
    says: 'only server/wiring/ imports generated/ and packages/, but for the types of statements; let the wiring hand over what is needed',
    isBroken: (link) =>
      link.from.startsWith('server/') &&
      /^(generated|packages)\//.test(link.to) &&
      !isWiring(link.from) &&
      !isTypeOfStatements(link),
  },
  {
    says: 'a package imports its own files alone, because it is published without ours',
    isBroken: ({ from, to }) => packageOf(from) !== undefined && isOurs(to) && packageOf(to) !== packageOf(from),
  },
  {
    says: 'web/ imports web/, packages/sdk, generated/app-client, the pure code in server/base/escape-reg-exp, server/networks/counting, fold, poll, focus, short-links and split-text and server/planning/transfer/csv, contracts/time, and types of contracts/ alone; ask the server through the generated clients',
    isBroken: ({ from, to, isTypeOnly }) =>
      from.startsWith('web/') &&
      isOurs(to) &&
      !/^(web\/|packages\/sdk\/|generated\/app-client$|contracts\/time$|server\/(base\/escape-reg-exp|networks\/(counting|fold|links|poll|focus|short-links|split-text)|planning\/transfer\/csv)$)/.test(
        to,
      ) &&
      !(to.startsWith('contracts/') && isTypeOnly),
  },
  {
    says: 'http/ and mcp/ never touch a store, a network or a job; call a rule of the slice',
    isBroken: ({ from, to }) => isDoor(from) && (isStore(to) || /^server\/(networks|base\/jobs)\//.test(to)),
  },
  {
    says: 'a room imports only rooms below it, in the order of scripts/rooms.ts; move what both need down, or take it as an argument',
    isBroken: goesUp,
  },
  {
    says: 'no page imports another; move what both need into web/parts',
    isBroken: ({ from, to }) => pageOf(from) !== undefined && pageOf(to) !== undefined && pageOf(from) !== pageOf(to),
  },
  {
    says: 'an action calls rules, not stores; put the query behind a rule of the slice',
    isBroken: ({ from, to }) => isAction(from) && isStore(to),
  },
  {
    says: "an action imports the contract of its own domain alone; call the other domain's rules",
    isBroken: ({ from, to }) => isAction(from) && to.startsWith('contracts/') && to !== `contracts/${sliceOf(from)}`,
  },
  {
    says: 'a store is private to its slice, which slice.ts opens, and so are its types; call a rule of that slice or export the type from one',
    isBroken: ({ from, to }) =>
      isSliceStore(to) && from.startsWith('server/') && !from.startsWith(`${posix.dirname(to)}/`),
  },
  {
    says: 'others know the files in networks/ itself, and none of its folders; find a network in the registry',
    isBroken: ({ from, to }) => from.startsWith('server/') && !networkFolder(from) && networkFolder(to) !== undefined,
  },
  {
    says: 'a network imports its own files, those in networks/ itself, its family, networks/shared/, server/base/pictures.ts, server/base/sha256.ts and contracts/ alone; share in families/ or shared/',
    isBroken: ({ from, to }) => {
      const own = networkFolder(from);
      const families = isFamily(from) || isSharedByNetworks(from) ? [] : ['server/networks/families/'];
      const allowed = [
        own ?? '',
        'server/networks/shared/',
        'server/base/pictures',
        'server/base/sha256',
        ...families,
        'contracts/',
      ];
      const isBeside =
        /^server\/networks\/(network|request|oauth2|sandbox|trouble|counting|links|little-text|poll|focus|short-links)$/.test(
          to,
        );
      return own !== undefined && isOurs(to) && !isBeside && !allowed.some((one) => to.startsWith(one));
    },
  },
  {
    says: '`../` is not used; write #contracts/…, #generated/…, #server/…, #web/…, #scripts/… or #test/…',
    isBroken: ({ from, found }) => found.startsWith('..') && packageOf(from) === undefined,
  },
  {
    says: '`./` stays inside its folder; write #contracts/…, #generated/…, #server/…, #web/…, #scripts/… or #test/…',
    isBroken: ({ found, from, to }) =>
      found.startsWith('./') && posix.dirname(from) !== posix.dirname(to) && packageOf(from) === undefined,
  },
];

const time = /\bDate\.now\(\)|\bnew Date\(\)/g;
const forbiddenWords = [
  {
    in: 'server/',
    word: /\bprocess\.env\b/g,
    says: 'only config.ts reads the environment; take the setting as an argument',
  },
  { in: 'server/', word: time, says: 'only clock.ts knows the time; take a clock as an argument' },
  { in: 'web/', word: time, says: "only base/time.ts knows the time, as the server's clock can be ahead; use now()" },
];
const mayUseThem = ['server/base/clock.ts', 'server/base/config/config.ts', 'web/base/time.ts'];

/** Matches SQL that writes a table, and models, which write through methods. One of the groups captures the table. */
const writing =
  /\b(?:insert\s+into|delete\s+from|merge\s+into|truncate(?:\s+table)?)\s+([a-z_]+)\b|\bupdate\s+([a-z_]+)(?:\s+(?:as\s+)?[a-z_]+)?\s+set\b|\btable(?:Name:\s*|\()'([a-z_]+)'/g;

/** The declaration of tables that a store reads from other slices. */
const declaring = /^export const reads = \[([^\]]*)\]/m;

/**
 * Matches `app.get('/…')`, also across two lines or with an array, the `.path` of a contract, and ts-rest's own
 * function.
 */
const registering =
  /\.(?:get|head|post|put|patch|delete|all|use|route)\(\s*(?:\[\s*)?(['"`])\/[^'"`]*\1|\bcreateExpressEndpoints\(|\.(?:get|post|put|patch|delete|all|use|route)\(\s*[\w.]+\.path\b/g;
const pathRule =
  'a path is declared in contracts/ and registered by generated/router.ts alone; declare it there and write its handler';
/** Pages for people, the API reference, the sandboxes of networks, the twins and the identity provider register their own paths. */
const mayRegister =
  /^server\/(base\/pages\/|doors\/http\/docs\.ts|access\/auth\/identity-provider\/|simulation\/|networks\/)/;
/** Mount points of such modules. */
const mounting = /^\.use\(\s*'\/(docs|help|auth)'/;

/** Everything in the tree that breaks ARCHITECTURE's import rules. */
export const checkImports = async (tree: string): Promise<Complaint[]> => {
  const texts = await readSources(tree);
  const links = [...texts].flatMap(([file, text]) => linksOf(file, text));
  const writes = [...texts].flatMap(([file, text]) => writesIn(file, text));
  const reads = foreignReads(texts, writes, links);
  return [
    ...links.flatMap(brokenRules),
    ...cycles(links),
    ...[...texts.keys()].flatMap(outsideOfRooms),
    ...[...texts].flatMap(([file, text]) => wordsIn(file, text)),
    ...[...texts].flatMap(([file, text]) => pathsIn(file, text)),
    ...wrongWriters(writes),
    ...mixedTables(writes),
    ...undeclaredReads(texts, reads),
    ...needlessDeclarations(texts, reads),
    ...mutualReads(reads),
  ];
};

/** Every import of the tree, types included. */
export const readLinks = async (tree: string): Promise<Link[]> =>
  [...(await readSources(tree))].flatMap(([file, text]) => linksOf(file, text));

const readSources = async (tree: string) => {
  const texts = new Map<string, string>();
  for (const file of await sourceFiles(tree)) texts.set(file, await readFile(resolve(tree, file), 'utf8'));
  return texts;
};

const sourceFiles = async (tree: string, folder = ''): Promise<string[]> => {
  const entries = await readdir(resolve(tree, folder), { withFileTypes: true });
  const lists = entries.map((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return /^(\..*|node_modules|dist)$/.test(entry.name) ? [] : sourceFiles(tree, path);
    return /\.tsx?$/.test(path) ? [path] : [];
  });
  return (await Promise.all(lists)).flat().sort();
};

/** `import … from`, `export … from`, `import '…'` at the start of a line, and `import('…')` anywhere. */
const importing = /^(?:import|export)\s(?:[^;'"=()]*?\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

const linksOf = (file: string, text: string): Link[] =>
  [...text.matchAll(importing)].map((match) => {
    const found = match[1] ?? match[2] ?? '';
    return {
      file,
      line: lineAt(text, match.index + match[0].lastIndexOf(found)),
      found,
      from: moduleName(file),
      to: target(file, found),
      isTypeOnly: /^(?:import|export)\s+type\b/.test(match[0]),
    };
  });

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;

const moduleName = (path: string) => path.replace(/\.tsx?$/, '');

const target = (file: string, found: string) => {
  if (found.startsWith('.')) return moduleName(posix.join(posix.dirname(file), found));
  return moduleName(found.replace(/^#/, ''));
};

const brokenRules = (link: Link): Complaint[] =>
  rules.filter(({ isBroken }) => isBroken(link)).map(({ says }) => ({ ...place(link), rule: says }));

const outsideOfRooms = (file: string): Complaint[] =>
  file.startsWith('server/') && floorIn('server/', Object.keys(serverRooms), file) < 0
    ? [{ file, line: 1, found: file, rule: 'everything in server/ is in a room of scripts/rooms.ts' }]
    : [];

const place = ({ file, line, found }: Link) => ({ file, line, found });

/** Type imports count: slices get the rules of other slices as arguments, so they import hardly anything but types. */
const cycles = (links: readonly Link[]): Complaint[] =>
  cyclesOf(links, (module) => (isOurs(module) ? module : undefined), 'files import each other one way', moveBelow);

const moveBelow = 'move what both need below them';

const cyclesOf = (
  links: readonly Link[],
  placeOf: (module: string) => string | undefined,
  says: string,
  remedy: string,
) => {
  const between = links.flatMap((link) => {
    const [from, to] = [placeOf(link.from), placeOf(link.to)];
    return from !== undefined && to !== undefined && from !== to ? [{ link, from, to }] : [];
  });
  const next = new Map<string, Set<string>>();
  for (const { from, to } of between) next.set(from, (next.get(from) ?? new Set()).add(to));
  /** Finds the shortest path, to keep the complaint short. */
  const pathBetween = (from: string, to: string): readonly string[] | undefined => {
    const paths = new Map([[from, [from]]]);
    for (const [place, before] of paths) {
      if (place === to) return before;
      for (const step of next.get(place) ?? []) if (!paths.has(step)) paths.set(step, [...before, step]);
    }
    return undefined;
  };
  return between.flatMap(({ link, from, to }) => {
    const back = pathBetween(to, from);
    const names = back && [from, ...back].map((place) => place.replace(/^server\//, ''));
    return names ? [{ ...place(link), rule: `${says}; ${names.join(' → ')} is a circle, so ${remedy}` }] : [];
  });
};

const wordsIn = (file: string, text: string): Complaint[] => {
  if (mayUseThem.includes(file)) return [];
  return forbiddenWords
    .filter((forbidden) => file.startsWith(forbidden.in))
    .flatMap(({ word, says }) =>
      [...text.matchAll(word)].map((match) => ({ file, line: lineAt(text, match.index), found: match[0], rule: says })),
    );
};

const pathsIn = (file: string, text: string): Complaint[] => {
  if (!file.startsWith('server/') || mayRegister.test(file)) return [];
  return [...text.matchAll(registering)]
    .filter(([found]) => !(file === 'server/doors/http/doors.ts' && mounting.test(found)))
    .map((match) => ({ file, line: lineAt(text, match.index), found: match[0], rule: pathRule }));
};

interface Write extends Omit<Complaint, 'rule'> {
  readonly table: string;
  readonly slice: string;
  readonly isModel: boolean;
}

const writesIn = (file: string, text: string): Write[] => {
  const folder = sliceFolder(file);
  if (folder === undefined || folder === 'server/base/store') return [];
  return [...text.matchAll(writing)].map((match) => ({
    file,
    line: lineAt(text, match.index),
    found: match[0].replace(/\s+/g, ' '),
    table: match[1] ?? match[2] ?? match[3] ?? '',
    slice: posix.basename(folder),
    isModel: match[3] !== undefined,
  }));
};

const wrongWriters = (writes: readonly Write[]): Complaint[] =>
  writes.flatMap(({ table, slice: _, isModel: __, ...found }) => {
    if (!hasStoreName(moduleName(found.file))) {
      return [{ ...found, rule: 'only a store writes a table; put the statement into a store of the slice' }];
    }
    const owners = new Set(writes.filter((write) => write.table === table).map((write) => write.slice));
    if (owners.size < 2) return [];
    const rule = `one slice writes a table, and ${[...owners].join(' and ')} write ${table}; call a rule of the slice that owns it`;
    return [{ ...found, rule }];
  });

/** A model declares every column, so SQL statements for the same table would describe its rows a second time. */
const mixedTables = (writes: readonly Write[]): Complaint[] =>
  writes.flatMap(({ table, slice: _, isModel, ...found }) =>
    !isModel && writes.some((other) => other.table === table && other.isModel)
      ? [{ ...found, rule: `a table has a model or statements, and ${table} has both; write it one way` }]
      : [],
  );

interface Read extends Omit<Complaint, 'rule'> {
  readonly table: string;
  readonly slice: string;
  readonly owner: string;
  /** The stores that declare it. */
  readonly stores: readonly string[];
}

/** A table belongs to the slice that writes it, so ownership needs no declaration. */
const foreignReads = (texts: ReadonlyMap<string, string>, writes: readonly Write[], links: readonly Link[]): Read[] => {
  const owners = new Map(writes.map(({ table, slice }) => [table, slice]));
  if (owners.size === 0) return [];
  const tables = `(${[...owners.keys()].join('|')})`;
  const afterKeyword = `\\b(?:(?<!\\bdelete\\s+)from|join|using)\\s+(?:only\\s+)?${tables}\\b`;
  const inList = `,\\s*${tables}\\s+[a-z]\\w*\\s*(?=[,)\`']|where\\b|(?:left|cross|inner)?\\s*join\\b|(?:order|group) by\\b)`;
  const reading = new RegExp(`${afterKeyword}|${inList}`, 'g');
  return [...texts].flatMap(([file, text]) => {
    const slice = sliceOf(moduleName(file));
    if (slice === undefined) return [];
    const stores = storesWith(moduleName(file), links).map((module) => `${module}.ts`);
    return [...withoutComments(text).matchAll(reading)].flatMap((match) => {
      const table = match[1] ?? match[2] ?? '';
      const owner = owners.get(table) ?? slice;
      const found = match[0].replace(/\s+/g, ' ');
      return owner === slice ? [] : [{ file, line: lineAt(text, match.index), found, table, slice, owner, stores }];
    });
  });
};

/** The store itself, or for a part of statements the stores of its slice that import it. */
const storesWith = (part: string, links: readonly Link[]) => {
  const modules = new Set([part]);
  for (const module of modules) {
    if (hasStoreName(module)) continue;
    for (const { from, to, isTypeOnly } of links)
      if (to === module && !isTypeOnly && sliceFolder(from) === sliceFolder(part)) modules.add(from);
  }
  return [...modules].filter(hasStoreName);
};

/** Replaced by blanks, so that line numbers stay the same. */
const withoutComments = (text: string) =>
  text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));

const declaredIn = (text = '') =>
  [...(declaring.exec(text)?.[1] ?? '').matchAll(/'([a-z_]+)'/g)].map(([, table]) => table);

const undeclaredReads = (texts: ReadonlyMap<string, string>, reads: readonly Read[]): Complaint[] =>
  reads.flatMap(({ file, line, found, table, owner, stores }) => {
    const undeclared = stores.filter((store) => !declaredIn(texts.get(store)).includes(table));
    if (stores.length > 0 && undeclared.length === 0) return [];
    const place =
      undeclared.length > 0 ? `name the table in \`reads\` of ${undeclared.join(' and ')}` : 'read it in a store';
    return [{ file, line, found, rule: `${table} is a table of ${owner}; call a rule of that slice, or ${place}` }];
  });

const needlessDeclarations = (texts: ReadonlyMap<string, string>, reads: readonly Read[]): Complaint[] =>
  [...texts].flatMap(([store, text]) =>
    declaredIn(text)
      .filter((table) => !reads.some((read) => read.stores.includes(store) && read.table === table))
      .map((table) => ({
        file: store,
        line: lineAt(text, text.search(declaring)),
        found: `${table}`,
        rule: 'no statement reads this table of another slice; take it out of `reads`',
      })),
  );

const mutualReads = (reads: readonly Read[]): Complaint[] =>
  cyclesOf(
    reads.map(({ file, line, found, slice, owner }) => ({
      file,
      line,
      found,
      from: slice,
      to: owner,
      isTypeOnly: false,
    })),
    (slice) => slice,
    "slices read each other's tables one way",
    'let one of them call a rule of the other',
  );

if (process.argv[1] === import.meta.filename) {
  const complaints = await checkImports(root);
  for (const { file, line, found, rule } of complaints) console.error(`${file}:${line}  '${found}': ${rule}`);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
