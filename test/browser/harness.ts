import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { findChromium } from '#scripts/chromium';
import { freePort } from '#test/support/processes';
import { type Service, startService } from '#test/support/service';
import { buildWeb } from '#test/support/shared';

const path = findChromium();
const isRequired = process.env.BROWSER_REQUIRED === '1';
if (path === undefined && !isRequired) {
  console.warn('No Chromium: the browser tests are skipped. Install one, or set CHROMIUM_PATH.');
}

// Outside a hook: on a busy machine the build takes longer than the hook timeout.
if (path !== undefined) await buildWeb();

/** Ends a test that waits for a state that never comes; generous, for busy machines. */
const timeoutMs = 300_000;

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
  /** Console errors that the test causes on purpose, such as a 404. */
  expected?: readonly RegExp[];
}

/**
 * Runs tests in a real browser against the built web app on a service of their own. A console error or a request to
 * another host fails the test.
 */
export const inBrowser = (
  name: string,
  tests: (world: World) => void,
  settings: NodeJS.ProcessEnv | (() => Promise<NodeJS.ProcessEnv>) = {},
  options: ServiceOptions = {},
) => {
  describe.skipIf(path === undefined && !isRequired)(name, { timeout: timeoutMs }, () => {
    const world = new World();
    beforeAll(async () => world.open(typeof settings === 'function' ? await settings() : settings, options), timeoutMs);
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await world.describePages(task.name);
      await world.leave();
    });
    afterAll(() => world.close());
    tests(world);
  });
};

/** Settings that need a browser context of their own. */
interface Device {
  readonly isPhone: boolean;
  readonly timeZone: string;
}

/** A browser context. The next visit with the same device reuses it, cleared except for cached files of the app. */
interface Profile extends Device {
  readonly context: BrowserContext;
  /** Hands a problem to the test that uses the context. */
  report: (problem: string) => void;
}

interface SharedBrowser {
  readonly browser: Browser;
  /** The same for every service, so that scripts cached for one origin serve all of them. */
  readonly port: number;
  readonly idle: Profile[];
}

const openBrowser = async (): Promise<SharedBrowser> => {
  if (path === undefined) throw new Error('No Chromium. Install one, or set CHROMIUM_PATH.');
  const signals = { handleSIGTERM: false, handleSIGINT: false, handleSIGHUP: false };
  const browser = await chromium.launch({ executablePath: path, args: ['--disable-gpu'], ...signals });
  return { browser, port: await freePort(), idle: [] };
};

let running: Promise<SharedBrowser> | undefined;
/** One browser for all files of a worker. It exits when the worker closes its pipe. */
const sharedBrowser = async () => {
  if (running && !(await running).browser.isConnected()) running = undefined;
  running ??= openBrowser();
  return running;
};

