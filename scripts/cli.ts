#!/usr/bin/env node
// The whole program: dist/cli.js.
import module from 'node:module';
import { join } from 'node:path';

// Node 22 has it; the types are those of Node 20.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
// Beside the program, and not in the folder for temporary files: whoever can write there could plant code.
enableCompileCache?.(join(import.meta.dirname, 'compile-cache'));
// Stacks name our sources.
process.setSourceMapsEnabled(true);

const [, , command = ''] = process.argv;
switch (command) {
  // Commands for callers of a server somewhere else load nothing of the server.
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
