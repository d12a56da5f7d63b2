import type { HistoryRoutes } from '#contracts/history';
import type { RouteHandlers } from '#server/base/context';
import type { Timeline } from './timeline.ts';

export const historyRoutes = ({ timeline }: { timeline: Timeline }): RouteHandlers<HistoryRoutes> => ({
  listChanges: async ({ params, caller }) => ({ entries: await timeline.list(caller, params.id) }),
  getRevision: ({ params, caller }) => timeline.revision(caller, params.id, Number(params.number)),
});
