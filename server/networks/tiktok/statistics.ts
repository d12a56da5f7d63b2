import { z } from 'zod';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { reported } from '#server/networks/shared/metrics';
import { ask } from './api.ts';

const Read = z.object({
  data: z.object({
    videos: z.array(
      z.object({
        id: z.string(),
        view_count: z.number(),
        like_count: z.number().optional(),
        comment_count: z.number().optional(),
        share_count: z.number().optional(),
      }),
    ),
  }),
});

/** The id of a public post; others keep the id of their upload. */
const isPublicId = (id: string) => /^\d+$/.test(id);

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const ids = posts.map(({ externalId }) => externalId).filter(isPublicId);
  const videos = ids.length > 0 ? await query(site, account, ids) : [];
  return posts.map(({ externalId }) => {
    if (!isPublicId(externalId)) return { is: 'over', why: 'TikTok has numbers only of public posts.' };
    const video = videos.find(({ id }) => id === externalId);
    if (video === undefined)
      return { is: 'absent', why: 'TikTok has no numbers: the post is gone or no longer public.' };
    return {
      is: 'numbers',
      metrics: reported({
        views: video.view_count,
        likes: video.like_count,
        comments: video.comment_count,
        shares: video.share_count,
      }),
    };
  });
};

const query = async (site: Site, account: NetworkAccount, ids: readonly string[]) => {
  const answer = await ask(site, account, {
    path: '/video/query/',
    query: { fields: 'id,view_count,like_count,comment_count,share_count' },
    json: { filters: { video_ids: ids } },
  });
  return shaped(Read, answer).data.videos;
};
