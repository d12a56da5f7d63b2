import type { Metrics } from '#contracts/analytics';
import { metricNames } from '#contracts/metrics';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';
import type { PostKey } from '#server/base/store/post-key';
import type { Json } from '#server/networks/network';
import { type ClaimedReads, claimValues, held } from './claimed-reads.ts';
import { type Counts, countsOf, type Numbers } from './numbers.ts';

export const reads = ['accounts'];

export interface NewPublication {
  readonly postId: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly network: string;
  readonly externalId: string;
  readonly publishedAt: string;
  /** What the network needs besides the id to report metrics. */
  readonly ref: Json;
  /** Whether the network reports metrics for it. */
  readonly isRead: boolean;
}

const ofPost = sql(
  'statistics.ofPost',
  `select p.account_id, p.network, p.external_id, p.published_at, p.metrics, p.fetched_at, p.failed_at, p.fetch_error,
          case when a.disconnected_at is null then p.next_fetch_at end as next_fetch_at
     from publications p join accounts a on a.id = p.account_id
    where p.workspace_id = $1 and p.post_id = $2 order by p.account_id`,
).holds<{ metrics: Numbers }>();
const history = sql(
  'statistics.history',
  `select account_id, p.network,
          jsonb_agg(r.metrics || jsonb_build_object('fetchedAt', to_char(r.fetched_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
                    order by r.fetched_at) as reads
     from publications p join metric_reads r using (workspace_id, post_id, account_id)
    where workspace_id = $1 and post_id = $2 group by account_id, p.network order by account_id`,
).holds<{ reads: Metrics[] }>();

const add = sql(
  'statistics.add',
  `insert into publications (post_id, account_id, workspace_id, network, external_id, published_at, ref, due_at, next_fetch_at)
   select post_id, account_id, workspace_id, network, external_id, published_at, ref, first.at, first.at
     from unnest(:postIds::text[], :accountIds::text[], :workspaceIds::text[], :networks::text[], :externalIds::text[],
            :publishedAt::timestamptz[], :refs::jsonb[], :isRead::boolean[])
          as out(post_id, account_id, workspace_id, network, external_id, published_at, ref, is_read)
    cross join lateral (select case when is_read then published_at + :firstMs * interval '1 ms' end as at) first
   on conflict do nothing returning workspace_id, post_id`,
  'joins',
);
const countColumns = [...metricNames, 'engagement'] satisfies (keyof Counts)[];
/** Schedules the next step that is still to come; after the last there is none. */
const keep = sql(
  'statistics.keep',
  `with before as (
     select p.post_id, p.engagement from publications p where ${held} and p.post_id = any(:postIds)),
   updated as (
     update publications p set ${countColumns.map((name) => `${name} = (reported.counts ->> '${name}')::bigint`).join(', ')},
            metrics = reported.metrics, fetched_at = clock.now, fetch_error = null, failed_at = null, moves = 0,
            claim = null, (due_at, next_fetch_at) = (
              select min(at), min(at) from unnest(:stepsMs::float8[]) as step(ms)
               cross join lateral (select p.published_at + ms * interval '1 ms' as at) instant where at > clock.now)
       from (select posthorn_now() as now) clock, unnest(:postIds::text[], :metrics::jsonb[], :counts::jsonb[]) as reported(post_id, metrics, counts)
      where ${held} and p.post_id = reported.post_id
     returning p.workspace_id, p.post_id, p.account_id, p.fetched_at, p.metrics, p.engagement,
               ${notifyTabs('statistics', { id: 'p.post_id', workspaceId: 'p.workspace_id' })}),
   recorded as (
     insert into metric_reads (workspace_id, post_id, account_id, fetched_at, metrics)
     select workspace_id, post_id, account_id, fetched_at, metrics from updated)
   select post_id from updated join before using (post_id) where updated.engagement <> before.engagement`,
);

export type PublicationStore = ReturnType<typeof createPublicationStore>;

export const createPublicationStore = (db: Database) => ({
  transaction: db.transaction,

  /** Returns the posts of new publications. The first read is `firstMs` after publication. */
  add: async (publications: readonly NewPublication[], firstMs: number) => {
    return db.query(add, {
      postIds: publications.map(({ postId }) => postId),
      accountIds: publications.map(({ accountId }) => accountId),
      workspaceIds: publications.map(({ workspaceId }) => workspaceId),
      networks: publications.map(({ network }) => network),
      externalIds: publications.map(({ externalId }) => externalId),
      publishedAt: publications.map(({ publishedAt }) => publishedAt),
      refs: publications.map(({ ref }) => JSON.stringify(ref)),
      isRead: publications.map(({ isRead }) => isRead),
      firstMs,
    });
  },

  ofPost: (workspaceId: string, postId: string) => db.query(ofPost, [workspaceId, postId]),

  history: (workspaceId: string, postId: string) => db.query(history, [workspaceId, postId]),

  /** Stores metrics and schedules the next of `stepsMs`. Returns the posts whose engagement changed. */
  keep: async (
    reads: ClaimedReads,
    numbers: readonly { readonly postId: string; readonly metrics: Numbers }[],
    stepsMs: readonly number[],
  ) => {
    const changed = await db.query(keep, {
      ...claimValues(reads),
      postIds: numbers.map(({ postId }) => postId),
      metrics: numbers.map(({ metrics }) => JSON.stringify(metrics)),
      stepsMs,
      counts: numbers.map(({ metrics }) => JSON.stringify(countsOf(metrics))),
    });
    return changed.map(({ postId }): PostKey => ({ workspaceId: reads.account.workspaceId, postId }));
  },
});
