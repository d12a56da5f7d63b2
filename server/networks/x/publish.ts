import { z } from 'zod';
import {
  type Confirmation,
  type NetworkPost,
  type Preparation,
  type PublishMedia,
  ready,
  type SendEnd,
  type Sending,
  type Site,
  sent,
  waiting,
} from '#server/networks/network';
import { pollIn } from '#server/networks/poll';
import { shaped } from '#server/networks/request';
import { isOn, isVideo, list, option } from '#server/networks/shared/post';
import { earliest, type Page, searchBack, withoutMatch } from '#server/networks/shared/recent';
import { comparable, replaceLinks } from '#server/networks/shared/text';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, readPosts } from './api.ts';
import { attachCaptions, captionsKey, uploadCaptions } from './captions.ts';

/** X accepts up to 4 MB; 1 MB is tested. */
const chunkBytes = 1_000_000;
const longestCheckSeconds = 60;

export interface Prepared {
  readonly mediaIds: readonly string[];
  /** Media that X is still processing. */
  readonly processing: readonly string[];
  /** Ids of the people tagged in the media. */
  readonly tagged?: readonly string[];
  /** Media id of the captions of the video, which is then the only file of the post. */
  readonly captionsId?: string;
}

const Uploaded = z.object({
  data: z.object({
    id: z.string(),
    processing_info: z
      .object({
        state: z.enum(['pending', 'in_progress', 'succeeded', 'failed']),
        check_after_secs: z.number().optional(),
        error: z.object({ message: z.string().optional() }).optional(),
      })
      .optional(),
  }),
});

export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
  const prepared = checkpoint ?? (await uploadAll(site, sending));
  let waitMs = 0;
  const processing: string[] = [];
  for (const id of prepared.processing) {
    const status = await ask(site, sending.account, {
      path: '/2/media/upload',
      query: { command: 'STATUS', media_id: id },
    });
    const { processing_info: info } = shaped(Uploaded, status).data;
    if (info?.state === 'failed') {
      throw new NetworkTrouble('media', `X could not use the file: ${info.error?.message ?? 'it gives no reason'}`);
    }
    if (info === undefined || info.state === 'succeeded') continue;
    processing.push(id);
    waitMs = Math.max(waitMs, Math.min(Math.max(info.check_after_secs ?? 0, 1), longestCheckSeconds) * 1000);
  }
  const now = { ...prepared, processing };
  if (processing.length > 0) return waiting(now, waitMs);
  const [videoId] = now.mediaIds;
  if (now.captionsId !== undefined && videoId !== undefined) {
    await attachCaptions(site, sending, { videoId, captionsId: now.captionsId });
  }
  return ready(now);
};

const uploadAll = async (site: Site, sending: Sending): Promise<Prepared> => {
  const mediaIds: string[] = [];
  const processing: string[] = [];
  for (const media of sending.part.media) {
    const isWhole = media.kind === 'Image' && media.mimeType !== 'image/gif';
    const { id, processing_info: info } = await (isWhole ? uploadImage : uploadInChunks)(site, sending, media);
    if (info) processing.push(id);
    if (media.alt && media.kind === 'Image') {
      const metadata = { alt_text: { text: media.alt } };
      await ask(site, sending.account, { path: '/2/media/metadata', json: { id, metadata } });
    }
    mediaIds.push(id);
  }
  if (sending.index > 0) return { mediaIds, processing };
  const hasCaptions = option(sending.post, captionsKey) !== '' && sending.part.media.some(isVideo);
  return {
    mediaIds,
    processing,
    tagged: await taggedIds(site, sending),
    ...(hasCaptions && { captionsId: await uploadCaptions(site, sending) }),
  };
};

const Users = z.object({ data: z.array(z.object({ id: z.string(), username: z.string() })).default([]) });

