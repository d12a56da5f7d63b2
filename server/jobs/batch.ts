import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Many small writes as few large ones: what comes in while one is under way goes out together with the next. A commit
 * waits for the disk, so this is what decides how many posts a second are possible.
 */
export const createBatch = <Item, Answer>(
  work: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { largest = 200, gatherMs = 0 } = {},
) => {
  let waiting: { item: Item; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = [];
  let busy = false;

  const run = async () => {
    while (waiting.length > 0) {
      // Whatever else comes within this time joins it.
      if (gatherMs > 0 && waiting.length < largest) await sleep(gatherMs);
      const batch = waiting.slice(0, largest);
      waiting = waiting.slice(largest);
      try {
        const answers = await work(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
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
