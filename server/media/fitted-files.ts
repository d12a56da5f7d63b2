import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaItem } from '#contracts/media';
import { bounds } from '#server/base/bounds';
import { notFound } from '#server/base/errors';
import { refuseInTransaction } from '#server/base/running-transaction';
import { sha256 } from '#server/base/sha256';
import type { FitJobStore } from '#server/media/fits/store';
import type { NetworkMedia, PublishMedia } from '#server/networks/network';
import type { DiskReserve } from './disk-reserve.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { ByteRange, MediaFiles } from './files.ts';
import { recipe } from './fit-image.ts';
import { type FitRequest, isVideoFit, requestKey } from './fit-request.ts';
import type { FitRefusal } from './fit-video.ts';
import type { FinishedRow, FittedFileRow, FittedFileStore, PostFileRow } from './fitted-file-store.ts';
import { thumbnailKey } from './item.ts';
import { createLimiter } from './limiter.ts';
import type { MediaStore } from './media-store.ts';
import { createFitRenderer, type Rendered, type Watch } from './render-fit.ts';

/** How long a request waits for fitted files. Those that take longer are finished in the background. */
const waitMs = 20_000;
const concurrency = 2;

export type FittedFile = FittedFileRow;
export type FinishedFile = FinishedRow;
export type PostFile = PostFileRow;
export type { FitRefusal };

export type FittedFiles = ReturnType<typeof createFittedFiles>;

/**
 * Fitted files: copies of pictures and videos of the library, converted to what networks accept. A fitted file is rendered
 * once, stored beside the library and never changed. One that no post uses is removed after a day.
 */
