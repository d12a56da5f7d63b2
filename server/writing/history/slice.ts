import type { Database } from '#server/base/store/database';
import type { MediaLibrary } from '#server/media/library';
import { createRevisions } from './revisions.ts';
import { historyRoutes } from './routes.ts';
import { createHistoryStore } from './store.ts';
import { createTimeline } from './timeline.ts';

export const openHistory = ({ database, library }: { database: Database; library: MediaLibrary }) => {
  const store = createHistoryStore(database);
  return {
    revisions: createRevisions({ store }),
    routes: historyRoutes({ timeline: createTimeline({ store, library }) }),
  };
};
