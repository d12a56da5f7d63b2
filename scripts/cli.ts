#!/usr/bin/env node
// Entry point of the whole program, built into dist/cli.js.
import module from 'node:module';
import { join } from 'node:path';

// Only Node 22 and later have enableCompileCache, and the type definitions are for Node 20.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
// The cache is next to the program, because other users could plant code in the temp folder.
enableCompileCache?.(join(import.meta.dirname, 'compile-cache'));
// Node 21 and later define navigator. Without it, pg loads all of fetch just to find out that it is not on Cloudflare.
if (!('navigator' in globalThis)) {
  Object.assign(globalThis, { navigator: { userAgent: `Node.js/${process.versions.node.split('.')[0]}` } });
}
// So that stack traces show our sources.
process.setSourceMapsEnabled(true);

const [, , command = ''] = process.argv;
switch (command) {
  // Client commands load nothing of the server, so that they start fast.
  case 'call':
  case 'profile':
  case 'completion': {
    const { main } = await import('#scripts/call/index');
    process.exitCode = await main(process.argv.slice(2), process.env);
    break;
  }
  // Needs no settings, unlike the commands of an installation, which read them first.
  case 'twins': {
    const { twins } = await import('#server/wiring/cli/twins');
    process.exitCode = await twins(process.argv.slice(3));
    break;
  }
  default:
    await import('#server/wiring/cli/index');
}
