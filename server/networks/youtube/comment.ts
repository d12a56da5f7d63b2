import { z } from 'zod';
import { type Confirmation, type Sending, type Site, sent, unknown } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isSince, type Page, searchBack } from '#server/networks/shared/recent';
import { ask } from './api.ts';

const path = '/youtube/v3/commentThreads';

const Created = z.object({ id: z.string().min(1) });

export const sendComment = async (site: Site, { account, part, out }: Sending) => {
  const topLevelComment = { snippet: { textOriginal: part.body } };
  const json = { snippet: { channelId: account.id, videoId: out[0]?.externalId, topLevelComment } };
  return sent({ externalId: shaped(Created, await ask(site, account, { path, query: { part: 'snippet' }, json })).id });
};

const Thread = z
  .object({
    id: z.string(),
    snippet: z.object({
      topLevelComment: z.object({
        snippet: z.object({
          textOriginal: z.string().optional(),
          publishedAt: z.string(),
          authorChannelId: z.object({ value: z.string() }).optional(),
        }),
      }),
    }),
  })
  .transform(({ id, snippet: { topLevelComment } }) => ({ id, ...topLevelComment.snippet }));
type Thread = z.output<typeof Thread>;
const Threads = z.object({ items: z.array(Thread), nextPageToken: z.string().optional() });

/** YouTube may list a new comment late, so a comment that is not listed may still exist. */
export const confirmComment = async (site: Site, sending: Sending): Promise<Confirmation<never>> => {
  const { account, part, out, since } = sending;
  const query = { part: 'snippet', videoId: out[0]?.externalId, order: 'time', maxResults: 100 };
  const readPage = async (cursor?: string): Promise<Page<Thread>> => {
    const answer = await ask(site, account, { path, query: { ...query, pageToken: cursor } });
    const { items, nextPageToken } = shaped(Threads, answer);
    return { entries: items, next: nextPageToken };
  };
  const { match } = await searchBack({
    readPage,
    isCandidate: ({ textOriginal, publishedAt, authorChannelId: author = { value: account.id } }) =>
      author.value === account.id &&
      textOriginal?.trim() === part.body.trim() &&
      isSince(Date.parse(publishedAt), since),
    timeOf: ({ publishedAt }) => Date.parse(publishedAt),
    since,
  });
  return match ? sent({ externalId: match.id, publishedAt: match.publishedAt }) : unknown;
};
