import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { createPosthorn, type Posthorn } from '#server/app';
import type { Identity } from '#server/auth/identity-provider/identity';
import { createMovableClock, type MovableClock, startStopwatch } from '#server/clock';
import { type Config, packageVersion, SettingError } from '#server/config';
import { serverFor } from '#server/http/server';
import { announce, runningIn } from '#server/instances';
import type { OpenedAgenda } from '#server/jobs/agenda';
import { openLogFile } from '#server/log-file';
import { createOutbound, type Outbound, type OutboundOptions } from '#server/outbound/guarded-client';
import { createReport } from '#server/report';
import { readSecrets } from '#server/secrets/keys';
import { createSeal, type Seal } from '#server/secrets/seal';
import { isAway, messageOf } from '#server/store/away';
import { connect } from '#server/store/connect';
import { type Connection, type Database, openDatabase } from '#server/store/database';
import { migrate, postponedIn, postponedInWords } from '#server/store/migrate';
import { migrations } from '#server/store/migrations/index';

/** Of the time to drain, for closing what is open at its end. */
const closeMs = 1_000;
/** For a connection on which nothing has been asked. */
const cutMs = 1_000;
const retryMs = 500;
/** For the lock of migrations, before the operator is told who holds it. */
const lockWaitMs = 2_000;
/** Between two looks whether a migration that was postponed can be applied. */
const postponedMs = 20_000;
/** Tries between two lines for the operator. */
const sayEvery = 10;
const secondMs = 1_000;
const minuteMs = 60_000;

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
): Promise<Opened> => {
  const opened = await assemble(config, log, ownUrl, internet);
  const { database, posthorn } = opened;
  try {
    await applyMigrations(database, log, Math.min(lockWaitMs, config.startPatienceMs));
    const postponed = await postponedIn(database, migrations);
    if (postponed) log.info(postponedInWords(postponed));
    if (config.production) {
      const aheadMs = await posthorn.sandboxClock.close();
      if (aheadMs > 0) log.warn({ aheadMs }, 'the sandbox clock was ahead; production goes by the true time');
    }
    await posthorn.sandboxClock.read();
    return opened;
  } catch (error) {
    await opened.close();
    return inWords('The database cannot be used')(error as Error);
  }
};

const applyMigrations = async (database: Database, log: Logger, waitMs: number) => {
  for (const { number, name } of await migrate(database, migrations, { waitMs })) {
    log.info({ number, name }, 'migration applied');
  }
};

