import type { PostRoutes } from '#contracts/posts';
import type { RouteHandlers } from '#server/context';
import type { Lifecycle } from './lifecycle.ts';
import type { Overview } from './overview.ts';

export const postRoutes = ({
  lifecycle,
  overview,
}: {
  lifecycle: Lifecycle;
  overview: Overview;
}): RouteHandlers<PostRoutes> => ({
  searchPosts: ({ query: { cursor, accountIds, from, to, ...search }, caller }) =>
    overview.search(caller, { ...search, accountIds: idsIn(accountIds), from: from || null, to: to || null }, cursor),
  countScheduled: async ({ caller }) => ({ accounts: await overview.scheduledByAccount(caller) }),
  countPosts: async ({ query: { query, accountIds }, caller }) => ({
    counts: await overview.counts(caller, { query, accountIds: idsIn(accountIds) }),
  }),
  unschedule: ({ params, caller }) => lifecycle.unschedule(caller, params.id),
  publishAgain: ({ params, body, caller }) => lifecycle.publishNow(caller, params.id, { despite: body.accountIds }),
  confirmFound: ({ params, body, caller }) => lifecycle.found(caller, params.id, body.accountIds),
});

const idsIn = (text: string) => text.split(',').filter((id) => id !== '');
