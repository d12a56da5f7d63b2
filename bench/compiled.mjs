import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const imported = new Map();

/** Imports TypeScript of the service the way production runs it: compiled, with packages left outside. */
export const importCompiled = (path) => {
  if (!imported.has(path)) imported.set(path, compileAndImport(path));
  return imported.get(path);
};

const compileAndImport = async (path) => {
  const root = resolve(import.meta.dirname, '..');
  const name = path.replace(/[^a-z]+/g, '-');
  // Below node_modules, so that nobody commits it and packages are found from there.
  const outfile = resolve(import.meta.dirname, `node_modules/.cache/posthorn/${name}.${process.pid}.mjs`);
  await build({
    absWorkingDir: root,
    entryPoints: [path],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(outfile);
  }
};
