import type { Locator, Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  axe,
  endSession,
  go,
  inBrowser,
  intercept,
  isAt,
  isClean,
  isFocused,
  isSideways,
  pathOf,
  signInAgain,
} from './harness.ts';

/** Not found is the simplest page inside the shell. */
const nowhere = { at: '/nowhere', expected: [/404/] };

const isStream = (response: Response) => response.url().includes('/api/app/events');

inBrowser('the shell', (world) => {
  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit(nowhere);
    await isClean(page, async () => {
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      await page.getByRole('link', { name: 'Approvals' }).first().waitFor();
    });
  });

  test('is a rail of icons with names below 1200 px, the bottom bar below 820, and readable at 2560', async () => {
    const page = await world.visit({ ...nowhere, width: 1024 });
    const sidebar = page.getByRole('navigation', { name: 'Pages', exact: true });
    const bar = page.getByRole('navigation', { name: 'Main pages' });
    const widthOf = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().width);
    const calendar = sidebar.getByRole('link', { name: 'Calendar' });
    await calendar.waitFor();
    await expect.poll(() => widthOf('nav[aria-label=Pages]')).toBe(64);
    const tip = sidebar.locator('[aria-hidden]', { hasText: /^Calendar$/ });
    expect(await tip.count()).toBe(0);
    await calendar.hover();
    await tip.waitFor();
    await page.keyboard.press('Escape');
    await tip.waitFor({ state: 'detached' });
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate("axe.run({ runOnly: ['region'] }).then(({ violations }) => violations.length)")).toBe(0);
    for (const [width, isPhone] of [
      [834, false],
      [819, true],
      [390, true],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await expect.poll(() => bar.isVisible()).toBe(isPhone);
      await expect.poll(() => sidebar.isVisible()).toBe(!isPhone);
    }
    await page.setViewportSize({ width: 2560, height: 1200 });
    await expect.poll(() => widthOf('main > :first-child')).toBeLessThanOrEqual(1440);
  });

  test('takes two tab stops before the page, and arrow keys walk through the sidebar', async () => {
    const page = await world.visit(nowhere);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    const isIn = (selector: string) => page.evaluate(`document.activeElement.matches('${selector}')`);
    await page.keyboard.press('Tab');
    await expect.poll(() => isIn('a[href="#page"]')).toBe(true);
    await page.keyboard.press('Tab');
    await expect.poll(() => isIn('nav[aria-label=Pages] *')).toBe(true);
    await page.keyboard.press('End');
    await expect.poll(() => isIn('[aria-label="Keyboard shortcuts"]')).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => isIn('a[href="/posts/new"]')).toBe(true);
    await page.keyboard.press('Tab');
    await expect.poll(() => isIn('main *')).toBe(true);
  });

  test('follows the text size of the browser, and shows in forced colours where one is', async () => {
    const page = await world.visit({ at: '/posts' });
    const here = page.getByRole('link', { name: 'Posts', exact: true });
    await here.waitFor();
    const styleOf = (name: string) =>
      here.evaluate((element, key) => getComputedStyle(element).getPropertyValue(key), name);
    await page.emulateMedia({ forcedColors: 'active' });
    await expect.poll(() => styleOf('outline-style')).toBe('solid');
    await page.emulateMedia({ forcedColors: 'none' });
    await expect.poll(() => styleOf('outline-style')).toBe('none');
    await expect.poll(() => styleOf('font-size')).toBe('14px');
    // In a tab of its own: the next test would get this one with its text size.
    const large = await page.context().newPage();
    const devtools = await page.context().newCDPSession(large);
    await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32 } });
    await large.goto(page.url());
    // Half as many characters fit, so it is laid out as on a phone.
    await large.getByRole('navigation', { name: 'Main pages' }).waitFor();
    await expect.poll(() => large.evaluate('getComputedStyle(document.body).fontSize')).toBe('30px');
    await expect.poll(() => isSideways(large)).toBe(false);
    await go(large, '/settings/slots');
    const time = large.getByText('09:00', { exact: true });
    await time.waitFor();
    await expect.poll(() => time.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)).toBe(true);
  });

  test('in forced colours what is on is seen', async () => {
    const page = await world.visit({ at: '/settings/workspace' });
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('radio', { name: /^Everyone who edits/ }).waitFor();
    const colorOf = (selector: string, property: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, key) => getComputedStyle(element).getPropertyValue(key), property);
    const ink = await colorOf('body', 'color');
    expect(ink).not.toBe(await colorOf('body', 'background-color'));
    await expect.poll(() => colorOf('.mantine-Radio-radio:checked + .mantine-Radio-icon', 'color')).toBe(ink);
    await expect.poll(() => colorOf('.mantine-Switch-thumb', 'background-color')).toBe(ink);
  });

  test('waits longer and longer for a live stream that breaks at once', async () => {
    const page = await world.visit({ ...nowhere, at: '/favicon.svg' });
    let streams = 0;
    await intercept(page, /\/api\/app\/events/, (route) => {
      streams++;
      return route.fulfill({ status: 200, contentType: 'text/event-stream', body: 'retry: 1\n\n' });
    });
    await page.goto(`${world.service.url}/nowhere`);
    await expect.poll(() => streams).toBeGreaterThan(0);
    const requests = 60;
    for (let n = 0; n < requests; n++) await page.evaluate("fetch('/healthz').then(() => undefined)");
    expect(streams).toBeLessThan(requests / 4);
  });

  test('says why somebody has to sign in again', async () => {
    const page = await world.visit({ ...nowhere, expected: [/401/, /404/] });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.context().clearCookies();
    // A background request may notice first and remove the link. A Playwright click would wait for the link, and then
    // hit it in the next test.
    await page
      .evaluate(() => document.querySelector<HTMLElement>('a[href="/settings/webhooks"]')?.click())
      .catch(() => undefined);
    await isAt(page, /^\/sign-in/);
    await page.getByText('Your session has ended').waitFor();
    expect(await axe(page)).toEqual([]);
  });

  const keptForm = 'What you entered is kept in this tab, except passwords and keys.';
  const storedForms = (page: Page) =>
    page.evaluate("Object.keys(sessionStorage).filter((key) => key.startsWith('posthorn-form'))");

  type Form = [path: string, open: () => Promise<void>, ...fields: [field: () => Locator, value: string][]];
  const outlivesSession = async (page: Page, email: string, [path, open, ...fields]: Form) => {
    // Leaves the form before first: on the same page its dialog would still be open.
    await go(page, '/nowhere');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await go(page, path);
    await open();
    for (const [field, value] of fields) await field().fill(value);
    await endSession(page);
    await page.getByText(keptForm).waitFor();
    await signInAgain(page, email);
    for (const [field, value] of fields) await expect.poll(() => field().inputValue()).toBe(value);
    // The stored copy is deleted, so that a closed form stays closed.
    expect(await storedForms(page)).toEqual([]);
  };

  test('a form that was filled in when the session ended is there again after the sign-in', async () => {
    const { email } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/settings/webhooks', as: email, expected: [/401/, /404/] });
    const dialog = (name: string) => page.getByRole('dialog', { name });
    const forms: Form[] = [
      [
        '/settings/webhooks',
        () => page.getByRole('button', { name: 'Add webhook' }).first().click(),
        [() => dialog('Add a webhook').getByLabel('Address'), 'https://hooks.example/posts'],
      ],
      [
        '/settings/api',
        () => page.getByRole('button', { name: 'Create token' }).click(),
        [() => dialog('Create a token').getByLabel('Name'), 'Laptop'],
      ],
      [
        '/settings/slots',
        () => page.getByRole('button', { name: 'Add a slot yourself' }).click(),
        [() => dialog('Add a slot').getByLabel('Time'), '8.30'],
      ],
      [
        '/posts/new',
        async () => {
          await page.getByRole('button', { name: 'Insert template' }).click();
          await dialog('Templates').getByRole('button', { name: 'New signature' }).click();
        },
        [() => dialog('New signature').getByLabel('Signature'), 'Rye & Ember, Hill Street'],
      ],
      [
        '/settings/workspace',
        async () => {},
        [() => page.getByLabel('Name of the workspace'), 'Rye & Ember'],
        [() => page.getByLabel('E-mail address'), 'ada@example.com'],
      ],
      ['/settings/profile', async () => {}, [() => page.getByLabel('Name', { exact: true }), 'Ada']],
    ];
    for (const form of forms) await outlivesSession(page, email, form);
  });

  test('so is what somebody typed about a post, a file, a comment or a label', async () => {
    const { email } = await world.service.addMember('admin');
    const person = world.service.browser();
    await person.signIn(email);
    const file = await world.service.addFile();
    const versions = [{ content: [{ body: 'Bread at eight', media: [file] }] }];
    const { id } = await world.service.client.posts.create({ accountIds: [], versions });
    await person.post(`/api/app/posts/${id}/comments`, { body: 'At nine?' });
    await person.post('/api/app/labels', { name: 'Bakery' });
    const page = await world.visit({ at: '/media', as: email, expected: [/401/] });
    const dialog = (name: string) => page.getByRole('dialog', { name });
    const openLabels = async () => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Labels' }).click();
    };
    const forms: Form[] = [
      [
        '/media',
        () => page.getByRole('button', { name: 'From a link' }).first().click(),
        [() => dialog('Add from a link').getByLabel('Link to an image or video'), 'https://pictures.example/oven.jpg'],
      ],
      [
        '/media?q=horn',
        () => page.getByRole('list', { name: 'Media' }).getByRole('button', { name: 'horn.jpg' }).click(),
        [() => dialog('horn.jpg').getByLabel('Alt text'), 'A horn on a table'],
      ],
      [
        `/posts/${id}`,
        () => page.getByRole('button', { name: 'Add alt text' }).click(),
        [() => dialog('Alt text').getByLabel('What it shows'), 'A horn on a shelf'],
      ],
      [`/posts/${id}`, openLabels, [() => dialog('Labels').getByRole('textbox', { name: 'New label' }), 'Market']],
      [
        `/posts/${id}`,
        async () => {
          await openLabels();
          await dialog('Labels').getByRole('button', { name: 'Change Bakery' }).click();
        },
        [() => dialog('Labels').getByLabel('New name for Bakery'), 'Bread and rolls'],
      ],
      [
        '/posts',
        async () => {
          await page.getByRole('listitem').filter({ hasText: 'Bread at eight' }).getByRole('link').focus();
          await page.keyboard.press('x');
          const selected = page.getByRole('region', { name: 'Selected posts' });
          await selected.getByRole('button', { name: 'Labels' }).click();
        },
        [() => dialog('Labels').getByRole('textbox', { name: 'New label' }), 'Fair'],
      ],
      [
        `/posts/${id}?side=comments`,
        () => page.getByRole('button', { name: 'Edit comment' }).click(),
        [() => page.getByRole('textbox', { name: 'Edit comment' }), 'At nine, or at ten?'],
      ],
    ];
    for (const form of forms) await outlivesSession(page, email, form);
  });

  test('a form is stored until the next sign-in in this tab, whoever signs in and wherever they go', async () => {
    const { email } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/settings/webhooks', as: email, expected: [/401/] });
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    await page.getByLabel('Address').fill('https://hooks.example/s3cret');
    await endSession(page);
    expect(await storedForms(page)).toHaveLength(2);
    await signInAgain(page, (await world.service.addMember('editor')).email);
    await page.getByRole('button', { name: /Switch workspace/ }).waitFor();
    expect(await storedForms(page)).toEqual([]);
  });

  test('of a form with passwords nothing is kept or promised, and nobody else gets what somebody typed', async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/profile', as: email, expected: [/401/] });
    await page.getByLabel('Current password').fill('correct horse');
    await page.getByLabel('New password').fill('battery staple');
    await endSession(page);
    expect(await page.getByText(keptForm).count()).toBe(0);
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain('staple');
    await signInAgain(page, email);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Ada');
    await endSession(page);
    await page.getByText(keptForm).waitFor();
    await signInAgain(page, (await world.service.addMember('editor')).email);
    await name.waitFor();
    expect(await name.inputValue()).not.toBe('Ada');
  });

  test('tells a viewer that writing is for others', async () => {
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/posts/new', as: email });
    await page.getByRole('heading', { name: 'You can read here, not write' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('reaches every page on a phone from the bottom bar and More', async () => {
    const page = await world.visit({ ...nowhere, width: 390, height: 844 });
    const bar = page.getByRole('navigation', { name: 'Main pages' });
    for (const name of ['Home', 'Calendar', 'New post', 'Approvals']) await bar.getByRole('link', { name }).waitFor();
    await bar.getByRole('button', { name: 'More' }).click();
    const sheet = page.getByRole('dialog', { name: 'More' });
    for (const name of ['Posts', 'Analytics', 'Media', 'Social accounts', 'Webhooks', 'Sandbox', 'Settings']) {
      await sheet.getByRole('link', { name, exact: true }).waitFor();
    }
    expect(await axe(page)).toEqual([]);
    await sheet.getByTitle('owner@example.com').click();
    await page.getByRole('menuitem', { name: 'Profile' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  });

  test('navigates by keys, but not while someone types', async () => {
    const page = await world.visit(nowhere);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await isAt(page, '/posts');
    const search = page.getByRole('searchbox', { name: 'Search posts' });
    await search.waitFor();
    await page.keyboard.press('/');
    await isFocused(search);
    await page.keyboard.type('cg c');
    await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('cg c');
    expect(new URL(page.url()).pathname).toBe('/posts');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    // The focus does not return to the field that Escape left.
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.keyboard.press('c');
    await isAt(page, '/posts/new');
  });

  test('ignores single keys once they are switched off', async () => {
    const { email } = await world.service.addMember('editor');
    const browser = world.service.browser();
    await browser.signIn(email);
    await browser.patch('/api/app/profile', { shortcuts: false });
    const page = await world.visit({ ...nowhere, as: email });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.keyboard.press('?');
    await page.getByRole('link', { name: 'Calendar' }).click();
    await isAt(page, '/calendar');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('remembers a chosen theme before the first paint', async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ ...nowhere, as: email });
    await page.getByRole('button', { name: 'Theme' }).click();
    const saved = page.waitForResponse((answer) => answer.request().postData()?.includes('dark') === true);
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await saved;
    const scheme = () => page.evaluate("document.documentElement.getAttribute('data-mantine-color-scheme')");
    await expect.poll(scheme).toBe('dark');
    await page.reload({ waitUntil: 'commit' });
    await expect.poll(scheme).toBe('dark');
  });

  test('shows a request in every tab, and removes it when it is decided', async () => {
    const first = await world.visit({ ...nowhere, at: '/favicon.svg' });
    const opened = first.waitForResponse(isStream);
    const streams: string[] = [];
    first.context().on('response', (response) => {
      if (isStream(response)) streams.push(response.url());
    });
    await first.goto(`${world.service.url}/nowhere`);
    await opened;
    const second = await first.context().newPage();
    await second.goto(`${world.service.url}/nowhere`);
    for (const page of [first, second]) await page.getByRole('heading', { name: 'Not found' }).waitFor();
    const told = { workspaceId: world.service.owner.workspaceId, kind: 'approval', id: 'card_1' } as const;
    await world.service.posthorn.live.publish({ ...told, text: 'Claude Code asks to publish a post now' });
    for (const page of [first, second]) await page.getByText('Claude Code asks to publish a post now').waitFor();
    expect(streams).toHaveLength(1);
    expect(await axe(second)).toEqual([]);
    await world.service.posthorn.live.publish(told);
    for (const page of [first, second]) {
      await page.getByText('Claude Code asks').waitFor({ state: 'detached' });
    }
    const takenOver = second.waitForResponse(isStream);
    await first.close();
    await takenOver;
    await world.service.posthorn.live.publish({ ...told, text: 'Asked again' });
    await second.getByText('Asked again').waitFor();
  });

  test('gets files that one process of another release lacks from the next process, or says what to do', async () => {
    const page = await world.visit({ at: '/favicon.svg', as: null, expected: [/404/] });
    const open = async () => page.goto(`${world.service.url}/sign-in`);
    const title = page.getByRole('heading', { name: 'Sign in' });
    let loads = 0;
    page.on('domcontentloaded', () => loads++);

    const asked = new Set<string>();
    await intercept(page, /\/assets\//, (route) => {
      const { pathname } = new URL(route.request().url());
      if (asked.has(pathname)) return route.continue();
      asked.add(pathname);
      return route.fulfill({ status: 307, headers: { location: `${pathname}?again=1` } });
    });
    await open();
    await title.waitFor();
    expect(asked.size).toBeGreaterThan(2);
    expect(loads).toBe(1);

    let misses = 1;
    await page.unroute(/\/assets\//);
    await intercept(page, /\/assets\//, (route) => (misses-- > 0 ? route.fulfill({ status: 404 }) : route.continue()));
    await open();
    await title.waitFor();
    expect(loads).toBe(3);

    misses = Number.POSITIVE_INFINITY;
    await open();
    await page.getByRole('alert').filter({ hasText: 'reload the page' }).waitFor();
    expect(loads).toBe(7);
  });

  test('names what a page lacks and loads it again, once for each error', async () => {
    const page = await world.visit({ at: '/favicon.svg', expected: [/403/] });
    let isRefused = true;
    const refusal = { code: 'Forbidden', message: 'Not now.', issues: [] };
    await intercept(page, /(providers|accounts)\.list|\/labels|\/members/, (route) =>
      isRefused ? route.fulfill({ status: 403, json: refusal }) : route.continue(),
    );
    await page.goto(`${world.service.url}/posts`);
    const notice = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    for (const part of ['accounts', 'networks', 'labels', 'members']) {
      await notice.filter({ hasText: new RegExp(part, 'i') }).waitFor();
    }
    // This page has a banner of its own for accounts.
    await go(page, '/accounts');
    await notice.filter({ hasText: 'The accounts could not be loaded' }).waitFor();
    await expect.poll(() => notice.filter({ hasText: /accounts/i }).count()).toBe(1);
    isRefused = false;
    await notice
      .filter({ hasText: /networks/i })
      .getByRole('button', { name: 'Try again' })
      .click();
    await notice.filter({ hasText: /networks/i }).waitFor({ state: 'detached' });
  });

  test('tries again after each wait that the server asks for', async () => {
    const page = await world.visit({ at: '/accounts', expected: [/429/] });
    await page.getByRole('heading', { level: 1, name: 'Social accounts' }).waitFor();
    let refusals = 0;
    let isRefused = true;
    const headers = { 'retry-after': '0', 'x-request-id': 'req_1' };
    const refusal = { code: 'TooManyRequests', message: 'Too many requests.', issues: [] };
    await intercept(page, '**/accounts.list', (route) => {
      if (!isRefused) return route.continue();
      refusals += 1;
      return route.fulfill({ status: 429, json: refusal, headers });
    });
    await world.service.posthorn.live.publish({
      workspaceId: world.service.owner.workspaceId,
      kind: 'account',
      id: 'acct_1',
    });
    const banner = page.getByRole('status').filter({ hasText: /Trying again in/ });
    await banner.waitFor();
    // Each try of the banner is four requests.
    await expect.poll(() => refusals).toBeGreaterThan(12);
    isRefused = false;
    await banner.waitFor({ state: 'detached' });
  });

  test('says on every page with an id that nothing has it, and leads home', async () => {
    const page = await world.visit(nowhere);
    const id = '01M7MX392A12SHMEHAJ9YAFFJD';
    for (const path of [
      `/posts/post_${id}`,
      `/approvals/card_${id}`,
      `/settings/webhooks/whk_${id}`,
      `/settings/transfer/imp_${id}`,
    ]) {
      await go(page, '/nowhere/else');
      const answer = page.waitForResponse((response) => response.status() === 404);
      await go(page, path);
      await answer;
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
      await page.getByRole('link', { name: 'Go home' }).waitFor();
    }
  });

  test('says offline that a page cannot be loaded, and shows it once online', async () => {
    const page = await world.visit({ ...nowhere, expected: [/404/, /ERR_INTERNET_DISCONNECTED/, /ConnectionError/] });
    const link = page.getByRole('link', { name: 'Webhooks' });
    await link.waitFor();
    // Another test may have loaded the files of that page.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.clearBrowserCache');
    await page.context().setOffline(true);
    await link.click();
    await page.getByText('The server does not answer').first().waitFor();
    expect(pathOf(page)).toBe('/settings/webhooks');
    await page.context().setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  });

  test('reloads once for a file that something blocks, then says so', async () => {
    const page = await world.visit({
      ...nowhere,
      expected: [/404/, /ERR_FAILED/, /ConnectionError/, /Failed to fetch/],
    });
    const link = page.getByRole('link', { name: 'Analytics' });
    await link.waitFor();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.clearBrowserCache');
    await intercept(page, /assets\/analytics-.*\.js/, (route) => route.abort());
    let loads = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1;
    });
    await link.click();
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await page.waitForLoadState('networkidle');
    // One load each for the link, the page and the router.
    expect(loads).toBeLessThanOrEqual(3);
    await page.unroute(/assets\/analytics-.*\.js/);
    await again.click();
    await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor();
  });

  test('takes a second line in a header at 1024 with text of twice the size, where nothing is cut or covered', async () => {
    const page = await world.visit({ width: 1024 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    for (const [path, title] of [
      ['/', 'Home'],
      ['/calendar', 'Calendar'],
      ['/analytics', 'Analytics'],
    ] as const) {
      await go(page, path);
      const heading = page.getByRole('heading', { level: 1, name: title });
      await heading.waitFor();
      const findProblems = (title: Element) => {
        const header = title.parentElement;
        const boxes = [...(header?.children ?? [])].map((child) => child.getBoundingClientRect());
        const edge = header?.getBoundingClientRect();
        return {
          isCut: title.scrollWidth > title.clientWidth,
          isOutside: boxes.some(({ right, bottom }) => right > (edge?.right ?? 0) || bottom > (edge?.bottom ?? 0)),
          areCovered: boxes.some((one, index) =>
            boxes
              .slice(index + 1)
              .some(
                (other) =>
                  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom,
              ),
          ),
        };
      };
      await expect
        .poll(() => heading.evaluate(findProblems), { message: path })
        .toEqual({ isCut: false, isOutside: false, areCovered: false });
      await expect.poll(() => isSideways(page), { message: path }).toBe(false);
    }
  });

  test('sends people who are not signed in to sign in, and back', async () => {
    const at = '/settings/profile?from=mail#notifications';
    const page = await world.visit({ at, as: null, expected: [/401/] });
    await isAt(page, /^\/sign-in/);
    expect(new URL(page.url()).searchParams.get('next')).toBe(at);
  });
});
