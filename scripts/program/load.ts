// Loads the parts that scripts/build.mjs compiled. What V8 makes of a part is kept beside it, so that the next process need
// not parse and compile it again. Node does the same from version 22 on, but only there.
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

interface Part {
  exports: object;
}

type Body = (exports: object, require: typeof load, module: Part, filename: string, dirname: string) => void;

const folder = import.meta.dirname;
const fromPackages = createRequire(import.meta.url);
const loaded = new Map<string, Part>();
/** Those that were compiled here. */
const fresh: { readonly keptIn: string; readonly script: Script }[] = [];
/** After a start, which never ends. */
const settledMs = 5_000;
const minuteMs = 60_000;

/** For a part, `require`: of another part, and of a package that is not compiled in. */
export const load = (name: string): unknown => {
  if (!name.startsWith('./')) return fromPackages(name);
  const part = loaded.get(name) ?? { exports: {} };
  if (loaded.has(name)) return part.exports;
  loaded.set(name, part);
  try {
    const file = join(folder, name);
    bodyOf(file)(part.exports, load, part, file, folder);
    return part.exports;
  } catch (error) {
    loaded.delete(name);
    throw error;
  }
};

/** A part is a function, in ASCII alone. Its name changes with its text, of which V8 compares the length only. */
const bodyOf = (file: string): Body => {
  const keptIn = `${file}.${process.version}-${process.arch}`;
  const cachedData = present(keptIn);
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) });
  if (cachedData === undefined || script.cachedDataRejected) keepLater(keptIn, script);
  return script.runInThisContext() as Body;
};

const present = (file: string) => {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
};

/** With the functions that were needed by then. */
const keepLater = (keptIn: string, script: Script) => {
  if (fresh.push({ keptIn, script }) > 1) return;
  process.once('exit', keep);
  setTimeout(keep, settledMs).unref();
};

/** Moved into place whole, as V8 trusts what it finds. In a folder that cannot be written to nothing is kept. */
const keep = () => {
  try {
    for (const { keptIn, script } of fresh.splice(0)) {
      const file = openSync(`${keptIn}.${process.pid}`, 'w');
      writeFileSync(file, script.createCachedData());
      fsyncSync(file);
      closeSync(file);
      renameSync(`${keptIn}.${process.pid}`, keptIn);
    }
    removeLeft();
  } catch {}
};

/** By processes that were killed while they wrote: then nothing was kept, so somebody comes here again. */
const removeLeft = () => {
  for (const name of readdirSync(folder).filter((name) => /\.\d+$/.test(name))) {
    const file = join(folder, name);
    if (statSync(file).mtimeMs < Date.now() - minuteMs) rmSync(file, { force: true });
  }
};
