import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { until } from '#test/support/until';
import { axe, chooseByKeys, inBrowser, intercept, isAbove, isClean, isFocused, isSideways } from './harness.ts';

const dayMs = 24 * 3_600_000;

inBrowser('the calendar', (world) => {
  /** A date in the person's zone, `days` from now: `2026-11-19`. */
  const dateIn = (days: number, zone = 'Europe/Paris') =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(world.service.clock.now().getTime() + days * dayMs);
  /** `Thu 19 Nov`, with the year if it is not this one, as the app writes it. */
  const named = (date: string) => {
    const parts = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'UTC',
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    });
    const words = parts.format(Date.parse(date)).replace(',', '').replace('Sept', 'Sep');
    return date.slice(0, 4) === dateIn(0).slice(0, 4) ? words : `${words} ${date.slice(0, 4)}`;
  };
  /** 09:00Z is 10:00 in Paris in winter and 11:00 in summer, so tests name times of UTC, in a browser of UTC. */
  const utc = { timeZone: 'UTC' };
  let account: string;
  beforeAll(async () => {
    account = await world.service.connect('bluesky');
  });
  const draft = (body: string) => world.service.client.posts.create({ accountIds: [account], body });
  const scheduled = async (body: string, at: string) => {
    const { id } = await draft(body);
    await world.service.asHuman('posts.schedule', { id, at });
    return id;
  };
  /** The Monday and Tuesday of the week with this date. */
  const weekOf = (date: string) => {
    const monday = Date.parse(date) - ((new Date(date).getUTCDay() + 6) % 7) * dayMs;
    const dayAfter = (days: number) => new Date(monday + days * dayMs).toISOString().slice(0, 10);
    return [dayAfter(0), dayAfter(1)] as const;
  };
  const timeOf = async (id: string) =>
    new Date((await world.service.client.posts.get({ id })).scheduledAt ?? 0).toISOString();
  const card = (page: Page, name: string) => page.locator('[data-event-id]').filter({ hasText: name });
  const slot = (page: Page, date: string, time: string) => page.locator(`[data-slot="${date} ${time}:00"]`);
  const band = (page: Page, hours: string) => page.getByRole('button', { name: `${hours}, nothing planned` });
  /** Opens the bands of hours in which nothing is planned. */
  const unfold = async (page: Page) => {
    await page.locator('[role="group"][aria-busy="false"]').waitFor();
    const bands = page.locator('[data-fold]');
    while ((await bands.count()) > 0) await bands.first().click();
  };

  test('every view is clean in light and in dark, and the agenda on a phone', async () => {
    const date = dateIn(40, 'UTC');
    await scheduled('Clean', `${date}T10:00:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}` });
    const post = page.getByRole('link', { name: /Clean/ }).first();
    const view = (name: string) => page.getByText(name, { exact: true }).click();
    // Phones have only the agenda.
    for (const name of ['Week', 'Month', 'Day']) {
      await view(name);
      await post.waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await axe(page), name).toEqual([]);
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await view('Agenda');
    await isClean(page, () => post.waitFor());
  });

  test('a post is moved by dragging, comes back with Undo, and goes out at its time', async () => {
    const date = dateIn(2, 'UTC');
    const id = await scheduled('Dragged', `${date}T10:00:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}` });
    await card(page, 'Dragged').waitFor();
    await unfold(page);
    // Uses slots that are on screen and above the toasts even at night, when the view starts at the top of the day.
    await card(page, 'Dragged').dragTo(slot(page, date, '13:00'));
    await page.getByText(`Moved to ${named(date)}, 13:00.`).waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${date}T13:00:00.000Z`);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText(`Moved back to ${named(date)}, 10:00.`).waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${date}T10:00:00.000Z`);
    await card(page, 'Dragged').dragTo(slot(page, date, '12:30'));
    await expect.poll(() => timeOf(id)).toBe(`${date}T12:30:00.000Z`);

    await world.service.clock.forward(Date.parse(`${date}T12:29:00Z`) - world.service.clock.now().getTime());
    expect((await world.service.client.posts.get({ id })).status).toBe('Scheduled');
    await world.service.clock.forward(2 * 60_000);
    await until('it is out', async () => (await world.service.client.posts.get({ id })).status === 'Published');
    await card(page, 'Dragged').getByText('Published').waitFor();
    // Its numbers are read an hour later.
    await card(page, 'Dragged').getByText('No numbers yet').waitFor();
    expect((await world.service.feed('bluesky')).some(({ text }) => text === 'Dragged')).toBe(true);
  });

  test('arrow keys walk from card to card, M moves, Enter opens', async () => {
    // Both in one week, whatever day it is today.
    const [day, after] = weekOf(dateIn(50, 'UTC'));
    await scheduled('First of the day', `${day}T07:00:00Z`);
    const second = await scheduled('Second of the day', `${day}T15:00:00Z`);
    await scheduled('On the next day', `${after}T14:00:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${day}` });
    const link = (name: string) => card(page, name).getByRole('link');
    await link('First of the day').focus();
    await page.keyboard.press('ArrowDown');
    await isFocused(link('Second of the day'));
    await page.keyboard.press('ArrowRight');
    await isFocused(link('On the next day'));
    await page.keyboard.press('ArrowLeft');
    await isFocused(link('Second of the day'));
    await expect.poll(() => page.locator('[data-event-id] a[tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'Move to…' });
    await dialog.getByLabel('Time').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await isFocused(link('Second of the day'));
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/posts/${second}`);
  });

  test('empty hours are one band; a click opens it, and so does a card that is dragged over it', async () => {
    const date = dateIn(60, 'UTC');
    const id = await scheduled('Over the band', `${date}T10:00:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}` });
    await band(page, '00:00 – 10:00').waitFor();
    await band(page, '12:00 – 24:00').click();
    await slot(page, date, '20:00').waitFor();
    await page.getByRole('button', { name: 'Fold 12:00 – 24:00' }).click();
    await slot(page, date, '20:00').waitFor({ state: 'detached' });

    await card(page, 'Over the band').hover();
    await page.mouse.down();
    // The first move starts the drag, the second is over the band.
    const box = await band(page, '00:00 – 10:00').boundingBox();
    for (const x of [300, 305]) await page.mouse.move((box?.x ?? 0) + x, (box?.y ?? 0) + 10);
    await slot(page, date, '02:00').hover();
    await slot(page, date, '02:30').hover();
    await page.mouse.up();
    await page.getByText(`Moved to ${named(date)}, 02:30.`).waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${date}T02:30:00.000Z`);
    await band(page, '05:00 – 24:00').waitFor();
  });

  test('the grid stands before its posts are there, and says that it is busy', async () => {
    const date = dateIn(70, 'UTC');
    await scheduled('Late answer', `${date}T10:00:00Z`);
    const page = await world.visit({ ...utc, at: '/posts' });
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await intercept(page, '**/api/app/posts?*group=Timed*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.service.url}/calendar?date=${date}`);
    await page.locator('[role="group"][aria-busy="true"]').waitFor();
    await slot(page, date, '09:00').waitFor();
    await page.getByText('07:00', { exact: true }).waitFor();
    expect(await card(page, 'Late answer').count()).toBe(0);
    answer();
    await card(page, 'Late answer').waitFor();
    expect(await page.locator('[role="group"][aria-busy="true"]').count()).toBe(0);
  });

  test('on a phone nothing is said of a day before its posts are there, nor when they do not come', async () => {
    const page = await world.visit({ ...utc, at: '/posts', width: 390, height: 844, expected: [/403/] });
    let refuse = () => {};
    const held = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    await intercept(page, '**/api/app/posts?*group=Timed*', async (route) => {
      await held;
      await route.fulfill({ status: 403 });
    });
    await page.goto(`${world.service.url}/calendar`);
    await page.getByText('Loading the agenda').waitFor({ state: 'attached' });
    expect(await page.getByText(/^Nothing |, 0 posts$/).count()).toBe(0);
    refuse();
    await page.getByText('The calendar could not be loaded').waitFor();
    expect(await page.getByText(/^Nothing |, 0 posts$/).count()).toBe(0);
  });

  test('a post is moved by keyboard alone; a time that has passed is refused with the reason', async () => {
    const [date, next, past] = [dateIn(3, 'UTC'), dateIn(4, 'UTC'), dateIn(-1, 'UTC')];
    const id = await scheduled('Typed', `${date}T10:00:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}` });
    await card(page, 'Typed').getByRole('button', { name: 'Actions for Typed' }).focus();
    await page.keyboard.press('Enter');
    await chooseByKeys(page, 'Move to…');
    const dialog = page.getByRole('dialog', { name: 'Move to…' });
    const time = dialog.getByLabel('Time', { exact: true });
    await time.fill(`${past} 10:00`);
    await dialog.getByText('That time has passed. Choose a later one.').waitFor();
    await dialog.getByRole('button', { name: 'Move' }).press('Enter');
    expect(await timeOf(id)).toBe(`${date}T10:00:00.000Z`);
    expect(await axe(page)).toEqual([]);
    await time.fill(`${next} 4:15pm`);
    await time.press('Enter');
    await page.getByText(`Moved to ${named(next)}, 16:15.`).waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${next}T16:15:00.000Z`);
  });

  const inTray = (page: Page, name: string) =>
    page.getByRole('complementary', { name: 'Drafts' }).getByRole('listitem').filter({ hasText: name });

  test('the past takes no draft, and says why', async () => {
    const past = dateIn(-8, 'UTC');
    const { id } = await draft('Too late');
    const page = await world.visit({ ...utc, at: `/calendar?drafts=open&date=${past}` });
    await unfold(page);
    await inTray(page, 'Too late').dragTo(slot(page, past, '12:00'));
    await page.getByRole('alert').getByText('That time has passed. Choose a later one.').waitFor();
    expect((await world.service.client.posts.get({ id })).scheduledAt).toBeUndefined();
  });

  test('a draft from the tray is scheduled where it is dropped, after a confirmation', async () => {
    const date = dateIn(5, 'UTC');
    const { id } = await draft('From the tray');
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}` });
    expect(await page.getByRole('complementary', { name: 'Drafts' }).count()).toBe(0);
    await page.getByRole('button', { name: /^Drafts/ }).click();
    await unfold(page);
    const source = inTray(page, 'From the tray');
    await source.dragTo(slot(page, date, '12:00'));
    const dialog = page.getByRole('dialog', { name: 'Choose a time' });
    await expect.poll(() => dialog.getByLabel('Time', { exact: true }).inputValue()).toBe('12:00');
    expect((await world.service.client.posts.get({ id })).status).toBe('Draft');
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await card(page, 'From the tray').waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${date}T12:00:00.000Z`);
    expect((await world.service.client.posts.get({ id })).status).toBe('Scheduled');
    await source.waitFor({ state: 'detached' });
  });

  test('Choose time can keep a draft a draft and only plan its time', async () => {
    const date = dateIn(6, 'UTC');
    const { id } = await draft('Only a wish');
    const page = await world.visit({ ...utc, at: `/calendar?drafts=open&date=${date}` });
    await page.getByRole('button', { name: 'Choose time for Only a wish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a time' });
    await dialog.getByLabel('Time', { exact: true }).fill(`${date} 9.30`);
    await dialog.getByRole('button', { name: 'Save the time only' }).click();
    await card(page, 'Only a wish').waitFor();
    await expect.poll(() => timeOf(id)).toBe(`${date}T09:30:00.000Z`);
    expect((await world.service.client.posts.get({ id })).status).toBe('Draft');
  });

  test("all times are in the person's zone, whatever the browser's is", async () => {
    const date = dateIn(7, 'America/New_York');
    const id = await scheduled('Far away', `${date}T17:00:00Z`);
    const page = await world.visit({ timeZone: 'Asia/Tokyo', at: '/favicon.svg', expected: [/favicon/] });
    await intercept(page, '**/api/auth/session', async (route) => {
      const answer = await route.fetch();
      const session = await answer.json();
      session.user.timeZone = 'America/New_York';
      await route.fulfill({ response: answer, json: session });
    });
    await page.goto(`${world.service.url}/calendar?date=${date}`);
    // 12:00 in winter, 13:00 in summer.
    const offset = Number(
      new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', hour: '2-digit' }).format(
        Date.parse(`${date}T17:00:00Z`),
      ),
    );
    await card(page, 'Far away').getByText(`${offset}:00`).waitFor();
    await unfold(page);
    await card(page, 'Far away').dragTo(slot(page, date, `${offset + 2}:00`));
    await expect.poll(() => timeOf(id)).toBe(`${date}T19:00:00.000Z`);
    await unfold(page);
    await slot(page, date, '08:00').click();
    await expect
      .poll(() => new URL(page.url()).searchParams.get('at'))
      .toBe(`${date}T${String(25 - offset).padStart(2, '0')}:00:00.000Z`);
  });

  test('[ and ] go from week to week, T comes back; view and date are in the address', async () => {
    const page = await world.visit({ ...utc, at: '/calendar?date=2026-11-18' });
    await page.getByText('16–22 November 2026').waitFor();
    await page.keyboard.press(']');
    await page.getByText('23–29 November 2026').waitFor();
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.getByText('9–15 November 2026').waitFor();
    await page.getByText('Month', { exact: true }).click();
    await page.getByText('November 2026', { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('view')).toBe('month');
    await page.keyboard.press('t');
    await expect.poll(() => new URL(page.url()).searchParams.get('date')).toBe(null);
    await page.goBack();
    await expect.poll(() => new URL(page.url()).searchParams.get('date')).not.toBe(null);
  });

  test('a week without posts says how to write for it', async () => {
    const page = await world.visit({ ...utc, at: '/calendar?date=2030-01-07' });
    await page.getByText('Nothing is planned here. Click a time to write for it.').waitFor();
  });

  test('four at one time are one card and +3, which opens the day', async () => {
    const date = dateIn(30, 'UTC');
    for (const n of [1, 2, 3, 4]) await scheduled(`Crowd ${n}`, `${date}T11:0${n}:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}` });
    await card(page, 'Crowd').waitFor();
    const day = page.getByRole('button', { name: /, 4 posts$/ });
    await day.getByText('4 posts', { exact: true }).waitFor();
    await page.getByRole('button', { name: '+3 more, open the day' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('view')).toBe('day');
    await expect.poll(() => card(page, 'Crowd').count()).toBe(4);
    await page.getByText('Month', { exact: true }).click();
    await expect.poll(() => card(page, 'Crowd').count()).toBe(2);
    const more = page.getByRole('button', { name: '2 more, open the day' });
    // axe accepts small targets with enough space around them.
    expect((await more.boundingBox())?.height).toBeGreaterThanOrEqual(24);
    await more.click();
    await expect.poll(() => new URL(page.url()).searchParams.get('view')).toBe('day');
  });

  test('a time and the name of its day are not cut off at 834, beside another post and with the drafts', async () => {
    const date = dateIn(85, 'UTC');
    for (const time of ['09:40', '10:00', '10:40', '10:45']) await scheduled(`Tight ${time}`, `${date}T${time}:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?drafts=open&date=${date}`, width: 834, height: 1000 });
    await page.getByRole('complementary', { name: 'Drafts' }).waitFor();
    await card(page, 'Tight').first().waitFor();
    const areCut = (inner: string, outer: string) =>
      page
        .locator(inner)
        .evaluateAll(
          (all, box) =>
            all
              .map((one) => [one.getBoundingClientRect().right, one.closest(box)?.getBoundingClientRect().right ?? 0])
              .map(([right = 0, edge = 0]) => right > edge),
          outer,
        );
    await expect.poll(() => areCut('[data-event-id] time', '[data-event-id]')).toEqual([false, false]);
    await expect.poll(() => areCut('[role="group"] strong', 'button')).toEqual(Array(7).fill(false));
    await expect.poll(() => isSideways(page)).toBe(false);
    expect(await axe(page)).toEqual([]);
  });

  test('nothing is cut off or runs sideways at 1024, and the month of a phone shows the chosen day', async () => {
    const date = dateIn(80, 'UTC');
    await scheduled('Narrow '.repeat(20), `${date}T10:00:00Z`);
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}`, width: 1024 });
    for (const view of ['Week', 'Month']) {
      await page.getByText(view, { exact: true }).click();
      await card(page, 'Narrow').waitFor();
      await expect.poll(() => isSideways(page)).toBe(false);
      expect(await axe(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: new RegExp(`${Number(date.slice(8))}, 1 post$`) }).click();
    await page.getByRole('link', { name: /Narrow/ }).waitFor();
    await expect.poll(() => isSideways(page)).toBe(false);
    expect(await axe(page)).toEqual([]);
  });

  test('a number stands below the picture of its card, also above a line about the outcome', async () => {
    const date = dateIn(100, 'UTC');
    const at = `${date}T10:00:00Z`;
    await scheduled('In doubt', at);
    const accountIds = [account, await world.service.connect('mastodon'), await world.service.connect('threads')];
    const page = await world.visit({ ...utc, at: '/favicon.svg', expected: [/favicon/] });
    await intercept(page, '**/api/app/posts?*group=Timed*', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      for (const post of json.posts.filter(({ text }: { text: string }) => text === 'In doubt')) {
        const results = [true, false].map((ok) => ({ accountId: account, ok, uncertain: !ok }));
        Object.assign(post, {
          status: 'Failed',
          results,
          publishedAt: at,
          thumbnail: { url: '/favicon.svg', kind: 'Video' },
        });
        Object.assign(post, { accountIds, numbers: 'Read', engagement: 143 });
      }
      await route.fulfill({ response: answer, json });
    });
    await page.goto(`${world.service.url}/calendar?date=${date}`);
    const post = card(page, 'In doubt');
    await post.getByText('Uncertain on 1 of 2').waitFor();
    await post.locator('.lucide-play').waitFor();
    await expect.poll(() => isAbove(post.locator('img'), post.getByText('143'))).toBe(true);
    // Where both have no room, the number stays.
    const networks = post.getByTitle('Mastodon').filter({ visible: true });
    await expect.poll(() => networks.count()).toBe(1);
    await page.setViewportSize({ width: 1024, height: 900 });
    await expect.poll(async () => (await post.boundingBox())?.width).toBeLessThan(130);
    await expect.poll(() => networks.count()).toBe(0);
    await post.getByText('so far').waitFor();
  });

  test('a viewer sees the week and can move nothing', async () => {
    const date = dateIn(9, 'UTC');
    await scheduled('Not yours', `${date}T10:00:00Z`);
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ ...utc, at: `/calendar?date=${date}`, as: email });
    await card(page, 'Not yours').waitFor();
    await expect.poll(() => card(page, 'Not yours').getAttribute('draggable')).toBe('false');
    expect(await page.getByRole('complementary', { name: 'Drafts' }).count()).toBe(0);
    await card(page, 'Not yours').getByRole('button', { name: 'Actions for Not yours' }).click();
    await page.getByRole('menuitem', { name: 'Open' }).waitFor();
    await expect.poll(() => page.getByRole('menuitem').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
  });
});
