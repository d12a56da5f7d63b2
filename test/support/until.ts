import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds that another process or the network brings about. The timeout allows for a busy machine and
 * is never reached when all goes well.
 */
export async function until(what: string, holds: () => unknown, timeoutMs = 120_000): Promise<void> {
  const begun = performance.now();
  const deadline = begun + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`);
    // Less and less often: many conditions are requests, which a busy machine answers late.
    await sleep(Math.min(10 + (performance.now() - begun) / 8, 150));
  }
}
