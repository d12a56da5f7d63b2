import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import {
  checkAuthorize,
  createContainerBook,
  graphTime,
  invalid,
  mountLongTokens,
  notThere,
  parametersOf,
  refusalsOf,
  refuse,
  sendInsights,
  sendNode,
  sendNodes,
  shortLifeMs,
  signedInAs,
  takeCode,
} from '#server/networks/families/meta/sandbox';
import type { Sandbox, SandboxGrant, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { ratioOf } from '#server/networks/shared/picture';

/** The Instagram API with Instagram Login: media from public addresses go into containers, which are published. */

const refusals = refusalsOf({
  limit: { code: 4, type: 'instagram', message: '(#4) Application request limit reached' },
  permission: { code: 10, message: '(#10) Application does not have permission for this action' },
  content: {
    code: 4,
    subcode: 2207051,
    message: 'Application request limit reached',
    words: 'We restrict certain activity to protect our community.',
  },
  media: {
    code: 9004,
    subcode: 2207052,
    message: 'Only photo or video can be accepted as media type.',
    words: 'The media could not be fetched from this URI.',
  },
});

const notReady = {
  code: 9007,
  subcode: 2207027,
  message: 'Media ID is not available',
  words: 'The media is not ready.',
};
const noMedia = { code: 24, subcode: 2207006, message: 'The requested resource does not exist' };
const expired = { code: 24, subcode: 2207008, message: 'The requested resource does not exist: media builder expired' };
const badCarousel = { code: 100, subcode: 2207028, message: 'Carousel validation failed.' };
const longCaption = { code: 36004, subcode: 2207010, message: 'The caption was too long.' };
const dailyEnd = {
  code: 9,
  subcode: 2207042,
  message: 'Application request limit reached',
  words: 'You reached the maximum number of posts that is allowed to be published by Content Publishing API.',
};
const badRatio = { code: 36003, subcode: 2207009, message: 'The aspect ratio is not supported.' };
const noPlace = { code: 100, subcode: 2207055, message: 'INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID' };
/** A Page that has no place on the map. */
const placeless = '404';
const badFormat = { code: 36001, subcode: 2207005, message: 'The image format is not supported.' };

const about = {
  caption: z.string().optional(),
  collaborators: z.array(z.string()).max(3).optional(),
  location_id: z.string().regex(/^\d+$/).optional(),
};
const username = z.string().regex(/^[A-Za-z0-9._]{1,30}$/);
const share = z.number().min(0).max(1);
/** An image needs the place of each, a reel takes none, and a story may have one. */
const onImage = z
  .array(z.strictObject({ username, x: share, y: share }))
  .max(20)
  .optional();
const onReel = z.array(z.strictObject({ username })).max(20).optional();
const onStory = z
  .array(z.strictObject({ username, x: share.optional(), y: share.optional() }))
  .max(20)
  .optional();
const altText = z.string().max(1_000).optional();

const NewContainer = z.union([
  z.strictObject({ image_url: z.url(), alt_text: altText, user_tags: onImage, ...about }),
  z.strictObject({ is_carousel_item: z.literal(true), image_url: z.url(), alt_text: altText, user_tags: onImage }),
  z.strictObject({ is_carousel_item: z.literal(true), media_type: z.literal('VIDEO'), video_url: z.url() }),
  z.strictObject({ media_type: z.literal('CAROUSEL'), children: z.string(), ...about }),
  z.strictObject({
    media_type: z.literal('REELS'),
    video_url: z.url(),
    share_to_feed: z.boolean().optional(),
    cover_url: z.url().optional(),
    thumb_offset: z.int().min(0).optional(),
    user_tags: onReel,
    trial_params: z.strictObject({ graduation_strategy: z.enum(['MANUAL', 'SS_PERFORMANCE']) }).optional(),
    ...about,
  }),
  z.strictObject({ media_type: z.literal('STORIES'), image_url: z.url(), user_tags: onStory }),
  z.strictObject({ media_type: z.literal('STORIES'), video_url: z.url(), user_tags: onStory }),
]);
type NewContainer = z.output<typeof NewContainer>;

const storyLifeMs = 24 * 3_600_000;

/** Seventeen digits: more than a JSON number holds exactly. */
const userId = ({ id }: SandboxPerson) => `17841${id}`;

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const graph = Router();
  const api = Router({ mergeParams: true });
  router.use('/graph', graph);
  const containers = createContainerBook(kit);
  const signedIn = signedInAs(kit, refusals, 'access');

  router.all(
    '/web/oauth/authorize',
    kit.consent({
      check: checkAuthorize,
      scopesOf: (query) => (query.scope ?? '').split(','),
      codeLifeMs: 3_600_000,
      suffix: '#_',
      states: { fifty: 'Has posted as often today as Instagram takes from apps' },
    }),
  );

  router.post('/login/oauth/access_token', async (req, res) => {
    const { fields } = await kit.readMultipart(req);
    const wrong = (error_message: string) =>
      res.status(400).send({ error_type: 'OAuthException', code: 400, error_message });
    if (fields.client_id !== 'sandbox') return wrong('Invalid platform app');
    if (fields.client_secret !== 'sandbox') return wrong('Error validating client secret.');
    const grant = fields.grant_type === 'authorization_code' ? await takeCode(kit, fields) : undefined;
    if (grant === undefined) return wrong('Invalid authorization code');
    const { person, scopes } = grant;
    const access = await kit.grants.issue('short', { person, scopes, lifeMs: shortLifeMs });
    res
      .type('json')
      .send(
        `{"access_token":${JSON.stringify(access)},"user_id":${userId(person)},"permissions":${JSON.stringify(scopes)}}`,
      );
  });

  mountLongTokens(graph, kit, refusals, 'ig');

  graph.use(
    '/:version',
    (req, res, next) => (/^v\d+\.\d+$/.test(String(req.params.version)) ? next() : refuse(res, notThere)),
    api,
  );

  api.get(
    '/me',
    signedIn('instagram_business_basic', async (req, res, { person }) => {
      const id = `25${person.id}`;
      const user = { user_id: userId(person), username: person.handle, name: person.name };
      sendNode(req, res, { id, ...user, profile_picture_url: undefined });
    }),
  );

  const isSelf = (req: Request, res: Response, { person }: SandboxGrant) => {
    if (req.params.id === userId(person)) return true;
    refuse(res, notThere);
    return false;
  };

  /** Images are checked while the caller waits, videos later. */
  const wrongWith = async (wanted: NewContainer) => {
    if ('image_url' in wanted) {
      const found = await kit.fetchMedia(wanted.image_url);
      if (found === undefined)
        return { refusal: { code: 9004, subcode: 2207052, message: 'The media could not be fetched from this URI.' } };
      if (found.mimeType !== 'image/jpeg') return { refusal: badFormat };
      const ratio = (await ratioOf(found.bytes)) ?? 0;
      const isStory = 'media_type' in wanted && wanted.media_type === 'STORIES';
      return isStory || (ratio >= 0.749 && ratio <= 1.911) ? {} : { refusal: badRatio };
    }
    if ('video_url' in wanted) {
      const found = await kit.fetchMedia(wanted.video_url);
      if (found === undefined) return { error: 'Error: Media upload has failed with error code 2207077' };
      return /^video\/(mp4|quicktime)$/.test(found.mimeType)
        ? {}
        : { error: 'Error: Media upload has failed with error code 2207026' };
    }
    return {};
  };

  api.post(
    '/:id/media',
    signedIn('instagram_business_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const parsed = NewContainer.safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const wanted = parsed.data;
      const text = 'caption' in wanted ? (wanted.caption ?? '') : '';
      if (text.length > 2_200) return refuse(res, longCaption);
      if ('location_id' in wanted && wanted.location_id === placeless) return refuse(res, noPlace);
      const cover = 'cover_url' in wanted && wanted.cover_url !== undefined ? wanted.cover_url : undefined;
      if (cover !== undefined && (await kit.fetchMedia(cover))?.mimeType !== 'image/jpeg')
        return refuse(res, badFormat);
      const { refusal, error = null } = await wrongWith(wanted);
      if (refusal) return refuse(res, refusal);
      const children = 'children' in wanted ? await containers.children(wanted.children, person.id) : [];
      if (children === undefined || children.length === 1 || children.length > 10) return refuse(res, badCarousel);
      const id = await containers.add({
        owner: person.id,
        text,
        file: 'image_url' in wanted ? wanted.image_url : 'video_url' in wanted ? wanted.video_url : undefined,
        children,
        sent: wanted,
        error,
      });
      res.send({ id });
    }),
  );

  api.post(
    '/:id/media_publish',
    signedIn('instagram_business_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      const parsed = z.strictObject({ creation_id: z.string() }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('The parameter creation_id is required'));
      const creationId = parsed.data.creation_id;
      const container = await containers.get(creationId, person.id);
      const state = container && containers.stateOf(container);
      if (container === undefined || container.isChild || state === 'PUBLISHED') return refuse(res, noMedia);
      if (state === 'EXPIRED') return refuse(res, expired);
      if (state !== 'FINISHED') return refuse(res, notReady);
      if (person.handle.includes('fifty')) return refuse(res, dailyEnd);
      await kit.commit(req, res, {
        text: container.text,
        person,
        refusals,
        make: async () => {
          const { postId, isNew } = await containers.publish(creationId, container);
          if (isNew)
            await add(person, { id: postId, text: container.text, media: container.media, data: container.sent });
          return postId;
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );

  const add = (person: SandboxPerson, post: Pick<SandboxPost, 'id' | 'text' | 'media' | 'data' | 'replyTo'>) =>
    kit.posts.add({
      ...post,
      author: userId(person),
      authorName: `@${person.handle}`,
      createdAt: kit.now().toISOString(),
    });

  const own = async (id: unknown, { person }: SandboxGrant) => {
    const post = await kit.posts.get(String(id));
    return post?.author === userId(person) ? post : undefined;
  };
  const isStory = ({ data }: SandboxPost) => (data as { media_type?: string } | null)?.media_type === 'STORIES';
  const isOver = (post: SandboxPost) =>
    isStory(post) && kit.now().getTime() >= Date.parse(post.createdAt) + storyLifeMs;

  const mediaNode = (post: SandboxPost) => ({
    id: post.id,
    caption: post.text || undefined,
    timestamp: graphTime(post.createdAt),
    permalink: kit.link(`/web/${isStory(post) ? 'stories' : 'p'}/${post.id}`),
    shortcode: `C${post.id.slice(-10)}`,
    media_product_type: isStory(post) ? 'STORY' : 'FEED',
  });

  const list = (wanted: (post: SandboxPost) => boolean) =>
    signedIn('instagram_business_basic', async (req, res, grant) => {
      if (!isSelf(req, res, grant)) return;
      const posts = await kit.posts.of(userId(grant.person), 200);
      const found = posts.filter((post) => post.replyTo === undefined && !isOver(post) && wanted(post));
      sendNodes(req, res, found.map(mediaNode));
    });
  api.get(
    '/:id/media',
    list((post) => !isStory(post)),
  );
  api.get('/:id/stories', list(isStory));

  api.post(
    '/:id/comments',
    signedIn('instagram_business_manage_comments', async (req, res, grant) => {
      const { person } = grant;
      const post = await own(req.params.id, grant);
      if (post === undefined || isStory(post)) return refuse(res, notThere);
      const parsed = z.strictObject({ message: z.string().min(1) }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('The parameter message is required'));
      const text = parsed.data.message;
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          const id = kit.newId();
          await add(person, { id, text, media: [], data: null, replyTo: post.id });
          return id;
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );

  api.get(
    '/:id/comments',
    signedIn('instagram_business_manage_comments', async (req, res, grant) => {
      const post = await own(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      const comments = (await kit.posts.replies(post.id)).map(({ id, text, createdAt, authorName }) => ({
        id,
        text,
        timestamp: graphTime(createdAt),
        username: authorName.slice(1),
      }));
      sendNodes(req, res, comments);
    }),
  );

  api.get(
    '/:id/insights',
    signedIn('instagram_business_manage_insights', async (req, res, grant) => {
      if (await kit.isFaulty('read', req, res, { person: grant.person, refusals })) return;
      const post = await own(req.params.id, grant);
      if (post === undefined || isOver(post)) return refuse(res, notThere);
      const { views, reach, likes, comments, shares, saves: saved } = kit.numbers(post);
      if (!isStory(post)) return sendInsights(req, res, { views, reach, likes, comments, shares, saved });
      if (views < 5) {
        return refuse(res, { code: 10, message: '(#10) Not enough viewers for the media to show insights' });
      }
      sendInsights(req, res, { views, reach, shares });
    }),
  );

  api.get(
    '/:id',
    signedIn('instagram_business_basic', async (req, res, grant) => {
      const id = String(req.params.id);
      const post = await own(id, grant);
      if (post) return sendNode(req, res, mediaNode(post));
      const container = await containers.get(id, grant.person.id);
      if (container === undefined) return refuse(res, notThere);
      const state = containers.stateOf(container);
      sendNode(req, res, { id, status_code: state, status: (state === 'ERROR' && container.error) || `${state}: ok` });
    }),
  );

  return router;
};

export default sandbox;
