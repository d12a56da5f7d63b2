import type { Account } from '#contracts/accounts';
import type { ApprovalCard, CardStatus } from '#contracts/approvals';
import type { RunnableAction } from '#server/agents/admission';
import { toLinkCards } from '#server/writing/posts/outgoing';
import type { CardRow } from './card-store.ts';
import { describeAlt, describeEdit } from './describe-edit.ts';
import { askOf, buttonOf, sentenceOf } from './sentence.ts';
import type { Subject } from './subject.ts';

/** The state of an approval request, as agents see it. */
export interface RequestState {
  readonly cardId: string;
  readonly action: string;
  readonly status: CardStatus;
  /** The full request: what would change, both times of a move, the accounts. */
  readonly asks: string;
  readonly approvalUrl: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly decidedAt?: string;
  /** Why a person rejected it, in their words. */
  readonly personsReason?: string;
  /** What a person changed before approving it, a line for each change. */
  readonly personsEdit?: readonly string[];
}

export type CardView = ReturnType<typeof createCardView>;

/** A card as people see it (`show`), and as agents see it (`toState`). */
export const createCardView = ({
  actions,
  baseUrl,
}: {
  actions: ReadonlyMap<string, RunnableAction>;
  baseUrl: string;
}) => ({
  show: (row: CardRow, accounts: ReadonlyMap<string, Account>): ApprovalCard => {
    const {
      post,
      becomes,
      edited,
      editedAlts,
      media = [],
      fitted = [],
      isPreparing,
      linkCards = [],
      account,
    } = row.subject as Subject;
    const action = actions.get(row.action)?.action;
    const client = row.isOwn ? row.askerName : row.client;
    return {
      id: row.id,
      status: row.status,
      conversation: { id: row.conversationId, title: `Requests from ${client}` },
      client,
      ...(row.isOwn && { isOwn: true as const }),
      action: row.action,
      input: row.input,
      sentence: action ? sentenceOf(action, row.input, row.subject, accounts) : row.action,
      verb: action ? buttonOf(action, row.subject) : 'Approve',
      requestedBy: row.requestedBy,
      requestedByName: row.requestedByName,
      ...(post && { post }),
      ...(becomes && { becomes }),
      ...(edited && { edited }),
      ...(editedAlts && { editedAlts }),
      ...(row.reason !== null && { reason: row.reason }),
      media: [...media],
      fitted: [...fitted],
      ...(isPreparing && { preparing: true as const }),
      linkCards: toLinkCards(linkCards),
      ...(account && { account }),
      accounts: [...new Set([post, becomes].flatMap((one) => one?.accountIds ?? []))].flatMap(
        (id) => accounts.get(id) ?? [],
      ),
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
      ...(row.decidedAt !== null && { decidedAt: row.decidedAt }),
      ...(row.decidedBy !== null && { decidedBy: row.decidedBy }),
      ...(row.decidedByName !== null && { decidedByName: row.decidedByName }),
    };
  },

  toState: (row: CardRow, accounts: ReadonlyMap<string, Account>): RequestState => {
    const action = actions.get(row.action)?.action;
    return {
      cardId: row.id,
      action: row.action,
      status: row.status,
      asks: action ? askOf(action, row.input, row.subject, accounts) : row.action,
      approvalUrl: `${baseUrl}/approvals/${row.id}`,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt,
      ...(row.decidedAt !== null && { decidedAt: row.decidedAt }),
      ...(row.reason !== null && { personsReason: row.reason }),
      ...editOf(row),
    };
  },
});

/** Compares the edited post with what was requested: the changed post, or the draft at the time of the request. */
const editOf = ({ subject, input }: CardRow) => {
  const { post, becomes, edited, editedAlts = [] } = subject as Subject;
  const before = becomes ?? (post && { ...post, ...(typeof input.at === 'string' && { scheduledAt: input.at }) });
  if (edited === undefined || before === undefined) return {};
  const after =
    becomes || edited.scheduledAt !== post?.scheduledAt ? edited : { ...edited, scheduledAt: before.scheduledAt };
  return { personsEdit: [...describeEdit(before, after), ...editedAlts.map(describeAlt)] };
};
