import type { PostKey } from '#server/store/post-key';
import type { PublishedPostStore } from './store.ts';

export type PublishedPosts = ReturnType<typeof createPublishedPosts>;

/**
 * A post over all its publications: it counts once, however many accounts it went to. Kept in the transaction that changes
 * its publications.
 */
export const createPublishedPosts = ({ store }: { store: PublishedPostStore }) => {
  /** Their engagement has changed, or they went to another account. */
  const refresh = async (posts: readonly PostKey[]) => {
    await store.lock(posts);
    await store.refresh(posts);
  };

  return {
    refresh,

    /** They went to an account. */
    add: async (posts: readonly PostKey[]) => {
      // Who comes second to a new post waits here for the first, and counts what both have added.
      const added = new Set(await store.add(posts));
      const known = posts.filter(({ postId }) => !added.has(postId));
      if (known.length > 0) await refresh(known);
    },
  };
};
