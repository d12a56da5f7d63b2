import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { buildConnector } from 'undici';
import type { OutboundOptions } from '#server/outbound/guarded-client';

export interface Told {
  readonly host: string;
  /** The first line of the post, or of nothing. */
  readonly title: string;
  /** How often this very delivery came before. */
  readonly before: number;
  /** How many other deliveries came to this host before. */
  readonly earlier: number;
}

interface Event {
  readonly data: { readonly post?: { readonly versions: { content: { body: string }[] }[] } };
}

/**
 * The customers of the demo's webhooks, on loopback. For the guarded client their names lead here and all other names
 * nowhere, so that nothing leaves the machine; the rules about addresses stay as they are.
 */
export const startReceiver = async (hosts: readonly string[], statusFor: (told: Told) => number) => {
  const seen = new Map<string, number>();
  const deliveriesOf = new Map<string, string[]>();
  const server = createServer(async (req, res) => {
    const event = (await json(req)) as Event;
    const delivery = String(req.headers['posthorn-delivery']);
    const before = seen.get(delivery) ?? 0;
    seen.set(delivery, before + 1);
    const host = req.headers.host ?? '';
    const deliveries = deliveriesOf.get(host) ?? [];
    if (before === 0) deliveriesOf.set(host, [...deliveries, delivery]);
    const earlier = before === 0 ? deliveries.length : deliveries.indexOf(delivery);
    const [title = ''] = event.data.post?.versions[0]?.content[0]?.body.split('\n') ?? [];
    res.writeHead(statusFor({ host, title, before, earlier })).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const internet: OutboundOptions = {
    allow: hosts.map((host) => `${host}:443`),
    lookup: (_hostname, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    connectorFor: ({ timeout }) => {
      const connect = buildConnector({ timeout });
      return (target, callback) => {
        if (!hosts.includes(target.hostname))
          return callback(new Error('The demo reaches its own receivers only.'), null);
        connect({ ...target, protocol: 'http:', hostname: '127.0.0.1', port: String(port) }, callback);
      };
    },
  };
  return {
    internet,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
