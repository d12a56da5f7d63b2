import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { createProcesses, type Processes, type Running } from '#test/support/processes';

// The real service as `npm start` starts it, with the environment that it gives.
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const environment = Object.fromEntries(
  [...(scripts.start as string).matchAll(/(\w+)=(\S+) /g)].map(([, name = '', value]) => [name, value]),
);

const side = 9_990;
const boundMb = 150;

let fresh: FreshDatabase;
let processes: Processes;
let service: Running;
let token: string;
beforeAll(async () => {
  // The database is another process, whose memory is not measured.
  fresh = await freshDatabase({ isMigrated: true });
  processes = await createProcesses(undefined, { ...environment, DATABASE_URL: urlOf(fresh.parts) });
  service = await processes.start();
  const person = ['--email', 'a@example.com', '--password', 'correct horse', '--workspace', 'Demo'];
  ({ token = '' } = await processes.ask('setup', ...person));
});
afterAll(async () => {
  await processes.clear();
  await fresh.drop();
});

const flat = (pixels: number) =>
  sharp({ create: { width: pixels, height: pixels, channels: 3, background: '#8a4b08' }, limitInputPixels: false });

const upload = async (bytes: Buffer) => {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(bytes)]), 'picture');
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await fetch(`${service.url}/api/media`, { method: 'POST', headers, body });
  expect(status).toBe(200);
};

const residentMb = () =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;

/** The lowest value within some seconds, because freed memory may return to the system with a delay. */
const settledMb = async (before: number) => {
  let lowest = residentMb();
  for (let time = 0; time < 50 && lowest > before; time++) {
    await sleep(100);
    lowest = Math.min(lowest, residentMb());
  }
  return lowest;
};

test.skipIf(process.platform !== 'linux')(
  'six of the largest pictures of a kind, also four at once, leave the process where it was: progressive JPEG, then transparent PNG',
  async () => {
    const jpeg = await flat(side).jpeg({ progressive: true }).toBuffer();
    const png = await flat(side).ensureAlpha(0.5).png({ compressionLevel: 1 }).toBuffer();
    await upload(await flat(100).jpeg().toBuffer());
    const before = residentMb();
    // One process and one value before, so what the first kind left behind counts with the second.
    for (const picture of [jpeg, png]) {
      for (let time = 0; time < 2; time++) await upload(picture);
      await Promise.all([1, 2, 3, 4].map(() => upload(picture)));
      expect((await settledMb(before)) - before).toBeLessThan(boundMb);
    }
  },
  600_000,
);