/** X tags people by id, but people enter names. */
const taggedIds = async (site: Site, { account, post }: Sending): Promise<string[]> => {
  const tagged = list(post, 'x.tagged_users').map((one) => one.toLowerCase());
  // A username may be all digits: with @ it is a name, without @ an id.
  const nameOf = (one: string) => (/^\d+$/.test(one) ? undefined : one.replace('@', ''));
  const names = tagged.flatMap((one) => nameOf(one) ?? []);
  if (names.length === 0) return tagged;
  const query = { usernames: [...new Set(names)].join(',') };
  const { data } = shaped(Users, await ask(site, account, { path: '/2/users/by', query }));
  const ids = new Map(data.map(({ id, username }) => [username.toLowerCase(), id]));
  const nobody = names.find((name) => !ids.has(name));
  if (nobody !== undefined) {
    throw new NetworkTrouble('content', `Nobody on X is called @${nobody}: change x.tagged_users.`);
  }
  return [...new Set(tagged.map((one) => ids.get(nameOf(one) ?? '') ?? one))];
};

const uploadImage = async (site: Site, { account }: Sending, media: PublishMedia) => {
  const file = {
    field: 'media',
    name: media.id,
    mimeType: media.mimeType,
    length: media.bytes,
    stream: await media.read(),
  };
  const fields = { media_category: 'tweet_image' };
  return shaped(Uploaded, await ask(site, account, { path: '/2/media/upload', multipart: { fields, file } })).data;
};

const uploadInChunks = async (site: Site, { account }: Sending, media: PublishMedia) => {
  const begun = await ask(site, account, {
    path: '/2/media/upload/initialize',
    json: {
      media_type: media.mimeType,
      total_bytes: media.bytes,
      media_category: media.kind === 'Video' ? 'tweet_video' : 'tweet_gif',
    },
  });
  const { id } = shaped(Uploaded, begun).data;
  for (let index = 0; index * chunkBytes < media.bytes; index++) {
    const first = index * chunkBytes;
    const last = Math.min(first + chunkBytes, media.bytes) - 1;
    const stream = await media.read({ first, last });
    const file = { field: 'media', name: media.id, mimeType: media.mimeType, length: last - first + 1, stream };
    const multipart = { fields: { segment_index: String(index) }, file };
    await ask(site, account, { path: `/2/media/upload/${id}/append`, multipart });
  }
  return shaped(Uploaded, await ask(site, account, { method: 'POST', path: `/2/media/upload/${id}/finalize` })).data;
};

const Posted = z.object({ data: z.object({ id: z.string().min(1) }) });

export const send = async (
  site: Site,
  sending: Sending,
  { mediaIds, tagged = [] }: Prepared,
): Promise<SendEnd<Prepared>> => {
  const { account, post, part, out } = sending;
  const before = out.at(-1)?.externalId;
  const answer = await ask(site, account, {
    path: '/2/tweets',
    json: {
      text: part.body.trim() === '' ? '' : part.body,
      ...(mediaIds.length > 0 && {
        media: { media_ids: mediaIds, ...(tagged.length > 0 && { tagged_user_ids: tagged }) },
      }),
      ...(before !== undefined && { reply: { in_reply_to_tweet_id: before } }),
      ...(before === undefined && ofPost(post)),
      ...(isOn(post, 'x.made_with_ai') && { made_with_ai: true }),
      ...(isOn(post, 'x.paid_partnership') && { paid_partnership: true }),
    },
  });
  return posted(site, sending, shaped(Posted, answer).data.id);
};

/** Fields that are sent only with the first item of a thread. */
const ofPost = (post: NetworkPost) => {
  const replySettings = option(post, 'x.reply_settings');
  const community = option(post, 'x.community');
  const poll = pollIn(post, 'x.poll');
  const quoted = quotedIn(post);
  return {
    ...(quoted && { quote_tweet_id: quoted }),
    ...(poll && { poll: { options: poll.choices, duration_minutes: poll.durationMinutes } }),
    ...(replySettings !== '' && replySettings !== 'everyone' && { reply_settings: replySettings }),
    ...(community !== '' && { community_id: community }),
  };
};

