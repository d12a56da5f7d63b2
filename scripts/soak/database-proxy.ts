import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Random } from './random.ts';

/** Faults between a process and PostgreSQL. */
export const connectionFaults = {
  cut: 'the connection breaks',
  'answer-lost': 'the next statement arrives, and the connection breaks before its answer',
  silent: 'nothing comes through in either direction for a while',
  'half-closed': 'one side has closed, and the other one is not told for a while',
  slow: 'everything takes longer for a while',
} as const;
export type ConnectionFault = keyof typeof connectionFaults;

/**
 * With fewer open connections, processes are still starting. At hundreds of faults a minute, each of their connections
 * would break within a second, and no start would ever succeed.
 */
export const fewestConnections = 10;

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isFaulty: boolean;
}

export type DatabaseProxy = Awaited<ReturnType<typeof startDatabaseProxy>>;

/** A TCP port in front of PostgreSQL's socket. Its connections can suffer all the faults above. */
export const startDatabaseProxy = async (socketPath: string) => {
  const links = new Set<Link>();
  const endings = new Set<() => void>();

  const proxy = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const server = connect({ path: socketPath, allowHalfOpen: true });
    const link: Link = { client, server, isFaulty: false };
    links.add(link);
    const close = () => {
      links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('data', (chunk) => {
        if (to.writable && !to.write(chunk)) {
          from.pause();
          to.once('drain', () => from.resume());
        }
      });
      from.on('end', () => {
        if (!link.isFaulty) to.end();
      });
      from.on('error', close);
      from.on('close', () => {
        if (!link.isFaulty) close();
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  const breakOff = (link: Link) => {
    links.delete(link);
    link.client.resetAndDestroy();
    link.server.destroy();
  };

  /** Calls `end` after `ms`, or earlier when all faults end. */
  const endAfter = (ms: number, end: () => void) => {
    const once = () => {
      clearTimeout(timer);
      endings.delete(once);
      end();
    };
    const timer = setTimeout(once, ms);
    endings.add(once);
  };

  const faults: Record<ConnectionFault, (link: Link, forMs: number, random: Random) => void> = {
    cut: breakOff,

    'answer-lost': (link) => {
      // Drops the answer: by then PostgreSQL has done the work.
      link.client.once('data', () => {
        link.server.removeAllListeners('data');
        link.server.once('data', () => breakOff(link));
      });
      // If one side closes before the answer, close the other side too, as TCP would.
      for (const socket of [link.client, link.server]) socket.once('close', () => breakOff(link));
    },

    silent: (link, forMs, random) => {
      link.client.pause();
      link.server.pause();
      const isOver = random.chance(0.5);
      endAfter(forMs, () => {
        if (isOver) return breakOff(link);
        link.isFaulty = false;
        link.client.resume();
        link.server.resume();
      });
    },

    'half-closed': (link, forMs, random) => {
      // Discards what the other side still writes.
      for (const socket of [link.client, link.server]) {
        socket.removeAllListeners('data');
        socket.on('data', () => undefined);
      }
      (random.chance(0.5) ? link.client : link.server).end();
      endAfter(forMs, () => breakOff(link));
    },

    slow: (link, forMs) => {
      const isOpen = () => links.has(link);
      const timer = setInterval(() => {
        for (const socket of [link.client, link.server]) socket.pause();
        setTimeout(() => isOpen() && [link.client, link.server].map((socket) => socket.resume()), 150);
      }, 200);
      endAfter(forMs, () => {
        clearInterval(timer);
        // What closed meanwhile told the other side nothing.
        if ([link.client, link.server].some(({ closed, readableEnded }) => closed || readableEnded))
          return breakOff(link);
        link.isFaulty = false;
        for (const socket of [link.client, link.server]) socket.resume();
      });
    },
  };

  return {
    port: (proxy.address() as AddressInfo).port,

    /** Breaks one healthy connection. False when too few are open. */
    inject: (fault: ConnectionFault, forMs: number, random: Random) => {
      const healthy = [...links].filter(({ isFaulty }) => !isFaulty);
      const link = random.shuffle(healthy)[0];
      if (link === undefined || healthy.length < fewestConnections) return false;
      link.isFaulty = true;
      faults[fault](link, forMs, random);
      return true;
    },

    calm: () => {
      for (const end of [...endings]) end();
      // Break the connections that still waited for an answer to drop.
      for (const link of [...links]) if (link.isFaulty) breakOff(link);
    },

    stop: () => {
      for (const link of [...links]) breakOff(link);
      proxy.close();
    },
  };
};
