import { type Request, type Response, Router } from 'express';
import { hourMs } from '#contracts/time';
import type { Json } from '#server/networks/network';
import type { SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { pageAfter } from '#server/networks/shared/page-after';
import { createOAuth, type OAuthDialect } from './sandbox-oauth.ts';

/** What the sandboxes of Mastodon and Pixelfed have in common: accounts, limits, uploads, keys and reading posts. */
interface Dialect extends OAuthDialect {
  /** The domain after the @ of a handle. */
  readonly domain: string;
  readonly version: string;
  readonly hasInstanceV2: boolean;
  readonly maxCharacters: number;
  readonly maxMedia: number;
  /** The poll limits that the server reports, if it has polls. */
  readonly polls?: object;
  readonly media: {
    readonly types: readonly string[];
    readonly maxBytes: (type: string) => number;
    readonly maxDescription: number;
    /** Whether such a file is processed after the upload. */
    readonly takesTime: (type: string) => boolean;
    /** The answer for an upload that is ready. */
    readonly readyStatus: number;
    /** Whether the server accepts this focal point; absent where it accepts none. */
    readonly takesFocus?: (focus: string) => boolean;
    /** Further media limits that the server reports. */
    readonly told: object;
  };
  readonly notFound: (res: Response) => void;
  readonly postPath: (handle: string, id: string) => string;
  /** HTML before the text. */
  readonly htmlBefore: (post: SandboxPost) => string;
  /** Fields of a post that only this network has. */
  readonly ownFields: (post: SandboxPost) => object;
}

/** A post tells no more about its author. */
type AccountFacts = Pick<SandboxPerson, 'id' | 'handle' | 'name'> & Partial<Pick<SandboxPerson, 'avatarUrl'>>;
export interface SandboxUpload {
  readonly [key: string]: string | number | boolean | null;
  readonly id: string;
  readonly owner: string;
  readonly type: string;
  readonly description: string | null;
  readonly focus: string | null;
  readonly isReady: boolean;
  readonly postId: string | null;
}

/** The data of a post besides its text. */
interface StatusData {
  readonly visibility: string;
  readonly sensitive: boolean;
  readonly spoiler_text: string;
  readonly attachments: readonly {
    readonly id: string;
    readonly type: string;
    readonly description: string | null;
    readonly focus: string | null;
  }[];
}

const dataOf = ({ data }: SandboxPost) => data as unknown as StatusData;

export const createServerSandbox = (kit: SandboxKit, own: Dialect) => {
  const router = Router();
  const server = Router();
  router.use('/server', server);

  const signedIn = createOAuth(kit, server, own);

  const accountView = ({ id, handle, name, avatarUrl }: AccountFacts) => ({
    id,
    username: handle,
    acct: handle,
    display_name: name,
    ...(avatarUrl && { avatar: avatarUrl }),
    url: kit.link(`/server/@${handle}`),
  });

  server.get(
    '/api/v1/accounts/verify_credentials',
    signedIn('read:accounts', async (_req, res, { person }) => {
      res.send(accountView(person));
    }),
  );

  const configuration = {
    statuses: {
      max_characters: own.maxCharacters,
      max_media_attachments: own.maxMedia,
      characters_reserved_per_url: 23,
    },
    media_attachments: {
      supported_mime_types: own.media.types,
      image_size_limit: own.media.maxBytes('image/jpeg'),
      video_size_limit: own.media.maxBytes('video/mp4'),
      ...own.media.told,
    },
    ...(own.polls && { polls: own.polls }),
  };
  const instance = { title: 'A sandbox', version: own.version, configuration };
  server.get('/api/v1/instance', (_req, res) => {
    res.send({ uri: own.domain, ...instance });
  });
  if (own.hasInstanceV2) {
    server.get('/api/v2/instance', (_req, res) => {
      res.send({ domain: own.domain, ...instance });
    });
  }

  const uploadView = ({
    id,
    type,
    description,
    isReady = true,
  }: Pick<SandboxUpload, 'id' | 'type' | 'description'> & {
    isReady?: boolean;
  }) => {
    const url = isReady ? kit.link(`/server/media/${id}`) : null;
    return { id, type: type.replace(/\/.*/, ''), url, preview_url: url, description };
  };

  server.post(
    '/api/v2/media',
    signedIn('write:media', async (req, res, { person }) => {
      const { fields, files } = await kit.readMultipart(req);
      if (await kit.isFaulty('upload', req, res, { person, refusals: own.refusals })) return;
      const { file } = files;
      const { description = null, focus = null } = fields;
      if (focus !== null && !own.media.takesFocus?.(focus)) return own.invalid(res, 'focus', 'Focus is invalid');
      const { types, maxDescription, takesTime, readyStatus } = own.media;
      if (!file) return own.invalid(res, 'file', "File can't be blank");
      const maxBytes = own.media.maxBytes(file.mimeType);
      if (!types.includes(file.mimeType)) return own.invalid(res, 'file', 'File content type is invalid');
      if (file.bytes.length >= maxBytes)
        return own.invalid(res, 'file', `File size must be less than ${maxBytes} bytes`);
      if ((description ?? '').length > maxDescription) {
        return own.invalid(res, 'description', `Description is too long (maximum is ${maxDescription} characters)`);
      }
      const isReady = !takesTime(file.mimeType);
      const id = kit.newId();
      const upload = { id, owner: person.id, type: file.mimeType, description, focus, isReady, postId: null };
      await kit.records.put('upload', id, upload);
      res.status(isReady ? readyStatus : 202).send(uploadView(upload));
    }),
  );

  const uploadOf = async (id: string, { id: owner }: SandboxPerson): Promise<SandboxUpload | undefined> => {
    const upload = await kit.records.get<SandboxUpload>('upload', id);
    return upload?.owner === owner && upload.postId === null ? upload : undefined;
  };

  server.get(
    '/api/v1/media/:id',
    signedIn('write:media', async (req, res, { person }) => {
      const upload = await uploadOf(String(req.params.id), person);
      if (upload === undefined) return own.notFound(res);
      // An upload that needs processing is not ready at the first request.
      await kit.records.put('upload', upload.id, { ...upload, isReady: true });
      res.status(upload.isReady ? 200 : 206).send(uploadView(upload));
    }),
  );

  const statusView = (post: SandboxPost) => {
    const { attachments, visibility, sensitive, spoiler_text } = dataOf(post);
    const handle = post.authorName.slice(1);
    const numbers = kit.numbers(post);
    const address = kit.link(`/server${own.postPath(handle, post.id)}`);
    return {
      id: post.id,
      created_at: post.createdAt,
      edited_at: post.edited?.at ?? null,
      in_reply_to_id: post.replyTo ?? null,
      visibility,
      sensitive,
      spoiler_text,
      uri: address,
      url: address,
      content: own.htmlBefore(post) + htmlOf(post.text),
      account: accountView({ id: post.author, handle, name: handle }),
      media_attachments: attachments.map(({ focus, ...attachment }) => ({
        ...uploadView(attachment),
        meta: metaOf(focus),
      })),
      mentions: [],
      tags: [],
      emojis: [],
      reblog: null,
      card: null,
      favourites_count: numbers.likes,
      replies_count: numbers.comments,
      reblogs_count: numbers.shares,
      ...own.ownFields(post),
    };
  };

  const metaOf = (focus: string | null) => {
    const [x, y] = (focus ?? '').split(',').map(Number);
    return focus === null ? null : { focus: { x, y } };
  };

  const addPost = async (
    person: SandboxPerson,
    { text, replyTo, uploads, data }: NewPost & { data: Omit<StatusData, 'attachments'> },
  ): Promise<SandboxPost> => {
    const id = kit.newId();
    const attachments = uploads.map(({ id, type, description, focus }) => ({ id, type, description, focus }));
    for (const upload of uploads) await kit.records.put('upload', upload.id, { ...upload, postId: id });
    const post: SandboxPost = {
      id,
      author: person.id,
      authorName: `@${person.handle}`,
      text,
      media: uploads.map((upload) => kit.link(`/server/media/${upload.id}`)),
      ...(replyTo !== undefined && { replyTo }),
      createdAt: kit.now().toISOString(),
      data: { ...data, attachments },
    };
    await kit.posts.add(post);
    return post;
  };

  server.get(
    '/api/v1/statuses/:id',
    signedIn('read:statuses', async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals: own.refusals })) return;
      const post = await kit.posts.get(String(req.params.id));
      const isSeen = post && (post.author === person.id || ['public', 'unlisted'].includes(dataOf(post).visibility));
      if (!isSeen) return own.notFound(res);
      res.send(statusView(post));
    }),
  );

  server.delete(
    '/api/v1/statuses/:id',
    signedIn('write:statuses', async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return own.notFound(res);
      await kit.posts.remove(post.id);
      // Includes the source text, so that a client can redraft the post.
      res.send({ ...statusView(post), text: post.text });
    }),
  );

  /**
   * The files of an edited post, in this order: files it already has, and new uploads. Undefined when one does not
   * exist.
   */
  const attachmentsFor = async (post: SandboxPost, ids: readonly string[], person: SandboxPerson) => {
    const own = dataOf(post).attachments;
    const all = await Promise.all(
      ids.map(async (id) => own.find((one) => one.id === id) ?? (await uploadOf(id, person))),
    );
    return all.every((one) => one !== undefined)
      ? all.map(({ id, type, description, focus }) => ({ id, type, description, focus }))
      : undefined;
  };

  /** Without `media_ids` the files stay. */
  const editPost = async (
    post: SandboxPost,
    { text = post.text, attachments = dataOf(post).attachments, data }: Edit,
  ): Promise<SandboxPost> => {
    for (const { id } of attachments) {
      const upload = await kit.records.get<SandboxUpload>('upload', id);
      if (upload) await kit.records.put('upload', id, { ...upload, postId: post.id });
    }
    return kit.posts.edit(post, {
      text,
      media: attachments.map(({ id }) => kit.link(`/server/media/${id}`)),
      data: { ...dataOf(post), ...data, attachments },
    });
  };

  /** A header leads to the next page. */
  const sendPage = (req: Request, res: Response, posts: readonly SandboxPost[], limit: number) => {
    const { entries, next } = pageAfter(posts, req.query.max_id, limit);
    const url = new URL(req.originalUrl, `${req.protocol}://${req.get('host')}`);
    url.searchParams.set('max_id', next ?? '');
    if (next !== undefined) res.setHeader('link', `<${url.href}>; rel="next"`);
    res.send(entries.map(statusView));
  };

  const keyOf = (req: Request, person: SandboxPerson) => `${person.id} ${req.get('idempotency-key')}`;

  /** The post id stored with this idempotency key, unless the key has expired. */
  const usedFor = async (req: Request, person: SandboxPerson): Promise<string | undefined> => {
    const used = await kit.records.get<{ postId: string; until: string }>('key', keyOf(req, person));
    return used && new Date(used.until) > kit.now() ? used.postId : undefined;
  };

  const use = async (req: Request, person: SandboxPerson, postId: string): Promise<void> => {
    if (req.get('idempotency-key') === undefined) return;
    const until = new Date(kit.now().getTime() + hourMs).toISOString();
    await kit.records.put('key', keyOf(req, person), { postId, until });
  };

  return {
    router,
    server,
    signedIn,
    uploadOf,
    statusView,
    sendPage,
    addPost,
    attachmentsFor,
    editPost,

    usedFor,
    use,

    /** Makes no second post when another request has used the key in the meantime. */
    addOnce: async (req: Request, person: SandboxPerson, make: () => Promise<SandboxPost>): Promise<SandboxPost> => {
      const first = await kit.posts.get((await usedFor(req, person)) ?? '');
      if (first) return first;
      const post = await make();
      await use(req, person, post.id);
      return post;
    },
  };
};

interface Edit {
  readonly text?: string | undefined;
  readonly attachments?: StatusData['attachments'] | undefined;
  readonly data: Readonly<Record<string, Json | undefined>>;
}

interface NewPost {
  readonly text: string;
  readonly replyTo?: string | undefined;
  readonly uploads: readonly SandboxUpload[];
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Paragraphs, links whose beginning is hidden, and mentions without their host. */
const htmlOf = (text: string): string => {
  const body = escaped(text).replace(
    /(https?:\/\/)(\S+)|@(\w+)@[\w.-]*\w|(\n{2,})|\n/g,
    (all, scheme?: string, rest?: string, name?: string, gap?: string) => {
      if (scheme) {
        return `<a href="${all}" rel="nofollow"><span class="invisible">${scheme}</span><span>${rest}</span></a>`;
      }
      if (name) return `<span class="h-card"><a class="u-url mention">@<span>${name}</span></a></span>`;
      return gap ? '</p><p>' : '<br />';
    },
  );
  return `<p>${body}</p>`;
};
