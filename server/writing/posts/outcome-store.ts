import type { Post, Result } from '#contracts/posts';
import { JsonText } from '#server/base/json/json-text';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';
import { keyColumns, type PostKey } from '#server/base/store/post-key';
import { postJsonOf, touch } from './post-row.ts';

const postKeys = 'unnest($1::text[], $2::text[]) as given (workspace_id, post_id)';
/**
 * If an account that already has the post was removed and added again, restores its result, so that nothing is sent
 * twice.
 */
const restoreResults = sql(
  'posts.restoreResults',
  `update posts set results = posts.results || back.results, ${touch}
     from (select p.workspace_id, p.id, jsonb_agg(send.result) as results
             from unnest($1::text[], $2::text[], $3::jsonb[]) as send (workspace_id, post_id, result)
             join posts p on p.workspace_id = send.workspace_id and p.id = send.post_id
              and send.result ->> 'accountId' = any(p.account_ids)
            where not exists (select from jsonb_array_elements(p.results) r where r ->> 'accountId' = send.result ->> 'accountId')
            group by p.workspace_id, p.id) back
    where posts.workspace_id = back.workspace_id and posts.id = back.id`,
  'joins',
);
/** From Draft, Scheduled or Failed. Only successful results are kept. */
const begin = sql(
  'posts.begin',
  `update posts set status = 'Publishing', ${touch},
          results = coalesce((select jsonb_agg(r) from jsonb_array_elements(results) r where (r ->> 'ok')::boolean), '[]')
     from ${postKeys} where posts.workspace_id = given.workspace_id and posts.id = given.post_id
   returning ${notifyTabs('post', { id: 'posts.id', workspaceId: 'posts.workspace_id' })}`,
  'joins',
);
/** `no key update`, because transactions that add a publication hold a key lock, which must not block this one. */
const lockToEnd = sql(
  'posts.lockToEnd',
  `select from ${postKeys} join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
    order by p.id for no key update of p`,
  'locks',
);
/**
 * Published when all accounts have it, else Failed. `offset 0` makes the planner find posts by key, even when it expects
 * few posts to be Publishing.
 */
const end = sql(
  'posts.end',
  `with ended as (
     select p.workspace_id, p.id, jsonb_agg(coalesce(given.results -> account.id, kept.result) order by account.place) as results,
            bool_and((coalesce(given.results -> account.id, kept.result) ->> 'ok')::boolean) as ok
       from unnest($1::text[], $2::text[], $3::jsonb[]) as given (workspace_id, post_id, results) cross join lateral (
         select * from posts p where p.workspace_id = given.workspace_id and p.id = given.post_id offset 0) p
       cross join unnest(p.account_ids) with ordinality as account(id, place)
       left join lateral (select r as result from jsonb_array_elements(p.results) r where r ->> 'accountId' = account.id) kept on true
      where p.status = 'Publishing'
      group by p.workspace_id, p.id)
   update posts set status = case when ended.ok then 'Published' else 'Failed' end, results = ended.results, ${touch}
     from ended where posts.workspace_id = ended.workspace_id and posts.id = ended.id
   returning posts.workspace_id, ${postJsonOf('posts')} as post`,
  'joins',
);
/** Skips posts that are Publishing, which get their results when they end. */
const settle = sql(
  'posts.settle',
  `with given as (
     select workspace_id, post_id, jsonb_object_agg(result ->> 'accountId', result) as results
       from unnest($1::text[], $2::text[], $3::jsonb[]) as given (workspace_id, post_id, result) group by workspace_id, post_id),
   settled as (
     select p.workspace_id, p.id, p.status as before, results.of_all,
            results.ok_ids @> p.account_ids and cardinality(p.account_ids) > 0 as is_out
       from given join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
      cross join lateral (
        select jsonb_agg(r order by place) as of_all,
               coalesce(array_agg(r ->> 'accountId') filter (where (r ->> 'ok')::boolean), '{}') as ok_ids
          from (select coalesce(given.results -> (before ->> 'accountId'), before) as r, place
                  from jsonb_array_elements(p.results) with ordinality as one (before, place)) result) results
      where p.status <> 'Publishing' and results.of_all is not null)
   update posts set results = settled.of_all, ${touch},
          status = case when settled.is_out and posts.status = 'Failed' then 'Published' else posts.status end
     from settled where posts.workspace_id = settled.workspace_id and posts.id = settled.id
   returning posts.workspace_id, ${postJsonOf('posts')} as post,
             posts.status <> settled.before as is_published`,
  'joins',
);

/** A post whose last send has ended. */
export interface EndedPost extends PostKey {
  /** JSON: the results of its sends by account id. */
  readonly results: string;
}

export type OutcomeStore = ReturnType<typeof createOutcomeStore>;

export const createOutcomeStore = (db: Database) => ({
  restoreResults: async (sends: readonly (PostKey & { readonly result: Result })[]) => {
    await db.run(restoreResults, resultColumns(sends));
  },

  begin: async (keys: readonly PostKey[]) => {
    await db.query(begin, keyColumns(keys));
  },

  lockToEnd: async (keys: readonly PostKey[]) => {
    await db.run(lockToEnd, keyColumns(keys));
  },

  /** Posts in Publishing become Published or Failed. */
  end: async (posts: readonly EndedPost[]) => {
    const rows = await db.query(end, [...keyColumns(posts), posts.map(({ results }) => results)]);
    return rows.map(({ workspaceId, post }) => ({ workspaceId, post: new JsonText<Post>(post) }));
  },

  settle: async (sends: readonly (PostKey & { readonly result: Result })[]) => {
    const rows = await db.query(settle, resultColumns(sends));
    return rows.map(({ post, ...row }) => ({ ...row, post: new JsonText<Post>(post) }));
  },
});

/** One entry per send, not per post as in `keyColumns`: a post has a result for each account. */
const resultColumns = (sends: readonly (PostKey & { readonly result: Result })[]) =>
  [
    sends.map(({ workspaceId }) => workspaceId),
    sends.map(({ postId }) => postId),
    sends.map(({ result }) => JSON.stringify(result)),
  ] as const;
