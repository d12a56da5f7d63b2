import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { minuteMs, secondMs } from '#contracts/time';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import { startStopwatch } from '#server/base/clock';
import { type Config, packageVersion, SettingError } from '#server/base/config/config';
import type { RunningAgenda } from '#server/base/jobs/agenda';
import { createLog } from '#server/base/logging/log';
import { createReport } from '#server/base/logging/report';
import { describeDatabaseError } from '#server/base/store/database-error';
import { isUnavailable, isUnwritable, messageOf } from '#server/base/store/pg-errors';
import { closeServer, mustHaveFreePort, trackRequests } from '#server/doors/http/listening';
import { serveDuringRestore } from '#server/doors/http/restore-server';
import { createHttpServer } from '#server/doors/http/server';
import type { RestoreRequest } from '#server/operation/backup/restoring';
import { restoreStaged, settleInterruptedRestore } from '#server/operation/backup/staged-restore';
import { checkMs, runCheck } from '#server/operation/installation/run-checks';
import { announce, runningIn } from '#server/operation/startup/running-instances';
import { applyPostponed, lockWaitMs } from '#server/operation/startup/startup-migrations';
import { type OpenService, openService } from '#server/wiring/open-service';
import type { Posthorn } from '#server/wiring/service';

/** Part of the drain time that is reserved for closing connections and pools. */
const closeMs = 1_000;
/** How long the server waits for connections without a request before it cuts them. */
const cutMs = 1_000;
const retryMs = 500;
const attemptsPerMessage = 10;

export interface RunningService {
  readonly url: string;
  readonly posthorn: Posthorn;
  stop(): Promise<void>;
}

/** Stopped for a restore, and replaced by a new instance on the same port. */
interface Instance extends RunningService {
  readonly port: number;
}

export interface StartOptions {
  /** Prints progress for the operator. */
  readonly say?: (message: string) => void;
  /** Ends the wait for the database. */
  readonly signal?: AbortSignal;
}

export const start = async (
  config: Config,
  { say = () => undefined, signal }: StartOptions = {},
): Promise<RunningService> => {
  await mustHaveFreePort(config);
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
  const begin = (settings: Config) =>
    waitForConnection({ ...config, say, ...(signal && { signal }) }, async () => {
      await settleInterruptedRestore(settings, say);
      return startOnce(settings, createLog(settings));
    });
  return restartToRestore(await begin(config), config, begin, say);
};

/** A backup that a person uploads to an empty installation replaces its database, which needs the service stopped. */
const restartToRestore = (
  first: Instance,
  config: Config,
  begin: (settings: Config) => Promise<Instance>,
  say: (message: string) => void,
): RunningService => {
  let instance = first;
  let restarting: Promise<unknown> = Promise.resolve();
  let isStopped = false;
  const restart = async (request: RestoreRequest) => {
    const { port } = instance;
    say('Restoring the backup that was uploaded …');
    await instance.stop();
    const problem = await restoreInstead({ ...config, port }, request);
    say(problem ?? 'The backup is restored. Nothing goes out until a person releases it in Settings, Backups.');
    if (isStopped) return;
    instance = await begin({ ...config, port });
    watch();
  };
  const watch = () => {
    void instance.posthorn.restoring.requested.then((request) => {
      // The service is stopped, so nothing is left to do. The next start reports how the restore ended.
      restarting = restart(request).catch((error: unknown) => {
        console.error(error instanceof SettingError ? error.message : error);
        process.exit(1);
      });
    });
  };
  watch();
  return {
    get url() {
      return instance.url;
    },
    get posthorn() {
      return instance.posthorn;
    },
    stop: async () => {
      isStopped = true;
      await restarting;
      await instance.stop();
    },
  };
};

const restoreInstead = async (config: Config, { keys }: RestoreRequest) => {
  let progress = 'Checking the backup';
  const stopServing = await serveDuringRestore({ port: config.port, host: config.host, progress: () => progress });
  try {
    return await restoreStaged(config, keys, (text) => {
      progress = text;
    });
  } finally {
    await stopServing();
  }
};

/** Retries while the database is starting or restarting; throws any other error at once. */
const waitForConnection = async <T>(
  { startTimeoutMs, say, signal }: Pick<Config, 'startTimeoutMs'> & Required<Pick<StartOptions, 'say'>> & StartOptions,
  work: () => Promise<T>,
) => {
  const startedMs = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const leftMs = startTimeoutMs - (performance.now() - startedMs);
      if (!isUnavailable(error) || leftMs <= 0) throw error;
      if (attempt % attemptsPerMessage === 0)
        say(`${messageOf(error).replace(/\.?$/, '.')} Trying again for up to ${Math.ceil(leftMs / 1000)} s …`);
      await sleep(Math.min(retryMs, leftMs), undefined, { ...(signal && { signal }) });
    }
  }
};

const startOnce = async (config: Config, log: Logger): Promise<Instance> => {
  const cleanup = createCleanupStack();
  try {
    return await startAll(config, log, cleanup);
  } catch (error) {
    await cleanup.run().catch((err: unknown) => log.warn({ err }, 'cleanup after a failed start failed'));
    throw describeStartError(error, config);
  }
};

/** A problem that the operator can fix becomes a plain sentence, whichever step of the start met it. */
const describeStartError = (error: unknown, config: Config) => {
  if (error instanceof SettingError || !(isUnwritable(error) || isUnavailable(error))) return error;
  return new SettingError(describeDatabaseError(error, config), { cause: error });
};

