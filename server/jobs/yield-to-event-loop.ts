import { setImmediate } from 'node:timers/promises';
import { bounds } from '#server/bounds';

/** For work in many small steps: called between them, it lets other requests have their turn. */
export type TakeTurns = () => Promise<void> | undefined;

export const createTurns = (): TakeTurns => {
  let begunMs = performance.now();
  return () =>
    performance.now() - begunMs < bounds.turnMs
      ? undefined
      : setImmediate().then(() => {
          begunMs = performance.now();
        });
};
