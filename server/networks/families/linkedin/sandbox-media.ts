import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Refusals, SandboxGrant } from '#server/networks/sandbox';
import { fail, failInput, type LinkedinSandbox } from './sandbox.ts';

/** LinkedIn's images, documents and videos: an upload is begun, sent to the address in the answer, and processed for a while. */

export type Media = {
  owner: string;
  personId: string;
  /** An image or document has one part, the whole file. */
  parts: { first: number; last: number; etag: string }[];
  isFinished: boolean;
  isUsable: boolean;
  /** When LinkedIn finishes processing it. */
  doneAt: string;
};

type Status = 'WAITING_UPLOAD' | 'PROCESSING' | 'AVAILABLE' | 'PROCESSING_FAILED';

/** Smaller than LinkedIn's 4 MB, so that a short video has several. */
const partBytes = 1024 * 1024;
const processingMs = 8_000;
const urlLifeMs = 24 * 3_600_000;
const minVideoBytes = 75_000;
const maxDocumentBytes = 100 * 1024 * 1024;
const maxVideoBytes = 500 * 1024 * 1024;

const ImageBegin = z.strictObject({ initializeUploadRequest: z.strictObject({ owner: z.string() }) });
const VideoBegin = z.strictObject({
  initializeUploadRequest: z.strictObject({
    owner: z.string(),
    fileSizeBytes: z.int().positive(),
    uploadCaptions: z.boolean(),
    uploadThumbnail: z.boolean(),
  }),
});
const VideoFinish = z.strictObject({
  finalizeUploadRequest: z.strictObject({
    video: z.string(),
    uploadToken: z.string(),
    uploadedPartIds: z.array(z.string()),
  }),
});

/** Upload addresses answer in plain HTTP, without a body. */
const plain = (res: Response, status: number) => {
  res.status(status).type('text').send('');
};
const plainRefusals: Refusals = {
  '429': (res) => plain(res.setHeader('retry-after', '60'), 429),
  '429-bare': (res) => plain(res, 429),
  '503': (res) => plain(res, 503),
  'expired-token': (res) => plain(res, 401),
  'refused-token': (res) => plain(res, 401),
  'missing-permission': (res) => plain(res, 403),
  'content-refused': (res) => plain(res, 400),
  'media-refused': (res) => plain(res, 400),
};

