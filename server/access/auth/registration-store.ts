import { type Database, sql } from '#server/base/store/database';

const lockRegistrations = sql('registrations.lock', 'select pg_advisory_xact_lock(727034)', 'locks');
/** Deletes the oldest clients without consent, but only those whose consent page has expired. */
const makeRoom = sql(
  'registrations.makeRoom',
  `delete from registered_clients where created_at <= $2 and id in (
     select id from registered_clients where last_used_at is null order by created_at desc offset $1)`,
);
const insertRegistration = sql(
  'registrations.insert',
  `insert into registered_clients (id, name, redirect_uris, created_at) select $1, $2, $3, $4
    where (select count(*) from registered_clients where last_used_at is null) < $5`,
);
const findRegistration = sql('registrations.find', 'select name, redirect_uris from registered_clients where id = $1');
/** The access that users gave to a purged client is deleted too, because nobody can use it any more. */
const purgeRegistrations = sql(
  'registrations.purge',
  `with gone as (
     delete from registered_clients where (last_used_at is null and created_at <= $1) or last_used_at <= $2 returning id)
   delete from client_access c using gone where c.client_id = gone.id`,
);

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;

export const createRegistrationStore = (db: Database) => ({
  /** False if there are too many clients without consent. */
  insert: (
    { id, name, redirectUris, at }: { id: string; name: string; redirectUris: readonly string[]; at: Date },
    { max, removableBefore }: { max: number; removableBefore: Date },
  ) =>
    db.transaction(async () => {
      await db.run(lockRegistrations);
      await db.run(makeRoom, [max - 1, removableBefore]);
      return (await db.run(insertRegistration, [id, name, redirectUris, at, max])) > 0;
    }),
  find: async (id: string) => (await db.query(findRegistration, [id]))[0],
  purge: (unusedFrom: Date, usedFrom: Date) => db.run(purgeRegistrations, [unusedFrom, usedFrom]),
});
