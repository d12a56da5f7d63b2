import type { Clock } from '#server/clock';
import { type Config, incomingFolder } from '#server/config';
import type { Live } from '#server/live/open-tabs';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Database } from '#server/store/database';
import { createIncoming } from './incoming.ts';
import { createMediaLibrary, type UsesOf } from './library.ts';
import { openMediaFiles } from './open-files.ts';
import { createRemoval, type IsUsed } from './removal.ts';
import { mediaRoutes } from './routes.ts';
import { createMediaStore } from './store.ts';
import { createSweep } from './sweep.ts';
import { createUploads } from './uploads.ts';

export const openMedia = ({
  database,
  outbound,
  live,
  config,
  clock,
}: {
  database: Database;
  outbound: Outbound;
  live: Live;
  config: Config;
  clock: Clock;
}) => {
  const { baseUrl, media: limits } = config;
  const store = createMediaStore(database);
  const files = openMediaFiles(config);
  const incoming = createIncoming({ folder: incomingFolder(config), limits });
  const library = createMediaLibrary({ store, files, baseUrl });
  const uploads = createUploads({ store, files, incoming, outbound, live, baseUrl, clock });
  const sweepOrphans = createSweep({ store, files, incoming, clock });
  return {
    library,
    uploads,
    mediaFiles: files,
    sweepOrphans,
    chores: { 'remove files without a media item': { every: '1 hour', run: sweepOrphans } },
    /** Once posts are open, which know what they use. */
    routes: ({ isUsed, usesOf }: { isUsed: IsUsed; usesOf: UsesOf }) =>
      mediaRoutes({ library, uploads, usesOf, remove: createRemoval({ store, files, isUsed }) }),
  };
};
