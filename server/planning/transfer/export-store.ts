import type { MetricName } from '#contracts/analytics';
import type { PostStatus, Result, Version } from '#contracts/posts';
import { type Database, sql } from '#server/base/store/database';

export const reads = ['accounts', 'posts', 'publications', 'published_posts', 'workspaces'];

export interface ExportedRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly accountIds: string[];
  readonly versions: Version[];
  readonly scheduledAt: string | null;
  readonly results: Result[];
  readonly updatedAt: string;
  readonly statistics: readonly {
    readonly accountId: string;
    readonly externalId: string;
    readonly publishedAt: string;
    readonly metrics: Partial<Record<MetricName, number>> | null;
    readonly fetchedAt: string | null;
    readonly error: string | null;
  }[];
}

export interface ExportedAccount {
  readonly id: string;
  readonly network: string;
  readonly handle: string;
  readonly name: string;
}

/** The time of a post: when it was published, else scheduled, else last changed. */
const inRange = `($2::timestamptz is null or coalesce(out.published_at, p.scheduled_at, p.updated_at) >= $2)
  and ($3::timestamptz is null or coalesce(out.published_at, p.scheduled_at, p.updated_at) < $3)`;
const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
/** A page ends at `maxBytes`, but has at least one post. `between` forces the index on workspace and id. */
const exportPage = sql(
  'exports.page',
  `select id, status, account_ids as "accountIds", versions::jsonb as versions, scheduled_at as "scheduledAt",
          results::jsonb as results, updated_at as "updatedAt",
          coalesce((select jsonb_agg(jsonb_build_object('accountId', s.account_id, 'externalId', s.external_id,
                             'publishedAt', ${utc('s.published_at')}, 'metrics', s.metrics,
                             'fetchedAt', ${utc('s.fetched_at')}, 'error', s.fetch_error) order by s.account_id)
                      from publications s where s.workspace_id = $1 and s.post_id = sized.id), '[]') as statistics
     from (select *, sum(bytes) over (order by id rows unbounded preceding) - bytes as "bytesBefore"
             from (select p.id, p.status, p.account_ids, p.versions::text, p.scheduled_at, p.results::text, p.updated_at,
                          octet_length(p.versions::text) + octet_length(p.results::text) as bytes
                     from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
                    where p.workspace_id between $1 and $1 and p.id > $4 and ${inRange}
                    order by p.workspace_id, p.id limit $5) as listed) as sized
    where "bytesBefore" < $6 order by id`,
);
const exportCount = sql(
  'exports.count',
  `select count(*)::int as posts
     from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
    where p.workspace_id = $1 and ${inRange}`,
);
const exportHead = sql(
  'exports.head',
  `select w.name, coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'network', a.network, 'handle', a.handle,
                     'name', a.name) order by a.id) from accounts a where a.workspace_id = w.id), '[]') as accounts
     from workspaces w where w.id = $1`,
);

export interface ExportRange {
  readonly from: string | null;
  readonly to: string | null;
}

export type ExportStore = ReturnType<typeof createExportStore>;

export const createExportStore = (db: Database) => ({
  /** The oldest posts after `after`, up to `limit` and `maxBytes`. */
  page: (workspaceId: string, { from, to }: ExportRange, after: string, limit: number, maxBytes: number) =>
    db.queryReplica<ExportedRow>(exportPage, [workspaceId, from, to, after, limit, maxBytes]),

  count: async (workspaceId: string, { from, to }: ExportRange) =>
    (await db.query<{ posts: number }>(exportCount, [workspaceId, from, to]))[0]?.posts ?? 0,

  /** Its name and all accounts it ever had, because posts may refer to disconnected ones. */
  head: async (workspaceId: string) => {
    const [row] = await db.query<{ name: string; accounts: ExportedAccount[] }>(exportHead, [workspaceId]);
    return { name: row?.name ?? '', accounts: row?.accounts ?? [] };
  },
});
