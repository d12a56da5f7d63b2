import { type Database, sql } from '#server/base/store/database';

/**
 * Counts a try before the password is checked, in one statement, so that simultaneous tries see each other. Returns no
 * row during the delay after the last try.
 */
const countTry = sql(
  'tries.count',
  `insert into password_tries as t (account, network, tries, last_at, next_at) values ($1, $2, 1, $3, $3)
   on conflict (account, network) do update set last_at = $3,
     tries = case when t.last_at < $4 then 1 else t.tries + 1 end,
     next_at = $3::timestamptz + interval '1 ms' *
       case when t.last_at < $4 then 0 else ($5::int[])[least(t.tries + 1, cardinality($5::int[]))] end
   where t.next_at <= $3 or t.last_at < $4 returning tries`,
);
const nextTry = sql('tries.next', 'select next_at from password_tries where account = $1 and network = $2');
const takeBackTry = sql(
  'tries.takeBack',
  'update password_tries set tries = tries - 1, next_at = last_at where account = $1 and network = $2 and tries > 0',
);
const forgetTries = sql('tries.forget', 'delete from password_tries where account = $1 and network = $2');
const purgeTries = sql('tries.purge', 'delete from password_tries where last_at < $1');

export type TryStore = ReturnType<typeof createTryStore>;

export const createTryStore = (db: Database) => ({
  /** False during a delay. */
  count: async (account: string, network: string, now: Date, expiredBefore: Date, waitsMs: readonly number[]) =>
    (await db.query(countTry, [account, network, now, expiredBefore, waitsMs])).length > 0,
  nextAt: async (account: string, network: string) => (await db.query(nextTry, [account, network]))[0]?.nextAt,
  takeBack: (account: string, network: string) => db.run(takeBackTry, [account, network]),
  forget: (account: string, network: string) => db.run(forgetTries, [account, network]),
  purge: (before: Date) => db.run(purgeTries, [before]),
});
