import { randomUUID } from 'node:crypto';
import { createPublishedPosts } from '#server/analytics/published-posts';
import { createPublishedPostStore } from '#server/analytics/store';
import type { Numbers } from '#server/statistics/numbers';
import { createPublications } from '#server/statistics/publications';
import { createStatisticsStore } from '#server/statistics/store';
import { type Database, sql } from '#server/store/database';

export interface Target {
  readonly postId: string;
  readonly accountId: string;
  readonly publishedAt: string;
  /** Null: they were never read. */
  readonly metrics: Numbers | null;
}

const places = sql(
  'test.publications.places',
  `select p.workspace_id as "workspaceId", a.network
     from unnest($1::text[], $2::text[]) with ordinality as target (post_id, account_id, place)
     join posts p on p.id = post_id join accounts a on a.id = account_id order by place`,
);
const claimReads = sql(
  'test.publications.claim',
  'update publications set claim = $2 where account_id = $1 and post_id = any($3)',
);

/** Posts that went out at any time, and what the networks told of them, by the rules of the service. */
export const publicationsOf = (database: Database) => {
  const store = createStatisticsStore(database);
  const publishedPosts = createPublishedPosts({ store: createPublishedPostStore(database) });
  const publications = createPublications({ store, publishedPosts });

  const add = async (targets: readonly Target[]) => {
    const found = await database.query<{ workspaceId: string; network: string }>(places, [
      targets.map(({ postId }) => postId),
      targets.map(({ accountId }) => accountId),
    ]);
    const rows = targets.flatMap(({ postId, accountId, publishedAt }, index) => {
      const place = found[index];
      return place ? [{ ...place, postId, accountId, publishedAt, externalId: 'ext-1', ref: null, isRead: false }] : [];
    });
    await database.transaction(() => publications.add(rows));
    await read(targets);
  };

  const read = async (targets: readonly Target[]) => {
    const byAccount = new Map<string, { postId: string; metrics: Numbers }[]>();
    for (const { postId, accountId, metrics } of targets) {
      if (metrics === null) continue;
      byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), { postId, metrics }]);
    }
    await database.transaction(async () => {
      const claim = randomUUID();
      for (const [id, told] of byAccount) {
        const postIds = told.map(({ postId }) => postId);
        await database.run(claimReads, [id, claim, postIds]);
        await publications.keep({ account: { id }, claim }, told, []);
      }
    });
  };

  return { add, read };
};
