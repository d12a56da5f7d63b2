import { type Config, databaseFolder, SettingError } from '#server/base/config/config';
import { type Connection, connectionFrom } from './connection.ts';
import { toDatabaseError } from './database-error.ts';
import { startEmbedded } from './embedded.ts';
import { poolsTransactions } from './pooler.ts';

export interface Server {
  readonly connection: Connection;
  /** Bypasses a pooler in transaction mode; absent without one. */
  readonly direct?: Connection;
  readonly replica?: Connection;
  /** Stops the embedded server if this process was its last user; leaves an external one alone. */
  stop(): Promise<void>;
}

const poolerMessage =
  'DATABASE_URL points to a pooler in transaction mode (such as PgBouncer). ' +
  'Posthorn uses LISTEN, which needs a connection of its own: set DATABASE_DIRECT_URL to the address of PostgreSQL itself or of a pool with pool_mode = session, or set pool_mode = session.';

export interface ConnectOptions {
  /** How long each connection may take to open. */
  readonly connectMs?: number;
}

/** The PostgreSQL of DATABASE_URL, else the embedded one. */
export const connect = (config: Config, options: ConnectOptions = {}): Promise<Server> =>
  reach(config, options).catch(toDatabaseError(config));

const reach = async ({ databaseUrl, ...config }: Config, { connectMs }: ConnectOptions): Promise<Server> => {
  if (databaseUrl === undefined) {
    const { config: connection, stop } = await startEmbedded(databaseFolder({ databaseUrl, ...config }));
    return { connection, stop };
  }
  const parse = (url: string, setting?: string): Connection => ({
    ...connectionFrom(url, setting),
    ...(connectMs !== undefined && { connectionTimeoutMillis: connectMs }),
  });
  const connection = parse(databaseUrl);
  const direct = await directOf(connection, config, parse);
  const replica = await replicaOf(config, direct, parse);
  return { connection, ...(direct && { direct }), ...(replica && { replica }), stop: async () => undefined };
};

type Parse = (url: string, setting: string) => Connection;

const directOf = async (
  connection: Connection,
  { databaseDirectUrl }: Pick<Config, 'databaseDirectUrl'>,
  parse: Parse,
) => {
  if (!(await poolsTransactions(connection))) return undefined;
  if (databaseDirectUrl === undefined) throw new SettingError(poolerMessage);
  const direct = parse(databaseDirectUrl, 'DATABASE_DIRECT_URL');
  if (await poolsTransactions(direct))
    throw new SettingError(poolerMessage.replace('DATABASE_URL', 'DATABASE_DIRECT_URL'));
  return direct;
};

/** An unreachable replica must not prevent the start. */
const replicaOf = async (
  { databaseReplicaUrl }: Pick<Config, 'databaseReplicaUrl'>,
  direct: Connection | undefined,
  parse: Parse,
) => {
  if (databaseReplicaUrl === undefined) return undefined;
  const replica = parse(databaseReplicaUrl, 'DATABASE_REPLICA_URL');
  if (direct === undefined && (await poolsTransactions(replica).catch(() => false))) {
    throw new SettingError(
      'DATABASE_REPLICA_URL leads to a pooler in transaction mode, and DATABASE_URL does not: statements are prepared. Use the address of the replica itself.',
    );
  }
  return replica;
};
