import type { MediaItem } from '#contracts/media';
import type { Caller } from '#server/context';
import { badInput } from '#server/errors';
import type { NetworkMedia } from '#server/networks/network';
import { fromCursor, toPage } from '#server/store/page';
import type { MediaRow, MediaStore } from './store.ts';

export type MediaLibrary = ReturnType<typeof createMediaLibrary>;

/** The images and videos of a workspace. */
export const createMediaLibrary = ({ store, baseUrl }: { store: MediaStore; baseUrl: string }) => ({
  list: async ({ workspaceId }: Caller, { limit, cursor }: { limit: number; cursor?: string | undefined }) => {
    const { page, ...more } = toPage(await store.list(workspaceId, limit + 1, fromCursor(cursor)), limit);
    return { media: page.map((row) => toMediaItem(row, baseUrl)), ...more };
  },

  /** Those of the ids that exist. */
  find: async ({ workspaceId }: Caller, ids: readonly string[]): Promise<Map<string, NetworkMedia>> => {
    const rows = ids.length === 0 ? [] : await store.find(workspaceId, ids);
    return new Map(rows.map((row) => [row.id, toNetworkMedia(row)]));
  },

  /** BadInput naming the path of the first id that does not exist. */
  mustExist: async ({ workspaceId }: Caller, used: readonly { path: string; id: string }[]) => {
    if (used.length === 0) return;
    const rows = await store.find(
      workspaceId,
      used.map(({ id }) => id),
    );
    const missing = used.find(({ id }) => !rows.some((row) => row.id === id));
    if (missing) {
      throw badInput({
        path: missing.path,
        code: 'UnknownMedia',
        message: `${missing.id} is not in the media library; media.list shows it`,
      });
    }
  },
});

const toNetworkMedia = (row: MediaRow): NetworkMedia => ({
  id: row.id,
  kind: row.kind,
  mimeType: row.mimeType,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  ...(row.durationMs !== null && { durationMs: row.durationMs }),
  ...(row.alt !== null && { alt: row.alt }),
});

const toMediaItem = (row: MediaRow, baseUrl: string): MediaItem => ({
  ...toNetworkMedia(row),
  url: `${baseUrl}/media/${row.id}`,
  thumbnailUrl: `${baseUrl}/media/${row.id}?size=thumbnail`,
  createdAt: row.createdAt,
});
