import type { Account } from '#contracts/accounts';
import type { ApprovalCard, CardStatus } from '#contracts/approvals';
import type { RunnableAction } from '#server/admission';
import { toLinkCards } from '#server/posts/outgoing';
import { sentenceOf } from './sentence.ts';
import type { CardRow } from './store.ts';
import type { Subject } from './subject.ts';

/** A request about a post or an account, as an agent is told of it. */
export interface RequestNews {
  readonly cardId: string;
  readonly action: string;
  readonly status: CardStatus;
  readonly approvalUrl: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedAt?: string;
}

/** A card as people see it, and as agents are told of it. */
export const createCardView = ({
  actions,
  baseUrl,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  baseUrl: string;
}) => ({
  show: (row: CardRow, known: ReadonlyMap<string, Account>): ApprovalCard => {
    const {
      post,
      becomes,
      media = [],
      fitted = [],
      isPreparing,
      linkCards: shown = [],
      account,
    } = row.subject as Subject;
    const action = actions.get(row.action)?.action;
    return {
      id: row.id,
      status: row.status,
      conversation: { id: row.conversation_id, title: `Requests from ${row.client}` },
      client: row.client,
      action: row.action,
      input: row.input,
      sentence: action ? sentenceOf(action, row.input, row.subject, known) : row.action,
      verb: action?.approval?.verb ?? 'Approve',
      requestedBy: row.requested_by,
      requestedByName: row.requested_by_name,
      ...(post && { post }),
      ...(becomes && { becomes }),
      media: [...media],
      fitted: [...fitted],
      ...(isPreparing && { preparing: true as const }),
      linkCards: toLinkCards(shown),
      ...(account && { account }),
      accounts: [...new Set([post, becomes].flatMap((one) => one?.accountIds ?? []))].flatMap(
        (id) => known.get(id) ?? [],
      ),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ...(row.decided_at !== null && { decidedAt: row.decided_at }),
      ...(row.decided_by !== null && { decidedBy: row.decided_by }),
      ...(row.decided_by_name !== null && { decidedByName: row.decided_by_name }),
    };
  },

  news: (row: CardRow): RequestNews => ({
    cardId: row.id,
    action: row.action,
    status: row.status,
    approvalUrl: `${baseUrl}/approvals/${row.id}`,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decided_at !== null && { decidedAt: row.decided_at }),
  }),
});
