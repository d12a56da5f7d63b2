import { copyFile, mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '#scripts/chromium';
import { readConfig } from '#server/base/config/config';
import { secretsFile } from '#server/base/secrets/keys';
import { type RunningService, start } from '#server/wiring/main';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { freePort } from '#test/support/processes';
import { buildWeb } from '#test/support/shared';
import { isAt, isClean } from './harness.ts';

const executablePath = findChromium();
const isRequired = process.env.BROWSER_REQUIRED === '1';
if (executablePath !== undefined) await buildWeb();

// Does not use the harness, because its service cannot restart itself.
describe.skipIf(executablePath === undefined && !isRequired)('a second, empty folder', { timeout: 240_000 }, () => {
  const databases: FreshDatabase[] = [];
  const services: RunningService[] = [];
  let folder: string;
  let browser: Browser;

  const emptyPlace = async () => {
    const database = await freshDatabase();
    databases.push(database);
    const data = await mkdtemp(join(folder, 'data-'));
    return readConfig({
      PORT: String(await freePort()),
      POSTHORN_DATA: data,
      DATABASE_URL: urlOf(database.parts),
      LOG_LEVEL: 'fatal',
      BACKUP_AT: '03:00',
    });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posthorn-restore-'));
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--disable-gpu'] });
  });
  afterAll(async () => {
    await browser?.close();
    for (const service of services) await service.stop();
    for (const { drop } of databases) await drop();
    await rm(folder, { recursive: true });
  });

  test('gets everything back from a nightly backup on its welcome page, and says that nothing goes out', async () => {
    const source = await emptyPlace();
    const old = await start(source);
    await old.posthorn.people.setUp({ email: 'owner@example.com', password: 'correct horse', workspace: 'Bakery' });
    await (await old.posthorn.backups.makeNow()).done;
    const [made] = await old.posthorn.backups.read();
    await old.stop();
    const backup = made?.path ?? '';

    const target = await emptyPlace();
    services.push(await start(target));
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${target.baseUrl}/`);
    await page.getByRole('heading', { name: 'Welcome. This place is empty.' }).waitFor();
    await isClean(page, () => page.getByRole('button', { name: 'Choose a backup' }).waitFor());
    await page.setViewportSize({ width: 1440, height: 900 });

    const cut = join(folder, 'cut.tar');
    await copyFile(backup, cut);
    await truncate(cut, 4096);
    await page.getByLabel('Backup', { exact: true }).setInputFiles(cut);
    await page.getByText('it has no end, so it was cut off or is no backup of Posthorn').waitFor();

    await page.getByLabel('Backup', { exact: true }).setInputFiles(backup);
    await page.getByText('yes, all parts are there').waitFor();
    await page.getByText('1 person, 0 posts, 0 files, 0 accounts').waitFor();
    await page.getByText('Nothing, until you say so.').waitFor();
    await isClean(page, () => page.getByLabel('Encryption key').waitFor());
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText(/is needed: the backup was encrypted with the key k1/).waitFor();
    await page.getByLabel('Encryption key').fill(await readFile(secretsFile(source), 'utf8'));
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('Being restored.').waitFor();

    await isAt(page, /^\/sign-in/);
    await page.getByLabel('E-mail address').fill('owner@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Nothing goes out', { exact: true }).waitFor();
    await page.getByRole('button', { name: /Bakery/ }).waitFor();
    // The service answers requests before its start is complete.
    await expect.poll(() => services[0]?.posthorn.hold.read().catch(() => undefined)).toBeDefined();
    await context.close();
  });
});
