import type { MediaItem } from '#contracts/media';
import { isMediaId } from '#server/base/ids';
import type { NetworkMedia } from '#server/networks/network';
import type { MediaRow } from './media-store.ts';

/** The media id in an address of this installation, such as the `url` of an item. */
export const ownMediaId = (url: string, baseUrl: string) => {
  const id = url.startsWith(`${baseUrl}/media/`) ? url.slice(baseUrl.length + '/media/'.length) : '';
  return isMediaId(id) ? id : undefined;
};

export const thumbnailKey = (id: string) => `${id}.thumbnail`;

export const toNetworkMedia = (row: MediaRow): NetworkMedia => ({
  id: row.id,
  kind: row.kind,
  mimeType: row.mimeType,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  ...(row.durationMs !== null && { durationMs: row.durationMs }),
  ...(row.videoCodec != null && { videoCodec: row.videoCodec }),
  ...(row.audioCodec != null && { audioCodec: row.audioCodec }),
  ...(row.frameRate != null && { frameRate: row.frameRate }),
  ...(row.alt !== null && { alt: row.alt }),
});

export const toMediaItem = (row: MediaRow, baseUrl: string): MediaItem => ({
  ...toNetworkMedia(row),
  url: `${baseUrl}/media/${row.id}`,
  thumbnailUrl: `${baseUrl}/media/${row.id}?size=thumbnail`,
  createdAt: row.createdAt,
});

export const toNamedItem = (row: MediaRow, baseUrl: string) => ({
  ...toMediaItem(row, baseUrl),
  ...(row.fileName !== null && { name: row.fileName }),
});
