import type { Post, Result } from '#contracts/posts';
import type { Receipts } from '#server/access/receipts/receipts';
import type { Caller } from '#server/base/context';
import { JsonText } from '#server/base/json/json-text';
import type { Live } from '#server/base/live/live';
import { quantity } from '#server/base/quantity';
import type { PostKey } from '#server/base/store/post-key';
import type { NewNotification, Notifications } from '#server/messaging/notifications/notifications';
import type { Events } from '#server/messaging/webhooks/events';
import type { EndedPost, OutcomeStore } from './outcome-store.ts';
import type { ReadingStore } from './reading-store.ts';

export type { EndedPost };
export type Outcomes = ReturnType<typeof createOutcomes>;

/** Beginning and end of publishing: the post, its webhook event and its live event change in one transaction. */
export const createOutcomes = ({
  store,
  show,
  events,
  notifications,
  receipts,
  live,
}: {
  store: OutcomeStore;
  show: ReadingStore['show'];
  events: Events;
  notifications: Notifications;
  receipts: Receipts;
  live: Live;
}) => {
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
    await notifications.tell(ended.filter(({ post }) => post.status === 'Failed').map(failureNotification));
    await live.publish(...ended.map(({ workspaceId, post }) => news(workspaceId, post)));
    await receipts.recordOutcomes(ended);
  };

  /** For posts with late results that are still missing on some accounts. */
  const tellUnpublished = async (posts: Awaited<ReturnType<OutcomeStore['settle']>>) => {
    const others = posts.filter(({ isPublished }) => !isPublished);
    const failures = others.filter(({ post }) => post.value.status === 'Failed');
    await notifications.tell(
      failures.map(({ workspaceId, post }) => failureNotification({ workspaceId, post: post.value })),
    );
    await live.publish(...others.map(({ workspaceId, post }) => news(workspaceId, post.value)));
  };

  return {
    tell,

    tellOf: async ({ workspaceId }: Caller, id: string) => {
      const post = await show(workspaceId, id);
      if (post) await tell([{ workspaceId, post }]);
    },

    /**
     * Moves posts to Publishing. The caller adds the new sends; `sends` are earlier ones that succeeded.
     */
    begin: async (keys: readonly PostKey[], sends: readonly (PostKey & { readonly result: Result })[]) => {
      if (sends.length > 0) await store.restoreResults(sends);
      await store.begin(keys);
    },

    /** Called before sends of these posts are ended or settled. */
    lock: (keys: readonly PostKey[]) => store.lockToEnd(keys),

    /**
     * Called after their last sends were ended. The posts are locked before the sends are read: when two
     * transactions end the last two accounts of a post concurrently, the second sees the result of the first.
     * `late`: results of sends whose posts had already ended. When all accounts have the post now, it is Published.
     */
    end: async (posts: readonly EndedPost[], late: readonly (PostKey & { readonly result: Result })[] = []) => {
      const ended = posts.length > 0 ? await store.end(posts) : [];
      const settled = late.length > 0 ? await store.settle(late) : [];
      // In one call, because receipts lock their workspaces in order and only once.
      const outcomes = [...ended, ...settled.filter(({ isPublished }) => isPublished)];
      if (outcomes.length > 0) await tell(outcomes);
      if (settled.length > 0) await tellUnpublished(settled);
    },
  };
};

const failureNotification = ({ workspaceId, post }: { workspaceId: string; post: Post }): NewNotification => {
  const failed = post.results.filter(({ ok }) => !ok);
  const uncertain = failed.filter((result) => result.uncertain);
  const of = (count: number) => `${count} of ${quantity(post.results.length, 'account')}`;
  return {
    workspaceId,
    subjectId: post.id,
    path: `/posts/${post.id}`,
    text: post.versions[0]?.content[0]?.body,
    detail: (uncertain[0] ?? failed[0])?.error?.message ?? '',
    ...(uncertain.length > 0
      ? { kind: 'post.uncertain', title: `A post may or may not be out on ${of(uncertain.length)}` }
      : { kind: 'post.failed', title: `A post failed on ${of(failed.length)}` }),
  };
};

const news = (workspaceId: string, { id, status }: Post) => ({
  workspaceId,
  kind: 'post' as const,
  id,
  text: status === 'Published' ? 'A post was published' : 'A post could not be published everywhere',
});
