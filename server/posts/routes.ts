import type { PostRoutes } from '#contracts/posts';
import type { RouteHandlers } from '#server/context';
import type { ByHand } from '#server/publishing/by-hand';
import type { Desk } from './desk.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Overview } from './overview.ts';

export const postRoutes = ({
  desk,
  lifecycle,
  byHand,
  overview,
}: {
  desk: Desk;
  lifecycle: Lifecycle;
  byHand: ByHand;
  overview: Overview;
}): RouteHandlers<PostRoutes> => ({
  searchPosts: ({ query: { cursor, accountIds, ids, from, to, ...search }, caller }) =>
    overview.search(
      caller,
      { ...search, accountIds: idsIn(accountIds), ids: idsIn(ids), from: from || null, to: to || null },
      cursor,
    ),
  countPosts: async ({ query: { query, accountIds }, caller }) => ({
    counts: await overview.counts(caller, { query, accountIds: idsIn(accountIds) }),
  }),
  viewForEditor: ({ params, caller }) => desk.view(caller, params.id),
  unschedule: ({ params, caller }) => lifecycle.unschedule(caller, params.id),
  publishAgain: ({ params, body, caller }) =>
    byHand.publishNow(caller, params.id, { despite: body.accountIds, only: body.only }),
  getProgress: ({ params, caller }) => byHand.progress(caller, params.id),
  confirmFound: ({ params, body, caller }) => byHand.found(caller, params.id, body.accountIds),
});

const idsIn = (text: string) => text.split(',').filter((id) => id !== '');
