import type { PostStatus } from '#contracts/posts';
import type { Caller } from '#server/context';
import { notFound } from '#server/errors';
import { fromCursor, toPage } from '#server/store/page';
import type { PostStore } from './store.ts';

export type Reading = ReturnType<typeof createReading>;

export const createReading = ({ store }: { store: PostStore }) => ({
  get: async ({ workspaceId }: Caller, id: string) => {
    const post = await store.get(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  /** Which accounts have a result by now. */
  progress: async ({ workspaceId }: Caller, id: string) => {
    const post = await store.get(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    const { status, results, accountIds } = post;
    if (status !== 'Publishing') return { status, results };
    const known = new Map([...results, ...(await store.sendResults(id))].map((result) => [result.accountId, result]));
    return { status, results: accountIds.flatMap((accountId) => known.get(accountId) ?? []) };
  },

  /** Inside a transaction: nobody changes it until that ends. */
  lock: async ({ workspaceId }: Caller, id: string) => {
    const post = await store.lock(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  list: async (
    { workspaceId }: Caller,
    { status, limit, cursor }: { status?: PostStatus | undefined; limit: number; cursor?: string | undefined },
  ) => {
    const rows = await store.list(workspaceId, limit + 1, fromCursor(cursor), status);
    const { page, ...more } = toPage(rows, limit);
    return { posts: page, ...more };
  },
});
