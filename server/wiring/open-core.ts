import { createMovableClock, systemClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { type ConnectOptions, connect } from '#server/base/store/connect';
import { openDatabase } from '#server/base/store/database';
import { toDatabaseError } from '#server/base/store/database-error';
import { mustUseTables } from '#server/base/store/schema-checks';
import { prepare } from '#server/operation/startup/startup-migrations';

import { type Core, wireCore } from './core.ts';

/** One connection for the command's transaction, and one for statements outside of it. */
const pools = { poolSize: 2, onePool: true };

export interface OpenCore {
  readonly core: Core;
  close(): Promise<void>;
}

/** For commands: the core of the service on a migrated database, without networks, HTTP or jobs. */
export const openCore = async (config: Config): Promise<OpenCore> => {
  const { core, close } = await connectCore(config);
  try {
    await mustUseTables(core.database);
    await prepare(core.database, core.sandboxClock, config, { info: () => undefined, warn: console.error });
    return { core, close };
  } catch (error) {
    await close();
    return toDatabaseError(config)(error);
  }
};

/** Like `openCore`, but does not migrate the database. */
export const connectCore = async (config: Config, options: ConnectOptions = {}): Promise<OpenCore> => {
  const server = await connect(config, options);
  const { connection, direct, replica } = server;
  const { statementLine } = config;
  let isClosing = false;
  const database = openDatabase(connection, {
    report: ({ message }: Error) => {
      // While the command closes, a lost connection is normal: stopping an embedded database may end it first.
      if (!isClosing) console.error(`The connection to the database was lost: ${message}`);
    },
    ...pools,
    statementLine,
    direct,
    replica,
  });
  const core = wireCore({
    database,
    config,
    clock: createMovableClock(),
    wallClock: systemClock,
    report: console.error,
  });
  return {
    core,
    close: async () => {
      isClosing = true;
      await core.registry.close();
      await database.close();
      await server.stop();
    },
  };
};
