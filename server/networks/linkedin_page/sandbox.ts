import type { Request } from 'express';
import { z } from 'zod';
import { createLinkedinSandbox, fail, failInput } from '#server/networks/families/linkedin/sandbox';
import { parsed } from '#server/networks/families/linkedin/sandbox-media';
import { addSandboxPosts, newPostOf } from '#server/networks/families/linkedin/sandbox-posts';
import type { Sandbox, SandboxPerson, SandboxPost } from '#server/networks/sandbox';

/** LinkedIn for organizations: the pages of a person, their posts and the comments on these. */

const maxComment = 1_250;
/** A new post is not known everywhere at once. */
const unknownMs = 3_000;

/** Three pages that the person may write for, and one whose statistics they may read. */
const rolesOf = ({ id, handle, name }: SandboxPerson) => [
  { role: 'ADMINISTRATOR', urn: `urn:li:organization:${id}1`, name: `${name} Bakery`, vanityName: `${handle}-bakery` },
  {
    role: 'CONTENT_ADMINISTRATOR',
    urn: `urn:li:organization:${id}2`,
    name: `${name} Roastery`,
    vanityName: `${handle}-roastery`,
  },
  {
    role: 'DIRECT_SPONSORED_CONTENT_POSTER',
    urn: `urn:li:organization:${id}4`,
    name: `${name} Mill`,
    vanityName: `${handle}-mill`,
  },
  { role: 'ANALYST', urn: `urn:li:organization:${id}3`, name: `${name} Holding`, vanityName: `${handle}-holding` },
];
const pagesOf = (person: SandboxPerson) => rolesOf(person).filter(({ role }) => role !== 'ANALYST');

const NewComment = z.strictObject({
  actor: z.string(),
  object: z.string(),
  message: z.strictObject({ text: z.string().min(1) }),
});

