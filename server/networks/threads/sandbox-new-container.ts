import { z } from 'zod';
import { invalid, isTrue, type Refusal } from '#server/networks/families/meta/sandbox';
import type { SandboxGrant, SandboxKit } from '#server/networks/sandbox';
import { links } from '#server/networks/shared/text';
import { noMedia, notAllowed } from './sandbox-access.ts';

const replyControls = [
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
] as const;

const text = z.string().optional();
const about = {
  location_id: z.string().regex(/^\d+$/).optional(),
  reply_to_id: z.string().optional(),
  quote_post_id: z.string().optional(),
  reply_control: z.enum(replyControls).optional(),
  topic_tag: z
    .string()
    .regex(/^[^.&]{1,50}$/)
    .optional(),
};
const ofMedia = { alt_text: z.string().max(1_000).optional() };
const asPost = { text, is_spoiler_media: z.boolean().optional(), ...about };
const image = { media_type: z.literal('IMAGE'), image_url: z.url(), ...ofMedia };
const video = { media_type: z.literal('VIDEO'), video_url: z.url(), ...ofMedia };
const isItem = { is_carousel_item: isTrue };

/** A JSON object in a text parameter, as Graph expects it. */
const asJson = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('Invalid JSON');
    return z.NEVER;
  }
});
const choice = z.string().min(1).max(25);
const PollAttachment = asJson.pipe(
  z.strictObject({ option_a: choice, option_b: choice, option_c: choice.optional(), option_d: choice.optional() }),
);

export const NewContainer = z.union([
  z.strictObject({
    media_type: z.literal('TEXT'),
    text: z.string().min(1),
    link_attachment: z.url().optional(),
    poll_attachment: PollAttachment.optional(),
    gif_attachment: asJson
      .pipe(z.strictObject({ gif_id: z.string().min(1), provider: z.enum(['GIPHY', 'TENOR']) }))
      .optional(),
    is_ghost_post: z.boolean().optional(),
    text_attachment: asJson.pipe(z.strictObject({ plaintext: z.string().min(1).max(10_000) })).optional(),
    ...about,
  }),
  z.strictObject({ ...image, ...asPost }),
  z.strictObject({ ...image, ...isItem }),
  z.strictObject({ ...video, ...asPost }),
  z.strictObject({ ...video, ...isItem }),
  z.strictObject({ media_type: z.literal('CAROUSEL'), children: z.string(), ...asPost }),
]);
export type NewContainer = z.output<typeof NewContainer>;

/** An emoji counts as its bytes. */
const lengthOf = (text: string) =>
  [...text].reduce((sum, sign) => sum + (/\p{Extended_Pictographic}/u.test(sign) ? Buffer.byteLength(sign) : 1), 0);

export const textOf = (fields: NewContainer) => ('text' in fields && fields.text) || '';

/** Errors that Threads reports immediately. */
export const wrongWith = async (
  kit: SandboxKit,
  { scopes }: SandboxGrant,
  fields: NewContainer,
): Promise<Refusal | undefined> => {
  const postText = textOf(fields);
  const link = ('link_attachment' in fields && fields.link_attachment) || undefined;
  if (lengthOf(postText) > 500) return invalid('Param text must be at most 500 characters long.');
  if (new Set([...links(postText), ...(link ? [link] : [])]).size > 5) {
    return { code: 100, message: 'THREADS_API__LINK_LIMIT_EXCEEDED' };
  }
  if ('reply_to_id' in fields && fields.reply_to_id !== undefined) {
    if (!scopes.includes('threads_manage_replies')) return notAllowed;
    if (!(await kit.posts.get(fields.reply_to_id))) return noMedia;
  }
  if ('is_ghost_post' in fields && fields.is_ghost_post && (fields.poll_attachment || fields.reply_to_id)) {
    return invalid('A ghost post cannot be a reply and cannot have a poll');
  }
  if ('text_attachment' in fields && fields.text_attachment && fields.poll_attachment) {
    return invalid('A text attachment cannot be attached to a post that has a poll');
  }
  if ('location_id' in fields && fields.location_id && !scopes.includes('threads_location_tagging')) {
    return notAllowed;
  }
  if ('quote_post_id' in fields && fields.quote_post_id !== undefined) {
    if (!(await kit.posts.get(fields.quote_post_id))) return noMedia;
  }
  return undefined;
};

/** Checked when the container is filled, so Threads reports the error with its state. */
export const errorOf = async (kit: SandboxKit, fields: NewContainer) => {
  if (fields.media_type === 'IMAGE') {
    const file = await kit.fetchMedia(fields.image_url);
    return file && /^image\/(jpeg|png)$/.test(file.mimeType) ? null : 'UNKNOWN';
  }
  if (fields.media_type === 'VIDEO') {
    const file = await kit.fetchMedia(fields.video_url);
    if (file === undefined) return 'FAILED_DOWNLOADING_VIDEO';
    return /^video\/(mp4|quicktime)$/.test(file.mimeType) ? null : 'FAILED_PROCESSING_VIDEO';
  }
  return null;
};
