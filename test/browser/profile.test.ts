import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { until } from '#test/support/until';
import { inBrowser, isAt, isClean } from './harness.ts';

inBrowser('the profile', (world) => {
  const schemeOf = (page: Page) => page.evaluate("document.documentElement.getAttribute('data-mantine-color-scheme')");

  test('theme and shortcuts follow the person into another browser', async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/profile', as: email });
    await page.getByRole('radiogroup', { name: 'Theme' }).getByText('Dark').click();
    await expect.poll(() => schemeOf(page)).toBe('dark');
    await page.getByRole('switch', { name: 'Single-key shortcuts' }).click({ force: true });
    await until('both are kept', async () => {
      const person = world.service.browser();
      await person.signIn(email);
      const { user } = (await person.get('/api/auth/session')).body;
      return user.theme === 'dark' && !user.shortcuts;
    });
    const other = await world.visit({ at: '/settings/profile', as: email });
    await other.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
    await expect.poll(() => schemeOf(other)).toBe('dark');
    await other.keyboard.press('?');
    await other.keyboard.press('g');
    await other.keyboard.press('s');
    await expect.poll(() => other.getByRole('switch', { name: 'Single-key shortcuts' }).isChecked()).toBe(false);
    expect(new URL(other.url()).pathname).toBe('/settings/profile');
    expect(await other.getByRole('dialog').count()).toBe(0);
  });

  test("times are in the person's zone, whatever the browser's is", async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/profile', as: email, timeZone: 'Europe/Paris' });
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    // The browser's zone, once the first visit has set it.
    await expect.poll(() => zone.inputValue()).toBe('Europe/Paris');
    await zone.click();
    await zone.fill('');
    await zone.pressSequentially('Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    const shown = new Intl.DateTimeFormat('en-GB', { timeZone: 'Asia/Tokyo', hour: '2-digit' });
    await page.getByText(new RegExp(`It is .*, ${shown.format(world.service.clock.now())}:\\d\\d there`)).waitFor();
  });

  test('a new name is visible to other members', async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/profile', as: email });
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Ada Lovelace' }).waitFor();
  });

  test('a wrong current password is explained, the right one signs other browsers out', async () => {
    const { email } = await world.service.addMember('editor');
    const other = world.service.browser();
    await other.signIn(email);
    const page = await world.visit({ at: '/settings/profile', as: email, expected: [/40\d/] });
    await page.getByLabel('Current password').fill('wrong horse');
    await page.getByLabel('New password').fill('battery staple');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page
      .getByRole('region', { name: 'Password' })
      .getByText(/password.*(wrong|not)/i)
      .first()
      .waitFor();
    await page.getByLabel('Current password').fill('correct horse');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed. Other browsers are signed out.').waitFor();
    expect((await other.get('/api/auth/session')).status).toBe(401);
  });

  test('people delete their account with their address and password', async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/profile', as: email, expected: [/401/] });
    const section = page.getByRole('region', { name: 'Delete your account' });
    await section.getByRole('button', { name: 'Delete my account' }).click();
    await section.getByLabel(`Type ${email} to confirm`).fill(email);
    await section.getByLabel('Your password, to delete your account').fill('correct horse');
    await section.getByRole('button', { name: 'Delete my account for good' }).click();
    await isAt(page, /^\/sign-in/);
    expect((await world.service.browser().signIn(email)).status).toBe(401);
  });

  test('another session can be ended', async () => {
    const { email } = await world.service.addMember('editor');
    const other = world.service.browser();
    await other.signIn(email);
    const page = await world.visit({ at: '/settings/profile', as: email });
    const sessions = page.getByRole('list', { name: 'Sessions' });
    await sessions.getByText(/This browser/).waitFor();
    await sessions.getByRole('button', { name: /^End/ }).click();
    await sessions.getByRole('button', { name: /^End/ }).waitFor({ state: 'detached' });
    expect((await other.get('/api/auth/session')).status).toBe(401);
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit({ at: '/settings/profile' });
    await isClean(page, () => page.getByText(/^This browser, since/).waitFor());
  });
});
