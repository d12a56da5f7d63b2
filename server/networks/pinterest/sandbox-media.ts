import type { Router } from 'express';
import { z } from 'zod';
import type { SandboxKit } from '#server/networks/sandbox';
import { invalid, refusals, refuse, type SignedIn } from './sandbox-access.ts';

export type Upload = {
  owner: string;
  status: 'registered' | 'processing' | 'succeeded' | 'failed';
  parameters: Record<string, string>;
};

const NewMedia = z.strictObject({ media_type: z.literal('video') });

/** Videos, which are registered, stored and processed before a pin can show them. */
export const mountMedia = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  api.post(
    '/v5/media',
    signedIn(['pins:read', 'pins:write'], async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      if (!NewMedia.safeParse(req.body).success) return invalid(res, "media_type is not one of ['video']");
      const mediaId = kit.newId();
      const parameters = {
        'x-amz-date': kit
          .now()
          .toISOString()
          .replaceAll(/[-:]|\.\d+/g, ''),
        'x-amz-signature': 'sandbox',
        'x-amz-security-token': 'sandbox',
        'x-amz-algorithm': 'AWS4-HMAC-SHA256',
        key: `uploads/${mediaId}:video`,
        policy: 'c2FuZGJveA==',
        'x-amz-credential': 'sandbox/us-east-1/s3/aws4_request',
        'Content-Type': 'multipart/form-data',
      };
      await kit.records.put('upload', mediaId, { owner: person.id, status: 'registered', parameters });
      res.status(201).send({
        media_id: mediaId,
        media_type: 'video',
        upload_url: `${kit.here(req)}/upload`,
        upload_parameters: parameters,
      });
    }),
  );

  /** The upload host, not Pinterest: it accepts exactly the signed fields, without a token. */
  api.post('/upload', async (req, res) => {
    const { fields, files } = await kit.readMultipart(req);
    const mediaId = /^uploads\/(\d+):video$/.exec(fields.key ?? '')?.[1] ?? '';
    const upload = await kit.records.get<Upload>('upload', mediaId);
    const signed = Object.entries(upload?.parameters ?? {});
    const isSigned = signed.length > 0 && signed.every(([name, value]) => fields[name] === value);
    if (!upload || !isSigned || req.headers.authorization !== undefined)
      return res.status(403).type('xml').send('<Error><Code>AccessDenied</Code></Error>');
    if (!files.file || files.file.bytes.length === 0)
      return res.status(400).type('xml').send('<Error><Code>InvalidArgument</Code></Error>');
    const isVideo = files.file.bytes.toString('latin1', 4, 8) === 'ftyp';
    await kit.records.put('upload', mediaId, { ...upload, status: isVideo ? 'processing' : 'failed' });
    res.status(204).end();
  });

  api.get(
    '/v5/media/:id',
    signedIn(['pins:read'], async (req, res, { person }) => {
      const mediaId = String(req.params.id);
      const upload = await kit.records.get<Upload>('upload', mediaId);
      if (upload?.owner !== person.id) return refuse(res, 404, 2100, 'Media not found.');
      res.send({ media_id: mediaId, media_type: 'video', status: upload.status });
      if (upload.status === 'processing') await kit.records.put('upload', mediaId, { ...upload, status: 'succeeded' });
    }),
  );
};
