import type { Router } from 'express';
import type { SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { type Access, badRequest, refuse, secretOf, tooLarge } from './sandbox-access.ts';
import { cidOf, didOf } from './sandbox-ids.ts';
import type { Blob } from './sandbox-records.ts';

const maxBlobBytes = 50_000_000;
const maxVideoBytes = 300_000_000;

export type Upload = { owner: string; mimeType: string; size: number };
type Job = Upload & { cid: string; asked: number };

const keepBlob = async (
  kit: SandboxKit,
  person: SandboxPerson,
  cid: string,
  mimeType: string,
  size: number,
): Promise<Blob> => {
  const upload: Upload = { owner: person.id, mimeType, size };
  await kit.records.put('blob', `${person.id} ${cid}`, upload);
  return { $type: 'blob', ref: { $link: cid }, mimeType, size };
};

export const mountBlobs = (xrpc: Router, kit: SandboxKit, { refusals, signedIn }: Access) => {
  xrpc.post(
    '/com.atproto.repo.uploadBlob',
    signedIn(async (req, res, { person }) => {
      const bytes = await kit.readBytes(req);
      const atUpload = { ...refusals, 'media-refused': tooLarge };
      if (await kit.isFaulty('upload', req, res, { person, refusals: atUpload })) return;
      const mimeType = req.headers['content-type'];
      if (!mimeType) return badRequest(res, 'Request encoding (Content-Type) required but not provided');
      if (bytes.length > maxBlobBytes) return tooLarge(res);
      res.send({ blob: await keepBlob(kit, person, cidOf(0x55, bytes), mimeType, bytes.length) });
    }),
  );
};

const jobStatus = (jobId: string, person: SandboxPerson, job: Job, done: boolean) => ({
  jobId,
  did: didOf(person),
  state: done ? 'JOB_STATE_COMPLETED' : 'JOB_STATE_ENCODING',
  ...(done && {
    blob: { $type: 'blob', ref: { $link: job.cid }, mimeType: job.mimeType, size: job.size },
  }),
});

/** The video service, which makes a large video smaller. */
export const mountVideos = (video: Router, kit: SandboxKit, { refusals }: Access) => {
  video.get('/app.bsky.video.getUploadLimits', async (req, res) => {
    const grant = await kit.grants.find('service', secretOf(req));
    if (!grant?.scopes.includes('app.bsky.video.getUploadLimits') || grant.expired)
      return refuse(res, 401, 'AuthMissing', 'The service token is not valid');
    const { handle } = grant.person;
    if (handle.includes('videodown')) return refusals['503'](res);
    if (handle.includes('unconfirmed')) {
      return res.send({ canUpload: false, error: 'unconfirmed_email', message: 'User must verify email first.' });
    }
    if (handle.includes('manyvideos')) {
      return res.send({ canUpload: false, remainingDailyVideos: 0, message: 'User has exceeded daily upload videos.' });
    }
    res.send({ canUpload: true, remainingDailyVideos: 25, remainingDailyBytes: 10_000_000_000 });
  });

  video.post('/app.bsky.video.uploadVideo', async (req, res) => {
    const bytes = await kit.readBytes(req);
    const grant = await kit.grants.find('service', secretOf(req));
    if (!grant?.scopes.includes('com.atproto.repo.uploadBlob') || grant.expired)
      return refuse(res, 401, 'AuthMissing', 'The service token is not valid');
    const { person } = grant;
    if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
    if (req.query.did !== didOf(person) || !req.query.name) return badRequest(res, 'did and name are needed');
    if (!['video/mp4', 'image/gif'].includes(req.headers['content-type'] ?? ''))
      return refuse(res, 400, 'UnsupportedContentType', 'video/mp4 or image/gif is needed');
    if (bytes.length > maxVideoBytes) return refuse(res, 400, 'VideoTooLarge', 'The video is too large');
    const cid = cidOf(0x55, bytes);
    const jobId = `${person.id}${cid.slice(-12)}`;
    // The processed video is smaller.
    const job: Job = { owner: person.id, mimeType: 'video/mp4', size: Math.ceil(bytes.length / 10), cid, asked: 0 };
    const isNew = await kit.records.add('job', jobId, job);
    if (isNew) return res.send(jobStatus(jobId, person, job, false));
    res.status(409).send({
      ...jobStatus(jobId, person, job, false),
      state: 'JOB_STATE_COMPLETED',
      error: 'already_exists',
      message: 'Video already processed',
    });
  });

  video.get('/app.bsky.video.getJobStatus', async (req, res) => {
    const jobId = String(req.query.jobId ?? '');
    const job = await kit.records.get<Job>('job', jobId);
    const person = job && (await kit.people.get(job.owner));
    if (!job || !person) return badRequest(res, 'missing jobId');
    await kit.records.put('job', jobId, { ...job, asked: job.asked + 1 });
    const done = job.asked > 0;
    if (done) await keepBlob(kit, person, job.cid, job.mimeType, job.size);
    res.send({ jobStatus: jobStatus(jobId, person, job, done) });
  });
};
