import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const longestPauseMs = 10_000;

export interface Listening {
  stop(): Promise<void>;
}

/**
 * One connection that hears what any instance says on a channel, made again when it is lost. What is said meanwhile is
 * lost with it, so `resumed` tells the hearer to look for itself.
 */
export function listen(
  connection: pg.ClientConfig,
  channel: string,
  { heard, resumed, report }: { heard: (payload: string) => void; resumed: () => void; report: (error: Error) => void },
): Listening {
  let stopped = false;
  let client: pg.Client | undefined;

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({ ...connection, keepAlive: true });
    fresh.on('notification', ({ payload = '' }) => heard(payload));
    fresh.on('error', report);
    await fresh.connect();
    await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    return fresh;
  }

  async function keep(): Promise<void> {
    for (let pauseMs = 50, first = true; !stopped; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        client = await connect();
        if (stopped) break;
        if (!first) resumed();
        first = false;
        pauseMs = 50;
        await new Promise<void>((lost) => client?.once('end', lost));
      } catch (error) {
        if (stopped) break;
        report(error as Error);
      }
      if (!stopped) await sleep(pauseMs, undefined, { ref: false });
    }
    await client?.end().catch(() => undefined);
  }

  void keep();
  return {
    stop: async () => {
      stopped = true;
      await client?.end().catch(() => undefined);
    },
  };
}
