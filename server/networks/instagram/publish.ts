import { z } from 'zod';
import {
  addressOf,
  type Containers,
  createContainers,
  type Form,
  noContainers,
} from '#server/networks/families/meta/containers';
import { isPart } from '#server/networks/families/meta/graph';
import {
  type Confirmation,
  type NetworkAccount,
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
import { isOn, isVideo, list, option } from '#server/networks/shared/post';
import { notAmong } from '#server/networks/shared/recent';
import { ask } from './api.ts';

export type Prepared = Containers;

/** What tells a story from a post, whose numbers are others. */
export const Ref = z.object({ story: z.boolean() });

const isStory = ({ post }: Sending) => option(post, 'instagram.type') === 'story';

const fileOf = (media: PublishMedia) => (isVideo(media) ? { video_url: media.url } : { image_url: media.url });
const altOf = (media: PublishMedia) => (!isVideo(media) && media.alt ? { alt_text: media.alt } : {});

const formOf = (sending: Sending): Form => {
  const { part, post } = sending;
  const [first, ...others] = part.media;
  const collaborators = list(post, 'instagram.collaborators');
  const about = {
    ...(part.body.trim() !== '' && { caption: part.body }),
    ...(collaborators.length > 0 && { collaborators }),
  };
  if (first === undefined) return alone(about);
  if (isStory(sending)) return alone({ media_type: 'STORIES', ...fileOf(first) });
  if (others.length > 0) {
    return {
      children: part.media.map((media) => ({
        is_carousel_item: true,
        ...(isVideo(media) && { media_type: 'VIDEO' }),
        ...fileOf(media),
        ...altOf(media),
      })),
      container: (children) => ({ media_type: 'CAROUSEL', children: children.join(','), ...about }),
    };
  }
  if (!isVideo(first)) return alone({ ...fileOf(first), ...altOf(first), ...about });
  const trial = option(post, 'instagram.trial_reel');
  return alone({
    media_type: 'REELS',
    ...fileOf(first),
    ...about,
    share_to_feed: isOn(post, 'instagram.share_to_feed'),
    ...(trial !== '' && trial !== 'no' && { trial_params: { graduation_strategy: trial } }),
  });
};

const alone = (container: Readonly<Record<string, unknown>>): Form => ({ children: [], container: () => container });

const pageSize = 50;

const MediaList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      caption: z.string().optional(),
      timestamp: z.string(),
      permalink: z.string().optional(),
    }),
  ),
});

const find = async (site: Site, sending: Sending): Promise<Sent | undefined> => {
  const { account } = sending;
  const answer = await ask(site, account, {
    path: `/${account.id}/${isStory(sending) ? 'stories' : 'media'}`,
    query: { fields: 'id,caption,timestamp,permalink', limit: pageSize },
  });
  const found = shaped(MediaList, answer).data.find(({ id, caption, timestamp }) =>
    isPart(sending, { id, text: caption, at: timestamp }),
  );
  return (
    found && {
      externalId: found.id,
      url: found.permalink ?? profileUrl(site, account),
      ref: refOf(sending),
      publishedAt: found.timestamp,
    }
  );
};

const profileUrl = (site: Site, { handle }: NetworkAccount) => `${site.link('web')}/${handle}`;
const refOf = (sending: Sending) => ({ story: isStory(sending) });

const containers = createContainers({
  name: 'Instagram',
  ask,
  edges: { create: 'media', publish: 'media_publish' },
  statusFields: 'status_code,status',
  formOf,
  find,
});

export const prepare = async (site: Site, sending: Sending, kept?: Prepared): Promise<Preparation<Prepared>> =>
  sending.index === 0 ? containers.prepare(site, sending, kept) : ready(noContainers);

const Made = z.object({ id: z.string() });

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { account, part, index } = sending;
  if (index > 0) {
    const answer = await ask(site, account, { path: commentsOf(sending), json: { message: part.body } });
    return sent({ externalId: shaped(Made, answer).id });
  }
  const id = await containers.publish(site, sending, prepared);
  const url = await addressOf(ask, site, account, id, profileUrl(site, account));
  return sent({ externalId: id, url, ref: refOf(sending) });
};

const commentsOf = ({ out }: Sending) => `/${out[0]?.externalId}/comments`;

const CommentList = z.object({
  data: z.array(z.object({ id: z.string(), text: z.string(), timestamp: z.string(), username: z.string().optional() })),
});

export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const { account, index } = sending;
  if (index === 0) return containers.confirm(site, sending, prepared);
  const query = { fields: 'id,text,timestamp,username', limit: pageSize };
  const answer = await ask(site, account, { path: commentsOf(sending), query });
  const { data } = shaped(CommentList, answer);
  const found = data.find(
    ({ id, text, timestamp, username = account.handle }) =>
      username === account.handle && isPart(sending, { id, text, at: timestamp }),
  );
  if (found) return sent({ externalId: found.id, publishedAt: found.timestamp });
  const times = data.map(({ timestamp }) => Date.parse(timestamp));
  return notAmong(times, pageSize, sending.since);
};
