import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { Reading } from '#server/writing/posts/reading';
import { createPresence } from './presence.ts';
import { presenceRoutes } from './routes.ts';
import { createPresenceStore } from './store.ts';

export const openPresence = ({ database, reading, live }: { database: Database; reading: Reading; live: Live }) => ({
  routes: presenceRoutes({ presence: createPresence({ store: createPresenceStore(database), reading, live }) }),
});
