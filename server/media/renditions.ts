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
import type { MadeRow, MediaStore, PostRenditionRow, RenditionRow, RenditionStore } from './store.ts';

/** Somebody waits for the answer; what is not made by then is made all the same. */
const patienceMs = 20_000;
const atOnce = 2;

/** A picture that has to become something else. */
export interface Wish {
  readonly mediaId: string;
  readonly mode: FitMode;
  /** A `FitTarget` as `targetText` writes it. */
  readonly target: string;
}

export type Rendition = RenditionRow;
export type MadeRendition = MadeRow;
export type PostRendition = PostRenditionRow;
export type { FitRefusal };

export const wishKey = ({ mediaId, mode, target }: Wish) => `${mediaId} ${mode} ${target}`;

/** Always the same for the same target. */
export const targetText = ({ mimeTypes, maxBytes, maxPixels, minRatio, maxRatio, minWidth, minHeight }: FitTarget) =>
  JSON.stringify({ mimeTypes, maxBytes, maxPixels, minRatio, maxRatio, minWidth, minHeight });

export type Renditions = ReturnType<typeof createRenditions>;

/**
 * Pictures of the library as networks take them: made once, kept beside the library, never changed. A rendition that no
 * post is to be published with goes after a day.
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
  const underWay = new Map<string, Promise<void>>();
  const lane = createLane(atOnce);

  const render = async (workspaceId: string, { mediaId, mode, target }: Wish) => {
    const [source] = await mediaStore.find(workspaceId, [mediaId]);
    if (source === undefined) throw notFound('media item', mediaId);
    return withPixels(source.width * source.height, async () => {
      const found = await files.read(mediaId);
      if (found === undefined) throw notFound('file of the media item', mediaId);
      return fitImage(await buffer(found.stream), mode, JSON.parse(target) as FitTarget);
    });
  };

  /** Both files first: a file without a row is swept, a row without a file would break a post. */
  const keepFiles = async (id: string, bytes: Buffer, thumbnail: Buffer, mimeType: string) => {
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
    const made = await render(workspaceId, wish);
    const { mediaId, mode, target } = wish;
    const key = { mediaId, mode, target, recipe };
    if ('refused' in made) {
      await store.insert(workspaceId, { id: idOf(wish, made.refused), ...key, refused: made.refused });
      return;
    }
    const { bytes, thumbnail, mimeType, width, height } = made;
    const sha256 = hashOf(bytes);
    const id = idOf(wish, sha256);
    await keepFiles(id, bytes, thumbnail, mimeType);
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

  /** One at a time for each wish of this process; two processes make the same bytes. */
  const makeOnce = (workspaceId: string, wish: Wish) => {
    const key = wishKey(wish);
    const making = underWay.get(key) ?? lane(() => make(workspaceId, wish)).finally(() => underWay.delete(key));
    underWay.set(key, making);
    return making;
  };

  /** Whether the bytes that were shown are there; a missing file is made again, if that gives the same bytes. */
  const isWhole = async (workspaceId: string, row: MadeRow): Promise<boolean> => {
    const found = await files.read(row.id);
    if (found !== undefined) {
      const hash = createHash('sha256');
      for await (const chunk of found.stream) hash.update(chunk as Buffer);
      if (hash.digest('hex') === row.sha256) return true;
    }
    if (row.recipe !== recipe) return false;
    const made = await render(workspaceId, row);
    if ('refused' in made || hashOf(made.bytes) !== row.sha256) return false;
    await keepFiles(row.id, made.bytes, made.thumbnail, made.mimeType);
    return true;
  };

  return {
    /** Those that are made or refused, by `wishKey`. */
    find: async (workspaceId: string, wishes: readonly Wish[]): Promise<ReadonlyMap<string, RenditionRow>> => {
      const asked = unique(wishes);
      const rows = asked.length === 0 ? [] : await store.find(workspaceId, asked, recipe);
      return new Map(rows.map((row) => [wishKey(row), row]));
    },

    /**
     * Not part of a transaction around it, which would take what is made with it when it is undone. Whether it was done in
     * time; the caller looks for what there is.
     */
    make: async (workspaceId: string, wishes: readonly Wish[]): Promise<boolean> => {
      const asked = unique(wishes).slice(0, bounds.renditions);
      const making = store
        .outside(() => Promise.all(asked.map((wish) => makeOnce(workspaceId, wish).catch(report))))
        .then(() => true);
      const late = new AbortController();
      const inTime = sleep(patienceMs, false, { signal: late.signal, ref: false });
      return Promise.race([making, inTime]).finally(() => late.abort());
    },

    /** What posts are to go out with. */
    ofPosts: store.ofPosts,

    /** In the place of what was kept for the post before. */
    keepForPost: store.keepForPost,

    /** With access to their bytes, by the item they were made of; `lost` names items whose bytes cannot be had any more. */
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
          const found = await files.read(row.id, range);
          if (found === undefined) throw notFound('file of the media item', row.id);
          return found.stream;
        };
        const media = fittedMedia(row, originals.get(row.mediaId));
        fitted.set(row.mediaId, { ...media, url: `${baseUrl}/media/${row.id}`, read });
      }
      return { fitted, lost };
    },

    /** For pages. */
    item: (row: MadeRow, { alt }: Pick<NetworkMedia, 'alt'>): MediaItem => ({
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

/** As it goes out: the alternative text is that of the picture it was made of. */
export const fittedMedia = (row: MadeRow, original: Pick<NetworkMedia, 'alt'> | undefined): NetworkMedia => ({
  id: row.id,
  kind: 'Image',
  mimeType: row.mimeType,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  ...(original?.alt !== undefined && { alt: original.alt }),
  fitted: { of: row.mediaId, sha256: row.sha256 },
});

/** Runs so many at once; the others wait in the order of their arrival. */
const createLane = (places: number) => {
  let free = places;
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

/** Cannot be guessed, like the id of a media item. */
const idOf = (wish: Wish, outcome: string) => `fit_${hashOf(`${wishKey(wish)} ${recipe} ${outcome}`).slice(0, 32)}`;

const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
