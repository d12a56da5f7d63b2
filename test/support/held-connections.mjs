// A TCP proxy whose connections can hang: stopped with SIGSTOP, its backlog fills up and further clients wait. Reports how many
// connections are open.
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
