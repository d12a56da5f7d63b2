import sharp from 'sharp';
import { expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { axe, inBrowser, intercept, isClean, letPageReact } from './harness.ts';

const picture = async (name: string, background = '#8a4b08') => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .jpeg()
    .toBuffer(),
});

inBrowser('Media', (world) => {
  test('starts with a drop zone; each file is uploaded or says why not', async () => {
    const { email } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/media', as: email, expected: [/400/] });
    await page.getByRole('heading', { name: 'Drop images and videos here' }).waitFor();
    expect(await axe(page)).toEqual([]);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose files' }).click();
    await (await chooser).setFiles([
      await picture('oven.jpg'),
      { name: '../../etc/passwd.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture at all') },
    ]);
    await page.getByRole('list', { name: 'Media' }).getByRole('button', { name: 'oven.jpg' }).waitFor();
    const uploads = page.getByRole('list', { name: 'Uploads' });
    await uploads
      .getByRole('alert')
      .getByText(/Not uploaded\. The file /)
      .waitFor();
    expect(await uploads.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    await uploads.getByRole('button', { name: 'Dismiss ../../etc/passwd.jpg' }).click();
    await expect.poll(() => page.getByRole('list', { name: 'Media' }).getByRole('listitem').count()).toBe(1);
  });

  test('accepts dropped and pasted files', async () => {
    const page = await world.visit({ at: '/media' });
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor();
    const { buffer } = await picture('dropped.jpg', '#336699');
    const give = (kind: string, name: string) =>
      page.evaluate(`{
        const bytes = Uint8Array.from(atob('${buffer.toString('base64')}'), (letter) => letter.charCodeAt(0));
        const given = new DataTransfer();
        given.items.add(new File([bytes], '${name}', { type: 'image/jpeg' }));
        const event = '${kind}' === 'drop'
          ? new DragEvent('drop', { dataTransfer: given, bubbles: true, cancelable: true })
          : new ClipboardEvent('paste', { clipboardData: given, bubbles: true });
        document.body.dispatchEvent(event);
      }`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/api/media', async (route) => {
      await held;
      await route.continue();
    });
    await give('drop', 'dropped.jpg');
    await page.getByRole('list', { name: 'Uploads' }).getByText('dropped.jpg').waitFor();
    // Leaving would stop the upload.
    const question = page.waitForEvent('dialog');
    void page.getByRole('link', { name: 'Accounts' }).click();
    await (await question).dismiss();
    release();
    await page.getByRole('button', { name: 'dropped.jpg' }).waitFor();
    const longName = `${'p'.repeat(60)}.jpg`;
    await give('paste', longName);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: longName }).click();
    const title = page.getByRole('dialog').getByRole('heading', { name: longName });
    await expect.poll(() => title.evaluate((one) => one.scrollWidth <= innerWidth)).toBe(true);
  });

  test('marks a missing alt text and saves one', async () => {
    const id = await world.service.addFile();
    const page = await world.visit({ at: '/media?show=no-alt&q=horn' });
    const card = page.getByRole('list', { name: 'Media' }).getByRole('listitem').filter({ hasText: 'horn.jpg' });
    await card.getByText('No alt text').waitFor();
    await card.getByRole('button', { name: 'horn.jpg' }).click();
    const dialog = page.getByRole('dialog', { name: 'horn.jpg' });
    await dialog.getByText(id).waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByLabel('Alt text').fill('A post horn on a table');
    // Somebody else saves an alt text meanwhile, so the file no longer fits the filter.
    await page.request.patch(`${world.service.url}/api/media/${id}`, {
      data: { alt: 'A horn' },
      headers: { origin: world.service.url },
    });
    const { workspaceId } = world.service.owner;
    await world.service.posthorn.live.publish({ workspaceId, kind: 'media', id });
    await card.waitFor({ state: 'detached' });
    await expect.poll(() => dialog.getByLabel('Alt text').inputValue()).toBe('A post horn on a table');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByText('A post horn on a table').waitFor();
    await expect.poll(() => new URL(page.url()).search).toBe('');
    await expect.poll(() => page.getByLabel('Search by name or alt text').inputValue()).toBe('');
  });

  test('a file that a post uses cannot be deleted, and the reason is shown; an unused one can', async () => {
    const { service } = world;
    const id = await service.addFile();
    const page = await world.visit({ at: '/media', expected: [/409/] });
    const card = page.locator(`[data-row="${id}"]`);
    await card.getByText('Not used').waitFor();
    const { id: postId } = await service.client.posts.create({ body: 'Uses it' });
    const versions = (media: string[]) => [{ content: [{ body: 'Uses it', media }] }];
    await card.getByRole('button').click();
    // A post starts to use it while the page is open.
    await intercept(page, '**/api/media/*', async (route) => {
      await service.client.posts.update({ id: postId, accountIds: [], versions: versions([id]) });
      await route.continue();
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete horn.jpg?' });
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await confirm.getByText(/A post uses/).waitFor();
    expect(await axe(page)).toEqual([]);
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute('**/api/media/*');
    await card.getByText('Used in 1 post').waitFor();
    await card.getByRole('button').click();
    const blocked = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await expect.poll(() => blocked.getAttribute('aria-disabled')).toBe('true');
    await page.getByText('Take it out of 1 post first.').waitFor();
    await page.keyboard.press('Escape');
    await service.client.posts.update({ id: postId, accountIds: [], versions: versions([]) });
    await page.reload();
    await card.getByRole('button').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete horn.jpg?' }).getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
  });

  test('says why an address cannot be fetched', async () => {
    const page = await world.visit({ at: '/media', expected: [/400/] });
    await page.getByRole('button', { name: 'From a link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add from a link' });
    await dialog.getByLabel('Link to an image or video').fill('ftp://somewhere');
    await dialog.getByRole('button', { name: 'Fetch' }).click();
    await dialog.getByText('Paste a link that begins with https://').waitFor();
    await dialog.getByLabel('Link to an image or video').fill('https://127.0.0.1.nip.invalid/a.jpg');
    await dialog.getByRole('button', { name: 'Fetch' }).click();
    await page
      .getByRole('list', { name: 'Uploads' })
      .getByRole('alert')
      .getByText(/Not uploaded\./)
      .waitFor();
  });

  test('a viewer can only look', async () => {
    await world.service.addFile();
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/media', as: email });
    await page.getByRole('button', { name: 'horn.jpg' }).first().click();
    await page.getByRole('dialog').getByText('No alt text').waitFor();
    expect(await page.getByRole('button', { name: /Upload|From a link|Delete|Save/ }).count()).toBe(0);
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    await world.service.addFile();
    const page = await world.visit({ at: '/media' });
    await isClean(page, () => page.getByRole('button', { name: 'horn.jpg' }).first().waitFor());
  });

  test('loads hundreds of files page by page on scroll', async () => {
    const { email, workspaceId } = await world.service.addWorkspace();
    await world.service.database.query(
      sql(
        'test.manyMedia',
        `insert into media (id, workspace_id, kind, mime_type, bytes, width, height)
         select 'media_01K00000000000000000' || lpad(n::text, 6, '0'), $1, 'Image', 'image/jpeg', 1000, 1200, 1000
           from generate_series(1, 150) as n`,
      ),
      [workspaceId],
    );
    // The rows exist in the database, the files do not.
    const page = await world.visit({ at: '/favicon.svg', as: email, expected: [/404/, /403/] });
    // After a refusal the person decides when to try again.
    let refusals = 0;
    const json = { code: 'Forbidden', message: 'Not now.', issues: [] };
    const nextPage = /\/media\b.*cursor=/;
    await intercept(page, nextPage, (route) => {
      refusals++;
      return route.fulfill({ status: 403, json });
    });
    await page.goto(`${world.service.url}/media`);
    const cards = page.getByRole('list', { name: 'Media' }).getByRole('listitem');
    await expect.poll(() => cards.count()).toBeGreaterThanOrEqual(60);
    await expect.poll(() => cards.count()).toBeLessThan(150);
    await cards.last().evaluate((card) => card.scrollIntoView());
    const banner = page.getByRole('alert').filter({ hasText: 'More files could not be loaded' });
    await banner.waitFor();
    await letPageReact(page);
    expect(refusals).toBe(1);
    expect(await page.getByText('The library could not be loaded').count()).toBe(0);
    await page.unroute(nextPage);
    await banner.getByRole('button', { name: 'Try again' }).click();
    await expect
      .poll(async () => {
        await cards.last().evaluate((card) => card.scrollIntoView());
        return cards.count();
      })
      .toBe(150);
  });
});
