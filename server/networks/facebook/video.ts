import { z } from 'zod';
import { graphTrouble } from '#server/networks/families/meta/graph';
import type { NetworkAccount, PublishMedia, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, askVideo } from './api.ts';

/** Uploads are begun and filled here; the third phase, `finish`, makes them public. */

const Offsets = z.object({ start_offset: z.coerce.number(), end_offset: z.coerce.number() });
const Session = Offsets.extend({ video_id: z.string(), upload_session_id: z.string() });

/**
 * For the feed. An upload in phases gives us the id of the video before it is public, so we can query it when an answer
 * is lost. An app without that capability sends the whole file with the call that makes it public.
 */
export const uploadToFeed = async (site: Site, account: NetworkAccount, media: PublishMedia) => {
  try {
    return await uploadInPhases(site, account, media);
  } catch (error) {
    if (!(error instanceof NetworkTrouble && unsupported.test(error.networkCode ?? ''))) throw error;
    return { isWhole: true } as const;
  }
};

/** Error codes: the app lacks the capability (3), or Facebook no longer offers this (12). */
const unsupported = /^(3|12)\b/;

/** The file as a form part. */
export const sourceOf = async (media: PublishMedia) => ({
  field: 'source',
  name: media.id,
  mimeType: media.mimeType,
  length: media.bytes,
  stream: await media.read().catch(() => {
    throw new NetworkTrouble('temporary', 'The file of the video cannot be read.', { reached: false });
  }),
});

/** Uploads the pieces that Facebook asks for. */
const uploadInPhases = async (site: Site, account: NetworkAccount, media: PublishMedia) => {
  const path = `/${account.id}/videos`;
  const begun = shaped(
    Session,
    await askVideo(site, account, { path, form: { upload_phase: 'start', file_size: String(media.bytes) } }),
  );
  let { start_offset: first, end_offset: end } = begun;
  while (first < media.bytes) {
    if (end <= first || end > media.bytes) throw lost();
    const stream = await media.read({ first, last: end - 1 });
    const fields = {
      upload_phase: 'transfer',
      upload_session_id: begun.upload_session_id,
      start_offset: String(first),
    };
    const file = { field: 'video_file_chunk', name: media.id, mimeType: media.mimeType, length: end - first, stream };
    const next = shaped(Offsets, await askVideo(site, account, { path, multipart: { fields, file } }));
    if (next.start_offset <= first) throw lost();
    first = next.start_offset;
    end = next.end_offset;
  }
  return { video: begun.video_id, session: begun.upload_session_id };
};

/** Facebook asked for a piece that does not exist, or for the same one again. */
const lost = () =>
  new NetworkTrouble('temporary', 'Facebook asked for a wrong part of the video. The upload starts again.');

const Begun = z.object({ video_id: z.string(), upload_url: z.string() });

/** Uploads a reel or story as a whole, to an address that Facebook gives. */
export const uploadWhole = async (
  site: Site,
  account: NetworkAccount,
  media: PublishMedia,
  edge: 'video_reels' | 'video_stories',
) => {
  const begun = shaped(
    Begun,
    await ask(site, account, { path: `/${account.id}/${edge}`, json: { upload_phase: 'start' } }),
  );
  const answer = await site.request({
    method: 'POST',
    url: begun.upload_url,
    headers: {
      authorization: `OAuth ${account.tokens.accessToken}`,
      offset: '0',
      file_size: String(media.bytes),
      'content-type': 'application/octet-stream',
    },
    bytes: { length: media.bytes, stream: await media.read() },
  });
  if (answer.status >= 400) throw graphTrouble('Facebook', answer, site.now());
  return { video: begun.video_id };
};

const Phase = z.object({ status: z.string().optional() }).optional();

const Video = z.object({
  status: z.object({
    video_status: z.string(),
    uploading_phase: Phase,
    processing_phase: Phase,
    publishing_phase: Phase,
  }),
  post_id: z.string().optional(),
  permalink_url: z.string().optional(),
});

/** How far Facebook has processed it. Feed videos do not always have phases. */
export const readVideo = async (site: Site, account: NetworkAccount, id: string) => {
  const query = { fields: 'status,post_id,permalink_url' };
  const { status, post_id, permalink_url } = shaped(Video, await ask(site, account, { path: `/${id}`, query }));
  const phases = [status.uploading_phase, status.processing_phase, status.publishing_phase];
  if (status.video_status === 'error' || phases.some((phase) => phase?.status === 'error')) {
    throw new NetworkTrouble('media', 'Facebook could not process the video: check its length, size and encoding.', {
      networkCode: 'video_status error',
      isVerdict: true,
    });
  }
  const publishing = status.publishing_phase?.status;
  const isReady = status.video_status === 'ready';
  return {
    isReady,
    isPublished: publishing === 'complete' || (isReady && publishing === undefined),
    // Processing begins with the last phase, and publishing only after it.
    isBegun: publishing === 'in_progress' || status.video_status === 'processing',
    postId: post_id,
    url: permalink_url,
  };
};

/** Facebook accepts a cover once the video exists. Setting it again changes nothing. */
export const setCover = async (site: Site, account: NetworkAccount, video: string, cover: PublishMedia) => {
  const file = {
    field: 'source',
    name: cover.id,
    mimeType: cover.mimeType,
    length: cover.bytes,
    stream: await cover.read(),
  };
  const multipart = { fields: { is_preferred: 'true' }, file };
  await ask(site, account, { path: `/${video}/thumbnails`, multipart });
};
