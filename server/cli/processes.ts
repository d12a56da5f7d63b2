import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, databaseFolder } from '#server/config/config';
import { type MetricsMessage, sendClusterMetrics } from '#server/metrics/cluster-metrics';
import { announce } from '#server/startup/running-instances';
import { type Embedded, startEmbedded } from '#server/store/embedded';

/** What a process tells its parent once it answers requests. */
export interface Ready {
  readonly ready: string;
}

type Told = Ready & MetricsMessage;

/** Connections to the database of one process, beside those of its pools. */
const listenersAndAgenda = 5;
const spareConnections = 20;
const pauseAfterDeathMs = 1_000;

/**
 * Several processes on one port, each an instance of the service. The parent serves nothing: it keeps the embedded database
 * running, replaces a process that died, and passes a stop on.
 */
export const superviseProcesses = (config: Config) => {
  let isStopping = false;
  let hasServed = false;
  let takeBack = () => {};
  const ready = new Set<Worker>();
  const writeMetrics = sendClusterMetrics(() => [...ready]);

  const begin = () => {
    const worker = cluster.fork();
    worker.on('message', ({ ready: url, metricsRequest, isForAll }: Partial<Told>) => {
      if (url !== undefined) served(worker, url);
      if (metricsRequest !== undefined && isForAll) void writeMetrics(worker, metricsRequest);
    });
    worker.once('exit', (code, signal) => {
      ready.delete(worker);
      void replace(worker, signal ?? `code ${code}`);
    });
  };

  const served = (worker: Worker, url: string) => {
    ready.add(worker);
    if (hasServed) return;
    hasServed = true;
    takeBack = announce({ url, dataDir: config.dataDir, embedded: config.databaseUrl === undefined });
  };

  const replace = async ({ process: { pid } }: Worker, how: string) => {
    if (isStopping) return;
    // Its own words say what has to be set right; another one would end the same way.
    if (!hasServed) return void end(1);
    console.error(`The process ${pid} ended with ${how}. Another takes its place.`);
    await sleep(pauseAfterDeathMs);
    if (!isStopping) begin();
  };

  const end = async (code: number) => {
    await stop();
    process.exit(code);
  };

  const starting = openEmbedded(config).then((embedded) => {
    for (let i = 0; i < config.webProcesses && !isStopping; i++) begin();
    return embedded;
  });
  starting.catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });

  /** The database ends after the last of them. */
  const stop = async () => {
    isStopping = true;
    takeBack();
    const embedded = await starting;
    const alive = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      alive.map((worker) => {
        const gone = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        return gone;
      }),
    );
    await embedded?.stop();
  };

  return { stop };
};

/** Once for all of them, with room for their connections. */
const openEmbedded = async (config: Config): Promise<Embedded | undefined> => {
  if (config.databaseUrl !== undefined) return undefined;
  const connections = config.webProcesses * (2 * config.poolSize + listenersAndAgenda) + spareConnections;
  return startEmbedded(databaseFolder(config), { flags: ['-c', `max_connections=${Math.max(connections, 80)}`] });
};
