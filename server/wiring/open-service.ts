import type { Logger } from 'pino';
import { createMovableClock, systemClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { createReport } from '#server/base/logging/report';
import { createOutbound, type Outbound, type OutboundOptions } from '#server/base/outbound/guarded-client';
import { findSeal } from '#server/base/secrets/keys';
import { openSeal } from '#server/base/secrets/open-seal';
import type { Seal } from '#server/base/secrets/seal';
import { connect } from '#server/base/store/connect';
import { type Connection, type Database, openDatabase } from '#server/base/store/database';
import { toDatabaseError } from '#server/base/store/database-error';
import { mustUseTables } from '#server/base/store/schema-checks';
import { prepare } from '#server/operation/startup/startup-migrations';

import { type Core, wireCore } from './core.ts';
import { createPosthorn, type Posthorn } from './service.ts';

export interface OpenService {
  /** Direct to PostgreSQL, bypassing a pooler. */
  readonly connection: Connection;
  readonly clock: Core['clock'];
  readonly database: Database;
  readonly posthorn: Posthorn;
  readonly outbound: Outbound;
  readonly seal: Seal;
  close(): Promise<void>;
}

/** The whole service on a migrated database. It does not listen or run jobs yet. */
export const openService = async (
  config: Config,
  log: Logger,
  ownUrl = () => config.baseUrl,
  /** Tests and the demo replace DNS and sockets. */
  internet: OutboundOptions = {},
  openKeys = openSeal,
): Promise<OpenService> => {
  const service = await assemble(config, log, ownUrl, internet, openKeys);
  const { database, posthorn } = service;
  try {
    await prepare(database, posthorn.sandboxClock, config, log);
    await posthorn.networkKeys.read();
    return service;
  } catch (error) {
    await service.close();
    return toDatabaseError(config)(error);
  }
};

/** Does not migrate the database. */
const assemble = async (
  config: Config,
  log: Logger,
  ownUrl: () => string,
  internet: OutboundOptions,
  openKeys: typeof openSeal,
): Promise<OpenService> => {
  // First of all, so that an unreadable data folder or key file is reported before anything is started.
  await findSeal(config);
  const server = await connect(config);
  const { connection, direct = connection, replica } = server;
  const { poolSize, statementLine } = config;
  const database = openDatabase(connection, {
    // A warning is enough: the pool reconnects by itself.
    report: (err: Error) => log.warn({ err }, 'database connection lost'),
    poolSize,
    statementLine,
    direct: server.direct,
    replica,
  });
  const outbound = createOutbound({ ...config.outbound, ...internet });
  const close = async () => {
    await outbound.close();
    await database.close();
    await server.stop();
  };
  try {
    const clock = createMovableClock();
    const report = createReport(log, 'work in the background failed');
    const core = wireCore({ database, config, clock, wallClock: systemClock, report });
    await mustUseTables(database).catch(toDatabaseError(config));
    const seal = await openKeys(config, core.registry.sealed()).catch(toDatabaseError(config));
    const posthorn = createPosthorn({ core, outbound, seal, ownUrl, log });
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
