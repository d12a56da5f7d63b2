import { once } from 'node:events';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, SettingError } from '#server/base/config/config';
import { portAdvice } from '#server/base/health/port-advice';

/** Runs before anything is started. Retries, because a process that was just killed may still hold the port. */
export const mustHaveFreePort = async ({ port, host }: Pick<Config, 'port' | 'host'>) => {
  for (let attempt = 0; ; attempt++) {
    const probe = createServer().listen(port, host);
    try {
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE') throw new SettingError(`Check HOST and PORT: ${(error as Error).message}`);
      if (attempt === 20) {
        throw new SettingError(`Port ${port} is in use, perhaps by another Posthorn. ${portAdvice(port)}`);
      }
      await sleep(250);
    }
  }
};

/** Tracks the requests of a server that have no complete response yet. */
export const trackRequests = (server: HttpServer) => {
  const open = new Set<ServerResponse>();
  let isClosing = false;
  server.on('request', (_req, res) => {
    // A client that has to reconnect reaches another instance.
    if (isClosing) res.shouldKeepAlive = false;
    open.add(res);
    res.once('close', () => open.delete(res));
  });
  return {
    disableKeepAlive: () => {
      isClosing = true;
      for (const res of open) res.shouldKeepAlive = false;
    },
    /** Waits until no request is open, including those that arrive meanwhile, for at most `graceMs`. */
    drain: async (graceMs: number) => {
      const timer = new AbortController();
      const timeout = sleep(graceMs, undefined, { ref: false, signal: timer.signal }).catch(() => undefined);
      let isTimedOut = false;
      void timeout.then(() => {
        isTimedOut = true;
      });
      while (open.size > 0 && !isTimedOut) {
        await Promise.race([
          Promise.all([...open].map((res) => new Promise((resolve) => void res.once('close', resolve)))),
          timeout,
        ]);
      }
      timer.abort();
    },
  };
};

/** Accepts no new connection, and cuts after `graceMs` those whose requests have not finished. */
export const closeServer = async (server: HttpServer, graceMs: number) => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Otherwise a connection that becomes idle would keep the server open for the whole keep-alive timeout.
  server.keepAliveTimeout = 1;
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
};
