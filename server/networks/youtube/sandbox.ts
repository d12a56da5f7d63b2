import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { sha256 } from '#server/base/sha256';
import { googleSignIn, refuse } from '#server/networks/families/google/sandbox';
import type { Json } from '#server/networks/network';
import type { Refusals, Sandbox, SandboxGrant, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { pageAfter } from '#server/networks/shared/page-after';
import { signedInWith } from '#server/networks/shared/signed-in';

/**
 * YouTube's Data API v3 as its reference describes it: a channel with two playlists, resumable uploads, thumbnails,
 * captions, comments, statistics.
 */

const upload = 'https://www.googleapis.com/auth/youtube.upload';
const readonly = 'https://www.googleapis.com/auth/youtube.readonly';
const forceSsl = 'https://www.googleapis.com/auth/youtube.force-ssl';

const bad = (res: Response, reason: string, message: string) =>
  refuse(res, { code: 400, status: 'INVALID_ARGUMENT', reason, message });

const refusals: Refusals = {
  '429': (res) => {
    res.setHeader('retry-after', '60');
    refuse(res, {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      reason: 'rateLimitExceeded',
      message: 'Too many requests.',
    });
  },
  '429-bare': (res) =>
    refuse(res, {
      code: 403,
      status: 'PERMISSION_DENIED',
      reason: 'quotaExceeded',
      message: 'The request cannot be completed because you have exceeded your <a href="/quota">quota</a>.',
    }),
  '503': (res) =>
    refuse(res, {
      code: res.statusCode === 500 ? 500 : 503,
      status: 'UNAVAILABLE',
      reason: 'backendError',
      message: 'Backend Error',
    }),
  'expired-token': (res) =>
    refuse(res, { code: 401, status: 'UNAUTHENTICATED', reason: 'authError', message: 'Invalid Credentials' }),
  'refused-token': (res) =>
    refuse(res, { code: 401, status: 'UNAUTHENTICATED', reason: 'authError', message: 'Invalid Credentials' }),
  'missing-permission': (res) =>
    refuse(res, {
      code: 403,
      status: 'PERMISSION_DENIED',
      reason: 'insufficientPermissions',
      message: 'Request had insufficient authentication scopes.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }],
    }),
  'content-refused': (res) => bad(res, 'invalidTitle', 'The request metadata specifies an invalid video title.'),
  'media-refused': (res) => bad(res, 'mediaBodyRequired', 'The request does not include the video content.'),
};

/** Unknown fields are refused. */
const NewVideo = z.strictObject({
  snippet: z.strictObject({
    title: z.string().optional(),
    description: z.string().default(''),
    tags: z.array(z.string()).default([]),
    categoryId: z.string().optional(),
    defaultLanguage: z.string().optional(),
    defaultAudioLanguage: z.string().optional(),
  }),
  status: z
    .strictObject({
      privacyStatus: z.enum(['public', 'unlisted', 'private']).default('public'),
      selfDeclaredMadeForKids: z.boolean().default(false),
      license: z.enum(['youtube', 'creativeCommon']).default('youtube'),
      embeddable: z.boolean().default(true),
      publicStatsViewable: z.boolean().default(true),
      containsSyntheticMedia: z.boolean().default(false),
      publishAt: z.string().optional(),
    })
    .prefault({}),
});
type NewVideo = z.output<typeof NewVideo>;
const ChangedVideo = NewVideo.partial().extend({ id: z.string() });

const maxBytes = 256 * 1024 ** 3;
const unitBytes = 256 * 1024;
const sessionLifeMs = 7 * 86_400_000;
const categories = ['1', '2', '10', '15', '17', '19', '20', '22', '23', '24', '25', '26', '27', '28', '29'];

const problemOf = ({ snippet: { title = '', description, tags, categoryId } }: Pick<NewVideo, 'snippet'>) => {
  const isBracketed = (text: string) => /[<>]/.test(text);
  if (title.trim() === '' || [...title].length > 100 || isBracketed(title)) return 'invalidTitle';
  if (Buffer.byteLength(description) > 5000 || isBracketed(description)) return 'invalidDescription';
  const listed = tags.map((tag) => (tag.includes(' ') ? `"${tag}"` : tag)).join(',');
  if (listed.length > 500 || isBracketed(listed)) return 'invalidTags';
  if (categoryId !== undefined && !categories.includes(categoryId)) return 'invalidCategoryId';
  return undefined;
};

const states = {
  'no-channel': 'Has no channel',
  unaudited: 'Uploads through a project that YouTube has not audited: every video is locked as private',
  noquota: 'The project has used up its quota of the day',
  nothumbnail: 'Has a channel that is not verified, so that it has no thumbnails of its own',
};

const videoParts = ['id', 'snippet', 'status', 'statistics'];

/** A request names its parts in one `part` parameter or in several. */
const partsOf = ({ query: { part } }: Request) => [part ?? []].flat().join(',').split(',').filter(Boolean);

/** The metadata and the file of one body; undefined unless it has both. */
const readRelated = (req: Request, body: Buffer) => {
  const boundary = /^multipart\/related;.*boundary="?([^";]+)"?/.exec(req.headers['content-type'] ?? '')?.[1];
  const parts = boundary === undefined ? [] : partsBetween(body, Buffer.from(`--${boundary}`));
  const [metadata, file] = parts;
  if (metadata === undefined || file === undefined) return undefined;
  try {
    return { metadata: JSON.parse(metadata.bytes.toString()) as unknown, type: file.type, bytes: file.bytes };
  } catch {
    return undefined;
  }
};

