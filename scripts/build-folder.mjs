// Shared by the builds of the web app and the help site: both write a folder of files, and only if a source has
// changed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Files of a folder, or the file itself; none when it does not exist. */
const filesIn = (path) => {
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => filesIn(join(path, entry.name)));
  } catch {
    return [path];
  }
};

export const hashOf = (root, sources) => {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((path) => filesIn(resolve(root, path))).sort()) {
    hash.update(`${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
};

const compressible = /\.(js|css|html|svg|webmanifest|json)$/;
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses at build time instead of at every request: `file.js.br` and `file.js.gz` beside `file.js`. */
export const compress = (folder) =>
  Promise.all(
    filesIn(folder)
      .filter((file) => compressible.test(file))
      .map(async (file) => {
        const bytes = readFileSync(file);
        writeFileSync(`${file}.br`, await brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
        writeFileSync(`${file}.gz`, await gzipped(bytes, { level: 9 }));
      }),
  );

/** Renamed into place, because another process may build or serve at the same time. */
export const replaceFolder = (output, folder, isBuilt) => {
  const old = `${output}.old.${process.pid}`;
  if (existsSync(output)) renameSync(output, old);
  try {
    renameSync(folder, output);
  } catch (error) {
    if (!isBuilt()) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
};
