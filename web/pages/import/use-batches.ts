import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Import } from '#generated/app-client';
import { keys } from '#web/base/queries.ts';

export type Work = 'save' | 'schedule' | 'undo';

/** One batch; `next` is the row to continue after. */
type Step = (after: number) => PromiseLike<{ import: Import; next?: number }>;

/** Runs batch after batch until all rows are done or the person stops. Finished batches stay. */
export const useBatches = (id: string) => {
  const client = useQueryClient();
  const [running, setRunning] = useState<{ what: Work; row: number }>();
  const [fault, setFault] = useState<unknown>();
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  const run = async (what: Work, step: Step) => {
    isStopped.current = false;
    setFault(undefined);
    setRunning({ what, row: 0 });
    try {
      for (let after: number | undefined = 0; after !== undefined && !isStopped.current; ) {
        const { import: read, next }: Awaited<ReturnType<Step>> = await step(after);
        client.setQueryData(keys.import(id), read);
        after = next;
        if (next !== undefined) setRunning({ what, row: next });
      }
    } catch (error) {
      setFault(error);
    } finally {
      setRunning(undefined);
      await client.invalidateQueries({ queryKey: keys.imports });
      await client.invalidateQueries({ queryKey: ['posts'] });
    }
  };

  return {
    running,
    fault,
    run: (...all: Parameters<typeof run>) => void run(...all),
    stop: () => {
      isStopped.current = true;
    },
  };
};
