// Compiles the server into dist/ when a source has changed. Packages stay in node_modules, as they are.
import './node-version.mjs';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { findTreeUsers } from './tree-users.mjs';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const stampFile = join(dist, 'built-from');
const sources = ['contracts', 'generated', 'server', 'scripts/call'];
const more = ['package.json', 'scripts/cli.ts', 'scripts/build.mjs', 'web/base/paths.ts'];
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Name, size and time of each source, because reading all contents would take longer than most commands. */
const stampOfSources = () => [...sources.flatMap(filesIn), ...more].map(lineOf).join('');

const filesIn = (folder) =>
  readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path);
    return path.endsWith('.ts') ? [path] : [];
  });

const lineOf = (path) => {
  const { size, mtimeMs } = statSync(`${root}/${path}`);
  return `${path} ${size} ${mtimeMs}\n`;
};

export const isBuilt = () => {
  try {
    return readFileSync(stampFile, 'utf8') === stampOfSources();
  } catch {
    return false;
  }
};

const compile = async () => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['scripts/cli.ts'],
    outdir: 'dist',
    bundle: true,
    packages: 'external',
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles;
};

/** A command may start while another builds, so files are renamed into place, the entry point last. */
const write = (files) => {
  const isEntry = ({ path }) => basename(path) === 'cli.js';
  for (const { path, contents } of files.toSorted((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    writeAtomically(path, contents);
  }
};

const writeAtomically = (path, contents) => {
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
};

/**
 * Keeps all chunks while another process runs from this folder, which may still load them, and recent files elsewhere: it
 * may be starting, and another may be writing.
 */
const removeOld = (files) => {
  const isInUse = findTreeUsers(root).length > 0;
  const current = new Set(['built-from', ...files.map(({ path }) => basename(path))]);
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    if (!entry.isFile() || current.has(entry.name)) continue;
    const path = join(dist, entry.name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    const isChunk = /-[A-Z0-9]{8}\.js(\.map)?$/.test(entry.name);
    if (isChunk && isInUse) continue;
    const mayBeUsedMs = isChunk ? dayMs : /\.\d+$/.test(entry.name) ? minuteMs : 0;
    if (mtimeMs < Date.now() - mayBeUsedMs) rmSync(path, { force: true });
  }
  rmSync(join(dist, 'compile-cache'), { recursive: true, force: true });
};

if (process.argv[1] === import.meta.filename && !isBuilt()) {
  const stamp = stampOfSources();
  mkdirSync(dist, { recursive: true });
  const files = await compile();
  write(files);
  removeOld(files);
  writeAtomically(stampFile, stamp);
}
