import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { SandboxKit } from '#server/networks/sandbox';
import { invalid, ok, refusals, type SignedIn, tooManyDrafts } from './sandbox-access.ts';
import { createPublishing, type Publish, privacyLevel, refusesInfo, toggles } from './sandbox-publish.ts';

const uploadLifeMs = 3_600_000;
const MB = 1_000_000;

const FileSource = z.strictObject({
  source: z.literal('FILE_UPLOAD'),
  video_size: z.int().positive(),
  chunk_size: z.int().positive(),
  total_chunk_count: z.int().positive(),
});

/** A draft of a video has no text and no settings: the person gives them in the app. */
const NewDraft = z.strictObject({ source_info: FileSource });

const NewVideo = z.strictObject({
  post_info: z.strictObject({
    title: z.string().max(2200).optional(),
    privacy_level: privacyLevel,
    disable_comment: z.boolean().optional(),
    disable_duet: z.boolean().optional(),
    disable_stitch: z.boolean().optional(),
    video_cover_timestamp_ms: z.int().min(0).optional(),
    is_aigc: z.boolean().optional(),
    ...toggles,
  }),
  source_info: FileSource,
});

/** A video is uploaded in chunks; with the last it is a post, or a draft. */
export const mountVideos = (api: Router, kit: SandboxKit, signedIn: SignedIn) => {
  const { begin, keep, find, post } = createPublishing(kit);

  api.post(
    '/v2/post/publish/video/init',
    signedIn('video.publish', async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const parsed = NewVideo.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      const { post_info, source_info } = parsed.data;
      if (refusesInfo(res, person, post_info)) return;
      await openUpload(req, res, begin(person, { kind: 'video', info: post_info as Publish['info'] }), source_info);
    }),
  );

  api.post(
    '/v2/post/publish/inbox/video/init',
    signedIn('video.upload', async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const parsed = NewDraft.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      if (person.handle.includes('fivedrafts')) return tooManyDrafts(res);
      await openUpload(req, res, begin(person, { kind: 'video', info: {}, isDraft: true }), parsed.data.source_info);
    }),
  );

  const openUpload = async (req: Request, res: Response, begun: Publish, source: z.output<typeof FileSource>) => {
    const wrong = chunkProblem(source);
    if (wrong !== undefined) return invalid(res, wrong);
    const publishId = `${begun.isDraft ? 'v_inbox_file' : 'v_pub_file'}~v2-1.${begun.postId}`;
    await keep(publishId, {
      ...begun,
      size: source.video_size,
      chunkSize: source.chunk_size,
      chunks: source.total_chunk_count,
    });
    const upload = new URLSearchParams({ upload_id: publishId, upload_token: 'sandbox' });
    res.send({ data: { publish_id: publishId, upload_url: `${kit.here(req)}/upload?${upload}` }, error: ok });
  };

  /** The upload host, not the API: it checks only the token in the address and answers with only a status. */
  api.put('/upload', async (req, res) => {
    const publishId = String(req.query.upload_id);
    const publish = await find(publishId);
    const person = publish && (await kit.people.get(publish.owner));
    const bytes = await kit.readBytes(req);
    if (!publish || !person || req.query.upload_token !== 'sandbox') return res.status(404).end();
    if (kit.now().getTime() - Date.parse(publish.begunAt) > uploadLifeMs) return res.status(403).end();
    if (!/^video\/(mp4|quicktime|webm)$/.test(req.headers['content-type'] ?? '')) return res.status(400).end();
    const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(req.headers['content-range'] ?? '') ?? [];
    const length = Number(last) - Number(first) + 1;
    if (Number(total) !== publish.size || length !== bytes.length) return res.status(400).end();
    const index = Math.floor(publish.received / publish.chunkSize);
    const isLast = index === publish.chunks - 1;
    const expected = isLast ? publish.size - publish.received : publish.chunkSize;
    if (publish.received === publish.size || Number(first) !== publish.received || length !== expected)
      return res.status(416).end();

    const received = publish.received + length;
    res.setHeader('content-range', `bytes 0-${received - 1}/${publish.size}`);
    if (!isLast) {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      await keep(publishId, { ...publish, received });
      return res.status(206).end();
    }
    await kit.commit(req, res, {
      text: String(publish.info.title ?? ''),
      person,
      refusals,
      make: async () => {
        await keep(publishId, { ...publish, received, takenAt: kit.now().toISOString() });
        await post(publishId, publish, [String(req.headers['content-type'])]);
      },
      answer: () => res.status(201).end(),
    });
  });
};

const chunkProblem = ({ video_size, chunk_size, total_chunk_count }: z.output<typeof FileSource>) => {
  if (video_size > 4000 * MB) return 'video_size: at most 4 GB';
  if (total_chunk_count !== Math.floor(video_size / chunk_size) || total_chunk_count > 1000)
    return 'total_chunk_count: video_size divided by chunk_size, rounded down, at most 1000';
  if (video_size < 5 * MB && chunk_size !== video_size) return 'A video below 5 MB is uploaded as a whole.';
  if (video_size >= 5 * MB && chunk_size < 5 * MB) return 'chunk_size: at least 5 MB';
  if (chunk_size > 64 * MB) return 'chunk_size: at most 64 MB';
  return undefined;
};
