import type { Clock } from '#server/base/clock';
import { type Config, incomingFolder } from '#server/base/config/config';
import type { Database } from '#server/base/store/database';
import { createFittedFileStore } from './fitted-file-store.ts';
import { createMediaStore } from './media-store.ts';
import { openMediaFiles } from './open-files.ts';
import { createResumableStore } from './resumable-upload-store.ts';
import { createIncomingSweep, createSweep } from './sweep.ts';

/** Separate from the slice, because `doctor --fix` sweeps without the rest of it. */
export const openMediaSweep = ({
  database,
  config,
  clock,
  wallClock,
}: {
  database: Database;
  config: Config;
  clock: Clock;
  wallClock: Clock;
}) => {
  const folder = incomingFolder(config);
  const store = createMediaStore(database);
  const sweepOrphans = createSweep({
    store,
    fittedFileStore: createFittedFileStore(database),
    resumableStore: createResumableStore(database),
    files: openMediaFiles(config),
    incomingFolder: folder,
    clock,
    wallClock,
  });
  return {
    sweepOrphans,
    sweepIncoming: createIncomingSweep({ store, incomingFolder: folder, wallClock }),
    chores: { 'remove files without a media item': { every: '1 hour', run: sweepOrphans } },
  };
};
