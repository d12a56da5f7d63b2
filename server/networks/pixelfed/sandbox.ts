import type { Response } from 'express';
import { z } from 'zod';
import { dayMs } from '#contracts/time';
import { codePoints } from '#server/networks/counting';
import { createServerSandbox, type SandboxUpload } from '#server/networks/families/mastodon/sandbox';
import type { Refusals, Sandbox, SandboxGrant } from '#server/networks/sandbox';

/** A Pixelfed server as its source code describes it, with the limits it has unless its operator changed them. */

const accessLifeMs = 356 * dayMs;
const refreshLifeMs = 400 * dayMs;
const maxCharacters = 500;
const maxMedia = 4;
const descendantsShown = 20;
const maxEdits = 10;

const refuse = (res: Response, status: number, error: string) => {
  res.status(status).send({ error });
};
const invalid = (res: Response, field: string, message: string) => {
  res.status(422).send({ message, errors: { [field]: [message] } });
};

const refusals: Refusals = {
  '429': (res) => {
    res.setHeader('x-ratelimit-limit', '60');
    res.setHeader('x-ratelimit-remaining', '0');
    res.setHeader('retry-after', '60');
    refuse(res, 429, 'Too Many Attempts.');
  },
  '429-bare': (res) => refuse(res, 429, ''),
  '503': (res) =>
    res
      .status(res.statusCode === 500 ? 500 : 503)
      .type('html')
      .send('<!doctype html><title>Service Unavailable</title><h1>503</h1>'),
  'expired-token': (res) => refuse(res, 401, 'Unauthenticated.'),
  'refused-token': (res) => refuse(res, 401, 'Unauthenticated.'),
  'missing-permission': (res) => refuse(res, 403, ''),
  'content-refused': (res) => refuse(res, 400, 'Invalid object. Contains banned keyword.'),
  'media-refused': (res) => refuse(res, 400, 'Invalid media_ids'),
};

/** Works like PHP's strip_tags: a “<” without a space after it begins a tag, which may never end. */
const withoutTags = (text: string) => text.replace(/<(?!\s)[^>]*>?/g, '');

const NewStatus = z.object({
  status: z.string().nullish(),
  in_reply_to_id: z.string().nullish(),
  media_ids: z.array(z.string()).max(maxMedia).optional(),
  sensitive: z.boolean().default(false),
  visibility: z.enum(['private', 'unlisted', 'public']).default('public'),
  spoiler_text: z.string().max(140).optional(),
  comments_disabled: z.boolean().default(false),
  place_id: z.int().min(1).max(128_769).optional(),
  // Unknown ids, and ids of other people's collections, are ignored.
  collection_ids: z.array(z.string()).max(3).optional(),
});

const ChangedStatus = z
  .object({
    status: z
      .string()
      .refine((text) => codePoints(text) <= maxCharacters)
      .optional(),
    spoiler_text: z.string().max(140).optional(),
    sensitive: z.boolean().optional(),
    media_ids: z.array(z.string()).max(maxMedia).optional(),
  })
  .refine(({ status, media_ids }) => status !== undefined || media_ids !== undefined);

const places = [
  { id: 1_024, name: 'Berlin', country: 'Germany', slug: 'berlin' },
  { id: 20_480, name: 'Berlin', country: 'USA', slug: 'berlin' },
  { id: 3_077, name: 'London', country: 'United Kingdom', slug: 'london' },
  { id: 77_812, name: 'Ulm', country: 'Germany', slug: 'ulm' },
];

/** Every account has these from the start. */
const collections = [
  { id: '601337', title: 'Bread of the week', description: '', visibility: 'public' },
  { id: '601338', title: 'Behind the counter', description: '', visibility: 'draft' },
];
const collectionsPerPage = 9;

