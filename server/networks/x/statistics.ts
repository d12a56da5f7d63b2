import { z } from 'zod';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { reported } from '#server/networks/shared/metrics';
import { ask } from './api.ts';

const Read = z.object({
  data: z
    .array(
      z.object({
        id: z.string(),
        public_metrics: z.object({
          impression_count: z.number().optional(),
          like_count: z.number().optional(),
          reply_count: z.number().optional(),
          retweet_count: z.number().optional(),
          quote_count: z.number().optional(),
          bookmark_count: z.number().optional(),
        }),
      }),
    )
    .default([]),
});

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const query = { ids: posts.map(({ externalId }) => externalId).join(','), 'tweet.fields': 'public_metrics' };
  const { data } = shaped(Read, await ask(site, account, { path: '/2/tweets', query }));
  return posts.map(({ externalId }) => {
    const found = data.find(({ id }) => id === externalId)?.public_metrics;
    if (found === undefined) return { is: 'over', why: 'The post is no longer on X.' };
    return {
      is: 'numbers',
      metrics: reported({
        views: found.impression_count,
        likes: found.like_count,
        comments: found.reply_count,
        shares: found.retweet_count,
        quotes: found.quote_count,
        saves: found.bookmark_count,
      }),
    };
  });
};
