import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe, inBrowser, isClean } from './harness.ts';

inBrowser('posts', (world) => {
  const draft = (body: string) => world.service.client.posts.create({ body });
  const row = (page: Page, name: string | RegExp) => page.getByRole('listitem').filter({ hasText: name });
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
  const isThere = async (id: string) => (await world.service.call('posts.get', { id })).status === 200;

  test('is clean on a desk in light and on a phone in dark', async () => {
    const account = await world.service.connect('bluesky');
    const { id } = await world.service.client.posts.create({ accountIds: [account], body: 'Planned' });
    await world.service.asHuman('posts.schedule', { id, at: '2090-01-01T09:00:00Z' });
    await draft('');
    const page = await world.visit({ at: '/posts' });
    await isClean(page, async () => {
      await row(page, 'Planned').first().waitFor();
      await page.getByText('Empty draft').first().waitFor();
    });
    await row(page, 'Planned')
      .first()
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('is controlled by keys: J and K move, Enter opens, X selects, D duplicates', async () => {
    await draft('keys two');
    await draft('keys one');
    const page = await world.visit({ at: '/posts?q=keys' });
    await row(page, 'keys one').waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toBe('keys one');
    await page.keyboard.press('j');
    await expect.poll(() => focused(page)).toBe('keys two');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    const bar = page.getByRole('region', { name: 'Selected posts' });
    await bar.getByText('1 post selected').waitFor();
    expect(await axe(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Clear' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.getByText('Duplicated as a draft').waitFor();
    await expect.poll(() => row(page, /keys/).count()).toBe(3);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('/posts/post_');
  });

  test('a deleted draft comes back with Undo, and is gone when the toast closes', async () => {
    const { id } = await draft('easter hours');
    await draft('easter eggs');
    const page = await world.visit({ at: '/posts?q=easter' });
    await row(page, 'easter hours').getByRole('link').focus();
    await page.keyboard.press('Backspace');
    await page.getByText('Draft “easter hours” deleted').waitFor();
    await row(page, 'easter hours').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('easter eggs');
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'easter hours').waitFor();
    expect(await isThere(id)).toBe(true);

    await row(page, 'easter hours').getByRole('link').focus();
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('F6');
    await page.keyboard.press('Escape');
    await expect.poll(() => isThere(id)).toBe(false);
  });

  test('several drafts are deleted together, also when the page closes before the toast', async () => {
    const drafts = [await draft('bulk one'), await draft('bulk two')];
    const page = await world.visit({ at: '/posts?q=bulk' });
    await row(page, 'bulk one').waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Delete 2 drafts' }).click();
    await page.getByText('2 drafts deleted').waitFor();
    await page.goto('about:blank');
    for (const { id } of drafts) await expect.poll(() => isThere(id)).toBe(false);
  });

  test('a scheduled post is deleted only after a confirmation', async () => {
    const account = await world.service.connect('bluesky');
    const { id } = await world.service.client.posts.create({ accountIds: [account], body: 'asked first' });
    await world.service.asHuman('posts.schedule', { id, at: '2090-01-01T09:00:00Z' });
    const page = await world.visit({ at: '/posts?q=asked+first' });
    await row(page, 'asked first').getByRole('link').focus();
    await page.keyboard.press('Backspace');
    const dialog = page.getByRole('dialog', { name: 'Delete this post?' });
    await dialog.getByText(/It will not go out on/).waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => isThere(id)).toBe(false);
    await row(page, 'asked first').waitFor({ state: 'detached' });
  });

  test('new posts of others wait behind a button; existing rows change in place', async () => {
    const { id } = await draft('live first');
    const page = await world.visit({ at: '/posts?q=live' });
    await row(page, 'live first').waitFor();
    const { workspaceId } = world.service.owner;
    await draft('live second');
    await world.service.client.posts.setVersionText({ id, body: 'live first, changed' });
    await world.service.posthorn.live.publish({ workspaceId, kind: 'post', id });
    await row(page, 'live first, changed').waitFor();
    expect(await row(page, 'live second').count()).toBe(0);
    await page.getByRole('button', { name: '1 new' }).click();
    await row(page, 'live second').waitFor();
  });

  test('search and tab are in the address, and / finds the field', async () => {
    await draft('needle in the hay');
    const page = await world.visit({ at: '/posts' });
    await row(page, 'needle').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('needle in');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('needle in');
    await expect
      .poll(() =>
        page
          .getByRole('listitem')
          .filter({ has: page.getByRole('button', { name: /^Actions for/ }) })
          .count(),
      )
      .toBe(1);
    await page.getByRole('link', { name: /^Published/ }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await expect.poll(() => page.locator('main [aria-current="page"]').allTextContents()).toEqual(['Published0']);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?status=Published');
  });

  test('text of a post stays text: markup and right-to-left words break nothing', async () => {
    await draft('<img src=x onerror=alert(1)> odd \u202Etxet');
    const page = await world.visit({ at: '/posts?q=onerror' });
    await row(page, '<img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });

  test('a viewer can neither delete nor duplicate', async () => {
    const { id } = await draft('for readers');
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/posts?q=for+readers', as: email });
    await row(page, 'for readers').getByRole('link').focus();
    await page.keyboard.press('Backspace');
    await page.keyboard.press('d');
    await row(page, 'for readers')
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Open' }).waitFor();
    expect(await page.getByRole('menuitem').count()).toBe(1);
    expect(await isThere(id)).toBe(true);
  });
});
