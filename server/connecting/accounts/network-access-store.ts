import { type Database, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

const findRegistration = sql(
  'accounts.registration',
  `select credentials, used_at < posthorn_now() - interval '1 day' as is_old from network_apps
    where network = $1 and server = $2`,
);
/** Returns no row if it was purged a moment ago. */
const useRegistration = sql(
  'accounts.useRegistration',
  'update network_apps set used_at = posthorn_now() where network = $1 and server = $2 returning credentials',
);
const purgeRegistrations = sql(
  'accounts.purgeRegistrations',
  `delete from network_apps where used_at < posthorn_now() - $1 * interval '1 ms'`,
);
/** Does nothing if another process has saved one since `find`. */
const saveRegistration = sql(
  'accounts.saveRegistration',
  `insert into network_apps (network, server, credentials) values ($1, $2, $3)
   on conflict (network, server) do update set credentials = excluded.credentials, used_at = posthorn_now()
    where network_apps.credentials = $4`,
);
const removeRegistration = sql(
  'accounts.removeRegistration',
  'delete from network_apps where network = $1 and server = $2',
);

const discardLostRegistration = sql(
  'accounts.discardLostRegistration',
  "delete from network_apps where network || ' ' || server = $1 and credentials = $2",
);

export type RegistrationStore = ReturnType<typeof createRegistrationStore>;

/** Our registrations at servers of decentralised networks. */
export const createRegistrationStore = (db: Database) => ({
  find: async (network: string, server: string) => {
    const [row] = await db.query(findRegistration, [network, server]);
    if (!row?.isOld) return row?.credentials;
    return (await db.query(useRegistration, [network, server]))[0]?.credentials;
  },
  purge: (unusedMs: number) => db.run(purgeRegistrations, [unusedMs]),
  /** Replaces the credentials `before`, if there were any. */
  save: async (network: string, server: string, credentials: string, before: string | undefined) => {
    await db.run(saveRegistration, [network, server, credentials, before ?? null]);
  },
  discardLost: (networkAndServer: string, credentials: string) =>
    db.run(discardLostRegistration, [networkAndServer, credentials]),
  remove: async (network: string, server: string) => {
    await db.run(removeRegistration, [network, server]);
  },
});

export const sealedRegistrations = (db: Database) =>
  sealedColumn(db, {
    table: 'network_apps',
    column: 'credentials',
    noun: 'registration at a server',
    id: "network || ' ' || server",
    replace: sql(
      'accounts.resealRegistration',
      "update network_apps set credentials = $3 where network || ' ' || server = $1 and credentials = $2",
    ),
  });
