import type { ApprovalRoutes } from '#contracts/approvals';
import type { RouteHandlers } from '#server/base/context';
import type { ApprovalCards } from './cards.ts';
import type { Decisions } from './decisions.ts';

/** Declared for sessions only, so no token, MCP client or assistant can approve. */
export const approvalRoutes = ({
  cards,
  decisions,
}: {
  cards: ApprovalCards;
  decisions: Decisions;
}): RouteHandlers<ApprovalRoutes> => ({
  listApprovals: ({ caller, query }) => cards.list(caller, query),
  getApproval: ({ caller, params }) => cards.get(caller, params.id),
  checkApprovals: async ({ caller, body }) => ({ results: await decisions.check(caller, body.cards) }),
  confirmApprovals: ({ caller, body }) => decisions.beginConfirmation(caller, body.cards),
  approve: async ({ caller, params, body }) => {
    await decisions.approve(caller, params.id, body);
    return cards.get(caller, params.id);
  },
  reopenApproval: async ({ caller, params }) => {
    await decisions.reopen(caller, params.id);
    return cards.get(caller, params.id);
  },
  reject: async ({ caller, params, body }) => {
    await decisions.reject(caller, params.id, body);
    return cards.get(caller, params.id);
  },
});
