import type { Router } from 'express';
import type { Json } from '#server/networks/network';
import type { SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { pageAfter } from '#server/networks/shared/page-after';
import { invalid, manage, notFound, photoFetchFailed, refusals, type SignedIn } from './sandbox-access.ts';
import { parentOf } from './sandbox-locations.ts';
import { issueOf, mediaProblem, NewLocalPost, problemOf } from './sandbox-new-post.ts';

const phoneNumber = /\+?\d[\d ()/-]{7,}\d/;

const shown = async (kit: SandboxKit, post: SandboxPost) => {
  const { id: name, data, createdAt, edited } = post;
  const state = await kit.records.get<string>('state', name);
  const searchUrl = kit.link(`/local/place?${new URLSearchParams({ use: 'posts', lpsid: name })}`);
  return {
    name,
    ...(data as object),
    createTime: createdAt,
    updateTime: edited?.at ?? createdAt,
    state: state ?? 'LIVE',
    ...(state !== 'PROCESSING' && state !== 'REJECTED' && { searchUrl }),
  };
};

/** Of a post that Google has accepted. */
const stateOf = ({ data }: SandboxPost) =>
  (data as { event?: { recurrenceInfo?: object } }).event?.recurrenceInfo ? 'RECURRING' : 'LIVE';

export const mountNewPosts = (router: Router, kit: SandboxKit, signedIn: SignedIn) => {
  router.post(
    '/posts/v4/accounts/:account/locations/:location/localPosts',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      if (parent === undefined) return notFound(res);
      const parsed = NewLocalPost.safeParse(req.body);
      if (!parsed.success) return invalid(res, ...issueOf(parsed.error));
      const { summary, media = [] } = parsed.data;
      const problem = problemOf(parsed.data);
      if (problem) return invalid(res, ...problem);
      for (const { sourceUrl } of media) {
        if (await kit.isFaulty('upload', req, res, { person, refusals })) return;
        const wrong = await mediaProblem(kit, sourceUrl);
        if (wrong !== undefined) return invalid(res, 'media', wrong, photoFetchFailed);
      }
      await kit.commit(req, res, {
        text: summary,
        person,
        refusals,
        make: async () => {
          const id = kit.newId();
          const isChecked = media.length > 0 || phoneNumber.test(summary);
          const post: SandboxPost = {
            id: `${parent.name}/localPosts/${id}`,
            author: parent.name,
            authorName: parent.title,
            text: summary,
            media: media.map(({ sourceUrl }) => sourceUrl),
            createdAt: kit.now().toISOString(),
            data: parsed.data as unknown as Json,
          };
          await kit.posts.add(post);
          await kit.records.put('state', post.id, isChecked ? 'PROCESSING' : stateOf(post));
          return shown(kit, post);
        },
        answer: (post) => res.send(post),
      });
    }),
  );
};

export const mountReads = (router: Router, kit: SandboxKit, signedIn: SignedIn) => {
  router.get(
    '/posts/v4/accounts/:account/locations/:location/localPosts',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      if (parent === undefined) return notFound(res);
      const count = Number(req.query.pageSize ?? 20);
      if (!(count >= 1 && count <= 100)) return invalid(res, 'page_size', 'Between 1 and 100.');
      const posts = (await kit.posts.of(parent.name, 1000)).filter(({ id }) => id.includes('/localPosts/'));
      const { entries, next } = pageAfter(posts, req.query.pageToken, count);
      const localPosts = await Promise.all(entries.map((post) => shown(kit, post)));
      res.send({ ...(localPosts.length > 0 && { localPosts }), ...(next && { nextPageToken: next }) });
    }),
  );

  // Only the fields in the mask change. A field that is in the mask but not in the body is removed.
  router.patch(
    '/posts/v4/accounts/:account/locations/:location/localPosts/:id',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      const post = parent && (await kit.posts.get(`${parent.name}/localPosts/${req.params.id}`));
      if (post === undefined) return notFound(res);
      const names = String(req.query.updateMask ?? '').split(',');
      if (names.some((name) => !(name in NewLocalPost.shape) || name === 'topicType'))
        return invalid(res, 'update_mask', 'It is missing or not valid.');
      const body = (req.body ?? {}) as Record<string, Json>;
      const changes = Object.fromEntries(names.map((name) => [name, body[name]]));
      const parsed = NewLocalPost.safeParse({ ...(post.data as object), ...changes });
      const problem = parsed.success ? problemOf(parsed.data) : issueOf(parsed.error);
      if (problem || !parsed.success) return invalid(res, ...(problem ?? ['', 'It is not valid.']));
      const text = parsed.data.summary;
      await kit.commit(req, res, {
        text,
        person,
        refusals,
        make: async () => shown(kit, await kit.posts.edit(post, { text, data: parsed.data as unknown as Json })),
        answer: (view) => res.send(view),
      });
    }),
  );

  router.delete(
    '/posts/v4/accounts/:account/locations/:location/localPosts/:id',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      const post = parent && (await kit.posts.get(`${parent.name}/localPosts/${req.params.id}`));
      if (post === undefined) return notFound(res);
      await kit.posts.remove(post.id);
      res.send({});
    }),
  );

  // Google checks a post after a while: here, once its state has been read twice.
  router.get(
    '/posts/v4/accounts/:account/locations/:location/localPosts/:id',
    signedIn(manage, async (req, res, { person }) => {
      const parent = parentOf(req.params, person);
      const post = parent && (await kit.posts.get(`${parent.name}/localPosts/${req.params.id}`));
      if (post === undefined) return notFound(res);
      res.send(await shown(kit, post));
      if ((await kit.records.get('state', post.id)) === 'PROCESSING') {
        await kit.records.put('state', post.id, phoneNumber.test(post.text) ? 'REJECTED' : stateOf(post));
      }
    }),
  );
};
