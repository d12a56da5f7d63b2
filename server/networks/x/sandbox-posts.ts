import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { sha256 } from '#server/base/sha256';
import { countText } from '#server/networks/counting';
import type { SandboxGrant, SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { pageAfter } from '#server/networks/shared/page-after';
import { replaceLinks } from '#server/networks/shared/text';
import { characters, longCharacters } from './characters.ts';
import {
  type Access,
  badMedia,
  type Names,
  namesFor,
  newNames,
  oldNames,
  problem,
  refuseParameter,
  writesLong,
} from './sandbox-access.ts';
import { createUploads, mediaKey } from './sandbox-media.ts';

/** Unknown fields are refused. */
const NewPost = z.strictObject({
  text: z.string().default(''),
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
type NewPost = z.output<typeof NewPost>;

/** New posts, the timeline of an account, and statistics. */
export const mountPosts = (api: Router, kit: SandboxKit, { signedIn, refusals }: Access) => {
  const { mediaProblem, subtitlesOf } = createUploads(kit);

  api.post(
    '/2/tweets',
    signedIn('tweet.write', async (req, res, grant) => {
      if (grant.person.handle.includes('nocredits')) {
        return problem(res, 402, 'CreditsDepleted', 'Your enrolled account has no credits to fulfill this request.');
      }
      const parsed = NewPost.safeParse(req.body);
      if (!parsed.success)
        return problem(res, 400, 'Invalid Request', 'One or more parameters to your request was invalid.');
      const refusal = await refusalOf(parsed.data, grant);
      if (refusal) return refusal(res);
      await make(req, res, parsed.data, grant);
    }),
  );

  /** Undefined when the post is accepted. */
  const refusalOf = async (post: NewPost, grant: SandboxGrant): Promise<Refusal | undefined> =>
    wrongTogether(post) ??
    unsummoned(post, grant) ??
    (await wrongQuote(post, grant)) ??
    tooLong(post, grant) ??
    (await wrongMedia(post, grant)) ??
    (await wrongReply(post)) ??
    (await duplicate(post, grant));

  const wrongTogether = ({ text, media, poll, quote_tweet_id: quoted }: NewPost) => {
    if (text === '' && media === undefined) return invalid('text or media is needed');
    if ([media, poll, quoted].filter((one) => one !== undefined).length > 1) {
      return invalid('media, poll and quote_tweet_id are mutually exclusive');
    }
    return undefined;
  };

  const unsummoned = ({ text, reply }: NewPost, { person }: SandboxGrant) =>
    person.handle.includes('unsummoned') && (reply !== undefined || /@\w/.test(text))
      ? forbidden(
          'Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.',
        )
      : undefined;

  const wrongQuote = async ({ quote_tweet_id: quoted }: NewPost, { person }: SandboxGrant) => {
    if (quoted === undefined) return undefined;
    if (person.handle.includes('selfserve')) return forbidden('Quote posts are not available to your access level.');
    if (await kit.posts.get(quoted)) return undefined;
    return forbidden('You attempted to quote a Tweet that is deleted or not visible to you.');
  };

  const tooLong = ({ text }: NewPost, { person }: SandboxGrant) => {
    const allowed = writesLong(person) ? longCharacters : characters;
    return countText(allowed, text) > allowed.max ? refusals['content-refused'] : undefined;
  };

  const wrongMedia = async ({ media }: NewPost, grant: SandboxGrant): Promise<Refusal | undefined> => {
    const wrong = await mediaProblem(media?.media_ids ?? [], grant);
    return wrong === null ? undefined : (res) => badMedia(res, wrong);
  };

  const wrongReply = async ({ reply, reply_settings }: NewPost) => {
    if (reply === undefined) return undefined;
    if (!(await kit.posts.get(reply.in_reply_to_tweet_id))) {
      return invalid('You attempted to reply to a Tweet that is deleted or not visible to you.');
    }
    if (reply_settings === undefined) return undefined;
    return forbidden('Reply settings can only be set on the first post of a conversation.');
  };

  const duplicate = async ({ text, reply }: NewPost, { person }: SandboxGrant) => {
    const recent = text === '' ? [] : await kit.posts.of(person.id, 20);
    const isThere = recent.some((post) => dataOf(post).typed === text && post.replyTo === reply?.in_reply_to_tweet_id);
    return isThere ? forbidden('You are not allowed to create a Tweet with duplicate content.') : undefined;
  };

  const make = (req: Request, res: Response, post: NewPost, grant: SandboxGrant) => {
    const { person } = grant;
    const { text, media, quote_tweet_id: quoted, reply } = post;
    return kit.commit(req, res, {
      text,
      person,
      refusals,
      make: async () => {
        const id = kit.newId();
        const subtitles = await subtitlesOf(media?.media_ids ?? [], grant);
        await kit.posts.add({
          id,
          author: person.id,
          authorName: `@${person.handle}`,
          // A quoted post is a link at the end of the text.
          text: shortened(quoted ? `${text} ${addressOf(quoted)}` : text),
          media: media?.media_ids ?? [],
          ...(reply && { replyTo: reply.in_reply_to_tweet_id }),
          createdAt: kit.now().toISOString(),
          data: { typed: text, ...post, ...(subtitles.length > 0 && { subtitles }) },
        });
        return id;
      },
      answer: (id) =>
        res.status(201).send({ data: { id, text: escaped(shortened(text)), edit_history_tweet_ids: [id] } }),
    });
  };

  /** Refuses the parameter that the other version of the API has. */
  const readsPosts = (work: (req: Request, res: Response, grant: SandboxGrant, names: Names) => Promise<unknown>) =>
    signedIn('tweet.read', async (req, res, grant) => {
      const names = namesFor(grant.person);
      const { parameter } = names === newNames ? oldNames : newNames;
      if (req.query[parameter] !== undefined) return refuseParameter(res, parameter);
      await work(req, res, grant, names);
    });

  api.get(
    '/2/users/:id/tweets',
    readsPosts(async (req, res, { person }, names) => {
      const count = Number(req.query.max_results ?? 10);
      if (count < 5 || count > 100) return invalid('max_results must be between 5 and 100')(res);
      if (req.params.id !== person.id) return problem(res, 404, 'Not Found Error', 'Could not find user');
      const start = Date.parse(String(req.query.start_time ?? '1970-01-01T00:00:00Z'));
      const posts = (await kit.posts.of(person.id, 3200)).filter(({ createdAt }) => Date.parse(createdAt) >= start);
      const { entries, next } = pageAfter(posts, req.query.pagination_token, count);
      const fields = String(req.query[names.parameter] ?? '').split(',');
      const data = entries.map((post) => listed(post, fields, names));
      res.send({
        ...(data.length > 0 && { data }),
        meta: { result_count: data.length, ...(next && { next_token: next }) },
      });
    }),
  );

  api.delete(
    '/2/tweets/:id',
    signedIn('tweet.write', async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.id));
      if (post && post.author !== person.id) return forbidden('You are not authorized to delete this Tweet.')(res);
      if (post) await kit.posts.remove(post.id);
      res.send({ data: { deleted: post !== undefined } });
    }),
  );

  api.get(
    '/2/tweets',
    readsPosts(async (req, res, { person }, names) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const ids = String(req.query.ids ?? '').split(',');
      if (ids.length > 100) return problem(res, 400, 'Invalid Request', 'ids: at most 100');
      const posts = await Promise.all(ids.map((id) => kit.posts.get(id)));
      const data = posts.filter((post) => post !== undefined).map((post) => postView(req, post, names));
      const missing = ids.filter((_, index) => posts[index] === undefined);
      res.send({
        ...(data.length > 0 && { data }),
        ...(missing.length > 0 && { errors: missing.map(notFound) }),
      });
    }),
  );

  api.get(
    '/2/tweets/:id',
    readsPosts(async (req, res, { person }, names) => {
      if (await kit.isFaulty('read', req, res, { person, refusals })) return;
      const id = String(req.params.id);
      const post = await kit.posts.get(id);
      res.send(post ? { data: postView(req, post, names) } : { errors: [notFound(id)] });
    }),
  );

  /** The id and the text; other fields only on request. */
  const postView = (req: Request, post: SandboxPost, names: Names) => {
    const fields = String(req.query[names.parameter] ?? '').split(',');
    return {
      id: post.id,
      text: escaped(post.text),
      edit_history_tweet_ids: [post.id],
      ...(fields.includes('created_at') && { created_at: post.createdAt }),
      ...(fields.includes('public_metrics') && { public_metrics: metrics(kit.numbers(post), names) }),
    };
  };

  const notFound = (value: string) => ({
    value,
    title: 'Not Found Error',
    type: 'https://api.x.com/2/problems/resource-not-found',
  });
};

