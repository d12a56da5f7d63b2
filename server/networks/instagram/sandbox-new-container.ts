import { z } from 'zod';
import { isTrue } from '#server/networks/families/meta/sandbox';
import type { SandboxKit } from '#server/networks/sandbox';
import { ratioOf } from '#server/networks/shared/picture';

const about = {
  caption: z.string().optional(),
  collaborators: z.array(z.string()).max(3).optional(),
  location_id: z.string().regex(/^\d+$/).optional(),
};
const username = z.string().regex(/^[A-Za-z0-9._]{1,30}$/);
const share = z.number().min(0).max(1);
/** Tagged people: an image needs a position for each, a reel accepts none, and on a story it is optional. */
const onImage = z
  .array(z.strictObject({ username, x: share, y: share }))
  .max(20)
  .optional();
const onReel = z.array(z.strictObject({ username })).max(20).optional();
const onStory = z
  .array(z.strictObject({ username, x: share.optional(), y: share.optional() }))
  .max(20)
  .optional();
const altText = z.string().max(1_000).optional();

export const NewContainer = z.union([
  z.strictObject({ image_url: z.url(), alt_text: altText, user_tags: onImage, ...about }),
  z.strictObject({ is_carousel_item: isTrue, image_url: z.url(), alt_text: altText, user_tags: onImage }),
  z.strictObject({ is_carousel_item: isTrue, media_type: z.literal('VIDEO'), video_url: z.url() }),
  z.strictObject({ media_type: z.literal('CAROUSEL'), children: z.string(), ...about }),
  z.strictObject({
    media_type: z.literal('REELS'),
    video_url: z.url(),
    share_to_feed: z.boolean().optional(),
    cover_url: z.url().optional(),
    thumb_offset: z.int().min(0).optional(),
    user_tags: onReel,
    trial_params: z.strictObject({ graduation_strategy: z.enum(['MANUAL', 'SS_PERFORMANCE']) }).optional(),
    ...about,
  }),
  z.strictObject({ media_type: z.literal('STORIES'), image_url: z.url(), user_tags: onStory }),
  z.strictObject({ media_type: z.literal('STORIES'), video_url: z.url(), user_tags: onStory }),
]);
export type NewContainer = z.output<typeof NewContainer>;

const badRatio = { code: 36003, subcode: 2207009, message: 'The aspect ratio is not supported.' };
export const badFormat = { code: 36001, subcode: 2207005, message: 'The image format is not supported.' };

/** Images are checked while the caller waits, videos later. */
export const wrongWith = async (kit: SandboxKit, fields: NewContainer) => {
  if ('image_url' in fields) {
    const file = await kit.fetchMedia(fields.image_url);
    if (file === undefined)
      return { refusal: { code: 9004, subcode: 2207052, message: 'The media could not be fetched from this URI.' } };
    if (file.mimeType !== 'image/jpeg') return { refusal: badFormat };
    const ratio = (await ratioOf(file.bytes)) ?? 0;
    const isStory = 'media_type' in fields && fields.media_type === 'STORIES';
    return isStory || (ratio >= 0.749 && ratio <= 1.911) ? {} : { refusal: badRatio };
  }
  if ('video_url' in fields) {
    const file = await kit.fetchMedia(fields.video_url);
    if (file === undefined) return { error: 'Error: Media upload has failed with error code 2207077' };
    return /^video\/(mp4|quicktime)$/.test(file.mimeType)
      ? {}
      : { error: 'Error: Media upload has failed with error code 2207026' };
  }
  return {};
};
