import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { buildConnector } from 'undici';
import type { OutboundOptions } from '#server/base/outbound/guarded-client';

export interface ReceivedDelivery {
  readonly host: string;
  /** The first line of the post; empty for other events. */
  readonly title: string;
  /** Earlier attempts of this delivery. */
  readonly before: number;
  /** Other deliveries that this host received earlier. */
  readonly earlier: number;
}

interface Event {
  readonly data: { readonly post?: { readonly versions: { content: { body: string }[] }[] } };
}

/**
 * Plays the receivers of the demo's webhooks on loopback. The guarded client resolves their names to this server and
 * connects to nothing else, so that nothing leaves the machine. Its checks of addresses stay active.
 */
export const startReceiver = async (hosts: readonly string[], statusFor: (delivery: ReceivedDelivery) => number) => {
  const attempts = new Map<string, number>();
  const deliveriesOf = new Map<string, string[]>();
  const server = createServer(async (req, res) => {
    const event = (await json(req)) as Event;
    const delivery = String(req.headers['posthorn-delivery']);
    const before = attempts.get(delivery) ?? 0;
    attempts.set(delivery, before + 1);
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