const partsBetween = (body: Buffer, boundary: Buffer) => {
  const parts: { type: string; bytes: Buffer }[] = [];
  let start = body.indexOf(boundary);
  while (start >= 0) {
    const end = body.indexOf(boundary, start + boundary.length);
    const bytesStart = body.indexOf('\r\n\r\n', start) + 4;
    if (end < 0 || bytesStart < 4 || bytesStart > end) break;
    const type = /content-type: *([^\r\n]+)/i.exec(body.toString('latin1', start, bytesStart))?.[1] ?? '';
    // A line break stands before the boundary.
    parts.push({ type, bytes: body.subarray(bytesStart, end - 2) });
    start = end;
  }
  return parts;
};

type Session = {
  owner: string;
  video: Json;
  notifySubscribers: boolean;
  type: string;
  total: number;
  received: number;
  openedAt: string;
};

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  const signedIn = signedInWith(kit, refusals);
  router.use(googleSignIn(kit, [upload, readonly, forceSsl], states));
  router.use('/api', api);

  api.get(
    '/youtube/v3/channels',
    signedIn(readonly, async (req, res, { person }) => {
      if (!partsOf(req).includes('snippet')) return bad(res, 'missingRequiredParameter', 'No part was selected.');
      if (req.query.mine !== 'true') return bad(res, 'missingRequiredParameter', 'No filter was selected.');
      const { handle, name: title, avatarUrl } = person;
      const thumbnails = { default: { url: avatarUrl, width: 88, height: 88 } };
      // Somebody who never made a channel.
      const items =
        handle === 'no-channel'
          ? undefined
          : [{ id: channelOf(person.id), snippet: { title, customUrl: `@${handle}`, thumbnails } }];
      res.send({ kind: 'youtube#channelListResponse', pageInfo: { totalResults: items?.length ?? 0 }, items });
    }),
  );

  api.post(
    '/upload/youtube/v3/videos',
    signedIn(upload, async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const { uploadType, notifySubscribers = 'true' } = req.query;
      const part = partsOf(req).toSorted().join(',');
      const file = uploadType === 'multipart' ? readRelated(req, await kit.readBytes(req)) : undefined;
      const total = file?.bytes.length ?? Number(req.headers['x-upload-content-length']);
      const type = file?.type ?? String(req.headers['x-upload-content-type']);
      if (uploadType !== 'resumable' && file === undefined)
        return bad(res, 'mediaBodyRequired', 'The request does not include the video content.');
      if (part !== 'snippet,status') return bad(res, 'unexpectedPart', `The part ${part} was not expected.`);
      if (!/^(video\/.+|application\/octet-stream)$/.test(type))
        return bad(res, 'badContent', `Upload content type '${type}' is not allowed.`);
      if (!(total > 0 && total <= maxBytes))
        return bad(res, 'mediaBodyRequired', 'The size of the video is not valid.');
      if (person.handle.includes('noquota')) return refusals['429-bare'](res);
      const parsed = NewVideo.safeParse(file?.metadata ?? req.body);
      if (!parsed.success) return bad(res, 'badRequest', `Invalid JSON payload received. ${parsed.error.message}`);
      const problem = problemOf(parsed.data);
      if (problem !== undefined) return bad(res, problem, `The request metadata is not valid: ${problem}.`);
      const id = kit.newId();
      const session: Session = {
        owner: person.id,
        video: parsed.data as unknown as Json,
        notifySubscribers: notifySubscribers === 'true',
        type,
        total,
        received: 0,
        openedAt: kit.now().toISOString(),
      };
      if (file !== undefined) return publish(req, res, person, id, session, 200);
      await kit.records.put('session', id, session);
      const query = new URLSearchParams({ uploadType: 'resumable', part, upload_id: id });
      res.setHeader('location', `${kit.here(req)}/upload/youtube/v3/videos?${query}`);
      res.status(200).end();
    }),
  );

  const openSession = async (id: string, { person }: SandboxGrant) => {
    const session = await kit.records.get<Session>('session', id);
    const isOpen = session && kit.now().getTime() - Date.parse(session.openedAt) < sessionLifeMs;
    return isOpen && session.owner === person.id ? session : undefined;
  };
  const incomplete = (res: Response, received: number) => {
    if (received > 0) res.setHeader('range', `bytes=0-${received - 1}`);
    res.status(308).end();
  };

  api.put(
    '/upload/youtube/v3/videos',
    signedIn(upload, async (req, res, grant) => {
      const { person } = grant;
      const bytes = await kit.readBytes(req);
      const id = String(req.query.upload_id);
      const session = await openSession(id, grant);
      if (session === undefined) return res.status(404).type('text').send('Not Found');
      const [, first, last, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(req.headers['content-range'] ?? '') ?? [];
      if (Number(total) !== session.total) return bad(res, 'badRequest', 'Failed to parse Content-Range header.');
      const made = await kit.posts.get(videoIdOf(id));
      if (made) return res.status(200).send(resourceOf(made));
      if (first === undefined || last === undefined) {
        if (bytes.length > 0) return bad(res, 'badRequest', 'Failed to parse Content-Range header.');
        return incomplete(res, session.received);
      }
      const end = Number(last) + 1;
      const isRight =
        Number(first) === session.received && bytes.length === end - session.received && end <= session.total;
      if (!isRight) return bad(res, 'badRequest', 'Invalid request. The bytes do not follow those received before.');
      if (end < session.total) {
        if (bytes.length % unitBytes > 0)
          return bad(res, 'badRequest', 'Invalid request. The chunk is no multiple of 256 KiB.');
        if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
        await kit.records.put('session', id, { ...session, received: end });
        return incomplete(res, end);
      }
      await publish(req, res, person, id, session, 201);
    }),
  );

  const publish = (req: Request, res: Response, person: SandboxPerson, id: string, session: Session, code: number) => {
    const { snippet, status: newStatus } = session.video as unknown as NewVideo;
    const status = person.handle.includes('unaudited') ? { ...newStatus, privacyStatus: 'private' } : newStatus;
    const text = [snippet.title, snippet.description].filter(Boolean).join('\n');
    return kit.commit(req, res, {
      text,
      person,
      refusals,
      make: async () => {
        const post: SandboxPost = {
          id: videoIdOf(id),
          author: channelOf(person.id),
          authorName: `@${person.handle}`,
          text,
          media: [`${session.type}, ${session.total} bytes`],
          createdAt: kit.now().toISOString(),
          data: { ...snippet, ...status, notifySubscribers: session.notifySubscribers } as Json,
        };
        await kit.posts.add(post);
        return post;
      },
      answer: (post) => res.status(code).send(resourceOf(post)),
    });
  };

  api.get(
    '/youtube/v3/videos',
    signedIn(readonly, async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const ids = [req.query.id ?? ''].flat().join(',').split(',');
      const parts = partsOf(req);
      if (parts.length === 0) return bad(res, 'missingRequiredParameter', 'No part was selected.');
      const unknown = parts.find((part) => !videoParts.includes(part));
      if (unknown !== undefined) return bad(res, 'unexpectedPart', `The part ${unknown} was not expected.`);
      if (ids.length > 50) return bad(res, 'invalidFilters', 'The request specifies too many ids.');
      const posts = await Promise.all(ids.map((id) => kit.posts.get(id)));
      const items = posts
        .filter((post) => post !== undefined)
        .map((post) => {
          const all: Record<string, unknown> = { ...resourceOf(post), statistics: statisticsOf(kit, post) };
          return { kind: all.kind, ...Object.fromEntries(['id', ...parts].map((name) => [name, all[name]])) };
        });
      res.send({ kind: 'youtube#videoListResponse', items, pageInfo: { totalResults: items.length } });
    }),
  );

  const ownVideo = async (personId: string, id: unknown) => {
    const post = await kit.posts.get(String(id));
    return post?.author === channelOf(personId) && post.replyTo === undefined ? post : undefined;
  };
  const change = (post: SandboxPost, data: Readonly<Record<string, Json>>) =>
    kit.posts.edit(post, { data: { ...(post.data as object), ...data } });
  const notFound = (res: Response, reason: string, message: string) =>
    refuse(res, { code: 404, status: 'NOT_FOUND', reason, message });

  // A named part is replaced: fields that it omits are removed. Parts that are not named stay.
  api.put(
    '/youtube/v3/videos',
    signedIn(forceSsl, async (req, res, { person }) => {
      const parts = partsOf(req);
      const unknown = parts.find((part) => !['id', 'snippet', 'status'].includes(part));
      if (unknown !== undefined) return bad(res, 'unexpectedPart', `The part ${unknown} was not expected.`);
      const parsed = ChangedVideo.safeParse(req.body);
      if (!parsed.success) return bad(res, 'invalidVideoMetadata', 'The request metadata is invalid.');
      const video = await ownVideo(person.id, parsed.data.id);
      if (video === undefined) return notFound(res, 'videoNotFound', 'The video could not be found.');
      const snippet = parts.includes('snippet') ? parsed.data.snippet : undefined;
      if (parts.includes('snippet') && (!snippet?.title || !snippet.categoryId))
        return bad(res, 'invalidVideoMetadata', 'The request metadata is invalid.');
      const problem = snippet && problemOf({ snippet });
      if (problem !== undefined) return bad(res, problem, 'The request metadata is invalid.');
      const status = parts.includes('status') ? parsed.data.status : undefined;
      const text = snippet ? [snippet.title, snippet.description].filter(Boolean).join('\n') : video.text;
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: () => kit.posts.edit(video, { text, data: { ...(video.data as object), ...snippet, ...status } as Json }),
        answer: (post) => {
          const all: Record<string, unknown> = resourceOf(post);
          res.send({ kind: all.kind, ...Object.fromEntries(['id', ...parts].map((name) => [name, all[name]])) });
        },
      });
    }),
  );

  api.delete(
    '/youtube/v3/videos',
    signedIn(forceSsl, async (req, res, { person }) => {
      const video = await ownVideo(person.id, req.query.id);
      if (video === undefined) return notFound(res, 'videoNotFound', 'The video could not be found.');
      await kit.posts.remove(video.id);
      res.status(204).end();
    }),
  );

  api.post(
    '/upload/youtube/v3/thumbnails/set',
    signedIn(upload, async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const type = String(req.headers['content-type']);
      const bytes = await kit.readBytes(req);
      const video = await ownVideo(person.id, req.query.videoId);
      if (video === undefined) return notFound(res, 'videoNotFound', 'The video could not be found.');
      if (person.handle.includes('nothumbnail')) {
        const message = "The authenticated user doesn't have permissions to upload and set custom video thumbnails.";
        return refuse(res, { code: 403, status: 'PERMISSION_DENIED', reason: 'forbidden', message });
      }
      if (!/^image\/(jpeg|png)$/.test(type) || bytes.length === 0)
        return bad(res, 'invalidImage', 'The provided image content is invalid.');
      if (bytes.length > 2 * 1024 * 1024) return bad(res, 'mediaTooLarge', 'The image is larger than 2 MB.');
      await change(video, { thumbnail: type });
      res.send({ kind: 'youtube#thumbnailSetResponse', items: [{}] });
    }),
  );

  api.post(
    '/upload/youtube/v3/captions',
    signedIn(forceSsl, async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const file = readRelated(req, await kit.readBytes(req));
      if (req.query.uploadType !== 'multipart' || file === undefined)
        return bad(res, 'mediaBodyRequired', 'The request does not include the caption track.');
      const parsed = NewCaptions.safeParse(file.metadata);
      if (req.query.part !== 'snippet' || !parsed.success)
        return bad(res, 'invalidMetadata', 'The request contains invalid metadata values.');
      const { videoId, language, name } = parsed.data.snippet;
      const video = await ownVideo(person.id, videoId);
      if (video === undefined) return notFound(res, 'videoNotFound', 'The video could not be found.');
      if (!file.bytes.toString().startsWith('WEBVTT'))
        return bad(res, 'contentRequired', 'The request does not contain the caption track contents.');
      const { captions = [] } = video.data as { captions?: string[] };
      const track = `${language} ${name}`;
      if (captions.includes(track)) {
        const message = 'The specified video already has a caption track with the given language and name.';
        return refuse(res, { code: 409, status: 'ALREADY_EXISTS', reason: 'captionExists', message });
      }
      await change(video, { captions: [...captions, track] });
      res.send({
        kind: 'youtube#caption',
        id: kit.newId(),
        snippet: { ...parsed.data.snippet, trackKind: 'standard' },
      });
    }),
  );

  const playlistsOf = (personId: string) =>
    Object.entries({ PLbaking: 'Baking', PLcounter: 'Behind the counter' }).map(([id, title]) => ({
      kind: 'youtube#playlist',
      id,
      snippet: { title, channelId: channelOf(personId) },
    }));

  api.get(
    '/youtube/v3/playlists',
    signedIn(readonly, async (req, res, { person }) => {
      if (req.query.part !== 'snippet' || req.query.mine !== 'true')
        return bad(res, 'missingRequiredParameter', 'No filter was selected.');
      res.send({ kind: 'youtube#playlistListResponse', items: playlistsOf(person.id) });
    }),
  );

  const inPlaylist = async (personId: string, playlistId: unknown, videoId: unknown) => {
    const { playlists = [] } = ((await ownVideo(personId, videoId))?.data ?? {}) as { playlists?: string[] };
    return playlists.includes(String(playlistId));
  };

  api.get(
    '/youtube/v3/playlistItems',
    signedIn(readonly, async (req, res, { person }) => {
      const { part, playlistId, videoId } = req.query;
      if (part !== 'id' || !playlistId) return bad(res, 'missingRequiredParameter', 'No filter was selected.');
      if (!playlistsOf(person.id).some(({ id }) => id === playlistId))
        return notFound(res, 'playlistNotFound', 'The playlist identified with the playlistId could not be found.');
      const items = (await inPlaylist(person.id, playlistId, videoId)) ? [{ kind: 'youtube#playlistItem' }] : [];
      res.send({ kind: 'youtube#playlistItemListResponse', items });
    }),
  );

  api.post(
    '/youtube/v3/playlistItems',
    signedIn(forceSsl, async (req, res, { person }) => {
      const parsed = NewPlaylistItem.safeParse(req.body);
      if (req.query.part !== 'snippet' || !parsed.success)
        return bad(res, 'badRequest', 'Invalid JSON payload received.');
      const { playlistId, resourceId } = parsed.data.snippet;
      if (!playlistsOf(person.id).some(({ id }) => id === playlistId))
        return notFound(res, 'playlistNotFound', 'The playlist identified with the playlistId could not be found.');
      const video = await ownVideo(person.id, resourceId.videoId);
      if (video === undefined) return notFound(res, 'videoNotFound', 'The video could not be found.');
      const { playlists = [] } = video.data as { playlists?: string[] };
      await change(video, { playlists: [...playlists, playlistId] });
      res.send({ kind: 'youtube#playlistItem', id: kit.newId() });
    }),
  );

  api.post(
    '/youtube/v3/commentThreads',
    signedIn(forceSsl, async (req, res, { person }) => {
      const parsed = NewComment.safeParse(req.body);
      if (req.query.part !== 'snippet' || !parsed.success)
        return bad(res, 'badRequest', 'Invalid JSON payload received.');
      const { channelId, videoId, topLevelComment } = parsed.data.snippet;
      const text = topLevelComment.snippet.textOriginal;
      const video = await ownVideo(person.id, videoId);
      if (video === undefined || channelId !== channelOf(person.id))
        return notFound(res, 'videoNotFound', 'The video identified by the videoId parameter could not be found.');
      const { selfDeclaredMadeForKids, privacyStatus } = video.data as Record<string, Json>;
      if (selfDeclaredMadeForKids || privacyStatus === 'private') {
        const message = 'The video identified by the videoId parameter has disabled comments.';
        return refuse(res, { code: 403, status: 'PERMISSION_DENIED', reason: 'commentsDisabled', message });
      }
      if (text.trim() === '') return bad(res, 'commentTextRequired', 'The comment has no text.');
      if (text.length > 10_000) return bad(res, 'commentTextTooLong', 'The comment is too long.');
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          const post: SandboxPost = {
            id: `Ug${kit.newId()}`,
            author: channelId,
            authorName: `@${person.handle}`,
            text,
            media: [],
            replyTo: videoId,
            createdAt: kit.now().toISOString(),
            data: {},
          };
          await kit.posts.add(post);
          return post;
        },
        answer: (post) => res.send(threadOf(post)),
      });
    }),
  );

  api.get(
    '/youtube/v3/commentThreads',
    signedIn(forceSsl, async (req, res) => {
      const { part, videoId, order = 'time', maxResults = '20', pageToken } = req.query;
      if (part !== 'snippet' || !videoId || order !== 'time' || Number(maxResults) > 100)
        return bad(res, 'missingRequiredParameter', 'No filter was selected.');
      const { entries, next } = pageAfter(await kit.posts.replies(String(videoId)), pageToken, Number(maxResults));
      res.send({
        kind: 'youtube#commentThreadListResponse',
        ...(next && { nextPageToken: next }),
        items: entries.map(threadOf),
      });
    }),
  );

  return router;
};

