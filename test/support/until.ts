import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds that another process or the network brings about. The timeout allows for a busy machine and
 * is never reached when all goes well.
 */
export async function until(what: string, holds: () => unknown, timeoutMs = 60_000): Promise<void> {
  const startMs = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startMs;
    if (waitedMs > timeoutMs) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`);
    // Most conditions ask a service or a database, so a long wait polls less often.
    await sleep(Math.min(10 + waitedMs / 20, 100));
  }
}
