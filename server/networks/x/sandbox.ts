import { createHash } from 'node:crypto';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { countText } from '#server/networks/counting';
import type { Refusals, Sandbox, SandboxGrant, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { replaceLinks } from '#server/networks/shared/text';
import { characters, longCharacters } from './characters.ts';

/** X's API v2 as its reference describes it: OAuth 2 with PKCE, uploads in one call or in chunks, posts, timelines. */

const problem = (res: Response, status: number, title: string, detail: string, type = 'about:blank') => {
  res.status(status).type('application/problem+json').send({ title, detail, type, status });
};

const refusalsOf = ({ now }: SandboxKit): Refusals => ({
  '429': (res) => {
    res.setHeader('x-rate-limit-reset', String(Math.ceil(now().getTime() / 1000) + 60));
    problem(res, 429, 'Too Many Requests', 'Too Many Requests');
  },
  '429-bare': (res) => problem(res, 429, 'Too Many Requests', 'Too Many Requests'),
  '503': (res) => problem(res, res.statusCode === 500 ? 500 : 503, 'Service Unavailable', 'Service Unavailable'),
  'expired-token': (res) => problem(res, 401, 'Unauthorized', 'Unauthorized'),
  'refused-token': (res) => problem(res, 401, 'Unauthorized', 'Unauthorized'),
  'missing-permission': (res) =>
    problem(
      res,
      403,
      'Client Forbidden',
      'This request must be made using an approved developer account.',
      'https://api.x.com/2/problems/client-forbidden',
    ),
  'content-refused': (res) => problem(res, 403, 'Forbidden', 'You are not permitted to perform this action.'),
  'media-refused': (res) =>
    res
      .status(400)
      .send({ title: 'Invalid Request', status: 400, errors: [{ message: 'Your media IDs are invalid.' }] }),
});

/** Unknown fields are refused. */
const NewPost = z.strictObject({
  text: z.string(),
  media: z
    .strictObject({
      media_ids: z.array(z.string()).min(1).max(4),
      tagged_user_ids: z.array(z.string()).max(10).optional(),
    })
    .optional(),
  reply: z.strictObject({ in_reply_to_tweet_id: z.string() }).optional(),
  reply_settings: z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']).optional(),
  community_id: z.string().optional(),
  quote_tweet_id: z
    .string()
    .regex(/^\d{1,19}$/)
    .optional(),
  poll: z
    .strictObject({
      options: z.array(z.string().min(1).max(25)).min(2).max(4),
      duration_minutes: z.int().min(5).max(10_080),
    })
    .optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
});

type Upload = {
  owner: string;
  category: string;
  type: string;
  total: number;
  received: number;
  state: 'uploading' | 'processing' | 'ready' | 'failed';
  asked: number;
};

const states = {
  nocredits: 'The app has no credits left: every post is refused',
  premium: 'The account has a subscription and writes long texts',
  selfserve: 'The app may not quote',
};

const accessLifeMs = 2 * 3_600_000;
const wholeImageBytes = 5 * 1024 * 1024;

const sandbox: Sandbox = (kit) => {
  const router = Router();
  const api = Router();
  const refusals = refusalsOf(kit);
  router.use('/api', api);

  router.all(
    '/web/i/oauth2/authorize',
    kit.consent({
      check: (query) => {
        if (query.response_type !== 'code') return 'response_type must be code';
        if (query.client_id !== 'sandbox') return 'client_id is not known';
        if (!query.redirect_uri) return 'redirect_uri is missing';
        if (!query.state || query.state.length > 500) return 'state must have 1 to 500 characters';
        if (query.code_challenge_method !== 'S256' || !query.code_challenge) return 'PKCE with S256 is needed';
        return undefined;
      },
      scopesOf: (query) => (query.scope ?? '').split(' '),
      codeLifeMs: 30_000,
      states,
    }),
  );

  const tokens = async (res: Response, { person, scopes }: SandboxGrant) => {
    const access = await kit.grants.issue('access', { person, scopes, lifeMs: accessLifeMs });
    const offline = scopes.includes('offline.access');
    const refresh = offline ? await kit.grants.issue('refresh', { person, scopes }) : undefined;
    res.send({
      token_type: 'bearer',
      expires_in: 7200,
      access_token: access,
      scope: scopes.join(' '),
      refresh_token: refresh,
    });
  };
  const grantRefused = (res: Response, description: string) =>
    res.status(400).send({ error: 'invalid_request', error_description: description });

  const basic = `Basic ${Buffer.from('sandbox:sandbox').toString('base64')}`;
  const clientRefused = (res: Response) =>
    res.status(401).send({ error: 'unauthorized_client', error_description: 'Missing valid authorization header' });

  api.post('/2/oauth2/revoke', async (req, res) => {
    if (req.headers.authorization !== basic) return clientRefused(res);
    const { token = '' } = (req.body ?? {}) as Record<string, string>;
    const ended = [await kit.grants.take('access', token), await kit.grants.take('refresh', token)];
    if (ended.every((grant) => grant === undefined))
      return grantRefused(res, 'Value passed for the token was invalid.');
    res.send({ revoked: true });
  });

  api.post('/2/oauth2/token', async (req, res) => {
    if (req.headers.authorization !== basic) return clientRefused(res);
    const form = (req.body ?? {}) as Record<string, string>;
    if (form.grant_type === 'refresh_token') {
      const grant = await kit.grants.take('refresh', form.refresh_token ?? '');
      if (grant === undefined) return grantRefused(res, 'Value passed for the token was invalid.');
      return tokens(res, grant);
    }
    const grant = await kit.grants.take('code', form.code ?? '');
    const asked = (grant?.data ?? {}) as Record<string, string>;
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (grant === undefined || grant.expired)
      return grantRefused(res, 'Value passed for the authorization code was invalid.');
    if (asked.redirect_uri !== form.redirect_uri)
      return grantRefused(res, 'Value passed for the redirect uri did not match.');
    if (asked.code_challenge !== challenge)
      return grantRefused(res, 'Value passed for the code verifier did not match.');
    return tokens(res, grant);
  });

  /** The grant behind the bearer token, if it has the scope. */
  const signedIn =
    (scope: string, work: (req: Request, res: Response, grant: SandboxGrant) => Promise<unknown>): RequestHandler =>
    async (req, res) => {
      const secret = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')?.[1] ?? '';
      const grant = await kit.grants.find('access', secret);
      if (grant === undefined || grant.expired) return refusals['expired-token'](res);
      if (!grant.scopes.includes(scope)) return refusals['missing-permission'](res);
      await work(req, res, grant);
    };

  api.get(
    '/2/users/me',
    signedIn('users.read', async (req, res, { person }) => {
      const isAsked = String(req.query['user.fields']).split(',').includes('subscription_type');
      const subscription_type = writesLong(person) ? 'Premium' : 'None';
      res.send({
        data: { id: person.id, name: person.name, username: person.handle, ...(isAsked && { subscription_type }) },
      });
    }),
  );

  api.get(
    '/2/users/by',
    signedIn('users.read', async (req, res) => {
      const names = String(req.query.usernames ?? '').split(',');
      if (names.length > 100) return problem(res, 400, 'Invalid Request', 'usernames: at most 100');
      const people = await Promise.all(
        names.filter((name) => !name.includes('nobody')).map((name) => kit.people.signIn(name)),
      );
      res.send({
        ...(people.length > 0 && { data: people.map(({ id, name, handle }) => ({ id, name, username: handle })) }),
      });
    }),
  );

  const uploadAnswer = (id: string, { state }: Upload) => ({
    data: {
      id,
      media_key: `3_${id}`,
      expires_after_secs: 86_400,
      ...(state === 'processing' && { processing_info: { state: 'pending', check_after_secs: 1 } }),
    },
  });
  const badMedia = (res: Response, message: string) =>
    res.status(400).send({ title: 'Invalid Request', status: 400, errors: [{ message }] });

  api.post(
    '/2/media/upload',
    signedIn('media.write', async (req, res, { person }) => {
      const { fields, files } = await kit.readMultipart(req);
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const { media } = files;
      const { media_category: category, ...unknown } = fields;
      if (!media || category !== 'tweet_image') return badMedia(res, 'media and media_category are needed');
      if (Object.keys(unknown).length > 0) return badMedia(res, `$.${Object.keys(unknown)[0]} is not defined`);
      if (media.bytes.length > wholeImageBytes) return badMedia(res, 'File size exceeds 5242880 bytes');
      const id = kit.newId();
      const upload: Upload = {
        owner: person.id,
        category: 'tweet_image',
        type: media.mimeType,
        total: media.bytes.length,
        received: media.bytes.length,
        state: 'ready',
        asked: 0,
      };
      await kit.records.put('upload', id, upload);
      res.send(uploadAnswer(id, upload));
    }),
  );

  api.post(
    '/2/media/upload/initialize',
    signedIn('media.write', async (req, res, { person }) => {
      if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
      const { media_type, total_bytes, media_category } = req.body as Record<string, unknown>;
      if (typeof total_bytes !== 'number' || !['tweet_video', 'tweet_gif'].includes(String(media_category))) {
        return badMedia(res, 'total_bytes and media_category are needed');
      }
      const id = kit.newId();
      const upload: Upload = {
        owner: person.id,
        category: String(media_category),
        type: String(media_type),
        total: total_bytes,
        received: 0,
        state: 'uploading',
        asked: 0,
      };
      await kit.records.put('upload', id, upload);
      res.send(uploadAnswer(id, upload));
    }),
  );

  const ownUpload = async (id: unknown, { person }: SandboxGrant) => {
    const upload = await kit.records.get<Upload>('upload', String(id));
    return upload?.owner === person.id ? upload : undefined;
  };

  api.post(
    '/2/media/upload/:id/append',
    signedIn('media.write', async (req, res, grant) => {
      const { fields, files } = await kit.readMultipart(req);
      if (await kit.isFaulty('upload', req, res, { person: grant.person, refusals })) return;
      const upload = await ownUpload(req.params.id, grant);
      const index = Number(fields.segment_index);
      if (!upload || !files.media || !(index >= 0 && index <= 999)) return badMedia(res, 'The segment is not valid');
      await kit.records.put('upload', String(req.params.id), {
        ...upload,
        received: upload.received + files.media.bytes.length,
      });
      res.send({ data: { expires_at: 0 } });
    }),
  );

  api.post(
    '/2/media/upload/:id/finalize',
    signedIn('media.write', async (req, res, grant) => {
      const upload = await ownUpload(req.params.id, grant);
      if (!upload || upload.received !== upload.total)
        return badMedia(res, 'Segments do not add up to provided total file size.');
      const finished: Upload = { ...upload, state: 'processing' };
      await kit.records.put('upload', String(req.params.id), finished);
      res.send(uploadAnswer(String(req.params.id), finished));
    }),
  );

  api.get(
    '/2/media/upload',
    signedIn('media.write', async (req, res, grant) => {
      const id = String(req.query.media_id);
      const upload = await ownUpload(id, grant);
      if (!upload || req.query.command !== 'STATUS') return badMedia(res, 'The media id is not valid');
      const asked = upload.asked + 1;
      const state = asked > 1 ? 'ready' : upload.state;
      await kit.records.put('upload', id, { ...upload, asked, state });
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
    '/2/media/metadata',
    signedIn('media.write', async (req, res, grant) => {
      const { id, metadata } = req.body as { id: string; metadata?: { alt_text?: { text?: string } } };
      const text = metadata?.alt_text?.text;
      if (!(await ownUpload(id, grant)) || !text || text.length > 1000)
        return badMedia(res, 'The metadata is not valid');
      res.send({ data: { id } });
    }),
  );

  /** Null when all can be used. */
  const mediaProblem = async (ids: readonly string[], grant: SandboxGrant) => {
    const uploads = await Promise.all(ids.map((id) => ownUpload(id, grant)));
    if (uploads.some((upload) => upload?.state !== 'ready')) return 'Your media IDs are invalid.';
    const alone = uploads.filter((upload) => upload?.category !== 'tweet_image').length;
    return alone > 0 && uploads.length > 1 ? 'You may only post one video or GIF.' : null;
  };

  api.post(
    '/2/tweets',
    signedIn('tweet.write', async (req, res, grant) => {
      const { person } = grant;
      if (person.handle.includes('nocredits')) {
        return problem(res, 402, 'CreditsDepleted', 'Your enrolled account has no credits to fulfill this request.');
      }
      const parsed = NewPost.safeParse(req.body);
      if (!parsed.success)
        return problem(res, 400, 'Invalid Request', 'One or more parameters to your request was invalid.');
      const { text, media, poll, quote_tweet_id: quoted, reply, reply_settings } = parsed.data;
      if (text === '' && media === undefined) return problem(res, 400, 'Invalid Request', 'text or media is needed');
      if ([media, poll, quoted].filter((one) => one !== undefined).length > 1) {
        return problem(res, 400, 'Invalid Request', 'media, poll and quote_tweet_id are mutually exclusive');
      }
      if (quoted !== undefined && person.handle.includes('selfserve')) {
        return problem(res, 403, 'Forbidden', 'Quote posts are not available to your access level.');
      }
      if (quoted !== undefined && !(await kit.posts.get(quoted))) {
        return problem(res, 403, 'Forbidden', 'You attempted to quote a Tweet that is deleted or not visible to you.');
      }
      const allowed = writesLong(person) ? longCharacters : characters;
      if (countText(allowed, text) > allowed.max) return refusals['content-refused'](res);
      const wrong = await mediaProblem(media?.media_ids ?? [], grant);
      if (wrong !== null) return badMedia(res, wrong);
      if (reply && !(await kit.posts.get(reply.in_reply_to_tweet_id))) {
        return problem(
          res,
          400,
          'Invalid Request',
          'You attempted to reply to a Tweet that is deleted or not visible to you.',
        );
      }
      if (reply && reply_settings) {
        return problem(res, 403, 'Forbidden', 'Reply settings can only be set on the first post of a conversation.');
      }
      const recent = await kit.posts.of(person.id, 20);
      if (
        text !== '' &&
        recent.some((post) => dataOf(post).typed === text && post.replyTo === reply?.in_reply_to_tweet_id)
      ) {
        return problem(res, 403, 'Forbidden', 'You are not allowed to create a Tweet with duplicate content.');
      }
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          const id = kit.newId();
          await kit.posts.add({
            id,
            author: person.id,
            authorName: `@${person.handle}`,
            // A quoted post is a link at the end of the text.
            text: shortened(quoted ? `${text} https://x.com/i/status/${quoted}` : text),
            media: media?.media_ids ?? [],
            ...(reply && { replyTo: reply.in_reply_to_tweet_id }),
            createdAt: kit.now().toISOString(),
            data: { typed: text, ...parsed.data },
          });
          return id;
        },
        answer: (id) =>
          res.status(201).send({ data: { id, text: escaped(shortened(text)), edit_history_tweet_ids: [id] } }),
      });
    }),
  );

  api.get(
    '/2/users/:id/tweets',
    signedIn('tweet.read', async (req, res, { person }) => {
      const count = Number(req.query.max_results ?? 10);
      if (count < 5 || count > 100)
        return problem(res, 400, 'Invalid Request', 'max_results must be between 5 and 100');
      if (req.params.id !== person.id) return problem(res, 404, 'Not Found Error', 'Could not find user');
      const start = Date.parse(String(req.query.start_time ?? '1970-01-01T00:00:00Z'));
      const before = String(req.query.pagination_token ?? '');
      const posts = (await kit.posts.of(person.id, 3200)).filter(({ createdAt }) => Date.parse(createdAt) >= start);
      const from = before === '' ? 0 : posts.findIndex(({ id }) => id === before) + 1;
      const page = posts.slice(from, from + count);
      const wanted = String(req.query['tweet.fields'] ?? '').split(',');
      const data = page.map(({ id, text, createdAt }) => ({
        id,
        text: escaped(beginningOf(text)),
        created_at: createdAt,
        ...(wanted.includes('note_tweet') && isLong(text) && { note_tweet: { text: escaped(text) } }),
      }));
      const more = from + count < posts.length;
      res.send({
        ...(data.length > 0 && { data }),
        meta: { result_count: data.length, ...(more && { next_token: page.at(-1)?.id }) },
      });
    }),
  );

  api.get(
    '/2/tweets',
    signedIn('tweet.read', async (req, res, { person }) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const ids = String(req.query.ids ?? '').split(',');
      if (ids.length > 100) return problem(res, 400, 'Invalid Request', 'ids: at most 100');
      const found = await Promise.all(ids.map((id) => kit.posts.get(id)));
      const data = found
        .filter((post) => post !== undefined)
        .map((post) => ({ id: post.id, text: escaped(post.text), public_metrics: metrics(kit.numbers(post)) }));
      const missing = ids.filter((_, index) => found[index] === undefined);
      res.send({
        ...(data.length > 0 && { data }),
        ...(missing.length > 0 && {
          errors: missing.map((value) => ({
            value,
            title: 'Not Found Error',
            type: 'https://api.x.com/2/problems/resource-not-found',
          })),
        }),
      });
    }),
  );

  return router;
};

export default sandbox;

const dataOf = ({ data }: SandboxPost) => data as { typed: string };

const writesLong = ({ handle }: SandboxPerson) => handle.includes('premium');

const isLong = (text: string) => countText(characters, text) > characters.max;

/** X shows no more of a long text where nobody asks for all of it. */
const beginningOf = (text: string) => (isLong(text) ? `${text.slice(0, 275)}…` : text);

/** As X gives out every text. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** X shortens every link of a text. */
const shortened = (text: string) => replaceLinks(text, shortLink);

const shortLink = (url: string) =>
  `https://t.co/${createHash('sha256').update(url).digest('base64url').slice(0, 10).replaceAll(/[-_]/g, 'x')}`;

const metrics = (numbers: ReturnType<SandboxKit['numbers']>) => ({
  impression_count: numbers.views,
  like_count: numbers.likes,
  reply_count: numbers.comments,
  retweet_count: numbers.shares,
  quote_count: numbers.quotes,
  bookmark_count: numbers.saves,
});
