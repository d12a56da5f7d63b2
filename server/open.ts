import type { Logger } from 'pino';
import { createPosthorn, type Posthorn } from '#server/app';
import { createMovableClock, type MovableClock } from '#server/clock';
import type { Config } from '#server/config';
import { sealedColumns } from '#server/for-operators';
import { createOutbound, type Outbound, type OutboundOptions } from '#server/outbound/guarded-client';
import { prepare } from '#server/prepare';
import { findSeal } from '#server/secrets/keys';
import { openSeal } from '#server/secrets/open-seal';
import type { Seal } from '#server/secrets/seal';
import { connect } from '#server/store/connect';
import { type Connection, type Database, openDatabase } from '#server/store/database';
import { inWords } from '#server/store/in-words';

export interface Opened {
  /** To PostgreSQL itself, past a pooler. */
  readonly connection: Connection;
  readonly clock: MovableClock;
  readonly database: Database;
  readonly posthorn: Posthorn;
  readonly outbound: Outbound;
  readonly seal: Seal;
  close(): Promise<void>;
}

/** The rules on a migrated database: what the service and every command begin with. */
export const open = async (
  config: Config,
  log: Logger,
  ownUrl = () => config.baseUrl,
  /** Instead of the real one. */
  internet: OutboundOptions = {},
  openKeys = openSeal,
): Promise<Opened> => {
  const opened = await assemble(config, log, ownUrl, internet, openKeys);
  const { database, posthorn } = opened;
  try {
    await prepare(database, posthorn.sandboxClock, config, log);
    return opened;
  } catch (error) {
    await opened.close();
    return inWords('The database cannot be used')(error as Error);
  }
};

/** The rules on a database that is not migrated yet. */
const assemble = async (
  config: Config,
  log: Logger,
  ownUrl: () => string,
  internet: OutboundOptions,
  openKeys: typeof openSeal,
): Promise<Opened> => {
  // Before anything is started: a data folder or a file of keys that cannot be read is told at once.
  await findSeal(config);
  const server = await connect(config);
  // It is made again.
  const report = (err: Error) => log.warn({ err }, 'database connection lost');
  const { connection, direct = connection, replica } = server;
  const { poolSize, statementLine } = config;
  const database = openDatabase(connection, { report, poolSize, statementLine, direct: server.direct, replica });
  const outbound = createOutbound({ ...config.outbound, ...internet });
  const close = async () => {
    await outbound.close();
    await database.close();
    await server.stop();
  };
  try {
    const columns = sealedColumns(database);
    const seal = await openKeys(config, columns).catch(inWords('The database cannot be used'));
    const clock = createMovableClock();
    const posthorn = createPosthorn({ database, outbound, seal, config, clock, ownUrl, log });
    const closeAll = async () => {
      await posthorn.close();
      await close();
    };
    return { connection: direct, clock, database, posthorn, outbound, seal, close: closeAll };
  } catch (error) {
    await close();
    throw error;
  }
};