type CleanupStack = ReturnType<typeof createCleanupStack>;

/** Runs its steps in reverse order, on stop or when a later step of the start fails. */
const createCleanupStack = () => {
  const steps: (() => unknown)[] = [];
  return {
    push: (step: () => unknown) => void steps.push(step),
    /** Runs every step, even when one fails. */
    run: async () => {
      const errors: unknown[] = [];
      for (const step of steps.splice(0).reverse()) {
        try {
          await step();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
};

const startAll = async (config: Config, log: Logger, cleanup: CleanupStack): Promise<Instance> => {
  let port = config.port;
  const opened = await openService(config, log, () => `http://127.0.0.1:${port}`);
  cleanup.push(opened.close);
  const { posthorn } = opened;
  await checkAtStart(opened, log);
  await posthorn.sweepIncoming();
  const identity = await posthorn.openIdentity();
  cleanup.push(() => identity.stop?.());
  const { app, health } = posthorn.openDoors(identity);
  health.beginStart();
  if (config.role !== 'jobs') posthorn.live.start();
  const drain = createDrain(config.drainMs);
  const server = createHttpServer(app);
  const requests = trackRequests(server);
  server.listen(config.port, config.host);
  await once(server, 'listening');
  cleanup.push(async () => {
    await requests.drain(drain.leftMs());
    await closeServer(server, Math.min(cutMs, drain.leftMs()));
  });
  ({ port } = server.address() as AddressInfo);
  const report = createReport(log, 'work in the background failed');
  let agenda: RunningAgenda | undefined;
  if (config.role === 'web') posthorn.jobs.follow();
  else agenda = await startJobs({ config, opened, identity, cleanup, drain, report });
  // The operator changes keys by restarting. Reseal now, so that the old key can be removed before the hourly run.
  if (config.role !== 'web') posthorn.resealing.run().catch(report);
  // Last-used times live in memory; a write for each request would be too many.
  const saveLastUsed = async () => {
    await posthorn.tokens.saveLastUsed();
    await posthorn.clients.saveLastUsed();
  };
  const savingTimer = setInterval(() => saveLastUsed().catch(report), minuteMs);
  cleanup.push(() => {
    clearInterval(savingTimer);
    return saveLastUsed();
  });
  cleanup.push(await applyPostponed(opened.database, log, report));
  const sharingTimer = setInterval(() => posthorn.rateLimits.share().catch(report), secondMs);
  cleanup.push(() => clearInterval(sharingTimer));

  const url = config.port === 0 ? `http://localhost:${port}` : config.baseUrl;
  // With several processes on one port, only the parent announces itself.
  if (cluster.isPrimary) cleanup.push(announce(config, url));

  health.endStart();
  log.info({ url, version: packageVersion, pid: process.pid }, 'started');

  let stopped: Promise<void> | undefined;
  /** Takes no new work, but keeps listening until its own work is done: to say so, and for what sends still need. */
  const stop = async () => {
    log.info({ drainSeconds: config.drainMs / 1000 }, 'stopping');
    drain.begin();
    health.beginStop();
    requests.disableKeepAlive();
    posthorn.live.stop();
    posthorn.assistant.stop();
    await Promise.all([agenda?.drain(drain.leftMs()), posthorn.jobs.stop(drain.leftMs())]).catch(report);
    await cleanup.run();
    log.info('stopped');
  };
  return {
    url,
    port,
    posthorn,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};

/** Throws what keeps the service from starting, and logs the other problems. `doctor` reports both in the same words. */
const checkAtStart = async ({ posthorn: { startRules } }: OpenService, log: Logger) => {
  for (const rule of await startRules()) {
    for (const { level, name, message } of await runCheck(rule, { ms: checkMs, again: 'start again' })) {
      if (level === 'warning' || level === 'failure') log.warn({ check: name }, message);
    }
  }
};

const startJobs = async ({
  config: { mongodbUrl, startTimeoutMs },
  opened: {
    connection,
    posthorn: { jobs },
  },
  identity: { purge },
  cleanup,
  drain,
  report,
}: {
  config: Config;
  opened: OpenService;
  identity: Pick<Identity, 'purge'>;
  cleanup: CleanupStack;
  drain: Drain;
  report: (error: unknown) => void;
}) => {
  const { openAgenda } = await import('#server/base/jobs/agenda');
  const agenda = await openAgenda({
    connection,
    mongodbUrl,
    waitMs: Math.min(lockWaitMs, startTimeoutMs),
    name: `${hostname()} ${process.pid} ${randomUUID()}`,
    report,
  });
  cleanup.push(agenda.close);
  jobs.start();
  cleanup.push(() => jobs.stop(drain.leftMs()));
  await jobs.scheduleRecurring(agenda, {
    'remove expired records of the identity provider': { every: '1 hour', run: () => purge?.() },
  });
  return agenda;
};

type Drain = ReturnType<typeof createDrain>;

/** Limits how long work in progress may still take. The time starts with `begin`. */
const createDrain = (drainMs: number) => {
  let elapsedMs = () => 0;
  return {
    begin: () => {
      elapsedMs = startStopwatch();
    },
    leftMs: () => Math.max(0, drainMs - Math.min(closeMs, drainMs / 2) - elapsedMs()),
  };
};
