import type { BinRoutes } from '#contracts/bin';
import type { RouteHandlers } from '#server/base/context';
import type { Bin } from './bin.ts';

export const binRoutes = ({ bin }: { bin: Bin }): RouteHandlers<BinRoutes> => ({
  listBin: ({ caller, query }) => bin.list(caller, query.cursor),
  restorePost: ({ caller, params }) => bin.restore(caller, params.id),
  deleteForGood: async ({ caller, params: { id } }) => {
    await bin.deleteForGood(caller, id);
    return { id, deleted: true };
  },
  emptyBin: async ({ caller }) => {
    await bin.empty(caller);
    return { done: true };
  },
});
