// npm run try:restore
// Restores a backup on the welcome page in a browser, into the embedded PostgreSQL and an S3 store. The service is
// killed during the first restore; the second one completes.
// Not part of `npm test`, which covers the same states without killing a process.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { findChromium } from '#scripts/chromium';
import { createProcesses } from '#test/support/processes';
import { startS3 } from '#test/support/s3';

const pictures = 30;
const person = { email: 'ada@example.com', password: 'correct horse' };
const say = (...words: unknown[]) => console.log(...words);

const s3 = await startS3();
const source = await createProcesses();
const target = await createProcesses(undefined, s3.settings);
const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });

/** Different bytes each time, or the library would store one file. */
const draw = () => sharp({ create: { width: 800, height: 800, channels: 3, background: 'white', noise: noise() } });
const noise = () => ({ type: 'gaussian' as const, mean: 128, sigma: 30 + Math.random() * 20 });

const makeBackup = async () => {
  const service = await source.start();
  const headers = { origin: service.url, 'content-type': 'application/json' };
  const signUp = { method: 'POST', headers, body: JSON.stringify(person) };
  assert.equal((await fetch(`${service.url}/api/auth/sign-up`, signUp)).status, 200);
  const { cookie } = await service.signIn(person);
  for (let n = 0; n < pictures; n++) {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(await draw().png().toBuffer())], { type: 'image/png' }), `${n}.png`);
    const upload = { method: 'POST', headers: { origin: service.url, cookie }, body: form };
    const answer = await fetch(`${service.url}/api/media`, upload);
    assert.equal(answer.status, 200, await answer.text());
  }
  const { file = '' } = await source.ask('backup', source.dir);
  service.kill('SIGTERM');
  await service.ended;
  return file;
};

const restoreInBrowser = async (url: string, backup: string) => {
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByLabel('Backup', { exact: true }).setInputFiles(backup);
  await page.getByText('yes, all parts are there').waitFor();
  await page.getByLabel('Encryption key').fill(await readFile(join(source.dataDir, 'secrets.json'), 'utf8'));
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  return page;
};

try {
  say(`1. A backup with ${pictures} pictures`);
  const backup = await makeBackup();

  say('2. Killed while the pictures are copied');
  let service = await target.start();
  await restoreInBrowser(service.url, backup);
  while (s3.objects.size < 3) await setImmediate();
  service.kill('SIGKILL');
  await service.ended;
  say(`  ${s3.objects.size} files were in the store`);

  say('3. The next start');
  service = await target.start();
  const { problem } = (await (await fetch(`${service.url}/api/auth/restore`)).json()) as { problem?: string };
  say(`  ${problem}`);
  assert.match(problem ?? '', /Nothing was changed/);
  assert.equal(s3.objects.size, 0);

  say('4. The same restore, whole');
  const page = await restoreInBrowser(service.url, backup);
  await page.waitForURL(/\/sign-in/);
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Nothing goes out', { exact: true }).waitFor();
  say(`  signed in; ${s3.objects.size} files are in the store`);
  assert.ok(s3.objects.size >= pictures);
} finally {
  await browser.close();
  await source.clear();
  await target.clear();
  s3.stop();
}
