import { setImmediate } from 'node:timers/promises';
import { bounds } from '#server/base/bounds';

/**
 * Long synchronous work calls it between small steps. It yields only if `bounds.yieldAfterMs` have passed since it last
 * did.
 */
export type YieldToEventLoop = () => Promise<void> | undefined;

export const createYieldToEventLoop = (): YieldToEventLoop => {
  let startedMs = performance.now();
  return () =>
    performance.now() - startedMs < bounds.yieldAfterMs
      ? undefined
      : setImmediate().then(() => {
          startedMs = performance.now();
        });
};
