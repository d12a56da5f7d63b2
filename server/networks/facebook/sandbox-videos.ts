import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { invalid, parametersOf, refuse } from '#server/networks/families/meta/sandbox';
import type { SandboxForm, SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { type Page, type Pages, pageOf, refusals } from './sandbox-pages.ts';

/**
 * Videos are uploaded in three phases: start, transfer, and finish, which makes them public. Feed videos can also be
 * sent whole, in the call that makes them public.
 */

type Edge = 'videos' | 'video_reels' | 'video_stories';

type Video = {
  readonly page: string;
  readonly edge: Edge;
  readonly size: number | null;
  readonly received: number;
  readonly finishedAt: string | null;
  readonly postId: string | null;
};

const chunkBytes = 1_000_000;
const processingMs = 8_000;

/** A file comes as a part of the form; one that Facebook fetches from an address comes as a parameter like any other. */
export const readUpload = async (kit: SandboxKit, req: Request): Promise<SandboxForm> => {
  if (req.is('multipart/form-data')) return kit.readMultipart(req);
  const texts = Object.entries(parametersOf(req)).map(([name, value]) => [name, String(value)]);
  return { fields: Object.fromEntries(texts), files: {} };
};

export const mountVideos = (api: Router, videoApi: Router, kit: SandboxKit, { asPage, ofPage, add }: Pages) => {
  const ownVideo = async (id: unknown, page: Page, edge?: Edge) => {
    const video = await kit.records.get<Video>('video', String(id));
    return video?.page === page.id && (edge === undefined || video.edge === edge) ? video : undefined;
  };
  const begin = async (page: Page, edge: Edge, size: number | null) => {
    const id = kit.newId();
    await kit.records.put('video', id, { page: page.id, edge, size, received: 0, finishedAt: null, postId: null });
    return id;
  };
  const isWhole = ({ size, received, finishedAt }: Video) => received === size && finishedAt === null;

  /** The third phase, which makes it public. */
  const finish = (
    req: Request,
    res: Response,
    page: Page,
    person: SandboxPerson,
    {
      id,
      video,
      text,
      title,
      isNew = false,
    }: { id: string; video: Video; text: string; title?: string | undefined; isNew?: boolean },
  ) =>
    kit.commit(req, res, {
      text,
      person,
      refusals,
      make: async () => {
        const number = kit.newId();
        const isStory = video.edge === 'video_stories';
        const type = { videos: 'video', video_reels: 'reel', video_stories: 'story' }[video.edge];
        const data = { type, ...(title !== undefined && { title }) };
        await add(page, { id: isStory ? number : `${page.id}_${number}`, text, media: [id], data });
        await kit.records.put('video', id, { ...video, finishedAt: kit.now().toISOString(), postId: number });
        return number;
      },
      answer: (post_id) =>
        res.send(isNew ? { id } : { success: true, ...(video.edge === 'video_stories' && { post_id }) }),
    });

  const Start = z.strictObject({ upload_phase: z.literal('start'), file_size: z.coerce.number().int().positive() });
  const FinishVideo = z.strictObject({
    upload_phase: z.literal('finish'),
    upload_session_id: z.string(),
    description: z.string().optional(),
    title: z.string().max(255).optional(),
    published: z.literal('true').optional(),
  });
  const WholeVideo = z.strictObject({
    description: z.string().optional(),
    title: z.string().max(255).optional(),
    published: z.literal('true').optional(),
  });
  const VideoByAddress = WholeVideo.extend({ file_url: z.url() });
  const noCapability = {
    code: 3,
    message: '(#3) Application does not have the capability to make this API call.',
  };

  const publishWhole = async (
    req: Request,
    res: Response,
    page: Page,
    person: SandboxPerson,
    size: number,
    { description: text = '', title }: z.output<typeof WholeVideo>,
  ) => {
    const id = await begin(page, 'videos', size);
    const video = { ...(await kit.records.get<Video>('video', id)), received: size } as Video;
    await finish(req, res, page, person, { id, video, text, title, isNew: true });
  };

  // The host for videos takes files, and the other one an address to fetch the video from.
  api.post(
    '/:id/videos',
    ofPage('pages_manage_posts', async (req, res, page, person) => {
      const { fields } = await readUpload(kit, req);
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const request = VideoByAddress.safeParse(fields).data;
      if (request === undefined) return refuse(res, invalid('Invalid parameter'));
      const { file_url: url, ...texts } = request;
      const file = await kit.fetchMedia(url);
      if (!file?.mimeType.startsWith('video/')) return refusals['media-refused'](res);
      await publishWhole(req, res, page, person, file.bytes.length, texts);
    }),
  );

  videoApi.post(
    '/:id/videos',
    ofPage('pages_manage_posts', async (req, res, page, person) => {
      const offsets = ({ received, size }: Pick<Video, 'received' | 'size'>) => ({
        start_offset: String(received),
        end_offset: String(Math.min(received + chunkBytes, size ?? 0)),
      });
      if (req.is('multipart/form-data')) {
        const { fields, files } = await kit.readMultipart(req);
        if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
        const whole = files.source && WholeVideo.safeParse(fields).data;
        if (files.source && whole) return publishWhole(req, res, page, person, files.source.bytes.length, whole);
        const id = (fields.upload_session_id ?? '').replace(/^s/, '');
        const video = await ownVideo(id, page, 'videos');
        const chunk = files.video_file_chunk?.bytes;
        if (!video || !chunk || fields.upload_phase !== 'transfer') return refuse(res, invalid('Invalid parameter'));
        if (Number(fields.start_offset) !== video.received || chunk.length > chunkBytes) {
          return refuse(res, { code: 6000, subcode: 1363037, message: 'The start offset is not correct.' });
        }
        const grown = { ...video, received: video.received + chunk.length };
        await kit.records.put('video', id, grown);
        return res.send(offsets(grown));
      }
      const parameters = parametersOf(req);
      const start = Start.safeParse(parameters).data;
      if (start && person.handle.includes('nochunks')) return refuse(res, noCapability);
      if (start) {
        if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
        const id = await begin(page, 'videos', start.file_size);
        const session = { video_id: id, upload_session_id: `s${id}` };
        return res.send({ ...session, ...offsets({ received: 0, size: start.file_size }) });
      }
      const request = FinishVideo.safeParse(parameters).data;
      const id = request?.upload_session_id.replace(/^s/, '') ?? '';
      const video = await ownVideo(id, page, 'videos');
      if (!request || !video || !isWhole(video)) return refuse(res, invalid('Invalid parameter'));
      await finish(req, res, page, person, { id, video, text: request.description ?? '', title: request.title });
    }),
  );

  /** A cover that is preferred takes the place of the one before. */
  api.post(
    '/:id/thumbnails',
    asPage('pages_manage_posts', async (req, res, grant) => {
      const { fields, files } = await kit.readMultipart(req);
      const page = pageOf(grant);
      const video = await ownVideo(req.params.id, page);
      const { is_preferred, ...unknown } = fields;
      const { source } = files;
      if (!video?.postId || is_preferred !== 'true' || Object.keys(unknown).length > 0)
        return refuse(res, invalid('Invalid parameter'));
      if (grant.person.handle.includes('nocover')) return refusals['missing-permission'](res);
      if (!source || !/^image\/(jpeg|png)$/.test(source.mimeType)) return refusals['media-refused'](res);
      const post = await kit.posts.get(`${page.id}_${video.postId}`);
      if (post) {
        await kit.posts.remove(post.id);
        await kit.posts.add({ ...post, data: { ...(post.data as object), cover: source.mimeType } });
      }
      res.send({ success: true });
    }),
  );

  const FinishReel = z.strictObject({
    upload_phase: z.literal('finish'),
    video_id: z.string(),
    video_state: z.literal('PUBLISHED'),
    description: z.string().optional(),
    title: z.string().max(255).optional(),
  });
  const FinishStory = z.strictObject({ upload_phase: z.literal('finish'), video_id: z.string() });

  for (const [edge, Finish] of [
    ['video_reels', FinishReel],
    ['video_stories', FinishStory],
  ] as const) {
    api.post(
      `/:id/${edge}`,
      ofPage('pages_manage_posts', async (req, res, page, person) => {
        const parameters = parametersOf(req);
        if (z.strictObject({ upload_phase: z.literal('start') }).safeParse(parameters).success) {
          if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
          const id = await begin(page, edge, null);
          return res.send({ video_id: id, upload_url: `${kit.here(req)}/video-upload/${id}` });
        }
        const request = Finish.safeParse(parameters).data;
        const video = await ownVideo(request?.video_id, page, edge);
        if (!request || !video || !isWhole(video)) return refuse(res, invalid('Invalid parameter'));
        const text = String(parameters.description ?? '');
        const title = typeof parameters.title === 'string' ? parameters.title : undefined;
        await finish(req, res, page, person, { id: request.video_id, video, text, title });
      }),
    );
  }

  api.post(
    '/video-upload/:video',
    asPage('pages_manage_posts', async (req, res, grant) => {
      const bytes = await kit.readBytes(req);
      if (await kit.isFaulty('upload', req, res, { person: grant.person, refusals })) return;
      const id = String(req.params.video);
      const video = await ownVideo(id, pageOf(grant));
      const isAll = req.headers.offset === '0' && Number(req.headers.file_size) === bytes.length;
      if (!req.headers.authorization?.startsWith('OAuth ') || !video || !isAll) {
        return refuse(res, { code: 6000, subcode: 1363026, message: 'The upload could not be read.' });
      }
      await kit.records.put('video', id, { ...video, size: bytes.length, received: bytes.length });
      res.send({ success: true });
    }),
  );

  const videoNode = (id: string, video: Video) => {
    const { finishedAt, size, received, postId, edge } = video;
    const isUploaded = size !== null && received === size;
    const isReady = finishedAt !== null && kit.now().getTime() >= Date.parse(finishedAt) + processingMs;
    const later = isReady ? 'complete' : finishedAt === null ? 'not_started' : 'in_progress';
    const states = { uploading: 'uploading', uploaded: 'upload_complete', finished: 'processing', ready: 'ready' };
    const state = isReady ? 'ready' : finishedAt !== null ? 'finished' : isUploaded ? 'uploaded' : 'uploading';
    return {
      id,
      status: {
        video_status: states[state],
        uploading_phase: { status: isUploaded ? 'complete' : 'in_progress' },
        processing_phase: { status: later },
        publishing_phase: { status: later, ...(isReady && { publish_status: 'published' }) },
      },
      post_id: isReady ? postId : undefined,
      permalink_url: isReady ? `/${edge === 'video_reels' ? 'reel' : 'watch'}/${id}/` : undefined,
    };
  };

  return {
    node: async (id: string, page: Page) => {
      const video = await ownVideo(id, page);
      return video && videoNode(id, video);
    },
  };
};
