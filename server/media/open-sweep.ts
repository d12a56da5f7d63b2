import { type Clock, systemClock } from '#server/clock';
import { type Config, incomingFolder } from '#server/config';
import type { Database } from '#server/store/database';
import { createIncoming } from './incoming.ts';
import { openMediaFiles } from './open-files.ts';
import { createMediaStore, createRenditionStore } from './store.ts';
import { createSweep } from './sweep.ts';

/** For a command, without the rest of the slice. */
export const openSweep = (database: Database, config: Config, clock: Clock) =>
  createSweep({
    store: createMediaStore(database),
    renditionStore: createRenditionStore(database),
    files: openMediaFiles(config),
    incoming: createIncoming({ folder: incomingFolder(config), limits: config.media }),
    clock,
    wallClock: systemClock,
  });
