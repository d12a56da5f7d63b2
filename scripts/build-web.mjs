// Builds the web app into dist/web if its sources have changed. Plain JavaScript, because it runs before anything else.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = resolve(import.meta.dirname, '..');
const sources = [
  'web',
  'generated/sdk/src',
  'generated/app-client.ts',
  'generated/app-http.ts',
  'server/networks/counting.ts',
  'server/networks/links.ts',
];
const more = ['package-lock.json', 'scripts/build-web.mjs'];
const output = resolve(root, 'dist/web');
const stamp = join(output, '.sources');

/** Files of a folder, or the file itself; none when it does not exist. */
const filesIn = (path) => {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => filesIn(join(path, entry.name)));
  } catch {
    return [path];
  }
};

const hashOfSources = () => {
  const hash = createHash('sha256');
  for (const file of [...sources, ...more].flatMap((path) => filesIn(resolve(root, path))).sort()) {
    hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
};

export const isWebBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOfSources();

const compressible = /\.(js|css|html|svg|webmanifest|json)$/;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses at build time instead of at every request: `file.js.br` and `file.js.gz` beside `file.js`. */
const compress = (folder) =>
  Promise.all(
    filesIn(folder)
      .filter((file) => compressible.test(file))
      .map(async (file) => {
        const bytes = readFileSync(file);
        writeFileSync(`${file}.br`, await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        writeFileSync(`${file}.gz`, await gzipped(bytes, { level: 9 }));
      }),
  );

const buildWeb = async () => {
  const hash = hashOfSources();
  const startedAt = performance.now();
  process.stderr.write('Building the web app … ');
  let build;
  try {
    ({ build } = await import('vite'));
  } catch {
    throw new Error('The web app is not built, and vite is not installed. Run npm ci, or bring dist/web along.');
  }
  const tempOutput = `${output}.${process.pid}`;
  // Vite reads NODE_ENV, and any value but `production` (tests have `test`) bundles the development build of React.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = 'production';
  try {
    await build({
      configFile: resolve(root, 'web/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: tempOutput, emptyOutDir: true },
    });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  await compress(tempOutput);
  writeFileSync(join(tempOutput, '.sources'), hash);
  // Renamed into place, because another process may build or serve at the same time.
  const old = `${output}.old.${process.pid}`;
  if (existsSync(output)) renameSync(output, old);
  try {
    renameSync(tempOutput, output);
  } catch (error) {
    if (!isWebBuilt()) throw error;
    rmSync(tempOutput, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
};

if (process.argv[1] === import.meta.filename && !isWebBuilt()) {
  try {
    await buildWeb();
  } catch (error) {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
