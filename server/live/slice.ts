import type { Database } from '#server/store/database';
import { createLive } from './open-tabs.ts';
import { createLiveStore } from './store.ts';

export const openLive = ({ database }: { database: Database }) => ({
  live: createLive({ store: createLiveStore(database) }),
});
