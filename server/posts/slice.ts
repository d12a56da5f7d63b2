import type { Accounts } from '#server/accounts/connected';
import type { Clock } from '#server/clock';
import { isPublicAddress } from '#server/config';
import type { Revisions } from '#server/history/revisions';
import type { Live } from '#server/live/open-tabs';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
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
  live,
  revisions,
  baseUrl,
  clock,
}: {
  database: Database;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  plans: Plans;
  events: Events;
  live: Live;
  revisions: Revisions;
  baseUrl: string;
  clock: Clock;
}) => {
  const store = createPostStore(database);
  const overview = createOverview({ store, library });
  const outcomes = createOutcomes({ store, events, live });
  const reachable = isPublicAddress(baseUrl);
  const shared = { store, accounts, library, networks, revisions, clock };
  const lifecycle = createLifecycle({ ...shared, plans, outcomes, reachable });
  const desk = createDesk({ store, accounts, library, networks, lifecycle });
  return {
    reading: createReading({ store }),
    overview,
    outcomes,
    lifecycle,
    drafts: createDrafts({ ...shared, lifecycle }),
    desk,
    usesMedia: store.usesMedia,
    mediaUses: store.mediaUses,
    routes: postRoutes({ desk, lifecycle, overview }),
  };
};
