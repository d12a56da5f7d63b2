import type { Database } from '#server/base/store/database';
import { createLive } from './live.ts';
import { createLiveStore } from './store.ts';

export const openLive = ({ database, report }: { database: Database; report: (error: unknown) => void }) => ({
  live: createLive({ store: createLiveStore(database), report }),
});
