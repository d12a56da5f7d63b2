// Compiles the server into dist/cli.js: production runs compiled JavaScript, packages stay outside the bundle.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['server/cli.ts'],
  outdir: 'dist',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'linked',
  write: false,
  logLevel: 'warning',
});

const present = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

mkdirSync(resolve(root, 'dist'), { recursive: true });
for (const { path, text } of outputFiles) {
  // Moved into place whole: a command may start while another builds.
  if (present(path) === text) continue;
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
