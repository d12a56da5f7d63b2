import { z } from 'zod';
import { countText } from '#server/networks/counting';
import type { createServerSandbox, SandboxUpload } from '#server/networks/families/mastodon/sandbox';
import type { Json } from '#server/networks/network';
import type { Refusals, SandboxKit, SandboxPerson, SandboxPost } from '#server/networks/sandbox';
import { characters } from './characters.ts';
import { invalid, maxCharacters, refuse } from './sandbox-access.ts';

export const maxMedia = 4;
export const polls = { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 };

/** A server ignores fields it does not know. */
const NewStatus = z.object({
  status: z.string().default(''),
  media_ids: z.array(z.string()).default([]),
  in_reply_to_id: z.string().optional(),
  sensitive: z.boolean().optional(),
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

type NewStatus = z.output<typeof NewStatus>;

/** Omitted fields keep their value. The visibility of a post and the post it replies to cannot change. */
const ChangedStatus = z.object({
  status: z.string().optional(),
  media_ids: z.array(z.string()).optional(),
  sensitive: z.boolean().optional(),
  spoiler_text: z.string().optional(),
  language: z.string().optional(),
});

export type ServerSandbox = ReturnType<typeof createServerSandbox>;

export const mountStatuses = (kit: SandboxKit, refusals: Refusals, made: ServerSandbox) => {
  const { server, signedIn, statusView, sendPage, addPost, attachmentsFor, editPost, usedFor, addOnce } = made;

  server.post(
    '/api/v1/statuses',
    signedIn('write:statuses', async (req, res, { person }) => {
      const parsed = NewStatus.safeParse(req.body);
      if (!parsed.success) return invalid(res, parsed.error.message);
      const { status: text, media_ids, in_reply_to_id: replyTo, ...data } = parsed.data;
      if (replyTo !== undefined && !(await kit.posts.get(replyTo))) {
        return refuse(res, 404, 'The post you are trying to reply to does not appear to exist.');
      }
      const unquotable = await whyNotQuoted(kit, person, data);
      if (unquotable) return refuse(res, ...unquotable);
      const first = await usedFor(req, person);
      if (first !== undefined) {
        const post = await kit.posts.get(first);
        return post ? res.send(statusView(post)) : refuse(res, 404, 'Record not found');
      }
      if (data.poll && media_ids.length > 0) return refuse(res, 422, `Cannot attach more than ${maxMedia} files`);
      const uploads = await attach(made, media_ids, person);
      if (typeof uploads === 'string') return refuse(res, 422, uploads);
      if (text.trim() === '' && uploads.length === 0) return invalid(res, "Text can't be blank");
      if (countText(characters, text, { 'mastodon.spoiler_text': data.spoiler_text }) > maxCharacters)
        return refusals['content-refused'](res);
      const byDefault = person.handle.includes('allsensitive');
      const sensitive = (data.sensitive ?? byDefault) || data.spoiler_text !== '';
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          const post = await addOnce(req, person, () =>
            addPost(person, { text, replyTo, uploads, data: { ...data, sensitive } }),
          );
          if (person.handle.includes('droppedasspam')) await kit.posts.remove(post.id);
          return post;
        },
        answer: (post) => res.send(statusView(post)),
      });
    }),
  );

  const ownPost = async (id: unknown, person: SandboxPerson) => {
    const post = await kit.posts.get(String(id));
    return post?.author === person.id ? post : undefined;
  };

  server.put(
    '/api/v1/statuses/:id',
    signedIn('write:statuses', async (req, res, { person }) => {
      const post = await ownPost(req.params.id, person);
      if (post === undefined) return refuse(res, 404, 'Record not found');
      const parsed = ChangedStatus.safeParse(req.body);
      if (!parsed.success) return invalid(res, parsed.error.message);
      const { status: text = post.text, media_ids: ids, ...data } = parsed.data;
      if (ids && ids.length > maxMedia) return refuse(res, 422, `Cannot attach more than ${maxMedia} files`);
      const attachments = ids && (await attachmentsFor(post, ids, person));
      if (ids && attachments === undefined) return refuse(res, 404, 'Record not found');
      if (text.trim() === '' && (attachments ?? post.media).length === 0) return invalid(res, "Text can't be blank");
      const { spoiler_text = '' } = { ...(post.data as { spoiler_text?: string }), ...data };
      if (countText(characters, text, { 'mastodon.spoiler_text': spoiler_text }) > maxCharacters)
        return refusals['content-refused'](res);
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          await kit.records.put('history', post.id, [...(await historyOf(post)), versionOf(post)]);
          return editPost(post, { text, attachments, data });
        },
        answer: (edited) => res.send(statusView(edited)),
      });
    }),
  );

  // The text as the author wrote it, for an editor.
  server.get(
    '/api/v1/statuses/:id/source',
    signedIn('read:statuses', async (req, res, { person }) => {
      const post = await ownPost(req.params.id, person);
      if (post === undefined) return refuse(res, 404, 'Record not found');
      const { spoiler_text = '' } = post.data as { spoiler_text?: string };
      res.send({ id: post.id, text: post.text, spoiler_text });
    }),
  );

  const versionOf = (post: SandboxPost) => {
    const { content, spoiler_text, sensitive, account, media_attachments, emojis } = statusView(post);
    const created_at = post.edited?.at ?? post.createdAt;
    return { content, spoiler_text, sensitive, created_at, account, media_attachments, emojis } as unknown as Json;
  };
  const historyOf = async (post: SandboxPost) => (await kit.records.get<readonly Json[]>('history', post.id)) ?? [];

  server.get(
    '/api/v1/statuses/:id/history',
    signedIn('read:statuses', async (req, res, { person }) => {
      const post = await ownPost(req.params.id, person);
      if (post === undefined) return refuse(res, 404, 'Record not found');
      res.send([...(await historyOf(post)), versionOf(post)]);
    }),
  );

  server.get(
    '/api/v1/accounts/:id/statuses',
    signedIn('read:statuses', async (req, res, { person }) => {
      if (req.params.id !== person.id) return refuse(res, 404, 'Record not found');
      const posts = await kit.posts.of(person.id, 1000);
      sendPage(req, res, posts, Math.min(Number(req.query.limit ?? 20), 40));
    }),
  );
};

/** Why the quoted post cannot be quoted; undefined when it can, or when there is none. */
const whyNotQuoted = async (
  kit: SandboxKit,
  person: SandboxPerson,
  { quoted_status_id: quoted, poll }: Pick<NewStatus, 'quoted_status_id' | 'poll'>,
): Promise<[status: number, error: string] | undefined> => {
  if (quoted === undefined) return undefined;
  const original = await kit.posts.get(quoted);
  if (!original) return [404, 'The post you are trying to quote does not appear to exist.'];
  const { quote_approval_policy: policy } = original.data as { quote_approval_policy?: string };
  if (original.author !== person.id && policy === 'nobody') return [403, 'This action is not allowed'];
  return poll && [422, 'Validation failed: Quotes cannot have polls'];
};

const isAlone = ({ type }: SandboxUpload) => type.startsWith('video/');

/** The server's error message for the media, else the uploads. */
const attach = async (
  { uploadOf }: ServerSandbox,
  ids: readonly string[],
  person: SandboxPerson,
): Promise<string | SandboxUpload[]> => {
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
