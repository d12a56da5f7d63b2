// A complete local Bluesky for try-bluesky.ts: PLC directory, account server and app view.
// node scripts/try-bluesky-network.mjs <folder where it is installed> <folder for data> <address of a PostgreSQL>
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, data, dbPostgresUrl] = process.argv.slice(2);
process.env.TMPDIR = data;
// Required, but never used.
process.env.REDIS_HOST = 'localhost';

const { TestNetwork } = await import(pathToFileURL(join(folder, 'node_modules/@atproto/dev-env/dist/index.js')).href);
const network = await TestNetwork.create({ dbPostgresUrl, dbPostgresSchema: 'try' });

process.on('message', async () => {
  await network.processAll();
  process.send({ is: 'settled' });
});
process.on('disconnect', () => process.exit());
process.send({ is: 'started', url: network.pds.url });
