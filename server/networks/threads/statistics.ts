import { insightsOf, isGone } from '#server/networks/families/meta/graph';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { reported } from '#server/networks/shared/metrics';
import { ask } from './api.ts';

/** `shares` is not read: it counts sends to another person, but SPEC, Statistics rules 3 means reposts. */
const metric = 'views,likes,replies,reposts,quotes';

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const readings: MetricsRead[] = [];
  for (const { externalId } of posts) readings.push(await readOne(site, account, externalId));
  return readings;
};

const readOne = async (site: Site, account: NetworkAccount, id: string): Promise<MetricsRead> => {
  try {
    const insights = insightsOf(await ask(site, account, { path: `/${id}/insights`, query: { metric } }));
    const { views, likes, replies: comments, reposts: shares, quotes } = insights;
    return { is: 'numbers', metrics: reported({ views, likes, comments, shares, quotes }) };
  } catch (error) {
    if (isGone(error)) return { is: 'absent', why: 'The post is no longer on Threads.' };
    throw error;
  }
};
