import type { PostKey } from '#server/base/store/post-key';
import type { Outcomes } from '#server/writing/posts/outcome';
import type { BeginStore } from './begin-store.ts';

export type BeginPublishing = ReturnType<typeof createBegin>;

/**
 * From Draft, Scheduled or Failed to Publishing. Returns the posts that need no send, which the caller ends in the same
 * transaction.
 */
export const createBegin =
  ({ store, outcomes }: { store: BeginStore; outcomes: Outcomes }) =>
  async (posts: readonly PostKey[]) => {
    await outcomes.begin(posts, await store.publishedResults(posts));
    return store.queue(posts);
  };
