import { type Database, type RowOf, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

const beginConnection = sql(
  'accounts.beginConnection',
  `insert into connections (id, workspace_id, user_id, network, server, sandbox, secret)
   values (:id, :workspaceId, :userId, :network, :server, :sandbox, :secret)`,
);
const takeConnection = sql(
  'accounts.takeConnection',
  `delete from connections where id = $1 and created_at > posthorn_now() - $2 * interval '1 ms'
   returning id, workspace_id, user_id, network, server, sandbox, secret`,
);
const getConnection = sql(
  'accounts.getConnection',
  `select id, workspace_id, user_id, network, server, sandbox, secret from connections
    where id = $1 and created_at > posthorn_now() - $2 * interval '1 ms'`,
);
const hasUnfinished = sql(
  'accounts.hasUnfinished',
  `select 1 from connections
    where workspace_id = $1 and network = $2 and server = $3 and created_at > posthorn_now() - $4 * interval '1 ms' limit 1`,
);
const discardLostConnection = sql(
  'accounts.discardLostConnection',
  'delete from connections where id = $1 and secret = $2',
);
const dropConnections = sql(
  'accounts.dropConnections',
  'delete from connections where user_id = $1 and workspace_id = $2',
);
const purgeConnections = sql(
  'accounts.purgeConnections',
  `delete from connections where created_at <= posthorn_now() - $1 * interval '1 ms'`,
);

export type ConnectionRow = RowOf<typeof getConnection>;
export type ConnectionStore = ReturnType<typeof createConnectionStore>;

/** Unfinished connections. */
export const createConnectionStore = (db: Database) => ({
  insert: async (row: ConnectionRow) => {
    await db.run(beginConnection, row);
  },
  get: async (id: string, maxAgeMs: number) => (await db.query(getConnection, [id, maxAgeMs]))[0],
  hasUnfinished: async (workspaceId: string, network: string, server: string, maxAgeMs: number) =>
    (await db.query(hasUnfinished, [workspaceId, network, server, maxAgeMs])).length > 0,
  /** Deletes the row, so only one caller gets it. */
  take: async (id: string, maxAgeMs: number) => (await db.query(takeConnection, [id, maxAgeMs]))[0],
  discardLost: (id: string, secret: string) => db.run(discardLostConnection, [id, secret]),
  drop: (userId: string, workspaceId: string) => db.run(dropConnections, [userId, workspaceId]),
  purge: async (maxAgeMs: number) => {
    await db.run(purgeConnections, [maxAgeMs]);
  },
});

export const sealedConnections = (db: Database) =>
  sealedColumn(db, {
    table: 'connections',
    column: 'secret',
    noun: 'unfinished connection',
    replace: sql('accounts.resealConnection', 'update connections set secret = $3 where id = $1 and secret = $2'),
  });
