// Listens where a test wants connections to hang: stopped with SIGSTOP its backlog fills, and whoever dials then waits. Tells
// how many are open.
import { connect, createServer } from 'node:net';

const [port, to] = process.argv.slice(2).map(Number);
let open = 0;
createServer((near) => {
  process.send(++open);
  near.on('close', () => process.send(--open));
  const far = connect(to, '127.0.0.1');
  for (const [from, into] of [
    [near, far],
    [far, near],
  ]) {
    from.on('error', () => into.destroy());
    from.pipe(into);
  }
}).listen({ port, host: '127.0.0.1', backlog: 1 }, () => process.send('listening'));