export const createFittedFiles = ({
  store,
  jobStore,
  mediaStore,
  files,
  ffmpeg,
  folder,
  reserve,
  baseUrl,
  report,
}: {
  store: FittedFileStore;
  jobStore: FitJobStore;
  mediaStore: MediaStore;
  ffmpeg: Ffmpeg;
  files: MediaFiles;
  /** For temporary files. */
  folder: string;
  reserve: DiskReserve;
  baseUrl: string;
  report: (error: unknown) => void;
}) => {
  const inProgress = new Map<string, Promise<void>>();
  const limit = createLimiter(concurrency);
  const render = createFitRenderer({ mediaStore, files, ffmpeg, folder, reserve });

  /** Call it before inserting a new row: a file without a row is swept, but a row without a file would break a post. */
  const keepFiles = async (id: string, { path, thumbnail, mimeType }: Rendered) => {
    const thumbnailPath = `${path}.thumbnail`;
    try {
      await writeFile(thumbnailPath, thumbnail, { flush: true });
      await files.put(thumbnailKey(id), thumbnailPath, 'image/webp');
      await files.put(id, path, mimeType);
    } finally {
      await rm(thumbnailPath, { force: true });
    }
  };

  const refuse = (workspaceId: string, request: FitRequest, refused: FitRefusal) => {
    const { mediaId, mode, target } = request;
    return store.insert(workspaceId, { id: idOf(request, refused), mediaId, mode, target, recipe, refused });
  };

  const make = (workspaceId: string, request: FitRequest, watch?: Watch) =>
    render(
      workspaceId,
      request,
      async (rendered) => {
        if ('refused' in rendered) {
          await refuse(workspaceId, request, rendered.refused);
          return;
        }
        const { mediaId, mode, target } = request;
        const { path, thumbnail: _, ...facts } = rendered;
        const { size: bytes } = await stat(path);
        const sha256 = await hashOfFile(path);
        const id = idOf(request, sha256);
        await keepFiles(id, rendered);
        await store.insert(workspaceId, { id, mediaId, mode, target, recipe, refused: null, ...facts, bytes, sha256 });
      },
      watch,
    );

  /**
   * Concurrent calls for the same request share one rendering. Two processes may both render it, but get the same
   * bytes.
   */
  const makeOnce = (workspaceId: string, request: FitRequest) => {
    const key = requestKey(request);
    const making = inProgress.get(key) ?? limit(() => make(workspaceId, request)).finally(() => inProgress.delete(key));
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
    return render(workspaceId, row, async (rendered) => {
      if ('refused' in rendered || (await hashOfFile(rendered.path)) !== row.sha256) return false;
      await keepFiles(row.id, rendered);
      return true;
    });
  };

  return {
    /** Finished or refused fitted files, by `requestKey`. */
    find: async (workspaceId: string, requests: readonly FitRequest[]): Promise<ReadonlyMap<string, FittedFileRow>> => {
      const distinct = unique(requests);
      const rows = distinct.length === 0 ? [] : await store.find(workspaceId, distinct, recipe);
      return new Map(rows.map((row) => [requestKey(row), row]));
    },

    /**
     * Renders pictures now and queues videos. Returns whether all pictures were finished in time; the caller then reads
     * what exists.
     */
    make: async (workspaceId: string, requests: readonly FitRequest[]): Promise<boolean> => {
      refuseInTransaction('Fitting pictures');
      const distinct = unique(requests).slice(0, bounds.fittedFiles);
      const videos = distinct.filter(isVideoFit);
      if (videos.length > 0) await jobStore.add(workspaceId, videos);
      const pictures = distinct.filter((request) => !isVideoFit(request));
      if (pictures.length === 0) return true;
      const making = Promise.all(pictures.map((request) => makeOnce(workspaceId, request).catch(report))).then(
        () => true,
      );
      const timer = new AbortController();
      const timeout = sleep(waitMs, false, { signal: timer.signal, ref: false });
      return Promise.race([making, timeout]).finally(() => timer.abort());
    },

    /** Queues only the videos, without waiting for them. */
    begin: async (workspaceId: string, requests: readonly FitRequest[]) => {
      const videos = unique(requests).filter(isVideoFit).slice(0, bounds.fittedFiles);
      if (videos.length > 0) await jobStore.add(workspaceId, videos);
    },

    /** Skips a finished fitted file: a caller that looked just before it was finished requests it again. */
    makeVideo: async (workspaceId: string, request: FitRequest, watch: Watch) => {
      if ((await store.find(workspaceId, [request], recipe)).length === 0) await make(workspaceId, request, watch);
    },

    refuse,

    /** Progress of queued and running conversions, by `requestKey`; null until a conversion reports progress. */
    percents: async (
      workspaceId: string,
      requests: readonly FitRequest[],
    ): Promise<ReadonlyMap<string, number | null>> => {
      const videos = unique(requests).filter(isVideoFit);
      const rows = videos.length === 0 ? [] : await jobStore.pending(workspaceId, videos);
      return new Map(rows.map((row) => [requestKey(row), row.percent]));
    },

    /** Whether another video of the workspace can wait for its conversion. */
    hasRoom: jobStore.hasRoom,

    /** Whether this machine has an ffmpeg that can convert videos. */
    canFitVideos: async () => (await ffmpeg.version()) !== undefined,

    /** The fitted files that these posts are published with. */
    ofPosts: store.ofPosts,

    /** Replaces the fitted files stored for the post. */
    keepForPost: store.keepForPost,

    /** Fitted files with their bytes, by the id of the original; `lost` has originals whose fitted file cannot be restored. */
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

    /** The fitted file as a media item, for pages. */
    item: (row: FinishedRow, { alt }: Pick<NetworkMedia, 'alt'>): MediaItem => ({
      id: row.id,
      ...factsOf(row),
      ...(alt !== undefined && { alt }),
      url: `${baseUrl}/media/${row.id}`,
      thumbnailUrl: `${baseUrl}/media/${row.id}?size=thumbnail`,
      createdAt: row.createdAt,
    }),
  };
};

const factsOf = (row: FinishedRow) => ({
  kind: row.mimeType.startsWith('video/') ? ('Video' as const) : ('Image' as const),
  mimeType: row.mimeType,
  bytes: row.bytes,
  width: row.width,
  height: row.height,
  ...(row.durationMs !== null && { durationMs: row.durationMs }),
  ...(row.videoCodec !== null && { videoCodec: row.videoCodec }),
  ...(row.audioCodec !== null && { audioCodec: row.audioCodec }),
  ...(row.frameRate !== null && { frameRate: row.frameRate }),
});

/** The fitted file as it is sent to a network, with the alternative text of the original. */
export const fittedMedia = (row: FinishedRow, original: Pick<NetworkMedia, 'alt'> | undefined): NetworkMedia => ({
  id: row.id,
  ...factsOf(row),
  ...(original?.alt !== undefined && { alt: original.alt }),
  fitted: { of: row.mediaId, sha256: row.sha256 },
});

const unique = (requests: readonly FitRequest[]) => [
  ...new Map(requests.map((request) => [requestKey(request), request])).values(),
];

/** Part of a public address, so it must be as hard to guess as the id of a media item. */
const idOf = (request: FitRequest, outcome: string) =>
  `fit_${hashOf(`${requestKey(request)} ${recipe} ${outcome}`).slice(0, 32)}`;

const hashOf = (text: string) => sha256(text, 'hex');

const hashOfFile = async (path: string) => {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
};
