import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';

const answerTimeoutMs = 2_000;

/** Sent between the worker that serves /metrics, the primary, and the other workers, which the primary asks. */
export interface MetricsMessage {
  /** The id of the request. */
  readonly metricsRequest: string;
  /** From a worker: its own metrics. */
  readonly metrics?: object[];
  /** From the primary: the metrics of all workers, added up. */
  readonly text?: string;
  /** From a worker that asks for the metrics of all workers, and sends its own with the request. */
  readonly isForAll?: true;
}

/** The metrics of all workers added up, or of this process when it runs alone. */
export const createClusterMetrics = (registry: Registry, report: (error: unknown) => void) => {
  if (!cluster.isWorker) return () => registry.metrics();
  const waiting = new Map<string, (text: string) => void>();
  /** Some metrics are queried from the database: when it fails, this worker is left out. */
  const collect = () =>
    registry.getMetricsAsJSON().catch((error: unknown) => {
      report(error);
      return [];
    });
  process.on('message', async ({ metricsRequest, text }: Partial<MetricsMessage>) => {
    if (metricsRequest === undefined) return;
    if (text === undefined) process.send?.({ metricsRequest, metrics: await collect() } satisfies MetricsMessage);
    else waiting.get(metricsRequest)?.(text);
    waiting.delete(metricsRequest);
  });
  return async () => {
    const metrics = await registry.getMetricsAsJSON();
    return new Promise<string>((resolve) => {
      const metricsRequest = randomUUID();
      waiting.set(metricsRequest, resolve);
      process.send?.({ metricsRequest, metrics, isForAll: true } satisfies MetricsMessage);
    });
  };
};

/** Runs in the primary. `ready` are the workers that serve requests; one that does not answer in time is left out. */
export const sendClusterMetrics =
  (ready: () => readonly Worker[]) =>
  async (requester: Worker, { metricsRequest, metrics: own = [] }: MetricsMessage) => {
    const others = ready().filter((worker) => worker !== requester);
    const all = await Promise.all([own, ...others.map((worker) => collectFrom(worker))]);
    const text = await AggregatorRegistry.aggregate(all.filter((metrics) => metrics !== undefined)).metrics();
    requester.send({ metricsRequest, text } satisfies MetricsMessage, () => undefined);
  };

const collectFrom = (worker: Worker) =>
  new Promise<object[] | undefined>((resolve) => {
    const metricsRequest = randomUUID();
    const end = (metrics?: object[]) => {
      clearTimeout(timeout);
      worker.off('message', receive);
      resolve(metrics);
    };
    const timeout = setTimeout(end, answerTimeoutMs);
    const receive = (message: MetricsMessage) => {
      if (message.metricsRequest === metricsRequest) end(message.metrics);
    };
    worker.on('message', receive);
    // A worker that was just killed has a closed channel. Without this callback the error would end the primary.
    worker.send({ metricsRequest } satisfies MetricsMessage, (error) => {
      if (error) end();
    });
  });
