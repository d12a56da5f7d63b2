import type { PostRoutes } from '#contracts/posts';
import type { RouteHandlers } from '#server/base/context';
import { idsIn } from '#server/base/ids';
import type { EditorViews } from './editor-view.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Overview } from './overview.ts';

export const postRoutes = ({
  editorViews,
  lifecycle,
  overview,
}: {
  editorViews: EditorViews;
  lifecycle: Lifecycle;
  overview: Overview;
}): RouteHandlers<
  Omit<PostRoutes, 'publishScheduled' | 'publishAgain' | 'getProgress' | 'giveUp' | 'confirmFound'>
> => ({
  searchPosts: ({ query: { cursor, accountIds, labelIds, ids, from, to, ...search }, caller }) =>
    overview.search(
      caller,
      {
        ...search,
        accountIds: idsIn(accountIds),
        labelIds: idsIn(labelIds),
        ids: idsIn(ids),
        from: from || null,
        to: to || null,
      },
      cursor,
    ),
  countScheduled: async ({ caller }) => ({ accounts: await overview.scheduledByAccount(caller) }),
  getLastAccounts: ({ caller }) => overview.lastAccounts(caller),
  countPosts: async ({ query: { query, accountIds, labelIds }, caller }) => ({
    counts: await overview.counts(caller, { query, accountIds: idsIn(accountIds), labelIds: idsIn(labelIds) }),
  }),
  viewForEditor: ({ params, caller }) => editorViews.get(caller, params.id),
  unschedule: ({ params, caller }) => lifecycle.unschedule(caller, params.id),
});