/** The rules on a database as it is, which nothing has been asked of yet. */
export const assemble = async (
  config: Config,
  log: Logger,
  ownUrl = () => config.baseUrl,
  internet: OutboundOptions = {},
): Promise<Opened> => {
  const secrets = await readSecrets(config).catch(inWords('The data folder cannot be used'));
  const server = await connect(config);
  // It is made again.
  const report = (err: Error) => log.warn({ err }, 'database connection lost');
  const { connection, direct = connection, replica } = server;
  const database = openDatabase(connection, { report, poolSize: config.poolSize, direct: server.direct, replica });
  const outbound = createOutbound({ ...config.outbound, ...internet });
  const close = async () => {
    await outbound.close();
    await database.close();
    await server.stop();
  };
  try {
    const seal = createSeal(secrets.encryptionKeys);
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

/** What the operator has to fix is printed as a sentence, without a stack. */
const inWords =
  (what: string) =>
  (cause: Error): never => {
    if (cause instanceof SettingError) throw cause;
    throw new SettingError(`${what}: ${messageOf(cause)}`, { cause });
  };

/** Lines are written together: one write for each of them would be a tenth of what a request costs. */
const logDelayMs = 100;
const logBytes = 8_192;

/** On standard output, or for a command, whose answer is there, on standard error. */
export const createLog = ({ logLevel, logFile }: Pick<Config, 'logLevel' | 'logFile'>, output: 1 | 2 = 1) => {
  const options = { level: logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const stream = pino.destination({ dest: output, sync: false, minLength: logBytes, periodicFlush: logDelayMs });
  if (logFile === undefined) return pino(options, stream);
  // The level is decided above: both get every line.
  const level = 'trace';
  return pino(
    options,
    pino.multistream([
      { level, stream },
      { level, stream: openLogFile(logFile) },
    ]),
  );
};

export interface Running {
  readonly url: string;
  readonly posthorn: Posthorn;
  stop(): Promise<void>;
}

export interface Starting {
  /** A line for the operator while it takes longer than a moment. */
  readonly say?: (line: string) => void;
  /** Ends the wait for a database. */
  readonly signal?: AbortSignal;
}

export const start = async (config: Config, { say = () => undefined, signal }: Starting = {}): Promise<Running> => {
  await mustBeFree(config);
  say(
    config.databaseUrl === undefined
      ? `Starting the embedded PostgreSQL in ${config.dataDir} (the first time takes a few seconds) …`
      : 'Connecting to the database …',
  );
  for (const { url, pid } of cluster.isPrimary ? runningIn(config.dataDir) : []) {
    say(
      `Another Posthorn (${url}, process ${pid}) uses the data folder ${config.dataDir} too: both do the work of one service.`,
    );
  }
  return patiently({ ...config, say, ...(signal && { signal }) }, () => startOnce(config, createLog(config)));
};

/** Waits for a database that is starting or restarting; any other trouble is thrown at once. */
const patiently = async <T>(
  { startPatienceMs, say, signal }: Pick<Config, 'startPatienceMs'> & Required<Pick<Starting, 'say'>> & Starting,
  work: () => Promise<T>,
) => {
  const beganMs = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const leftMs = startPatienceMs - (performance.now() - beganMs);
      if (!isAway(error) || leftMs <= 0) throw error;
      if (attempt % sayEvery === 0) say(`${messageOf(error)}. Trying again for up to ${Math.ceil(leftMs / 1000)} s …`);
      await sleep(Math.min(retryMs, leftMs), undefined, { ...(signal && { signal }) });
    }
  }
};

const startOnce = async (config: Config, log: Logger): Promise<Running> => {
  const pile = createPile();
  try {
    return await startAll(config, log, pile);
  } catch (error) {
    await pile.undo().catch((trouble: unknown) => log.warn({ err: trouble }, 'an end after a failed start'));
    throw error;
  }
};

type Pile = ReturnType<typeof createPile>;

/** Steps to undo in reverse order, at the end or when a later step of the start fails. */
const createPile = () => {
  const steps: (() => unknown)[] = [];
  return {
    put: (step: () => unknown) => void steps.push(step),
    /** Runs every step, even when one fails. */
    undo: async () => {
      const troubles: unknown[] = [];
      for (const step of steps.splice(0).reverse()) {
        try {
          await step();
        } catch (error) {
          troubles.push(error);
        }
      }
      if (troubles.length > 0) throw troubles[0];
    },
  };
};

const startAll = async (config: Config, log: Logger, pile: Pile): Promise<Running> => {
  let port = config.port;
  const opened = await open(config, log, () => `http://127.0.0.1:${port}`);
  pile.put(opened.close);
  const { posthorn } = opened;
  if ((await posthorn.sandboxClock.offsetMs()) < 0) {
    throw new SettingError(
      'The clock of this database stands in the past: a demo is being made, or was interrupted. Wait for it to end; if none runs, npx posthorn demo --again makes a new one and sets the clock right.',
    );
  }
  await posthorn.mediaFiles.check().catch(inWords('The store for media cannot be used'));
  await posthorn.sweepIncoming();
  const identity = await posthorn.openIdentity();
  pile.put(() => identity.stop?.());
  const { app, busyDoor, health } = posthorn.openDoors(identity);
  if (config.role !== 'jobs') posthorn.live.start();
  const drain = createDrain(config.drainMs);
  const server = serverFor(app, busyDoor);
  const requests = requestsOf(server);
  server.listen(config.port, config.host);
  await once(server, 'listening');
  pile.put(async () => {
    await requests.ended(drain.leftMs());
    await closeServer(server, Math.min(cutMs, drain.leftMs()));
  });
  ({ port } = server.address() as AddressInfo);
  const report = createReport(log, 'work in the background failed');
  let agenda: OpenedAgenda | undefined;
  if (config.role === 'web') posthorn.jobs.follow();
  else agenda = await startJobs({ config, opened, identity, pile, drain, report });
  // Keys change with a start: nobody should wait an hour to remove an old one.
  if (config.role !== 'web') posthorn.resealing.run().catch(report);
  // Kept in the memory of this process, and written once a minute.
  const save = async () => {
    await posthorn.tokens.saveLastUsed();
    await posthorn.clients.saveLastUsed();
  };
  const saving = setInterval(() => save().catch(report), minuteMs);
  pile.put(() => {
    clearInterval(saving);
    return save();
  });
  // The last process of the release before may end at any time after this start.
  if (await postponedIn(opened.database, migrations)) {
    const migrating = setInterval(() => {
      applyMigrations(opened.database, log, lockWaitMs)
        .then(async () => {
          if (!(await postponedIn(opened.database, migrations))) clearInterval(migrating);
        })
        .catch(report);
    }, postponedMs);
    pile.put(() => clearInterval(migrating));
  }
  const sharing = setInterval(() => posthorn.rateLimits.share().catch(report), secondMs);
  pile.put(() => clearInterval(sharing));

  const url = config.port === 0 ? `http://localhost:${port}` : config.baseUrl;
  // Of several processes on one port their parent is the one to name.
  if (cluster.isPrimary)
    pile.put(announce({ url, dataDir: config.dataDir, embedded: config.databaseUrl === undefined }));

  log.info({ url, version: packageVersion, pid: process.pid }, 'started');

  let stopped: Promise<void> | undefined;
  /** Takes no new work from this moment on, but listens until its own is done, so that /readyz can answer. */
  const stop = async () => {
    log.info({ drainSeconds: config.drainMs / 1000 }, 'stopping');
    drain.begin();
    health.beginStop();
    requests.areTheLast();
    posthorn.live.stop();
    posthorn.assistant.stop();
    await Promise.all([agenda?.rest(), posthorn.jobs.stop(drain.leftMs())]).catch(report);
    await pile.undo();
    log.info('stopped');
  };
  return {
    url,
    posthorn,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};

const startJobs = async ({
  config: { mongodbUrl, startPatienceMs },
  opened: {
    connection,
    posthorn: { jobs },
  },
  identity: { purge },
  pile,
  drain,
  report,
}: {
  config: Config;
  opened: Opened;
  identity: Pick<Identity, 'purge'>;
  pile: Pile;
  drain: Drain;
  report: (error: unknown) => void;
}) => {
  const { openAgenda } = await import('#server/jobs/agenda');
  const agenda = await openAgenda({
    connection,
    mongodbUrl,
    waitMs: Math.min(lockWaitMs, startPatienceMs),
    name: `${hostname()} ${process.pid} ${randomUUID()}`,
    report,
  });
  pile.put(agenda.close);
  jobs.start();
  pile.put(() => jobs.stop(drain.leftMs()));
  await jobs.keepTime(agenda, {
    'remove expired records of the identity provider': { every: '1 hour', run: () => purge?.() },
  });
  return agenda;
};

type Drain = ReturnType<typeof createDrain>;

/** The time that is left for what is under way, all of it before the stop has begun. */
const createDrain = (drainMs: number) => {
  let elapsedMs = () => 0;
  return {
    begin: () => {
      elapsedMs = startStopwatch();
    },
    leftMs: () => Math.max(0, drainMs - Math.min(closeMs, drainMs / 2) - elapsedMs()),
  };
};

/** The requests of a server that have no complete answer yet. */
const requestsOf = (server: HttpServer) => {
  const open = new Set<ServerResponse>();
  let last = false;
  server.on('request', (_req, res) => {
    // The next one on this connection is for another instance.
    if (last) res.shouldKeepAlive = false;
    open.add(res);
    res.once('close', () => open.delete(res));
  });
  return {
    areTheLast: () => {
      last = true;
      for (const res of open) res.shouldKeepAlive = false;
    },
    /** Waits until there is none, also of those that still come, at most so long. */
    ended: async (graceMs: number) => {
      const given = new AbortController();
      const up = sleep(graceMs, undefined, { ref: false, signal: given.signal }).catch(() => undefined);
      let isUp = false;
      void up.then(() => {
        isUp = true;
      });
      while (open.size > 0 && !isUp) {
        await Promise.race([
          Promise.all([...open].map((res) => new Promise((ended) => void res.once('close', ended)))),
          up,
        ]);
      }
      given.abort();
    },
  };
};

/** Takes no new connection, lets requests under way end, then closes what is left. */
const closeServer = async (server: HttpServer, graceMs: number) => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Otherwise an idle connection would keep the server open for its whole keep-alive time.
  server.keepAliveTimeout = 1;
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
};

/** Checked before anything is started. A process that was just killed gets a moment to release the port. */
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
      await sleep(250);
    }
  }
};