export default sandbox;

const NewCaptions = z.object({
  snippet: z.object({ videoId: z.string(), language: z.string().min(2), name: z.string().max(150) }),
});

const NewPlaylistItem = z.strictObject({
  snippet: z.strictObject({
    playlistId: z.string(),
    resourceId: z.strictObject({ kind: z.literal('youtube#video'), videoId: z.string() }),
  }),
});

const NewComment = z.strictObject({
  snippet: z.strictObject({
    channelId: z.string(),
    videoId: z.string(),
    topLevelComment: z.strictObject({ snippet: z.strictObject({ textOriginal: z.string() }) }),
  }),
});

const threadOf = ({ id, author, replyTo, text, createdAt }: SandboxPost) => {
  const snippet = { textOriginal: text, publishedAt: createdAt, authorChannelId: { value: author } };
  return { kind: 'youtube#commentThread', id, snippet: { videoId: replyTo, topLevelComment: { id, snippet } } };
};

const channelOf = (personId: string) => `UC${personId.padStart(22, '0')}`;

/** Eleven characters, and always the same for one upload. */
const videoIdOf = (sessionId: string) => sha256(sessionId, 'base64url').slice(0, 11);

const resourceOf = ({ id, author, data }: SandboxPost) => {
  const { title, description, privacyStatus } = data as Record<string, Json>;
  return {
    kind: 'youtube#video',
    id,
    snippet: { channelId: author, title, description },
    status: { uploadStatus: 'uploaded', privacyStatus },
  };
};

/** Counts are strings. Videos made for kids accept no comments. */
const statisticsOf = (kit: SandboxKit, post: SandboxPost) => {
  const { views, likes, comments } = kit.numbers(post);
  const { selfDeclaredMadeForKids } = post.data as Record<string, Json>;
  return {
    viewCount: String(views),
    likeCount: String(likes),
    favoriteCount: '0',
    ...(!selfDeclaredMadeForKids && { commentCount: String(comments) }),
  };
};
