import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { findChromium } from '#scripts/chromium';
import { type Service, startService } from '#test/support/service';
import { buildWeb } from '#test/support/shared';

const path = findChromium();
const isRequired = process.env.BROWSER_REQUIRED === '1';
if (path === undefined && !isRequired) {
  console.warn('No Chromium: the browser tests are skipped. Install one, or set CHROMIUM_PATH.');
}

// Not in a hook: a build on a busy machine takes longer than a hook may.
if (path !== undefined) await buildWeb();

/** A test waits for each state by itself; this ends one that waits for what never comes, also on a busy machine. */
const patienceMs = 120_000;

type ServiceOptions = NonNullable<Parameters<typeof startService>[1]>;

export interface Visit {
  /** Default `/`. */
  at?: string;
  width?: number;
  height?: number;
  scheme?: 'light' | 'dark';
  /** Zone of the browser, not of the person. */
  timeZone?: string;
  /** Default the owner. `null`: nobody is signed in. */
  as?: string | null;
  /** Console errors that the test is about, such as the 404 of a page. */
  expected?: readonly RegExp[];
}

/**
 * Tests in a real browser with the built web app on a service of their own. A console error, or a request that leaves
 * the host, fails the test it came from.
 */
export const inBrowser = (
  name: string,
  tests: (world: World) => void,
  settings: NodeJS.ProcessEnv | (() => Promise<NodeJS.ProcessEnv>) = {},
  options: ServiceOptions = {},
) => {
  describe.skipIf(path === undefined && !isRequired)(name, { timeout: patienceMs }, () => {
    const world = new World();
    beforeAll(
      async () => world.open(typeof settings === 'function' ? await settings() : settings, options),
      patienceMs,
    );
    afterEach(() => world.leave());
    afterAll(() => world.close());
    tests(world);
  });
};

type Look = Required<Pick<Visit, 'width' | 'height' | 'scheme' | 'timeZone'>>;

/** A browser as a person has it. The next visit that looks alike gets it again, empty but for the files of the app. */
interface Profile {
  readonly look: string;
  readonly context: BrowserContext;
  expected: readonly RegExp[];
}

export class World {
  #browser: Browser | undefined;
  #service: Service | undefined;
  #idle: Profile[] = [];
  #used: Profile[] = [];
  #troubles: string[] = [];

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service runs inside tests alone');
    return this.#service;
  }

  async open(settings: NodeJS.ProcessEnv, options: ServiceOptions) {
    if (path === undefined) throw new Error('No Chromium. Install one, or set CHROMIUM_PATH.');
    this.#service = await startService(settings, { ...options, ownAddress: true });
    this.#service.startJobs();
    this.#browser = await chromium.launch({ executablePath: path, args: ['--disable-gpu'] });
  }

  /** A browser of its own with one tab. `page.context().newPage()` is a second tab of the same person. */
  async visit({
    at = '/',
    width = 1440,
    height = 900,
    scheme = 'light',
    timeZone = 'Europe/Paris',
    as = 'owner@example.com',
    expected = [],
  }: Visit = {}): Promise<Page> {
    const { context } = await this.#enter({ width, height, scheme, timeZone }, expected);
    if (as !== null) await this.signIn(context, as);
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(this.service.url + at);
    return page;
  }

  async signIn(context: BrowserContext, email: string) {
    const person = this.service.browser();
    await person.signIn(email);
    const [name = '', value = ''] = person.cookie().split('=');
    await context.addCookies([{ name, value, url: this.service.url, httpOnly: true, sameSite: 'Lax' }]);
  }

  /** What is right in this test alone, such as the way to another host. */
  forgive(words: RegExp) {
    this.#troubles = this.#troubles.filter((text) => !words.test(text));
  }

  /** After each test: what went wrong unseen. */
  async leave() {
    const used = this.#used;
    this.#used = [];
    await Promise.all(used.map((profile) => this.#empty(profile)));
    this.#idle.push(...used);
    const troubles = this.#troubles;
    this.#troubles = [];
    expect(troubles).toEqual([]);
  }

  async close() {
    await this.#browser?.close();
    await this.#service?.stop();
  }

  async #enter(wanted: Look, expected: readonly RegExp[]): Promise<Profile> {
    const look = JSON.stringify(wanted);
    const again = this.#idle.find((profile) => profile.look === look);
    this.#idle = this.#idle.filter((profile) => profile !== again);
    const profile = again ?? { look, context: await this.#newContext(wanted), expected };
    profile.expected = expected;
    if (again === undefined) this.#guard(profile);
    this.#used.push(profile);
    return profile;
  }

  /** Nothing of a person stays, only what the app is made of: to load and compile it takes most of a visit. */
  async #empty({ context }: Profile) {
    const pages = context.pages();
    const page = await context.newPage();
    await Promise.all(pages.map((one) => one.close()));
    await Promise.all([
      context.unrouteAll({ behavior: 'ignoreErrors' }),
      context.clearPermissions(),
      context.clearCookies(),
      context.setOffline(false),
    ]);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin: this.service.url, storageTypes: 'all' });
    await devtools.detach();
  }

  async #newContext({ width, height, scheme, timeZone }: Look) {
    if (this.#browser === undefined) throw new Error('the browser runs inside tests alone');
    return this.#browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      timezoneId: timeZone,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      hasTouch: width < 768,
      isMobile: width < 768,
    });
  }

  #guard(profile: Profile) {
    const note = (text: string) => {
      if (!profile.expected.some((words) => words.test(text))) this.#troubles.push(text);
    };
    const { context } = profile;
    context.on('console', (message) => {
      if (message.type() === 'error') note(`console: ${message.text()} ${message.location().url}`);
    });
    context.on('weberror', (error) => note(`page: ${error.error().message}`));
    context.on('request', (request) => {
      const url = request.url();
      if (!/^(data|blob):/.test(url) && !url.startsWith(`${this.service.url}/`)) note(`left the host: ${url}`);
    });
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** As a click on a link does it: a page that is loaded anew takes a second. */
export const go = (page: Page, path: string) => page.evaluate((to) => history.pushState(null, '', to), path);