const sandbox: Sandbox = (kit) => {
  const sandbox = createLinkedinSandbox(kit, {
    scopes: [
      'r_organization_social',
      'w_organization_social',
      'r_organization_social_feed',
      'w_organization_social_feed',
      'rw_organization_admin',
    ],
    scopeSeparator: ' ',
    writeScope: 'w_organization_social',
    tellsImages: true,
    visibilities: ['PUBLIC', 'LOGGED_IN'],
    authorsOf: pagesOf,
  });
  const { router, signedIn, refusals, authorOf } = sandbox;
  addSandboxPosts(sandbox);

  /** The finder of the versioned API and the one before it, which name the page differently. */
  const addRoles = (address: string, target: string, isOpenTo: (person: SandboxPerson) => boolean) =>
    router.get(
      address,
      signedIn(['rw_organization_admin'], async (req, res, { person }) => {
        if (!isOpenTo(person)) return fail(res, 404, 'RESOURCE_NOT_FOUND', 'No virtual resource found');
        const { q, role, state, projection, start = '0', count = '10' } = req.query as Record<string, string>;
        if (q !== 'roleAssignee') return fail(res, 400, 'ILLEGAL_ARGUMENT', 'No finder of this name');
        const matching = (state ?? 'APPROVED') === 'APPROVED' ? rolesOf(person) : [];
        const pages = matching
          .filter((one) => role === undefined || one.role === role)
          .slice(Number(start), Number(start) + Number(count));
        // Only what the projection names is looked up; encoded brackets are not understood.
        const isShown = req.originalUrl.includes(`projection=(elements*(role,${target}~(`) && projection;
        res.send({
          paging: { start: Number(start), count: Number(count), links: [] },
          elements: pages.map(({ role, urn, name, vanityName }) => ({
            role,
            [target]: urn,
            ...(isShown && { [`${target}~`]: { localizedName: name, vanityName } }),
          })),
        });
      }),
    );
  addRoles('/api/rest/organizationAcls', 'organization', ({ handle }) => !handle.includes('oldfinder'));
  addRoles('/api/v2/organizationalEntityAcls', 'organizationalTarget', ({ handle }) => handle.includes('oldfinder'));

  router.get(
    '/api/rest/posts',
    signedIn(['r_organization_social'], async (req, res, { person }) => {
      const { q, author = '', sortBy = 'LAST_MODIFIED' } = req.query as Record<string, string>;
      const { start, count } = pagingOf(req);
      if (q !== 'author' || !['LAST_MODIFIED', 'CREATED'].includes(sortBy) || !(count <= 100)) {
        return fail(res, 400, 'ILLEGAL_ARGUMENT', 'The query is not valid');
      }
      if (!authorOf(person, author)) return refusals['missing-permission'](res);
      const posts = (await kit.posts.of(author, 1000)).filter(({ replyTo }) => replyTo === undefined);
      res.send({
        paging: { start, count, links: [] },
        elements: posts.slice(start, start + count).map(postView),
      });
    }),
  );

  router.get(
    '/api/rest/posts/:urn',
    signedIn(['r_organization_social'], async (req, res, { person }) => {
      const urn = String(req.params.urn);
      const post = await kit.posts.get(urn);
      if (post === undefined || post.replyTo !== undefined)
        return fail(res, 404, 'NOT_FOUND', `Unable to find a post for urn: ${urn}`);
      if (!authorOf(person, post.author)) return refusals['missing-permission'](res);
      res.send(postView(post));
    }),
  );

  const path = '/api/rest/socialActions/:urn/comments';

  const postOf = async (urn: string) => {
    const post = await kit.posts.get(urn);
    const isKnown = post && kit.now().getTime() - Date.parse(post.createdAt) >= unknownMs;
    return isKnown && post.replyTo === undefined ? post : undefined;
  };

  router.post(
    path,
    signedIn(['w_organization_social_feed'], async (req, res, { person }) => {
      const urn = String(req.params.urn);
      const newComment = parsed(NewComment, req, res);
      if (newComment === undefined) return;
      const { actor, object, message } = newComment;
      const author = authorOf(person, actor);
      if (author === undefined) return refusals['missing-permission'](res);
      if (!(await postOf(urn))) return fail(res, 404, 'NOT_FOUND', `Unable to obtain activity for urn: ${urn}`);
      if (object !== urn) return failInput(res, 400, 'INVALID_URN_ID', 'The object is not the one of the path');
      if (message.text.length > maxComment) {
        return failInput(res, 400, 'FIELD_LENGTH_TOO_LONG', `A comment has at most ${maxComment} characters`);
      }
      await kit.commit(req, res, {
        text: message.text,
        person,
        refusals,
        make: async () => {
          const id = kit.newId();
          const createdAt = kit.now().toISOString();
          await kit.posts.add({
            id,
            author: actor,
            authorName: author.name,
            text: message.text,
            media: [],
            replyTo: urn,
            createdAt,
            data: newComment,
          });
          return commentOf({ id, actor, text: message.text, urn, createdAt });
        },
        answer: (comment) => {
          res.setHeader('x-restli-id', comment.id);
          res.status(201).send(comment);
        },
      });
    }),
  );

  router.get(
    path,
    signedIn(['r_organization_social_feed'], async (req, res) => {
      const urn = String(req.params.urn);
      if (!(await postOf(urn))) return fail(res, 404, 'NOT_FOUND', `Unable to obtain activity for urn: ${urn}`);
      const comments = await kit.posts.replies(urn);
      const { start, count } = pagingOf(req);
      res.send({
        paging: { start, count, links: [], total: comments.length },
        elements: comments
          .slice(start, start + count)
          .map(({ id, author, text, createdAt }) => commentOf({ id, actor: author, text, urn, createdAt })),
      });
    }),
  );

  return router;
};

export default sandbox;

const postView = (post: SandboxPost) => {
  const at = Date.parse(post.createdAt);
  return { ...newPostOf(post), id: post.id, createdAt: at, publishedAt: at, lastModifiedAt: at };
};

const pagingOf = ({ query: { start = '0', count = '10' } }: Request) => ({
  start: Number(start),
  count: Number(count),
});

const commentOf = ({
  id,
  actor,
  text,
  urn,
  createdAt,
}: Record<'id' | 'actor' | 'text' | 'urn' | 'createdAt', string>) => ({
  id,
  actor,
  object: urn,
  commentUrn: `urn:li:comment:(${urn},${id})`,
  created: { actor, time: Date.parse(createdAt) },
  message: { attributes: [], text },
});
