import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const checkEveryMs = 100;

/** Round robin over the instances that say they are ready, as any balancer does. It repeats nothing itself. */
export const startBalancer = async (ports: readonly number[]) => {
  let ready: readonly number[] = [];
  let turn = 0;
  const isReady = (port: number) =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  const check = async () => {
    const answers = await Promise.all(ports.map(isReady));
    ready = ports.filter((_, index) => answers[index]);
  };
  let checking = true;
  const checks = (async () => {
    while (checking) {
      await check();
      await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    }
  })();

  const server = createServer((req, res) => {
    const port = ready[turn++ % Math.max(ready.length, 1)];
    if (port === undefined) return void res.writeHead(503).end();
    const { method, url: path, headers } = req;
    const out = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.once('error', () => res.destroy());
    });
    out.once('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
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
      await checks;
      server.closeAllConnections();
      server.close();
    },
  };
};
