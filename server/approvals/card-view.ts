import type { Account } from '#contracts/accounts';
import type { ApprovalCard, CardStatus } from '#contracts/approvals';
import type { RunnableAction } from '#server/admission';
import { toLinkCards } from '#server/posts/outgoing';
import { sentenceOf } from './sentence.ts';
import type { CardRow } from './store.ts';
import type { Subject } from './subject.ts';

/** The state of an approval request, as agents see it. */
export interface RequestState {
  readonly cardId: string;
  readonly action: string;
  readonly status: CardStatus;
  readonly approvalUrl: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedAt?: string;
}

/** A card as people see it (`show`), and as agents see it (`toState`). */
export const createCardView = ({
  actions,
  baseUrl,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  baseUrl: string;
}) => ({
  show: (row: CardRow, accounts: ReadonlyMap<string, Account>): ApprovalCard => {
    const { post, becomes, media = [], fitted = [], linkCards = [], account } = row.subject as Subject;
    const action = actions.get(row.action)?.action;
    return {
      id: row.id,
      status: row.status,
      conversation: { id: row.conversation_id, title: `Requests from ${row.client}` },
      client: row.client,
      action: row.action,
      input: row.input,
      sentence: action ? sentenceOf(action, row.input, row.subject, accounts) : row.action,
      verb: action?.approval?.verb ?? 'Approve',
      requestedBy: row.requested_by,
      requestedByName: row.requested_by_name,
      ...(post && { post }),
      ...(becomes && { becomes }),
      media: [...media],
      fitted: [...fitted],
      linkCards: toLinkCards(linkCards),
      ...(account && { account }),
      accounts: [...new Set([post, becomes].flatMap((one) => one?.accountIds ?? []))].flatMap(
        (id) => accounts.get(id) ?? [],
      ),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ...(row.decided_at !== null && { decidedAt: row.decided_at }),
      ...(row.decided_by !== null && { decidedBy: row.decided_by }),
      ...(row.decided_by_name !== null && { decidedByName: row.decided_by_name }),
    };
  },

  toState: (row: CardRow): RequestState => ({
    cardId: row.id,
    action: row.action,
    status: row.status,
    approvalUrl: `${baseUrl}/approvals/${row.id}`,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    ...(row.decided_at !== null && { decidedAt: row.decided_at }),
  }),
});
