import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { mustBeUsable, unlessMissing } from '#server/base/health/folder';

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Where the bytes are kept. A key is the id of a media item, with an ending for its thumbnail. */
export interface MediaFiles {
  /** Names the storage in messages to the operator. */
  readonly place: string;
  /** Checks that files can be stored here; the error is written for the operator. */
  check(options?: { readonly changesNothing?: boolean }): Promise<void>;
  /** Moves the file at this path into the storage. When the call returns, the bytes are stored safely under the key. */
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
      await mustBeUsable(folder, 'media is');
      if (!changesNothing) await mkdir(folder, { recursive: true, mode: 0o700 });
    },

    put: async (key, path) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(path, pathOf(key));
      // fsync of a file does not cover its directory entry: without this a crash could lose the file's name.
      const directory = await open(folder);
      await directory.sync().finally(() => directory.close());
    },

    read: async (key, range) => {
      const stats = await unlessMissing(stat(pathOf(key)));
      if (stats === undefined) return undefined;
      const { first, last } = range ?? { first: 0, last: stats.size - 1 };
      return { bytes: last - first + 1, stream: createReadStream(pathOf(key), { start: first, end: last }) };
    },

    remove: (key) => rm(pathOf(key), { force: true }),

    list: () => filesIn(folder),
  };
};

/** Every file of a folder; none when the folder does not exist. */
export const filesIn = async function* (folder: string) {
  for (const key of (await unlessMissing(readdir(folder))) ?? []) {
    const stats = await unlessMissing(stat(join(folder, key)));
    if (stats?.isFile()) yield { key, changedAt: stats.mtime };
  }
};
