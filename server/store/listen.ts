import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { clientFor } from './leader.ts';

const longestPauseMs = 10_000;

export interface Listening {
  /** Whether a notice would be heard now, as far as is known. */
  isListening(): boolean;
  stop(): Promise<void>;
}

/**
 * One connection that listens on a channel and is made again when it is lost. Notices sent meanwhile are lost, so
 * `resumed` tells the listener to look in the database.
 */
export function listen(
  connection: Connection,
  channel: string,
  { heard, resumed, report }: { heard: (payload: string) => void; resumed: () => void; report: (error: Error) => void },
): Listening {
  let stopped = false;
  let client: pg.Client | undefined;
  let isListening = false;

  /** A listener that fails has missed one notice; the connection is not at fault. */
  function tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      report(error as Error);
    }
  }

  async function connect(): Promise<pg.Client> {
    const Client = clientFor(connection);
    const fresh = new Client(connection);
    fresh.on('notification', ({ payload = '' }) => tell(() => heard(payload)));
    fresh.on('error', report);
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
      return fresh;
    } catch (error) {
      // Not awaited: a server that says nothing would keep the listener from its next try.
      void fresh.end().catch(() => undefined);
      throw error;
    }
  }

  async function keep(): Promise<void> {
    for (let pauseMs = 50, first = true; !stopped; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        client = await connect();
        if (stopped) break;
        isListening = true;
        if (!first) tell(resumed);
        first = false;
        pauseMs = 50;
        await new Promise<void>((lost) => client?.once('end', lost));
        isListening = false;
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
    isListening: () => isListening,
    stop: async () => {
      stopped = true;
      isListening = false;
      await client?.end().catch(() => undefined);
    },
  };
}
