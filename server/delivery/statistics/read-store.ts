import { wakes } from '#server/base/jobs/due-work';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { type AccountRow, accountColumns } from '#server/connecting/accounts/account-row';
import type { PublishedPost } from '#server/networks/network';
import { type ClaimedReads, claimValues, held } from './claimed-reads.ts';

export const reads = ['accounts'];

export interface DuePost extends PublishedPost {
  readonly postId: string;
}

/** Reads of one account, claimed until their lease ends. */
export interface DueReads extends RowOf<typeof claim> {
  readonly claim: string;
}

/**
 * For each network the accounts whose reads have been due longest, with their due reads. Updates by row position (ctid),
 * because by key PostgreSQL may scan the whole table.
 */
const claim = sql(
  'statistics.claim',
  `with account as (
     select network.at_once, longest.account_id
       from unnest(:keys::text[], :rooms::int[], :atOnce::int[]) as network(key, room, at_once)
      cross join lateral (
        select account_id from (
          select p.account_id, p.due_at from publications p
           where p.network = network.key and p.due_at <= (select posthorn_now()) and p.account_id <> all(:busyAccountIds)
           order by p.due_at limit network.room * network.at_once) first
         group by account_id order by min(due_at) limit network.room) longest),
   due as (
     select read.row from account
      cross join lateral (
        select p.ctid as row from publications p
         where p.account_id = account.account_id and p.due_at <= (select posthorn_now())
         order by p.due_at limit account.at_once for update skip locked) read),
   claimed as (
     update publications p set due_at = posthorn_now() + :leaseMs * interval '1 ms', claim = :claim
      where p.ctid = any(array(select row from due))
     returning p.post_id, p.account_id, p.external_id, p.published_at, p.ref)
   select ${accountColumns('a')} as account,
          jsonb_agg(jsonb_build_object('postId', c.post_id, 'externalId', c.external_id, 'publishedAt', c.published_at,
                                       'ref', c.ref)) as posts
     from claimed c join accounts a on a.id = c.account_id group by a.id`,
).holds<{ account: AccountRow; posts: readonly DuePost[] }>();
const msToNext = sql(
  'statistics.msToNext',
  `select ceil(extract(epoch from min(next.due_at) - posthorn_now()) * 1000)::float8 as ms
     from unnest($1::text[]) as network(key)
    cross join lateral (
      select due_at from publications p
       where p.network = network.key and p.due_at is not null and p.account_id <> all($2)
       order by due_at limit 1) next`,
);
/** Includes disconnected accounts. */
const networks = sql('statistics.networks', 'select distinct network from accounts');
/** Skips rows that are being stored right now: waiting for them could deadlock. */
const extend = sql(
  'statistics.extend',
  `update publications p set due_at = posthorn_now() + $4 * interval '1 ms'
     from (select p.workspace_id, p.post_id, p.account_id
             from unnest($1::text[], $2::text[], $3::uuid[]) as held (workspace_id, account_id, claim)
             join publications p on p.workspace_id = held.workspace_id and p.account_id = held.account_id and p.claim = held.claim
              for update of p skip locked) held
    where (p.workspace_id, p.post_id, p.account_id) = (held.workspace_id, held.post_id, held.account_id)`,
);
const end = sql(
  'statistics.end',
  `update publications p set due_at = null, next_fetch_at = null, claim = null, fetch_error = over.why,
          failed_at = case when over.why is not null then posthorn_now() end
     from unnest(:postIds::text[], :whys::text[]) as over(post_id, why)
    where ${held} and p.post_id = over.post_id`,
);
/** While consecutive reads give the same reason, failed_at stays at the first of them. */
const postponeAbsent = sql(
  'statistics.postponeAbsent',
  `update publications p set claim = null, fetch_error = absent.why,
          failed_at = case when p.fetch_error = absent.why then p.failed_at else clock.now end,
          (due_at, next_fetch_at) = (
            select at, at from (
              select case when p.fetch_error is distinct from absent.why or p.failed_at > clock.now - :overAfterMs * interval '1 ms'
                          then clock.now + :retryMs * interval '1 ms' end as at) next)
     from (select posthorn_now() as now) clock, unnest(:postIds::text[], :whys::text[]) as absent(post_id, why)
    where ${held} and p.post_id = absent.post_id`,
);
const move = sql(
  'statistics.move',
  `update publications p set claim = null, moves = p.moves + 1, due_at = moved.at, next_fetch_at = moved.at,
          fetch_error = case when :isFailure or moved.at is null then :why else p.fetch_error end,
          failed_at = case when :isFailure or moved.at is null then moved.now else p.failed_at end
     from (select q.post_id, clock.now,
                  case when q.published_at + :lastMs * interval '1 ms' > clock.now or q.moves < :lastMoves
                       then clock.now + :byMs * interval '1 ms' end as at
             from publications q, (select posthorn_now() as now) clock
            where q.workspace_id = :workspaceId and q.account_id = :accountId and q.post_id = any(:postIds)) moved
    where ${held} and p.post_id = moved.post_id`,
);
const giveBack = sql(
  'statistics.giveBack',
  `update publications p set claim = null, due_at = posthorn_now() + :forMs * interval '1 ms'
    where ${held} and p.post_id = any(:postIds)`,
);

