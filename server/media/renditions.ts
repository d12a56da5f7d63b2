import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '#contracts/media';
import { bounds } from '#server/bounds';
import { notFound } from '#server/errors';
import type { FitMode } from '#server/networks/fit';
import type { NetworkMedia, PublishMedia } from '#server/networks/network';
import { withPixels } from './decoding.ts';
import type { ByteRange, MediaFiles } from './files.ts';
import { type FitRefusal, type FitTarget, fitImage, recipe } from './fit-image.ts';
import { thumbnailKey } from './item.ts';
import type { FinishedRow, MediaStore, PostRenditionRow, RenditionRow, RenditionStore } from './store.ts';

/** How long a request waits for renditions. Those that take longer are finished in the background. */
const waitMs = 20_000;
const concurrency = 2;

/** A picture, and what a network needs it to become. */
export interface Wish {
  readonly mediaId: string;
  readonly mode: FitMode;
  /** A `FitTarget` as `targetText` serializes it. */
  readonly target: string;
}

export type Rendition = RenditionRow;
export type FinishedRendition = FinishedRow;
export type PostRendition = PostRenditionRow;
export type { FitRefusal };

export const wishKey = ({ mediaId, mode, target }: Wish) => `${mediaId} ${mode} ${target}`;

/** Part of the key of a rendition, so the order of fields is fixed. */
export const targetText = ({ mimeTypes, maxBytes, maxPixels, minRatio, maxRatio, minWidth, minHeight }: FitTarget) =>
  JSON.stringify({ mimeTypes, maxBytes, maxPixels, minRatio, maxRatio, minWidth, minHeight });

export type Renditions = ReturnType<typeof createRenditions>;

/**
 * Pictures of the library in the form that networks accept: rendered once, stored beside the originals, never changed. A
 * rendition that no post uses is removed after a day.
 */
