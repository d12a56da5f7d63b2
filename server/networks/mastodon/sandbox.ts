import type { Response } from 'express';
import { z } from 'zod';
import { countText } from '#server/networks/counting';
import { createServerSandbox, type SandboxUpload } from '#server/networks/families/mastodon/sandbox';
import type { Refusals, Sandbox, SandboxKit, SandboxPerson } from '#server/networks/sandbox';
import { characters } from './characters.ts';

/** A server of Mastodon 4.5 as its reference describes it, with the limits that most servers have. */

const MiB = 1024 * 1024;
const maxCharacters = 500;
const maxMedia = 4;
const polls = { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 };

const scopes = ['read', 'write', 'read:accounts', 'read:statuses', 'write:statuses', 'write:media', 'profile'];

const refuse = (res: Response, status: number, error: string) => {
  res.status(status).send({ error });
};
const invalid = (res: Response, words: string) => refuse(res, 422, `Validation failed: ${words}`);

const refusalsOf = ({ now }: SandboxKit): Refusals => ({
  '429': (res) => {
    res.setHeader('x-ratelimit-limit', '300');
    res.setHeader('x-ratelimit-remaining', '0');
    res.setHeader('x-ratelimit-reset', new Date(now().getTime() + 5 * 60_000).toISOString());
    refuse(res, 429, 'Too many requests');
  },
  '429-bare': (res) => refuse(res, 429, 'Throttled'),
  '503': (res) =>
    refuse(
      res,
      res.statusCode === 500 ? 500 : 503,
      'There was a temporary problem serving your request, please try again',
    ),
  'expired-token': (res) => refuse(res, 401, 'The access token expired'),
  'refused-token': (res) => refuse(res, 401, 'The access token was revoked'),
  'missing-permission': (res) => refuse(res, 403, 'This action is outside the authorized scopes'),
  'content-refused': (res) => invalid(res, `Text character limit of ${maxCharacters} exceeded`),
  'media-refused': (res) => invalid(res, 'File content type is invalid, File is invalid'),
});

/** A server ignores fields it does not know. */
const NewStatus = z.object({
  status: z.string().default(''),
  media_ids: z.array(z.string()).default([]),
  in_reply_to_id: z.string().optional(),
  sensitive: z.boolean().default(false),
  spoiler_text: z.string().default(''),
  visibility: z.enum(['public', 'unlisted', 'private', 'direct']).default('public'),
  language: z.string().optional(),
  quote_approval_policy: z.enum(['public', 'followers', 'nobody']).optional(),
  quoted_status_id: z.string().optional(),
  poll: z
    .object({
      options: z.array(z.string().min(1).max(polls.max_characters_per_option)).min(2).max(polls.max_options),
      expires_in: z.int().min(polls.min_expiration).max(polls.max_expiration),
      multiple: z.boolean().default(false),
      hide_totals: z.boolean().default(false),
    })
    .refine(({ options }) => new Set(options).size === options.length, 'Poll options must be unique')
    .optional(),
});

const isAlone = ({ type }: SandboxUpload) => type.startsWith('video/') || type === 'image/gif';

