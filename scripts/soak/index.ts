// npm run soak [-- --minutes 15] [--seed 1]
// Mixed work on three processes and one database, with everything that goes wrong in years squeezed into minutes; then the
// books are checked. Loopback only, in a temporary folder that is removed afterwards.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startEmbedded } from '#server/store/embedded';
import { createProcesses } from '#test/support/processes';
import { startReceiver } from '#test/support/receiver';
import { startSandboxNetworks } from '#test/support/sandbox';
import { startBalancer } from './balancer.ts';
import { createCallers } from './callers.ts';
import { createFaults } from './faults.ts';
import { sampleGrowth } from './growth.ts';
import { createLedger } from './ledger.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, seed: { type: 'string', default: String(process.pid) } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes takes a number above 0.');
const forMs = minutes * 60_000;
const instances = 3;
const networks = ['x', 'bluesky', 'mastodon'];

const folder = mkdtempSync(join(tmpdir(), 'posthorn-soak-'));
chmodSync(folder, 0o711); // PostgreSQL may run as another user
const database = await startEmbedded(folder);
const sandbox = await startSandboxNetworks({ delayMs: () => 20 + Math.random() * 80 });
const receiver = await startReceiver();
const { host, user = '', password = '', database: name } = database.config;
const processes = await createProcesses(undefined, {
  DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}`,
  SANDBOX_URL: sandbox.url,
  NETWORK_TIMEOUT_SECONDS: '5',
  REQUESTS_PER_MINUTE: '1000000',
  SIGN_INS_PER_HOUR: '1000000',
  LOG_LEVEL: 'error',
  ...receiver.settings(),
});
const db = new pg.Pool({ ...database.config, max: 2 });
db.on('error', () => undefined);

let failed = true;
try {
  const person = { email: 'soak@example.com', password: 'correct horse' };
  const words = ['--email', person.email, '--password', person.password, '--workspace', 'Soak', '--token-name', 'soak'];
  const { workspaceId = '', token = '' } = await processes.ask('setup', ...words);
  const accountIds: string[] = [];
  for (const network of networks) {
    const added = await processes.ask('account', 'add', '--workspace', workspaceId, '--network', network);
    accountIds.push(added.id ?? '');
  }
  /** The networks go along, and first: one that is behind could not have what was sent a moment ago. */
  const moveClock = async (seconds: number) => {
    sandbox.forward(seconds * 1000);
    await processes.ask('clock', '--forward', `${seconds}s`);
  };
  const balancer = await startBalancer();
  const faults = await createFaults({ processes, balancer, database, folder, moveClock, instances, seed: values.seed });
  const ledger = createLedger();
  const callers = await createCallers({ url: balancer.url, token, person, accountIds, receiver, ledger });

  const begun = performance.now();
  const growth = sampleGrowth({ db, folder: processes.dataDir, running: faults.running });
  const isOver = () => performance.now() - begun > forMs;
  const work = callers.run(isOver);
  const trouble = faults.run(isOver);
  const progress = setInterval(() => {
    const left = Math.max(0, Math.round((forMs - (performance.now() - begun)) / 1000));
    process.stderr.write(`${left} s left · ${ledger.inWords()} · ${faults.inWords()}\n`);
  }, 10_000);
  await Promise.all([work, trouble]);
  clearInterval(progress);

  process.stderr.write('Waiting until everything has ended …\n');
  await faults.calm();
  await growth.settle();
  for (let turn = 0; turn < 120 && !(await ledger.isSettled(db)); turn++) {
    await moveClock(turn < 40 ? 60 : 600);
    await sleep(1_500);
  }
  // What a killed process left of an upload is removed three hours later, at the next start.
  await moveClock(4 * 3_600);
  await faults.restartOne();
  const problems = [
    ...(await ledger.check({
      db,
      receiver,
      feeds: (network) => sandbox.sandboxes.feed(network, 100_000),
      networks,
      accountIds,
    })),
    ...(await growth.check()),
  ];
  console.log(
    JSON.stringify(
      {
        minutes,
        seed: values.seed,
        did: ledger.figures(),
        wentWrong: faults.figures(),
        growth: growth.figures(),
        problems,
      },
      null,
      2,
    ),
  );
  failed = problems.length > 0;
  await balancer.close();
} finally {
  await db.end();
  await processes.clear();
  receiver.stop();
  await sandbox.stop();
  await (await startEmbedded(folder)).stop().catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
