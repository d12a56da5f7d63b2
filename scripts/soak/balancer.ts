import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

/** A minimal balancer: round robin over the targets that are up, 502 when the chosen one fails. It never retries. */
export const startBalancer = async () => {
  const targets = new Map<number, boolean>();
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const server = createServer((req, res) => {
    const up = [...targets].filter(([, isUp]) => isUp).map(([port]) => port);
    const port = up[next++ % Math.max(up.length, 1)];
    const fail = () => {
      if (res.headersSent) res.destroy();
      else
        res
          .writeHead(502, { 'content-type': 'application/json' })
          .end('{"code":"Internal","message":"no instance","issues":[]}');
    };
    if (port === undefined) return fail();
    const { method, url, headers } = req;
    const upstream = request({ host: '127.0.0.1', port, method, path: url, headers, agent }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => res.destroy()).pipe(res);
    });
    upstream.on('error', fail);
    // A stopped process never answers.
    upstream.setTimeout(10_000, () => upstream.destroy());
    req.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (port: number, isUp: boolean) => targets.set(port, isUp),
    close: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
};
