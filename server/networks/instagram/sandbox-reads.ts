import type { Router } from 'express';
import { z } from 'zod';
import {
  graphTime,
  invalid,
  notThere,
  parametersOf,
  refuse,
  sendInsights,
  sendNode,
  sendNodes,
} from '#server/networks/families/meta/sandbox';
import type { SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { isSelf, refusals, type SignedIn, userId } from './sandbox-access.ts';
import type { Containers } from './sandbox-containers.ts';
import { isStory, type Posts } from './sandbox-posts.ts';

export const mountLists = (api: Router, kit: SandboxKit, signedIn: SignedIn, posts: Posts) => {
  const list = (isListed: (post: SandboxPost) => boolean) =>
    signedIn('instagram_business_basic', async (req, res, grant) => {
      if (!isSelf(req, res, grant)) return;
      const all = await kit.posts.of(userId(grant.person), 1000);
      const matches = all.filter((post) => post.replyTo === undefined && !posts.isOver(post) && isListed(post));
      sendNodes(req, res, matches.map(posts.nodeOf));
    });
  api.get(
    '/:id/media',
    list((post) => !isStory(post)),
  );
  api.get('/:id/stories', list(isStory));
};

export const mountComments = (api: Router, kit: SandboxKit, signedIn: SignedIn, posts: Posts) => {
  api.post(
    '/:id/comments',
    signedIn('instagram_business_manage_comments', async (req, res, grant) => {
      const { person } = grant;
      const post = await posts.own(req.params.id, grant);
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
          await posts.add(person, { id, text, media: [], data: null, replyTo: post.id });
          return id;
        },
        answer: (id) => res.send({ id }),
      });
    }),
  );

  api.get(
    '/:id/comments',
    signedIn('instagram_business_manage_comments', async (req, res, grant) => {
      const post = await posts.own(req.params.id, grant);
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
};

export const mountInsights = (api: Router, kit: SandboxKit, signedIn: SignedIn, posts: Posts) => {
  api.get(
    '/:id/insights',
    signedIn('instagram_business_manage_insights', async (req, res, grant) => {
      if (await kit.isFaulty('read', req, res, { person: grant.person, refusals })) return;
      const post = await posts.own(req.params.id, grant);
      if (post === undefined || posts.isOver(post)) return refuse(res, notThere);
      const { views, reach, likes, comments, shares, saves: saved } = kit.numbers(post);
      if (!isStory(post)) return sendInsights(req, res, { views, reach, likes, comments, shares, saved });
      if (views < 5) {
        return refuse(res, { code: 10, message: '(#10) Not enough viewers for the media to show insights' });
      }
      sendInsights(req, res, { views, reach, shares });
    }),
  );
};

/** A post, or the state of a container. */
export const mountNodes = (
  api: Router,
  signedIn: SignedIn,
  { containers, posts }: { containers: Containers; posts: Posts },
) => {
  api.get(
    '/:id',
    signedIn('instagram_business_basic', async (req, res, grant) => {
      const id = String(req.params.id);
      const post = await posts.own(id, grant);
      if (post) return sendNode(req, res, posts.nodeOf(post));
      const container = await containers.get(id, grant.person.id);
      if (container === undefined || grant.person.handle.includes('unreadable')) return refuse(res, notThere);
      const state = containers.stateOf(container);
      sendNode(req, res, { id, status_code: state, status: (state === 'ERROR' && container.error) || `${state}: ok` });
    }),
  );
};
