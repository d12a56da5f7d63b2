import type { Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import type { Receipts } from '#server/access/receipts/receipts';
import type { Clock } from '#server/base/clock';
import { type Config, isPublicAddress } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { AccountAccess } from '#server/connecting/accounts/access';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type { UploadAddresses } from '#server/media/upload-addresses';
import type { Uploads } from '#server/media/uploads';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Events } from '#server/messaging/webhooks/events';
import type { Networks } from '#server/networks/registry';
import type { Revisions } from '#server/writing/history/revisions';
import { createAccountTimeStore } from './account-time-store.ts';
import { createDraftContent } from './draft-content.ts';
import { createDrafts } from './drafts.ts';
import { createEditorViews } from './editor-view.ts';
import { createFitting } from './fitting.ts';
import { createLifecycle } from './lifecycle.ts';
import { createLinkCardStore } from './link-card-store.ts';
import { createLinkCards } from './link-cards.ts';
import { createMediaByAddress } from './media-by-address.ts';
import { createMediaUseStore } from './media-use-store.ts';
import { createOutcomes } from './outcome.ts';
import { createOutcomeStore } from './outcome-store.ts';
import { createOverview } from './overview.ts';
import { createOverviewStore } from './overview-store.ts';
import { createPlanCount } from './plan-count.ts';
import { createPostStore } from './post-store.ts';
import { createReadiness } from './readiness.ts';
import { createReading } from './reading.ts';
import { createReadingStore } from './reading-store.ts';
import { postRoutes } from './routes.ts';
import { createScheduleStore } from './schedule-store.ts';
import { createScheduledPostStore } from './scheduled-post-store.ts';
import { createScheduledPosts } from './scheduled-posts.ts';

export const openPosts = ({
  database,
  accounts,
  access,
  library,
  fittedFiles,
  uploads,
  uploadAddresses,
  networks,
  rights,
  plans,
  events,
  notifications,
  deletion,
  live,
  revisions,
  receipts,
  config,
  clock,
}: {
  database: Database;
  accounts: Accounts;
  access: AccountAccess;
  library: MediaLibrary;
  fittedFiles: FittedFiles;
  uploads: Uploads;
  uploadAddresses: UploadAddresses;
  networks: Networks;
  rights: Rights;
  plans: Plans;
  events: Events;
  notifications: Notifications;
  /** Refuses while the workspace waits to be deleted. */
  deletion: { mustStay(workspaceId: string): Promise<void> };
  live: Live;
  revisions: Revisions;
  receipts: Receipts;
  config: Config;
  clock: Clock;
}) => {
  const store = createPostStore(database);
  const readingStore = createReadingStore(database);
  const linkCardStore = createLinkCardStore(database);
  const mediaUseStore = createMediaUseStore(database);
  const overview = createOverview({ store: createOverviewStore(database), library, accounts });
  const outcomes = createOutcomes({
    store: createOutcomeStore(database),
    show: readingStore.show,
    events,
    notifications,
    receipts,
    live,
  });
  const { baseUrl } = config;
  const reachable = isPublicAddress(baseUrl);
  const linkCards = createLinkCards({ store: linkCardStore, accounts, access, library, networks });
  const shared = { store, accounts, library, networks, revisions, clock };
  const fitting = createFitting({ fittedFiles });
  const readiness = createReadiness({ ...shared, linkCardStore, fitting, linkCards, uploadAddresses, reachable });
  const planCount = createPlanCount({ store, accounts, networks, plans });
  const lifecycle = createLifecycle({ ...shared, readiness, rights, planCount, deletion, outcomes, baseUrl });
  const fileOptions = networks.all.flatMap(({ options }) =>
    options.filter(({ type }) => type === 'Media').map(({ key }) => key),
  );
  const mediaByAddress = createMediaByAddress({ uploads, library, uploadAddresses, baseUrl });
  const content = createDraftContent({ accounts, library, networks, mediaByAddress });
  const editorViews = createEditorViews({ store, accounts, library, fittedFiles, networks, readiness, linkCards });
  return {
    reading: createReading({ store: readingStore, postStore: store, scheduleStore: createScheduleStore(database) }),
    scheduled: createScheduledPosts({
      store: createScheduledPostStore(database),
      accountTimeStore: createAccountTimeStore(database),
    }),
    overview,
    outcomes,
    readiness,
    lifecycle,
    linkCards,
    drafts: createDrafts({ ...shared, lifecycle, readiness, content }),
    editorViews,
    /** Keys of the options whose value is a file. */
    fileOptions,
    mediaUse: {
      isUsed: (workspaceId: string, id: string) => mediaUseStore.usesMedia(workspaceId, id, fileOptions),
      isScheduled: (workspaceId: string, id: string) => mediaUseStore.isMediaScheduled(workspaceId, id, fileOptions),
      usesOf: (workspaceId: string, ids: readonly string[]) => mediaUseStore.mediaUses(workspaceId, ids, fileOptions),
    },
    routes: postRoutes({ editorViews, lifecycle, overview }),
  };
};
