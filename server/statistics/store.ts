import type { Metrics } from '#contracts/analytics';
import { type Database, sql } from '#server/store/database';

interface PublicationRow {
  readonly account_id: string;
  readonly network: string;
  readonly external_id: string;
  readonly published_at: string;
  readonly metrics: Partial<Metrics> | null;
  readonly fetched_at: string | null;
  readonly fetch_error: string | null;
  readonly next_fetch_at: string | null;
}

const ofPost = sql(
  'statistics.ofPost',
  `select p.account_id, a.network, p.external_id, p.published_at, p.metrics, p.fetched_at, p.fetch_error, p.next_fetch_at
     from publications p join accounts a on a.id = p.account_id
    where p.workspace_id = $1 and p.post_id = $2 order by p.account_id`,
);

export type StatisticsStore = ReturnType<typeof createStatisticsStore>;

export const createStatisticsStore = (db: Database) => ({
  ofPost: (workspaceId: string, postId: string) => db.query<PublicationRow>(ofPost, [workspaceId, postId]),
});
