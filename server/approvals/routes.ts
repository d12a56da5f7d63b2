import type { ApprovalRoutes } from '#contracts/approvals';
import type { RouteHandlers } from '#server/context';
import type { ApprovalCards } from './cards.ts';

/** Declared for sessions only, so no token, MCP client or assistant can approve. */
export const approvalRoutes = ({ cards }: { cards: ApprovalCards }): RouteHandlers<ApprovalRoutes> => ({
  listApprovals: ({ caller, query }) => cards.list(caller, query),
  getApproval: ({ caller, params }) => cards.get(caller, params.id),
  approve: ({ caller, params }) => cards.approve(caller, params.id),
  reject: ({ caller, params }) => cards.reject(caller, params.id),
});
