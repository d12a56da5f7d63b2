import { z } from 'zod';
import {
  type ByteRange,
  type NetworkAccount,
  type NetworkPost,
  type Preparation,
  type PublishMedia,
  ready,
  type SendEnd,
  type Sending,
  type Site,
  waiting,
} from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { isOn, isVideo, option } from '#server/networks/shared/post';
import { ask, uploadTrouble } from './api.ts';
import { privacyFor, readCreator, refuseTooLong } from './creator.ts';

export interface Prepared {
  readonly username: string;
  readonly privacy: string;
  readonly commentsOff: boolean;
  /** Set for a video from the start, for photos once they are sent. */
  readonly publishId?: string;
  readonly uploadUrl?: string;
  /** TikTok has received the whole video. */
  readonly uploaded?: true;
  /** Since when the post has not been found or has had no id. */
  readonly waitingSince?: string;
}

/** A larger video is sent in chunks of 5 to 64 MB; the last one also carries the remainder. */
const wholeBytes = 64_000_000;
const chunkBytes = 20_000_000;

const chunksOf = (bytes: number): { size: number; first: ByteRange[]; last: ByteRange } => {
  const size = bytes <= wholeBytes ? bytes : chunkBytes;
  const before = Math.floor(bytes / size) - 1;
  return {
    size,
    first: Array.from({ length: before }, (_, index) => ({ first: index * size, last: (index + 1) * size - 1 })),
    last: { first: before * size, last: bytes - 1 },
  };
};

const Begun = z.object({ data: z.object({ publish_id: z.string().min(1), upload_url: z.string().min(1) }) });

/** The last byte of a video publishes it; until then the upload can start again. */
export const prepare = async (site: Site, sending: Sending): Promise<Preparation<Prepared>> => {
  const { account, post, part } = sending;
  if (isDraft(post)) return prepareDraft(site, sending);
  const creator = await readCreator(site, account);
  const about = { username: creator.username, privacy: privacyFor(post, creator), commentsOff: creator.commentsOff };
  const video = part.media.find(isVideo);
  if (video === undefined) return ready(about);
  refuseTooLong(video, creator);
  const info = {
    title: part.body,
    privacy_level: about.privacy,
    disable_comment: creator.commentsOff || !isOn(post, 'tiktok.allow_comment'),
    disable_duet: creator.duetsOff || !isOn(post, 'tiktok.allow_duet'),
    disable_stitch: creator.stitchesOff || !isOn(post, 'tiktok.allow_stitch'),
    video_cover_timestamp_ms: Number(option(post, 'tiktok.cover_ms')),
    brand_content_toggle: isOn(post, 'tiktok.brand_content'),
    brand_organic_toggle: isOn(post, 'tiktok.brand_organic'),
    is_aigc: isOn(post, 'tiktok.ai_generated'),
  };
  return ready({ ...about, ...(await uploadAllButEnd(site, account, video, info)) });
};

/** A draft is finished in the app, where the person also chooses who can see it. */
export const isDraft = (post: NetworkPost): boolean => option(post, 'tiktok.mode') === 'draft';

const prepareDraft = async (site: Site, { account, part }: Sending): Promise<Preparation<Prepared>> => {
  const about = { username: account.handle, privacy: '', commentsOff: false };
  const video = part.media.find(isVideo);
  return ready({ ...about, ...(video && (await uploadAllButEnd(site, account, video))) });
};

/** Without `info` the video becomes a draft, which accepts no post settings. */
const uploadAllButEnd = async (site: Site, account: NetworkAccount, video: PublishMedia, info?: object) => {
  const chunks = chunksOf(video.bytes);
  const answer = await ask(site, account, {
    path: info ? '/post/publish/video/init/' : '/post/publish/inbox/video/init/',
    json: {
      ...(info && { post_info: info }),
      source_info: {
        source: 'FILE_UPLOAD',
        video_size: video.bytes,
        chunk_size: chunks.size,
        total_chunk_count: chunks.first.length + 1,
      },
    },
  });
  const { publish_id, upload_url } = shaped(Begun, answer).data;
  for (const range of chunks.first) await upload(site, upload_url, video, range);
  return { publishId: publish_id, uploadUrl: upload_url };
};

const upload = async (site: Site, url: string, video: PublishMedia, { first, last }: ByteRange) => {
  const answer = await site.request({
    method: 'PUT',
    url,
    headers: { 'content-type': video.mimeType, 'content-range': `bytes ${first}-${last}/${video.bytes}` },
    bytes: { length: last - first + 1, stream: await video.read({ first, last }) },
  });
  if (answer.status >= 300) throw uploadTrouble(answer, site.now());
};

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const video = sending.part.media.find(isVideo);
  if (video === undefined) {
    return waiting({ ...prepared, publishId: await sendPhotos(site, sending, prepared) }, 5_000);
  }
  await upload(site, prepared.uploadUrl ?? '', video, chunksOf(video.bytes).last);
  return waiting({ ...prepared, uploaded: true }, 20_000);
};

const PublishId = z.object({ data: z.object({ publish_id: z.string().min(1) }) });

const sendPhotos = async (site: Site, { account, post, part }: Sending, { privacy, commentsOff }: Prepared) => {
  const words = { title: option(post, 'tiktok.title'), description: part.body };
  const answer = await ask(site, account, {
    path: '/post/publish/content/init/',
    json: {
      media_type: 'PHOTO',
      post_mode: isDraft(post) ? 'MEDIA_UPLOAD' : 'DIRECT_POST',
      post_info: isDraft(post)
        ? words
        : {
            ...words,
            privacy_level: privacy,
            disable_comment: commentsOff || !isOn(post, 'tiktok.allow_comment'),
            auto_add_music: isOn(post, 'tiktok.auto_music'),
            brand_content_toggle: isOn(post, 'tiktok.brand_content'),
            brand_organic_toggle: isOn(post, 'tiktok.brand_organic'),
          },
      source_info: {
        source: 'PULL_FROM_URL',
        photo_cover_index: Number(option(post, 'tiktok.cover_photo')) - 1,
        photo_images: part.media.map(({ url }) => url),
      },
    },
  });
  return shaped(PublishId, answer).data.publish_id;
};
