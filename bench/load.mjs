// The load, in a process of its own. One message in, one answer out.
import autocannon from 'autocannon';

process.on('message', async ({ url, headers, bodies, connections, seconds, amount }) => {
  const result = await autocannon({
    url,
    method: 'POST',
    headers,
    requests: bodies.map((body) => ({ body })),
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    sampleInt: 50,
  });
  const { errors, non2xx, timeouts, duration } = result;
  process.send({ answered: result['2xx'], failed: errors + non2xx + timeouts, seconds: duration });
});
process.once('disconnect', () => process.exit());
