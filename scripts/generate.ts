import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readContracts } from './contracts.ts';
import { emitAppClient } from './emit-app-client.ts';
import { emitCatalog } from './emit-catalog.ts';
import { emitMcpTools } from './emit-mcp-tools.ts';
import { emitNetworksPage } from './emit-networks-page.ts';
import { emitOpenapi } from './emit-openapi.ts';
import { emitHandlers, emitNetworks } from './emit-registries.ts';
import { emitRest } from './emit-rest.ts';
import { emitRouter } from './emit-router.ts';
import { emitSdk } from './emit-sdk.ts';
import { emitSettingsPage } from './emit-settings-page.ts';
import { TypePrinter } from './print-types.ts';

type Files = Record<string, string>;

const root = resolve(import.meta.dirname, '..');
const outputFolders = ['generated', 'openapi', 'docs'];

/** Everything the contracts lead to, as it should be. */
const emitAll = async (): Promise<Files> => {
  const { actions, routes, raw } = await readContracts(root);
  const sdkTypes = new TypePrinter();
  return {
    ...emitCatalog(actions),
    ...emitRest(actions, routes),
    ...emitRouter(routes, raw),
    ...emitMcpTools(actions),
    ...(await emitHandlers(root, actions)),
    ...(await emitNetworks(root)),
    ...(await emitNetworksPage(root)),
    ...emitSettingsPage(),
    ...emitOpenapi(actions, routes),
    ...emitSdk(actions, sdkTypes),
    // After the SDK, whose types it shares.
    ...emitAppClient(routes, sdkTypes.named),
  };
};

/** What is there now. Things a package manager or compiler puts beside it do not count. */
const readAll = async (): Promise<Files> => {
  const files: Files = {};
  for (const folder of outputFolders) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1);
      if (!entry.isFile() || /\/(dist|node_modules)\/|\.tgz$/.test(path)) continue;
      const text = await readFile(join(root, path), 'utf8');
      // Most pages in docs/ are written by people.
      if (folder !== 'docs' || text.startsWith('<!-- Generated')) files[path] = text;
    }
  }
  return files;
};

const write = async (path: string, content: string) => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
};

const [wanted, present] = await Promise.all([emitAll(), readAll()]).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
const changed = Object.keys(wanted).filter((path) => wanted[path] !== present[path]);
const stray = Object.keys(present).filter((path) => !(path in wanted));

if (process.argv.includes('--check')) {
  for (const path of changed) console.error(`out of date: ${path}`);
  for (const path of stray) console.error(`not generated from anything: ${path}`);
  if (changed.length + stray.length > 0) {
    console.error('Run `npm run generate` and commit what it writes.');
    process.exit(1);
  }
} else {
  for (const path of changed) await write(path, wanted[path] ?? '');
  for (const path of stray) await rm(join(root, path));
  for (const path of [...changed, ...stray]) console.log(path);
}
