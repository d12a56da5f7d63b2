import type { Clock } from '#server/clock';
import { type Config, incomingFolder } from '#server/config/config';
import type { Database } from '#server/store/database';
import { createIncoming } from './incoming.ts';
import { openMediaFiles } from './open-files.ts';
import { createMediaStore, createRenditionStore, createResumableStore } from './store.ts';
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
  const incoming = createIncoming({ folder: incomingFolder(config), limits: config.media });
  const store = createMediaStore(database);
  const sweepOrphans = createSweep({
    store,
    renditionStore: createRenditionStore(database),
    resumableStore: createResumableStore(database),
    files: openMediaFiles(config),
    incoming,
    clock,
    wallClock,
  });
  return {
    sweepOrphans,
    sweepIncoming: createIncomingSweep({ store, incoming, wallClock }),
    chores: { 'remove files without a media item': { every: '1 hour', run: sweepOrphans } },
  };
};
