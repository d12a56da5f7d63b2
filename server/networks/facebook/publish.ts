import { z } from 'zod';
import { hasText, isGone, isPart, pagesOf } from '#server/networks/families/meta/graph';
import {
  absent,
  type Confirmation,
  type NetworkAccount,
  type Preparation,
  type PublishMedia,
  ready,
  type SendEnd,
  type Sending,
  type Site,
  sent,
  unknown,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isVideo, option } from '#server/networks/shared/post';
import { searchBack, withoutMatch } from '#server/networks/shared/recent';
import { asTrouble } from '#server/networks/trouble';
import { ask, askVideo } from './api.ts';
import { readVideo, setCover, sourceOf, uploadToFeed, uploadWhole } from './video.ts';

export const titleKey = 'facebook.video_title';
export const coverKey = 'facebook.cover';

export interface Prepared {
  /** The form that was sent: the post may be edited before we look for it on Facebook. */
  readonly form?: Form;
  readonly photos: readonly string[];
  readonly video?: string;
  /** The upload session of a feed video. */
  readonly session?: string;
  /** Only for feed videos: the file is sent with the call that makes it public. */
  readonly isWhole?: true;
  /** Facebook has accepted the video and is processing it. */
  readonly taken?: true;
  readonly asked: number;
}

type Form = 'comment' | 'feed' | 'video' | 'reel' | 'photoStory' | 'videoStory';

const formOf = ({ index, part, post }: Sending): Form => {
  if (index > 0) return 'comment';
  const hasVideo = part.media.some(isVideo);
  const type = option(post, 'facebook.type');
  if (type === 'story') return hasVideo ? 'videoStory' : 'photoStory';
  if (type === 'reel') return 'reel';
  return hasVideo ? 'video' : 'feed';
};

export const prepare = async (site: Site, sending: Sending): Promise<Preparation<Prepared>> => {
  const { account, part } = sending;
  const form = formOf(sending);
  const nothing = { form, photos: [], asked: 0 };
  const [first] = part.media;
  if (form === 'comment' || first === undefined) return ready(nothing);
  if (form === 'video') return ready({ ...nothing, ...(await uploadToFeed(site, account, first)) });
  if (form === 'reel') return ready({ ...nothing, ...(await uploadWhole(site, account, first, 'video_reels')) });
  if (form === 'videoStory')
    return ready({ ...nothing, ...(await uploadWhole(site, account, first, 'video_stories')) });
  const photos: string[] = [];
  for (const media of part.media) photos.push(await uploadPhoto(site, account, media));
  return ready({ ...nothing, photos });
};

const Created = z.object({ id: z.string().min(1) });
const StoryMade = z.object({ post_id: z.union([z.string().min(1), z.number()]).transform(String) });
const Done = z.object({ success: z.literal(true) });

const uploadPhoto = async (site: Site, account: NetworkAccount, media: PublishMedia) => {
  const fields = { published: 'false', alt_text_custom: media.alt || undefined };
  const stream = await media.read();
  const file = { field: 'source', name: media.id, mimeType: media.mimeType, length: media.bytes, stream };
  return shaped(Created, await ask(site, account, { path: `/${account.id}/photos`, multipart: { fields, file } })).id;
};

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { account, part, post, out } = sending;
  const { photos, video, session, isWhole } = prepared;
  const title = option(post, titleKey) || undefined;
  const text = part.body.trim() === '' ? undefined : part.body;
  const edge = (name: string) => `/${account.id}/${name}`;
  switch (formOf(sending)) {
    case 'comment': {
      const answer = await ask(site, account, { path: `/${out[0]?.externalId}/comments`, json: { message: text } });
      return sent({ externalId: shaped(Created, answer).id });
    }
    case 'feed': {
      const json = {
        message: text,
        link: option(post, 'facebook.link') || undefined,
        attached_media: photos.length > 0 ? photos.map((id) => ({ media_fbid: id })) : undefined,
        published: true,
      };
      return posted(site, shaped(Created, await ask(site, account, { path: edge('feed'), json })).id);
    }
    case 'photoStory':
      return story(site, await ask(site, account, { path: edge('photo_stories'), json: { photo_id: photos[0] } }));
    case 'videoStory': {
      const json = { upload_phase: 'finish', video_id: video };
      return story(site, await ask(site, account, { path: edge('video_stories'), json }));
    }
    case 'reel': {
      const json = { upload_phase: 'finish', video_id: video, video_state: 'PUBLISHED', description: text, title };
      shaped(Done, await ask(site, account, { path: edge('video_reels'), json }));
      return waiting({ ...prepared, taken: true }, pauseMs(0));
    }
    case 'video': {
      const about = { description: text, title, published: 'true' };
      const [file] = part.media;
      if (isWhole && file) {
        const multipart = { fields: about, file: await sourceOf(file) };
        const { id } = shaped(Created, await askVideo(site, account, { path: edge('videos'), multipart }));
        return waiting({ ...prepared, video: id, taken: true }, pauseMs(0));
      }
      const form = { upload_phase: 'finish', upload_session_id: session, ...about };
      shaped(Done, await askVideo(site, account, { path: edge('videos'), form }));
      return waiting({ ...prepared, taken: true }, pauseMs(0));
    }
  }
};

