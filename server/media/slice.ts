import type { Clock } from '#server/clock';
import { type Config, incomingFolder } from '#server/config';
import type { Live } from '#server/live/open-tabs';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Database } from '#server/store/database';
import { createIncoming } from './incoming.ts';
import { createMediaLibrary, type UsesOf } from './library.ts';
import { openMediaFiles } from './open-files.ts';
import { createRemoval, type IsUsed } from './removal.ts';
import { createRenditions } from './renditions.ts';
import { mediaRoutes } from './routes.ts';
import { createMediaStore, createRenditionStore } from './store.ts';
import { createIncomingSweep, createSweep } from './sweep.ts';
import type { UploadOnce } from './upload-once.ts';
import { createUploads } from './uploads.ts';

export const openMedia = ({
  database,
  outbound,
  live,
  config,
  clock,
  wallClock,
  report,
}: {
  database: Database;
  outbound: Outbound;
  live: Live;
  config: Config;
  clock: Clock;
  wallClock: Clock;
  report: (error: unknown) => void;
}) => {
  const { baseUrl, media: limits } = config;
  const store = createMediaStore(database);
  const files = openMediaFiles(config);
  const incoming = createIncoming({ folder: incomingFolder(config), limits });
  const renditionStore = createRenditionStore(database);
  const library = createMediaLibrary({ store, renditionStore, files, baseUrl });
  const folder = incomingFolder(config);
  const renditions = createRenditions({ store: renditionStore, mediaStore: store, files, folder, baseUrl, report });
  const uploads = createUploads({ store, files, incoming, outbound, live, baseUrl, clock });
  const sweepOrphans = createSweep({ store, renditionStore, files, incoming, clock, wallClock });
  return {
    library,
    renditions,
    uploads,
    mediaFiles: files,
    sweepOrphans,
    sweepIncoming: createIncomingSweep({ incoming, wallClock }),
    chores: { 'remove files without a media item': { every: '1 hour', run: sweepOrphans } },
    /** Once posts are open, which know what they use. */
    routes: ({ isUsed, usesOf, uploadOnce }: { isUsed: IsUsed; usesOf: UsesOf; uploadOnce: UploadOnce }) =>
      mediaRoutes({ library, uploadOnce, usesOf, remove: createRemoval({ store, files, isUsed }) }),
  };
};