const sandbox: Sandbox = (kit) => {
  const refusals = refusalsOf(kit);
  const { router, server, signedIn, uploadOf, statusView, addPost, usedFor, addOnce } = createServerSandbox(kit, {
    domain: 'mastodon.sandbox',
    version: '4.5.2',
    hasInstanceV2: true,
    refusals,
    revokes: true,
    scopes,
    maxCharacters,
    maxMedia,
    polls,
    media: {
      types: [
        ...['image/jpeg', 'image/png', 'image/gif', 'image/heic', 'image/heif', 'image/webp', 'image/avif'],
        ...['video/webm', 'video/mp4', 'video/quicktime', 'video/ogg', 'audio/mpeg', 'audio/ogg'],
      ],
      maxBytes: (type) => (type.startsWith('image/') ? 16 : 99) * MiB,
      maxDescription: 1_500,
      takesFocus: (focus) => /^-?(?:0(?:\.\d+)?|1(?:\.0+)?),-?(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(focus),
      takesTime: (type) => type.startsWith('video/') || type === 'image/gif',
      readyStatus: 200,
      told: { description_limit: 1_500, image_matrix_limit: 33_177_600 },
    },
    invalid: (res, _field, words) => invalid(res, words),
    notFound: (res) => refuse(res, 404, 'Record not found'),
    tokens: async ({ person, scopes }) => ({
      access_token: await kit.grants.issue('access', { person, scopes }),
      token_type: 'Bearer',
      scope: scopes.join(' '),
      created_at: Math.floor(kit.now().getTime() / 1000),
    }),
    postPath: (handle, id) => `/@${handle}/${id}`,
    htmlBefore: ({ data }) => {
      const { quoted_status_id: quoted } = data as { quoted_status_id?: string };
      return quoted ? `<p class="quote-inline">RE: <a href="https://mastodon.sandbox/@x/${quoted}">a post</a></p>` : '';
    },
    ownFields: (post) => ({
      language: (post.data as { language?: string }).language ?? 'en',
      quotes_count: kit.numbers(post).quotes,
    }),
  });

  /** What is wrong with the media, in the words of the server; else the uploads. */
  const attach = async (ids: readonly string[], person: SandboxPerson): Promise<string | SandboxUpload[]> => {
    if (ids.length > maxMedia) return `Cannot attach more than ${maxMedia} files`;
    const uploads = (await Promise.all(ids.map((id) => uploadOf(id, person)))).filter((one) => one !== undefined);
    if (uploads.length < ids.length) return `Media ${ids.join(', ')} not found or already attached to another post`;
    if (uploads.length > 1 && uploads.some(isAlone)) {
      return 'Cannot attach a video to a post that already contains images';
    }
    return uploads.every(({ isReady }) => isReady)
      ? uploads
      : 'Cannot attach files that have not finished processing. Try again in a moment!';
  };

  server.post(
    '/api/v1/statuses',
    signedIn('write:statuses', async (req, res, { person }) => {
      const parsed = NewStatus.safeParse(req.body);
      if (!parsed.success) return invalid(res, parsed.error.message);
      const { status: text, media_ids, in_reply_to_id: replyTo, ...data } = parsed.data;
      if (replyTo !== undefined && !(await kit.posts.get(replyTo))) {
        return refuse(res, 404, 'The post you are trying to reply to does not appear to exist.');
      }
      const { quoted_status_id: quoted } = data;
      if (quoted !== undefined) {
        const original = await kit.posts.get(quoted);
        if (!original) return refuse(res, 404, 'The post you are trying to quote does not appear to exist.');
        const { quote_approval_policy: policy } = original.data as { quote_approval_policy?: string };
        if (original.author !== person.id && policy === 'nobody') return refuse(res, 403, 'This action is not allowed');
        if (data.poll) return invalid(res, 'Quotes cannot have polls');
      }
      const first = await usedFor(req, person);
      if (first !== undefined) {
        const post = await kit.posts.get(first);
        return post ? res.send(statusView(post)) : refuse(res, 404, 'Record not found');
      }
      if (data.poll && media_ids.length > 0) return refuse(res, 422, `Cannot attach more than ${maxMedia} files`);
      const uploads = await attach(media_ids, person);
      if (typeof uploads === 'string') return refuse(res, 422, uploads);
      if (text.trim() === '' && uploads.length === 0) return invalid(res, "Text can't be blank");
      if (countText(characters, text, { 'mastodon.spoiler_text': data.spoiler_text }) > maxCharacters)
        return refusals['content-refused'](res);
      const sensitive = data.sensitive || data.spoiler_text !== '';
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: () =>
          addOnce(req, person, () => addPost(person, { text, replyTo, uploads, data: { ...data, sensitive } })),
        answer: (post) => res.send(statusView(post)),
      });
    }),
  );

  server.get(
    '/api/v1/accounts/:id/statuses',
    signedIn('read:statuses', async (req, res, { person }) => {
      if (req.params.id !== person.id) return refuse(res, 404, 'Record not found');
      const posts = await kit.posts.of(person.id, Math.min(Number(req.query.limit ?? 20), 40));
      res.send(posts.map(statusView));
    }),
  );

  return router;
};

export default sandbox;
