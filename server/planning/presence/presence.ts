import type { Caller } from '#server/base/context';
import type { Live } from '#server/base/live/live';
import type { Reading } from '#server/writing/posts/reading';
import type { OpenPost, PresenceStore } from './store.ts';

export type Presence = ReturnType<typeof createPresence>;

/** Who has a post open now, on whatever instance. Tabs that stop reporting are forgotten after a minute. */
export const createPresence = ({ store, reading, live }: { store: PresenceStore; reading: Reading; live: Live }) => {
  const tell = (posts: readonly OpenPost[]) =>
    live.publish(...posts.map(({ workspaceId, postId }) => ({ workspaceId, kind: 'presence' as const, id: postId })));

  return {
    report: async (caller: Caller, postId: string, { tab, isOpen }: { tab: string; isOpen: boolean }) => {
      const { workspaceId, userId } = caller;
      const post = { workspaceId, postId };
      const changed = await store.forgetStale();
      if (isOpen) {
        await reading.get(caller, postId);
        if (await store.see(post, userId, tab)) changed.push(post);
      } else if (await store.forget(post, userId, tab)) changed.push(post);
      await tell(changed);
      return { people: await store.people(post) };
    },
  };
};
