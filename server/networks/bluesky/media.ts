import { z } from 'zod';
import type { PublishMedia, Sending, Site } from '#server/networks/network';
import { type Bytes, type NetworkAnswer, shaped } from '#server/networks/request';
import { MB } from '#server/networks/shared/limits';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, troubleOf } from './api.ts';

/** A server takes no larger file; the video service makes it smaller. */
const maxBlobBytes = 50 * MB;
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

export const uploadAll = async (site: Site, sending: Sending): Promise<Uploaded> => {
  const { media } = sending.part;
  const large = media.find(({ kind, bytes }) => kind === 'Video' && bytes > maxBlobBytes);
  if (large) return uploadVideo(site, sending, large);
  const blobs: Blob[] = [];
  for (const file of media) blobs.push(await uploadBlob(site, sending, file));
  return { blobs };
};

const uploadBlob = async (site: Site, sending: Sending, file: PublishMedia): Promise<Blob> =>
  uploadBytes(site, sending, file.mimeType, { length: file.bytes, stream: await file.read() });

export const uploadBytes = async (site: Site, { account }: Sending, type: string, bytes: Bytes): Promise<Blob> => {
  const headers = { 'content-type': type };
  const answer = await ask(site, account, { call: 'com.atproto.repo.uploadBlob', headers, bytes });
  return shaped(z.object({ blob: Blob }), answer).blob;
};

const uploadVideo = async (site: Site, { account }: Sending, file: PublishMedia): Promise<Uploaded> => {
  const permission = await ask(site, account, {
    call: 'com.atproto.server.getServiceAuth',
    query: {
      // The service puts the video into the account's server, in its name.
      aud: `did:web:${encodeURIComponent(new URL(site.server).host)}`,
      lxm: 'com.atproto.repo.uploadBlob',
      exp: Math.floor(site.now().getTime() / 1000) + serviceTokenSeconds,
    },
  });
  const { token } = shaped(z.object({ token: z.string() }), permission);
  const answer = await site.request({
    url: `${site.host('video')}/xrpc/app.bsky.video.uploadVideo`,
    query: { did: account.id, name: `${file.id}.mp4` },
    headers: { authorization: `Bearer ${token}`, 'content-type': file.mimeType },
    bytes: { length: file.bytes, stream: await file.read() },
  });
  return outcomeOf(answer, site.now());
};

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

/** The reference wraps it, the service itself does not always. */
const JobAnswer = z.union([z.object({ jobStatus: Job }).transform(({ jobStatus }) => jobStatus), Job]);

const passing = ['pds_upload_failure', 'generic_failure'];

/** A video that was uploaded before comes back as a conflict that names its job. */
const outcomeOf = (answer: NetworkAnswer, now: Date): Uploaded => {
  const job = JobAnswer.safeParse(answer.json).data;
  if (job?.error === 'unconfirmed_email') {
    throw new NetworkTrouble(
      'permission',
      'Bluesky takes videos only from accounts with a confirmed e-mail address: confirm it on Bluesky.',
      { networkCode: job.error },
    );
  }
  if (answer.status >= 400 && (answer.status !== 409 || !job?.jobId)) {
    throw troubleOf({ ...answer, json: job ?? answer.json }, now);
  }
  const { jobId, state, blob, error, message, failureCode } = shaped(JobAnswer, answer);
  if (blob) return { blobs: [blob] };
  if (state !== 'JOB_STATE_FAILED') return { job: jobId };
  const networkCode = failureCode ?? error ?? state;
  throw new NetworkTrouble(
    passing.includes(networkCode) ? 'temporary' : 'media',
    `Bluesky could not use the video: ${message ?? error ?? 'it says no more'}`,
    { networkCode },
  );
};
