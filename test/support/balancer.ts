import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const checkEveryMs = 100;
const timeoutMs = 10_000;

/**
 * Round robin over the instances whose readiness check succeeds, as any balancer does. An instance that breaks a connection
 * is left out until its next successful check. Requests are not retried.
 */
export const startBalancer = async (ports: readonly number[]) => {
  let ready: readonly number[] = [];
  let turn = 0;
  const isReady = (port: number) =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(timeoutMs) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const mark = (port: number, isReady: boolean) => {
    ready = ports.filter((one) => (one === port ? isReady : ready.includes(one)));
  };
  let checking = true;
  // Checked independently, so that a slow instance does not delay the others.
  const checks = ports.map(async (port) => {
    while (checking) {
      mark(port, await isReady(port));
      await sleep(checkEveryMs);
    }
  });

  // Connections are never closed here: a request on one that was about to close would fail.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    const port = ready[turn++ % Math.max(ready.length, 1)];
    if (port === undefined) return void res.writeHead(503).end();
    const { method, url: path, headers } = req;
    const out = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.once('error', () => res.destroy());
    });
    out.once('error', () => {
      // The caller may have left.
      if (!res.destroyed) mark(port, false);
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    });
    req.pipe(out);
    res.once('close', () => out.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => ready,
    stop: async () => {
      checking = false;
      await Promise.all(checks);
      server.closeAllConnections();
      server.close();
    },
  };
};
