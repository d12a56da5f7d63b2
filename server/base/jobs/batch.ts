import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '#server/base/store/retry';

/**
 * Combines small writes: items that arrive while a batch is being written form the next batch. Every commit waits for
 * the disk, so batching decides how many posts per second are possible. If a batch is refused, its items are written
 * one by one, so that a bad item does not fail the others. While the database keeps failing, batches get smaller,
 * because a small one may get through where a large one does not.
 */
export const createBatch = <Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { maxSize = 200, gatherMs = () => 0 }: { maxSize?: number; gatherMs?: () => number } = {},
) => {
  interface PendingItem {
    readonly item: Item;
    resolve(answer: Answer): void;
    reject(error: unknown): void;
  }
  let pending: PendingItem[] = [];
  let isRunning = false;
  let size = maxSize;

  const run = async () => {
    while (pending.length > 0) {
      // Give a batch that is not full time to grow.
      const waitMs = pending.length < size ? gatherMs() : 0;
      if (waitMs > 0) await sleep(waitMs);
      const batch = pending.slice(0, size);
      pending = pending.slice(size);
      await write(batch);
    }
    isRunning = false;
  };

  const write = async (batch: readonly PendingItem[]) => {
    try {
      const answers = await work(batch.map(({ item }) => item));
      size = Math.min(maxSize, Math.max(size, batch.length * 2));
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
      pending.push({ item, resolve, reject });
      // setImmediate, so that items added in the same tick join the batch.
      if (!isRunning) {
        isRunning = true;
        setImmediate(run);
      }
    });
};
