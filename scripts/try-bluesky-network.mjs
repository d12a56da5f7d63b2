// A complete local Bluesky for try-bluesky.ts: PLC directory, account server and app view.
// node scripts/try-bluesky-network.mjs <folder where it is installed> <folder for data> <address of a PostgreSQL>
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, data, dbPostgresUrl] = process.argv.slice(2);
process.env.TMPDIR = data;
// Required, but never used.
process.env.REDIS_HOST = 'localhost';

const { TestNetwork } = createRequire(join(folder, 'package.json'))('@atproto/dev-env');
const network = await TestNetwork.create({ dbPostgresUrl, dbPostgresSchema: 'try' });

process.on('message', async () => {
  await network.processAll();
  process.send({ is: 'settled' });
});
process.on('disconnect', () => process.exit());
process.send({ is: 'started', url: network.pds.url });