type Refusal = (res: Response) => void;
const invalid =
  (detail: string): Refusal =>
  (res) =>
    problem(res, 400, 'Invalid Request', detail);
const forbidden =
  (detail: string): Refusal =>
  (res) =>
    problem(res, 403, 'Forbidden', detail);

const dataOf = ({ data }: SandboxPost) => data as { typed: string; quote_tweet_id?: string };

const isLong = (text: string) => countText(characters, text) > characters.max;

/** X shortens a long text unless the whole text is requested. */
const beginningOf = (text: string) => (isLong(text) ? `${text.slice(0, 275)}…` : text);

/** X escapes every text it returns. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** X shortens every link of a text. */
const shortened = (text: string) => replaceLinks(text, shortLink);

const shortLink = (url: string) => `https://t.co/${sha256(url, 'base64url').slice(0, 10).replaceAll(/[-_]/g, 'x')}`;

const addressOf = (id: string) => `https://x.com/i/status/${id}`;

/** A post as its timeline shows it: media are links at the end of the text, and the entities say where links lead. */
const listed = (post: SandboxPost, fields: readonly string[], { wholeText }: Names) => {
  const { id, media, createdAt } = post;
  const text = [post.text, ...(media.length > 0 ? [shortLink(id)] : [])].join(' ').trim();
  const entities = { urls: urlsOf(post) };
  const whole = { text: escaped(text), entities };
  return {
    id,
    text: escaped(beginningOf(text)),
    created_at: createdAt,
    ...(fields.includes(wholeText) && isLong(text) && { [wholeText]: whole }),
    ...(fields.includes('entities') && entities.urls.length > 0 && { entities }),
    ...(fields.includes('attachments') && media.length > 0 && { attachments: { media_keys: media.map(mediaKey) } }),
  };
};

const urlsOf = (post: SandboxPost) => {
  const { typed, quote_tweet_id: quoted } = dataOf(post);
  const links: string[] = [];
  replaceLinks(quoted ? `${typed} ${addressOf(quoted)}` : typed, (link) => {
    links.push(link);
    return link;
  });
  return [
    ...links.map((link) => ({ url: shortLink(link), expanded_url: link.includes('://') ? link : `http://${link}` })),
    ...post.media.map((id) => ({
      url: shortLink(post.id),
      expanded_url: `${addressOf(post.id)}/photo/1`,
      media_key: mediaKey(id),
    })),
  ];
};

const metrics = (numbers: ReturnType<SandboxKit['numbers']>, { shares }: Names) => ({
  impression_count: numbers.views,
  like_count: numbers.likes,
  reply_count: numbers.comments,
  [shares]: numbers.shares,
  quote_count: numbers.quotes,
  bookmark_count: numbers.saves,
});
