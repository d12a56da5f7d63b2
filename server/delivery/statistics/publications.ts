import type { ClaimedReads } from './claimed-reads.ts';
import type { Numbers } from './numbers.ts';
import type { NewPublication, PublicationStore } from './publication-store.ts';
import type { PublishedPosts } from './published-posts.ts';
import { firstMs } from './schedule.ts';

export type Publications = ReturnType<typeof createPublications>;

/** A publication is a post on one account: the subject of statistics and analytics. */
export const createPublications = ({
  store,
  publishedPosts,
}: {
  store: PublicationStore;
  publishedPosts: PublishedPosts;
}) => ({
  add: async (publications: readonly NewPublication[]) => {
    const added = await store.add(publications, firstMs);
    if (added.length > 0) await publishedPosts.add(added);
  },

  /** Stores what a network reported, and schedules the next read at the next of `stepsMs` after publication. */
  keep: (
    reads: ClaimedReads,
    numbers: readonly { readonly postId: string; readonly metrics: Numbers }[],
    stepsMs: readonly number[],
  ) =>
    store.transaction(async () => {
      const changed = await store.keep(reads, numbers, stepsMs);
      if (changed.length > 0) await publishedPosts.refresh(changed);
    }),
});
