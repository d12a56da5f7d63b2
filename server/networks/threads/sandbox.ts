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
  sendAppToken,
  sendInsights,
  sendNode,
  sendNodes,
  shortLifeMs,
  signedInAs,
  takeCode,
} from '#server/networks/families/meta/sandbox';
import type { Sandbox, SandboxGrant, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { links } from '#server/networks/shared/text';

/** The Threads API v1.0: everything goes through a container, texts too, and a thread is a chain of replies. */

const refusals = refusalsOf({
  limit: { code: 613, type: 'threads', message: '(#613) Calls to this api have exceeded the rate limit.' },
  permission: { code: 10, message: '(#10) Application does not have permission for this action' },
  content: { code: 100, subcode: 2207051, message: 'Action is blocked', words: 'We restrict certain activity.' },
  media: {
    code: 100,
    subcode: 2207052,
    message: 'Invalid parameter',
    words: 'The media could not be fetched from this URI.',
  },
});

const noMedia = { code: 24, subcode: 4279009, message: 'The requested resource does not exist: Media Not Found' };

const replyControls = [
  'everyone',
  'accounts_you_follow',
  'mentioned_only',
  'parent_post_author_only',
  'followers_only',
] as const;

const text = z.string().optional();
const about = {
  location_id: z.string().regex(/^\d+$/).optional(),
  reply_to_id: z.string().optional(),
  quote_post_id: z.string().optional(),
  reply_control: z.enum(replyControls).optional(),
  topic_tag: z
    .string()
    .regex(/^[^.&]{1,50}$/)
    .optional(),
};
const ofMedia = { alt_text: z.string().max(1_000).optional() };
const asPost = { text, is_spoiler_media: z.boolean().optional(), ...about };
const image = { media_type: z.literal('IMAGE'), image_url: z.url(), ...ofMedia };
const video = { media_type: z.literal('VIDEO'), video_url: z.url(), ...ofMedia };
const isItem = { is_carousel_item: z.literal(true) };

/** An object in the text of a parameter, as Graph takes it. */
const asJson = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue('Invalid JSON');
    return z.NEVER;
  }
});
const choice = z.string().min(1).max(25);
const PollAttachment = asJson.pipe(
  z.strictObject({ option_a: choice, option_b: choice, option_c: choice.optional(), option_d: choice.optional() }),
);

const NewContainer = z.union([
  z.strictObject({
    media_type: z.literal('TEXT'),
    text: z.string().min(1),
    link_attachment: z.url().optional(),
    poll_attachment: PollAttachment.optional(),
    text_attachment: asJson.pipe(z.strictObject({ plaintext: z.string().min(1).max(10_000) })).optional(),
    ...about,
  }),
  z.strictObject({ ...image, ...asPost }),
  z.strictObject({ ...image, ...isItem }),
  z.strictObject({ ...video, ...asPost }),
  z.strictObject({ ...video, ...isItem }),
  z.strictObject({ media_type: z.literal('CAROUSEL'), children: z.string(), ...asPost }),
]);
type NewContainer = z.output<typeof NewContainer>;

/** An emoji counts as its bytes. */
const lengthOf = (text: string) =>
  [...text].reduce((sum, sign) => sum + (/\p{Extended_Pictographic}/u.test(sign) ? Buffer.byteLength(sign) : 1), 0);

