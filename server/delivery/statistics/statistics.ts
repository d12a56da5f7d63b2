import type { MetricsEntry } from '#contracts/analytics';
import type { Caller } from '#server/base/context';
import type { Networks } from '#server/networks/registry';
import type { Reading } from '#server/writing/posts/reading';
import type { PublicationStore } from './publication-store.ts';

export type Statistics = ReturnType<typeof createStatistics>;

/** The stored statistics of published posts. */
export const createStatistics = ({
  store,
  networks,
  reading,
}: {
  store: PublicationStore;
  networks: Networks;
  reading: Reading;
}) => ({
  ofPost: async (caller: Caller, id: string) => {
    const post = await reading.get(caller, id);
    const rows = await store.ofPost(caller.workspaceId, post.id);
    const accounts = rows.map((row): MetricsEntry => {
      // If the first read failed, there are no metrics yet, only the time and the error.
      const fetchedAt = row.fetchedAt ?? row.failedAt;
      return {
        accountId: row.accountId,
        provider: networks.get(row.network).name,
        externalId: row.externalId,
        publishedAt: row.publishedAt,
        ...(fetchedAt !== null && {
          metrics: { ...row.metrics, fetchedAt, ...(row.fetchError !== null && { error: row.fetchError }) },
        }),
        ...(row.nextFetchAt !== null && { nextFetchAt: row.nextFetchAt }),
      };
    });
    return { postId: post.id, accounts };
  },

  /** Every read that returned metrics, oldest first, for charts. */
  history: async (caller: Caller, id: string) => {
    const post = await reading.get(caller, id);
    const rows = await store.history(caller.workspaceId, post.id);
    const accounts = rows.map(({ accountId, network, reads }) => ({
      accountId,
      provider: networks.get(network).name,
      reads,
    }));
    return { postId: post.id, accounts };
  },
});