export const createRenditions = ({
  store,
  mediaStore,
  files,
  folder,
  baseUrl,
  report,
}: {
  store: RenditionStore;
  mediaStore: MediaStore;
  files: MediaFiles;
  /** For files on their way. */
  folder: string;
  baseUrl: string;
  report: (error: unknown) => void;
}) => {
  const inProgress = new Map<string, Promise<void>>();
  const limit = createLimiter(concurrency);

  const render = async (workspaceId: string, { mediaId, mode, target }: Wish) => {
    const [source] = await mediaStore.find(workspaceId, [mediaId]);
    if (source === undefined) throw notFound('media item', mediaId);
    return withPixels(source.width * source.height, async () => {
      const file = await files.read(mediaId);
      if (file === undefined) throw notFound('file of the media item', mediaId);
      return fitImage(await buffer(file.stream), mode, JSON.parse(target) as FitTarget);
    });
  };

  /** Before the row: a file without a row is swept later, a row without a file would break a post. */
  const storeFiles = async (id: string, bytes: Buffer, thumbnail: Buffer, mimeType: string) => {
    await mkdir(folder, { recursive: true });
    for (const [key, content, type] of [
      [thumbnailKey(id), thumbnail, 'image/webp'],
      [id, bytes, mimeType],
    ] as const) {
      const path = join(folder, randomUUID());
      try {
        await writeFile(path, content, { flush: true });
        await files.put(key, path, type);
      } finally {
        await rm(path, { force: true });
      }
    }
  };

  const make = async (workspaceId: string, wish: Wish) => {
    const fit = await render(workspaceId, wish);
    const { mediaId, mode, target } = wish;
    const key = { mediaId, mode, target, recipe };
    if ('refused' in fit) {
      await store.insert(workspaceId, { id: idOf(wish, fit.refused), ...key, refused: fit.refused });
      return;
    }
    const { bytes, thumbnail, mimeType, width, height } = fit;
    const sha256 = hashOf(bytes);
    const id = idOf(wish, sha256);
    await storeFiles(id, bytes, thumbnail, mimeType);
    await store.insert(workspaceId, {
      id,
      ...key,
      refused: null,
      mimeType,
      bytes: bytes.length,
      width,
      height,
      sha256,
    });
  };

  /** Callers of this process share one rendering. Another process may render too: the bytes are the same. */
  const makeOnce = (workspaceId: string, wish: Wish) => {
    const key = wishKey(wish);
    const making = inProgress.get(key) ?? limit(() => make(workspaceId, wish)).finally(() => inProgress.delete(key));
    inProgress.set(key, making);
    return making;
  };

  /** People approved these bytes. A missing or damaged file is rendered again, and used only if the hash still matches. */
  const isWhole = async (workspaceId: string, row: FinishedRow): Promise<boolean> => {
    const file = await files.read(row.id);
    if (file !== undefined) {
      const hash = createHash('sha256');
      for await (const chunk of file.stream) hash.update(chunk as Buffer);
      if (hash.digest('hex') === row.sha256) return true;
    }
    if (row.recipe !== recipe) return false;
    const fit = await render(workspaceId, row);
    if ('refused' in fit || hashOf(fit.bytes) !== row.sha256) return false;
    await storeFiles(row.id, fit.bytes, fit.thumbnail, fit.mimeType);
    return true;
  };

  return {
    /** Finished or refused renditions, by `wishKey`. */
    find: async (workspaceId: string, wishes: readonly Wish[]): Promise<ReadonlyMap<string, RenditionRow>> => {
      const distinct = unique(wishes);
      const rows = distinct.length === 0 ? [] : await store.find(workspaceId, distinct, recipe);
      return new Map(rows.map((row) => [wishKey(row), row]));
    },

    /**
     * Outside the caller's transaction, whose rollback would discard finished renditions. Returns whether all were done in
     * time; either way `find` gives those that are.
     */
    make: async (workspaceId: string, wishes: readonly Wish[]): Promise<boolean> => {
      const batch = unique(wishes).slice(0, bounds.renditions);
      const making = store
        .outside(() => Promise.all(batch.map((wish) => makeOnce(workspaceId, wish).catch(report))))
        .then(() => true);
      const timer = new AbortController();
      const timeout = sleep(waitMs, false, { signal: timer.signal, ref: false });
      return Promise.race([making, timeout]).finally(() => timer.abort());
    },

    /** The renditions that posts will be published with. */
    ofPosts: store.ofPosts,

    /** Replaces the renditions stored for the post. */
    keepForPost: store.keepForPost,

    /** Renditions with their bytes, by the id of the original; `lost` has originals whose rendition cannot be restored. */
    forPublishing: async (
      workspaceId: string,
      ids: readonly string[],
      originals: ReadonlyMap<string, NetworkMedia>,
    ) => {
      const fitted = new Map<string, PublishMedia>();
      const lost: string[] = [];
      for (const row of ids.length === 0 ? [] : await store.byId(workspaceId, ids)) {
        if (!(await isWhole(workspaceId, row))) {
          await store.lose(workspaceId, row.id);
          lost.push(row.mediaId);
        }
        const read = async (range?: ByteRange) => {
          const file = await files.read(row.id, range);
          if (file === undefined) throw notFound('file of the media item', row.id);
          return file.stream;
        };
        const media = fittedMedia(row, originals.get(row.mediaId));
        fitted.set(row.mediaId, { ...media, url: `${baseUrl}/media/${row.id}`, read });
      }
      return { fitted, lost };
    },

    /** For pages. */
    item: (row: FinishedRow, { alt }: Pick<NetworkMedia, 'alt'>): MediaItem => ({
      id: row.id,
      kind: 'Image',
      mimeType: row.mimeType,
      bytes: row.bytes,
      width: row.width,
      height: row.height,
      ...(alt !== undefined && { alt }),
      url: `${baseUrl}/media/${row.id}`,
      thumbnailUrl: `${baseUrl}/media/${row.id}?size=thumbnail`,
      createdAt: row.createdAt,
    }),
  };
};

/** As it is published: with the alternative text of its original. */
export const fittedMedia = (row: FinishedRow, original: Pick<NetworkMedia, 'alt'> | undefined): NetworkMedia => ({
  id: row.id,
  kind: 'Image',
  mimeType: row.mimeType,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  ...(original?.alt !== undefined && { alt: original.alt }),
  fitted: { of: row.mediaId, sha256: row.sha256 },
});

/** Bounds the concurrency; further work waits, first come, first served. */
const createLimiter = (slots: number) => {
  let free = slots;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free === 0) await new Promise<void>((begin) => waiting.push(begin));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
};

const unique = (wishes: readonly Wish[]) => [...new Map(wishes.map((wish) => [wishKey(wish), wish])).values()];

/** Part of a public address, so it must be as hard to guess as the id of a media item. */
const idOf = (wish: Wish, outcome: string) => `fit_${hashOf(`${wishKey(wish)} ${recipe} ${outcome}`).slice(0, 32)}`;

const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
