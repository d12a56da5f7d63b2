import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Sandboxes } from '#server/simulation/sandbox/sandboxes';
import { selfSigned } from '#test/support/certificate';
import { networks } from '#test/support/networks';

/** Hosts that a client may name, and the twin's name for each. */
export type GateHosts = ReadonlyMap<string, string>;

export const hostsOf = (network: string, aliases: Readonly<Record<string, string>> = {}): GateHosts => {
  const own = networks.find(({ key }) => key === network)?.network.hosts ?? {};
  const hosts = new Map(Object.entries(aliases));
  for (const [name, url] of Object.entries(own)) hosts.set(new URL(url).host, name);
  return hosts;
};

export type Gate = Awaited<ReturnType<typeof openGate>>;

/** Answers HTTPS for the hosts of one network, since some networks share a host. */
export const openGate = async (sandboxes: Sandboxes, network: string, hosts: GateHosts) => {
  /** Hosts that a client contacted and that are not a twin: the request would have left this machine. */
  const strays = new Set<string>();
  const pathAt = (host: string) => {
    const name = hosts.get(host);
    return name === undefined ? undefined : `/sandbox/${network}/${name}`;
  };

  const app = express().disable('x-powered-by');
  app.use((req, res, next) => {
    const path = pathAt(req.get('host') ?? '');
    if (path === undefined) {
      strays.add(req.get('host') ?? '(no host)');
      res.status(421).send({ error: 'This host is not a twin.' });
      return;
    }
    // URLs that a twin hands out already begin with its path.
    if (!req.url.startsWith('/sandbox/')) req.url = path + req.url;
    next();
  });
  app.use(sandboxes.router());

  const { cert, key } = selfSigned({ names: [...hosts.keys()] });
  const server = createServer({ cert, key }, app).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    cert,
    strays,
    hosts,
    /** The path of this URL on the twin. */
    pathOf: (url: string) => {
      const { host, pathname, search } = new URL(url);
      const path = pathAt(host);
      if (path === undefined) throw new Error(`${host} is not a host of ${network}`);
      return path + pathname + search;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
