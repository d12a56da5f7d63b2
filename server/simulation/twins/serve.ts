import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { Refusal } from '#server/base/errors';
import type { Network } from '#server/networks/network';
import type { Sandbox } from '#server/networks/sandbox';
import { adminRoutes } from './admin-routes.ts';
import { createMediaFetch, isLoopback } from './media-fetch.ts';
import { pageRoutes } from './page.ts';
import { createTwins, type Twins } from './twins.ts';

/**
 * Listens at once, and holds requests until the demo account is signed in at every network. Rejects with Node's error when a
 * port cannot be used.
 */
export const serveTwins = async ({
  folders,
  networks,
  host,
  port,
  hostPorts,
  keep,
  handle,
}: {
  folders: Readonly<Record<string, Sandbox>>;
  networks: readonly Network[];
  host: string;
  /** 0: any that is free. */
  port: number;
  /** The first of consecutive ports, one for each host of each network; 0: any that are free. */
  hostPorts?: number | undefined;
  keep: number;
  handle: string;
}) => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  const url = urlOf(server, host);
  const hostServers =
    hostPorts === undefined
      ? []
      : await listenForHosts(networks, host, hostPorts).catch((error: unknown) => {
          server.close();
          throw error;
        });
  const hostUrls = Object.fromEntries(hostServers.map(({ path, server }) => [path, urlOf(server, host)]));
  const fetchMedia = createMediaFetch({ isExposed: !isLoopback(host) });
  const opening = createTwins({ folders, networks, url, hostUrls, handle, keep, fetchMedia }).then((twins) => ({
    twins,
    app: createApp(twins),
  }));
  const answer: RequestListener = (req, res) => {
    opening.then(
      ({ app }) => app(req, res),
      () => res.destroy(),
    );
  };
  server.on('request', answer);
  for (const { path, server: hostServer } of hostServers) {
    hostServer.on('request', (req, res) => {
      req.url = `/sandbox/${path}${req.url}`;
      // URLs in the response must have the one port that serves all paths.
      req.headers.host = new URL(url).host;
      answer(req, res);
    });
  }
  return (await opening).twins;
};

/** For clients that accept a host, but no path prefix. */
const listenForHosts = async (networks: readonly Network[], address: string, first: number) => {
  const paths = networks.flatMap(({ key, hosts }) => Object.keys(hosts).map((host) => `${key}/${host}`));
  const servers = paths.map((path, index) => ({
    path,
    server: createServer().listen(first === 0 ? 0 : first + index, address),
  }));
  try {
    await Promise.all(servers.map(({ server }) => once(server, 'listening')));
  } catch (error) {
    for (const { server } of servers) server.close();
    throw error;
  }
  return servers;
};

const urlOf = (server: Server, host: string) => `http://${nameOf(host)}:${(server.address() as AddressInfo).port}`;

/** As this machine reaches it. */
const nameOf = (host: string) => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

const createApp = (twins: Twins) => {
  const app = express().disable('x-powered-by').disable('etag');
  app.get('/healthz', (_req, res) => void res.type('text').send('ok'));
  app.use('/admin', adminRoutes(twins));
  app.use(pageRoutes(twins));
  app.use('/sandbox/:network', twins.requests.record);
  app.use(twins.router);
  app.use((req: Request, _res: Response) => {
    throw new Refusal('NotFound', noSuchPath(twins, req));
  });
  return app.use(answerErrors);
};

const noSuchPath = ({ networks }: Twins, { method, path }: Request) => {
  const [, , key, ...rest] = path.slice(0, 200).split('/');
  const network = networks.find((one) => path.startsWith('/sandbox/') && one.key === key);
  return network
    ? `The twin of ${network.name} has no ${method} /${rest.join('/')}. It has the calls that Posthorn uses: see docs/twins.md.`
    : `There is nothing at ${path.slice(0, 200)}. GET /admin lists the addresses of the networks.`;
};

const answerErrors: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const refusal = error instanceof Refusal ? error : (fromExpress(error) ?? internal);
  if (refusal.code === 'Internal') console.error(error);
  if (res.headersSent) res.destroy();
  else res.status(refusal.status).send(refusal.body);
};

const internal = new Refusal('Internal', 'Something went wrong in the twins. What they print says more.');

/** A path or a body that Express refuses. */
const fromExpress = (error: unknown) => {
  const { status = 500, message } = error as { status?: number; message: string };
  return status < 500 ? new Refusal('BadInput', message, [], status) : undefined;
};
