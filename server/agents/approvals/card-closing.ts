import type { CardStatus } from '#contracts/approvals';
import type { ReceiptEntry } from '#contracts/receipts';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Receipts } from '#server/access/receipts/receipts';
import type { RunnableAction } from '#server/agents/admission';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import type { Live } from '#server/base/live/live';
import type { Reading } from '#server/writing/posts/reading';
import type { CardRow, CardStore } from './card-store.ts';
import { idOf } from './card-validity.ts';
import type { RequestNotifications } from './request-notifications.ts';
import type { Subject } from './subject.ts';

/** How a card is closed. `contentHash` is the hash of what was decided; with an edit, that of the edited post. */
interface Decision {
  readonly status: Exclude<CardStatus, 'Open'>;
  readonly contentHash: Buffer;
  readonly reason?: string | undefined;
  readonly isEdited?: boolean;
  readonly outcome?: unknown;
}

export type CardClosing = ReturnType<typeof createCardClosing>;

/** What is written, and who is told, when a person decides. */
export const createCardClosing = ({
  store,
  reading,
  actions,
  audit,
  requestNotifications,
  receipts,
  live,
  clock,
}: {
  store: CardStore;
  reading: Reading;
  actions: ReadonlyMap<string, RunnableAction>;
  audit: AuditLog;
  requestNotifications: RequestNotifications;
  receipts: Receipts;
  live: Live;
  clock: Clock;
}) => ({
  settle: async (caller: Caller, row: CardRow, { status, reason, isEdited, outcome }: Decision) => {
    const { workspaceId, userId } = caller;
    await store.close(workspaceId, row.id, { status, at: clock.now(), by: userId, reason, outcome });
    await requestNotifications.markDecided(caller, row);
    if (status === 'Approved' || status === 'Rejected') {
      await requestNotifications.tellDecided(caller, row, { status, reason, isEdited });
    }
    await audit.write({
      event: `approval.${status.toLowerCase()}`,
      workspaceId,
      userId,
      ...(!row.isOwn && { client: row.client }),
      details: { cardId: row.id, action: row.action, input: row.input, ...(reason && { reason }) },
    });
    await live.publish({ workspaceId, kind: 'approval', id: row.id });
  },

  /** Called last: it locks the log, and other decisions of the workspace wait for that lock. */
  writeReceipt: async (
    caller: Caller,
    row: CardRow,
    {
      status,
      contentHash,
      confirmation,
    }: {
      status: 'Approved' | 'Rejected' | 'Reopened';
      contentHash: Buffer;
      confirmation?: ReceiptEntry['confirmation'];
    },
  ) => {
    const { post, becomes } = row.subject as Subject;
    const canPublish = status === 'Approved' && post !== undefined && !actions.get(row.action)?.action.destructive;
    const decided = canPublish ? await reading.get(caller, idOf(row)) : (becomes ?? post);
    await receipts.recordDecision(caller, {
      cardId: row.id,
      action: row.action,
      decision: status,
      requestedBy: row.requestedBy,
      client: row.isOwn ? 'app' : row.client,
      input: row.input,
      contentHash,
      confirmation,
      post: decided,
      canPublish,
    });
    // If no account is left to send to, the post ends while the action runs, before its approval is recorded.
    if (canPublish && decided && (decided.status === 'Published' || decided.status === 'Failed')) {
      await receipts.recordOutcomes([{ workspaceId: caller.workspaceId, post: decided }]);
    }
  },
});
