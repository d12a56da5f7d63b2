import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe, hold, inBrowser, intercept, isClean } from './harness.ts';

/** Dates of the next month that fall on these weekdays, Monday being 1. */
const slotDaysOfNextMonth = (weekdays: readonly number[]) => {
  const now = new Date();
  const days = Array.from(
    { length: 28 },
    (_, n) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, n + 1)),
  );
  return days.filter((day) => weekdays.includes(day.getUTCDay())).map((day) => day.toISOString().slice(0, 10));
};

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
    // Held down, it selects once.
    await page.keyboard.down('x');
    await page.keyboard.down('x');
    await page.keyboard.up('x');
    const bar = page.getByRole('region', { name: 'Selected posts' });
    await bar.getByText('1 post selected').waitFor();
    expect(await axe(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Clear the selection' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.getByText('Duplicated as a draft').waitFor();
    await expect.poll(() => row(page, /keys/).count()).toBe(3);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('/posts/post_');
  });

  test('a deleted draft comes back with Undo', async () => {
    const { id } = await draft('easter hours');
    await draft('easter eggs');
    const page = await world.visit({ at: '/posts?q=easter' });
    await row(page, 'easter hours').getByRole('link').focus();
    await page.keyboard.press('Backspace');
    await page.getByText('Draft “easter hours” deleted').waitFor();
    await row(page, 'easter hours').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('easter eggs');
    await expect.poll(() => isThere(id)).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, 'easter hours').waitFor();
    expect(await isThere(id)).toBe(true);
  });

  test('several drafts are deleted together, also when the page closes at once', async () => {
    const drafts = [await draft('bulk one'), await draft('bulk two')];
    const page = await world.visit({ at: '/posts?q=bulk' });
    await row(page, 'bulk one').waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('2 drafts deleted').waitFor();
    await page.goto('about:blank');
    for (const { id } of drafts) await expect.poll(() => isThere(id)).toBe(false);
  });

  test('posts are selected by mouse: a checkbox, Shift takes the rows between, Escape clears', async () => {
    for (const word of ['one', 'two', 'three', 'four']) await draft(`mouse ${word}`);
    const page = await world.visit({ at: '/posts?q=mouse' });
    const box = (name: string) => page.getByRole('checkbox', { name: `Select mouse ${name}` });
    await row(page, 'mouse four').hover();
    await box('four').click();
    await box('two').click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selected posts' });
    await bar.getByText('3 posts selected').waitFor();
    await expect.poll(() => box('three').isChecked()).toBe(true);
    await expect.poll(() => box('one').isChecked()).toBe(false);
    expect(await axe(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Select all 4' }).click();
    await bar.getByText('4 posts selected').waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    await expect.poll(() => box('two').isChecked()).toBe(false);

    // An answer that arrives after the selection was cleared selects nothing.
    await box('four').click();
    const release = await hold(page, '**/api/app/bulk/posts*');
    const answer = page.waitForResponse('**/api/app/bulk/posts*');
    await bar.getByRole('button', { name: 'Select all 4' }).click();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    release();
    await (await answer).finished();
    await box('one').click();
    await bar.getByText('1 post selected').waitFor();
  });

  test('a long press selects by touch, and a tap then selects instead of opening', async () => {
    await draft('touch one');
    await draft('touch two');
    const page = await world.visit({ at: '/posts?q=touch', width: 390, height: 800 });
    const at = async (name: string) => {
      const area = await row(page, name).boundingBox();
      return { x: (area?.x ?? 0) + 150, y: (area?.y ?? 0) + 20 };
    };
    await row(page, 'touch two').waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [await at('touch two')] });
    const bar = page.getByRole('region', { name: 'Selected posts' });
    await bar.getByText('1 post selected').waitFor();
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    const { x, y } = await at('touch one');
    await page.touchscreen.tap(x, y);
    await bar.getByText('2 posts selected').waitFor();
    expect(new URL(page.url()).pathname).toBe('/posts');
    expect(await axe(page)).toEqual([]);
  });

  test('a long label leaves room for the title, covers nothing, and is read in its own direction', async () => {
    const networks = ['x', 'mastodon', 'bluesky', 'facebook', 'instagram'];
    const accountIds = await Promise.all(networks.map((network) => world.service.addAccount(network)));
    const { id } = await world.service.client.posts.create({ accountIds, body: `labelled ${'a'.repeat(60)}` });
    const owner = world.service.browser();
    await owner.signIn();
    const name = `א${'b'.repeat(39)}`;
    const { body } = await owner.post('/api/app/labels', { name });
    await owner.post('/api/app/posts/labels', { postIds: [id], add: [body.id] });
    const page = await world.visit({ at: '/posts?q=labelled', width: 390, height: 800 });
    const post = row(page, 'labelled');
    const label = post.getByText(name);
    const isBefore = async (next: Locator) => {
      const end = await label.evaluate((one) => one.getBoundingClientRect().right);
      return end <= ((await next.boundingBox())?.x ?? 0);
    };
    const [menu, time] = [post.getByRole('button', { name: /^Actions/ }), post.getByRole('time')];
    await label.waitFor();
    await expect.poll(() => isBefore(menu)).toBe(true);
    await expect.poll(() => label.evaluate((one) => getComputedStyle(one).direction)).toBe('rtl');
    await page.setViewportSize({ width: 834, height: 800 });
    await expect.poll(() => isBefore(time)).toBe(true);
    await expect.poll(async () => (await post.getByRole('link').boundingBox())?.width).toBeGreaterThan(80);
  });

  test('selected posts are unscheduled, moved to free slots after a look at the times, and both can be undone', async () => {
    const account = await world.service.connect('bluesky');
    const ids: string[] = [];
    for (const [at, word] of [
      ['2090-05-01T06:00:00Z', 'first'],
      ['2090-05-02T06:00:00Z', 'second'],
    ] as const) {
      const { id } = await world.service.client.posts.create({ accountIds: [account], body: `planned ${word}` });
      await world.service.asHuman('posts.schedule', { id, at });
      ids.push(id);
    }
    const owner = world.service.browser();
    await owner.signIn();
    await owner.post('/api/app/slots', { timeZone: 'Europe/Paris', slots: [{ days: [3, 4], time: '09:00' }] });
    const page = await world.visit({ at: '/posts?q=planned' });
    const bar = page.getByRole('region', { name: 'Selected posts' });
    const select = async () => {
      await page.getByRole('checkbox', { name: 'Select planned first' }).check();
      await page.getByRole('checkbox', { name: 'Select planned second' }).check();
    };
    const times = async () =>
      Promise.all(ids.map(async (id) => (await world.service.client.posts.get({ id })).scheduledAt?.slice(0, 16)));
    const statuses = async () =>
      Promise.all(ids.map(async (id) => (await world.service.client.posts.get({ id })).status));
    await select();
    await bar.getByRole('button', { name: 'Move to…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move 2 posts' });
    const months = dialog.getByRole('region', { name: 'From' });
    await months.getByRole('button', { name: 'Month after' }).click();
    await months.getByRole('button', { name: /^1 / }).click();
    const [firstDay = '', secondDay = ''] = slotDaysOfNextMonth([3, 4]);
    const isPlanned = new RegExp(`^(Wed|Thu) ${Number(firstDay.slice(8))} .*09:00$`);
    await dialog.getByRole('list', { name: 'New times' }).getByText(isPlanned).waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await times()).toEqual(['2090-05-01T06:00', '2090-05-02T06:00']);
    await dialog.getByRole('button', { name: 'Move 2 posts' }).click();
    await page.getByText('2 posts moved').waitFor();
    expect((await times()).map((at) => at?.slice(0, 10))).toEqual([firstDay, secondDay]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 posts moved back').waitFor();
    expect(await times()).toEqual(['2090-05-01T06:00', '2090-05-02T06:00']);

    await select();
    await bar.getByRole('button', { name: 'Unschedule' }).click();
    await page.getByText('2 posts unscheduled').waitFor();
    expect(await statuses()).toEqual(['Draft', 'Draft']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 posts scheduled again').waitFor();
    expect(await statuses()).toEqual(['Scheduled', 'Scheduled']);
  });

  test('a refusal of one post is told by its name, and the others are done', async () => {
    const account = await world.service.connect('x', { handle: 'oskar' });
    const { id } = await world.service.client.posts.create({ body: 'account short' });
    const over = await world.service.client.posts.create({ body: `account ${'long '.repeat(80)}` });
    await world.service.asHuman('posts.update', {
      id: over.id,
      accountIds: [await world.service.connect('mastodon')],
      versions: over.versions,
    });
    await world.service.asHuman('posts.schedule', { id: over.id, at: '2090-01-01T09:00:00Z' });
    const page = await world.visit({ at: '/posts?q=account' });
    await page.getByRole('checkbox', { name: 'Select account short' }).check();
    await page.getByRole('checkbox', { name: /^Select account long/ }).check();
    await page.getByRole('button', { name: 'Add account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add an account to 2 posts' });
    await dialog.getByRole('button', { name: /oskar/ }).click();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add to 2 posts' }).click();
    const report = page.getByRole('dialog', { name: '1 post not changed' });
    await report.getByText(/too long/).waitFor();
    expect((await world.service.client.posts.get({ id })).accountIds).toEqual([account]);
  });

  test('the bin says how long a post stays, restores it, and deletes it for good after a confirmation', async () => {
    const [back, gone] = [await draft('binned back'), await draft('binned gone')];
    for (const { id } of [back, gone]) await world.service.asHuman('posts.delete', { id });
    const page = await world.visit({ at: '/posts', expected: [/400/] });
    await page.getByRole('link', { name: 'Bin' }).click();
    await isClean(page, () => row(page, 'binned back').getByText('30 days left').waitFor());
    await intercept(page, '**/api/app/bin*', (route) => route.fulfill({ status: 400, body: 'no' }));
    await draft('not binned');
    await page.getByText('The bin could not be loaded').waitFor();
    await row(page, 'binned back').waitFor();
    await page.unroute('**/api/app/bin*');
    expect(await page.getByLabel('Search posts').count()).toBe(0);
    await page.getByRole('button', { name: 'Restore binned back' }).click();
    await page.getByText('Restored as a draft.').waitFor();
    await row(page, 'binned back').waitFor({ state: 'detached' });
    expect(await isThere(back.id)).toBe(true);
    await page.getByRole('button', { name: 'Delete for good: binned gone' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await row(page, 'binned gone').waitFor({ state: 'detached' });
  });

  test('on a phone the chosen tab is in view', async () => {
    const page = await world.visit({ at: '/posts?status=Bin', width: 390 });
    const tab = page.getByRole('link', { name: 'Bin' });
    await expect.poll(async () => ((await tab.boundingBox())?.x ?? 390) + 40).toBeLessThan(390);
  });

  test('a viewer who follows a link to the bin reads whose it is', async () => {
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/posts?status=Bin', as: email });
    await page.getByRole('heading', { name: 'The bin is for people who write' }).waitFor();
    expect(await page.getByRole('link', { name: 'Bin' }).count()).toBe(0);
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
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 post restored as a draft').waitFor();
    expect((await world.service.client.posts.get({ id })).status).toBe('Draft');
  });

  test('new posts of others wait behind a button; existing rows change in place, and stay when they cannot be loaded again', async () => {
    const { id } = await draft('live first');
    const page = await world.visit({ at: '/posts?q=live', expected: [/400/] });
    await row(page, 'live first').waitFor();
    const { workspaceId } = world.service.owner;
    await intercept(page, '**/api/app/posts?*', (route) => route.fulfill({ status: 400, body: 'no' }));
    await world.service.posthorn.live.publish({ workspaceId, kind: 'post', id });
    await page.getByText('The list could not be loaded').waitFor();
    await row(page, 'live first').waitFor();
    await page.unroute('**/api/app/posts?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The list could not be loaded').waitFor({ state: 'detached' });
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
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(1);
    expect(await isThere(id)).toBe(true);
  });
});