export const isSideways = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

/** What breaks WCAG 2.2 AA, a line each; empty is good. While a dialog is open it alone counts: the page is behind it. */
export const axe = async (page: Page): Promise<string[]> => {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axeSource);
  const deadline = performance.now() + settleMs;
  for (;;) {
    const found = await lookWithAxe(page);
    // A page on its way from one state to the next is neither: what is still wrong then is wrong.
    if (found.length === 0 || performance.now() > deadline) return found;
    await page.waitForTimeout(100);
  }
};

const settleMs = 3000;

const lookWithAxe = async (page: Page): Promise<string[]> => {
  // Colors on their way to others are neither.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
       .filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity)
       .map(({ finished }) => finished))`,
  );
  const options = {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    // What is found to be right is not told, which takes most of the time.
    resultTypes: ['violations'],
    preload: false,
  };
  const found = (await page.evaluate(
    `axe.run(document.querySelector('[aria-modal="true"]') ?? document, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
};

/**
 * A page is clean on a desk in light and on a phone in dark, and fits into 320 px. It is drawn anew in place, as a visit
 * for each look costs seconds. `show` brings it to the state that is looked at.
 */
export const isClean = async (page: Page, show: (isPhone: boolean) => Promise<unknown>) => {
  // A chart follows the width a moment later.
  const fits = () => expect.poll(() => isSideways(page)).toBe(false);
  await show(false);
  expect(await axe(page)).toEqual([]);
  await fits();
  await beDarkPhone(page);
  await show(true);
  expect(await axe(page)).toEqual([]);
  await fits();
  await page.setViewportSize({ width: 320, height: 844 });
  await fits();
};

export const beDarkPhone = async (page: Page) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction("document.documentElement.getAttribute('data-mantine-color-scheme') === 'dark'");
};

/** For keys that are pressed next. */
export const isFocused = (field: Locator) =>
  expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);

/** Arrows to the line of the open menu, then Enter. */
export const chooseByKeys = async (page: Page, name: string) => {
  const item = page.getByRole('menuitem', { name });
  await item.waitFor();
  await expect
    .poll(async () => {
      if (await item.evaluate((element) => element === document.activeElement)) return true;
      await page.keyboard.press('ArrowDown');
      return false;
    })
    .toBe(true);
  await page.keyboard.press('Enter');
};
