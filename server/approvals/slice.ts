import type { Accounts } from '#server/accounts/accounts';
import type { RunnableAction } from '#server/admission';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config/config';
import type { Live } from '#server/live/open-tabs';
import type { MediaLibrary } from '#server/media/library';
import type { Renditions } from '#server/media/renditions';
import type { Notifications } from '#server/notifications/notifications';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { LinkCards } from '#server/posts/link-cards';
import type { Reading } from '#server/posts/reading';
import type { Database } from '#server/store/database';
import { createApprovalCards } from './cards.ts';
import { approvalRoutes } from './routes.ts';
import { createApprovalStore } from './store.ts';
import { createSubjects } from './subject.ts';

export const openApprovals = ({
  database,
  library,
  renditions,
  config: { baseUrl },
  ...parts
}: {
  database: Database;
  actions: ReadonlyMap<string, RunnableAction>;
  reading: Reading;
  lifecycle: Lifecycle;
  linkCards: LinkCards;
  library: MediaLibrary;
  renditions: Renditions;
  accounts: Accounts;
  audit: AuditLog;
  notifications: Notifications;
  live: Live;
  config: Config;
  clock: Clock;
}) => {
  const { reading, lifecycle, linkCards, accounts } = parts;
  const subjects = createSubjects({ reading, lifecycle, linkCards, library, renditions, accounts });
  const cards = createApprovalCards({ ...parts, baseUrl, store: createApprovalStore(database), subjects });
  return {
    cards,
    routes: approvalRoutes({ cards }),
    chores: {
      'close old approval cards': { every: '10 minutes', run: cards.expire },
      'remove old approval cards': { every: '1 day', run: cards.purge },
    },
  };
};