const stop = sql(
  'statistics.stop',
  `update publications p set reads_stopped = true, due_at = null, next_fetch_at = null, claim = null, fetch_error = :why,
          failed_at = posthorn_now()
    where p.workspace_id = :workspaceId and p.account_id = :accountId and p.due_at is not null
      and (p.claim is null or p.claim = :claim or p.due_at <= (select posthorn_now()))`,
);
/** Leaves reads in progress to the process that claimed them. */
const resume = sql(
  'statistics.resume',
  `with resumed as (update publications p set due_at = clock.now, next_fetch_at = clock.now, claim = null, moves = 0, reads_stopped = false,
          fetch_error = case when not p.reads_stopped then p.fetch_error end,
          failed_at = case when not p.reads_stopped then p.failed_at end
     from (select posthorn_now() as now) clock
    where p.workspace_id = $1 and p.account_id = $2 and (p.due_at is not null or p.reads_stopped) and (p.claim is null or p.due_at <= clock.now))
   select ${wakes('reads')}`,
);

export type ReadStore = ReturnType<typeof createReadStore>;

export const createReadStore = (db: Database) => ({
  transaction: db.transaction,

  /** Up to `room` accounts of each network, except the busy ones. */
  claim: async (
    networks: readonly { key: string; room: number; atOnce: number }[],
    busyAccountIds: readonly string[],
    claimId: string,
    leaseMs: number,
  ) => {
    const rows = await db.query(claim, {
      keys: networks.map(({ key }) => key),
      rooms: networks.map(({ room }) => room),
      atOnce: networks.map(({ atOnce }) => atOnce),
      busyAccountIds,
      claim: claimId,
      leaseMs,
    });
    return rows.map((row): DueReads => ({ ...row, claim: claimId }));
  },

  networks: async () => (await db.query(networks)).map(({ network }) => network),

  msToNext: async (networks: readonly string[], busyAccountIds: readonly string[]) =>
    (await db.query(msToNext, [networks, busyAccountIds]))[0]?.ms ?? undefined,

  extend: async (reads: readonly ClaimedReads[], leaseMs: number) => {
    await db.run(extend, [
      reads.map(({ account }) => account.workspaceId),
      reads.map(({ account }) => account.id),
      reads.map((one) => one.claim),
      leaseMs,
    ]);
  },

  /** Ends the reads of the posts. Without a reason it is not a failure. */
  end: async (
    reads: ClaimedReads,
    posts: readonly { readonly postId: string; readonly why?: string | undefined }[],
  ) => {
    await db.run(end, {
      ...claimValues(reads),
      postIds: posts.map(({ postId }) => postId),
      whys: posts.map(({ why }) => why ?? null),
    });
  },

  /** The network did not find the post: retries, or ends the reads when it was absent for `overAfterMs`. */
  postponeAbsent: async (
    reads: ClaimedReads,
    posts: readonly { readonly postId: string; readonly why: string }[],
    absence: { retryMs: number; overAfterMs: number },
  ) => {
    const [postIds, whys] = [posts.map(({ postId }) => postId), posts.map(({ why }) => why)];
    await db.run(postponeAbsent, { ...claimValues(reads), postIds, whys, ...absence });
  },

  /** Postpones by `byMs`. After the last step (`lastMs` after publication) at most `lastMoves` times. */
  move: async (
    reads: ClaimedReads,
    posts: readonly DuePost[],
    how: { why: string; isFailure: boolean; byMs: number; lastMs: number; lastMoves: number },
  ) => {
    await db.run(move, { ...claimValues(reads), postIds: posts.map(({ postId }) => postId), ...how });
  },

  giveBack: async (reads: ClaimedReads, posts: readonly DuePost[], forMs: number) => {
    await db.run(giveBack, { ...claimValues(reads), postIds: posts.map(({ postId }) => postId), forMs });
  },

  /** All posts of the account, until it is reconnected. */
  stop: async (reads: ClaimedReads, why: string) => {
    await db.run(stop, { ...claimValues(reads), why });
  },

  /** SPEC, Statistics rules 10: all posts whose schedule is not over, including those that were stopped. */
  readSoon: async ({ workspaceId, id }: Pick<AccountRow, 'workspaceId' | 'id'>) => {
    await db.query(resume, [workspaceId, id]);
  },
});
