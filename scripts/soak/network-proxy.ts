import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorldClock } from './clocks.ts';
import { receivedHeader } from './twins.ts';

/** Faults between the service and a network. */
export const wayFaults = {
  late: 'acts on the request long after we gave up waiting',
  lost: 'acts on it and never answers',
  'reset-before': 'the connection breaks before the request arrives',
  'reset-after': 'acts on it, then the connection breaks',
  'cut-answer': 'acts on it, and the connection breaks in the middle of its answer',
  'error-after': 'acts on it and answers 500',
  'bad-gateway': 'does nothing and answers 502',
  hang: 'does nothing and never answers',
  slow: 'answers after some seconds',
} as const;
export type WayFault = keyof typeof wayFaults;

interface ArmedFault {
  readonly fault: WayFault;
  /** True: only a request that publishes something. False: any request that writes. */
  readonly isForPublishing: boolean;
  /** How long a late network holds the request, or a slow one takes. */
  readonly forMs: number;
  readonly hit: () => void;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Armed faults per network; more would pile up at networks with few posts. */
const maxArmed = 2;
const checkEveryMs = 200;

export type NetworkProxy = Awaited<ReturnType<typeof startNetworkProxy>>;

/** A proxy between the adapters and the twins. Each armed fault hits the next request to its network. */
export const startNetworkProxy = async ({
  twinsPort,
  clock,
  delayMs,
}: {
  twinsPort: number;
  clock: WorldClock;
  delayMs: () => number;
}) => {
  const agent = new Agent({ keepAlive: true });
  const armed = new Map<string, ArmedFault[]>();
  /** Methods and paths (without ids) of requests that published something. */
  const publishing = new Set<string>();
  let held: { readonly atMs: number; readonly forward: () => Promise<unknown> }[] = [];

  const forward = (req: IncomingMessage, body: Buffer, receivedAtMs: number) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = { ...req.headers, [receivedHeader]: String(receivedAtMs), 'content-length': String(body.length) };
      const { 'transfer-encoding': _, ...plain } = headers as Record<string, string | string[] | undefined>;
      const upstream = request(
        { host: '127.0.0.1', port: twinsPort, method: req.method, path: req.url, headers: plain, agent },
        async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) chunks.push(chunk);
          const { 'x-soak-published': hasPublished, ...others } = answer.headers;
          if (hasPublished) publishing.add(shapeOf(req));
          resolve({ status: answer.statusCode ?? 502, headers: others, body: Buffer.concat(chunks) });
        },
      );
      upstream.on('error', reject);
      upstream.end(body);
    });

  const take = (req: IncomingMessage) => {
    if (req.method === 'GET' || req.method === 'HEAD') return undefined;
    const waiting = armed.get(networkOf(req)) ?? [];
    const isPublishing = publishing.has(shapeOf(req));
    const index = waiting.findIndex(({ isForPublishing }) => isPublishing || !isForPublishing);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  };

  const misbehave = async (
    { fault, forMs }: ArmedFault,
    res: ServerResponse,
    act: () => Promise<Answer>,
  ): Promise<unknown> => {
    switch (fault) {
      case 'late':
        held.push({ atMs: clock.nowMs() + forMs, forward: act });
        return;
      case 'lost':
        return act();
      case 'hang':
        return;
      case 'reset-before':
        return res.socket?.resetAndDestroy();
      case 'reset-after':
        await act();
        return res.socket?.resetAndDestroy();
      case 'cut-answer': {
        const { status, headers, body } = await act();
        const { 'transfer-encoding': _, ...others } = headers;
        res.writeHead(status, { ...others, 'content-length': body.length + 100 });
        return res.write(body.subarray(0, Math.ceil(body.length / 2)), () => res.destroy());
      }
      case 'error-after':
        await act();
        return res.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Internal Server Error</h1>');
      case 'bad-gateway':
        return res.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
      case 'slow':
        await sleep(forMs);
        return respond(res, await act());
    }
  };

  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const receivedAtMs = clock.nowMs();
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    await sleep(delayMs());
    const act = () => forward(req, body, receivedAtMs);
    const fault = take(req);
    if (fault === undefined) return respond(res, await act());
    fault.hit();
    await misbehave(fault, res, act);
  };

  const server = createServer((req, res) => {
    handle(req, res).catch(() => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const forwardHeld = async () => {
    const due = held.filter(({ atMs }) => atMs <= clock.nowMs());
    held = held.filter((one) => !due.includes(one));
    for (const one of due) await one.forward().catch(() => undefined);
  };
  const timer = setInterval(() => void forwardHeld(), checkEveryMs);

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,

    /** False when enough faults are already armed for this network. */
    arm: (network: string, fault: ArmedFault) => {
      const waiting = armed.get(network) ?? [];
      if (waiting.length >= maxArmed) return false;
      armed.set(network, [...waiting, fault]);
      return true;
    },

    disarm: () => armed.clear(),

    /** How many requests a late network still holds. */
    held: () => held.length,
    forwardHeld,

    stop: () => {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
};

const respond = (res: ServerResponse, { status, headers, body }: Answer) => {
  const { 'transfer-encoding': _, connection: __, 'keep-alive': ___, ...others } = headers;
  res.writeHead(status, { ...others, 'content-length': body.length }).end(body);
};

/** `/sandbox/<network>/…` */
const networkOf = ({ url = '' }: IncomingMessage) => url.split('/')[2] ?? '';

const shapeOf = ({ method, url = '' }: IncomingMessage) =>
  `${method} ${(url.split('?')[0] ?? '').replace(/\/[^/]*\d{4,}[^/]*/g, '/:id')}`;