export class World {
  #shared: SharedBrowser | undefined;
  #service: Service | undefined;
  #used: Profile[] = [];
  #problems: string[] = [];

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service runs inside tests alone');
    return this.#service;
  }

  async open(settings: NodeJS.ProcessEnv, options: ServiceOptions) {
    this.#shared = await sharedBrowser();
    this.#service = await startService(settings, { ...options, ownAddress: this.#shared.port });
    this.#service.startJobs();
  }

  /** Opens a browser with one tab. `page.context().newPage()` is a second tab of the same person. */
  async visit({
    at = '/',
    width = 1440,
    height = 900,
    scheme = 'light',
    timeZone = 'Europe/Paris',
    as = 'owner@example.com',
    expected = [],
  }: Visit = {}): Promise<Page> {
    const { context } = await this.#enter({ isPhone: width < 768, timeZone }, expected);
    if (as !== null) await this.signIn(context, as);
    const page = context.pages()[0] ?? (await context.newPage());
    await page.setViewportSize({ width, height });
    // A test before may have left another setting on this page.
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce', forcedColors: 'none' });
    await page.goto(this.service.url + at);
    return page;
  }

  async signIn(context: BrowserContext, email: string) {
    const person = this.service.browser();
    await person.signIn(email);
    const [name = '', value = ''] = person.cookie().split('=');
    await context.addCookies([{ name, value, url: this.service.url, httpOnly: true, sameSite: 'Lax' }]);
  }

  /** For problems that this test causes on purpose, such as a request to another host. */
  forgive(pattern: RegExp) {
    this.#problems = this.#problems.filter((text) => !pattern.test(text));
  }

  /** Prints what the pages of a failed test show: a failure on a busy machine seldom happens twice. */
  async describePages(test: string) {
    for (const page of this.#used.flatMap(({ context }) => context.pages())) {
      const snapshot = await page.locator('body').ariaSnapshot({ timeout: 5000 });
      console.error(`${test}: ${page.url()}\n${snapshot}`);
    }
  }

  /** After each test: fails on collected problems. */
  async leave() {
    const used = this.#used;
    this.#used = [];
    await Promise.all(used.map((profile) => this.#empty(profile)));
    this.#shared?.idle.push(...used);
    const problems = this.#problems;
    this.#problems = [];
    expect(problems).toEqual([]);
  }

  async close() {
    await this.#service?.stop();
  }

  async #enter(device: Device, expected: readonly RegExp[]): Promise<Profile> {
    if (this.#shared === undefined) throw new Error('the browser runs inside tests alone');
    const { idle } = this.#shared;
    const index = idle.findIndex(({ isPhone, timeZone }) => isPhone === device.isPhone && timeZone === device.timeZone);
    const [reused] = index < 0 ? [] : idle.splice(index, 1);
    const profile = reused ?? (await newProfile(this.#shared, device));
    profile.report = (problem) => {
      if (!expected.some((pattern) => pattern.test(problem))) this.#problems.push(problem);
    };
    this.#used.push(profile);
    return profile;
  }

  /**
   * Clears all but the HTTP cache and the first tab, whose process has the compiled code: loading and compiling the app
   * takes most of a visit.
   */
  async #empty({ context }: Profile) {
    const [first, ...others] = context.pages();
    await Promise.all(others.map((one) => one.close()));
    const page = first ?? (await context.newPage());
    await page.removeAllListeners(undefined, { behavior: 'ignoreErrors' });
    for (const target of [page, context]) await target.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    // The app may send requests as it unloads, so cookies go afterwards.
    await page.goto(`${this.service.url}/healthz`);
    await page.evaluate("sessionStorage.clear(); window.name = ''");
    await Promise.all([context.clearPermissions(), context.clearCookies()]);
    await page.mouse.move(0, 0);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Storage.clearDataForOrigin', { origin: this.service.url, storageTypes: 'all' });
    await devtools.send('Page.resetNavigationHistory');
    await devtools.detach();
  }
}

const newProfile = async ({ browser, port }: SharedBrowser, device: Device): Promise<Profile> => {
  const { isPhone, timeZone } = device;
  const context = await browser.newContext({
    viewport: isPhone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    timezoneId: timeZone,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    hasTouch: isPhone,
    isMobile: isPhone,
  });
  context.setDefaultTimeout(60_000);
  const profile: Profile = { ...device, context, report: () => undefined };
  context.on('console', (message) => {
    if (message.type() === 'error') profile.report(`console: ${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => profile.report(`page: ${error.error().message}`));
  context.on('request', (request) => {
    const url = request.url();
    const { protocol, host } = new URL(url);
    const isOurs = protocol === 'http:' && [`127.0.0.1:${port}`, `localhost:${port}`].includes(host);
    if (!/^(data|blob):/.test(url) && !isOurs) profile.report(`left the host: ${url}`);
  });
  return profile;
};

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const pathOf = (page: Page) => page.url().slice(new URL(page.url()).origin.length);

/** Polls: `waitForURL` fails when one navigation takes the place of another. */
export const isAt = (page: Page, path: string | RegExp) => {
  const polled = expect.poll(() => pathOf(page));
  return typeof path === 'string' ? polled.toBe(path) : polled.toMatch(path);
};

/** Navigates as a link does, since a reload takes a second. */
export const go = (page: Page, path: string) => page.evaluate((to) => history.pushState(null, '', to), path);

export const isSideways = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

/** Violations of WCAG 2.2 AA, one per line. While a dialog is open, only the dialog counts. */
export const axe = async (page: Page): Promise<string[]> => {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axeSource);
  const deadline = performance.now() + settleMs;
  for (;;) {
    const violations = await runAxe(page);
    // A page that is still rendering may violate briefly, so retry until the deadline.
    if (violations.length === 0 || performance.now() > deadline) return violations;
    await page.waitForTimeout(100);
  }
};

const settleMs = 3000;

const runAxe = async (page: Page): Promise<string[]> => {
  // Colours that are still in transition have the wrong contrast.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
       .filter(({ playState, effect }) => playState === 'running' && effect.getComputedTiming().endTime < Infinity)
       .map(({ finished }) => finished))`,
  );
  const options = {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
    // Collecting passes takes most of the time.
    resultTypes: ['violations'],
    preload: false,
  };
  const results = (await page.evaluate(
    `axe.run(document.querySelector('[aria-modal="true"]') ?? document, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary}`),
  );
};

/**
 * Checks a page as a light desktop, as a dark phone, and at 320 px. It is re-rendered in place, since a visit costs
 * seconds. `show` brings it to the state to check.
 */
export const isClean = async (page: Page, show: (isPhone: boolean) => Promise<unknown>) => {
  // Charts resize after the window.
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
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
};

const probe = '/favicon.svg?held';

/** Waits until the page has read a matching answer to an action. An answer to an aborted request has no body. */
export const readsAnswer = (page: Page, action: string, isMeant: (body: { [field: string]: unknown }) => boolean) =>
  page.waitForEvent('requestfinished', async (request) => {
    if (!request.url().endsWith(`/${action}`)) return false;
    const response = await request.response();
    return isMeant(await response?.json());
  });

/**
 * Like `page.route`, but already active when it returns: for a moment after the call, Chromium still lets requests
 * through.
 */
export const intercept = async (page: Page, ...[url, handle, options]: Parameters<Page['route']>) => {
  await page.route(url, handle, options);
  // The next page starts with the route active. Only pages of the app can send the probe.
  if (!(await page.evaluate(() => document.querySelector('#app') !== null))) return;
  await page.route(`**${probe}`, (route) => route.fulfill({ status: 204 }));
  const statusOfProbe = () => page.evaluate((path) => fetch(path).then(({ status }) => status), probe);
  await expect.poll(statusOfProbe).toBe(204);
  await page.unroute(`**${probe}`);
};

/** Such requests wait until the returned function is called. */
export const hold = async (page: Page, url: string) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await intercept(page, url, async (route) => {
    await held;
    await route.continue();
  });
  return release;
};

/** The server does what the next such request asks for, and its answer does not arrive. */
export const loseAnswer = (page: Page, url: string) =>
  intercept(
    page,
    url,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );

/** The server answers such requests; the answers arrive when `release` is called. */
export const holdAnswer = async (page: Page, url: string) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await intercept(page, url, async (route) => {
    const response = await route.fetch();
    await released;
    await route.fulfill({ response });
  });
  return release;
};

/** Twenty round trips: time for what the page does with an answer that has arrived. */
export const letPageReact = async (page: Page) => {
  for (let n = 0; n < 20; n++) await page.evaluate("fetch('/healthz').then(() => undefined)");
};

/** As another tab of the same browser would; the page is then the sign-in page. */
export const endSession = async (page: Page) => {
  const { origin } = new URL(page.url());
  await page.request.post(`${origin}/api/auth/sign-out`, { headers: { origin } });
  await page.getByText('Your session has ended').waitFor();
};

export const signInAgain = async (page: Page, email: string) => {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};

/** Whether `upper` ends above the start of `lower`. */
export const isAbove = async (upper: Locator, lower: Locator) => {
  const [above, below] = await Promise.all([upper.boundingBox(), lower.boundingBox()]);
  return above !== null && below !== null && above.y + above.height < below.y;
};

/** Waits until keys go to this field. */
export const isFocused = (field: Locator) =>
  expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);

/** Moves to the menu item with the arrow keys, then presses Enter. */
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
