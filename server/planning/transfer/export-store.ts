import type { MetricName } from '#contracts/analytics';
import type { PostStatus, Result, Version } from '#contracts/posts';
import { type Database, type RowOf, sql } from '#server/base/store/database';

export const reads = ['accounts', 'posts', 'publications', 'published_posts', 'workspaces'];

interface Statistics {
  readonly accountId: string;
  readonly externalId: string;
  readonly publishedAt: string;
  readonly metrics: Partial<Record<MetricName, number>> | null;
  readonly fetchedAt: string | null;
  readonly error: string | null;
}

export interface ExportedAccount {
  readonly id: string;
  readonly network: string;
  readonly handle: string;
  readonly name: string;
}

/** The time of a post: when it was published, else scheduled, else last changed. */
const inRange = `(:from::timestamptz is null or coalesce(out.published_at, p.scheduled_at, p.updated_at) >= :from)
  and (:to::timestamptz is null or coalesce(out.published_at, p.scheduled_at, p.updated_at) < :to)`;
const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
/** A page ends at `maxBytes`, but has at least one post. `between` forces the index on workspace and id. */
const exportPage = sql(
  'exports.page',
  `select id, status, account_ids, versions::jsonb as versions, scheduled_at, results::jsonb as results, updated_at,
          coalesce((select jsonb_agg(jsonb_build_object('accountId', s.account_id, 'externalId', s.external_id,
                             'publishedAt', ${utc('s.published_at')}, 'metrics', s.metrics,
                             'fetchedAt', ${utc('s.fetched_at')}, 'error', s.fetch_error) order by s.account_id)
                      from publications s where s.workspace_id = :workspaceId and s.post_id = sized.id), '[]') as statistics
     from (select *, sum(bytes) over (order by id rows unbounded preceding) - bytes as bytes_before
             from (select p.id, p.status, p.account_ids, p.versions::text, p.scheduled_at, p.results::text, p.updated_at,
                          octet_length(p.versions::text) + octet_length(p.results::text) as bytes
                     from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
                    where p.workspace_id between :workspaceId and :workspaceId and p.id > :after and ${inRange}
                    order by p.workspace_id, p.id limit :limit) as listed) as sized
    where bytes_before < :maxBytes order by id`,
).holds<{ status: PostStatus; versions: Version[]; results: Result[]; statistics: readonly Statistics[] }>();
export type ExportedRow = RowOf<typeof exportPage>;
const exportCount = sql(
  'exports.count',
  `select count(*)::int as posts
     from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
    where p.workspace_id = :workspaceId and ${inRange}`,
);
const exportHead = sql(
  'exports.head',
  `select w.name, coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'network', a.network, 'handle', a.handle,
                     'name', a.name) order by a.id) from accounts a where a.workspace_id = w.id), '[]') as accounts
     from workspaces w where w.id = $1`,
).holds<{ accounts: ExportedAccount[] }>();

export interface ExportRange {
  readonly from: string | null;
  readonly to: string | null;
}

export type ExportStore = ReturnType<typeof createExportStore>;

export const createExportStore = (db: Database) => ({
  /** The oldest posts after `after`, up to `limit` and `maxBytes`. */
  page: (workspaceId: string, { from, to }: ExportRange, after: string, limit: number, maxBytes: number) =>
    db.queryReplica(exportPage, { workspaceId, from, to, after, limit, maxBytes }),

  count: async (workspaceId: string, { from, to }: ExportRange) =>
    (await db.query(exportCount, { workspaceId, from, to }))[0]?.posts ?? 0,

  /** Its name and all accounts it ever had, because posts may refer to disconnected ones. */
  head: async (workspaceId: string) => {
    const [row] = await db.query(exportHead, [workspaceId]);
    return { name: row?.name ?? '', accounts: row?.accounts ?? [] };
  },
});
