import type { Result } from '#contracts/posts';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import type { PostKey } from '#server/base/store/post-key';

const forgetBegun = sql(
  'publishing.forgetBegun',
  `update sends set begun_at = null, prepared = null
    where workspace_id = $1 and post_id = $2 and account_id = any($3) and begun_at is not null
   returning account_id, network, (extract(epoch from posthorn_now() - heard_at) * 1000)::float8 as lost_for_ms`,
);
const settleFound = sql(
  'publishing.settleFound',
  `update sends set begun_at = null, prepared = null, heard_at = null, due_at = null, claim = null, result = found.result
     from jsonb_array_elements($3::jsonb) as found (result)
    where workspace_id = $1 and post_id = $2 and account_id = found.result ->> 'accountId' and sends.result is not null`,
);
/**
 * Right after begin: these accounts are not sent to and keep their results. If one is uncertain, the network is asked about
 * it again.
 */
const holdBack = sql(
  'publishing.holdBack',
  `update sends set due_at = case when begun_at is not null and (previous.result ->> 'uncertain')::boolean then posthorn_now() end,
          result = previous.result
     from jsonb_array_elements($3::jsonb) as previous (result)
    where workspace_id = $1 and post_id = $2 and account_id = previous.result ->> 'accountId'`,
  'joins',
);
const results = sql(
  'publishing.results',
  'select result from sends where workspace_id = $1 and post_id = $2 and result is not null',
).holds<{ result: Result }>();

const states = sql(
  'publishing.states',
  `select account_id, started_at, due_at, result, begun_at is not null as is_begun, tries > 0 as is_retry,
          prepared is not null as is_prepared, claim is null and due_at > posthorn_now() as is_paused
     from sends where workspace_id = $1 and post_id = $2`,
).holds<{ result: Result }>();

const waiting = sql(
  'publishing.waiting',
  `select account_id, network, (extract(epoch from posthorn_now() - heard_at) * 1000)::float8 as lost_for_ms
     from sends where workspace_id = $1 and post_id = $2 and again and result is null and begun_at is not null
      and heard_at is not null`,
);

const longWaits = sql(
  'publishing.longWaits',
  `select account_id, network, due_at as until, coalesce(prepared ->> 'waitsFor', '') as message
     from sends where workspace_id = $1 and post_id = $2 and result is null and begun_at is null and due_at is not null
      and claim is null and prepared ? 'waitsFor' and not prepared ? 'isGivenUp'`,
);
/** The process that claims it next ends it. */
const giveUp = sql(
  'publishing.giveUp',
  `with given_up as (
     update sends set due_at = posthorn_now(), prepared = prepared || '{"isGivenUp":true}'
      where workspace_id = $1 and post_id = $2 and account_id = any($3) and result is null and begun_at is null
        and due_at is not null and claim is null and prepared ? 'waitsFor'
     returning account_id)
   select array(select account_id from given_up) as account_ids, ${wakes('sends')}`,
);

/** The state of a send, as recorded in its row. While it is paused, no process works on it before `dueAt`. */
export type SendState = RowOf<typeof states>;

/** A send whose answer was lost, and for how long. */
export type LostSend = RowOf<typeof forgetBegun>;

export type PublishControlStore = ReturnType<typeof createPublishControlStore>;

export const createPublishControlStore = (db: Database) => ({
  transaction: db.transaction,

  /** A person checked the account: the post is not there. */
  forgetBegun: ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) =>
    db.query(forgetBegun, [workspaceId, postId, accountIds]),

  states: ({ workspaceId, postId }: PostKey) => db.query(states, [workspaceId, postId]),

  /** Published again while the network may still act on the first request. */
  waiting: ({ workspaceId, postId }: PostKey) => db.query(waiting, [workspaceId, postId]),

  longWaits: ({ workspaceId, postId }: PostKey) => db.query(longWaits, [workspaceId, postId]),

  /** The accounts whose send was still waiting. */
  giveUp: async ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) =>
    (await db.query(giveUp, [workspaceId, postId, accountIds]))[0]?.accountIds ?? [],

  /** Excludes accounts of a post that just began, which keep these results. */
  holdBack: async ({ workspaceId, postId }: PostKey, results: readonly Result[]) => {
    await db.run(holdBack, [workspaceId, postId, JSON.stringify(results)]);
  },

  /** Results of accounts that are done while others are still in progress. */
  results: async ({ workspaceId, postId }: PostKey) =>
    (await db.query(results, [workspaceId, postId])).map(({ result }) => result),

  /** A person checked the account: the post is there. */
  settleFound: async ({ workspaceId, postId }: PostKey, confirmed: readonly Result[]) => {
    await db.run(settleFound, [workspaceId, postId, JSON.stringify(confirmed)]);
  },
});
