import type { Metrics } from '#contracts/analytics';
import { type Database, sql } from '#server/store/database';

export interface PublishedRow {
  readonly post_id: string;
  readonly account_id: string;
  readonly network: string;
  readonly published_at: string;
  readonly metrics: Partial<Metrics> | null;
  readonly text: string;
  readonly weekday: number;
  readonly hour: number;
}

/** `isodow` is 1 Monday to 7 Sunday, as SPEC has it. */
const published = sql(
  'analytics.published',
  `select p.post_id, p.account_id, a.network, p.published_at, p.metrics, posts.versions -> 0 -> 'content' -> 0 ->> 'body' as text,
          extract(isodow from p.published_at at time zone $5)::int as weekday,
          extract(hour from p.published_at at time zone $5)::int as hour
     from publications p join accounts a on a.id = p.account_id join posts on posts.id = p.post_id
    where p.workspace_id = $1 and p.published_at >= $2 and p.published_at < $3
      and (cardinality($4::text[]) = 0 or p.account_id = any($4))
    order by p.published_at, p.post_id, p.account_id`,
);

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;

export const createAnalyticsStore = (db: Database) => ({
  published: (workspaceId: string, from: string, to: string, accountIds: readonly string[], timeZone: string) =>
    db.query<PublishedRow>(published, [workspaceId, from, to, accountIds, timeZone]),
});
