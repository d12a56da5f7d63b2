import { z } from 'zod';
import {
  addressOf,
  type Containers,
  createContainers,
  type Form,
  type ListedPost,
  noContainers,
} from '#server/networks/families/meta/containers';
import { isPart, pagesOf } from '#server/networks/families/meta/graph';
import {
  type Confirmation,
  type NetworkAccount,
  type NetworkItem,
  type NetworkMedia,
  type NetworkPost,
  type Preparation,
  type PublishMedia,
  ready,
  type SendEnd,
  type Sending,
  type Sent,
  type Site,
  sent,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isOn, isVideo, itemsAndFirstComment, list, option } from '#server/networks/shared/post';
import { searchBack, withoutMatch } from '#server/networks/shared/recent';
import { ask } from './api.ts';
import { tagsOf } from './tags.ts';

export const coverKey = 'instagram.cover';

export type Prepared = Containers;

/** Tells stories from posts, because they have different metrics. */
export const Ref = z.object({ story: z.boolean() });

export const isStory = ({ post }: Pick<Sending, 'post'>) => option(post, 'instagram.type') === 'story';

/** Every file of a story is a story of its own. */
export const parts = <Media extends NetworkMedia>(post: NetworkPost<Media>): readonly NetworkItem<Media>[] => {
  const [first] = post.items;
  if (option(post, 'instagram.type') !== 'story' || first === undefined || first.media.length === 0)
    return ordinary(post);
  return first.media.map((media) => ({ body: first.body, media: [media] }));
};

const ordinary = itemsAndFirstComment('instagram.first_comment');

export const isComment = (sending: Sending) => sending.index > 0 && !isStory(sending);

const fileOf = (media: PublishMedia) => (isVideo(media) ? { video_url: media.url } : { image_url: media.url });
const altOf = (media: PublishMedia) => (!isVideo(media) && media.alt ? { alt_text: media.alt } : {});

const formOf = (sending: Sending): Form => {
  const { part, post } = sending;
  const [first, ...others] = part.media;
  const collaborators = list(post, 'instagram.collaborators');
  const location = option(post, 'instagram.location_id');
  const about = {
    ...(part.body.trim() !== '' && { caption: part.body }),
    ...(collaborators.length > 0 && { collaborators }),
    ...(location !== '' && { location_id: location }),
  };
  if (first === undefined) return alone(about);
  if (isStory(sending)) {
    const tags = sending.index === 0 ? taggedIn(post, 'video') : {};
    return alone({ media_type: 'STORIES', ...fileOf(first), ...tags });
  }
  if (others.length > 0) {
    const tagged = part.media.find((media) => !isVideo(media));
    return {
      children: part.media.map((media) => ({
        is_carousel_item: true,
        ...(isVideo(media) && { media_type: 'VIDEO' }),
        ...fileOf(media),
        ...altOf(media),
        ...(media === tagged && taggedIn(post, 'image')),
      })),
      container: (children) => ({ media_type: 'CAROUSEL', children: children.join(','), ...about }),
    };
  }
  if (!isVideo(first)) return alone({ ...fileOf(first), ...altOf(first), ...taggedIn(post, 'image'), ...about });
  const cover = post.optionFiles?.[coverKey];
  const moment = option(post, 'instagram.cover_ms');
  const trial = option(post, 'instagram.trial_reel');
  return alone({
    media_type: 'REELS',
    ...fileOf(first),
    ...about,
    ...taggedIn(post, 'video'),
    ...(cover ? { cover_url: cover.url } : moment !== '' && { thumb_offset: Number(moment) }),
    share_to_feed: isOn(post, 'instagram.share_to_feed'),
    ...(trial !== '' && trial !== 'no' && { trial_params: { graduation_strategy: trial } }),
  });
};

const taggedIn = (post: NetworkPost, on: 'image' | 'video') => {
  const tags = tagsOf(post, on);
  return tags.length > 0 ? { user_tags: tags } : {};
};

const alone = (container: Readonly<Record<string, unknown>>): Form => ({ children: [], container: () => container });

const pageSize = 50;

const Listed = z
  .object({ id: z.string(), caption: z.string().optional(), timestamp: z.string(), permalink: z.string().optional() })
  .transform(
    ({ id, caption, timestamp, permalink }): ListedPost => ({ id, text: caption, at: timestamp, url: permalink }),
  );

const listOf = (site: Site, sending: Sending) =>
  pagesOf(ask, site, sending.account, Listed, {
    path: `/${sending.account.id}/${isStory(sending) ? 'stories' : 'media'}`,
    query: { fields: 'id,caption,timestamp,permalink', limit: pageSize },
  });

const asSent = (
  site: Site,
  sending: Sending,
  { id, url = profileUrl(site, sending.account), at }: ListedPost,
): Sent => ({ externalId: id, url, ref: refOf(sending), publishedAt: at });

const profileUrl = (site: Site, { handle }: NetworkAccount) => `${site.link('web')}/${handle}`;
const refOf = (sending: Sending) => ({ story: isStory(sending) });

const containers = createContainers({
  name: 'Instagram',
  ask,
  edges: { create: 'media', publish: 'media_publish' },
  statusFields: 'status_code,status',
  formOf,
  listOf,
  asSent,
});

export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> =>
  isComment(sending) ? ready(noContainers) : containers.prepare(site, sending, checkpoint);

const Created = z.object({ id: z.string().min(1) });

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { account, part } = sending;
  if (isComment(sending)) {
    const answer = await ask(site, account, { path: commentsOf(sending), json: { message: part.body } });
    return sent({ externalId: shaped(Created, answer).id });
  }
  const id = await containers.publish(site, sending, prepared);
  const url = await addressOf(ask, site, account, id, profileUrl(site, account));
  return sent({ externalId: id, url, ref: refOf(sending) });
};

const commentsOf = ({ out }: Sending) => `/${out[0]?.externalId}/comments`;

const Comment = z.object({
  id: z.string(),
  text: z.string(),
  timestamp: z.string(),
  username: z.string().optional(),
});

export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const { account } = sending;
  if (!isComment(sending)) return containers.confirm(site, sending, prepared);
  const query = { fields: 'id,text,timestamp,username', limit: pageSize };
  const readPage = pagesOf(ask, site, account, Comment, { path: commentsOf(sending), query });
  const search = await searchBack({
    readPage,
    isCandidate: ({ id, text, timestamp, username = account.handle }) =>
      username === account.handle && isPart(sending, { id, text, at: timestamp }),
    timeOf: ({ timestamp }) => Date.parse(timestamp),
    since: sending.since,
  });
  const { match } = search;
  return match ? sent({ externalId: match.id, publishedAt: match.timestamp }) : withoutMatch(search);
};
