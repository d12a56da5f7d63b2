import type { PostStatus } from '#contracts/posts';
import { bounds } from '#server/bounds';
import type { Caller } from '#server/context';
import { notFound } from '#server/errors';
import { fromCursor, toCursor } from '#server/store/page';
import type { PostStore } from './store.ts';

export type Reading = ReturnType<typeof createReading>;

export const createReading = ({ store }: { store: PostStore }) => ({
  get: async ({ workspaceId }: Caller, id: string) => {
    const post = await store.get(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  /** Inside a transaction: nobody changes it until that ends. */
  lock: async ({ workspaceId }: Caller, id: string) => {
    const post = await store.lock(workspaceId, id);
    if (post === undefined) throw notFound('post', id);
    return post;
  },

  /** Those of the ids that exist. */
  many: ({ workspaceId }: Caller, ids: readonly string[]) => store.many(workspaceId, ids),

  /** The next ones that are to go to this account. */
  scheduledFor: ({ workspaceId }: Caller, accountId: string, limit: number) =>
    store.scheduledFor(workspaceId, accountId, limit),

  list: async (
    { workspaceId }: Caller,
    { status, limit, cursor }: { status?: PostStatus | undefined; limit: number; cursor?: string | undefined },
  ) => {
    const page = { limit, mostBytes: bounds.pageBytes };
    const { posts, more } = await store.list(workspaceId, page, fromCursor(cursor), status);
    const last = posts.at(-1);
    return { posts, ...(more && last && { nextCursor: toCursor(last.id) }) };
  },
});