const userId = ({ id }: SandboxPerson) => `17841${id}`;

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const graph = Router();
  const api = Router();
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
      states: { tester: 'A tester of the app, to whom Threads tells which permissions were granted' },
    }),
  );

  graph.get('/oauth/access_token', (req, res) => sendAppToken(res, req.query));
  graph.post('/oauth/access_token', async (req, res) => {
    const form = parametersOf(req);
    const grant = form.grant_type === 'authorization_code' ? await takeCode(kit, form) : undefined;
    if (grant === undefined) return refuse(res, { code: 1, message: 'Invalid verification code format.' });
    const { person, scopes } = grant;
    const access = await kit.grants.issue('short', { person, scopes, lifeMs: shortLifeMs });
    res.type('json').send(`{"access_token":${JSON.stringify(access)},"user_id":${userId(person)}}`);
  });

  mountLongTokens(graph, kit, refusals, 'th');
  graph.use('/v1.0', api);

  api.get(
    '/debug_token',
    signedIn('threads_basic', async (req, res, { person }) => {
      if (!person.handle.includes('tester')) return refusals['missing-permission'](res);
      const grant = await kit.grants.find('access', String(req.query.input_token));
      if (grant?.person.id !== person.id) return refuse(res, invalid('The parameter input_token is required'));
      res.send({ data: { type: 'USER', is_valid: !grant.expired, scopes: grant.scopes, user_id: userId(person) } });
    }),
  );

  api.get(
    '/me',
    signedIn('threads_basic', async (req, res, { person }) => {
      const user = { id: userId(person), username: person.handle, name: person.name };
      sendNode(req, res, { ...user, threads_profile_picture_url: undefined });
    }),
  );

  const isSelf = (req: Request, res: Response, { person }: SandboxGrant) => {
    if (['me', userId(person)].includes(String(req.params.id))) return true;
    refuse(res, notThere);
    return false;
  };

  const own = async (id: unknown, { person }: SandboxGrant) => {
    const post = await kit.posts.get(String(id));
    return post?.author === userId(person) ? post : undefined;
  };

  /** Looked at when the container is filled, so it is told with its state. */
  const errorOf = async (wanted: NewContainer) => {
    if (wanted.media_type === 'IMAGE') {
      const found = await kit.fetchMedia(wanted.image_url);
      return found && /^image\/(jpeg|png)$/.test(found.mimeType) ? null : 'UNKNOWN';
    }
    if (wanted.media_type === 'VIDEO') {
      const found = await kit.fetchMedia(wanted.video_url);
      if (found === undefined) return 'FAILED_DOWNLOADING_VIDEO';
      return /^video\/(mp4|quicktime)$/.test(found.mimeType) ? null : 'FAILED_PROCESSING_VIDEO';
    }
    return null;
  };

  api.post(
    '/:id/threads',
    signedIn('threads_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const parsed = NewContainer.safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('Invalid parameter'));
      const wanted = parsed.data;
      const written = ('text' in wanted && wanted.text) || '';
      const link = ('link_attachment' in wanted && wanted.link_attachment) || undefined;
      if (lengthOf(written) > 500) return refuse(res, invalid('Param text must be at most 500 characters long.'));
      if (new Set([...links(written), ...(link ? [link] : [])]).size > 5) {
        return refuse(res, { code: 100, message: 'THREADS_API__LINK_LIMIT_EXCEEDED' });
      }
      if ('reply_to_id' in wanted && wanted.reply_to_id !== undefined) {
        if (!grant.scopes.includes('threads_manage_replies')) return refusals['missing-permission'](res);
        if (!(await kit.posts.get(wanted.reply_to_id))) return refuse(res, noMedia);
      }
      if ('text_attachment' in wanted && wanted.text_attachment && wanted.poll_attachment) {
        return refuse(res, invalid('A text attachment cannot be attached to a post that has a poll'));
      }
      if ('location_id' in wanted && wanted.location_id && !grant.scopes.includes('threads_location_tagging')) {
        return refusals['missing-permission'](res);
      }
      if ('quote_post_id' in wanted && wanted.quote_post_id !== undefined) {
        if (!(await kit.posts.get(wanted.quote_post_id))) return refuse(res, noMedia);
      }
      const isCarousel = wanted.media_type === 'CAROUSEL';
      const children = isCarousel ? await containers.children(wanted.children, person.id) : [];
      if (children === undefined) return refuse(res, noMedia);
      if (isCarousel && (children.length < 2 || children.length > 20)) {
        return refuse(res, invalid('children must have 2 to 20 items'));
      }
      const id = await containers.add({
        owner: person.id,
        text: written,
        file: 'image_url' in wanted ? wanted.image_url : 'video_url' in wanted ? wanted.video_url : undefined,
        children,
        sent: wanted,
        error: await errorOf(wanted),
      });
      res.send({ id });
    }),
  );

  api.post(
    '/:id/threads_publish',
    signedIn('threads_content_publish', async (req, res, grant) => {
      const { person } = grant;
      if (!isSelf(req, res, grant)) return;
      const parsed = z.strictObject({ creation_id: z.string() }).safeParse(parametersOf(req));
      if (!parsed.success) return refuse(res, invalid('The parameter creation_id is required'));
      const creationId = parsed.data.creation_id;
      const container = await containers.get(creationId, person.id);
      if (container === undefined || container.isChild || containers.stateOf(container) !== 'FINISHED') {
        return refuse(res, noMedia);
      }
      const { reply_to_id: replyTo } = container.sent;
      await kit.commit(req, res, {
        text: container.text,
        person,
        refusals,
        make: async () => {
          const { postId, isNew } = await containers.publish(creationId, container);
          if (isNew) {
            await kit.posts.add({
              id: postId,
              author: userId(person),
              authorName: `@${person.handle}`,
              text: container.text,
              media: container.media,
              ...(typeof replyTo === 'string' && { replyTo }),
              createdAt: kit.now().toISOString(),
              data: container.sent,
            });
          }
          return postId;
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );

  const nodeOf = ({ id, author, authorName, text, createdAt }: SandboxPost) => ({
    id,
    text: text || undefined,
    timestamp: graphTime(createdAt),
    permalink: kit.link(`/web/${authorName}/post/${id}`),
    shortcode: `D${id.slice(-10)}`,
    owner: { id: author },
  });

  const list = (scope: string, isReply: boolean) =>
    signedIn(scope, async (req, res, grant) => {
      if (!isSelf(req, res, grant)) return;
      const posts = await kit.posts.of(userId(grant.person), 200);
      sendNodes(req, res, posts.filter(({ replyTo }) => (replyTo !== undefined) === isReply).map(nodeOf));
    });
  api.get('/:id/threads', list('threads_basic', false));
  api.get('/:id/replies', list('threads_read_replies', true));

  api.get(
    '/:id/insights',
    signedIn('threads_manage_insights', async (req, res, grant) => {
      if (await kit.isFaulty('read', req, res, { person: grant.person, refusals })) return;
      const post = await own(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      const { views, likes, comments: replies, shares: reposts, quotes } = kit.numbers(post);
      sendInsights(req, res, { views, likes, replies, reposts, quotes, shares: 0 });
    }),
  );

  api.get(
    '/:id',
    signedIn('threads_basic', async (req, res, grant) => {
      const id = String(req.params.id);
      const post = await own(id, grant);
      if (post) return sendNode(req, res, nodeOf(post));
      const container = await containers.get(id, grant.person.id);
      if (container === undefined) return refuse(res, notThere);
      const state = containers.stateOf(container);
      const why = state === 'ERROR' ? container.error : undefined;
      sendNode(req, res, { id, status: state, error_message: why ?? undefined });
    }),
  );

  return router;
};

export default sandbox;
