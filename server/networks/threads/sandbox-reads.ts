import type { Router } from 'express';
import { graphTime, notThere, refuse, sendInsights, sendNode, sendNodes } from '#server/networks/families/meta/sandbox';
import type { SandboxGrant, SandboxKit, SandboxPost } from '#server/networks/sandbox';
import { isSelf, refusals, type SignedIn, userId } from './sandbox-access.ts';
import type { Containers } from './sandbox-containers.ts';

/** Posts and replies, their statistics, and the state of a container. */
export const mountReads = (api: Router, kit: SandboxKit, signedIn: SignedIn, containers: Containers) => {
  const own = async (id: unknown, { person }: SandboxGrant) => {
    const post = await kit.posts.get(String(id));
    return post?.author === userId(person) ? post : undefined;
  };

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
      const posts = await kit.posts.of(userId(grant.person), 1000);
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

  api.delete(
    '/:id',
    signedIn('threads_delete', async (req, res, grant) => {
      const post = await own(req.params.id, grant);
      if (post === undefined) return refuse(res, notThere);
      await kit.posts.remove(post.id);
      res.send({ success: true, deleted_id: post.id });
    }),
  );

  api.get(
    '/:id',
    signedIn('threads_basic', async (req, res, grant) => {
      const id = String(req.params.id);
      const post = await own(id, grant);
      if (post) return sendNode(req, res, nodeOf(post));
      const container = await containers.get(id, grant.person.id);
      if (container === undefined || grant.person.handle.includes('unreadable')) return refuse(res, notThere);
      const state = containers.stateOf(container);
      const why = state === 'ERROR' ? container.error : undefined;
      sendNode(req, res, { id, status: state, error_message: why ?? undefined });
    }),
  );
};
