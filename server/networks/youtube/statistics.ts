import { z } from 'zod';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { numbersNamed, reported } from '#server/networks/shared/metrics';
import { ask } from './api.ts';

/** YouTube sends counts as strings, and omits those that the channel hides. */
const Count = z.coerce.number();

const Videos = z.object({
  items: z.array(
    z.object({ id: z.string(), statistics: numbersNamed(['viewCount', 'likeCount', 'commentCount'], Count) }),
  ),
});

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const query = { part: 'statistics', id: posts.map(({ externalId }) => externalId).join(',') };
  const { items } = shaped(Videos, await ask(site, account, { path: '/youtube/v3/videos', query }));
  return posts.map(({ externalId }) => {
    const metrics = items.find(({ id }) => id === externalId)?.statistics;
    if (metrics === undefined) return { is: 'absent', why: 'The video is no longer on YouTube.' };
    return {
      is: 'numbers',
      metrics: reported({ views: metrics.viewCount, likes: metrics.likeCount, comments: metrics.commentCount }),
    };
  });
};