export const createSandboxMedia = ({ kit, rules, router, refusals, signedIn, authorOf }: LinkedinSandbox) => {
  const find = (urn: string) => kit.records.get<Media>('media', urn);

  const statusOf = ({ isFinished, isUsable, doneAt }: Media): Status => {
    if (!isFinished) return 'WAITING_UPLOAD';
    if (new Date(doneAt) > kit.now()) return 'PROCESSING';
    return isUsable ? 'AVAILABLE' : 'PROCESSING_FAILED';
  };

  /** Undefined when the request has been answered. */
  const begin = async <Body extends { initializeUploadRequest: { owner: string } }>(
    req: Request,
    res: Response,
    { person }: SandboxGrant,
    schema: z.ZodType<Body>,
  ) => {
    if (await kit.isFaulty('upload', req, res, { person, refusals })) return undefined;
    const body = parsed(schema, req, res);
    if (body === undefined) return undefined;
    if (authorOf(person, body.initializeUploadRequest.owner)) return body;
    return fail(res, 403, 'ACCESS_DENIED', 'Accessing this resource is forbidden');
  };

  const put = async (
    kind: 'image' | 'document' | 'video',
    { person }: SandboxGrant,
    owner: string,
    parts: Media['parts'],
  ) => {
    const urn = `urn:li:${kind}:D4E10AQ${kit.newId()}`;
    const media: Media = { owner, personId: person.id, parts, isFinished: false, isUsable: false, doneAt: '' };
    await kit.records.put('media', urn, media);
    return urn;
  };

  const uploadUrl = (req: Request, urn: string, part: number) =>
    `${kit.here(req)}/web/dms-uploads/${encodeURIComponent(urn)}/${part}`;

  const finished = (): Pick<Media, 'isFinished' | 'doneAt'> => ({
    isFinished: true,
    doneAt: new Date(kit.now().getTime() + processingMs).toISOString(),
  });

  for (const kind of ['image', 'document'] as const) {
    router.post(
      `/api/rest/${kind}s`,
      signedIn([rules.writeScope], async (req, res, grant) => {
        if (req.query.action !== 'initializeUpload')
          return fail(res, 400, 'ILLEGAL_ARGUMENT', 'The action is not known');
        const body = await begin(req, res, grant, ImageBegin);
        if (body === undefined) return;
        const part = { first: 0, last: 0, etag: '' };
        const urn = await put(kind, grant, body.initializeUploadRequest.owner, [part]);
        const uploadUrlExpiresAt = kit.now().getTime() + urlLifeMs;
        res.send({ value: { uploadUrlExpiresAt, uploadUrl: uploadUrl(req, urn, 0), [kind]: urn } });
      }),
    );
  }

  const beginVideo = async (req: Request, res: Response, grant: SandboxGrant) => {
    const body = await begin(req, res, grant, VideoBegin);
    if (body === undefined) return;
    const { owner, fileSizeBytes } = body.initializeUploadRequest;
    if (fileSizeBytes < minVideoBytes || fileSizeBytes > maxVideoBytes) {
      return failInput(res, 400, 'INVALID_VALUE_FOR_FIELD', 'The size of the video is not supported');
    }
    const parts = Array.from({ length: Math.ceil(fileSizeBytes / partBytes) }, (_, index) => ({
      first: index * partBytes,
      last: Math.min((index + 1) * partBytes, fileSizeBytes) - 1,
      etag: '',
    }));
    const video = await put('video', grant, owner, parts);
    res.send({
      value: {
        uploadUrlsExpireAt: kit.now().getTime() + urlLifeMs,
        video,
        uploadInstructions: parts.map(({ first, last }, index) => ({
          uploadUrl: uploadUrl(req, video, index),
          firstByte: first,
          lastByte: last,
        })),
        uploadToken: '',
      },
    });
  };

  const finishVideo = async (req: Request, res: Response, { person }: SandboxGrant) => {
    const request = parsed(VideoFinish, req, res)?.finalizeUploadRequest;
    if (request === undefined) return;
    const media = await find(request.video);
    if (!media || !authorOf(person, media.owner)) return fail(res, 404, 'NOT_FOUND', 'The video is not known');
    const isWhole = media.parts.every(({ etag }, index) => etag !== '' && etag === request.uploadedPartIds[index]);
    if (!isWhole || request.uploadedPartIds.length !== media.parts.length) {
      return failInput(res, 400, 'INVALID_VALUE_FOR_FIELD', 'All chunks IDs must be signed');
    }
    await kit.records.put('media', request.video, { ...media, ...finished() });
    res.status(200).end();
  };

  router.post(
    '/api/rest/videos',
    signedIn([rules.writeScope], async (req, res, grant) => {
      if (req.query.action === 'initializeUpload') return beginVideo(req, res, grant);
      if (req.query.action === 'finalizeUpload') return finishVideo(req, res, grant);
      fail(res, 400, 'ILLEGAL_ARGUMENT', 'The action is not known');
    }),
  );

  router.put('/web/dms-uploads/:urn/:part', async (req, res) => {
    const urn = String(req.params.urn);
    const bytes = await kit.readBytes(req);
    const media = await find(urn);
    const index = Number(req.params.part);
    const part = media?.parts[index];
    const person = await kit.people.get(media?.personId ?? '');
    if (!media || !part || !person) return plain(res, 404);
    if (await kit.isFaulty('upload', req, res, { person, refusals: plainRefusals })) return;
    const [, , kind = ''] = urn.split(':');
    const isWhole = kind !== 'video';
    if (bytes.length === 0 || (!isWhole && bytes.length !== part.last - part.first + 1)) return plain(res, 400);
    if (kind === 'document' && bytes.length > maxDocumentBytes) return plain(res, 400);
    const etag = isWhole ? '' : `/ambry-video/signedId/AQ${kit.newId()}.bin`;
    await kit.records.put('media', urn, {
      ...media,
      parts: media.parts.map((one, at) => (at === index ? { ...one, etag } : one)),
      isUsable: index === 0 ? isFileOf(kind, bytes) : media.isUsable,
      ...(isWhole && finished()),
    });
    if (isWhole) return res.status(201).end();
    res.setHeader('etag', etag);
    res.status(200).end();
  });

  for (const [path, isTold] of [
    ['/api/rest/videos/:urn', true],
    ['/api/rest/images/:urn', rules.tellsImages],
    ['/api/rest/documents/:urn', rules.tellsImages],
  ] as const) {
    router.get(
      path,
      signedIn([rules.writeScope], async (req, res, { person }) => {
        const id = String(req.params.urn);
        const media = await find(id);
        if (!isTold) return refusals['missing-permission'](res);
        if (!media || !authorOf(person, media.owner)) return fail(res, 404, 'NOT_FOUND', 'The asset is not known');
        const status = statusOf(media);
        res.send({
          id,
          owner: media.owner,
          status,
          ...(status === 'PROCESSING_FAILED' && { processingFailureReason: 'The format is not supported' }),
        });
      }),
    );
  }

  return {
    /** What is wrong with the media of a post; when something is, the request has been answered. */
    isRefused: async (res: Response, owner: string, urns: readonly string[]): Promise<boolean> => {
      for (const urn of urns) {
        const media = await find(urn);
        const status = media?.owner === owner ? statusOf(media) : undefined;
        if (status === 'AVAILABLE') continue;
        if (status === undefined) failInput(res, 400, 'INVALID_URN_ID', `${urn} is not a media asset of the author`);
        else if (status === 'PROCESSING_FAILED') refusals['media-refused'](res);
        else failInput(res, 400, 'MEDIA_ASSET_WAITING_UPLOAD', 'Media asset is waiting upload');
        return true;
      }
      return false;
    },
  };
};

/** Undefined when the request has been answered. */
export const parsed = <Shape>(schema: z.ZodType<Shape>, req: Request, res: Response): Shape | undefined => {
  const { data, error } = schema.safeParse(req.body);
  if (error === undefined) return data;
  const issue = error.issues[0];
  const why =
    issue?.code === 'unrecognized_keys' ? 'unrecognized field found but not allowed' : 'field is missing or not valid';
  res.status(422).send({ message: `ERROR :: /${issue?.path.join('/')} :: ${why}`, status: 422 });
};

const isFileOf = (kind: string, bytes: Buffer) => {
  if (kind === 'video') return bytes.toString('latin1', 4, 8) === 'ftyp';
  const starts = kind === 'document' ? ['25504446'] : ['ffd8ff', '89504e47', '47494638'];
  return starts.some((start) => bytes.toString('hex', 0, 4).startsWith(start));
};
