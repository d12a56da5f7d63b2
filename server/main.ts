import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { createHttpApp, createPosthorn, openIdentity, type Posthorn } from '#server/app';
import { createMovableClock, type MovableClock, systemClock } from '#server/clock';
import { type Config, SettingError } from '#server/config';
import { serverFor } from '#server/http/server';
import { openAgenda } from '#server/jobs/agenda';
import { createOutbound, type Outbound } from '#server/outbound/outbound';
import { createSeal, type Seal } from '#server/seal';
import { readSecrets } from '#server/secrets';
import { connect } from '#server/store/connect';
import { type Connection, type Database, openDatabase } from '#server/store/database';
import { migrate } from '#server/store/migrate';
import { migrations } from '#server/store/migrations/index';

const drainMs = 10_000;
const minuteMs = 60_000;

export interface Opened {
  readonly connection: Connection;
  readonly clock: MovableClock;
  readonly database: Database;
  readonly posthorn: Posthorn;
  readonly outbound: Outbound;
  readonly seal: Seal;
  close(): Promise<void>;
}

/** The rules on a migrated database: what the service and every command begin with. */
export const open = async (config: Config, log: Logger, ownUrl = () => config.baseUrl): Promise<Opened> => {
  const secrets = await readSecrets(config).catch(inWords('The data folder cannot be used'));
  const server = await connect(config).catch(inWords('The database cannot be used'));
  const report = (error: Error) => log.error({ err: error }, 'database connection lost');
  const database = openDatabase(server.connection, { report, poolSize: config.poolSize });
  const outbound = createOutbound(config.outbound);
  const close = async () => {
    await outbound.close();
    await database.close();
    await server.stop();
  };
  try {
    await migrate(database, migrations);
  } catch (error) {
    await close();
    return inWords('The database cannot be used')(error as Error);
  }
  const seal = createSeal(secrets.encryptionKeys);
  const clock = createMovableClock();
  const posthorn = createPosthorn({ database, outbound, seal, config, clock, ownUrl, log });
  if (config.production) {
    const aheadMs = await posthorn.sandboxClock.close();
    if (aheadMs > 0) log.warn({ aheadMs }, 'the sandbox clock was ahead; production goes by the true time');
  }
  await posthorn.sandboxClock.read();
  const closeAll = async () => {
    await posthorn.close();
    await close();
  };
  return { connection: server.connection, clock, database, posthorn, outbound, seal, close: closeAll };
};

/** What the operator has to mend is told as a sentence, not as a stack. */
const inWords =
  (what: string) =>
  (cause: Error): never => {
    throw new SettingError(`${what}: ${cause.message}`, { cause });
  };

export const createLog = ({ logLevel }: Config) =>
  pino({ level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime });

export interface Running {
  readonly url: string;
  readonly posthorn: Posthorn;
  stop(): Promise<void>;
}

export const start = async (config: Config): Promise<Running> => {
  const log = createLog(config);
  await mustBeFree(config);
  let port = config.port;
  const opened = await open(config, log, () => `http://127.0.0.1:${port}`);
  const { database, posthorn } = opened;
  const identity = await openIdentity({ ...opened, config, clock: systemClock, log });
  const close = async () => {
    identity.stop?.();
    await opened.close();
  };
  const { app, health } = createHttpApp({ posthorn, database, identity, config, log });
  posthorn.live.start();
  const server = serverFor(app);
  server.listen(config.port, config.host);
  await once(server, 'listening').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  ({ port } = server.address() as AddressInfo);
  const report = (error: unknown) => log.error({ err: error }, 'work in the background failed');
  const agenda = await openAgenda({
    connection: opened.connection,
    mongodbUrl: config.mongodbUrl,
    name: `${hostname()} ${process.pid} ${randomUUID()}`,
    report,
  }).catch(async (error: unknown) => {
    server.close();
    await close();
    throw error;
  });
  posthorn.jobs.start();
  await posthorn.jobs.keepTime(agenda, {
    'remove expired records of the identity provider': { every: '1 hour', run: () => identity.purge?.() },
  });
  // What this very process remembers.
  const save = async () => {
    await posthorn.tokens.saveLastUsed();
    await posthorn.clients.saveLastUsed();
  };
  const saving = setInterval(() => save().catch(report), minuteMs);

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    health.beginStop();
    clearInterval(saving);
    posthorn.live.stop();
    await agenda.close();
    await Promise.all([drain(server), posthorn.jobs.stop(drainMs)]);
    await save();
    await close();
  };
  return {
    url: config.port === 0 ? `http://localhost:${port}` : config.baseUrl,
    posthorn,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};

/** Takes no new connection, lets running requests end, and then cuts what is left. */
const drain = async (server: HttpServer) => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // A connection kept alive after its last answer would hold us up for as long as this says.
  server.keepAliveTimeout = 1;
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
};

/** Asked before anything is started; a predecessor that was just killed gets a moment to let go of the port. */
const mustBeFree = async ({ port, host }: Config) => {
  for (let attempt = 0; ; attempt++) {
    const probe = createServer().listen(port, host);
    try {
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE') throw new SettingError(`Check HOST and PORT: ${(error as Error).message}`);
      if (attempt === 20) {
        throw new SettingError(
          `Port ${port} is in use, perhaps by another Posthorn. Stop that program, or choose another port with PORT=${port + 1}.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
};
