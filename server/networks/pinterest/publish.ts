import { z } from 'zod';
import { isUrl } from '#contracts/is-url';
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
import { shaped } from '#server/networks/request';
import { seconds } from '#server/networks/shared/limits';
import { isVideo, option } from '#server/networks/shared/post';
import { isSince, type Page, searchBack, withoutMatch } from '#server/networks/shared/recent';
import { comparable } from '#server/networks/shared/text';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, storeTrouble } from './api.ts';
import { pinBody } from './pin-body.ts';
import { slidesIn } from './slides.ts';

export const coverKey = 'pinterest.cover_image';

const processingMs = seconds(5);
const secondLookMs = seconds(15);
const pageSize = 250;

export interface Prepared {
  /** The pin that was sent: the post may be edited before we look for it on Pinterest. */
  readonly pin?: Place & Texts;
  /** Only for a video; images are sent with the pin itself. */
  readonly mediaId?: string;
  /** The pin was searched for once and not found. */
  readonly missed?: true;
}

const Registered = z.object({
  media_id: z.string(),
  upload_url: z.string(),
  upload_parameters: z.record(z.string(), z.string()),
});
const Processed = z.object({ status: z.enum(['registered', 'processing', 'succeeded', 'failed']) });

export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
  const { account, part } = sending;
  const video = part.media.find(isVideo);
  const pin = { ...placeOf(sending), ...textsOf(sending) };
  if (video === undefined) return ready({ pin });
  if (checkpoint?.mediaId === undefined) {
    const answer = await ask(site, account, { path: '/media', json: { media_type: 'video' } });
    const registered = shaped(Registered, answer);
    await upload(site, registered, video);
    return waiting({ mediaId: registered.media_id }, processingMs);
  }
  const { status } = shaped(Processed, await ask(site, account, { path: `/media/${checkpoint.mediaId}` }));
  if (status === 'failed') throw new NetworkTrouble('media', 'Pinterest could not use the video. Choose another.');
  return status === 'succeeded' ? ready({ ...checkpoint, pin }) : waiting(checkpoint, processingMs);
};

/** The upload host expects the fields that Pinterest signed, followed by the file. */
const upload = async (
  site: Site,
  { upload_url, upload_parameters }: z.output<typeof Registered>,
  video: PublishMedia,
) => {
  const { id, mimeType, bytes } = video;
  const file = { field: 'file', name: id, mimeType, length: bytes, stream: await video.read() };
  const answer = await site.request({ url: upload_url, multipart: { fields: upload_parameters, file } });
  if (answer.status >= 300) throw storeTrouble(answer);
};

const Pinned = z.object({ id: z.string().min(1) });

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  const { account, post, part } = sending;
  const { board, section } = placeOf(sending);
  const { title, description, link } = textsOf(sending);
  const alt = option(post, 'pinterest.alt_text') || part.media[0]?.alt;
  const color = option(post, 'pinterest.dominant_color');
  const pin = {
    board_id: board,
    ...(section !== '' && { board_section_id: section }),
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(link !== '' && { link }),
    ...(alt && { alt_text: alt }),
    ...(color !== '' && { dominant_color: color }),
    media_source: mediaSource(post, part.media, prepared),
  };
  const answer = await ask(site, account, {
    path: '/pins',
    // As bytes, so that the time it may take grows with the images in it.
    bytes: pinBody(pin),
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  return pinned(site, shaped(Pinned, answer).id);
};

interface Place {
  readonly board: string;
  readonly section: string;
}

const placeOf = ({ post }: Sending): Place => ({
  board: option(post, 'pinterest.board'),
  section: option(post, 'pinterest.board_section'),
});

interface Texts {
  readonly title: string;
  readonly description: string;
  readonly link: string;
}

const textsOf = ({ post, part }: Sending): Texts => ({
  title: option(post, 'pinterest.title'),
  description: part.body.trim(),
  link: option(post, 'pinterest.link'),
});

const mediaSource = (post: NetworkPost<PublishMedia>, media: readonly PublishMedia[], { mediaId }: Prepared) => {
  if (mediaId !== undefined) {
    const cover = post.optionFiles?.[coverKey];
    return {
      source_type: 'video_id',
      media_id: mediaId,
      ...(cover
        ? { cover_image_content_type: cover.mimeType, cover_image_data: cover }
        : { cover_image_key_frame_time: Number(option(post, 'pinterest.cover_second')) }),
    };
  }
  const items = media.map((image) => ({ content_type: image.mimeType, data: image }));
  const slides = slidesIn(post);
  return items.length === 1
    ? { source_type: 'image_base64', ...items[0] }
    : {
        source_type: 'multiple_image_base64',
        items: items.map((item, index) => ({ ...slides[index], ...item })),
        index: 0,
      };
};

const pinned = (site: Site, id: string, publishedAt?: string) =>
  sent({ externalId: id, url: `${site.link('web')}/pin/${id}/`, ...(publishedAt !== undefined && { publishedAt }) });

const Pin = z.object({
  id: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
  link: z.string().nullish(),
  created_at: z.string(),
});
type Pin = z.output<typeof Pin>;
const Pins = z.object({ items: z.array(Pin), bookmark: z.string().nullish() });

/**
 * Pinterest has no idempotency keys, so the latest pins of the board are compared. A list may lag, so it is read twice.
 */
export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  const { account, since } = sending;
  const { pin = { ...placeOf(sending), ...textsOf(sending) } } = prepared;
  const { title, description, link } = pin;
  const board = `/boards/${encodeURIComponent(pin.board)}`;
  const path = pin.section === '' ? `${board}/pins` : `${board}/sections/${encodeURIComponent(pin.section)}/pins`;
  const readPage = async (cursor?: string): Promise<Page<Pin>> => {
    const answer = await ask(site, account, { path, query: { page_size: pageSize, bookmark: cursor } });
    const { items, bookmark } = shaped(Pins, answer);
    return { entries: items, next: bookmark ?? undefined };
  };
  const search = await searchBack({
    readPage,
    isCandidate: (one) =>
      comparable(one.title ?? '') === comparable(title) &&
      comparable(one.description ?? '') === comparable(description) &&
      sameAddress(one.link ?? '', link) &&
      isSince(instantOf(one.created_at), since),
    // Without words, another pin looks the same.
    isMatch: () => title + description + link !== '',
    timeOf: (one) => instantOf(one.created_at),
    since,
  });
  const { match, candidates } = search;
  if (match) return pinned(site, match.id, new Date(instantOf(match.created_at)).toISOString());
  if (candidates.length === 0 && !prepared.missed) return waiting({ ...prepared, missed: true }, secondLookMs);
  return withoutMatch(search);
};

const sameAddress = (one: string, other: string) =>
  one === other || (isUrl(one) && isUrl(other) && new URL(one).href === new URL(other).href);

/** Pinterest leaves the time zone out and means UTC. */
const instantOf = (time: string) => Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
