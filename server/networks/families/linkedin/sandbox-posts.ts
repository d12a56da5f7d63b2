import { z } from 'zod';
import type { Json } from '#server/networks/network';
import type { SandboxPost } from '#server/networks/sandbox';
import { failInput, type LinkedinSandbox } from './sandbox.ts';
import { createSandboxMedia, parsed } from './sandbox-media.ts';

/** LinkedIn's posts: what they may have, and how their "little text" is read. */

const maxCommentary = 3_000;

const altText = z.string().min(1).max(4_086).optional();

const NewPost = z.strictObject({
  author: z.string(),
  commentary: z.string(),
  visibility: z.string(),
  distribution: z.strictObject({
    feedDistribution: z.enum(['MAIN_FEED', 'NONE']),
    targetEntities: z.array(z.unknown()).max(0).optional(),
    thirdPartyDistributionChannels: z.array(z.unknown()).max(0).optional(),
  }),
  content: z
    .union([
      z.strictObject({ media: z.strictObject({ id: z.string(), title: z.string().optional(), altText }) }),
      z.strictObject({
        multiImage: z.strictObject({
          images: z
            .array(z.strictObject({ id: z.string().startsWith('urn:li:image:'), altText }))
            .min(2)
            .max(20),
        }),
      }),
      z.strictObject({
        article: z.strictObject({
          source: z.url(),
          title: z.string().min(1).max(400),
          description: z.string().optional(),
          thumbnail: z.string().startsWith('urn:li:image:').optional(),
        }),
      }),
      z.strictObject({
        poll: z.strictObject({
          question: z.string().min(1).max(140),
          options: z
            .array(z.strictObject({ text: z.string().min(1).max(30) }))
            .min(2)
            .max(4),
          settings: z.strictObject({ duration: z.enum(['ONE_DAY', 'THREE_DAYS', 'SEVEN_DAYS', 'FOURTEEN_DAYS']) }),
        }),
      }),
    ])
    .optional(),
  lifecycleState: z.literal('PUBLISHED'),
  isReshareDisabledByAuthor: z.boolean().optional(),
});
type NewPost = z.output<typeof NewPost>;

