import { startEmbedded } from '#server/base/store/embedded';

// One more process that uses the embedded server, for tests that need to kill it.
const [dir = ''] = process.argv.slice(2);
const embedded = await startEmbedded(dir);
process.once('message', async () => {
  await embedded.stop();
  process.disconnect();
});
process.send?.('started');
