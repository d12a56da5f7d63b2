import type { Approval } from '#contracts/define';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Receipts } from '#server/access/receipts/receipts';
import type { RunnableAction } from '#server/agents/admission';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { LinkCards } from '#server/writing/posts/link-cards';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import type { Approvers } from './approvers.ts';
import { createCardStore } from './card-store.ts';
import { createCardValidity } from './card-validity.ts';
import { createCardView } from './card-view.ts';
import { createApprovalCards } from './cards.ts';
import { createConfirmationStore } from './confirmation-store.ts';
import { createConfirmations, type Passkeys } from './confirmations.ts';
import { createConversationStore } from './conversation-store.ts';
import { createDecisions } from './decisions.ts';
import { createFindRequests } from './find-requests.ts';
import { createRequestNotificationStore } from './request-notification-store.ts';
import { createRequestNotifications } from './request-notifications.ts';
import { approvalRoutes } from './routes.ts';
import { createSubjects } from './subject.ts';

export const openApprovals = ({
  database,
  approvals,
  library,
  fittedFiles,
  config: { baseUrl },
  ...parts
}: {
  database: Database;
  /** What each action and route asks a person, by name. */
  approvals: ReadonlyMap<string, Approval>;
  reading: Reading;
  readiness: Readiness;
  linkCards: LinkCards;
  library: MediaLibrary;
  fittedFiles: FittedFiles;
  accounts: Accounts;
  live: Live;
  config: Config;
  clock: Clock;
}) => {
  const { reading, readiness, linkCards, accounts, live, clock } = parts;
  const store = createCardStore(database);
  const subjects = createSubjects({ reading, readiness, linkCards, library, fittedFiles, accounts });
  const validity = createCardValidity({ store, subjects, readiness, approvals, live, clock });
  return {
    findRequests: createFindRequests({ store, validity, baseUrl }),

    /** Opened after the actions, which find requests and which cards run. */
    openCards: ({
      passkeys,
      asksPasskey,
      ...cardParts
    }: {
      actions: ReadonlyMap<string, RunnableAction>;
      audit: AuditLog;
      notifications: Notifications;
      receipts: Receipts;
      approvers: Approvers;
      passkeys: Passkeys;
      asksPasskey: (workspaceId: string) => Promise<boolean>;
    }) => {
      const { actions } = cardParts;
      const view = createCardView({ actions, baseUrl });
      const requestNotifications = createRequestNotifications({
        ...parts,
        ...cardParts,
        store: createRequestNotificationStore(database),
        view,
      });
      const confirmations = createConfirmations({
        store: createConfirmationStore(database),
        passkeys,
        asksPasskey,
        clock,
      });
      const shared = { ...parts, ...cardParts, store, validity, subjects, requestNotifications };
      const cards = createApprovalCards({
        ...shared,
        conversationStore: createConversationStore(database),
        view,
        baseUrl,
      });
      const decisions = createDecisions({ ...shared, confirmations });
      return {
        cards,
        decisions,
        routes: approvalRoutes({ cards, decisions }),
        chores: {
          'close old approval cards': { every: '10 minutes', run: cards.expire },
          'remind of open approval cards': { every: '1 hour', run: cards.remind },
          'forget old confirmations with a passkey': { every: '1 hour', run: confirmations.purge },
          'remove old approval cards': { every: '1 day', run: cards.purge },
        },
      };
    },
  };
};
