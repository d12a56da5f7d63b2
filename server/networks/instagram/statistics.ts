import { insightsOf, isGone } from '#server/networks/families/meta/graph';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { reported } from '#server/networks/shared/metrics';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';
import { Ref } from './publish.ts';

const storyLifeMs = 24 * 3_600_000;
const forgotten = 'Instagram keeps the numbers of a story for 24 hours.';

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const readings: MetricsRead[] = [];
  for (const post of posts) readings.push(await readOne(site, account, post));
  return readings;
};

const readOne = async (site: Site, account: NetworkAccount, post: PublishedPost): Promise<MetricsRead> => {
  const isStory = Ref.safeParse(post.ref).data?.story ?? false;
  const isLast = isStory && site.now().getTime() >= Date.parse(post.publishedAt) + storyLifeMs;
  // If a story does not have one of the metrics, Instagram refuses the whole request.
  const metric = isStory ? 'views,reach,shares' : 'views,reach,likes,comments,shares,saved';
  try {
    const insights = insightsOf(await ask(site, account, { path: `/${post.externalId}/insights`, query: { metric } }));
    const { views, reach, likes, comments, shares, saved: saves } = insights;
    return { is: 'numbers', metrics: reported({ views, reach, likes, comments, shares, saves }), isLast };
  } catch (error) {
    if (isLast && (isGone(error) || isTooEarly(error))) return { is: 'over', why: forgotten };
    if (isGone(error)) return { is: 'absent', why: 'The post is no longer on Instagram.' };
    if (isTooEarly(error)) return { is: 'numbers', metrics: {} };
    throw error;
  }
};

/** SPEC, Statistics rules 7. Otherwise, code 10 means a missing permission. */
const isTooEarly = (error: unknown) =>
  error instanceof NetworkTrouble && /^10\b/.test(error.networkCode ?? '') && /not enough viewers/i.test(error.message);
