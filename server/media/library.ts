import { buffer } from 'node:stream/consumers';
import type { LibraryItem, MediaItem } from '#contracts/media';
import type { Rights } from '#server/access/auth/rights';
import { type NeedsApproval, needsApproval } from '#server/base/approval';
import { bounds } from '#server/base/bounds';
import type { Caller } from '#server/base/context';
import { badInput, notFound, pageOf } from '#server/base/errors';
import { fromCursor, toPage } from '#server/base/store/page';
import type { NetworkMedia, PublishMedia } from '#server/networks/network';
import type { ByteRange, MediaFiles } from './files.ts';
import type { FittedFileStore } from './fitted-file-store.ts';
import { thumbnailKey, toMediaItem, toNamedItem, toNetworkMedia } from './item.ts';
import type { MediaSearch, MediaStore } from './media-store.ts';

const searchPage = 60;

export type MediaLibrary = ReturnType<typeof createMediaLibrary>;

/** How many posts use each item. Posts import the library, so the library receives this as an argument. */
export type UsesOf = (workspaceId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;

/** Whether a scheduled post uses it. */
export type IsScheduled = (workspaceId: string, id: string) => Promise<boolean>;

export const createMediaLibrary = ({
  store,
  fittedFileStore,
  rights,
  files,
  baseUrl,
}: {
  store: MediaStore;
  fittedFileStore: FittedFileStore;
  rights: Rights;
  files: MediaFiles;
  baseUrl: string;
}) => ({
  list: async (
    { workspaceId }: Caller,
    { ids, limit, cursor }: { ids: readonly string[]; limit: number; cursor?: string | undefined },
  ) => {
    const search = { withoutAlt: false, query: '', ids };
    const rows = await store.search(workspaceId, search, limit + 1, fromCursor(cursor));
    const { page, ...more } = toPage(rows, limit);
    return { media: page.map((row) => toNamedItem(row, baseUrl)), ...more };
  },

  /** Page by page, with the number of posts that use each item. */
  search: async ({ workspaceId }: Caller, search: MediaSearch, cursor: string | undefined, usesOf: UsesOf) => {
    const rows = await store.search(workspaceId, search, searchPage + 1, fromCursor(cursor));
    const { page, ...more } = toPage(rows, searchPage);
    const uses = await usesOf(
      workspaceId,
      page.map(({ id }) => id),
    );
    const media = page.map(
      (row): LibraryItem => ({
        ...toNamedItem(row, baseUrl),
        usedIn: uses.get(row.id) ?? 0,
      }),
    );
    return { media, ...more };
  },

  /** Those of the ids that exist. */
  find: async (
    { workspaceId }: Pick<Caller, 'workspaceId'>,
    ids: readonly string[],
  ): Promise<Map<string, NetworkMedia>> => {
    const rows = ids.length === 0 ? [] : await store.find(workspaceId, [...new Set(ids)]);
    return new Map(rows.map((row) => [row.id, toNetworkMedia(row)]));
  },

  /** Those of the ids that exist, for pages. */
  items: async ({ workspaceId }: Caller, ids: readonly string[]): Promise<MediaItem[]> => {
    const rows = ids.length === 0 ? [] : await store.find(workspaceId, ids);
    return rows.map((row) => toMediaItem(row, baseUrl));
  },

  /** By id; leaves out ids that do not exist. */
  thumbnails: async ({ workspaceId }: Caller, ids: readonly string[]) => {
    const rows = ids.length === 0 ? [] : await store.find(workspaceId, ids);
    return new Map(rows.map((row) => [row.id, { url: toMediaItem(row, baseUrl).thumbnailUrl, kind: row.kind }]));
  },

  /** The items that exist, in the order of the ids, locked until the transaction ends. */
  hold: async (
    { workspaceId }: Caller,
    ids: readonly string[],
    lock: 'SHARE' | 'UPDATE' = 'SHARE',
  ): Promise<MediaItem[]> => {
    const rows = ids.length === 0 ? [] : await store.lock(workspaceId, ids, lock);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []).map((row) => toMediaItem(row, baseUrl));
  },

  /** Those of the ids that exist, with access to their bytes. */
  forPublishing: async (workspaceId: string, ids: readonly string[]): Promise<Map<string, PublishMedia>> => {
    const rows = ids.length === 0 ? [] : await store.find(workspaceId, ids);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          ...toNetworkMedia(row),
          url: `${baseUrl}/media/${row.id}`,
          read: async (range?: ByteRange) => {
            const file = await files.read(row.id, range);
            if (file === undefined) throw notFound('file of the media item', row.id);
            return file.stream;
          },
        },
      ]),
    );
  },

  /** BadInput with the path of the first id that does not exist. Inside a transaction the others stay locked until it ends. */
  mustExist: async ({ workspaceId }: Caller, used: readonly { path: string; id: string }[]) => {
    if (used.length === 0) return;
    const ids = [...new Set(used.map(({ id }) => id))];
    const rows = await (store.isInTransaction() ? store.lock(workspaceId, ids, 'SHARE') : store.find(workspaceId, ids));
    const existing = new Set(rows.map(({ id }) => id));
    const missing = used.find(({ id }) => !existing.has(id));
    if (missing) {
      throw badInput({
        path: missing.path,
        code: 'UnknownMedia',
        message: `names ${missing.id.slice(0, bounds.idCharacters)}, which is not in the media library; media.list shows it`,
      });
    }
  },

  /** A scheduled post was approved with the texts of its files, so only who may publish changes them. */
  setAlt: (caller: Caller, id: string, alt: string, isScheduled: IsScheduled) =>
    store.transaction(async (): Promise<MediaItem | NeedsApproval> => {
      const { workspaceId } = caller;
      // Posts lock the files that they begin to use, so none begins before this ends.
      await store.lock(workspaceId, [id], 'UPDATE');
      if (await isScheduled(workspaceId, id)) {
        const page = pageOf(baseUrl, 'media', id);
        const missing = needsApproval(caller, 'Changing the text of a file in a scheduled post', page);
        if (missing) return missing;
        await rights.mustPublish(caller);
      }
      const row = await store.setAlt(workspaceId, id, alt || null);
      if (row === undefined) throw notFound('media item', id);
      return toMediaItem(row, baseUrl);
    }),

  /**
   * Adds texts to items that have none. Skips items that a person approved, or is asked to approve: they must go out as
   * they were shown.
   */
  giveAlts: async ({ workspaceId }: Caller, alts: ReadonlyMap<string, string>) => {
    if (alts.size === 0) return;
    await store.transaction(async () => {
      // Cards and posts lock the files that they begin to use, so none begins before this ends.
      const rows = await store.lock(workspaceId, [...alts.keys()], 'UPDATE');
      const candidates = rows.filter(({ alt }) => alt === null).map(({ id }) => id);
      const approved = await store.withApprovedAlt(workspaceId, candidates);
      for (const id of candidates) {
        const alt = alts.get(id);
        if (alt && !approved.has(id)) await store.setAlt(workspaceId, id, alt);
      }
    });
  },

  /**
   * Thumbnails of the first `bounds.shownPictures` items, for a model. Leaves out a file that was deleted meanwhile.
   */
  readPictures: async (media: readonly Pick<MediaItem, 'id'>[]): Promise<Buffer[]> => {
    const pictures: Buffer[] = [];
    for (const { id } of media.slice(0, bounds.shownPictures)) {
      const file = await files.read(thumbnailKey(id));
      if (file) pictures.push(await buffer(file.stream));
    }
    return pictures;
  },

  /** For anybody who knows the id: networks fetch media from here. */
  open: async (id: string, size: 'original' | 'thumbnail') => {
    const row = id.startsWith('fit_') ? await fittedFileStore.get(id) : await store.get(id);
    if (row == null) throw notFound('media item', id);
    const isThumbnail = size === 'thumbnail';
    return {
      mimeType: isThumbnail ? 'image/webp' : row.mimeType,
      /** Unknown for a thumbnail until it is read. */
      bytes: isThumbnail ? undefined : row.bytes,
      read: async (range?: ByteRange) => {
        const file = await files.read(isThumbnail ? thumbnailKey(id) : id, range);
        if (file === undefined) throw notFound('file of the media item', id);
        return file;
      },
    };
  },
});
