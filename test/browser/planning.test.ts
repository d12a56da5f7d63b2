import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe, go, inBrowser, intercept, isAt, isFocused, isSideways } from './harness.ts';

const dayMs = 24 * 3_600_000;

inBrowser('planning', (world) => {
  const utc = { timeZone: 'UTC' };
  /** A Monday 08:00 UTC at least two days from now, so that no test runs on that day. */
  const monday = () => {
    const from = world.service.clock.now().getTime() + 2 * dayMs;
    const days = (8 - (new Date(from).getUTCDay() || 7)) % 7;
    return new Date(from + days * dayMs).toISOString().slice(0, 10);
  };
  /** `Mon 23 Nov`, with the year if it is not this one, as the app writes it. */
  const named = (date: string) => {
    const options = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' } as const;
    const words = new Intl.DateTimeFormat('en-GB', options)
      .format(Date.parse(date))
      .replace(',', '')
      .replace('Sept', 'Sep');
    const year = world.service.clock.now().getUTCFullYear();
    return date.startsWith(String(year)) ? words : `${words} ${date.slice(0, 4)}`;
  };
  /** A workspace of its own, whose slots, labels and templates no other test sees. */
  const team = async () => {
    const { email, workspaceId, userId } = await world.service.addWorkspace();
    const account = await world.service.addAccount('bluesky', workspaceId);
    const person = world.service.browser();
    await person.signIn(email);
    const as = { workspaceId, userId };
    const draft = async (body: string) =>
      (await world.service.asHuman('posts.create', { accountIds: [account], body }, as)).id as string;
    return { email, account, person, draft, as };
  };
  const text = (page: Page) => page.getByRole('textbox', { name: 'Text' });

  test('slots are made, a post takes the next free one, and the calendar shows it', async () => {
    const { email, draft, person, as } = await team();
    const date = monday();
    const page = await world.visit({ ...utc, as: email, at: '/settings/slots' });
    await page.getByText('No slots yet').waitFor();
    await page.getByText('only a beginning').waitFor();
    await page.getByRole('button', { name: 'Add a slot yourself' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a slot' });
    for (const day of ['Tuesday', 'Wednesday', 'Thursday', 'Friday']) {
      await dialog.getByRole('button', { name: day }).click();
    }
    await dialog.getByLabel('Time').fill('8.30');
    await dialog.getByRole('button', { name: 'Add slot' }).click();
    await page.getByRole('list', { name: 'Weekly times' }).getByText('Monday', { exact: true }).waitFor();
    expect(await axe(page)).toEqual([]);

    // All slots before that Monday are taken, whenever the test runs.
    const first = (await person.get('/api/app/free-slots/next')).body.at as string;
    const taken = await draft('Taken before');
    if (first < `${date}T08:30`) await world.service.asHuman('posts.schedule', { id: taken, at: first }, as);
    const id = await draft('Takes the slot');
    // From here on no tab gets live events.
    await intercept(page, '**/api/app/events*', () => new Promise<void>(() => undefined));
    await page.goto(`${world.service.url}/posts/${id}`);
    const main = page.getByRole('button', { name: /^Schedule · / });
    await main.waitFor();
    await page.getByRole('button', { name: 'Choose a time' }).click();
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    const offer = panel.getByRole('button', { name: new RegExp(`^${named(date)}, 08:30`) });
    await expect.poll(() => offer.getAttribute('aria-pressed')).toBe('true');
    expect(await axe(page)).toEqual([]);

    // Someone else is faster: nothing is scheduled over their post.
    const other = await draft('Was faster');
    await world.service.asHuman('posts.schedule', { id: other, at: `${date}T08:30:00Z` }, as);
    const next = new Date(Date.parse(date) + 7 * dayMs).toISOString().slice(0, 10);
    await panel.getByRole('button', { name: `Schedule for ${named(date)}, 08:30` }).click();
    const second = panel.getByRole('button', { name: new RegExp(`^${named(next)}, 08:30`) });
    await second.waitFor();
    await panel.getByText(`Someone took ${named(date)}, 08:30 just now.`).waitFor();
    expect((await world.service.asHuman('posts.get', { id }, as)).status).toBe('Draft');
    await panel.getByRole('button', { name: `Schedule for ${named(next)}, 08:30` }).click();
    await page.getByText(/^Goes out .*Your changes count at once/).waitFor();
    expect((await world.service.asHuman('posts.get', { id }, as)).scheduledAt).toBe(`${next}T08:30:00.000000Z`);

    const after = new Date(Date.parse(next) + 7 * dayMs).toISOString().slice(0, 10);
    await go(page, `/calendar?date=${next}`);
    await page.locator('[data-event-id]').filter({ hasText: 'Takes the slot' }).waitFor();
    expect(await page.getByText('next free').count()).toBe(0);
    await go(page, `/calendar?date=${after}&view=month`);
    await page
      .locator(`[data-slot^="${after}"]`)
      .getByRole('link', { name: /08:30\s*next free/ })
      .waitFor();
    await go(page, `/calendar?date=${after}`);
    await page.getByRole('link', { name: /08:30\s*next free/ }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe(`${after}T08:30:00.000000Z`);
  });

  test('a free slot that a card would cover stands beside it', async () => {
    const { email, person, draft, as } = await team();
    const date = monday();
    await person.post('/api/app/slots', { timeZone: 'UTC', slots: [{ days: [1], time: '09:00' }] });
    const id = await draft('Just before');
    await world.service.asHuman('posts.schedule', { id, at: `${date}T08:30:00Z` }, as);
    const page = await world.visit({ ...utc, as: email, at: `/calendar?date=${date}` });
    const card = page.locator('[data-event-id]').filter({ hasText: 'Just before' });
    const slot = page.getByRole('link', { name: /09:00\s*next free/ });
    await slot.waitFor();
    const [cardBox, slotBox] = [await card.boundingBox(), await slot.boundingBox()];
    expect((cardBox?.y ?? 0) + (cardBox?.height ?? 0)).toBeGreaterThan(slotBox?.y ?? 0);
    expect((cardBox?.x ?? 0) + (cardBox?.width ?? 0)).toBeLessThanOrEqual(slotBox?.x ?? 0);
    await card.getByRole('link').focus();
    await page.keyboard.press('ArrowDown');
    await isFocused(slot);
    expect(await axe(page)).toEqual([]);
  });

  test('a label is made in the editor, set on several posts in the list, and filters posts and calendar', async () => {
    const { email, draft, person } = await team();
    const [id] = [await draft('About bread'), await draft('About cake'), await draft('About nothing')];
    const page = await world.visit({ ...utc, as: email, at: `/posts/${id}`, scheme: 'dark' });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Labels' }).click();
    const dialog = page.getByRole('dialog', { name: 'Labels' });
    await dialog.getByRole('textbox', { name: 'New label' }).fill('Bakery');
    await dialog.getByRole('button', { name: /^Color of the new label/ }).click();
    await page.getByRole('menuitem', { name: 'Plum' }).click();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => dialog.getByRole('checkbox', { name: 'Bakery' }).isChecked()).toBe(true);

    // Somebody else renames it: changing the color must keep the new name.
    const labels = async () => (await person.get('/api/app/labels')).body.labels;
    const [made] = await labels();
    await person.patch(`/api/app/labels/${made.id}`, { name: 'Bakery & more' });
    await dialog.getByRole('button', { name: 'Change Bakery & more' }).click();
    await dialog.getByRole('button', { name: /^Color of Bakery & more/ }).click();
    await page.getByRole('menuitem', { name: 'Red' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const bin = dialog.getByRole('button', { name: 'Delete Bakery & more' });
    await bin.waitFor();
    expect(await labels()).toMatchObject([{ name: 'Bakery & more', color: 'red' }]);

    // The focus stays in the dialog when its element goes.
    await bin.focus();
    await page.keyboard.press('Enter');
    await isFocused(dialog.getByRole('button', { name: 'Keep' }));
    await page.keyboard.press('Enter');
    await bin.waitFor();
    await isFocused(dialog);
    await page.keyboard.press('Tab');
    await isFocused(dialog.getByRole('button').first());

    await dialog.getByRole('textbox', { name: 'New label' }).fill('BAKERY & MORE');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('There is a label BAKERY & MORE already.').waitFor();
    expect(await axe(page)).toEqual([]);
    world.forgive(/409/);
    await dialog.getByRole('button', { name: 'Change Bakery & more' }).click();
    await dialog.getByRole('textbox', { name: 'New name for Bakery & more' }).press('Escape');
    await bin.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Labels Bakery & more' }).waitFor();

    await go(page, '/posts');
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await row('About bread').getByText('Bakery & more').waitFor();
    await row('About cake').getByRole('link').focus();
    await page.keyboard.press('x');
    await row('About bread').getByRole('link').focus();
    await page.keyboard.press('x');
    await page.getByRole('region', { name: 'Selected posts' }).getByRole('button', { name: 'Labels' }).click();
    const both = page
      .getByRole('dialog', { name: 'Labels of 2 posts' })
      .getByRole('checkbox', { name: 'Bakery & more' });
    await both.click();
    await row('About cake').getByText('Bakery & more').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Labels', exact: true }).first().click();
    await page.getByRole('checkbox', { name: 'Bakery & more' }).click();
    await row('About nothing').waitFor({ state: 'detached' });
    await row('About cake').waitFor();
    await page.getByRole('link', { name: /^All\s*2/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    const labelId = new URL(page.url()).searchParams.get('labels');
    await go(page, `/calendar?labels=${labelId}`);
    await page.getByRole('button', { name: 'Labels 1' }).waitFor();
  });

  test('a template keeps text and options of a post; inserted it begins another, and a signature ends it', async () => {
    const { email, draft, person } = await team();
    const id = await draft('Closed today.\n\nSee you tomorrow.');
    await person.post('/api/app/actions/posts.setOption', { id, key: 'bluesky.reply_control', value: 'nobody' });
    const page = await world.visit({ ...utc, as: email, at: `/posts/${id}` });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Save as template' }).click();
    const form = page.getByRole('dialog', { name: 'Save as template' });
    await form.getByLabel('Name').fill('Closed');
    await form.getByText('It also keeps 1 option.').waitFor();
    // In the editor these keys open the dialog that publishes.
    await form.getByLabel('Name').press('Control+Enter');
    expect(await page.getByRole('dialog', { name: /^Publish/ }).count()).toBe(0);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Closed” is kept as a template').waitFor();
    await page.getByRole('button', { name: 'Insert template' }).click();
    const list = page.getByRole('dialog', { name: 'Templates' });
    await list.getByRole('button', { name: 'New signature' }).click();
    const signature = page.getByRole('dialog', { name: 'New signature' });
    await signature.getByLabel('Name').fill('Ours');
    await signature.getByLabel('Signature').fill('Rye & Ember, Hill Street');
    await signature.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Ours” is kept as a signature').waitFor();

    await go(page, '/posts/new');
    await page.getByRole('button', { name: 'Insert template' }).click();
    expect(await axe(page)).toEqual([]);
    await list.getByRole('button', { name: 'Insert Closed' }).click();
    await expect.poll(() => text(page).inputValue()).toBe('Closed today.\n\nSee you tomorrow.');
    await page.getByRole('button', { name: 'Insert template' }).click();
    await list.getByRole('button', { name: 'Insert Ours' }).click();
    const undo = page.getByRole('button', { name: 'Undo' }).last();
    // The toast stays while the pointer is over it.
    await undo.hover();
    const whole = 'Closed today.\n\nSee you tomorrow.\n\nRye & Ember, Hill Street';
    await expect.poll(() => text(page).inputValue()).toBe(whole);
    await isAt(page, /^\/posts\/post_/);
    const made = page.url().split('/').at(-1) ?? '';
    await expect
      .poll(async () => (await person.post('/api/app/actions/posts.get', { id: made })).body.versions[0])
      .toEqual({ content: [{ body: whole, media: [] }], options: { 'bluesky.reply_control': 'nobody' } });
    await undo.click();
    await expect.poll(() => text(page).inputValue()).toBe('Closed today.\n\nSee you tomorrow.');
  });

  test('a copy has the labels, versions, options and media of its post, and no time', async () => {
    const { email, account, person, as } = await team();
    const { id } = await world.service.asHuman('posts.create', { accountIds: [account], body: 'Copied' }, as);
    const [one, two] = ['One', 'Two'].map((name) => person.post('/api/app/labels', { name }));
    const labels = [(await one)?.body.id, (await two)?.body.id];
    await person.post('/api/app/posts/labels', { postIds: [id], add: labels });
    const versions = [
      {
        content: [
          { body: 'Copied', media: [] },
          { body: 'And on', media: [] },
        ],
        options: { 'bluesky.reply_control': 'nobody' },
      },
      {
        accountId: account,
        content: [{ body: 'Copied, for one', media: [] }],
        options: { 'bluesky.allow_quotes': 'false' },
      },
    ];
    const saved = await person.post('/api/app/actions/posts.update', {
      id,
      accountIds: [account],
      versions,
      scheduledAt: `${monday()}T10:00:00Z`,
    });
    expect(saved.body.versions).toEqual(versions);
    const page = await world.visit({ ...utc, as: email, at: '/favicon.svg', expected: [/favicon/, /400/] });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/accounts.list', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.service.url}/posts`);
    await page.getByRole('link', { name: /Copied/ }).focus();
    const read = page.waitForResponse('**/accounts.list');
    await page.keyboard.press('d');
    release();
    await read;
    await page.getByText('Duplicated as a draft').waitFor();
    const { posts } = (await person.get('/api/app/posts?group=Drafts&query=Copied')).body;
    const copy = posts.find((post: { id: string }) => post.id !== id);
    expect(copy.labelIds.sort()).toEqual(labels.sort());
    const whole = (await person.post('/api/app/actions/posts.get', { id: copy.id })).body;
    expect(whole.versions).toEqual(versions);
    expect(whole.scheduledAt).toBeUndefined();

    await intercept(page, '**/api/app/posts/labels', async (route) => {
      await person.delete(`/api/app/labels/${labels[0]}`);
      await route.continue();
    });
    await page
      .getByRole('link', { name: /Copied/ })
      .first()
      .focus();
    await page.keyboard.press('d');
    await page.getByText(/^The copy has no labels\./).waitFor();
    await expect.poll(() => page.getByRole('link', { name: /Copied/ }).count()).toBe(3);
  });

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('the palette is clean in %s at %i px, and opens a post by keyboard alone', async (scheme, width) => {
    const { email, draft } = await team();
    const id = await draft('Needle in the haystack');
    for (const body of ['Hay', 'More hay']) await draft(body);
    const page = await world.visit({ ...utc, as: email, at: '/settings/profile', scheme, width });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or jump to' });
    await field.waitFor();
    await page.getByRole('option', { name: 'New post' }).waitFor();
    await page.getByRole('option', { name: /More hay/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => isSideways(page)).toBe(false);
    await isFocused(field);
    await page.keyboard.type('calen');
    const calendar = page.getByRole('option', { name: 'Calendar' });
    await expect.poll(() => calendar.getAttribute('aria-selected')).toBe('true');
    // Keys typed while the palette opens go into it, also right after it was closed.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('needle');
    const found = page.getByRole('option', { name: /Needle in the haystack/ });
    await expect.poll(() => found.getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/posts/${id}`);
    await text(page).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('schedule this');
    await expect
      .poll(() => page.getByRole('option', { name: 'Schedule this post' }).getAttribute('aria-selected'))
      .toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Schedule' }).waitFor();
  });

  test('a slot that is changed before the accounts are loaded keeps its accounts', async () => {
    const { email, account, person } = await team();
    await person.post('/api/app/slots', {
      timeZone: 'UTC',
      slots: [{ days: [1], time: '09:00', accountIds: [account] }],
    });
    const page = await world.visit({ ...utc, as: email, at: '/favicon.svg' });
    await intercept(page, /accounts\.list/, () => new Promise<void>(() => undefined));
    await page.goto(`${world.service.url}/settings/slots`);
    await page.getByRole('list', { name: 'Weekly times' }).getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the slot' });
    await dialog.getByLabel('Time').fill('10:00');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await person.get('/api/app/slots')).body.slots).toMatchObject([{ time: '10:00', accountIds: [account] }]);
  });

  test('a viewer sees slots and changes none', async () => {
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ ...utc, as: email, at: '/settings/slots' });
    await page.getByText('Owners, admins and editors plan them.').waitFor();
    expect(await page.getByRole('button', { name: /slot/ }).count()).toBe(0);
  });
});
