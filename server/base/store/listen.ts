import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { clientFor } from './leader-client.ts';

const maxPauseMs = 10_000;

export interface Listening {
  /** Whether the connection is up. A broken connection may be noticed late. */
  isListening(): boolean;
  stop(): Promise<void>;
}

/**
 * One connection that listens on a channel and reconnects when it is lost. Notifications sent meanwhile are lost, so
 * `onReconnect` tells the listener to query the database.
 */
export function listen(
  connection: Connection,
  channel: string,
  {
    onNotification,
    onReconnect,
    onConnect = () => undefined,
    report,
  }: {
    onNotification: (payload: string) => void;
    onReconnect: () => void;
    /** Called on the first connect: data that was read before may have changed since. */
    onConnect?: () => void;
    report: (error: Error) => void;
  },
): Listening {
  let isStopped = false;
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
    newClient.on('notification', ({ payload = '' }) => tell(() => onNotification(payload)));
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
    for (let pauseMs = 50, first = true; !isStopped; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        client = await connect();
        if (isStopped) break;
        isListening = true;
        tell(first ? onConnect : onReconnect);
        first = false;
        pauseMs = 50;
        await new Promise<void>((lost) => client?.once('end', lost));
        isListening = false;
      } catch (error) {
        if (isStopped) break;
        report(error as Error);
      }
      if (!isStopped) await sleep(pauseMs, undefined, { ref: false });
    }
    await client?.end().catch(() => undefined);
  }

  void keep();
  return {
    isListening: () => isListening,
    stop: async () => {
      isStopped = true;
      isListening = false;
      await client?.end().catch(() => undefined);
    },
  };
}
