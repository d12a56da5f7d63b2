import { type Config, databaseFolder } from '#server/config';
import { type Connection, connectionFrom } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { refusePoolerOfTransactions } from './pooler.ts';

export interface Server {
  readonly connection: Connection;
  /** Ends the embedded server when we were its last user; leaves an outside one alone. */
  stop(): Promise<void>;
}

/** PostgreSQL where DATABASE_URL says, else the embedded one. */
export const connect = async (config: Config): Promise<Server> => {
  if (config.databaseUrl !== undefined) {
    const connection = connectionFrom(config.databaseUrl);
    await refusePoolerOfTransactions(connection);
    return { connection, stop: async () => undefined };
  }
  const { config: connection, stop } = await startEmbedded(databaseFolder(config));
  return { connection, stop };
};
