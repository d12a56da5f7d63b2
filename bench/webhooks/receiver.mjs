// Ten receivers in their own process. On request, one of them accepts requests but never answers.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';

const receivers = 10;
// Clients cache TLS sessions per host, and all ten share one: each must accept a session that another one issued.
const tls = { cert: process.env.CERTIFICATE, key: process.env.KEY, ticketKeys: randomBytes(48) };
let hanging;
let expected = 0;
let counted = 0;
let handshakes = 0;
const held = new Set();

const answer = (place) => (req, res) => {
  req.resume();
  if (place === hanging) {
    held.add(res);
    return;
  }
  req.once('end', () => {
    res.writeHead(204).end();
    if (++counted === expected) process.send({ handshakes });
  });
};

const servers = Array.from({ length: receivers }, (_, place) =>
  createServer(tls, answer(place))
    .on('secureConnection', () => handshakes++)
    .listen(0, '127.0.0.1'),
);
await Promise.all(servers.map((server) => once(server, 'listening')));

process.on('message', (message) => {
  ({ expected, hanging } = message);
  counted = 0;
  handshakes = 0;
  for (const res of held) res.destroy();
  held.clear();
  // The next sender must open its own connections, whatever was sent before.
  for (const server of servers) server.closeIdleConnections();
  process.send({ ready: true });
});
process.once('disconnect', () => process.exit());
process.send({ ports: servers.map((server) => server.address().port) });
