import type { Accounts } from '#server/accounts/connected';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { Reading } from '#server/posts/reading';
import type { Database } from '#server/store/database';
import { createComments, type Mentioned } from './comments.ts';
import { reviewRoutes } from './routes.ts';
import { createShares } from './shares.ts';
import { createCommentStore, createShareStore } from './store.ts';

export const openReview = ({
  database,
  reading,
  mentioned = async () => undefined,
  config,
  clock,
  ...shared
}: {
  database: Database;
  reading: Reading;
  lifecycle: Lifecycle;
  accounts: Accounts;
  library: MediaLibrary;
  networks: Networks;
  audit: AuditLog;
  /** Who is to hear of a mention. Without it a mention is only highlighted. */
  mentioned?: Mentioned;
  config: Config;
  clock: Clock;
  wallClock: Clock;
}) => {
  const { baseUrl } = config;
  const comments = createComments({ store: createCommentStore(database), reading, mentioned, clock });
  const shares = createShares({ ...shared, baseUrl, store: createShareStore(database), reading, clock });
  return {
    comments,
    shares,
    routes: reviewRoutes({ comments, shares }),
    chores: { 'remove shares that have ended': { every: '1 hour', run: shares.purge } },
  };
};
