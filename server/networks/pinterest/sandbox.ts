import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Refusals, Sandbox, SandboxGrant, SandboxPost } from '#server/networks/sandbox';
import { ratioOf } from '#server/networks/shared/picture';

/**
 * Pinterest's API v5 as its description says: OAuth, boards with a section, videos that are registered, stored and
 * processed, pins, and their analytics. Everybody has the boards Recipes and Travel.
 */

const day = 86_400_000;
const boards = [
  { id: '549755885175', name: 'Recipes' },
  { id: '549755885176', name: 'Travel' },
];
const section = { id: '549755900001', name: 'Bread', board: '549755885175' };

const refuse = (res: Response, status: number, code: number, message: string) => {
  res.status(status).send({ code, message });
};
const invalid = (res: Response, message: string) => refuse(res, 400, 1, message);
const notAuthenticated = (res: Response) => refuse(res, 401, 2, 'Authentication failed.');
const brokenImage = (res: Response) => refuse(res, 403, 235, "The Pin's image is too small, too large or is broken.");

const refusals: Refusals = {
  '429': (res) => {
    res.setHeader('x-ratelimit-limit', '100, 100;w=60');
    res.setHeader('x-ratelimit-remaining', '0');
    res.setHeader('x-ratelimit-reset', '60');
    refuse(res, 429, 8, 'You have exceeded your rate limit. Try again later.');
  },
  '429-bare': (res) => refuse(res, 429, 8, 'You have exceeded your rate limit. Try again later.'),
  '503': (res) => refuse(res, res.statusCode === 500 ? 500 : 503, 11, 'Something went wrong on our end.'),
  'expired-token': notAuthenticated,
  'refused-token': notAuthenticated,
  'missing-permission': (res) =>
    refuse(res, 401, 3, 'Your token does not have sufficient permissions to perform this operation.'),
  'content-refused': (res) => invalid(res, 'Sorry, we blocked this link because it may lead to spam.'),
  'media-refused': brokenImage,
};

const id = z.string().regex(/^\d+$/);
const upTo = (max: number) => z.string().refine((text) => [...text].length <= max, `at most ${max} characters`);
const imageType = z.enum(['image/jpeg', 'image/png']);
const image = { content_type: imageType, data: z.base64().min(1) };
const itemTexts = { title: z.string().optional(), description: z.string().optional(), link: z.string().optional() };

const NewPin = z.strictObject({
  board_id: id,
  board_section_id: id.nullish(),
  title: upTo(100).nullish(),
  description: upTo(800).nullish(),
  link: z.url().max(2048).nullish(),
  alt_text: upTo(500).nullish(),
  dominant_color: z.string().nullish(),
  media_source: z.discriminatedUnion('source_type', [
    z.strictObject({ source_type: z.literal('image_base64'), ...image }),
    z.strictObject({
      source_type: z.literal('multiple_image_base64'),
      items: z
        .array(z.strictObject({ ...image, ...itemTexts }))
        .min(2)
        .max(5),
      index: z.int().min(0).optional(),
    }),
    z.strictObject({
      source_type: z.literal('video_id'),
      media_id: id,
      cover_image_url: z.url().optional(),
      cover_image_content_type: imageType.optional(),
      cover_image_data: z.base64().optional(),
      cover_image_key_frame_time: z.int().min(0).optional(),
    }),
  ]),
});
type NewPin = z.output<typeof NewPin>;