export const addSandboxPosts = (sandbox: LinkedinSandbox) => {
  const { kit, rules, router, refusals, signedIn, authorOf } = sandbox;
  const media = createSandboxMedia(sandbox);

  // Deleting a post again gets the same answer.
  router.delete(
    '/api/rest/posts/:urn',
    signedIn([rules.writeScope], async (req, res, { person }) => {
      const post = await kit.posts.get(String(req.params.urn));
      if (post && authorOf(person, post.author) === undefined) return refusals['missing-permission'](res);
      if (post) await kit.posts.remove(post.id);
      res.status(204).end();
    }),
  );

  router.post(
    '/api/rest/posts/:urn',
    signedIn([rules.writeScope], async (req, res, { person }) => {
      if (req.get('X-RestLi-Method')?.toUpperCase() !== 'PARTIAL_UPDATE') {
        return failInput(res, 400, 'ILLEGAL_ARGUMENT', 'X-RestLi-Method must be PARTIAL_UPDATE');
      }
      const change = parsed(Patch, req, res);
      if (change === undefined) return;
      const post = await kit.posts.get(String(req.params.urn));
      const original = post && newPostOf(post);
      if (post === undefined || original === undefined)
        return failInput(res, 404, 'NOT_FOUND', 'The post does not exist');
      if (authorOf(person, post.author) === undefined) return refusals['missing-permission'](res);
      const { commentary = original.commentary } = change.patch.$set;
      if (commentary.length > maxCommentary) {
        return failInput(res, 422, 'FIELD_LENGTH_TOO_LONG', `commentary has more than ${maxCommentary} characters`);
      }
      const text = readersText(commentary);
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: () => kit.posts.edit(post, { text, data: dataOf({ ...original, commentary }) }),
        answer: () => res.status(204).end(),
      });
    }),
  );

  router.post(
    '/api/rest/posts',
    signedIn([rules.writeScope], async (req, res, { person }) => {
      const newPost = parsed(NewPost, req, res);
      if (newPost === undefined) return;
      const author = authorOf(person, newPost.author);
      if (author === undefined) return refusals['missing-permission'](res);
      if (!rules.visibilities.includes(newPost.visibility)) {
        return failInput(res, 422, 'INVALID_VALUE_FOR_FIELD', 'The visibility is not allowed');
      }
      if (newPost.commentary.length > maxCommentary) {
        return failInput(res, 422, 'FIELD_LENGTH_TOO_LONG', `commentary has more than ${maxCommentary} characters`);
      }
      if (newPost.commentary === '' && newPost.content === undefined) {
        return failInput(res, 422, 'MISSING_FIELD', 'A post needs a commentary or content');
      }
      if (newPost.content && 'media' in newPost.content) {
        const { id, title } = newPost.content.media;
        if (id.startsWith('urn:li:document:') && !title)
          return failInput(res, 422, 'MISSING_FIELD', 'A document needs a title');
      }
      const urns = mediaOf(newPost);
      if (await media.isRefused(res, author.urn, urns)) return;
      const recent = await kit.posts.of(author.urn, 20);
      const twice = recent.find(
        (post) => newPost.commentary !== '' && newPostOf(post)?.commentary === newPost.commentary,
      );
      if (twice) return failInput(res, 422, 'DUPLICATE_POST', `Content is a duplicate of ${twice.id}`);

      const text = readersText(newPost.commentary);
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => {
          const isShare = urns.length === 0 || urns[0]?.startsWith('urn:li:image:');
          const id = (BigInt(kit.now().getTime()) << 22n) | (BigInt(kit.newId()) % 2n ** 22n);
          const urn = `urn:li:${isShare ? 'share' : 'ugcPost'}:${id}`;
          await kit.posts.add({
            id: urn,
            author: author.urn,
            authorName: author.name,
            text,
            media: urns,
            createdAt: kit.now().toISOString(),
            data: dataOf(newPost),
          });
          return urn;
        },
        answer: (urn) => {
          res.setHeader('x-restli-id', urn);
          res.setHeader('location', `/posts/${encodeURIComponent(urn)}`);
          res.status(201).end();
        },
      });
    }),
  );
};

/** The only field that can be changed later. */
const Patch = z.strictObject({
  patch: z.strictObject({ $set: z.strictObject({ commentary: z.string().optional() }) }),
});

const dataOf = (post: NewPost): Json => JSON.parse(JSON.stringify({ ...post, hashtags: hashtagsOf(post.commentary) }));

/** Undefined for a comment. */
export const newPostOf = ({ data, replyTo }: SandboxPost): NewPost | undefined => {
  if (replyTo !== undefined) return undefined;
  const { hashtags: _, ...newPost } = data as unknown as NewPost & { hashtags: string[] };
  return newPost;
};

/** Only a hashtag in a template becomes a link; `\\#tag` is plain text. */
const hashtagsOf = (commentary: string) =>
  [...commentary.matchAll(/\{hashtag\|\\?#\|([^}]*)\}/g)].map(([, tag = '']) => unescaped(tag));

const unescaped = (text: string) => text.replace(/\\([\\|{}@[\]()<>#*_~])/g, '$1');

const mediaOf = ({ content }: NewPost): string[] => {
  if (content === undefined || 'poll' in content) return [];
  if ('article' in content) return content.article.thumbnail === undefined ? [] : [content.article.thumbnail];
  return 'media' in content ? [content.media.id] : content.multiImage.images.map(({ id }) => id);
};

/** Escaped characters and templates become what readers see; a bracket on its own cuts the rest off. */
const readersText = (commentary: string): string => {
  const token =
    /(https?:\/\/[^\s|{}[\]()<>]+)|\\([\\|{}@[\]()<>#*_~])|\{hashtag\|\\?#\|([^}]*)\}|@\[([^\]]*)\]\(urn:li:(?:organization|person):[\w-]+\)|([|{}[\]()<>])|./gsu;
  let text = '';
  for (const [whole, link, escaped, tag, name, bracket] of commentary.matchAll(token)) {
    if (bracket !== undefined) break;
    const shown = tag === undefined ? name : `#${tag}`;
    text += link ?? escaped ?? (shown === undefined ? whole : unescaped(shown));
  }
  return text;
};
