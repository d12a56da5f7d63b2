import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, databaseFolder } from '#server/base/config/config';
import { type Embedded, startEmbedded } from '#server/base/store/embedded';
import { type MetricsMessage, sendClusterMetrics } from '#server/operation/metrics/cluster-metrics';
import { announce } from '#server/operation/startup/running-instances';

/** Sent by a worker to its parent once it answers requests. */
export interface Ready {
  readonly ready: string;
}

/** Database connections of one process for listeners and Agenda, in addition to its pools. */
const listenersAndAgenda = 5;
const spareConnections = 20;
const restartDelayMs = 1_000;
/** A worker that hangs does not end itself when DRAIN_SECONDS are over. */
const killDelayMs = 1_000;
/** PostgreSQL ends the connections of a killed worker within this time, even on a busy machine. */
const killedConnectionMs = 2_000;

/**
 * Runs several workers on one port, each an instance of the service. The parent serves no requests: it runs the
 * embedded database, replaces workers that died, and forwards a stop.
 */
export const superviseProcesses = (config: Config) => {
  let isStopping = false;
  let hasServed = false;
  let endAnnouncement = () => {};
  const ready = new Set<Worker>();
  const writeMetrics = sendClusterMetrics(() => [...ready]);

  const startWorker = () => {
    const worker = cluster.fork();
    worker.on('message', (message: Ready | MetricsMessage) => {
      if ('ready' in message) markReady(worker, message.ready);
      else if (message.isForAll) void writeMetrics(worker, message);
    });
    worker.once('exit', (code, signal) => {
      ready.delete(worker);
      void replace(worker, signal ?? `code ${code}`);
    });
  };

  const markReady = (worker: Worker, url: string) => {
    ready.add(worker);
    if (hasServed) return;
    hasServed = true;
    endAnnouncement = announce(config, url);
  };

  const replace = async ({ process: { pid } }: Worker, how: string) => {
    if (isStopping) return;
    // No worker has served yet, so a new one would fail the same way. Its own error message says why.
    if (!hasServed) return void end(1);
    console.error(`The process ${pid} ended with ${how}. Another takes its place.`);
    await sleep(restartDelayMs);
    if (!isStopping) startWorker();
  };

  const end = async (code: number) => {
    await stop();
    process.exit(code);
  };

  const starting = openEmbedded(config).then((embedded) => {
    for (let i = 0; i < config.webProcesses && !isStopping; i++) startWorker();
    return embedded;
  });
  starting.catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });

  /** Stops the embedded database after the last worker. */
  const stop = async () => {
    isStopping = true;
    endAnnouncement();
    const embedded = await starting;
    const alive = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const killTimer = setTimeout(() => {
      for (const worker of alive) worker.process.kill('SIGKILL');
    }, config.drainMs + killDelayMs);
    await Promise.all(
      alive.map((worker) => {
        const exit = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        return exit;
      }),
    );
    clearTimeout(killTimer);
    await embedded?.stop({ waitMs: killedConnectionMs });
  };

  return { stop };
};

/** One embedded database for all workers, with enough connections. */
const openEmbedded = async (config: Config): Promise<Embedded | undefined> => {
  if (config.databaseUrl !== undefined) return undefined;
  const connections = config.webProcesses * (2 * config.poolSize + listenersAndAgenda) + spareConnections;
  return startEmbedded(databaseFolder(config), { flags: ['-c', `max_connections=${Math.max(connections, 80)}`] });
};
