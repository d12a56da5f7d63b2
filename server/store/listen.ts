import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { clientFor } from './leader.ts';

const maxPauseMs = 10_000;

export interface Listening {
  /** Whether the connection is up, as far as is known. */
  isListening(): boolean;
  stop(): Promise<void>;
}

/**
 * One connection that listens on a channel and reconnects when it is lost. Notifications sent meanwhile are lost, so
 * `resumed` tells the listener to query the database.
 */
export function listen(
  connection: Connection,
  channel: string,
  {
    heard,
    resumed,
    started = () => undefined,
    report,
  }: {
    heard: (payload: string) => void;
    resumed: () => void;
    /** What was read before may have changed until now. */
    started?: () => void;
    report: (error: Error) => void;
  },
): Listening {
  let stopped = false;
  let client: pg.Client | undefined;
  let isListening = false;

  /** An error in a listener is reported and must not end the connection. */
  function tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      report(error as Error);
    }
  }

  async function connect(): Promise<pg.Client> {
    const Client = clientFor(connection);
    const newClient = new Client(connection);
    newClient.on('notification', ({ payload = '' }) => tell(() => heard(payload)));
    newClient.on('error', report);
    try {
      await newClient.connect();
      await newClient.query(`listen ${pg.escapeIdentifier(channel)}`);
      return newClient;
    } catch (error) {
      // Not awaited: a server that does not answer would delay the next attempt.
      void newClient.end().catch(() => undefined);
      throw error;
    }
  }

  async function keep(): Promise<void> {
    for (let pauseMs = 50, first = true; !stopped; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        client = await connect();
        if (stopped) break;
        isListening = true;
        tell(first ? started : resumed);
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
