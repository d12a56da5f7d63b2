import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Refusals, Sandbox, SandboxGrant, SandboxPerson, SandboxPost } from '#server/networks/sandbox';

/**
 * TikTok's API v2 as its reference describes it: login, Direct Post of videos (uploaded in chunks) and photos (fetched by
 * address), drafts of both in the inbox of the account, the status of a post, and the list of public videos. Somebody whose handle begins with `private` has a
 * private account.
 */

const day = 86_400_000;
const uploadLifeMs = 3_600_000;
/** How long a public post is reviewed before it has an id. */
const moderationMs = 45_000;
const MB = 1_000_000;

const ok = { code: 'ok', message: '', log_id: 'sandbox' };
const refuse = (res: Response, status: number, code: string, message: string) => {
  res.status(status).send({ data: {}, error: { code, message, log_id: 'sandbox' } });
};
const invalid = (res: Response, message: string) => refuse(res, 400, 'invalid_param', message);

const tooMany = (res: Response) => refuse(res, 429, 'rate_limit_exceeded', 'The API rate limit was exceeded.');
const refusals: Refusals = {
  // TikTok documents no header that tells how long.
  '429': tooMany,
  '429-bare': tooMany,
  '503': (res) => refuse(res, res.statusCode === 500 ? 500 : 503, 'internal_error', 'Something went wrong.'),
  'expired-token': (res) => refuse(res, 401, 'access_token_invalid', 'The access token is invalid or not found.'),
  'refused-token': (res) => refuse(res, 401, 'access_token_invalid', 'The access token is invalid or not found.'),
  'missing-permission': (res) =>
    refuse(res, 401, 'scope_not_authorized', 'The user did not authorize the scope required.'),
  'content-refused': (res) => refuse(res, 403, 'spam_risk_text', 'The text has risky or spammy contents.'),
  'media-refused': (res) => refuse(res, 400, 'invalid_file_upload', 'The uploaded file does not meet specifications.'),
};

