import { dayMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { quantity } from '#server/base/quantity';
import type { Accounts } from '#server/connecting/accounts/accounts';
import { isolateName } from '#server/messaging/notifications/isolate-name';
import type { NewNotification, Notifications } from '#server/messaging/notifications/notifications';
import type { Approvers } from './approvers.ts';
import type { CardRow } from './card-store.ts';
import type { CardView } from './card-view.ts';
import type { RequestNotificationStore } from './request-notification-store.ts';

/** The same as the length of a burst in notifications.ts. */
const burstMs = 10 * 60 * 1000;
/** A rejection can be undone for this long, so mails and push messages about it wait. */
const undoMs = 15_000;

interface DecisionNews {
  readonly status: 'Approved' | 'Rejected';
  readonly reason?: string | undefined;
  /** The approver changed it first. */
  readonly isEdited?: boolean | undefined;
}

export type RequestNotifications = ReturnType<typeof createRequestNotifications>;

/** Notifies approvers of requests, and requesters of decisions. */
export const createRequestNotifications = ({
  store,
  view,
  accounts,
  notifications,
  approvers,
  clock,
}: {
  store: RequestNotificationStore;
  view: CardView;
  accounts: Accounts;
  notifications: Notifications;
  approvers: Approvers;
  clock: Clock;
}) => {
  /** `schedule a post` */
  const describe = (row: CardRow) => {
    const { sentence, post, account } = view.show(row, new Map());
    return `${verbOf(sentence)} ${post ? 'a post' : account ? 'an account' : 'a file'}`;
  };

  /** To the person who asked, or whose agent did. */
  const decisionNotification = async (caller: Caller, row: CardRow) => {
    const name = (await approvers.list(caller)).find(({ id }) => id === caller.userId)?.name ?? 'Somebody';
    const request = row.isOwn ? 'your request' : `the request of ${isolateName(row.client)}`;
    return {
      workspaceId: caller.workspaceId,
      subjectId: row.requestedBy,
      path: `/approvals/${row.id}`,
      title: (verb: string) => `${isolateName(name)} ${verb} ${request} to ${describe(row)}`,
    };
  };

  const rejectionOf = ({ workspaceId, requestedBy, id }: CardRow) => ({
    workspaceId,
    kind: 'approval.rejected' as const,
    subjectId: requestedBy,
    path: `/approvals/${id}`,
  });

  return {
    /** Merges the open requests of a client into one notification, however many it makes within ten minutes. */
    tellRequested: async (caller: Caller, row: CardRow) => {
      const accountsById = new Map((await accounts.list(caller)).map((one) => [one.id, one]));
      const { post, client } = view.show(row, accountsById);
      const { asks } = view.toState(row, accountsById);
      const count = await store.countOpenOf(caller.workspaceId, row.conversationId);
      const isFirst = count === 1;
      await notifications.tellInBurst(
        {
          workspaceId: caller.workspaceId,
          kind: 'approval.requested',
          subjectId: row.conversationId,
          title: isFirst
            ? `${isolateName(client)} asks to ${describe(row)}`
            : `${count} requests of ${isolateName(client)}`,
          detail: isFirst ? asks : `The latest: ${asks}`,
          text: isFirst ? post?.versions[0]?.content[0]?.body : undefined,
          path: `/approvals/${row.id}`,
          ...(row.isOwn && { by: caller.userId }),
        },
        { isFirst },
      );
    },

    /** People who decide their own request, or their agent's, are not notified. */
    tellDecided: async (caller: Caller, row: CardRow, { status, reason, isEdited = false }: DecisionNews) => {
      if (row.requestedBy === caller.userId) return;
      const { title, ...notification } = await decisionNotification(caller, row);
      if (status === 'Rejected') {
        const detail = reason ? `Their reason: “${reason}”` : 'They gave no reason.';
        const rejection = { ...rejectionOf(row), title: title('rejected'), detail, quote: reason, delayMs: undoMs };
        return notifications.tell([rejection]);
      }
      const count = await store.countApprovedFor(caller.workspaceId, row.requestedBy, burstMs);
      const isFirst = count <= 1;
      const approval: NewNotification = {
        ...notification,
        kind: 'approval.approved',
        about: `approved ${row.requestedBy}`,
        title: isFirst ? title('approved') : `${count} of your requests were approved`,
        detail: isEdited ? 'With an edit, which the request shows.' : '',
      };
      return notifications.tellInBurst(approval, { isFirst });
    },

    recallRejection: (row: CardRow) => notifications.recall(rejectionOf(row)),

    /**
     * Marks the request as read for whoever decided it. After the last decision, drops the messages that still wait.
     */
    markDecided: async (caller: Caller, row: CardRow) => {
      const { workspaceId } = caller;
      await notifications.seen(caller, row.id, row.conversationId);
      if ((await store.countOpenOf(workspaceId, row.conversationId)) > 0) return;
      const subjectId = row.conversationId;
      await notifications.dropWaiting({ workspaceId, kind: 'approval.requested', subjectId, path: '' });
    },

    /**
     * Updates the number of open requests in the notification. Call it late in the transaction, because other decisions
     * on requests of the client wait for it.
     */
    countOpen: async ({ workspaceId }: Caller, row: CardRow) => {
      const open = await store.countOpenOf(workspaceId, row.conversationId);
      if (open === 0) return;
      const { client } = view.show(row, new Map());
      const title = `${quantity(open, 'request')} of ${isolateName(client)}`;
      await notifications.retitle({ workspaceId, kind: 'approval.requested', subjectId: row.conversationId, title });
    },

    /** Reminds approvers of waiting cards once a day, with one notification for all cards of a client. */
    remind: async () => {
      const now = clock.now();
      for (const workspaceId of await store.haveUnreminded(now, dayMs)) {
        await store.transaction(async () => {
          const cards = await store.remind(workspaceId, now, dayMs);
          const conversations = [...new Set(cards.map(({ conversationId }) => conversationId))];
          await notifications.tell(
            conversations.flatMap((subjectId) => {
              const waiting = cards.filter(({ conversationId }) => conversationId === subjectId);
              const [oldest] = waiting;
              if (oldest === undefined) return [];
              const requests = waiting.length === 1 ? 'A request' : `${waiting.length} requests`;
              return [
                {
                  workspaceId,
                  kind: 'approval.requested' as const,
                  subjectId,
                  title: `${requests} of ${isolateName(oldest.client)} still ${waiting.length === 1 ? 'waits' : 'wait'} for you`,
                  detail: 'What nobody decides within 7 days closes, and nothing runs.',
                  path: `/approvals/${oldest.id}`,
                },
              ];
            }),
          );
        });
      }
    },
  };
};

/** The sentence of a card begins with a verb: `Publish this post now`. */
const verbOf = (sentence: string) => (/^\w+/.exec(sentence)?.[0] ?? 'change').toLowerCase();
