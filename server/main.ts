import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { type Logger, pino } from 'pino';
import { createHttpApp, createPosthorn, openIdentity, type Posthorn } from '#server/app';
import { systemClock } from '#server/clock';
import { type Config, SettingError } from '#server/config';
import { serverFor } from '#server/http/server';
import { createOutbound, type Outbound } from '#server/outbound/outbound';
import { createSeal, type Seal } from '#server/seal';
import { readSecrets } from '#server/secrets';
import { connect } from '#server/store/connect';
import { type Database, openDatabase } from '#server/store/database';
import { migrate } from '#server/store/migrate';
import { migrations } from '#server/store/migrations/index';

const drainMs = 10_000;
const minuteMs = 60_000;

export interface Opened {
  readonly database: Database;
  readonly posthorn: Posthorn;
  readonly outbound: Outbound;
  readonly seal: Seal;
  close(): Promise<void>;
}

/** The rules on a migrated database: what the service and every command begin with. */
export const open = async (config: Config, log: Logger): Promise<Opened> => {
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
  const failed = (err: unknown) => log.error({ err }, 'work in the background failed');
  const posthorn = createPosthorn({ database, outbound, seal, config, clock: systemClock, report: failed });
  return { database, posthorn, outbound, seal, close };
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
  const opened = await open(config, log);
  const { database, posthorn } = opened;
  const identity = await openIdentity({ ...opened, config, clock: systemClock, log });
  const close = async () => {
    identity.stop?.();
    await opened.close();
  };
  const { app, health } = createHttpApp({ posthorn, database, identity, config, clock: systemClock, log });
  posthorn.live.start();
  const server = serverFor(app);
  server.listen(config.port, config.host);
  await once(server, 'listening').catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const every = (ms: number, work: () => Promise<unknown> | undefined, what: string) =>
    setInterval(() => work()?.catch((err: unknown) => log.error({ err }, what)), ms);
  const chores = [
    every(minuteMs, posthorn.tokens.saveLastUsed, 'last use of tokens not saved'),
    every(60 * minuteMs, () => identity.purge?.(), 'expired records of the identity provider not removed'),
    every(60 * minuteMs, posthorn.sessions.purge, 'old sessions not removed'),
    every(60 * minuteMs, posthorn.answers.purge, 'old idempotent answers not removed'),
    every(60 * minuteMs, posthorn.cards.expire, 'old approval cards not closed'),
    every(60 * minuteMs, posthorn.sweepOrphans, 'files without a media item not removed'),
    every(60 * minuteMs, posthorn.webhooks.purge, 'old deliveries and events not removed'),
  ];
  posthorn.deliveries.start();

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    health.beginStop();
    for (const chore of chores) clearInterval(chore);
    await Promise.all([drain(server), posthorn.deliveries.stop(drainMs)]);
    await posthorn.tokens.saveLastUsed();
    await close();
  };
  const { port } = server.address() as AddressInfo;
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
