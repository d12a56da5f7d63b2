import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';

/** Between a process that was asked for figures and its parent, who asks all of them. */
interface Ask {
  readonly figures: string;
}
interface Told extends Ask {
  readonly text?: string;
  readonly trouble?: string;
}

/** The figures of all processes of this start added up, or of this one when it is alone. */
export const createFiguresOfAll = (registry: Registry) => {
  if (!cluster.isWorker) return () => registry.metrics();
  AggregatorRegistry.setRegistries([registry]);
  new AggregatorRegistry(); // answers the parent
  return () =>
    new Promise<string>((resolve, reject) => {
      const figures = randomUUID();
      const hear = (told: Told) => {
        if (told.figures !== figures) return;
        process.off('message', hear);
        if (told.text === undefined) reject(new Error(`figures of the other processes: ${told.trouble}`));
        else resolve(told.text);
      };
      process.on('message', hear);
      process.send?.({ figures } satisfies Ask);
    });
};

/** In the parent: answers each of its processes. */
export const tellFiguresOfAll = () => {
  const all = new AggregatorRegistry();
  return (worker: Worker) =>
    worker.on('message', async ({ figures }: Partial<Ask>) => {
      if (figures === undefined) return;
      const told = await all.clusterMetrics().then(
        (text) => ({ figures, text }),
        (error: Error) => ({ figures, trouble: error.message }),
      );
      if (worker.isConnected()) worker.send(told satisfies Told);
    });
};
