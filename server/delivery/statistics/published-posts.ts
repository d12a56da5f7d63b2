import type { PostKey } from '#server/base/store/post-key';
import type { PublishedPostStore } from './published-post-store.ts';

export type PublishedPosts = ReturnType<typeof createPublishedPosts>;

/**
 * A post over all its publications, which counts once however many accounts it went to. Updated in the transaction that
 * changes its publications.
 */
export const createPublishedPosts = ({ store }: { store: PublishedPostStore }) => {
  /** Call after their engagement changed, or after another account was added. */
  const refresh = async (posts: readonly PostKey[]) => {
    await store.lock(posts);
    await store.refresh(posts);
  };

  return {
    refresh,

    /** Call after they were published on an account. */
    add: async (posts: readonly PostKey[]) => {
      // A concurrent transaction that adds the same post blocks here, and then refreshes it with both publications.
      const added = new Set(await store.add(posts));
      const existing = posts.filter(({ postId }) => !added.has(postId));
      if (existing.length > 0) await refresh(existing);
    },
  };
};