const maxGone = 8;
const pauseMs = (reads: number) => Math.min(5_000 * (reads + 1), 30_000);

const addressOf = (site: Site, id: string) => `${site.link('web')}/${id}`;
const posted = (site: Site, id: string) => sent({ externalId: id, url: addressOf(site, id) });
/** It is unconfirmed which metrics Facebook has for the story of a Page. */
const story = (site: Site, answer: Awaited<ReturnType<typeof ask>>) => {
  const id = shaped(StoryMade, answer).post_id;
  return sent({ externalId: id, url: addressOf(site, id), withoutStatistics: true });
};

export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  switch (prepared.form ?? formOf(sending)) {
    case 'photoStory':
    case 'videoStory':
      return unknown;
    case 'video':
    case 'reel':
      return confirmVideo(site, sending, prepared);
    case 'comment':
      return confirmComment(site, sending);
    case 'feed':
      return confirmPost(site, sending, prepared);
  }
};

/**
 * When the answer to a whole-file upload is lost, there is no id to query. The post is listed only once it is
 * processed.
 */
const confirmFile = async (site: Site, sending: Sending): Promise<Confirmation<Prepared>> => {
  const confirmation = await confirmPost(site, sending, { photos: [] });
  return confirmation.is === 'absent' ? unknown : confirmation;
};

const confirmVideo = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const { account } = sending;
  const { video = '', taken: isAccepted, asked: reads } = prepared;
  if (video === '') return confirmFile(site, sending);
  const again = waiting({ ...prepared, asked: reads + 1 }, pauseMs(reads));
  try {
    const state = await readVideo(site, account, video);
    if (state.isPublished || (isAccepted && state.isReady)) {
      const id = state.postId ?? video;
      // With a video, Facebook returns only the last part of the post id, and with some reels none.
      const externalId = id.includes('_') || state.postId === undefined ? id : `${account.id}_${id}`;
      const url = state.url?.startsWith('/')
        ? site.link('web') + state.url
        : (state.url ?? addressOf(site, externalId));
      return sent({ externalId, url, ...(await coverNote(site, sending, video)) });
    }
    // A call whose answer was lost may still be under way.
    return isAccepted || state.isBegun || reads === 0 ? again : absent;
  } catch (error) {
    // A video that was just accepted may not be visible everywhere yet.
    if (isGone(error)) return isAccepted && reads < maxGone ? again : unknown;
    throw error;
  }
};

/** The video is published, even if setting its cover fails. */
const coverNote = async (site: Site, { account, post }: Sending, video: string): Promise<{ note?: string }> => {
  const cover = post.optionFiles?.[coverKey];
  if (cover === undefined) return {};
  try {
    await setCover(site, account, video, cover);
    return {};
  } catch (error) {
    return { note: `The video is out without its cover: set it on Facebook. ${asTrouble(error).message}` };
  }
};

const Attached = z.object({ target: z.object({ id: z.string() }).optional() });
const Entry = z.object({
  id: z.string(),
  message: z.string().optional(),
  created_time: z.string(),
  from: z.object({ id: z.string() }).optional(),
  attachments: z
    .object({
      data: z.array(Attached.extend({ subattachments: z.object({ data: z.array(Attached) }).optional() })),
    })
    .optional(),
});
type Entry = z.output<typeof Entry>;

const pageSize = 100;

const timeOf = ({ created_time }: Entry) => Date.parse(created_time);

const mayBe = (sending: Sending, { id, message, created_time }: Entry) =>
  isPart(sending, { id, text: message, at: created_time });

/** Facebook accepts no idempotency key. A post without text is recognized only by its photos. */
const confirmPost = async (
  site: Site,
  sending: Sending,
  { photos }: Pick<Prepared, 'photos'>,
): Promise<Confirmation<Prepared>> => {
  const { account, since } = sending;
  const fields = 'id,message,created_time,attachments{target,subattachments{target}}';
  const query = { fields, limit: pageSize };
  const search = await searchBack({
    readPage: pagesOf(ask, site, account, Entry, { path: `/${account.id}/published_posts`, query }),
    isCandidate: (entry) => mayBe(sending, entry),
    isMatch: (entry) => hasText(sending) || shows(entry, photos),
    timeOf,
    since,
  });
  const { match } = search;
  if (match === undefined) return withoutMatch(search);
  return sent({ externalId: match.id, url: addressOf(site, match.id), publishedAt: match.created_time });
};

const shows = ({ attachments }: Entry, photos: readonly string[]) =>
  attachments?.data
    .flatMap(({ target, subattachments }) => [target, ...(subattachments?.data ?? []).map((one) => one.target)])
    .some((target) => target !== undefined && photos.includes(target.id)) ?? false;

const confirmComment = async (site: Site, sending: Sending): Promise<Confirmation<Prepared>> => {
  const { account, out, since } = sending;
  const query = { fields: 'id,message,created_time,from', order: 'reverse_chronological', limit: pageSize };
  const search = await searchBack({
    readPage: pagesOf(ask, site, account, Entry, { path: `/${out[0]?.externalId}/comments`, query }),
    isCandidate: (entry) => (entry.from ?? account).id === account.id && mayBe(sending, entry),
    timeOf,
    since,
  });
  const { match } = search;
  return match ? sent({ externalId: match.id, publishedAt: match.created_time }) : withoutMatch(search);
};
