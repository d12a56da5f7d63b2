import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came, whatever it is
  readonly event: any;
}

export type Answering = number | ((res: ServerResponse, req: IncomingMessage) => void);
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** The customer of a webhook, on loopback: keeps what comes and answers each path as the test says, else 200. */
export const startReceiver = async () => {
  const received: Received[] = [];
  const answers = new Map<string, Answering>();
  let paths = 0;
  const server = createServer(async (req, res) => {
    const { url: path = '', method = '', headers } = req;
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    received.push({ path, method, headers, raw, event: JSON.parse(raw) });
    const answer = answers.get(path) ?? 200;
    if (typeof answer === 'number') res.writeHead(answer).end();
    else answer(res, req);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const at = (path: string) => ({
    url: `http://127.0.0.1:${port}${path}`,
    answer: (answering: Answering) => answers.set(path, answering),
    received: () => received.filter((one) => one.path === path),
    /** The n-th request, when it has come. */
    nth: async (n: number): Promise<Received> => {
      const all = () => received.filter((one) => one.path === path);
      await until(`${n} requests have come to ${path}`, () => all().length >= n);
      return all()[n - 1] as Received;
    },
  });

  return {
    port,
    host: `127.0.0.1:${port}`,
    received,
    /** An address of its own. */
    address: (answering: Answering = 200) => {
      const address = at(`/hook-${++paths}`);
      address.answer(answering);
      return address;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type Address = ReturnType<Receiver['address']>;
