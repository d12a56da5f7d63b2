#!/usr/bin/env node
// The whole program: dist/cli.js.
import module from 'node:module';
import { join } from 'node:path';

// Node 22 has it; the types are those of Node 20.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
// Beside the program and not in the temp folder, where other users could plant code.
enableCompileCache?.(join(import.meta.dirname, 'compile-cache'));
// Node 21 and later have it. Without it pg loads all of fetch, only to find out that it does not run on Cloudflare.
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
  // Needs no settings, which the commands of an installation read first.
  case 'twins': {
    const { twins } = await import('#server/cli/twins');
    process.exitCode = await twins(process.argv.slice(3));
    break;
  }
  default:
    await import('#server/cli/index');
}
