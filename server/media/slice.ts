import type { Clock } from '#server/clock';
import { type Config, incomingFolder } from '#server/config/config';
import type { Live } from '#server/live/open-tabs';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Database } from '#server/store/database';
import { createFfmpeg } from './ffmpeg.ts';
import { createFitJobStore } from './fit-job-store.ts';
import { createFitJobs } from './fit-jobs.ts';
import { createIncoming } from './incoming.ts';
import { createMediaLibrary, type UsesOf } from './library.ts';
import { openMediaFiles } from './open-files.ts';
import { createRemoval, type IsUsed } from './removal.ts';
import { createRenditions } from './renditions.ts';
import { mediaRoutes } from './routes.ts';
import { createMediaStore, createRenditionStore } from './store.ts';
import type { UploadOnce } from './upload-once.ts';
import { createUploads } from './uploads.ts';

export const openMedia = ({
  database,
  outbound,
  live,
  config,
  clock,
  report,
}: {
  database: Database;
  outbound: Outbound;
  live: Live;
  config: Config;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const { baseUrl, media: limits } = config;
  const store = createMediaStore(database);
  const files = openMediaFiles(config);
  const incoming = createIncoming({ folder: incomingFolder(config), limits });
  const renditionStore = createRenditionStore(database);
  const library = createMediaLibrary({ store, renditionStore, files, baseUrl });
  const folder = incomingFolder(config);
  const jobStore = createFitJobStore(database);
  const ffmpeg = createFfmpeg({ folder: limits.ffmpegFolder });
  const renditions = createRenditions({
    store: renditionStore,
    jobStore,
    mediaStore: store,
    files,
    ffmpeg,
    folder,
    baseUrl,
    report,
  });
  const uploads = createUploads({ store, files, incoming, outbound, live, baseUrl, clock });
  return {
    library,
    renditions,
    uploads,
    mediaFiles: files,
    loops: { fits: createFitJobs({ store: jobStore, renditions, ffmpeg, report }) },
    /** Opened after posts, which need the library and say which files they use. */
    openMediaRoutes: ({ isUsed, usesOf, uploadOnce }: { isUsed: IsUsed; usesOf: UsesOf; uploadOnce: UploadOnce }) => ({
      routes: mediaRoutes({ library, uploadOnce, usesOf, remove: createRemoval({ store, files, isUsed }) }),
    }),
  };
};
