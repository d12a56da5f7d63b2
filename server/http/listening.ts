import { once } from 'node:events';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, SettingError } from '#server/config/config';

/** Checked before anything is started. A process that was just killed gets a moment to release the port. */
export const mustBeFree = async ({ port, host }: Pick<Config, 'port' | 'host'>) => {
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
        throw new SettingError(
          `Port ${port} is in use, perhaps by another Posthorn. Stop that program, or choose another port with PORT=${port + 1}.`,
        );
      }
      await sleep(250);
    }
  }
};

/** The requests of a server that have no complete answer yet. */
export const requestsOf = (server: HttpServer) => {
  const open = new Set<ServerResponse>();
  let last = false;
  server.on('request', (_req, res) => {
    // The next one on this connection is for another instance.
    if (last) res.shouldKeepAlive = false;
    open.add(res);
    res.once('close', () => open.delete(res));
  });
  return {
    areTheLast: () => {
      last = true;
      for (const res of open) res.shouldKeepAlive = false;
    },
    /** Waits until there is none, also of those that still come, at most so long. */
    ended: async (graceMs: number) => {
      const given = new AbortController();
      const up = sleep(graceMs, undefined, { ref: false, signal: given.signal }).catch(() => undefined);
      let isUp = false;
      void up.then(() => {
        isUp = true;
      });
      while (open.size > 0 && !isUp) {
        await Promise.race([
          Promise.all([...open].map((res) => new Promise((ended) => void res.once('close', ended)))),
          up,
        ]);
      }
      given.abort();
    },
  };
};

/** Takes no new connection, lets requests under way end, then closes what is left. */
export const closeServer = async (server: HttpServer, graceMs: number) => {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Otherwise an idle connection would keep the server open for its whole keep-alive time.
  server.keepAliveTimeout = 1;
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
};
