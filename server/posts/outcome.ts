import type { Post, Result } from '#contracts/posts';
import type { Caller } from '#server/context';
import { JsonText } from '#server/json/json-text';
import type { Live } from '#server/live/open-tabs';
import type { Happening, Notifications } from '#server/notifications/notifications';
import type { PostKey } from '#server/store/post-key';
import type { Events } from '#server/webhooks/events';
import type { EndedPost, PostStore } from './store.ts';

export type { EndedPost };
export type Outcomes = ReturnType<typeof createOutcomes>;

/** How publishing begins and ends: the post, its event and the news for open tabs are one change. */
export const createOutcomes = ({
  store,
  events,
  notifications,
  live,
}: {
  store: PostStore;
  events: Events;
  notifications: Notifications;
  live: Live;
}) => {
  /** In the transaction that ended them. */
  const tell = async (posts: readonly { workspaceId: string; post: JsonText<Post> }[]) => {
    const ended = posts.map(({ workspaceId, post }) => ({ workspaceId, post: post.value, json: post.text }));
    await events.write(
      ended.map(({ workspaceId, post, json }) => ({
        workspaceId,
        type: post.status === 'Published' ? 'post.published' : 'post.failed',
        // The same bytes as the answer of posts.get.
        data: new JsonText(`{"post":${json}}`),
      })),
    );
    await notifications.tell(ended.filter(({ post }) => post.status === 'Failed').map(happening));
    await live.publish(...ended.map(({ workspaceId, post }) => news(workspaceId, post)));
  };

  return {
    tell,

    tellOf: async ({ workspaceId }: Caller, id: string) => {
      const post = await store.show(workspaceId, id);
      if (post) await tell([{ workspaceId, post }]);
    },

    /** To Publishing. Whoever calls it adds the sends, in the same transaction. `sends` are those that put a post out before. */
    begin: async (keys: readonly PostKey[], sends: readonly (PostKey & { readonly result: Result })[]) => {
      if (sends.length > 0) await store.restoreResults(sends);
      await store.begin(keys);
    },

    /** For the transaction that ends or settles sends of these posts, before it changes anything. */
    lock: (keys: readonly PostKey[]) => store.lockToEnd(keys),

    /**
     * Called in the transaction that ended their last sends, with the posts locked before the sends are read: of two who end
     * the last two accounts of a post at once, the second sees what the first did.
     */
    end: async (posts: readonly EndedPost[]) => {
      if (posts.length > 0) await tell(await store.end(posts));
    },

    /** What became of sends whose posts had ended without knowing it. A post that all accounts have now is Published. */
    settle: async (sends: readonly (PostKey & { readonly result: Result })[]) => {
      if (sends.length === 0) return;
      const posts = await store.settle(sends);
      await tell(posts.filter(({ isPublished }) => isPublished));
      const others = posts.filter(({ isPublished }) => !isPublished);
      const failures = others.filter(({ post }) => post.value.status === 'Failed');
      await notifications.tell(failures.map(({ workspaceId, post }) => happening({ workspaceId, post: post.value })));
      await live.publish(...others.map(({ workspaceId, post }) => news(workspaceId, post.value)));
    },
  };
};

const happening = ({ workspaceId, post }: { workspaceId: string; post: Post }): Happening => {
  const without = post.results.filter(({ ok }) => !ok);
  const unsure = without.filter(({ uncertain }) => uncertain);
  const of = (count: number) => `${count} of ${post.results.length} account${post.results.length === 1 ? '' : 's'}`;
  return {
    workspaceId,
    subjectId: post.id,
    path: `/posts/${post.id}`,
    text: post.versions[0]?.content[0]?.body,
    detail: (unsure[0] ?? without[0])?.error?.message ?? '',
    ...(unsure.length > 0
      ? { kind: 'post.uncertain', title: `A post may or may not be out on ${of(unsure.length)}` }
      : { kind: 'post.failed', title: `A post failed on ${of(without.length)}` }),
  };
};

const news = (workspaceId: string, { id, status }: Post) => ({
  workspaceId,
  kind: 'post' as const,
  id,
  text: status === 'Published' ? 'A post was published' : 'A post could not be published everywhere',
});
