// dist/cli.js: the whole program, as `node dist/cli.js` runs it where there is nothing to build.
import { load } from './load.ts';
import { mapStacks } from './mapped-stack.ts';

/** The names of the compiled parts, from the compiler. */
declare const parts: { readonly commands: string; readonly call: string };

mapStacks();
// Those for callers of a server somewhere else load nothing of the server.
if (['call', 'profile', 'completion'].includes(process.argv[2] ?? '')) {
  const { main } = load(parts.call) as typeof import('#scripts/call/index');
  void main(process.argv.slice(2), process.env).then((code) => {
    process.exitCode = code;
  });
} else load(parts.commands);
