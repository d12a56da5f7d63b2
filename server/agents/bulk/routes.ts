import type { BulkRoutes } from '#contracts/bulk';
import type { TransferRoutes } from '#contracts/transfer';
import type { RouteHandlers } from '#server/base/context';
import { idsIn } from '#server/base/ids';
import type { Overview } from '#server/writing/posts/overview';
import type { Bulk } from './bulk.ts';
import type { ScheduleImport } from './schedule-import.ts';

export const bulkRoutes = ({
  bulk,
  scheduleImport,
  overview,
}: {
  bulk: Bulk;
  scheduleImport: ScheduleImport;
  overview: Overview;
}): RouteHandlers<BulkRoutes & Pick<TransferRoutes, 'scheduleImport'>> => ({
  selectPosts: async ({ caller, query: { status, query, accountIds, labelIds } }) => ({
    posts: await overview.select(caller, status, {
      query,
      accountIds: idsIn(accountIds),
      labelIds: idsIn(labelIds),
    }),
  }),
  changePosts: async ({ caller, body: { change, posts, accountId }, requestId }) => ({
    results: await bulk.change(caller, change, posts, accountId, requestId),
  }),
  planMoves: async ({ caller, body: { ids, from, timeZone } }) => ({
    moves: await bulk.plan(caller, ids, from, timeZone),
  }),
  scheduleImport: ({ caller, params, body, requestId }) => scheduleImport(caller, params.id, body, requestId),
});
