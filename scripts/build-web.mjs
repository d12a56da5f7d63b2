// Builds the web app into dist/web if its sources have changed. Plain JavaScript, because it runs before anything else.
import './node-version.mjs';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compress, hashOf, replaceFolder } from './build-folder.mjs';

const root = resolve(import.meta.dirname, '..');
/** With the modules outside web/ that are bundled: an update of one of them must not leave an old app. */
export const sources = [
  'web',
  'packages/sdk/src',
  'generated/app-client.ts',
  'contracts/is-url.ts',
  'contracts/time.ts',
  'server/base/escape-reg-exp.ts',
  'server/networks/counting.ts',
  'server/networks/focus.ts',
  'server/networks/fold.ts',
  'server/networks/links.ts',
  'server/networks/little-text.ts',
  'server/networks/poll.ts',
  'server/networks/short-links.ts',
  'server/networks/split-text.ts',
  'server/networks/top-level-domains.ts',
  'server/planning/transfer/csv.ts',
  'package-lock.json',
  'scripts/build-web.mjs',
];
const output = resolve(root, 'dist/web');
const stamp = join(output, '.sources');

export const isWebBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === hashOf(root, sources);

const buildWeb = async () => {
  const hash = hashOf(root, sources);
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
  replaceFolder(output, tempOutput, isWebBuilt);
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
