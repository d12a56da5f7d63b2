import { type Database, sql } from '#server/base/store/database';

/** Sorted by key, because two instances that lock the same rows in different orders would deadlock. */
const addCounts = sql(
  'counts.add',
  `insert into request_counts as c (name, key, until, used)
   select $1, key, $2, used from unnest($3::text[], $4::int[]) as counts (key, used) order by key
   on conflict (name, key, until) do update set used = c.used + excluded.used returning key, used`,
);
const purgeCounts = sql('counts.purge', 'delete from request_counts where until < $1');

export type CountStore = ReturnType<typeof createCountStore>;

export const createCountStore = (db: Database) => ({
  /** Returns the sums of all instances. */
  add: (name: string, until: Date, counts: readonly (readonly [key: string, count: number])[]) =>
    db.query(addCounts, [name, until, counts.map(([key]) => key), counts.map(([, count]) => count)]),
  purge: (before: Date) => db.run(purgeCounts, [before]),
});
