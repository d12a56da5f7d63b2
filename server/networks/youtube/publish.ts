import { z } from 'zod';
import { bearer } from '#server/networks/families/google/api';
import {
  absent,
  type Confirmation,
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
import { type NetworkRequest, shaped } from '#server/networks/request';
import { isOn, list, option } from '#server/networks/shared/post';
import { NetworkTrouble } from '#server/networks/trouble';
import { afterwardsOf, type Left, noteOf, takeSteps } from './afterwards.ts';
import { ask, troubleOf } from './api.ts';
import { confirmComment, sendComment } from './comment.ts';
import { titleOf } from './title.ts';

/** A piece is a multiple of this, except the last. */
const unitBytes = 256 * 1024;
const pieceBytes = 256 * unitBytes;
const stuckMs = 60_000;
const finishingMs = 5_000;

/** YouTube reports how much of the video it has. */
export interface Prepared {
  readonly session: string;
  /** The video is published, and follow-up steps are left. */
  readonly out?: { readonly videoId: string } & Left;
}

type Progress =
  | { readonly is: 'complete'; readonly videoId: string; readonly privacy?: string }
  | { readonly is: 'partial'; readonly received: number }
  /** A session is forgotten after a week. */
  | { readonly is: 'gone' };

/**
 * Uploads everything but the last bytes, which publish the video. One piece per call, so that a failure loses little.
 */
export const prepare = async (site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>> => {
  if (sending.index > 0) return ready({ session: '' });
  const before = checkpoint && (await progressOf(site, sending, checkpoint));
  if (checkpoint === undefined || before === undefined || before.is === 'gone') {
    return waiting({ session: await openSession(site, sending) }, 0);
  }
  const { bytes } = videoOf(sending);
  const length = lengthBeforeEnd(before, bytes);
  if (before.is === 'complete' || length === 0) return ready(checkpoint);
  const { received } = before;
  const after = await put(site, sending, checkpoint, { first: received, last: received + length - 1 });
  if (lengthBeforeEnd(after, bytes) === 0) return ready(checkpoint);
  return waiting(checkpoint, after.is === 'partial' && after.received > received ? 0 : stuckMs);
};

/** Length of the next piece; 0 when only the end is missing. */
const lengthBeforeEnd = (progress: Progress, bytes: number) => {
  if (progress.is !== 'partial') return 0;
  const beforeEnd = Math.min(pieceBytes, bytes - 1 - progress.received);
  return Math.max(Math.floor(beforeEnd / unitBytes), 0) * unitBytes;
};

const openSession = async (site: Site, sending: Sending): Promise<string> => {
  const { account, post, part } = sending;
  const video = videoOf(sending);
  const tags = list(post, 'youtube.tags');
  const language = option(post, 'youtube.language');
  const { headers } = await ask(site, account, {
    path: '/upload/youtube/v3/videos',
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      notifySubscribers: String(isOn(post, 'youtube.notify_subscribers')),
    },
    headers: { 'x-upload-content-length': String(video.bytes), 'x-upload-content-type': video.mimeType },
    json: {
      snippet: {
        title: titleOf(post),
        description: part.body,
        categoryId: option(post, 'youtube.category'),
        ...(tags.length > 0 && { tags }),
        ...(language !== '' && { defaultLanguage: language, defaultAudioLanguage: language }),
      },
      status: {
        privacyStatus: option(post, 'youtube.privacy'),
        selfDeclaredMadeForKids: option(post, 'youtube.made_for_kids') === 'yes',
        containsSyntheticMedia: isOn(post, 'youtube.synthetic_media'),
        license: option(post, 'youtube.license'),
        embeddable: isOn(post, 'youtube.embeddable'),
      },
    },
  });
  if (!headers.location) throw new NetworkTrouble('temporary', 'YouTube opened no upload. Try again later.');
  return headers.location;
};

export const send = async (site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>> => {
  if (sending.index > 0) return sendComment(site, sending);
  const before = await progressOf(site, sending, prepared);
  const last = videoOf(sending).bytes - 1;
  const hasMore = before.is === 'partial' && before.received <= last;
  const after = hasMore ? await put(site, sending, prepared, { first: before.received, last }) : before;
  if (after.is === 'complete') return posted(site, sending, prepared, after);
  throw new NetworkTrouble('temporary', 'YouTube did not take the end of the video. Try again later.', {
    networkCode: after.is,
    reached: after.is !== 'gone',
  });
};

/** A session makes only one video, and returns its id each time we ask. */
export const confirm = async (site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>> => {
  if (sending.index > 0) return confirmComment(site, sending);
  if (prepared.out) return finish(site, sending, prepared, prepared.out);
  const progress = await progressOf(site, sending, prepared);
  if (progress.is === 'complete') {
    const end = posted(site, sending, prepared, progress);
    return end.is === 'waiting' && end.prepared.out ? finish(site, sending, prepared, end.prepared.out) : end;
  }
  if (progress.is === 'gone') return unknown;
  return progress.received < videoOf(sending).bytes ? absent : waiting(prepared, finishingMs);
};

/** A video that YouTube locked as private is not what was asked for, and a retry would only upload another. */
const posted = (
  site: Site,
  sending: Sending,
  prepared: Prepared,
  { videoId, privacy }: Progress & { is: 'complete' },
): SendEnd<Prepared> => {
  const { post } = sending;
  const url = urlOf(site, videoId);
  if (privacy === 'private' && option(post, 'youtube.privacy') !== 'private') {
    throw new NetworkTrouble(
      'permission',
      `YouTube has the video (${url}) but locked it as private, because it has not audited the project of this server. Its operator applies for the audit; videos uploaded after that can be public.`,
      { networkCode: 'lockedPrivate', isVerdict: true },
    );
  }
  return outWith(site, prepared, { videoId, steps: afterwardsOf(sending), tries: 0, notes: [] }, 0);
};

const urlOf = (site: Site, videoId: string) => `${site.link('web')}/watch?${new URLSearchParams({ v: videoId })}`;

/** Whatever happens here, the video is out. */
const finish = async (
  site: Site,
  sending: Sending,
  prepared: Prepared,
  { videoId, ...before }: NonNullable<Prepared['out']>,
): Promise<SendEnd<Prepared>> => {
  const left = await takeSteps(site, sending, videoId, before);
  return outWith(site, prepared, { videoId, ...left }, stuckMs);
};

const outWith = (site: Site, prepared: Prepared, out: NonNullable<Prepared['out']>, againMs: number) => {
  const { videoId, steps, notes } = out;
  const note = [...notes, ...steps.map((step) => noteOf(step))].join(' ');
  const video = { externalId: videoId, url: urlOf(site, videoId), ...(note !== '' && { note }) };
  return steps.length > 0 ? waiting({ ...prepared, out }, againMs, video) : sent(video);
};

const videoOf = ({ part }: Sending): PublishMedia => {
  const [video] = part.media;
  if (video === undefined) throw new NetworkTrouble('media', 'YouTube takes one video: add it.');
  return video;
};

const progressOf = (site: Site, sending: Sending, prepared: Prepared) =>
  askSession(site, sending, prepared, {
    headers: { 'content-range': `bytes */${videoOf(sending).bytes}`, 'content-length': '0' },
  });

const put = async (
  site: Site,
  sending: Sending,
  prepared: Prepared,
  { first, last }: { first: number; last: number },
) => {
  const video = videoOf(sending);
  return askSession(site, sending, prepared, {
    headers: { 'content-range': `bytes ${first}-${last}/${video.bytes}`, 'content-type': video.mimeType },
    bytes: { length: last - first + 1, stream: await video.read({ first, last }) },
  });
};

const Video = z.object({
  id: z.string().min(1),
  status: z.object({ privacyStatus: z.string().optional() }).optional(),
});

const askSession = async (
  site: Site,
  { account }: Sending,
  { session }: Prepared,
  request: Pick<NetworkRequest, 'headers' | 'bytes'>,
): Promise<Progress> => {
  const answer = await site.request({
    ...request,
    method: 'PUT',
    url: session,
    headers: { ...bearer(account), ...request.headers },
  });
  if (answer.status === 404 || answer.status === 410) return { is: 'gone' };
  if (answer.status === 308) return { is: 'partial', received: receivedOf(answer.headers.range) };
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  const { id, status } = shaped(Video, answer);
  return { is: 'complete', videoId: id, ...(status?.privacyStatus && { privacy: status.privacyStatus }) };
};

/** `bytes=0-524287`; absent while YouTube has received nothing. */
const receivedOf = (range: string | undefined) => {
  const last = /-(\d+)$/.exec(range ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
};
