import { z } from 'zod';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { reported } from '#server/networks/shared/metrics';
import { readPosts } from './api.ts';

const Numbers = z
  .object({
    impression_count: z.number().optional(),
    like_count: z.number().optional(),
    reply_count: z.number().optional(),
    repost_count: z.number().optional(),
    retweet_count: z.number().optional(),
    quote_count: z.number().optional(),
    bookmark_count: z.number().optional(),
  })
  .refine(({ repost_count, retweet_count }) => repost_count !== undefined || retweet_count !== undefined);

const Read = z
  .object({
    data: z.array(z.object({ id: z.string(), public_metrics: Numbers })).default([]),
    errors: z.array(z.object({ type: z.string().optional() })).default([]),
  })
  // X gives reasons other than a missing post with status 200, too.
  .refine(({ data, errors }) => data.length > 0 || errors.some(({ type = '' }) => type.endsWith('resource-not-found')));

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const query = { ids: posts.map(({ externalId }) => externalId).join(',') };
  const request = { path: '/2/tweets', query, fields: () => ['public_metrics'] };
  const { data } = await readPosts(site, account, request, Read);
  return posts.map(({ externalId }) => {
    const metrics = data.find(({ id }) => id === externalId)?.public_metrics;
    if (metrics === undefined) return { is: 'absent', why: 'The post is no longer on X.' };
    return {
      is: 'numbers',
      metrics: reported({
        views: metrics.impression_count,
        likes: metrics.like_count,
        comments: metrics.reply_count,
        shares: metrics.repost_count ?? metrics.retweet_count,
        quotes: metrics.quote_count,
        saves: metrics.bookmark_count,
      }),
    };
  });
};