const privacyLevel = z.enum(['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'FOLLOWER_OF_CREATOR', 'SELF_ONLY']);
const toggles = { brand_content_toggle: z.boolean().optional(), brand_organic_toggle: z.boolean().optional() };

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

const words = { title: z.string().max(90).optional(), description: z.string().max(4000).optional() };
const photoSource = z.strictObject({
  source: z.literal('PULL_FROM_URL'),
  photo_cover_index: z.int().min(0).optional(),
  photo_images: z.array(z.url()).min(1).max(35),
});
const NewPhotos = z.discriminatedUnion('post_mode', [
  z.strictObject({
    media_type: z.literal('PHOTO'),
    post_mode: z.literal('DIRECT_POST'),
    post_info: z.strictObject({
      ...words,
      privacy_level: privacyLevel,
      disable_comment: z.boolean().optional(),
      auto_add_music: z.boolean().optional(),
      ...toggles,
    }),
    source_info: photoSource,
  }),
  z.strictObject({
    media_type: z.literal('PHOTO'),
    post_mode: z.literal('MEDIA_UPLOAD'),
    post_info: z.strictObject(words),
    source_info: photoSource,
  }),
]);

/** One attempt to post. */
type Publish = {
  owner: string;
  kind: 'video' | 'photo';
  /** A draft, which the person finishes in the app. */
  isDraft: boolean;
  postId: string;
  info: Record<string, string | number | boolean>;
  begunAt: string;
  /** Of a video. */
  size: number;
  chunkSize: number;
  chunks: number;
  received: number;
  takenAt?: string;
  failReason?: string;
  asked: number;
};

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  router.use('/api', api);

  router.all(
    '/web/v2/auth/authorize',
    kit.consent({
      check: (query) => {
        if (query.client_key !== 'sandbox') return 'client_key is not known';
        if (query.response_type !== 'code') return 'response_type must be code';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.state) return 'state is missing';
        if (!query.scope) return 'scope is missing';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(','),
      states: {
        private: 'Has a private account (at the beginning of the handle)',
        unaudited: 'Posts through an app that TikTok has not reviewed: only private ones are taken',
        unverified: 'Posts photos from an address that the operator has not verified',
        fivedrafts: 'Has five drafts that were not finished, so that no more are taken today',
      },
    }),
  );

  const openId = ({ id }: SandboxPerson) => `-000${id}`;

  // The reference gives these no status, so the sandbox sends the one that is easiest to overlook.
  const grantRefused = (res: Response, error: string, description: string) =>
    res.status(200).send({ error, error_description: description, log_id: 'sandbox' });

  api.post('/v2/oauth/token', async (req, res) => {
    const form = (req.body ?? {}) as Record<string, string>;
    if (!req.is('application/x-www-form-urlencoded'))
      return grantRefused(res, 'invalid_request', 'Content-Type must be application/x-www-form-urlencoded.');
    if (form.client_key !== 'sandbox' || form.client_secret !== 'sandbox')
      return grantRefused(res, 'invalid_client', 'Client key or secret is incorrect.');
    if (form.grant_type === 'client_credentials')
      return res.send({ access_token: 'clt.sandbox', expires_in: 7200, token_type: 'Bearer' });
    if (form.grant_type !== 'authorization_code' && form.grant_type !== 'refresh_token')
      return grantRefused(res, 'unsupported_grant_type', 'Grant type is not supported.');
    const isCode = form.grant_type === 'authorization_code';
    const grant = isCode
      ? await kit.grants.take('code', form.code ?? '')
      : await kit.grants.take('refresh', form.refresh_token ?? '');
    if (grant === undefined || grant.expired)
      return grantRefused(
        res,
        'invalid_grant',
        isCode ? 'Authorization code is expired.' : 'Refresh token is invalid.',
      );
    const asked = (grant.data ?? {}) as Record<string, string>;
    if (isCode && asked.redirect_uri !== form.redirect_uri)
      return grantRefused(res, 'invalid_request', 'Redirect_uri is not matched with the uri when requesting code.');
    const { person, scopes } = grant;
    res.send({
      open_id: openId(person),
      scope: scopes.join(','),
      access_token: await kit.grants.issue('access', { person, scopes, lifeMs: day }),
      expires_in: 86_400,
      refresh_token: await kit.grants.issue('refresh', { person, scopes, lifeMs: 365 * day }),
      refresh_expires_in: 31_536_000,
      token_type: 'Bearer',
    });
  });

  api.post('/v2/oauth/revoke', async (req, res) => {
    const form = (req.body ?? {}) as Record<string, string>;
    if (form.client_key !== 'sandbox' || form.client_secret !== 'sandbox')
      return grantRefused(res, 'invalid_client', 'Client key or secret is incorrect.');
    const grant = await kit.grants.take('access', form.token ?? '');
    if (grant === undefined) return grantRefused(res, 'invalid_request', 'The token is invalid.');
    await kit.grants.revokeAll(grant.person);
    res.send();
  });

  /** The grant behind the bearer token, if it has the scope. */
  const signedIn =
    (
      scope: string | ((req: Request) => string),
      work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>,
    ): RequestHandler =>
    async (req, res) => {
      const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
      const grant = await kit.grants.find('access', secret);
      if (grant === undefined || grant.expired) return refusals['expired-token'](res);
      if (!grant.scopes.includes(typeof scope === 'string' ? scope : scope(req)))
        return refusals['missing-permission'](res);
      if (req.method === 'POST' && !req.is('application/json')) return invalid(res, 'Content-Type must be JSON');
      await work(req, res, grant);
    };

  const fieldsOf = (req: Request) => String(req.query.fields ?? '').split(',');

  api.get(
    '/v2/user/info',
    signedIn('user.info.basic', async (req, res, { person }) => {
      const user: Record<string, string> = {
        open_id: openId(person),
        union_id: `union-${person.id}`,
        avatar_url: '',
        display_name: person.name,
      };
      const fields = fieldsOf(req);
      if (fields.includes('username')) return refusals['missing-permission'](res);
      const unknown = fields.find((field) => !(field in user));
      if (unknown !== undefined) return refuse(res, 400, 'invalid_params', `Unknown field: ${unknown || 'none given'}`);
      res.send({ data: { user: Object.fromEntries(fields.map((field) => [field, user[field]])) }, error: ok });
    }),
  );

  const isPrivate = ({ handle }: SandboxPerson) => handle.startsWith('private');
  const privacyOptions = (person: SandboxPerson) => [
    isPrivate(person) ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE',
    'MUTUAL_FOLLOW_FRIENDS',
    'SELF_ONLY',
  ];

  api.post(
    '/v2/post/publish/creator_info/query',
    signedIn('video.publish', async (_req, res, { person }) => {
      res.send({
        data: {
          creator_avatar_url: '',
          creator_username: person.handle,
          creator_nickname: person.name,
          privacy_level_options: privacyOptions(person),
          comment_disabled: false,
          duet_disabled: isPrivate(person),
          stitch_disabled: isPrivate(person),
          max_video_post_duration_sec: 600,
        },
        error: ok,
      });
    }),
  );

  /** True when it has answered. */
  const refusesInfo = (res: Response, person: SandboxPerson, info: z.output<typeof NewVideo>['post_info']) => {
    if (person.handle.includes('unaudited') && info.privacy_level !== 'SELF_ONLY') {
      refuse(
        res,
        403,
        'unaudited_client_can_only_post_to_private_accounts',
        'Unaudited clients can only post to a private account.',
      );
      return true;
    }
    if (!privacyOptions(person).includes(info.privacy_level)) {
      refuse(res, 403, 'privacy_level_option_mismatch', 'privacy_level is not among the options of the creator.');
      return true;
    }
    if (info.privacy_level === 'SELF_ONLY' && info.brand_content_toggle) {
      invalid(res, 'Branded content cannot be private.');
      return true;
    }
    return false;
  };

  const begin = (
    person: SandboxPerson,
    { kind, info, isDraft = false }: Pick<Publish, 'kind' | 'info'> & { isDraft?: boolean },
  ): Publish => ({
    owner: person.id,
    kind,
    isDraft,
    postId: kit.newId(),
    info,
    begunAt: kit.now().toISOString(),
    size: 0,
    chunkSize: 0,
    chunks: 0,
    received: 0,
    asked: 0,
  });

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

  const openUpload = async (req: Request, res: Response, begun: Publish, source: z.output<typeof FileSource>) => {
    const wrong = chunkProblem(source);
    if (wrong !== undefined) return invalid(res, wrong);
    const publishId = `${begun.isDraft ? 'v_inbox_file' : 'v_pub_file'}~v2-1.${begun.postId}`;
    await kit.records.put('publish', publishId, {
      ...begun,
      size: source.video_size,
      chunkSize: source.chunk_size,
      chunks: source.total_chunk_count,
    });
    const upload = new URLSearchParams({ upload_id: publishId, upload_token: 'sandbox' });
    res.send({ data: { publish_id: publishId, upload_url: `${kit.here(req)}/upload?${upload}` }, error: ok });
  };

  const tooManyDrafts = (res: Response) =>
    refuse(res, 403, 'spam_risk_too_many_pending_share', 'The user has too many drafts that are not finished.');

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

  const post = async (publishId: string, publish: Publish, media: readonly string[]) => {
    const person = await kit.people.get(publish.owner);
    const { title = '', description } = publish.info;
    await kit.posts.add({
      id: publish.postId,
      author: publish.owner,
      authorName: `@${person?.handle}`,
      text: String(description ?? title),
      media,
      createdAt: kit.now().toISOString(),
      data: { ids: [publishId], kind: publish.kind, ...(publish.isDraft && { draft: true }), ...publish.info },
    });
  };

  /** Not the API itself: no token but the one in the address, and no words but a status. */
  api.put('/upload', async (req, res) => {
    const publishId = String(req.query.upload_id);
    const publish = await kit.records.get<Publish>('publish', publishId);
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
      await kit.records.put('publish', publishId, { ...publish, received });
      return res.status(206).end();
    }
    await kit.commit(req, res, {
      text: String(publish.info.title ?? ''),
      person,
      refusals,
      make: async () => {
        await kit.records.put('publish', publishId, { ...publish, received, takenAt: kit.now().toISOString() });
        await post(publishId, publish, [String(req.headers['content-type'])]);
      },
      answer: () => res.status(201).end(),
    });
  });

  /** What is wrong with photos, as TikTok's code. TikTok checks them after it has answered. */
  const pullProblem = async (urls: readonly string[]): Promise<string | undefined> => {
    for (const url of urls) {
      const file = await kit.fetchMedia(url);
      if (file === undefined) return 'photo_pull_failed';
      if (!/^image\/(jpeg|webp)$/.test(file.mimeType) || file.bytes.length > 20 * MB) return 'file_format_check_failed';
    }
    return undefined;
  };

  const scopeOfPhotos = (req: Request) =>
    (req.body as { post_mode?: unknown } | undefined)?.post_mode === 'MEDIA_UPLOAD' ? 'video.upload' : 'video.publish';

  api.post(
    '/v2/post/publish/content/init',
    signedIn(scopeOfPhotos, async (req, res, { person }) => {
      const parsed = NewPhotos.safeParse(req.body);
      if (!parsed.success) return invalid(res, z.prettifyError(parsed.error));
      const { post_mode, post_info, source_info } = parsed.data;
      const isDraft = post_mode === 'MEDIA_UPLOAD';
      if (parsed.data.post_mode === 'DIRECT_POST' && refusesInfo(res, person, parsed.data.post_info)) return;
      if (isDraft && person.handle.includes('fivedrafts')) return tooManyDrafts(res);
      if (person.handle.includes('unverified')) {
        return refuse(res, 403, 'url_ownership_unverified', 'Please verify the ownership of the URL properties.');
      }
      if ((source_info.photo_cover_index ?? 0) >= source_info.photo_images.length)
        return invalid(res, 'photo_cover_index is out of range');
      await kit.commit(req, res, {
        text: `${post_info.title ?? ''} ${post_info.description ?? ''}`,
        person,
        refusals,
        make: async () => {
          const failReason = await pullProblem(source_info.photo_images);
          const cover = source_info.photo_cover_index ?? 0;
          const info = { ...post_info, photo_cover_index: cover } as Publish['info'];
          const publish = begin(person, { kind: 'photo', info, isDraft });
          const publishId = `${isDraft ? 'p_inbox_url' : 'p_pub_url'}~v2.${publish.postId}`;
          const takenAt = kit.now().toISOString();
          await kit.records.put('publish', publishId, { ...publish, takenAt, ...(failReason && { failReason }) });
          if (failReason === undefined) await post(publishId, publish, source_info.photo_images);
          return publishId;
        },
        answer: (publishId) => res.send({ data: { publish_id: publishId }, error: ok }),
      });
    }),
  );

  const isListed = ({ createdAt, data }: SandboxPost) =>
    (data as { privacy_level: string }).privacy_level === 'PUBLIC_TO_EVERYONE' &&
    kit.now().getTime() - Date.parse(createdAt) >= moderationMs;

  /** Either permission reads what was made with it. */
  const scopeOfStatus = (req: Request) =>
    String((req.body as { publish_id?: unknown } | undefined)?.publish_id).includes('_inbox_')
      ? 'video.upload'
      : 'video.publish';

  api.post(
    '/v2/post/publish/status/fetch',
    signedIn(scopeOfStatus, async (req, res, { person }) => {
      const publishId = String((req.body as { publish_id?: unknown }).publish_id);
      const publish = await kit.records.get<Publish>('publish', publishId);
      if (publish === undefined) return refuse(res, 400, 'invalid_publish_id', 'The publish_id does not exist.');
      if (publish.owner !== person.id) {
        return refuse(res, 400, 'token_not_authorized_for_specified_publish_id', 'The publish_id is of somebody else.');
      }
      const asked = publish.takenAt === undefined ? 0 : publish.asked + 1;
      await kit.records.put('publish', publishId, { ...publish, asked });
      const found = await kit.posts.get(publish.postId);
      const processing = publish.kind === 'video' ? 'PROCESSING_UPLOAD' : 'PROCESSING_DOWNLOAD';
      const done = publish.isDraft ? 'SEND_TO_USER_INBOX' : 'PUBLISH_COMPLETE';
      const status = asked < 2 ? processing : publish.failReason ? 'FAILED' : done;
      const isPublic = status === 'PUBLISH_COMPLETE' && found !== undefined && isListed(found);
      // Written by hand: JavaScript has no numbers of this size.
      const ids = isPublic ? publish.postId : '';
      const reason = status === 'FAILED' ? (publish.failReason ?? '') : '';
      res
        .type('json')
        .send(
          `{"data":{"status":"${status}","fail_reason":"${reason}","publicaly_available_post_id":[${ids}],` +
            `"uploaded_bytes":${publish.received}},"error":${JSON.stringify(ok)}}`,
        );
    }),
  );

  const videoOf = (found: SandboxPost, fields: readonly string[]) => {
    const numbers = kit.numbers(found);
    const { kind, title = '', description } = found.data as { kind: string; title?: string; description?: string };
    const all: Record<string, string | number> = {
      id: found.id,
      create_time: Math.floor(Date.parse(found.createdAt) / 1000),
      title: title.slice(0, 150),
      video_description: (description ?? title).slice(0, 150),
      share_url: kit.link(`/web/${found.authorName}/${kind}/${found.id}`),
      view_count: numbers.views,
      like_count: numbers.likes,
      comment_count: numbers.comments,
      share_count: numbers.shares,
    };
    return Object.fromEntries(fields.map((field) => [field, all[field]]));
  };
  const knownFields = /^(id|create_time|title|video_description|share_url|(view|like|comment|share)_count)$/;
  const hasWrongField = (req: Request) => fieldsOf(req).some((field) => !knownFields.test(field));

  const List = z.strictObject({ max_count: z.int().min(1).max(20).default(10), cursor: z.int().optional() });
  api.post(
    '/v2/video/list',
    signedIn('video.list', async (req, res, { person }) => {
      const parsed = List.safeParse(req.body);
      if (!parsed.success || hasWrongField(req)) return refuse(res, 400, 'invalid_params', 'Fields are invalid.');
      const { max_count, cursor = kit.now().getTime() } = parsed.data;
      const older = (await kit.posts.of(person.id, 1000))
        .filter(isListed)
        .filter(({ createdAt }) => Date.parse(createdAt) < cursor);
      const page = older.slice(0, max_count);
      res.send({
        data: {
          videos: page.map((found) => videoOf(found, fieldsOf(req))),
          cursor: Date.parse(page.at(-1)?.createdAt ?? kit.now().toISOString()),
          has_more: older.length > page.length,
        },
        error: ok,
      });
    }),
  );

  const Query = z.strictObject({
    filters: z.strictObject({ video_ids: z.array(z.string()).min(1).max(20) }),
  });
  api.post(
    '/v2/video/query',
    signedIn('video.list', async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const parsed = Query.safeParse(req.body);
      if (!parsed.success || hasWrongField(req)) return refuse(res, 400, 'invalid_params', 'Fields are invalid.');
      const found = await Promise.all(parsed.data.filters.video_ids.map((id) => kit.posts.get(id)));
      const videos = found
        .filter((one) => one !== undefined)
        .filter((one) => one.author === person.id && isListed(one))
        .map((one) => videoOf(one, fieldsOf(req)));
      res.send({ data: { videos }, error: ok });
    }),
  );

  return router;
};

export default sandbox;

const chunkProblem = ({ video_size, chunk_size, total_chunk_count }: z.output<typeof FileSource>) => {
  if (video_size > 4000 * MB) return 'video_size: at most 4 GB';
  if (total_chunk_count !== Math.floor(video_size / chunk_size) || total_chunk_count > 1000)
    return 'total_chunk_count: video_size divided by chunk_size, rounded down, at most 1000';
  if (video_size < 5 * MB && chunk_size !== video_size) return 'A video below 5 MB is uploaded as a whole.';
  if (video_size >= 5 * MB && chunk_size < 5 * MB) return 'chunk_size: at least 5 MB';
  if (chunk_size > 64 * MB) return 'chunk_size: at most 64 MB';
  return undefined;
};
