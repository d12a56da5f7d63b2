import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Sandboxes } from '#server/sandbox/serve';
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

/**
 * Answers HTTPS for the hosts of one network at a time, since some networks share a host. A request for any other host
 * is refused and remembered: it would have left this machine.
 */
export const openGate = async (sandboxes: Sandboxes, everyHost: readonly string[]) => {
  let network = '';
  let hosts: GateHosts = new Map();
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
    // Addresses that a twin hands out begin with its path already.
    if (!req.url.startsWith('/sandbox/')) req.url = path + req.url;
    next();
  });
  app.use(sandboxes.router());

  const { cert, key } = selfSigned({ names: [...everyHost] });
  const server = createServer({ cert, key }, app).listen(0, '127.0.0.1');
  // A host without a name in the certificate never gets as far as a request.
  server.on('tlsClientError', (_error, socket) => {
    const name = (socket as unknown as { servername?: string | false }).servername;
    if (name && !everyHost.includes(name)) strays.add(name);
  });
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    cert,
    strays,
    serve: (key: string, served: GateHosts) => {
      network = key;
      hosts = served;
    },
    /** The same address at the twin. */
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
