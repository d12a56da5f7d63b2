import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '#server/store/retry';

/**
 * Many small writes as few large ones: what comes in while one is under way goes out together with the next. A commit
 * waits for the disk, so this is what decides how many posts a second are possible. When one is refused, each item is
 * written alone, so that the others do not suffer from it. While the database keeps breaking, batches get smaller: a
 * small one gets through where a large one does not.
 */
export const createBatch = <Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { largest = 200, gatherMs = () => 0 }: { largest?: number; gatherMs?: () => number } = {},
) => {
  interface Waiting {
    readonly item: Item;
    resolve(answer: Answer): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let busy = false;
  let size = largest;

  const run = async () => {
    while (waiting.length > 0) {
      // Whatever else comes within this time joins it.
      const gatheringMs = waiting.length < size ? gatherMs() : 0;
      if (gatheringMs > 0) await sleep(gatheringMs);
      const batch = waiting.slice(0, size);
      waiting = waiting.slice(size);
      await write(batch);
    }
    busy = false;
  };

  const write = async (batch: readonly Waiting[]) => {
    try {
      const answers = await work(batch.map(({ item }) => item));
      size = Math.min(largest, Math.max(size, batch.length * 2));
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      if (batch.length > 1 && !isRetryable(error)) for (const one of batch) await write([one]);
      else {
        if (isRetryable(error)) size = Math.ceil(batch.length / 2);
        for (const { reject } of batch) reject(error);
      }
    }
  };

  return (item: Item): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Whatever else comes in the same turn joins it.
      if (!busy) {
        busy = true;
        setImmediate(run);
      }
    });
};
