import { z } from 'zod';
import { insightsOf, isGone } from '#server/networks/families/meta/graph';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { reported } from '#server/networks/shared/metrics';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

const Total = z.object({ summary: z.object({ total_count: z.number() }) });

const Post = z.object({
  shares: z.object({ count: z.number() }).optional(),
  reactions: Total,
});

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const readings: MetricsRead[] = [];
  for (const { externalId } of posts) readings.push(await readFirst(site, account, idsOf(account, externalId)));
  return readings;
};

/** Some reels are found only by the id of their video. */
const idsOf = ({ id: page }: NetworkAccount, id: string) => (id.includes('_') ? [id] : [`${page}_${id}`, id]);

const readFirst = async (site: Site, account: NetworkAccount, [id, ...others]: string[]): Promise<MetricsRead> => {
  if (id === undefined) return { is: 'absent', why: 'The post is no longer on Facebook.' };
  try {
    const fields = 'shares,reactions.limit(0).summary(true)';
    const post = shaped(Post, await ask(site, account, { path: `/${id}`, query: { fields } }));
    return {
      is: 'numbers',
      metrics: reported({
        ...(await readViews(site, account, id)),
        likes: post.reactions.summary.total_count,
        comments: await countComments(site, account, id),
        // Left out until somebody shares it.
        shares: post.shares?.count ?? 0,
      }),
    };
  } catch (error) {
    if (isGone(error)) return readFirst(site, account, others);
    throw error;
  }
};

/** Comments need a permission of their own; without it the other metrics are still reported. */
const countComments = async (site: Site, account: NetworkAccount, id: string) => {
  try {
    const query = { summary: 'true', limit: 0 };
    return shaped(Total, await ask(site, account, { path: `/${id}/comments`, query })).summary.total_count;
  } catch (error) {
    if (error instanceof NetworkTrouble && error.kind === 'permission') return undefined;
    throw error;
  }
};

/** SPEC, Statistics rules 8: a Page with fewer than 100 likes gets none, or an error. */
const readViews = async (site: Site, account: NetworkAccount, id: string) => {
  try {
    const query = { metric: 'post_media_view,post_total_media_view_unique' };
    const insights = insightsOf(await ask(site, account, { path: `/${id}/insights`, query }));
    return { views: insights.post_media_view, reach: insights.post_total_media_view_unique };
  } catch (error) {
    if (error instanceof NetworkTrouble && error.kind === 'content') return {};
    throw error;
  }
};
