import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { until } from './until.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came, whatever it is
  readonly event: any;
}

export type ReceiverAnswer = number | ((res: ServerResponse, req: IncomingMessage) => void);
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A certificate for this machine, and the setting that makes a service trust it. */
export const trustedCertificate = () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ca-'));
  const { cert, key } = selfSigned();
  const file = join(folder, 'ca.pem');
  writeFileSync(file, cert);
  return { cert, key, settings: { OUTBOUND_CA: file }, remove: () => rmSync(folder, { recursive: true }) };
};

/** The receiver of webhooks, on loopback: records the requests and answers each path as the test says, else with 200. */
export const startReceiver = async () => {
  const received: ReceivedRequest[] = [];
  const answers = new Map<string, ReceiverAnswer>();
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
    answer: (answering: ReceiverAnswer) => answers.set(path, answering),
    received: () => received.filter((one) => one.path === path),
    /** Waits for the n-th request. */
    nth: async (n: number): Promise<ReceivedRequest> => {
      const all = () => received.filter((one) => one.path === path);
      await until(`${n} requests have come to ${path}`, () => all().length >= n);
      return all()[n - 1] as ReceivedRequest;
    },
  });

  return {
    port,
    /** Settings that let a service reach it; `more` are other allowed hosts. */
    settings: (...more: string[]) => ({ ...settings, OUTBOUND_ALLOW: [`127.0.0.1:${port}`, ...more].join(',') }),
    received,
    /** A new address. */
    address: (answering: ReceiverAnswer = 200) => {
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
