import { type Database, sql } from '#server/base/store/database';
import { keyColumns, type PostKey } from '#server/base/store/post-key';

const postKeys = 'unnest($1::text[], $2::text[]) as given (workspace_id, post_id)';
/** A post over all its publications. */
const wholePosts = `select post_id, workspace_id, min(published_at) as published_at, max(published_at) as last_published_at,
    sum(engagement)::bigint as engagement, array_agg(network order by network) filter (where nth > 1) as repeats
  from (select p.*, row_number() over (partition by p.post_id, p.network) as nth
          from ${postKeys} join publications p on p.workspace_id = given.workspace_id and p.post_id = given.post_id) as target
 group by post_id, workspace_id`;
const addPosts = sql(
  'statistics.addPosts',
  `insert into published_posts (post_id, workspace_id, published_at, last_published_at, engagement, repeats)
   select * from (${wholePosts}) as fresh order by post_id
   on conflict do nothing returning post_id`,
);
/** Serializes changes of a post: statements after this lock see what earlier transactions committed. */
const lockPosts = sql(
  'statistics.lockPosts',
  `select from ${postKeys} join published_posts p on p.workspace_id = given.workspace_id and p.post_id = given.post_id
    order by p.post_id for update of p`,
  'locks',
);
const refreshPosts = sql(
  'statistics.refreshPosts',
  `update published_posts p set published_at = fresh.published_at, last_published_at = fresh.last_published_at,
          engagement = fresh.engagement, repeats = fresh.repeats
     from (${wholePosts}) as fresh
    where p.workspace_id = fresh.workspace_id and p.post_id = fresh.post_id
      and (p.published_at, p.last_published_at, p.engagement, p.repeats)
          is distinct from (fresh.published_at, fresh.last_published_at, fresh.engagement, fresh.repeats)`,
);

export type PublishedPostStore = ReturnType<typeof createPublishedPostStore>;

export const createPublishedPostStore = (db: Database) => ({
  /** Returns the new ones. */
  add: async (posts: readonly PostKey[]) => (await db.query(addPosts, keyColumns(posts))).map(({ postId }) => postId),
  /** Until the transaction ends. */
  lock: (posts: readonly PostKey[]) => db.run(lockPosts, keyColumns(posts)),
  refresh: (posts: readonly PostKey[]) => db.run(refreshPosts, keyColumns(posts)),
});
