import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import {
  checkAuthorize,
  graphTime,
  invalid,
  mountRevocation,
  notThere,
  parametersOf,
  refuse,
  sendAppToken,
  sendInsights,
  sendNode,
  sendNodes,
  shortLifeMs,
  signedInAs,
  takeCode,
} from '#server/networks/families/meta/sandbox';
import type { Sandbox, SandboxGrant, SandboxPost } from '#server/networks/sandbox';
import { businessOf, createPages, type Page, pageOf, pagesOf, refusals } from './sandbox-pages.ts';
import { mountVideos, readUpload } from './sandbox-videos.ts';

/** The Graph API for Facebook Pages: photos are uploaded first, videos in three phases, all with the Page's token. */

const duplicate = { code: 506, message: '(#506) Duplicate status message' };
const badPhoto = { code: 324, subcode: 1366046, message: '(#324) Your photos couldn’t be uploaded.' };

type Photo = { readonly page: string; readonly alt: string | null; readonly used: boolean };

const longLifeSeconds = 5_184_000;
const maxPhotoBytes = 10 * 1024 * 1024;

const NewPost = z.strictObject({
  message: z.string().max(63_206).optional(),
  link: z.url().optional(),
  attached_media: z
    .array(z.strictObject({ media_fbid: z.string() }))
    .min(1)
    .max(10)
    .optional(),
  published: z.literal(true).optional(),
});

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  const videoApi = Router();
  const asPerson = signedInAs(kit, refusals, 'user');
  const pages = createPages(kit);
  const { asPage, ofPage, add } = pages;

  router.all(
    '/web/:version/dialog/oauth',
    kit.consent({
      check: checkAuthorize,
      scopesOf: (query) => (query.scope ?? '').split(','),
      suffix: '#_',
      states: {
        small: 'Has Pages with 40 likes, for which Facebook counts no views',
        nochunks: 'Posts through an app that may not upload videos in the three phases of the feed',
        nocover: 'Has Pages whose videos take no cover',
      },
    }),
  );

  for (const [host, routes] of [
    ['graph', api],
    ['video', videoApi],
  ] as const) {
    router.use(
      `/${host}/:version`,
      (req, res, next) => (/^v\d+\.\d+$/.test(String(req.params.version)) ? next() : refuse(res, notThere)),
      routes,
    );
  }

  api.get('/oauth/access_token', async (req, res) => {
    const query = parametersOf(req);
    const issue = async ({ person, scopes, data }: SandboxGrant, isLong: boolean) => {
      const lifeMs = isLong ? longLifeSeconds * 1000 : shortLifeMs;
      const scope = (data as { scope?: string } | null)?.scope ?? '';
      const access = await kit.grants.issue('user', { person, scopes, lifeMs, data: { scope, isLong } });
      res.send({ access_token: access, token_type: 'bearer', expires_in: lifeMs / 1000 });
    };
    if (query.grant_type === 'client_credentials') return sendAppToken(res, query);
    if (query.grant_type !== 'fb_exchange_token') {
      const grant = await takeCode(kit, query);
      if (grant === undefined) return refuse(res, invalid('This authorization code is not valid.'));
      return issue(grant, false);
    }
    if (query.client_id !== 'sandbox' || query.client_secret !== 'sandbox') {
      return refuse(res, { code: 1, message: 'Error validating client secret.' });
    }
    const grant = await kit.grants.find('user', String(query.fb_exchange_token));
    if (grant === undefined || grant.expired) return refusals['expired-token'](res);
    await issue(grant, true);
  });

  mountRevocation(api, kit, asPerson);
  api.get(
    '/me/permissions',
    asPerson(undefined, async (_req, res, { scopes, data }) => {
      const requestedScopes = (data as { scope: string }).scope.split(',');
      const statusOf = (permission: string) => (scopes.includes(permission) ? 'granted' : 'declined');
      const answers = requestedScopes.map((permission) => ({ permission, status: statusOf(permission) }));
      res.send({ data: [{ permission: 'public_profile', status: 'granted' }, ...answers] });
    }),
  );

  /** A Page's token expires with the person's token. Read with a 60-day token, it never expires. */
  const sendPages = async (req: Request, res: Response, { person, scopes, data }: SandboxGrant, pages: Page[]) => {
    const { isLong } = data as { isLong: boolean };
    const nodes = await Promise.all(
      pages.map(async (page) => ({
        ...pageNode(page),
        access_token: await kit.grants.issue('page', {
          person,
          scopes,
          ...(!isLong && { lifeMs: shortLifeMs }),
          data: { ...page },
        }),
      })),
    );
    sendNodes(req, res, nodes);
  };
  const pageNode = ({ id, name, username, likes }: Page) => ({
    id,
    name,
    username,
    picture: { data: { url: kit.link(`/avatars/${username}.svg`) } },
    fan_count: likes,
    followers_count: likes,
  });

  api.get(
    '/me/accounts',
    asPerson('pages_show_list', (req, res, grant) => sendPages(req, res, grant, [pagesOf(grant.person).own])),
  );
  api.get(
    '/me/businesses',
    asPerson('business_management', async (req, res, { person }) => {
      sendNodes(req, res, [{ id: businessOf(person), name: `${person.name} Ltd` }]);
    }),
  );
  api.get(
    '/:id/owned_pages',
    asPerson('business_management', async (req, res, grant) => {
      if (req.params.id !== businessOf(grant.person)) return refuse(res, notThere);
      await sendPages(req, res, grant, [pagesOf(grant.person).ofBusiness]);
    }),
  );
  api.get(
    '/:id/client_pages',
    asPerson('business_management', async (_req, res) => {
      res.send({ data: [] });
    }),
  );

  const photo = async (id: string, page: Page) => {
    const record = await kit.records.get<Photo>('photo', id);
    return record?.page === page.id && !record.used ? record : undefined;
  };
  const use = (ids: readonly string[], page: Page) =>
    Promise.all(ids.map((id) => kit.records.put('photo', id, { page: page.id, alt: null, used: true })));

  api.post(
    '/:id/photos',
    ofPage('pages_manage_posts', async (req, res, page, person) => {
      const { fields, files } = await readUpload(kit, req);
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const { published, alt_text_custom: alt = null, url, ...unknown } = fields;
      const source = files.source ?? (url === undefined ? undefined : await kit.fetchMedia(url));
      if (published !== 'false' || Object.keys(unknown).length > 0) return refuse(res, invalid('Invalid parameter'));
      if (!source || !/^image\/(jpeg|png|gif|bmp|tiff)$/.test(source.mimeType)) return refusals['media-refused'](res);
      if (source.bytes.length > maxPhotoBytes) return refuse(res, badPhoto);
      const id = kit.newId();
      await kit.records.put('photo', id, { page: page.id, alt, used: false });
      res.send({ id });
    }),
  );

  api.post(
    '/:id/feed',
    ofPage('pages_manage_posts', async (req, res, page, person) => {
      const parsed = NewPost.safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const { message: text = '', link, attached_media: attached = [] } = parsed.data;
      if (text === '' && link === undefined && attached.length === 0) {
        return refuse(res, invalid('Missing message or attachment'));
      }
      if (link !== undefined && attached.length > 0)
        return refuse(res, invalid('link and attached_media are exclusive'));
      const media = attached.map(({ media_fbid }) => media_fbid);
      const photos = await Promise.all(media.map((id) => photo(id, page)));
      if (photos.includes(undefined)) return refusals['media-refused'](res);
      const [last] = await kit.posts.of(page.id, 1);
      if (media.length === 0 && text !== '' && last?.text === text && last.replyTo === undefined) {
        return refuse(res, duplicate);
      }
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          await use(media, page);
          const data = { link: link ?? null, alt: photos.map((one) => one?.alt ?? null) };
          return add(page, { id: `${page.id}_${kit.newId()}`, text, media, data });
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );

  api.post(
    '/:id/photo_stories',
    ofPage('pages_manage_posts', async (req, res, page, person) => {
      const parsed = z.strictObject({ photo_id: z.string() }).safeParse(parametersOf(req));
      if (!parsed.success || !(await photo(parsed.data.photo_id, page)))
        return refuse(res, invalid('Invalid photo_id'));
      const media = [parsed.data.photo_id];
      await kit.commit(req, res, {
        text: '',
        person,
        refusals,
        make: async () => {
          await use(media, page);
          return add(page, { id: kit.newId(), text: '', media, data: { type: 'story' } });
        },
        answer: (id) => res.send({ success: true, post_id: id }),
      });
    }),
  );

  const videos = mountVideos(api, videoApi, kit, pages);

  const ownPost = async (id: unknown, grant: SandboxGrant) => {
    const post = await kit.posts.get(String(id));
    return post?.author === pageOf(grant).id ? post : undefined;
  };

  api.get(
    '/:id/published_posts',
    ofPage('pages_read_engagement', async (req, res, page) => {
      const posts = (await kit.posts.of(page.id, 1000)).filter(
        ({ replyTo, id }) => replyTo === undefined && id.includes('_'),
      );
      sendNodes(req, res, posts.map(entryNode));
    }),
  );
  const entryNode = ({ id, author, text, media, createdAt }: SandboxPost) => ({
    id,
    message: text || undefined,
    created_time: graphTime(createdAt),
    permalink_url: kit.link(`/web/${id}`),
    from: { id: author },
    attachments: media.length > 0 ? { data: attachmentsOf(media) } : undefined,
  });

  api.post(
    '/:id/comments',
    asPage('pages_manage_engagement', async (req, res, grant) => {
      const post = await ownPost(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      const parsed = z.strictObject({ message: z.string().min(1).max(8_000) }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const text = parsed.data.message;
      await kit.commit(req, res, {
        text,
        person: grant.person,
        refusals,
        make: () =>
          add(pageOf(grant), {
            id: `${post.id.split('_').at(-1)}_${kit.newId()}`,
            text,
            media: [],
            replyTo: post.id,
            data: {},
          }),
        answer: (id) => res.send({ id }),
      });
    }),
  );

  api.delete(
    '/:id',
    asPage('pages_manage_posts', async (req, res, grant) => {
      const post = await ownPost(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      await kit.posts.remove(post.id);
      res.send({ success: true });
    }),
  );

  // Edits a post that the Page wrote; its attachments stay as they are.
  api.post(
    '/:id',
    asPage('pages_manage_posts', async (req, res, grant) => {
      const post = await ownPost(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      const parsed = z.strictObject({ message: z.string().max(63_206) }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const { message: text } = parsed.data;
      if (text === '' && post.media.length === 0) return refuse(res, invalid('Missing message or attachment'));
      await kit.commit(req, res, {
        text,
        person: grant.person,
        refusals,
        make: () => kit.posts.edit(post, { text }),
        answer: () => res.send({ success: true }),
      });
    }),
  );

  api.get(
    '/:id/comments',
    asPage('pages_read_user_content', async (req, res, grant) => {
      const post = await ownPost(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      if (req.query.summary === 'true') {
        const summary = { order: 'ranked', total_count: kit.numbers(post).comments, can_comment: true };
        return res.send({ data: [], summary });
      }
      const comments = await kit.posts.replies(post.id);
      const isNewestFirst = req.query.order === 'reverse_chronological';
      sendNodes(req, res, (isNewestFirst ? comments : comments.reverse()).map(entryNode));
    }),
  );

  api.get(
    '/:id/insights',
    asPage('read_insights', async (req, res, grant) => {
      if (await kit.isFaulty('read', req, res, { person: grant.person, refusals })) return;
      const post = await ownPost(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      if (pageOf(grant).likes < 100) return res.send({ data: [] });
      const { views, reach } = kit.numbers(post);
      sendInsights(req, res, {
        post_media_view: { from_followers: Math.floor(views / 2), from_others: Math.ceil(views / 2) },
        post_total_media_view_unique: reach,
      });
    }),
  );

  api.get(
    '/:id',
    asPage('pages_read_engagement', async (req, res, grant) => {
      const page = pageOf(grant);
      const id = String(req.params.id);
      if (id === page.id) return sendNode(req, res, pageNode(page));
      const video = await videos.node(id, page);
      if (video) return sendNode(req, res, video);
      if (await kit.isFaulty('read', req, res, { person: grant.person, refusals })) return;
      const post = await ownPost(id, grant);
      if (post === undefined) return refuse(res, notThere);
      const { likes, shares } = kit.numbers(post);
      sendNode(req, res, {
        ...entryNode(post),
        reactions: { data: [], summary: { total_count: likes, viewer_reaction: 'NONE' } },
        shares: shares > 0 ? { count: shares } : undefined,
      });
    }),
  );

  return router;
};

export default sandbox;

/** Several photos are nested in an album. */
const attachmentsOf = ([first, ...others]: readonly string[]) => {
  const target = { id: first };
  if (others.length === 0) return [{ type: 'photo', target }];
  return [{ type: 'album', target, subattachments: { data: [first, ...others].map((id) => ({ target: { id } })) } }];
};
