import { z } from 'zod';
import type { MetricsRead, NetworkAccount, PublishedPost, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { reported } from '#server/networks/shared/metrics';
import { ask, isGone } from './api.ts';

const Read = z.object({
  posts: z.array(
    z.object({
      uri: z.string(),
      likeCount: z.number(),
      replyCount: z.number().optional(),
      repostCount: z.number().optional(),
      quoteCount: z.number().optional(),
      bookmarkCount: z.number().optional(),
    }),
  ),
});

export const readMetrics = async (
  site: Site,
  account: NetworkAccount,
  posts: readonly PublishedPost[],
): Promise<MetricsRead[]> => {
  const uris = new URLSearchParams(posts.map(({ externalId }) => ['uris', externalId]));
  const read = shaped(Read, await ask(site, account, { call: `app.bsky.feed.getPosts?${uris}` }));
  const readings: MetricsRead[] = [];
  for (const { externalId } of posts) {
    const post = read.posts.find(({ uri }) => uri === externalId);
    readings.push(post ? numbersOf(post) : await missing(site, account, externalId));
  }
  return readings;
};

const numbersOf = (post: z.output<typeof Read>['posts'][number]): MetricsRead => ({
  is: 'numbers',
  metrics: reported({
    likes: post.likeCount,
    comments: post.replyCount,
    shares: post.repostCount,
    quotes: post.quoteCount,
    saves: post.bookmarkCount,
  }),
});

/** The counting service learns of a post later than the account's server, which alone knows whether it was deleted. */
const missing = async (site: Site, account: NetworkAccount, uri: string): Promise<MetricsRead> => {
  const [repo, collection, rkey] = uri.replace('at://', '').split('/');
  try {
    await ask(site, account, { call: 'com.atproto.repo.getRecord', query: { repo, collection, rkey } });
    return { is: 'numbers', metrics: {} };
  } catch (error) {
    if (isGone(error)) return { is: 'absent', why: 'The post is no longer on Bluesky.' };
    throw error;
  }
};
