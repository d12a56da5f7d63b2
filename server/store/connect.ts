import { type Config, databaseFolder, SettingError } from '#server/config';
import { messageOf } from './away.ts';
import { type Connection, connectionFrom } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { refusePoolerOfTransactions } from './pooler.ts';

export interface Server {
  readonly connection: Connection;
  /** Ends the embedded server when we were its last user; leaves an outside one alone. */
  stop(): Promise<void>;
}

/** PostgreSQL where DATABASE_URL says, else the embedded one. */
export const connect = (config: Config): Promise<Server> =>
  reach(config).catch((cause: Error) => {
    if (cause instanceof SettingError) throw cause;
    throw new SettingError(`The database cannot be used: ${messageOf(cause)}`, { cause });
  });

const reach = async (config: Config): Promise<Server> => {
  if (config.databaseUrl !== undefined) {
    const connection = connectionFrom(config.databaseUrl);
    await refusePoolerOfTransactions(connection);
    return { connection, stop: async () => undefined };
  }
  const { config: connection, stop } = await startEmbedded(databaseFolder(config));
  return { connection, stop };
};
