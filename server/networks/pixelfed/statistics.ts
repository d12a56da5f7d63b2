import { z } from 'zod';
import { readEach } from '#server/networks/families/mastodon/statistics';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { reported } from '#server/networks/shared/metrics';

const Counts = z.object({
  favourites_count: z.number(),
  replies_count: z.number().optional(),
  // The name on older servers.
  reply_count: z.number().optional(),
  reblogs_count: z.number(),
});

export const readMetrics = (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> =>
  readEach(site, account, posts, (status) => {
    const counts = shaped(Counts, status);
    return reported({
      likes: counts.favourites_count,
      comments: counts.replies_count ?? counts.reply_count,
      shares: counts.reblogs_count,
    });
  });
