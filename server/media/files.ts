import { createReadStream } from 'node:fs';
import { access, constants, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Where the bytes are kept. A key is the id of a media item, with an ending for its thumbnail. */
export interface MediaFiles {
  /** For the operator. */
  readonly place: string;
  /** Checks that files can be stored here; the error is written for the operator. */
  check(options?: { readonly changesNothing?: boolean }): Promise<void>;
  /** Takes the file at this path. When it returns, the bytes are safe under the key. */
  put(key: string, path: string, mimeType: string): Promise<void>;
  /** Undefined when there is no such file. */
  read(key: string, range?: ByteRange): Promise<{ readonly bytes: number; readonly stream: Readable } | undefined>;
  remove(key: string): Promise<void>;
  list(): AsyncIterable<{ readonly key: string; readonly changedAt: Date }>;
}

/** A folder of this machine. */
export const createLocalFiles = (folder: string): MediaFiles => {
  const pathOf = (key: string) => join(folder, key);
  return {
    place: `the folder ${folder}`,

    check: async ({ changesNothing = false } = {}) => {
      if (!changesNothing) await mkdir(folder, { recursive: true });
      await access(await nearestFolder(folder), constants.W_OK);
    },

    put: async (key, path) => {
      await mkdir(folder, { recursive: true });
      await rename(path, pathOf(key));
      // The name is in the folder, which has to be synced separately.
      const directory = await open(folder);
      await directory.sync().finally(() => directory.close());
    },

    read: async (key, range) => {
      const found = await unlessMissing(stat(pathOf(key)));
      if (found === undefined) return undefined;
      const { first, last } = range ?? { first: 0, last: found.size - 1 };
      return { bytes: last - first + 1, stream: createReadStream(pathOf(key), { start: first, end: last }) };
    },

    remove: (key) => rm(pathOf(key), { force: true }),

    list: () => filesIn(folder),
  };
};

/** The folder itself, or the one above in which it would be made. */
const nearestFolder = async (folder: string): Promise<string> => {
  const found = await unlessMissing(stat(folder));
  if (found === undefined) return nearestFolder(dirname(folder));
  if (!found.isDirectory())
    throw new Error(`${folder} is a file. Move it away: media is kept in a folder of that name.`);
  return folder;
};

/** Every file of a folder, which need not exist. */
export const filesIn = async function* (folder: string) {
  for (const key of (await unlessMissing(readdir(folder))) ?? []) {
    const found = await unlessMissing(stat(join(folder, key)));
    if (found?.isFile()) yield { key, changedAt: found.mtime };
  }
};

const unlessMissing = <T>(work: Promise<T>): Promise<T | undefined> =>
  work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
