import type { Result } from '#contracts/posts';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, sql } from '#server/base/store/database';
import { keyColumns, type PostKey } from '#server/base/store/post-key';

export const reads = ['accounts', 'posts'];

const postKeys = 'unnest($1::text[], $2::text[]) as given (workspace_id, post_id)';
/**
 * One send for each account that does not have the post yet. A send that may be public keeps its key, so that the network
 * is asked about the same request.
 */
const queue = sql(
  'publishing.queue',
  `with queued as (
     insert into sends (post_id, account_id, workspace_id, network, due_at)
     select p.id, a.id, p.workspace_id, a.network, posthorn_now()
       from ${postKeys} join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
      cross join unnest(p.account_ids) as account(id) join accounts a on a.id = account.id
      where not exists (select from jsonb_array_elements(p.results) r where r ->> 'accountId' = a.id)
     on conflict (workspace_id, post_id, account_id) do update
        set due_at = excluded.due_at, claim = null, started_at = posthorn_now(), tries = 0, result = null,
            again = sends.begun_at is not null,
            prepared = case when sends.begun_at is not null then sends.prepared end,
            since = case when sends.begun_at is not null then sends.since end,
            key = case when sends.begun_at is not null then sends.key else gen_random_uuid() end
     returning post_id)
   select array(select unnest($2::text[]) except select post_id from queued) as without_send, ${wakes('sends')}`,
  'joins',
);
/**
 * Accounts that have the post keep their result. A send that was begun ends with $4 instead of $3, because the post may
 * be public.
 */
const endMissed = sql(
  'publishing.endMissed',
  `update sends set due_at = null, claim = null,
          result = case when begun_at is null then $3::jsonb else $4::jsonb end || jsonb_build_object('accountId', account_id)
     from ${postKeys}
    where sends.workspace_id = given.workspace_id and sends.post_id = given.post_id and due_at is not null`,
  'joins',
);
/** Accounts that have the post. */
const publishedResults = sql(
  'publishing.publishedResults',
  `select s.workspace_id, s.post_id, s.result
     from ${postKeys} join sends s on s.workspace_id = given.workspace_id and s.post_id = given.post_id
    where (s.result ->> 'ok')::boolean`,
).holds<{ result: Result }>();
/** Posts with no unfinished send, including posts with no send at all. */
const endedPosts = sql(
  'publishing.endedPosts',
  `select given.workspace_id, given.post_id,
          coalesce(jsonb_object_agg(s.account_id, s.result) filter (where s.result is not null), '{}')::text as results
     from ${postKeys} left join sends s on s.workspace_id = given.workspace_id and s.post_id = given.post_id
    where given.workspace_id is not null and given.post_id is not null
    group by given.workspace_id, given.post_id
   having bool_and(s.due_at is null or s.result is not null)`,
);

export type BeginStore = ReturnType<typeof createBeginStore>;

export const createBeginStore = (db: Database) => ({
  /** Returns the posts that need no send. */
  queue: async (posts: readonly PostKey[]) => {
    const [row] = await db.query(queue, keyColumns(posts));
    return posts.filter(({ postId }) => row?.withoutSend.includes(postId));
  },

  /** Results of accounts that already have the posts. */
  publishedResults: (posts: readonly PostKey[]) => db.query(publishedResults, keyColumns(posts)),

  /** The posts whose sends have all ended. */
  endedPosts: async (posts: readonly PostKey[]) => (posts.length === 0 ? [] : db.query(endedPosts, keyColumns(posts))),

  endMissed: async (posts: readonly PostKey[], missed: Omit<Result, 'accountId'>, uncertain: typeof missed) => {
    await db.run(endMissed, [...keyColumns(posts), JSON.stringify(missed), JSON.stringify(uncertain)]);
  },
});
