import { z } from 'zod';
import {
  addressOf,
  type Containers,
  createContainers,
  type Form,
  type ListedPost,
} from '#server/networks/families/meta/containers';
import { pagesOf } from '#server/networks/families/meta/graph';
import {
  type Confirmation,
  type NetworkAccount,
  type NetworkPost,
  type Preparation,
  type PublishMedia,
  type SendEnd,
  type Sending,
  type Sent,
  type Site,
  sent,
} from '#server/networks/network';
import { type Poll, pollIn } from '#server/networks/poll';
import { shaped } from '#server/networks/request';
import { isOn, isVideo, option } from '#server/networks/shared/post';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';
import { gifIn } from './gif.ts';

export type Prepared = Containers;

const fileOf = (media: PublishMedia) => ({
  ...(isVideo(media) ? { media_type: 'VIDEO', video_url: media.url } : { media_type: 'IMAGE', image_url: media.url }),
  ...(media.alt && { alt_text: media.alt }),
});

const formOf = ({ part, post, out }: Sending): Form => {
  const [first, ...others] = part.media;
  const before = out.at(-1)?.externalId;
  const about = {
    ...(part.body.trim() !== '' && { text: part.body }),
    ...(before === undefined ? optionsOf(post) : { reply_to_id: before }),
    ...(first && isOn(post, 'threads.spoiler_media') && { is_spoiler_media: true }),
  };
  if (others.length > 0) {
    return {
      children: part.media.map((media) => ({ is_carousel_item: true, ...fileOf(media) })),
      container: (children) => ({ media_type: 'CAROUSEL', children: children.join(','), ...about }),
    };
  }
  // Text also goes through a container, so that its state shows whether it was published.
  return { children: [], container: () => ({ ...(first ? fileOf(first) : { media_type: 'TEXT' }), ...about }) };
};

/** Options of the whole thread, which are sent with its first item. */
const optionsOf = (post: Sending['post']) => {
  const replyControl = option(post, 'threads.reply_control');
  const topic = option(post, 'threads.topic_tag');
  const link = option(post, 'threads.link');
  const poll = pollIn(post, 'threads.poll');
  const quoted = option(post, 'threads.quote');
  const location = option(post, 'threads.location');
  const attached = option(post, 'threads.text_attachment');
  const gif = gifIn(post);
  return {
    ...(replyControl !== '' && replyControl !== 'everyone' && { reply_control: replyControl }),
    ...(topic !== '' && { topic_tag: topic }),
    ...(link !== '' && { link_attachment: link }),
    ...(location !== '' && { location_id: location }),
    ...(attached !== '' && { text_attachment: JSON.stringify({ plaintext: attached }) }),
    ...(gif !== undefined && { gif_attachment: JSON.stringify({ gif_id: gif, provider: 'GIPHY' }) }),
    ...(isOn(post, 'threads.ghost') && { is_ghost_post: true }),
    ...(quoted !== '' && { quote_post_id: quoted }),
    ...(poll && { poll_attachment: JSON.stringify(attachedPoll(poll)) }),
  };
};

const attachedPoll = ({ choices: [a, b, c, d] }: Poll) => ({ option_a: a, option_b: b, option_c: c, option_d: d });

const Listed = z
  .object({ id: z.string(), text: z.string().optional(), timestamp: z.string(), permalink: z.string().optional() })
  .transform(({ id, text, timestamp, permalink }): ListedPost => ({ id, text, at: timestamp, url: permalink }));

const listOf = (site: Site, { account, index }: Sending) =>
  pagesOf(ask, site, account, Listed, {
    path: `/${account.id}/${index > 0 ? 'replies' : 'threads'}`,
    query: { fields: 'id,text,timestamp,permalink', limit: 50 },
  });

const asSent = (site: Site, { account }: Sending, { id, url = profileUrl(site, account), at }: ListedPost): Sent => ({
  externalId: id,
  url,
  publishedAt: at,
});

const profileUrl = (site: Site, { handle }: NetworkAccount) => `${site.link('web')}/@${handle}`;

const containers = createContainers({
  name: 'Threads',
  ask,
  edges: { create: 'threads', publish: 'threads_publish' },
  statusFields: 'status,error_message',
  formOf,
  listOf,
  asSent,
});

export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
  const { post, index } = sending;
  const code = quotedCode(post);
  if (code === undefined || index > 0 || checkpoint?.container !== undefined)
    return containers.prepare(site, sending, checkpoint);
  const options = { ...post.options, 'threads.quote': await ownPost(site, sending.account, code) };
  return containers.prepare(site, { ...sending, post: { ...post, options } }, checkpoint);
};

/** The code in an address such as `https://www.threads.com/@anna/post/DAbc123`. Threads accepts only ids. */
const quotedCode = (post: NetworkPost) => /\/post\/([\w-]+)/.exec(option(post, 'threads.quote'))?.[1];

const OwnPosts = z.object({ data: z.array(z.object({ id: z.string(), permalink: z.string().optional() })) });
const mostOwn = 100;

/** Threads reveals the id behind an address only for the account's own posts. */
const ownPost = async (site: Site, account: NetworkAccount, code: string): Promise<string> => {
  const query = { fields: 'id,permalink', limit: mostOwn };
  const { data } = shaped(OwnPosts, await ask(site, account, { path: `/${account.id}/threads`, query }));
  const post = data.find(({ permalink }) => permalink?.split('/post/')[1]?.split(/[/?#]/)[0] === code);
  if (post !== undefined) return post.id;
  throw new NetworkTrouble(
    'content',
    `The quoted post is none of the last ${mostOwn} of this account, and Threads tells the id of no other: give the id in threads.quote.`,
  );
};

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { account } = sending;
  const id = await containers.publish(site, sending, prepared);
  return sent({ externalId: id, url: await addressOf(ask, site, account, id, profileUrl(site, account)) });
};

export const confirm = (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> =>
  containers.confirm(site, sending, prepared);
