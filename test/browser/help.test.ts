import { expect, test } from 'vitest';
import { buildHelp } from '#test/support/shared';
import { axe, inBrowser, isAt } from './harness.ts';

inBrowser(
  'the help',
  (world) => {
    test('is found by its search with keys alone, on a wide page and on a phone, in light and dark', async () => {
      for (const [width, scheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        const page = await world.visit({ at: '/help', as: null, width, scheme });
        await page.getByRole('heading', { level: 1, name: 'Posthorn help' }).waitFor();
        expect(await axe(page)).toEqual([]);
        await page.keyboard.press('/');
        await page.keyboard.type('key lost');
        await page.getByRole('link', { name: /^When the key is lost/ }).waitFor();
        expect(await axe(page)).toEqual([]);
        await page.keyboard.press('Enter');
        await isAt(page, '/help/operating#when-the-key-is-lost');
        expect(await axe(page)).toEqual([]);
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
        await page.getByRole('searchbox').fill('no such word anywhere');
        await page.getByText('Nothing found. Try another word.').waitFor();
      }
    });

    test('the button that copies has room below the code on a touch screen', async () => {
      const page = await world.visit({ at: '/help/tutorial', as: null, width: 390 });
      const copy = page.getByRole('button', { name: 'Copy' }).first();
      const code = page.locator('.code pre').first();
      const [button, block] = [await copy.boundingBox(), await code.boundingBox()];
      expect(button?.y).toBeGreaterThanOrEqual((block?.y ?? 0) + (block?.height ?? 0));
    });

    test('opens from the menu of a person', async () => {
      const page = await world.visit();
      await page.getByTitle('owner@example.com').click();
      const [help] = await Promise.all([
        page.context().waitForEvent('page'),
        page.getByRole('menuitem', { name: 'Help' }).click(),
      ]);
      await help.getByRole('heading', { level: 1, name: 'Posthorn help' }).waitFor();
    });
  },
  async () => {
    await buildHelp();
    return {};
  },
);
