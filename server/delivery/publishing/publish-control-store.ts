import type { Result } from '#contracts/posts';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, sql } from '#server/base/store/database';
import type { PostKey } from '#server/base/store/post-key';
import type { SendRow } from './sending-store.ts';

const forgetBegun = sql(
  'publishing.forgetBegun',
  `update sends set begun_at = null, prepared = null
    where workspace_id = $1 and post_id = $2 and account_id = any($3) and begun_at is not null
   returning account_id as "accountId", network,
             (extract(epoch from posthorn_now() - heard_at) * 1000)::float8 as "lostForMs"`,
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
);

const states = sql(
  'publishing.states',
  `select account_id as "accountId", started_at as "startedAt", due_at as "dueAt", result, begun_at is not null as "isBegun",
          tries > 0 as "isRetry", prepared is not null as "isPrepared",
          claim is null and due_at > posthorn_now() as "isPaused"
     from sends where workspace_id = $1 and post_id = $2`,
);

const waiting = sql(
  'publishing.waiting',
  `select account_id as "accountId", network, (extract(epoch from posthorn_now() - heard_at) * 1000)::float8 as "lostForMs"
     from sends where workspace_id = $1 and post_id = $2 and again and result is null and begun_at is not null
      and heard_at is not null`,
);

const longWaits = sql(
  'publishing.longWaits',
  `select account_id as "accountId", network, due_at as until, prepared ->> 'waitsFor' as message
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
   select array(select account_id from given_up) as "accountIds", ${wakes('sends')}`,
);

/** The state of a send, as recorded in its row. */
export interface SendState extends Pick<SendRow, 'accountId' | 'startedAt' | 'result'> {
  readonly dueAt: string | null;
  readonly isBegun: boolean;
  readonly isRetry: boolean;
  readonly isPrepared: boolean;
  /** No process works on it before `dueAt`. */
  readonly isPaused: boolean;
}

/** A send that waits because its network asked to retry at a later time. */
export interface LongSend {
  readonly accountId: string;
  readonly network: string;
  readonly until: string;
  readonly message: string;
}

/** A send whose answer was lost, and for how long. */
export interface LostSend {
  readonly accountId: string;
  readonly network: string;
  readonly lostForMs: number | null;
}

export type PublishControlStore = ReturnType<typeof createPublishControlStore>;

export const createPublishControlStore = (db: Database) => ({
  transaction: db.transaction,

  /** A person checked the account: the post is not there. */
  forgetBegun: ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) =>
    db.query<LostSend>(forgetBegun, [workspaceId, postId, accountIds]),

  states: ({ workspaceId, postId }: PostKey) => db.query<SendState>(states, [workspaceId, postId]),

  /** Published again while the network may still act on the first request. */
  waiting: ({ workspaceId, postId }: PostKey) => db.query<LostSend>(waiting, [workspaceId, postId]),

  longWaits: ({ workspaceId, postId }: PostKey) => db.query<LongSend>(longWaits, [workspaceId, postId]),

  /** The accounts whose send was still waiting. */
  giveUp: async ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) =>
    (await db.query<{ accountIds: string[] }>(giveUp, [workspaceId, postId, accountIds]))[0]?.accountIds ?? [],

  /** Excludes accounts of a post that just began, which keep these results. */
  holdBack: async ({ workspaceId, postId }: PostKey, results: readonly Result[]) => {
    await db.run(holdBack, [workspaceId, postId, JSON.stringify(results)]);
  },

  /** Results of accounts that are done while others are still in progress. */
  results: async ({ workspaceId, postId }: PostKey) =>
    (await db.query<{ result: Result }>(results, [workspaceId, postId])).map(({ result }) => result),

  /** A person checked the account: the post is there. */
  settleFound: async ({ workspaceId, postId }: PostKey, confirmed: readonly Result[]) => {
    await db.run(settleFound, [workspaceId, postId, JSON.stringify(confirmed)]);
  },
});
