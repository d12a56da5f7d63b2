import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a condition holds that another process or the network brings about. The timeout allows for a busy machine and
 * is never reached when all goes well.
 */
export async function until(what: string, holds: () => unknown, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}`);
    await sleep(10);
  }
}
