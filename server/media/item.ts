import type { MediaItem } from '#contracts/media';
import type { NetworkMedia } from '#server/networks/network';
import type { MediaRow } from './store.ts';

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
