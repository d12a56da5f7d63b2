import type { Request, Response, Router } from 'express';
import type { SandboxGrant, SandboxKit } from '#server/networks/sandbox';
import { type Access, badMedia } from './sandbox-access.ts';

type Upload = {
  owner: string;
  category: string;
  type: string;
  total: number;
  received: number;
  state: 'uploading' | 'processing' | 'ready' | 'failed';
  asked: number;
  /** The caption languages of a video. */
  subtitles?: string[];
};

const wholeImageBytes = 5 * 1024 * 1024;
const chunkedCategories = ['tweet_image', 'tweet_video', 'tweet_gif', 'amplify_video', 'subtitles'];

/** The file is a part of a form, or a text in base64 among the fields of a JSON body. */
const readMedia = async (kit: SandboxKit, req: Request) => {
  if (!req.is('json')) {
    const { fields, files } = await kit.readMultipart(req);
    return { fields, media: files.media };
  }
  const { media, ...fields } = (req.body ?? {}) as Record<string, unknown>;
  const bytes = typeof media === 'string' ? Buffer.from(media, 'base64') : Buffer.alloc(0);
  const file = bytes.length > 0 ? { mimeType: 'application/octet-stream', bytes } : undefined;
  return { fields: fields as Record<string, string>, media: file };
};

/** Uploads in one call or in chunks; a video or GIF is processed before it can be used. */
export const mountMedia = (api: Router, kit: SandboxKit, { signedIn, refusals }: Access) => {
  const { ownUpload, open, keep } = createUploads(kit);

  api.post(
    '/2/media/upload',
    signedIn('media.write', async (req, res, { person }) => {
      const { fields, media } = await readMedia(kit, req);
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const { media_category: category, ...unknown } = fields;
      if (!media || category !== 'tweet_image') return badMedia(res, 'media and media_category are needed');
      if (Object.keys(unknown).length > 0) return badMedia(res, `$.${Object.keys(unknown)[0]} is not defined`);
      if (media.bytes.length > wholeImageBytes) return badMedia(res, 'File size exceeds 5242880 bytes');
      const { length } = media.bytes;
      await open(res, person, { category, type: media.mimeType, total: length, received: length, state: 'ready' });
    }),
  );

  api.post(
    '/2/media/upload/initialize',
    signedIn('media.write', async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const { media_type: type, total_bytes: total, media_category: category } = req.body as Record<string, unknown>;
      if (typeof total !== 'number' || !chunkedCategories.includes(String(category))) {
        return badMedia(res, 'total_bytes and media_category are needed');
      }
      const [mimeType, kind] = [String(type), String(category)];
      await open(res, person, { category: kind, type: mimeType, total, received: 0, state: 'uploading' });
    }),
  );

  api.post(
    '/2/media/upload/:id/append',
    signedIn('media.write', async (req, res, grant) => {
      const { fields, media } = await readMedia(kit, req);
      if (await kit.isFaulty('upload', req, res, { person: grant.person, refusals })) return;
      const upload = await ownUpload(req.params.id, grant);
      const index = Number(fields.segment_index);
      if (!upload || !media || !(index >= 0 && index <= 999)) return badMedia(res, 'The segment is not valid');
      await keep(String(req.params.id), { ...upload, received: upload.received + media.bytes.length });
      res.send({ data: { expires_at: 0 } });
    }),
  );

  api.post(
    '/2/media/upload/:id/finalize',
    signedIn('media.write', async (req, res, grant) => {
      const upload = await ownUpload(req.params.id, grant);
      if (!upload || upload.received !== upload.total)
        return badMedia(res, 'Segments do not add up to provided total file size.');
      const isReady = ['tweet_image', 'subtitles'].includes(upload.category);
      const finished: Upload = { ...upload, state: isReady ? 'ready' : 'processing' };
      await keep(String(req.params.id), finished);
      res.send(uploadAnswer(String(req.params.id), finished));
    }),
  );

  api.get(
    '/2/media/upload',
    signedIn('media.write', async (req, res, grant) => {
      const id = String(req.query.media_id);
      const upload = await ownUpload(id, grant);
      if (!upload || req.query.command !== 'STATUS') return badMedia(res, 'The media id is not valid');
      const reads = upload.asked + 1;
      const state = reads > 1 ? 'ready' : upload.state;
      await keep(id, { ...upload, asked: reads, state });
      res.send({
        data: {
          id,
          processing_info: {
            state: state === 'ready' ? 'succeeded' : 'in_progress',
            ...(state !== 'ready' && { check_after_secs: 1 }),
          },
        },
      });
    }),
  );

  api.post(
    '/2/media/subtitles',
    signedIn('media.write', async (req, res, grant) => {
      if (await kit.isFaulty('upload', req, res, { person: grant.person, refusals })) return;
      const { id, media_category: category, subtitles } = (req.body ?? {}) as Record<string, unknown>;
      const { id: fileId, language_code: language, display_name } = (subtitles ?? {}) as Record<string, unknown>;
      const [video, file] = [await ownUpload(id, grant), await ownUpload(fileId, grant)];
      const isVideo = ['tweet_video', 'amplify_video'].includes(video?.category ?? '');
      if (!video || !isVideo || !['TweetVideo', 'AmplifyVideo'].includes(String(category))) {
        return badMedia(res, 'The media id is not that of a video');
      }
      if (file?.category !== 'subtitles' || file.state !== 'ready') return badMedia(res, 'The subtitles are not valid');
      if (!/^[A-Z]{2}$/.test(String(language))) return badMedia(res, 'The language code is not valid');
      await keep(String(id), { ...video, subtitles: [...(video.subtitles ?? []), String(language)] });
      const associated = { id: fileId, language_code: language, display_name };
      res.send({ data: { id, media_category: category, associated_subtitles: [associated] } });
    }),
  );

  api.post(
    '/2/media/metadata',
    signedIn('media.write', async (req, res, grant) => {
      const { id, metadata } = req.body as { id: string; metadata?: { alt_text?: { text?: string } } };
      const text = metadata?.alt_text?.text;
      if (!(await ownUpload(id, grant)) || !text || text.length > 1000)
        return badMedia(res, 'The metadata is not valid');
      res.send({ data: { id } });
    }),
  );
};

