import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '#scripts/chromium';
import { startTwins, type TwinsProcess } from '#test/support/twins';
import { axe, isSideways } from './harness.ts';

const path = findChromium();

describe.skipIf(path === undefined && process.env.BROWSER_REQUIRED !== '1')('the page of the twins', () => {
  let twins: TwinsProcess;
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    twins = await startTwins();
    browser = await chromium.launch({ ...(path && { executablePath: path }), args: ['--disable-gpu'] });
    page = await browser.newPage();
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', ({ message }) => void problems.push(message));
  });
  afterAll(async () => {
    await browser?.close();
    await twins?.stop();
  });

  const tweet = (text: string) => {
    const { baseUrl, token } = twins.access('x');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${baseUrl}/api/2/tweets`, { method: 'POST', headers, body: JSON.stringify({ text }) });
  };

  test('shows a new post by itself, pauses when asked to, and breaks no policy', async () => {
    await page.goto(twins.url);
    await page.getByText('Nothing has been posted yet.').waitFor();
    await tweet('Fresh <b>bread</b>');
    await page.getByText('Fresh <b>bread</b>').waitFor();
    await page.getByRole('button', { name: 'Pause refreshing' }).click();
    await tweet('While paused');
    const goOn = page.getByRole('button', { name: 'Go on refreshing' });
    expect(await page.getByText('While paused').count()).toBe(0);
    await goOn.click();
    await page.getByText('While paused').waitFor();
    expect(problems).toEqual([]);
  });

  test('is accessible, in light and dark, on a desktop and on a phone', async () => {
    await tweet('A post with a word that is veryveryveryveryveryveryveryveryveryveryveryverylong');
    for (const [colorScheme, width, ground] of [
      ['light', 1280, 'rgb(240, 241, 244)'],
      ['dark', 320, 'rgb(12, 14, 18)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${twins.url}/?network=x`);
      await expect.poll(() => page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(ground);
      expect(await axe(page)).toEqual([]);
      await expect.poll(() => isSideways(page)).toBe(false);
    }
  });

  test('says when the twins are gone', async () => {
    await page.goto(twins.url);
    problems.length = 0;
    twins.kill('SIGTERM');
    await page.getByText('The twins do not answer').waitFor();
  });
});
