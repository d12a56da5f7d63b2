import type { Numbers } from './numbers.ts';
import type { PublishedPosts } from './published-posts.ts';
import { firstMs } from './schedule.ts';
import type { HeldReads, NewPublication, StatisticsStore } from './store.ts';

export type Publications = ReturnType<typeof createPublications>;

/** Posts that are out, one for each account: what statistics and analytics are about. */
export const createPublications = ({
  store,
  publishedPosts,
}: {
  store: StatisticsStore;
  publishedPosts: PublishedPosts;
}) => ({
  /** In the transaction that ended their sends. */
  add: async (publications: readonly NewPublication[]) => {
    const added = await store.add(publications, firstMs);
    if (added.length > 0) await publishedPosts.add(added);
  },

  /** What a network reported; the next read is the next of `stepsMs` after publication. */
  keep: (
    reads: HeldReads,
    told: readonly { readonly postId: string; readonly metrics: Numbers }[],
    stepsMs: readonly number[],
  ) =>
    store.transaction(async () => {
      const changed = await store.keep(reads, told, stepsMs);
      if (changed.length > 0) await publishedPosts.refresh(changed);
    }),
});
