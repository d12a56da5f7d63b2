import { z } from 'zod';
import type { NetworkMedia, PublishMedia, Sending, Site } from '#server/networks/network';
import { type Bytes, type NetworkAnswer, shaped } from '#server/networks/request';
import { MB } from '#server/networks/shared/limits';
import { isGif, isVideo } from '#server/networks/shared/post';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, troubleOf } from './api.ts';

/** The largest file that a server accepts. */
const maxBlobBytes = 50 * MB;
const maxImageBytes = 2 * MB;
const serviceTokenSeconds = 30 * 60;

export const Blob = z.object({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string() }),
  mimeType: z.string(),
  size: z.number(),
});
export type Blob = z.output<typeof Blob>;

/** The video service is still processing a `job`. */
export type Uploaded = { readonly blobs: readonly Blob[] } | { readonly job: string };

/** A GIF plays only as a video. */
export const isMoving = (file: NetworkMedia): boolean => isVideo(file) || isGif(file);

export const uploadAll = async (site: Site, sending: Sending): Promise<Uploaded> => {
  const { media } = sending.part;
  const [first, ...others] = media;
  if (first && others.length === 0 && isMoving(first)) return uploadMoving(site, sending, first);
  const blobs: Blob[] = [];
  for (const file of media) blobs.push(await uploadBlob(site, sending, file));
  return { blobs };
};

/**
 * Only videos from the video service are certain to play. When it is unavailable, the server stores the file unchanged.
 */
const uploadMoving = async (site: Site, sending: Sending, file: PublishMedia): Promise<Uploaded> => {
  try {
    await checkLimits(site, sending);
    return await uploadVideo(site, sending, file);
  } catch (error) {
    const isAway = error instanceof NetworkTrouble && ['temporary', 'unknown'].includes(error.kind);
    if (!isAway || file.bytes > (isVideo(file) ? maxBlobBytes : maxImageBytes)) throw error;
    return { blobs: [await uploadBlob(site, sending, file)] };
  }
};

const uploadBlob = async (site: Site, sending: Sending, file: PublishMedia): Promise<Blob> =>
  uploadBytes(site, sending, file.mimeType, { length: file.bytes, stream: await file.read() });

export const uploadBytes = async (site: Site, { account }: Sending, type: string, bytes: Bytes): Promise<Blob> => {
  const headers = { 'content-type': type };
  const answer = await ask(site, account, { call: 'com.atproto.repo.uploadBlob', headers, bytes });
  return shaped(z.object({ blob: Blob }), answer).blob;
};

/** A token with which a service acts in the name of the account. */
const serviceToken = async (site: Site, { account }: Sending, { aud, lxm }: { aud: string; lxm: string }) => {
  const exp = Math.floor(site.now().getTime() / 1000) + serviceTokenSeconds;
  const answer = await ask(site, account, { call: 'com.atproto.server.getServiceAuth', query: { aud, lxm, exp } });
  return shaped(z.object({ token: z.string() }), answer).token;
};

const Limits = z.object({ canUpload: z.boolean(), message: z.string().optional(), error: z.string().optional() });

const checkLimits = async (site: Site, sending: Sending): Promise<void> => {
  const lxm = 'app.bsky.video.getUploadLimits';
  const token = await serviceToken(site, sending, { aud: 'did:web:video.bsky.app', lxm });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await site.request({ url: `${site.host('video')}/xrpc/${lxm}`, headers });
  if (answer.status >= 400) throw troubleOf(answer, site.now());
  const { canUpload, error = '', message = error } = shaped(Limits, answer);
  if (canUpload) return;
  if (/e-?mail/i.test(`${error} ${message}`)) throw unconfirmedEmail();
  const words = message === '' ? '.' : `: ${message}`;
  throw new NetworkTrouble('rateLimited', `Bluesky accepts no more videos of this account for now${words}`, {
    networkCode: error || 'canUpload',
  });
};

const uploadVideo = async (site: Site, sending: Sending, file: PublishMedia): Promise<Uploaded> => {
  // The service uploads the video to the account's server, on behalf of the account.
  const aud = `did:web:${encodeURIComponent(new URL(site.server).host)}`;
  const token = await serviceToken(site, sending, { aud, lxm: 'com.atproto.repo.uploadBlob' });
  const answer = await site.request({
    url: `${site.host('video')}/xrpc/app.bsky.video.uploadVideo`,
    query: { did: sending.account.id, name: `${file.id}.${isVideo(file) ? 'mp4' : 'gif'}` },
    headers: { authorization: `Bearer ${token}`, 'content-type': file.mimeType },
    bytes: { length: file.bytes, stream: await file.read() },
  });
  return outcomeOf(answer, site.now());
};

const unconfirmedEmail = () =>
  new NetworkTrouble(
    'permission',
    'Bluesky takes videos only from accounts with a confirmed e-mail address: confirm it on Bluesky.',
    { networkCode: 'unconfirmed_email' },
  );

export const askJob = async (site: Site, jobId: string): Promise<Uploaded> => {
  const url = `${site.host('video')}/xrpc/app.bsky.video.getJobStatus`;
  return outcomeOf(await site.request({ url, query: { jobId } }), site.now());
};

const Job = z.object({
  jobId: z.string(),
  state: z.string(),
  blob: Blob.optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  failureCode: z.string().optional(),
});

/** The reference wraps the job in `jobStatus`; the service does not always. */
const JobAnswer = z.union([z.object({ jobStatus: Job }).transform(({ jobStatus }) => jobStatus), Job]);

const passing = ['pds_upload_failure', 'generic_failure'];

/** A video that was uploaded before comes back as a conflict that names its job. */
const outcomeOf = (answer: NetworkAnswer, now: Date): Uploaded => {
  const job = JobAnswer.safeParse(answer.json).data;
  if (job?.error === 'unconfirmed_email') throw unconfirmedEmail();
  if (answer.status >= 400 && (answer.status !== 409 || !job?.jobId)) {
    throw troubleOf({ ...answer, json: job ?? answer.json }, now);
  }
  const { jobId, state, blob, error, message, failureCode } = shaped(JobAnswer, answer);
  if (blob) return { blobs: [blob] };
  if (state !== 'JOB_STATE_FAILED') return { job: jobId };
  const networkCode = failureCode ?? error ?? state;
  throw new NetworkTrouble(
    passing.includes(networkCode) ? 'temporary' : 'media',
    `Bluesky could not use the video: ${message ?? error ?? 'it gives no reason'}`,
    { networkCode },
  );
};