type Upload = {
  owner: string;
  status: 'registered' | 'processing' | 'succeeded' | 'failed';
  parameters: Record<string, string>;
};

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  router.use('/api', api);

  router.all(
    '/web/oauth',
    kit.consent({
      check: (query) => {
        if (query.client_id !== 'sandbox') return 'client_id is not known';
        if (query.response_type !== 'code') return 'response_type must be code';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.scope) return 'scope is missing';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(','),
    }),
  );

  api.post('/v5/oauth/token', async (req, res) => {
    const basic = `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`;
    if (req.headers.authorization !== basic) return notAuthenticated(res);
    const form = (req.body ?? {}) as Record<string, string>;
    if (form.grant_type !== 'authorization_code' && form.grant_type !== 'refresh_token')
      return invalid(res, "'grant_type' is not one of ['authorization_code', 'refresh_token']");
    const isCode = form.grant_type === 'authorization_code';
    const grant = isCode
      ? await kit.grants.take('code', form.code ?? '')
      : await kit.grants.take('refresh', form.refresh_token ?? '');
    if (grant === undefined || grant.expired) return refuse(res, 400, 283, 'The grant is invalid or has expired.');
    const asked = (grant.data ?? {}) as Record<string, string>;
    if (isCode && asked.redirect_uri !== form.redirect_uri)
      return refuse(res, 400, 283, 'The redirect_uri is not the one of the authorization.');
    const { person, scopes } = grant;
    res.send({
      response_type: form.grant_type,
      access_token: await kit.grants.issue('access', { person, scopes, lifeMs: 30 * day }),
      token_type: 'bearer',
      expires_in: 2_592_000,
      refresh_token: await kit.grants.issue('refresh', { person, scopes, lifeMs: 60 * day }),
      refresh_token_expires_in: 5_184_000,
      refresh_token_expires_at: Math.floor(kit.now().getTime() / 1000) + 5_184_000,
      scope: scopes.join(' '),
    });
  });

  /** The grant behind the bearer token, if it has the scopes. */
  const signedIn =
    (
      scopes: readonly string[],
      work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>,
    ): RequestHandler =>
    async (req, res) => {
      const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
      const grant = await kit.grants.find('access', secret);
      if (grant === undefined || grant.expired) return notAuthenticated(res);
      if (!scopes.every((scope) => grant.scopes.includes(scope))) return refusals['missing-permission'](res);
      await work(req, res, grant);
    };

  api.get(
    '/v5/user_account',
    signedIn(['user_accounts:read'], async (_req, res, { person }) => {
      res.send({
        account_type: 'BUSINESS',
        id: person.id,
        username: person.handle,
        business_name: person.name,
        profile_image: null,
        website_url: '',
      });
    }),
  );

  /** One page of a list. */
  const page = (req: Request, res: Response, all: readonly object[]) => {
    const size = Number(req.query.page_size ?? 25);
    const start = Number(req.query.bookmark ?? 0);
    if (!Number.isInteger(size) || size < 1 || size > 250) return invalid(res, `page_size: ${size} is not 1 to 250`);
    const end = start + size;
    res.send({ items: all.slice(start, end), bookmark: end < all.length ? String(end) : null });
  };

  api.get(
    '/v5/boards',
    signedIn(['boards:read'], async (req, res, { person }) => {
      const owner = { username: person.handle };
      page(
        req,
        res,
        boards.map((board) => ({ ...board, description: '', owner, privacy: 'PUBLIC' })),
      );
    }),
  );

  const hasSection = (board: unknown, one: unknown) => board === section.board && one === section.id;

  api.get(
    '/v5/boards/:board/sections',
    signedIn(['boards:read'], async (req, res) => {
      if (!boards.some((board) => board.id === req.params.board)) return refuse(res, 404, 40, 'Board not found.');
      page(req, res, hasSection(req.params.board, section.id) ? [{ id: section.id, name: section.name }] : []);
    }),
  );

  const pinOf = (post: SandboxPost) => {
    const { media_source: _, ...pin } = post.data as Record<string, string>;
    // Without a time zone, as Pinterest sends it.
    return { id: post.id, created_at: post.createdAt.slice(0, 19), ...pin };
  };
  const pinsOn = async (person: string, board: string, ofSection?: string) =>
    (await kit.posts.of(person, 1000)).filter(({ data }) => {
      const pin = data as { board_id: string; board_section_id: string | null };
      return pin.board_id === board && (ofSection === undefined || pin.board_section_id === ofSection);
    });

  api.get(
    '/v5/boards/:board/pins',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      if (!boards.some((board) => board.id === req.params.board)) return refuse(res, 404, 40, 'Board not found.');
      page(req, res, (await pinsOn(person.id, String(req.params.board))).map(pinOf));
    }),
  );

  api.get(
    '/v5/boards/:board/sections/:section/pins',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      const { board, section: one } = req.params;
      if (!hasSection(board, one)) return refuse(res, 404, 2031, 'Board or section not found.');
      page(req, res, (await pinsOn(person.id, String(board), String(one))).map(pinOf));
    }),
  );

  const NewMedia = z.strictObject({ media_type: z.literal('video') });
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

  /** Not Pinterest but a store, which takes exactly what was signed, without a token. */
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

  /** True when it has answered. */
  const refusesMedia = async (res: Response, person: string, source: NewPin['media_source']) => {
    if (source.source_type !== 'video_id') {
      const images = source.source_type === 'image_base64' ? [source] : source.items;
      const broken = images.some((one) => !isImage(one));
      if (broken) brokenImage(res);
      if (broken) return true;
      const ratios = await Promise.all(images.map(({ data }) => ratioOf(Buffer.from(data, 'base64'))));
      const uneven = ratios.some((ratio) => Math.abs((ratio ?? 0) - (ratios[0] ?? 0)) > 0.02);
      if (uneven) invalid(res, 'All images of a carousel must have the same aspect ratio.');
      return uneven;
    }
    const upload = await kit.records.get<Upload>('upload', source.media_id);
    if (upload?.owner !== person || upload.status !== 'succeeded') {
      refuse(res, 404, 2100, 'Media not found.');
      return true;
    }
    const { cover_image_url, cover_image_content_type, cover_image_data, cover_image_key_frame_time } = source;
    const ofBytes = cover_image_content_type &&
      cover_image_data && { content_type: cover_image_content_type, data: cover_image_data };
    const covers = [cover_image_url, ofBytes, cover_image_key_frame_time].filter((one) => one !== undefined);
    if (covers.length !== 1) {
      invalid(res, 'Exactly one cover image is required for a video.');
      return true;
    }
    if (ofBytes && !isImage(ofBytes)) {
      brokenImage(res);
      return true;
    }
    return false;
  };

  api.post(
    '/v5/pins',
    signedIn(['boards:read', 'boards:write', 'pins:read', 'pins:write'], async (req, res, { person }) => {
      const parsed = NewPin.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      const { media_source, ...texts } = parsed.data;
      if (!boards.some((board) => board.id === texts.board_id)) return refuse(res, 404, 40, 'Board not found.');
      if (texts.board_section_id && !hasSection(texts.board_id, texts.board_section_id))
        return refuse(res, 404, 2031, 'Board section not found.');
      if (await refusesMedia(res, person.id, media_source)) return;
      const nothing = { board_section_id: null, title: null, description: null, link: null, alt_text: null };
      await kit.commit(req, res, {
        text: texts.description ?? '',
        person,
        refusals,
        make: async () => {
          const post: SandboxPost = {
            id: kit.newId(),
            author: person.id,
            authorName: `@${person.handle}`,
            text: texts.description ?? '',
            media: mediaNames(media_source),
            createdAt: kit.now().toISOString(),
            data: { ...nothing, ...texts, media_source: withoutBytes(media_source) },
          };
          await kit.posts.add(post);
          return post;
        },
        answer: (post) => res.status(201).send(pinOf(post)),
      });
    }),
  );

  const metricTypes = ['IMPRESSION', 'OUTBOUND_CLICK', 'PIN_CLICK', 'SAVE', 'SAVE_RATE', 'TOTAL_COMMENTS'];
  const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);
  const Analytics = z.strictObject({
    start_date: date,
    end_date: date,
    metric_types: z
      .string()
      .transform((list) => list.split(','))
      .refine((list) => list.every((one) => metricTypes.includes(one))),
    app_types: z.enum(['ALL', 'MOBILE', 'TABLET', 'WEB']).default('ALL'),
  });

  api.get(
    '/v5/pins/:id/analytics',
    signedIn(['boards:read', 'pins:read'], async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const parsed = Analytics.safeParse(req.query);
      if (!parsed.success) return invalid(res, `Invalid pins analytics parameters. ${z.prettifyError(parsed.error)}`);
      const { start_date, end_date, metric_types } = parsed.data;
      const today = Date.parse(kit.now().toISOString().slice(0, 10));
      const [start, end] = [Date.parse(start_date), Date.parse(end_date)];
      if (!(start <= end && end <= today) || start < today - 90 * day)
        return invalid(res, 'The dates are in the wrong order, in the future or more than 90 days back.');
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return refuse(res, 404, 50, 'Pin not found.');
      const { views, saves, clicks } = kit.numbers(post);
      const outbound = Math.floor(clicks / 3);
      const all: Record<string, number> = {
        IMPRESSION: views,
        SAVE: saves,
        PIN_CLICK: clicks - outbound,
        OUTBOUND_CLICK: outbound,
        SAVE_RATE: views === 0 ? 0 : saves / views,
      };
      const metrics = Object.fromEntries(metric_types.flatMap((one) => (one in all ? [[one, all[one]]] : [])));
      const daily = [{ date: end_date, data_status: 'ESTIMATE', metrics }];
      res.send({ all: { daily_metrics: daily, lifetime_metrics: {}, summary_metrics: metrics } });
    }),
  );

  return router;
};

export default sandbox;

const isImage = ({ content_type, data }: { content_type: string; data: string }) => {
  const bytes = Buffer.from(data, 'base64');
  const begin = content_type === 'image/png' ? '89504e47' : 'ffd8ff';
  return bytes.length <= 20_000_000 && bytes.toString('hex', 0, begin.length / 2) === begin;
};

const mediaNames = (source: NewPin['media_source']): string[] => {
  if (source.source_type === 'video_id') return [`video ${source.media_id}`];
  return source.source_type === 'image_base64'
    ? [source.content_type]
    : source.items.map(({ content_type }) => content_type);
};

const withoutBytes = (source: NewPin['media_source']) => {
  if (source.source_type === 'video_id') {
    const { cover_image_data: _, ...shown } = source;
    return shown;
  }
  if (source.source_type === 'image_base64') {
    return { source_type: source.source_type, content_type: source.content_type };
  }
  const { source_type, items, index } = source;
  return { source_type, items: items.map(({ content_type }) => ({ content_type })), index };
};
