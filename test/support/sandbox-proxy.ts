import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { startService } from './service.ts';

export type SandboxProxy = Awaited<ReturnType<typeof startSandboxProxy>>;

/** A proxy between a service and the sandbox. A test sees the requests, holds them back, and answers in the network's place. */
export const startSandboxProxy = async (target = '') => {
  const proxy = {
    url: '',
    target,
    requests: [] as string[],
    /** A request is forwarded when this resolves. */
    gate: (_path: string): Promise<unknown> | undefined => undefined,
    /** A response is returned when this resolves. */
    answerGate: (_path: string): Promise<unknown> | undefined => undefined,
    /** True: the test has answered, or the request stays without an answer. */
    answer: (_path: string, _res: ServerResponse): boolean => false,
    hangUp: () => server.closeAllConnections(),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  // Connections are never closed here: a request on one that was about to close would fail.
  const server = createServer({ keepAliveTimeout: 0 }, async (req: IncomingMessage, res) => {
    const path = req.url ?? '';
    proxy.requests.push(path);
    await proxy.gate(path);
    if (proxy.answer(path, res)) return;
    const forwarded = request(proxy.target + path, { method: req.method, headers: req.headers }, async (answer) => {
      await proxy.answerGate(path);
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, res, () => undefined);
    });
    forwarded.on('error', () => res.destroy());
    req.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
};

/** A service that reaches its sandbox through a proxy. */
export const startServiceWithProxy = async (...[settings, how]: Parameters<typeof startService>) => {
  const proxy = await startSandboxProxy();
  const service = await startService({ SANDBOX_URL: proxy.url, ...settings }, how);
  proxy.target = service.url;
  return { service, proxy };
};
