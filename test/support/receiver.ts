import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
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

/** A certificate for this machine, and the setting with which a service trusts it. */
export const trustedCertificate = () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ca-'));
  const { cert, key } = selfSigned();
  const file = join(folder, 'ca.pem');
  writeFileSync(file, cert);
  return { cert, key, settings: { OUTBOUND_CA: file }, remove: () => rmSync(folder, { recursive: true }) };
};

/** The customer of a webhook, on loopback: keeps what comes and answers each path as the test says, else 200. */
export const startReceiver = async () => {
  const received: Received[] = [];
  const answers = new Map<string, Answering>();
  let paths = 0;
  const { cert, key, settings, remove } = trustedCertificate();
  const server = createServer({ cert, key, keepAliveTimeout: 0 }, async (req, res) => {
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
    url: `https://127.0.0.1:${port}${path}`,
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
    /** With which a service reaches it, and what else is listed. */
    settings: (...more: string[]) => ({ ...settings, OUTBOUND_ALLOW: [`127.0.0.1:${port}`, ...more].join(',') }),
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
      remove();
    },
  };
};

export type Address = ReturnType<Receiver['address']>;