/** `https://x.com/anna/status/42`, or only its id. */
export const quotedIn = (post: NetworkPost): string | undefined =>
  /(?:^|\/status\/)(\d{1,19})(?:$|[/?#])/.exec(option(post, 'x.quote'))?.[1];

const posted = (site: Site, { account }: Sending, id: string, publishedAt?: string) =>
  sent({
    externalId: id,
    url: `${site.link('web')}/${account.handle}/status/${id}`,
    ...(publishedAt !== undefined && { publishedAt }),
  });

/** Per page. Every post that is read costs the operator half a cent. */
const mostRead = 50;

const Entities = z.object({
  urls: z
    .array(z.object({ url: z.string(), expanded_url: z.string().optional(), media_key: z.string().optional() }))
    .optional(),
});

type Url = NonNullable<z.output<typeof Entities>['urls']>[number];

const WholeText = z.object({ text: z.string(), entities: Entities.optional() });

const Listed = z
  .object({
    id: z.string(),
    text: z.string(),
    created_at: z.string(),
    entities: Entities.optional(),
    attachments: z.object({ media_keys: z.array(z.string()).default([]) }).optional(),
    note_tweet: WholeText.optional(),
    note_post: WholeText.optional(),
  })
  .transform(({ note_tweet, note_post = note_tweet, ...post }) => ({
    ...post,
    // For a long text, `text` has only the beginning.
    whole: note_post ?? { text: post.text, entities: post.entities },
  }));
type Listed = z.output<typeof Listed>;

/** Errors also come with status 200, so an answer without posts has to state a count of 0. */
const Timeline = z.union([
  z.object({ data: z.array(Listed), meta: z.object({ next_token: z.string().optional() }).default({}) }),
  z
    .object({ meta: z.object({ result_count: z.literal(0), next_token: z.string().optional() }) })
    .transform(({ meta }) => ({ data: [], meta })),
]);

/**
 * X has no idempotency keys, so the posts since the send began are compared: by text without links (X rewrites links),
 * by link targets, and by media. A post that matches only by text may still be ours.
 */
export const confirm = async (
  site: Site,
  sending: Sending,
  { mediaIds }: Prepared,
): Promise<Confirmation<Prepared>> => {
  const { account, part, out, since } = sending;
  const start = earliest(since).toISOString().replace(/\.\d+/, '');
  const readPage = async (cursor?: string): Promise<Page<Listed>> => {
    const request = {
      path: `/2/users/${account.id}/tweets`,
      query: { max_results: mostRead, start_time: start, pagination_token: cursor },
      fields: ({ wholeText }: { wholeText: string }) => ['created_at', 'text', wholeText, 'attachments', 'entities'],
    };
    const { data, meta } = await readPosts(site, account, request, Timeline);
    return { entries: data, next: meta.next_token };
  };
  const search = await searchBack({
    readPage,
    isCandidate: ({ id, whole }) =>
      withoutLinks(unescaped(whole.text)) === withoutLinks(part.body) &&
      !out.some(({ externalId }) => externalId === id),
    isMatch: (post) => hasMedia(post, mediaIds) && hasLinks(post, sending),
    since,
  });
  const { match } = search;
  return match ? posted(site, sending, match.id, match.created_at) : withoutMatch(search);
};

/** The key of a file is its kind and its id: `3_1880028106020515840`. */
const hasMedia = ({ attachments }: Listed, ids: readonly string[]) =>
  sameList(
    (attachments?.media_keys ?? []).map((key) => key.replace(/^\d+_/, '')),
    ids,
  );

const hasLinks = ({ entities, whole }: Listed, { part, post }: Sending) => {
  const quoted = quotedIn(post);
  const isTyped = ({ expanded_url: to = '', media_key: key }: Url) =>
    key === undefined && !/\/(?:photo|video)\/\d+$/.test(to) && !(quoted && to.endsWith(`/status/${quoted}`));
  const shownLinks = (whole.entities ?? entities)?.urls?.filter(isTyped) ?? [];
  const typed: string[] = [];
  replaceLinks(part.body, (link) => {
    typed.push(link);
    return link;
  });
  return sameList(
    shownLinks.map(({ expanded_url: to = '' }) => withoutScheme(to)),
    typed.map(withoutScheme),
  );
};

/** X adds a scheme to bare domains. */
const withoutScheme = (link: string) =>
  link
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .toLowerCase();

const sameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((entry) => other.includes(entry));

/** X escapes three characters in every text it returns. */
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const withoutLinks = (text: string) => comparable(replaceLinks(text, () => ''));
