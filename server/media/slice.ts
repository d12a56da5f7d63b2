import type { Rights } from '#server/access/auth/rights';
import type { Clock } from '#server/base/clock';
import { type Config, incomingFolder } from '#server/base/config/config';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';
import type { Live } from '#server/base/live/live';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import { createFitJobStore } from '#server/media/fits/store';
import { createDiskReserve } from './disk-reserve.ts';
import { createFfmpeg } from './ffmpeg.ts';
import { createFitJobs } from './fit-jobs.ts';
import { createFittedFileStore } from './fitted-file-store.ts';
import { createFittedFiles } from './fitted-files.ts';
import { createIncoming } from './incoming.ts';
import { createMediaLibrary, type IsScheduled, type UsesOf } from './library.ts';
import { createMediaStore } from './media-store.ts';
import { openMediaFiles } from './open-files.ts';
import { createRemoval, type IsUsed } from './removal.ts';
import { createResumableStore } from './resumable-upload-store.ts';
import { createResumableUploads } from './resumable-uploads.ts';
import { mediaRoutes } from './routes.ts';
import { createUploadAddressStore } from './upload-address-store.ts';
import { createUploadAddresses, type FindRole } from './upload-addresses.ts';
import type { UploadOnce } from './upload-once.ts';
import { createUploads } from './uploads.ts';

export const openMedia = ({
  database,
  outbound,
  live,
  seal,
  findRole,
  rights,
  config,
  clock,
  wallClock,
  addressesMs,
  freeBytes,
  report,
}: {
  database: Database;
  outbound: Outbound;
  live: Live;
  seal: Seal;
  findRole: FindRole;
  rights: Rights;
  config: Config;
  clock: Clock;
  /** For the expiry of upload addresses. The sandbox does not move it. */
  wallClock: Clock;
  addressesMs: number | undefined;
  freeBytes: MeasureFreeBytes;
  report: (error: unknown) => void;
}) => {
  const { baseUrl, media: limits } = config;
  const store = createMediaStore(database);
  const files = openMediaFiles(config);
  const folder = incomingFolder(config);
  const resumableStore = createResumableStore(database);
  // With an S3 store the parts of an upload do not stay on this disk.
  const promisedBytes = limits.s3 ? async () => 0 : resumableStore.promisedBytes;
  const reserve = createDiskReserve({ folder, reserveBytes: limits.reserveBytes, freeBytes, promisedBytes });
  const incoming = createIncoming({ folder, limits, reserve });
  const fittedFileStore = createFittedFileStore(database);
  const library = createMediaLibrary({ store, fittedFileStore, rights, files, baseUrl });
  const jobStore = createFitJobStore(database);
  const ffmpeg = createFfmpeg({ folder: limits.ffmpegFolder });
  const fittedFiles = createFittedFiles({
    store: fittedFileStore,
    jobStore,
    mediaStore: store,
    files,
    ffmpeg,
    folder,
    reserve,
    baseUrl,
    report,
  });
  const uploads = createUploads({
    store,
    rights,
    files,
    incoming,
    ffmpeg,
    outbound,
    live,
    baseUrl,
    maxLibraryBytes: limits.libraryBytes,
    addressesMs,
    clock,
  });
  const uploadAddresses = createUploadAddresses({
    store: createUploadAddressStore(database),
    seal,
    findRole,
    baseUrl,
    clock: wallClock,
  });
  const resumableUploads = createResumableUploads({
    store: resumableStore,
    mediaStore: store,
    files,
    uploads,
    folder,
    limits,
    reserve,
    baseUrl,
    clock: wallClock,
  });
  return {
    library,
    fittedFiles,
    uploads,
    uploadAddresses,
    resumableUploads,
    mediaFiles: files,
    loops: { fits: createFitJobs({ store: jobStore, fittedFiles, ffmpeg, report }) },
    chores: {
      'forget used upload addresses': { every: '1 hour', run: uploadAddresses.purge },
      'remove abandoned uploads': { every: '1 hour', run: resumableUploads.purge },
    },
    /** Opened after posts, which need the library and say which files they use. */
    openMediaRoutes: ({
      isUsed,
      usesOf,
      isScheduled,
      uploadOnce,
    }: {
      isUsed: IsUsed;
      usesOf: UsesOf;
      isScheduled: IsScheduled;
      uploadOnce: UploadOnce;
    }) => ({
      routes: mediaRoutes({
        library,
        uploadOnce,
        usesOf,
        isScheduled,
        remove: createRemoval({ store, rights, files, isUsed }),
      }),
    }),
  };
};
