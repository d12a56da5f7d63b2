import type { HeldPost } from '#contracts/backups';
import type { Outcomes } from '#server/writing/posts/outcome';
import type { BeginPublishing } from './begin.ts';
import type { BeginStore } from './begin-store.ts';
import type { HeldPostStore } from './held-post-store.ts';
import { dueSinceBackup } from './result.ts';

const maxListed = 100;

/** Posts that were due between a backup and the release after its restore. The old service may have published them. */
export const createHeldPosts = ({
  store,
  beginStore,
  outcomes,
  begin,
}: {
  store: HeldPostStore;
  beginStore: BeginStore;
  outcomes: Outcomes;
  begin: BeginPublishing;
}) => ({
  listHeld: async (ids: readonly string[]) => {
    const rows = await store.heldPosts(ids, maxListed);
    const posts = rows.map(
      ({ count: _, scheduledAt, ...post }): HeldPost => ({ ...post, ...(scheduledAt !== null && { scheduledAt }) }),
    );
    return { count: rows[0]?.count ?? 0, posts };
  },

  /** The posts end as uncertain, so that a person checks the accounts before anything is sent. */
  endHeld: async (ids: readonly string[]) => {
    const posts = await store.lockHeld(ids);
    if (posts.length === 0) return 0;
    const scheduled = posts.filter(({ status }) => status === 'Scheduled');
    if (scheduled.length > 0) await begin(scheduled);
    await beginStore.endMissed(posts, dueSinceBackup, dueSinceBackup);
    await outcomes.end(await beginStore.endedPosts(posts));
    return posts.length;
  },
});