export const createUploads = (kit: SandboxKit) => {
  const keep = (id: string, upload: Upload) => kit.records.put('upload', id, upload);

  const ownUpload = async (id: unknown, { person }: SandboxGrant) => {
    const upload = await kit.records.get<Upload>('upload', String(id));
    return upload?.owner === person.id ? upload : undefined;
  };

  return {
    keep,
    ownUpload,

    open: async (res: Response, { id: owner }: SandboxGrant['person'], about: Omit<Upload, 'owner' | 'asked'>) => {
      const id = kit.newId();
      const upload = { owner, ...about, asked: 0 };
      await keep(id, upload);
      res.send(uploadAnswer(id, upload));
    },

    /** The caption languages of these files. */
    subtitlesOf: async (ids: readonly string[], grant: SandboxGrant) => {
      const uploads = await Promise.all(ids.map((id) => ownUpload(id, grant)));
      return uploads.flatMap((upload) => upload?.subtitles ?? []);
    },

    /** Null when a post can have all of them. */
    mediaProblem: async (ids: readonly string[], grant: SandboxGrant) => {
      const uploads = await Promise.all(ids.map((id) => ownUpload(id, grant)));
      if (uploads.some((upload) => upload?.state !== 'ready' || upload.category === 'subtitles')) {
        return 'Your media IDs are invalid.';
      }
      const alone = uploads.filter((upload) => upload?.category !== 'tweet_image').length;
      return alone > 0 && uploads.length > 1 ? 'You may only post one video or GIF.' : null;
    },
  };
};

/** The key by which posts refer to this media. */
export const mediaKey = (id: string) => `3_${id}`;

const uploadAnswer = (id: string, { state }: Upload) => ({
  data: {
    id,
    media_key: mediaKey(id),
    expires_after_secs: 86_400,
    ...(state === 'processing' && { processing_info: { state: 'pending', check_after_secs: 1 } }),
  },
});