const sandbox: Sandbox = (kit) => {
  const tokens = async ({ person, scopes }: SandboxGrant, client: string) => {
    const access = await kit.grants.issue('access', { person, scopes, lifeMs: accessLifeMs });
    const data = { client, access };
    return {
      token_type: 'Bearer',
      expires_in: accessLifeMs / 1000,
      access_token: access,
      refresh_token: await kit.grants.issue('refresh', { person, scopes, lifeMs: refreshLifeMs, data }),
    };
  };

  const made = createServerSandbox(kit, {
    domain: 'pixelfed.sandbox',
    version: '3.5.3 (compatible; Pixelfed 0.12.6)',
    hasInstanceV2: false,
    refusals,
    revokes: false,
    scopes: ['read', 'write', 'follow', 'push'],
    maxCharacters,
    maxMedia,
    media: {
      types: ['image/jpeg', 'image/png', 'image/gif'],
      maxBytes: () => 15_000 * 1024,
      maxDescription: 1_000,
      takesTime: () => false,
      readyStatus: 202,
      // Reported by every server, and enforced by none.
      told: { image_matrix_limit: 2_073_600 },
    },
    invalid,
    notFound: (res) => refuse(res, 404, ''),
    tokens,
    appFields: () => ({}),
    postPath: (handle, id) => `/p/${handle}/${id}`,
    htmlBefore: () => '',
    ownFields: () => ({}),
  });
  const { router, server, signedIn, uploadOf, statusView, sendPage } = made;
  const { addPost, attachmentsFor, editPost, addOnce, usedFor, use } = made;

  server.post(
    '/api/v1/statuses',
    signedIn('write', async (req, res, { person }) => {
      const parsed = NewStatus.safeParse(req.body);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        return invalid(res, issue?.path.join('.') ?? '', `The field is invalid: ${issue?.message}.`);
      }
      const { status, in_reply_to_id, media_ids = [], ...data } = parsed.data;
      const text = withoutTags(status ?? '');
      if (codePoints(text) > maxCharacters) {
        return invalid(res, 'status', `The status field must not be greater than ${maxCharacters} characters.`);
      }
      if ((await usedFor(req, person)) !== undefined) return refuse(res, 400, 'Duplicate idempotency key.');
      /** A refusal uses up the key too. */
      const refuseWith = async (answer: () => void) => {
        await use(req, person, '');
        answer();
      };
      const replyTo = in_reply_to_id ?? undefined;
      if (media_ids.length === 0 && replyTo === undefined) {
        return refuseWith(() => refuse(res, 403, 'Empty statuses are not allowed'));
      }
      const parent = replyTo === undefined ? undefined : await kit.posts.get(replyTo);
      if (replyTo !== undefined && parent === undefined) {
        return refuseWith(() => refuse(res, 404, `No query results for model [App\\Status] ${replyTo}`));
      }
      if ((parent?.data as { comments_disabled?: boolean } | undefined)?.comments_disabled) {
        return refuseWith(() => res.status(422).json('Comments have been disabled on this post'));
      }
      const uploads: SandboxUpload[] = [];
      for (const id of media_ids) {
        const upload = await uploadOf(id, person);
        if (upload === undefined) return refuseWith(() => refuse(res, 400, 'Invalid media_ids'));
        uploads.push(upload);
      }
      const spoiler_text = data.sensitive ? (data.spoiler_text ?? '') : '';
      await kit.commit(req, res, {
        text,
        person,
        refusals: {
          ...refusals,
          // Its own limit of posts is checked after the key.
          '429': (res) => void use(req, person, '').then(() => refusals['429'](res)),
        },
        make: () =>
          addOnce(req, person, () => addPost(person, { text, replyTo, uploads, data: { ...data, spoiler_text } })),
        answer: (post) => res.send(statusView(post)),
      });
    }),
  );

  server.put(
    '/api/v1/statuses/:id',
    signedIn('write', async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.id));
      if (post?.author !== person.id) return res.status(403).send({ message: 'This action is unauthorized.' });
      const parsed = ChangedStatus.safeParse(req.body);
      if (!parsed.success) return invalid(res, 'status', 'The status field is invalid.');
      const { status, media_ids: ids, ...data } = parsed.data;
      const edits = (await kit.records.get<number>('edits', post.id)) ?? 0;
      if (edits >= maxEdits) return refuse(res, 400, `You cannot edit your post more than ${maxEdits} times.`);
      const attachments = ids && (await attachmentsFor(post, ids, person));
      if (ids && attachments === undefined) return refuse(res, 404, 'No query results for model [App\\Media].');
      const text = status === undefined ? post.text : withoutTags(status);
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          await kit.records.put('edits', post.id, edits + 1);
          return editPost(post, { text, attachments, data });
        },
        answer: (edited) => res.send(statusView(edited)),
      });
    }),
  );

  server.get(
    '/api/v1.1/compose/search/location',
    signedIn('read', async (req, res) => {
      const words = String(req.query.q ?? '').toLowerCase();
      if (words === '' || words.length > 100) return invalid(res, 'q', 'The q field is required.');
      const matches = places.filter(({ name }) => name.toLowerCase().includes(words));
      res.send(
        matches.map(({ slug, ...place }) => ({ ...place, url: kit.link(`/discover/places/${place.id}/${slug}`) })),
      );
    }),
  );

  server.get(
    '/api/v1.1/collections/accounts/:id',
    signedIn('read', async (req, res, { person }) => {
      if (req.params.id !== person.id) return res.status(404).send([]);
      const start = (Number(req.query.page ?? 1) - 1) * collectionsPerPage;
      const page = collections.slice(start, start + collectionsPerPage);
      res.send(page.map((one) => ({ ...one, pid: person.id, username: person.handle, post_count: 0 })));
    }),
  );

  server.get(
    '/api/v1/accounts/:id/statuses',
    signedIn('read', async (req, res, { person }) => {
      const limit = Number(req.query.limit ?? 20);
      if (!(limit >= 1 && limit <= 100)) return invalid(res, 'limit', 'The limit field must be between 1 and 100.');
      if (req.params.id !== person.id) return refuse(res, 404, 'Account not found');
      const posts = (await kit.posts.of(person.id, 1000)).filter(({ replyTo }) => replyTo === undefined);
      sendPage(req, res, posts, limit);
    }),
  );

  server.get(
    '/api/v1/statuses/:id/context',
    signedIn('read', async (req, res) => {
      const id = String(req.params.id);
      if (!(await kit.posts.get(id))) return res.status(404).end();
      const replies = (await kit.posts.replies(id)).reverse();
      res.send({ ancestors: [], descendants: replies.slice(0, descendantsShown).map(statusView) });
    }),
  );

  return router;
};

export default sandbox;
