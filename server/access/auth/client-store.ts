import { type Database, sql } from '#server/base/store/database';

export const reads = ['users'];

const grantAccess = sql(
  'clients.grant',
  `insert into client_access as c (id, user_id, client_id, name, scopes, given_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (user_id, client_id) do update set name = excluded.name, scopes = excluded.scopes,
     given_at = case when c.ended_at >= c.given_at then excluded.given_at else c.given_at end`,
);
/** An outside provider asks for consent itself, so its clients appear in the list with their first use. */
const saveUsed = sql(
  'clients.saveUsed',
  `insert into client_access as c (id, user_id, client_id, name, scopes, given_at, last_used_at)
   select id, user_id, client_id, client_id, string_to_array(scopes, ' '), at, at
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) as used (id, user_id, client_id, scopes, at)
    where exists (select 1 from users where users.id = user_id)
   on conflict (user_id, client_id) do update set last_used_at = excluded.last_used_at,
     given_at = case when c.ended_at >= c.given_at and c.ended_at < excluded.given_at then excluded.given_at else c.given_at end`,
);
const listAccess = sql(
  'clients.list',
  `select id, client_id, name, scopes, given_at as since, last_used_at from client_access
    where user_id = $1 and coalesce(ended_at < given_at, true) order by given_at desc, id desc`,
);
const endAccess = sql(
  'clients.end',
  `update client_access set ended_at = $3 where user_id = $1 and id = $2 and coalesce(ended_at < given_at, true)
   returning client_id, name`,
);
const endAccessOf = sql(
  'clients.endOf',
  `insert into client_access (id, user_id, client_id, name, scopes, given_at, ended_at) values ($1, $2, $3, $3, '{}', $4, $4)
   on conflict (user_id, client_id) do update set ended_at = excluded.ended_at`,
);
const endAllAccess = sql(
  'clients.endAll',
  'update client_access set ended_at = $2 where user_id = $1 and coalesce(ended_at < given_at, true)',
);

/** Self-registered clients are purged some time after their last use. */
const saveRegistrationsUsed = sql(
  'clients.saveRegistrationsUsed',
  `update registered_clients r set last_used_at = greatest(r.last_used_at, used.at)
     from (select id, max(at) as at from unnest($1::text[], $2::timestamptz[]) as used (id, at) group by id) as used
    where r.id = used.id`,
);

interface UsedAccess {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly at: Date;
}

export type ClientStore = ReturnType<typeof createClientStore>;

export const createClientStore = (db: Database) => ({
  transaction: db.transaction,
  grant: (id: string, userId: string, clientId: string, name: string, scopes: readonly string[], at: Date) =>
    db.run(grantAccess, [id, userId, clientId, name, scopes, at]),
  saveUsed: (all: readonly UsedAccess[]) =>
    db.run(saveUsed, [
      all.map(({ id }) => id),
      all.map(({ userId }) => userId),
      all.map(({ clientId }) => clientId),
      all.map(({ scopes }) => scopes.join(' ')),
      all.map(({ at }) => at),
    ]),
  saveRegistrationsUsed: (all: readonly Pick<UsedAccess, 'clientId' | 'at'>[]) =>
    db.run(saveRegistrationsUsed, [all.map(({ clientId }) => clientId), all.map(({ at }) => at)]),
  list: (userId: string) => db.query(listAccess, [userId]),
  end: async (userId: string, id: string, at: Date) => (await db.query(endAccess, [userId, id, at]))[0],
  endOf: (id: string, userId: string, clientId: string, at: Date) => db.run(endAccessOf, [id, userId, clientId, at]),
  endAll: (userId: string, at: Date) => db.run(endAllAccess, [userId, at]),
});
