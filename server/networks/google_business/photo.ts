import { z } from 'zod';
import { type NetworkPost, type Sending, type Site, sent } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { option } from '#server/networks/shared/post';
import { isSince, type Page, searchBack, withoutMatch } from '#server/networks/shared/recent';
import { ask } from './api.ts';

const pageSize = 2_500;

export const isPhoto = (post: NetworkPost): boolean => option(post, 'google_business.topic_type') === 'PHOTO';

const MediaItem = z.object({
  name: z.string().min(1),
  sourceUrl: z.string().optional(),
  createTime: z.string().optional(),
});
type MediaItem = z.output<typeof MediaItem>;

/** Google reports the address it fetched a photo from. The key in the address tells this send from all others. */
const addressOf = ({ part, key }: Sending) => `${part.media[0]?.url}?${new URLSearchParams({ send: key })}`;

const pathOf = ({ account }: Sending) => `/v4/${account.id}/media`;

/** Google's address of a photo changes over time, so there is none to show. */
const endOf = ({ name, createTime }: MediaItem) =>
  sent({ externalId: name, ...(createTime && { publishedAt: createTime }) });

export const sendPhoto = async (site: Site, sending: Sending) => {
  const { account, post, part } = sending;
  const answer = await ask(site, account, {
    host: 'posts',
    path: pathOf(sending),
    json: {
      mediaFormat: 'PHOTO',
      locationAssociation: { category: option(post, 'google_business.photo_category') },
      sourceUrl: addressOf(sending),
      ...(part.body !== '' && { description: part.body }),
    },
  });
  return endOf(shaped(MediaItem, answer));
};

const nextPageToken = z.string().optional();
const totalMediaItemCount = z.number().optional();
/** Google omits empty lists. Next to unknown fields, a missing list may mean something else, so it is not accepted. */
const MediaItems = z.union([
  z.object({ mediaItems: z.array(MediaItem), nextPageToken }),
  z
    .strictObject({ nextPageToken, totalMediaItemCount })
    .transform(({ nextPageToken: next }) => ({ mediaItems: [], nextPageToken: next })),
]);

export const confirmPhoto = async (site: Site, sending: Sending) => {
  const address = addressOf(sending);
  const readPage = async (pageToken?: string): Promise<Page<MediaItem>> => {
    const request = { host: 'posts', path: pathOf(sending), query: { pageSize, pageToken } } as const;
    const { mediaItems, nextPageToken: next } = shaped(MediaItems, await ask(site, sending.account, request));
    return { entries: mediaItems, next };
  };
  const search = await searchBack({
    readPage,
    // A new photo without the address may be this one.
    isCandidate: ({ sourceUrl, createTime = '' }) =>
      sourceUrl === address || (sourceUrl === undefined && isSince(Date.parse(createTime), sending.since)),
    isMatch: ({ sourceUrl }) => sourceUrl === address,
    since: sending.since,
  });
  return search.match ? endOf(search.match) : withoutMatch(search);
};
