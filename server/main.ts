import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type OpenService, openService } from '#server/app/open-service';
import type { Posthorn } from '#server/app/service';
import type { Identity } from '#server/auth/identity-provider/identity';
import { type Config, packageVersion, SettingError } from '#server/config/config';
import { closeServer, mustBeFree, requestsOf } from '#server/http/listening';
import { serverFor } from '#server/http/server';
import type { OpenedAgenda } from '#server/jobs/agenda';
import { createLog } from '#server/logging/log';
import { createReport } from '#server/logging/report';
import { announce, runningIn } from '#server/startup/running-instances';
import { applyPostponed, lockWaitMs } from '#server/startup/startup-migrations';
import { checkClock, measureClockSkewMs } from '#server/store/clock-skew';
import { isAway, isUnwritable, messageOf } from '#server/store/pg-errors';
import { toSettingError } from '#server/store/setting-error';
import { startStopwatch } from './clock.ts';

/** Of the time to drain, for closing what is open at its end. */
const closeMs = 1_000;
/** For a connection on which nothing has been asked. */
const cutMs = 1_000;
const retryMs = 500;
/** Tries between two lines for the operator. */
const sayEvery = 10;
const secondMs = 1_000;
const minuteMs = 60_000;

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
  return waitForConnection({ ...config, say, ...(signal && { signal }) }, () => startOnce(config, createLog(config)));
};

/** Waits for a database that is starting or restarting; any other trouble is thrown at once. */
const waitForConnection = async <T>(
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
    throw describeStartError(error);
  }
};

/** What the operator has to mend is a sentence, whichever step of the start met it. */
const describeStartError = (error: unknown) => {
  const isSentence = error instanceof SettingError;
  if (!isUnwritable(error) && (isSentence || !isAway(error))) return error;
  const words = isSentence ? error.message : `The database cannot be used: ${messageOf(error)}`;
  const advice = '. Free space on the disk of PostgreSQL, or make it writable, then start again.';
  return new SettingError(`${words}${isUnwritable(error) ? advice : ''}`, { cause: error });
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
  const opened = await openService(config, log, () => `http://127.0.0.1:${port}`);
  pile.put(opened.close);
  const { posthorn } = opened;
  if ((await posthorn.sandboxClock.offsetMs()) < 0) {
    throw new SettingError(
      'The clock of this database stands in the past: a demo is being made, or was interrupted. Wait for it to end; if none runs, npx posthorn demo --again makes a new one and sets the clock right.',
    );
  }
  await warnOperator(opened, log);
  await posthorn.mediaFiles.check().catch(toSettingError('The store for media cannot be used'));
  await posthorn.sweepIncoming();
  const identity = await posthorn.openIdentity();
  pile.put(() => identity.stop?.());
  const { app, health } = posthorn.openDoors(identity);
  health.beginStart();
  if (config.role !== 'jobs') posthorn.live.start();
  const drain = createDrain(config.drainMs);
  const server = serverFor(app);
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
  pile.put(await applyPostponed(opened.database, log, report));
  const sharing = setInterval(() => posthorn.rateLimits.share().catch(report), secondMs);
  pile.put(() => clearInterval(sharing));

  const url = config.port === 0 ? `http://localhost:${port}` : config.baseUrl;
  // Of several processes on one port their parent is the one to name.
  if (cluster.isPrimary)
    pile.put(announce({ url, dataDir: config.dataDir, embedded: config.databaseUrl === undefined }));

  health.endStart();
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

/** What does not keep the service from running, and what `doctor` says too. */
const warnOperator = async ({ database, posthorn: { settingsToMend } }: OpenService, log: Logger) => {
  const clock = checkClock(await measureClockSkewMs(database), 'the database');
  for (const { level, name, message } of [clock, ...settingsToMend()]) {
    if (level !== 'ok') log.warn({ check: name }, message);
  }
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
  opened: OpenService;
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
