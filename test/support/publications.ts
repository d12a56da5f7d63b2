import { randomUUID } from 'node:crypto';
import { type Database, sql } from '#server/base/store/database';
import type { Numbers } from '#server/delivery/statistics/numbers';
import { createPublicationStore } from '#server/delivery/statistics/publication-store';
import { createPublications } from '#server/delivery/statistics/publications';
import { createPublishedPostStore } from '#server/delivery/statistics/published-post-store';
import { createPublishedPosts } from '#server/delivery/statistics/published-posts';

export interface Target {
  readonly postId: string;
  readonly accountId: string;
  readonly publishedAt: string;
  /** Null if never read. */
  readonly metrics: Numbers | null;
}

const selectPlaces = sql(
  'test.publications.places',
  `select p.workspace_id as "workspaceId", a.network
     from unnest($1::text[], $2::text[]) with ordinality as target (post_id, account_id, place)
     join posts p on p.id = post_id join accounts a on a.id = account_id order by place`,
).holds<{ workspaceId: string; network: string }>();
const claimStatement = sql(
  'test.publications.claim',
  `update publications p set claim = $1 from unnest($2::text[], $3::text[]) as target (post_id, account_id)
    where p.post_id = target.post_id and p.account_id = target.account_id
   returning p.account_id as id, p.workspace_id as "workspaceId"`,
).holds<{ id: string; workspaceId: string }>();

/** Published posts of any time, with their metrics, written by the rules of the service. */
export const publicationsOf = (database: Database) => {
  const store = createPublicationStore(database);
  const publishedPosts = createPublishedPosts({ store: createPublishedPostStore(database) });
  const publications = createPublications({ store, publishedPosts });

  const add = async (targets: readonly Target[]) => {
    const places = await database.query(selectPlaces, [
      targets.map(({ postId }) => postId),
      targets.map(({ accountId }) => accountId),
    ]);
    const rows = targets.flatMap(({ postId, accountId, publishedAt }, index) => {
      const place = places[index];
      return place ? [{ ...place, postId, accountId, publishedAt, externalId: 'ext-1', ref: null, isRead: false }] : [];
    });
    await database.transaction(() => publications.add(rows));
    await read(targets);
  };

  /** Claims all reads of an account together, as the service does. */
  const claimReads = async (targets: readonly Target[]) => {
    const claim = randomUUID();
    const byAccount = new Map<string, { postId: string; metrics: Numbers }[]>();
    for (const { postId, accountId, metrics } of targets) {
      if (metrics === null) continue;
      const readings = byAccount.get(accountId) ?? [];
      readings.push({ postId, metrics });
      byAccount.set(accountId, readings);
    }
    const ids = [targets.map(({ postId }) => postId), targets.map(({ accountId }) => accountId)];
    const rows = await database.query(claimStatement, [claim, ...ids]);
    const accounts = new Map(rows.map((account) => [account.id, account]));
    return [...accounts.values()].map((account) => ({
      reads: { account, claim },
      readings: byAccount.get(account.id) ?? [],
    }));
  };

  const read = (targets: readonly Target[]) =>
    database.transaction(async () => {
      for (const { reads, readings } of await claimReads(targets)) await publications.keep(reads, readings, []);
    });

  /** The same for thousands of accounts, without a transaction for each. */
  const readMany = async (targets: readonly Target[]) => {
    const writes = (await claimReads(targets)).map(({ reads, readings }) => store.keep(reads, readings, []));
    const changed = (await Promise.all(writes)).flat();
    if (changed.length > 0) await database.transaction(() => publishedPosts.refresh(changed));
  };

  return { add, read, readMany };
};
