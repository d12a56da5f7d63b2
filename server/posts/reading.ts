import type { Post, PostLine, PostStatus } from '#contracts/posts';
import { bounds } from '#server/bounds';
import type { Caller } from '#server/context';
import { notFound } from '#server/errors';
import { fromCursor, toCursor } from '#server/store/page';
import type { PostStore } from './store.ts';

export interface ListInput {
  readonly status?: PostStatus | undefined;
  readonly query: string;
  readonly from: string;
  readonly to: string;
  readonly view: 'full' | 'summary';
  readonly limit: number;
  readonly cursor?: string | undefined;
}

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
    { limit, cursor, view, status, query, from, to }: ListInput,
  ): Promise<{ posts: Post[]; summaries?: PostLine[]; nextCursor?: string }> => {
    const filter = { status, query, from: from || null, to: to || null };
    if (view === 'summary') {
      const found = await store.lines(workspaceId, limit, fromCursor(cursor), filter);
      const summaries = found.slice(0, limit);
      return { posts: [], summaries, ...nextOf(summaries, found.length > limit) };
    }
    const page = { limit, mostBytes: bounds.pageBytes };
    const { posts, more } = await store.list(workspaceId, page, fromCursor(cursor), filter);
    return { posts, ...nextOf(posts, more) };
  },
});

const nextOf = (page: readonly { id: string }[], more: boolean) => {
  const last = page.at(-1);
  return more && last ? { nextCursor: toCursor(last.id) } : {};
};
