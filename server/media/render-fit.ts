import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { notFound } from '#server/base/errors';
import { withPixels } from '#server/base/pictures';
import { decodeHeic } from './decode-heic.ts';
import type { DiskReserve } from './disk-reserve.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { MediaFiles } from './files.ts';
import { type FitTarget, fitImage } from './fit-image.ts';
import { type FitRequest, isVideoFit } from './fit-request.ts';
import { type FitRefusal, fitVideo, type VideoTarget, videoType } from './fit-video.ts';
import { placeholder, thumbnailOf } from './image.ts';
import { createLimiter } from './limiter.ts';
import type { MediaRow, MediaStore } from './media-store.ts';

/** A rendered file that is not stored yet. */
export interface Rendered {
  readonly path: string;
  readonly thumbnail: Buffer;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number | null;
  readonly videoCodec: string | null;
  readonly audioCodec: string | null;
  readonly frameRate: number | null;
}

export interface Watch {
  readonly onPercent: (percent: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Renders a fitted file into a temporary one. */
export const createFitRenderer = ({
  mediaStore,
  files,
  ffmpeg,
  folder,
  reserve,
}: {
  mediaStore: MediaStore;
  files: MediaFiles;
  ffmpeg: Ffmpeg;
  /** For temporary files. */
  folder: string;
  reserve: DiskReserve;
}) => {
  const limitVideos = createLimiter(1);

  const readFile = async (id: string) => {
    const file = await files.read(id);
    if (file === undefined) throw notFound('file of the media item', id);
    return file.stream;
  };

  const decoded = async ({ id, width, height }: MediaRow, path: string) => {
    const sourcePath = `${path}.source`;
    try {
      await pipeline(await readFile(id), createWriteStream(sourcePath));
      return await decodeHeic(sourcePath, width * height);
    } finally {
      await rm(sourcePath, { force: true });
    }
  };

  const renderPicture = async (
    source: MediaRow,
    { mode, target }: FitRequest,
    path: string,
  ): Promise<Rendered | { refused: FitRefusal }> => {
    const fitted = await withPixels(source.width * source.height, async () => {
      const file =
        source.mimeType === 'image/heic' ? await decoded(source, path) : await buffer(await readFile(source.id));
      return fitImage(file, mode, JSON.parse(target) as FitTarget);
    });
    if ('refused' in fitted) return fitted;
    const { bytes, thumbnail, mimeType, width, height } = fitted;
    await writeFile(path, bytes, { flush: true });
    const unmoving = { durationMs: null, videoCodec: null, audioCodec: null, frameRate: null };
    return { path, thumbnail, mimeType, width, height, ...unmoving };
  };

  const renderVideo = (
    source: MediaRow,
    { mode, target }: FitRequest,
    path: string,
    watch: Watch,
  ): Promise<Rendered | { refused: FitRefusal }> =>
    limitVideos(async () => {
      const sourcePath = `${path}.source`;
      // The source and the result; a result is rarely larger.
      await reserve.mustFit(2 * source.bytes);
      try {
        await pipeline(await readFile(source.id), createWriteStream(sourcePath));
        const { mimeType, width, height, durationMs } = source;
        const from = { path: sourcePath, mimeType, width, height, durationMs };
        const fitted = await fitVideo(ffmpeg, from, mode, JSON.parse(target) as VideoTarget, path, watch);
        if ('refused' in fitted) return fitted;
        const frame = await ffmpeg.frame(path, videoType);
        return {
          path,
          thumbnail: frame ? await thumbnailOf(frame) : await placeholder(fitted),
          mimeType: videoType,
          width: fitted.width,
          height: fitted.height,
          durationMs: fitted.durationMs ?? null,
          videoCodec: fitted.videoCodec ?? null,
          audioCodec: fitted.audioCodec ?? null,
          frameRate: fitted.frameRate ?? null,
        };
      } finally {
        await rm(sourcePath, { force: true });
      }
    });

  /** Renders the file, passes it to `use`, and removes it unless `use` moved it. */
  return async <T>(
    workspaceId: string,
    request: FitRequest,
    use: (rendered: Rendered | { refused: FitRefusal }) => Promise<T>,
    watch: Watch = { onPercent: () => undefined },
  ): Promise<T> => {
    const [source] = await mediaStore.find(workspaceId, [request.mediaId]);
    if (source === undefined) throw notFound('media item', request.mediaId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomUUID());
    try {
      return await use(
        isVideoFit(request)
          ? await renderVideo(source, request, path, watch)
          : await renderPicture(source, request, path),
      );
    } finally {
      await rm(path, { force: true });
    }
  };
};
