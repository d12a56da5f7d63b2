// npm run foreign-clients [-- <network> …]
// Drives the sandbox networks with the third-party clients in bench/foreign-clients, each in its own process. Prints a
// table of clients and steps, and exits with 1 if a step failed or a client contacted a host outside this machine.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { mediaOf } from '#test/support/networks';
import { startSandboxNetworks } from '#test/support/sandbox';
import { type ForeignClient, folder, readClients } from './clients.ts';
import { driveClient } from './drive-client.ts';
import { hostsOf, openGate } from './gate.ts';
import { isFailure, printTable } from './table.ts';

type Sandbox = Awaited<ReturnType<typeof startSandboxNetworks>>;

/** Files in memory, and the addresses from which a twin can fetch them. */
const readFiles = async ({ withBytes }: Sandbox) => {
  // Large enough for Google, which accepts no photo below 10 KB.
  const image = { mimeType: 'image/jpeg', width: 1_440, height: 1_440 };
  const media = [image, image, 'video/mp4'].map(mediaOf);
  const { items } = await withBytes({ items: [{ body: '', media }], options: {} });
  const [picture, secondPicture, video] = await Promise.all(
    (items[0]?.media ?? []).map(async ({ url, mimeType, read }) => ({
      url,
      mimeType,
      bytes: await buffer(await read()),
    })),
  );
  return { picture, secondPicture, video };
};

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(join(folder, '../node_modules', name, 'package.json'), 'utf8')).version;

const runClient = async (client: ForeignClient, temporary: string) => {
  const version = versionOf(client.package);
  console.error(`${client.network}: ${client.package} ${version} …`);
  // Each client gets its own twins, because it moves their clock.
  const sandbox = await startSandboxNetworks();
  const gate = await openGate(sandbox.sandboxes, client.network, hostsOf(client.network, client.hosts));
  try {
    const certificate = join(temporary, `${client.file}.pem`);
    writeFileSync(certificate, gate.cert);
    const steps = await driveClient(client, { certificate, gate, sandbox, files: await readFiles(sandbox) });
    return { client, version, steps, strays: [...gate.strays] };
  } finally {
    gate.close();
    await sandbox.stop();
  }
};

const main = async (selection: readonly string[]) => {
  const clients = readClients().filter(({ network }) => selection.length === 0 || selection.includes(network));
  if (clients.length === 0) {
    console.error(`No client drives ${selection.join(', ')}. Take a network of bench/foreign-clients/clients.json.`);
    return 2;
  }
  const temporary = mkdtempSync(join(tmpdir(), 'foreign-clients-'));
  try {
    const runs = [];
    for (const client of clients) runs.push(await runClient(client, temporary));
    printTable(runs);
    return runs.some(({ steps, strays }) => strays.length > 0 || steps.some(isFailure)) ? 1 : 0;
  } finally {
    rmSync(temporary, { recursive: true });
  }
};

process.exitCode = await main(process.argv.slice(2));
