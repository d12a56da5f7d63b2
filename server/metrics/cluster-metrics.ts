import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';

const answerMs = 2_000;

/** Between a process that was asked for figures, its parent, and the others, whom the parent asks. */
export interface FiguresMessage {
  readonly figures: string;
  /** Those of one process. */
  readonly of?: object[];
  /** Those of all. */
  readonly text?: string;
  /** A process asks for those of all. */
  readonly wanted?: true;
}

/** The figures of all processes of this start added up, or of this one when it is alone. */
export const createFiguresOfAll = (registry: Registry, report: (error: unknown) => void) => {
  if (!cluster.isWorker) return () => registry.metrics();
  const waiting = new Map<string, (text: string) => void>();
  /** Some figures are read from the database: without it this process is left out. */
  const collect = () =>
    registry.getMetricsAsJSON().catch((error: unknown) => {
      report(error);
      return [];
    });
  process.on('message', async ({ figures, text }: Partial<FiguresMessage>) => {
    if (figures === undefined) return;
    if (text === undefined) process.send?.({ figures, of: await collect() } satisfies FiguresMessage);
    else waiting.get(figures)?.(text);
    waiting.delete(figures);
  });
  return () =>
    new Promise<string>((resolve) => {
      const figures = randomUUID();
      waiting.set(figures, resolve);
      process.send?.({ figures, wanted: true } satisfies FiguresMessage);
    });
};

/** In the parent. `ready` are the processes that serve; one that does not answer in time is left out. */
export const figuresFor = (ready: () => readonly Worker[]) => async (asker: Worker, figures: string) => {
  const all = await Promise.all(ready().map((worker) => ask(worker)));
  const text = await AggregatorRegistry.aggregate(all.filter((of) => of !== undefined)).metrics();
  asker.send({ figures, text } satisfies FiguresMessage, () => undefined);
};

const ask = (worker: Worker) =>
  new Promise<object[] | undefined>((resolve) => {
    const figures = randomUUID();
    const end = (of?: object[]) => {
      clearTimeout(late);
      worker.off('message', hear);
      resolve(of);
    };
    const late = setTimeout(end, answerMs);
    const hear = (message: FiguresMessage) => {
      if (message.figures === figures) end(message.of);
    };
    worker.on('message', hear);
    // One that was killed just now cannot be asked. Without this the error would end the parent.
    worker.send({ figures } satisfies FiguresMessage, (error) => {
      if (error) end();
    });
  });
