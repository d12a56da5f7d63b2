import type { Accounts } from '#server/accounts/connected';
import type { Clock } from '#server/clock';
import { isPublicAddress } from '#server/config';
import type { Live } from '#server/live/open-tabs';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { Notifications } from '#server/notifications/notifications';
import type { Plans } from '#server/plans/allowance';
import type { Database } from '#server/store/database';
import type { Events } from '#server/webhooks/events';
import { createDesk } from './desk.ts';
import { createDrafts } from './drafts.ts';
import { createLifecycle } from './lifecycle.ts';
import { createOutcomes } from './outcome.ts';
import { createOverview } from './overview.ts';
import { createReading } from './reading.ts';
import { postRoutes } from './routes.ts';
import { createPostStore } from './store.ts';

export const openPosts = ({
  database,
  accounts,
  library,
  networks,
  plans,
  events,
  notifications,
  mustStay,
  live,
  baseUrl,
  clock,
}: {
  database: Database;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  plans: Plans;
  events: Events;
  notifications: Notifications;
  /** Refuses while the workspace waits to be deleted. */
  mustStay: (workspaceId: string) => Promise<void>;
  live: Live;
  baseUrl: string;
  clock: Clock;
}) => {
  const store = createPostStore(database);
  const overview = createOverview({ store, library });
  const outcomes = createOutcomes({ store, events, notifications, live });
  const reachable = isPublicAddress(baseUrl);
  const lifecycle = createLifecycle({
    store,
    accounts,
    library,
    networks,
    plans,
    mustStay,
    outcomes,
    reachable,
    clock,
  });
  const desk = createDesk({ store, accounts, library, networks, lifecycle });
  return {
    reading: createReading({ store }),
    overview,
    outcomes,
    lifecycle,
    drafts: createDrafts({ store, accounts, library, networks, lifecycle, clock }),
    desk,
    usesMedia: store.usesMedia,
    mediaUses: store.mediaUses,
    routes: postRoutes({ desk, lifecycle, overview }),
  };
};
