import type { Response } from 'express';
import { z } from 'zod';
import type { SandboxKit } from '#server/networks/sandbox';
import { ratioOf } from '#server/networks/shared/picture';
import { brokenImage, invalid, refuse } from './sandbox-access.ts';
import type { Upload } from './sandbox-media.ts';

const id = z.string().regex(/^\d+$/);
const upTo = (max: number) => z.string().refine((text) => [...text].length <= max, `at most ${max} characters`);
const imageType = z.enum(['image/jpeg', 'image/png']);
const image = { content_type: imageType, data: z.base64().min(1) };
const itemTexts = {
  title: upTo(100).optional(),
  description: upTo(800).optional(),
  link: z.url().max(2048).optional(),
};

export const NewPin = z.strictObject({
  board_id: id,
  board_section_id: id.nullish(),
  title: upTo(100).nullish(),
  description: upTo(800).nullish(),
  link: z.url().max(2048).nullish(),
  alt_text: upTo(500).nullish(),
  dominant_color: z.string().nullish(),
  media_source: z.discriminatedUnion('source_type', [
    z.strictObject({ source_type: z.literal('image_base64'), ...image }),
    z.strictObject({ source_type: z.literal('image_url'), url: z.url() }),
    z.strictObject({
      source_type: z.literal('multiple_image_urls'),
      items: z
        .array(z.strictObject({ url: z.url(), ...itemTexts }))
        .min(2)
        .max(5),
      index: z.int().min(0).optional(),
    }),
    z.strictObject({
      source_type: z.literal('multiple_image_base64'),
      items: z
        .array(z.strictObject({ ...image, ...itemTexts }))
        .min(2)
        .max(5),
      index: z.int().min(0).optional(),
    }),
    z.strictObject({
      source_type: z.literal('video_id'),
      media_id: id,
      cover_image_url: z.url().optional(),
      cover_image_content_type: imageType.optional(),
      cover_image_data: z.base64().optional(),
      cover_image_key_frame_time: z.int().min(0).optional(),
    }),
  ]),
});
export type NewPin = z.output<typeof NewPin>;

/** True when the media were refused and the request has been answered. */
export const refusesMedia = async (kit: SandboxKit, res: Response, person: string, source: NewPin['media_source']) => {
  if (source.source_type !== 'video_id') {
    const images = await imagesOf(kit, source);
    if (images === undefined) {
      invalid(res, 'Unable to reach the URL. Check the URL and try again.');
      return true;
    }
    const broken = images.some((one) => !isImage(one));
    if (broken) brokenImage(res);
    if (broken) return true;
    const ratios = await Promise.all(images.map(({ data }) => ratioOf(Buffer.from(data, 'base64'))));
    const uneven = ratios.some((ratio) => Math.abs((ratio ?? 0) - (ratios[0] ?? 0)) > 0.02);
    if (uneven) invalid(res, 'All images of a carousel must have the same aspect ratio.');
    return uneven;
  }
  const upload = await kit.records.get<Upload>('upload', source.media_id);
  if (upload?.owner !== person || upload.status !== 'succeeded') {
    refuse(res, 404, 2100, 'Media not found.');
    return true;
  }
  const { cover_image_url, cover_image_content_type, cover_image_data, cover_image_key_frame_time } = source;
  const ofBytes = cover_image_content_type &&
    cover_image_data && { content_type: cover_image_content_type, data: cover_image_data };
  const covers = [cover_image_url, ofBytes, cover_image_key_frame_time].filter((one) => one !== undefined);
  if (covers.length !== 1) {
    invalid(res, 'Exactly one cover image is required for a video.');
    return true;
  }
  if (ofBytes && !isImage(ofBytes)) {
    brokenImage(res);
    return true;
  }
  return false;
};

type ImageSource = Exclude<NewPin['media_source'], { source_type: 'video_id' }>;

/** With their bytes; undefined when one cannot be fetched from its address. */
const imagesOf = async (kit: SandboxKit, source: ImageSource) => {
  const items = 'items' in source ? source.items : [source];
  const images = await Promise.all(
    items.map(async (item) => {
      if ('data' in item) return item;
      const file = await kit.fetchMedia(item.url);
      return file && { content_type: file.mimeType, data: file.bytes.toString('base64') };
    }),
  );
  const reachable = images.filter((image) => image !== undefined);
  return reachable.length === items.length ? reachable : undefined;
};

const isImage = ({ content_type, data }: { content_type: string; data: string }) => {
  const bytes = Buffer.from(data, 'base64');
  const begin = content_type === 'image/png' ? '89504e47' : 'ffd8ff';
  return bytes.length <= 20_000_000 && bytes.toString('hex', 0, begin.length / 2) === begin;
};

const nameOf = (item: { url: string } | { content_type: string }) => ('url' in item ? item.url : item.content_type);

export const mediaNames = (source: NewPin['media_source']): string[] => {
  if (source.source_type === 'video_id') return [`video ${source.media_id}`];
  return ('items' in source ? source.items : [source]).map(nameOf);
};

export const withoutBytes = (source: NewPin['media_source']) => {
  if (source.source_type === 'video_id') {
    const { cover_image_data: _, ...shown } = source;
    return shown;
  }
  const { source_type } = source;
  const withoutData = (item: { url: string } | { content_type: string }) =>
    'url' in item ? { url: item.url } : { content_type: item.content_type };
  if (!('items' in source)) return { source_type, ...withoutData(source) };
  const shownItem = (item: (typeof source.items)[number]) => ({
    ...withoutData(item),
    ...(item.title !== undefined && { title: item.title }),
    ...(item.link !== undefined && { link: item.link }),
  });
  return { source_type, items: source.items.map(shownItem), index: source.index };
};
