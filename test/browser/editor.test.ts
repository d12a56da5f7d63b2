import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { mp4 } from '#test/support/videos';
import {
  axe,
  beDarkPhone,
  go,
  hold,
  holdAnswer,
  inBrowser,
  intercept,
  isAt,
  isFocused,
  isSideways,
  letPageReact,
  pathOf,
} from './harness.ts';

/** `A draft` of these accounts, made outside the browser. */
interface Draft {
  body?: string;
  accountIds?: string[];
}

inBrowser('the editor', (world) => {
  let bluesky: string;
  let mastodon: string;
  let x: string;
  beforeAll(async () => {
    bluesky = await world.service.connect('bluesky', { handle: 'anna' });
    mastodon = await world.service.connect('mastodon', { handle: 'anna' });
    x = await world.service.connect('x', { handle: 'anna' });
  });

  const makeDraft = ({ body = 'A draft', accountIds = [bluesky] }: Draft = {}) =>
    world.service.client.posts.create({ body, accountIds });
  const read = (id: string) => world.service.client.posts.get({ id });
  const text = (page: Page, name: string | RegExp = 'Text') => page.getByRole('textbox', { name, exact: true });
  const saved = (page: Page) =>
    page
      .getByRole('status')
      .getByText(/^Saved \d\d:\d\d$/)
      .first()
      .waitFor();
  /** Chooses or unchooses accounts by what their chips are called. */
  const toggleAccounts = async (page: Page, ...names: RegExp[]) => {
    await page.getByRole('button', { name: /^(Choose accounts|Change)$/ }).click();
    const picker = page.getByRole('dialog', { name: 'Accounts' });
    for (const name of names) await picker.getByRole('button', { name }).click();
    await page.keyboard.press('Escape');
    await picker.waitFor({ state: 'detached' });
  };
  /** The options of a network, opened in place. */
  const openOptions = async (page: Page, network: string) => {
    const options = page.getByRole('region', { name: 'Options' });
    await options.getByRole('button', { name: network }).click();
    return options;
  };
  const whyBlocked = (page: Page) => page.locator('#editor-blocked').textContent();
  const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? '';

  test('write, a version for one account, an option, schedule', async () => {
    const page = await world.visit({ at: '/posts/nowhere', expected: [/404/] });
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.keyboard.press('c');
    await isFocused(text(page));
    await page.keyboard.type('Hello');
    await isAt(page, /^\/posts\/post_/);
    // The new address does not interrupt typing.
    await page.keyboard.type(' from the editor');
    await toggleAccounts(page, /Bluesky/, /Mastodon/);
    await page.getByRole('button', { name: /^Write for Mastodon/ }).click();
    await isFocused(page.getByRole('tab', { name: /Mastodon/, selected: true }));
    await text(page).fill('Hello Mastodon');
    await page.getByRole('tab', { name: /Mastodon.*own text/ }).waitFor();
    const options = await openOptions(page, 'Mastodon');
    await options.getByLabel('Content warning').fill('Bread');
    await page.getByText('Ready for 2 accounts').waitFor();
    await page.getByRole('button', { name: 'Choose a time' }).click();
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    await panel.getByLabel('Time', { exact: true }).fill('8:30');
    await panel.getByRole('button', { name: /^Schedule for .* 08:30/ }).click();
    await page.getByText(/Goes out .* 08:30\. Your changes count at once\./).waitFor();
    const post = await read(idIn(page));
    expect(post.status).toBe('Scheduled');
    expect(post.accountIds).toEqual([bluesky, mastodon]);
    expect(post.versions[0]?.content).toEqual([{ body: 'Hello from the editor', media: [] }]);
    expect(post.versions[1]).toEqual({
      accountId: mastodon,
      content: [{ body: 'Hello Mastodon', media: [] }],
      options: { 'mastodon.spoiler_text': 'Bread' },
    });
    // 08:30 in Paris, whatever the server's zone is.
    expect(new Date(post.scheduledAt ?? '').toLocaleTimeString('en-GB', { timeZone: 'Europe/Paris' })).toBe('08:30:00');
  });

  test('two tabs on one post: nothing is overwritten, and both texts are available', async () => {
    const { id } = await makeDraft({ body: 'The text of both' });
    const first = await world.visit({ at: `/posts/${id}`, expected: [/409/, /ERR_FAILED/] });
    await text(first).waitFor();
    const second = await first.context().newPage();
    await second.goto(first.url());
    await text(second).waitFor();
    // The second tab gets no live events, as on a slow connection.
    await intercept(second, /posts\.get|\/api\/app\/events/, (route) => route.abort());
    await text(first).fill('The text of the first');
    await saved(first);
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.body).toBe('The text of the first');
    await text(second).fill('The text of the second');
    await second.getByText(/Not saved\. Trying again in \d s\./).waitFor();
    await second.unroute(/posts\.get|\/api\/app\/events/);
    await second.getByText(/^You changed this post elsewhere at \d\d:\d\d$/).waitFor();
    expect(await axe(second)).toEqual([]);
    await second.getByRole('button', { name: 'Compare' }).click();
    const dialog = second.getByRole('dialog', { name: 'Compare' });
    await dialog.locator('b', { hasText: 'first' }).waitFor();
    await dialog.locator('ins', { hasText: 'second' }).waitFor();
    expect(await axe(second)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep mine as a copy' }).click();
    await expect.poll(() => pathOf(second)).not.toContain(id);
    await text(second).waitFor();
    expect((await read(idIn(second))).versions[0]?.content[0]?.body).toBe('The text of the second');
    expect((await read(id)).versions[0]?.content[0]?.body).toBe('The text of the first');
  });

  test('two people on one post see each other; a conflict has a name and is merged network by network', async () => {
    const { id } = await makeDraft({ body: 'The text of both', accountIds: [bluesky, mastodon] });
    const { email, userId } = await world.service.addMember('editor');
    const rename = sql('test.rename', 'update users set name = $1 where id = $2');
    await world.service.database.run(rename, ['Jonas Field', userId]);
    const mine = await world.visit({ at: `/posts/${id}`, expected: [/409/, /ERR_FAILED/] });
    const theirs = await world.visit({ at: `/posts/${id}`, as: email });
    await mine.getByText('Jonas Field has this post open too').waitFor({ state: 'attached' });
    await theirs.getByText(/has this post open too/).waitFor({ state: 'attached' });

    // My tab is offline for a while, so that both write.
    await intercept(mine, /posts\.get|posts\.update|\/api\/app\/events/, (route) => route.abort());
    await text(theirs).fill('The text of Jonas');
    await saved(theirs);
    await mine.getByRole('button', { name: /^Write for Mastodon/ }).click();
    await text(mine).fill('Mine for Mastodon');
    await mine.getByText(/Not saved\. Trying again in \d s\./).waitFor();
    await mine.unroute(/posts\.get|posts\.update|\/api\/app\/events/);
    await mine.getByText(/^Jonas Field changed this post at \d\d:\d\d$/).waitFor();
    await mine.getByRole('button', { name: 'Compare' }).click();
    const dialog = mine.getByRole('dialog', { name: 'Compare' });
    const part = (name: RegExp) => dialog.getByRole('region', { name });
    // The dialog preselects the version of whoever changed the part.
    expect(
      await part(/^Original/)
        .getByRole('radio', { name: 'Jonas Field' })
        .isChecked(),
    ).toBe(true);
    expect(
      await part(/^Mastodon/)
        .getByRole('radio', { name: 'Mine' })
        .isChecked(),
    ).toBe(true);
    expect(await axe(mine)).toEqual([]);
    await dialog.getByRole('button', { name: 'Use what is chosen' }).click();
    await saved(mine);
    const { versions } = await read(id);
    expect(versions.map(({ content }) => content[0]?.body)).toEqual(['The text of Jonas', 'Mine for Mastodon']);

    await theirs.close();
    await expect.poll(() => mine.getByText('has this post open too').count()).toBe(0);
  });

  test('text is kept in the browser while the server is unreachable, and saved when it is back', async () => {
    const { id } = await makeDraft();
    const page = await world.visit({ at: `/posts/${id}`, expected: [/ERR_FAILED/] });
    await text(page).waitFor();
    await intercept(page, '**/posts.update', (route) => route.abort());
    await text(page).fill('Written while the server was gone');
    await page.getByText(/Not saved\. Trying again in \d s\./).waitFor();
    // A screen reader does not hear every second.
    await expect.poll(() => page.getByRole('main').ariaSnapshot()).toMatch(/Not saved\. Trying again ?\./);
    await page.reload();
    await expect.poll(() => text(page).inputValue()).toBe('Written while the server was gone');
    await page.getByText(/Not saved\. Trying again in \d s\./).waitFor();
    expect((await read(id)).versions[0]?.content[0]?.body).toBe('A draft');
    await page.unroute('**/posts.update');
    await saved(page);
    expect((await read(id)).versions[0]?.content[0]?.body).toBe('Written while the server was gone');
    await expect
      .poll(() => page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('${id}'))`))
      .toEqual([]);
  });

  test('a new post whose answer was lost is created once', async () => {
    const before = (await world.service.client.posts.list({ status: 'Draft' })).posts.length;
    const page = await world.visit({ at: '/posts/new', expected: [/ERR_FAILED/] });
    await text(page).waitFor();
    let lost = 0;
    await intercept(page, '**/posts.create', async (route) => {
      if (lost++ > 0) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await text(page).fill('Made once');
    await isAt(page, /^\/posts\/post_/);
    await saved(page);
    expect(lost).toBe(2);
    const drafts = async () => (await world.service.client.posts.list({ status: 'Draft' })).posts.length;
    expect(await drafts()).toBe(before + 1);

    await go(page, '/posts/new');
    lost = 0;
    await text(page).fill('Made once, over a reload');
    await page.getByText(/Not saved\. Trying again/).waitFor();
    await page.reload();
    await isAt(page, /^\/posts\/post_/);
    await saved(page);
    expect(await drafts()).toBe(before + 2);
  });

  test('a post that a colleague deletes while it is written can be kept as a copy', async () => {
    const { id } = await makeDraft();
    const page = await world.visit({ at: `/posts/${id}`, expected: [/404/] });
    await text(page).waitFor();
    const release = await hold(page, '**/posts.update');
    await text(page).fill('Not lost');
    await page.getByText('Saving…').waitFor();
    const missing = page.waitForResponse((response) => response.url().endsWith('posts.get') && !response.ok());
    await world.service.asHuman('posts.delete', { id });
    await missing;
    release();
    await page.getByText('This post was deleted while you were writing').waitFor();
    await page.getByRole('button', { name: 'Keep mine as a copy' }).click();
    await expect.poll(() => pathOf(page)).not.toContain(id);
    await text(page).waitFor();
    expect((await read(idIn(page))).versions[0]?.content[0]?.body).toBe('Not lost');
  });

  test('a new post that is left or deleted during its first save does not open again', async () => {
    const page = await world.visit({ at: '/posts/new' });
    const paths: string[] = [];
    page.on('framenavigated', () => paths.push(pathOf(page)));
    const write = async (words: string) => {
      const release = await hold(page, '**/posts.create');
      const request = page.waitForRequest('**/posts.create');
      await text(page).fill(words);
      await request;
      return async () => {
        const answer = page.waitForResponse('**/posts.create');
        release();
        await (await answer).finished();
      };
    };
    const saveLeft = await write('Left behind');
    const loadCalendar = await hold(page, '**/assets/calendar-*.js');
    await page.getByRole('link', { name: 'Calendar' }).click();
    await isAt(page, /^\/calendar/);
    await saveLeft();
    await letPageReact(page);
    loadCalendar();
    await page.getByRole('heading', { name: 'Calendar', level: 1 }).waitFor();
    await go(page, '/posts/new');
    await expect.poll(() => text(page).inputValue()).toBe('');
    const saveDeleted = await write('Not wanted');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await isAt(page, '/posts');
    await saveDeleted();
    await page.getByText('Draft “Not wanted” deleted').waitFor();
    expect(paths.filter((path) => path.startsWith('/posts/post_'))).toEqual([]);
    const { posts } = await world.service.client.posts.list({ status: 'Draft' });
    const bodies = posts.map(({ versions }) => versions[0]?.content[0]?.body);
    expect(bodies).toContain('Left behind');
    expect(bodies).not.toContain('Not wanted');
  });

  test('a new post that is opened while the one before is still being saved begins empty, and each is saved', async () => {
    const page = await world.visit({ at: '/posts/new' });
    await text(page).waitFor();
    const release = await holdAnswer(page, '**/posts.create');
    const request = page.waitForRequest('**/posts.create');
    await text(page).fill('The first');
    await request;
    await text(page).fill('The first, with more');
    await go(page, '/posts');
    await page.getByRole('heading', { name: 'Posts', level: 1 }).waitFor();
    await go(page, '/posts/new?at=2126-01-01T10:00:00Z');
    await page.getByRole('heading', { name: 'New post' }).waitFor();
    await letPageReact(page);
    release();
    await text(page).waitFor();
    expect(await text(page).inputValue()).toBe('');
    await text(page).fill('The second');
    await saved(page);
    const drafts = async () => {
      const { posts } = await world.service.client.posts.list({ status: 'Draft' });
      return posts.slice(0, 2).map(({ versions, scheduledAt }) => [versions[0]?.content[0]?.body, scheduledAt]);
    };
    await expect.poll(drafts).toEqual([
      ['The second', '2126-01-01T10:00:00.000000Z'],
      ['The first, with more', undefined],
    ]);
  });

  test('by keyboard alone: text, tabs, thread, checks, schedule', async () => {
    const { id } = await makeDraft({ body: 'Start', accountIds: [bluesky, mastodon] });
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).waitFor();
    const tabTo = async (name: string) => {
      for (let step = 0; step < 80; step++) {
        const focused = await page.evaluate(
          "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent",
        );
        if (String(focused).startsWith(name)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`${name} is out of reach`);
    };
    await tabTo('Text');
    await page.keyboard.press('End');
    await page.keyboard.type(' and more');
    await tabTo('Add to thread');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('editor-item-1');
    await page.keyboard.type('Second');
    // Where Alt and a digit types a character, it does.
    const isTyped = page.evaluate(() => {
      const press = { code: 'Digit3', key: '#', altKey: true, bubbles: true, cancelable: true };
      return document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', press));
    });
    expect(await isTyped).toBe(true);
    await page.keyboard.press('Alt+Digit3');
    await page.getByRole('tab', { name: /Mastodon/, selected: true }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('version')).toBe(mastodon);
    await page.keyboard.press('Alt+Digit1');
    await page.getByRole('tab', { name: 'Original', selected: true }).waitFor();
    await tabTo('Move up');
    await page.keyboard.press('Enter');
    await expect.poll(() => text(page, 'Text of item 1').inputValue()).toBe('Second');
    await saved(page);
    await page.getByText('Ready for 2 accounts').waitFor();
    await page.keyboard.press('Control+Shift+Enter');
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await expect.poll(focused).not.toBeNull();
    const before = await focused();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog', { name: 'Publish now to 2 accounts?' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe(before);
    const bodies = async () => (await read(id)).versions[0]?.content.map(({ body }) => body);
    await expect.poll(bodies).toEqual(['Second', 'Start and more']);
    expect((await read(id)).status).toBe('Draft');

    await page.keyboard.press('Control+Shift+Enter');
    await panel.getByLabel('Time', { exact: true }).fill('tomorrow 9pm');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    let requests = 0;
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/posts.schedule', async (route) => {
      requests++;
      await hold;
      await route.continue();
    });
    await page.keyboard.press('Control+Shift+Enter');
    await expect.poll(() => requests).toBe(1);
    await page.keyboard.press('Control+Shift+Enter');
    release();
    await page.getByText(/^Scheduled for .*21:00$/).waitFor();
    expect(requests).toBe(1);
  });

  test('counts as each network counts, and a check links to its field', async () => {
    const { id } = await makeDraft({ body: '', accountIds: [bluesky, mastodon, x] });
    const page = await world.visit({ at: `/posts/${id}` });
    const counter = (network: string) =>
      page.locator('li', { has: text(page) }).locator('.number', { hasText: network });
    // A family is 1 for Bluesky and 2 for X; a link is 23 for X and Mastodon, and what it shows of it for Bluesky.
    const odd = '👨‍👩‍👧‍👦 https://example.com/a/long/path/that/goes/on/and/on';
    await text(page).fill(`${'a'.repeat(223)}${odd}`);
    await expect.poll(() => counter('Bluesky').textContent()).toContain('252/300');
    await expect.poll(() => counter('X').first().textContent()).toContain('249/280');
    await expect.poll(() => counter('Bluesky').getAttribute('data-tone')).toBe('orange');
    // Those far from their limit are not shown; the closest to full comes first.
    expect(
      await page
        .locator('li', { has: text(page) })
        .locator('.number')
        .allTextContents(),
    ).toEqual(['X 249/280', 'Bluesky 252/300']);
    await text(page).fill('a'.repeat(319));
    await expect.poll(() => counter('Bluesky').textContent()).toContain('−19');
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByRole('button', { name: /Bluesky.*19 characters too many/ }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('editor-item-0');
    await page.getByRole('tab', { name: 'Original' }).click();
    const schedule = page.getByRole('button', { name: 'Schedule', exact: true });
    await expect.poll(() => schedule.getAttribute('aria-disabled')).toBe('true');
    await schedule.press('Enter');
    await page.getByRole('status').getByText('2 things to fix, see Checks.').waitFor();
  });

  test('an image is added, described, moved and removed', async () => {
    const { id } = await makeDraft();
    const media = [await world.service.addFile(), await world.service.addFile()];
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByRole('button', { name: 'Add media' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'From this device' }).click();
    const release = await hold(page, '**/api/media');
    await (await chooser).setFiles({ name: '../../etc/horn.png', mimeType: 'image/png', buffer: onePixel });
    await expect.poll(() => whyBlocked(page)).toBe('A file is still being added.');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('status').getByText('A file is still being added.').waitFor();
    release();
    await page.getByRole('button', { name: 'Add alt text' }).click();
    await expect.poll(() => whyBlocked(page)).toBe('');
    await page.getByLabel('What it shows').fill('A thing');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Add alt text' }).click();
    await expect.poll(() => page.getByLabel('What it shows').inputValue()).toBe('');
    await page.getByLabel('What it shows').fill('A horn');
    // Escape keeps what was written.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Alt A horn' }).waitFor();
    await page.getByRole('button', { name: 'Add media' }).click();
    await page.getByRole('menuitem', { name: 'From the library' }).click();
    const library = page.getByRole('dialog', { name: 'Media library' });
    await library.getByRole('button', { name: 'horn.jpg' }).first().click();
    await library.getByRole('button', { name: 'Add 1 file' }).click();
    await page.getByRole('button', { name: 'Move Image 2 left' }).click();
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.media[0]).toBe(media[1]);
    await page.getByRole('button', { name: 'Remove Image 2' }).click();
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.media).toEqual([media[1]]);
  });

  test('an image that is too large is fitted with one button, and preview and results show what the account gets', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const picture = sharp({ create: { width: 1000, height: 800, channels: 3, noise, background: '#000' } });
    const file = new Uint8Array(await picture.png().toBuffer());
    const { id: media } = await world.service.client.media.upload(file, { alt: 'Noise' });
    const { id } = await makeDraft({ accountIds: [bluesky, mastodon] });
    const versions = [{ content: [{ body: 'Look', media: [media] }] }];
    await world.service.client.posts.update({ id, accountIds: [bluesky, mastodon], versions });
    const page = await world.visit({ at: `/posts/${id}`, expected: [/404/] });
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByRole('button', { name: 'Bluesky Use a smaller file Show' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await checks.getByRole('button', { name: 'Shrink for Bluesky' }).click();
    await checks.getByText('Picture 1 goes to Bluesky converted: JPEG, 1000 × 800 pixels').waitFor();
    await checks.getByText('Ready for 2 accounts').waitFor();
    await expect.poll(async () => (await read(id)).versions[0]?.options).toEqual({ 'bluesky.fit': 'shrink' });
    const previews = page.getByRole('region', { name: 'Preview' });
    const shown = (network: string) => previews.getByRole('article', { name: network }).getByAltText('Noise');
    await expect.poll(() => shown('Bluesky').getAttribute('src')).toMatch(/^\/media\/fit_/);
    await previews
      .getByRole('button', { name: /^Mastodon/ })
      .first()
      .click();
    await expect.poll(() => shown('Mastodon').getAttribute('src')).toBe(`/media/${media}?size=thumbnail`);
    await world.service.asHuman('posts.publishNow', { id });
    await page.getByRole('button', { name: 'See results' }).click();
    const went = page.getByRole('region', { name: 'What went out' });
    const out = went.getByAltText('Noise');
    await went.getByRole('button', { name: /^Mastodon/ }).click();
    await expect.poll(() => out.getAttribute('src')).toBe(`/media/${media}?size=thumbnail`);
    await went.getByRole('button', { name: /^Bluesky/ }).click();
    await expect.poll(() => out.getAttribute('src')).toMatch(/^\/media\/fit_/);
    await expect.poll(async () => (await read(id)).status).toBe('Published');
    // A day later the server may have removed it.
    await intercept(page, '**/media/fit_*', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await went.getByRole('button', { name: /^Bluesky/ }).click();
    await expect.poll(() => out.getAttribute('src')).toBe(`/media/${media}?size=thumbnail`);
  });

  test('files can be dropped and pasted, in order; text copied together with an image of it stays text', async () => {
    const { id } = await makeDraft();
    const page = await world.visit({ at: `/posts/${id}`, expected: [/400/] });
    const files = (...names: string[]) =>
      page.evaluateHandle(
        ({ names, bytes }) => {
          const data = new DataTransfer();
          for (const name of names) {
            const [type, content] = name.endsWith('.png') ? ['image/png', bytes] : ['text/plain', [1, 2, 3]];
            data.items.add(new File([Uint8Array.from(content)], name, { type }));
          }
          return data;
        },
        { names, bytes: [...onePixel] },
      );
    const paste = (data: Awaited<ReturnType<typeof files>>) =>
      text(page).evaluate(
        (field, clipboardData) =>
          field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })),
        data,
      );
    const media = async () => (await read(id)).versions[0]?.content[0]?.media.length;
    await text(page).dispatchEvent('drop', { dataTransfer: await files('one.png', '../two.png') });
    await expect.poll(media).toBe(2);
    await paste(await files('three.png'));
    await expect.poll(media).toBe(3);
    const both = await files('of-the-text.png');
    await both.evaluate((data) => data.setData('text/plain', 'Words'));
    // `true`: the browser inserts the text itself.
    expect(await paste(both)).toBe(true);
    await text(page).dispatchEvent('drop', { dataTransfer: await files('notes.txt') });
    await page.getByText(/^notes\.txt was not added\./).waitFor();
    expect(await media()).toBe(3);
  });

  test('a text that is too long is shortened or split for its network alone, and Undo brings it back', async () => {
    const long = `${'The oven is on. '.repeat(19).trim()}\n\n${'The bread is out. '.repeat(4)}`.trim();
    const { id } = await makeDraft({ body: long, accountIds: [bluesky, mastodon] });
    const page = await world.visit({ at: `/posts/${id}` });
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByRole('button', { name: /Bluesky.*too many Shorten/ }).click();
    await page.getByRole('tab', { name: /Bluesky/, selected: true }).waitFor();
    // What is over the limit is marked and selected.
    await expect.poll(() => page.locator('mark').textContent()).toBe(long.slice(300));
    await expect
      .poll(() => text(page).evaluate((field: HTMLTextAreaElement) => [field.selectionStart, field.selectionEnd]))
      .toEqual([300, long.length]);
    await page.getByRole('article', { name: 'Bluesky' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await checks.getByRole('button', { name: 'Split into a thread' }).click();
    const own = async () => (await read(id)).versions.map(({ content }) => content.map(({ body }) => body));
    const items = ['The oven is on. '.repeat(18).trim(), `The oven is on.\n\n${'The bread is out. '.repeat(4).trim()}`];
    await expect.poll(own).toEqual([[long], items]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(own).toEqual([[long]]);
  });

  test('text and media follow the original separately, and each can follow it again', async () => {
    const media = [await world.service.addFile(), await world.service.addFile()];
    const { id } = await makeDraft({ body: 'Buns', accountIds: [bluesky, mastodon] });
    const versions = [{ content: [{ body: 'Buns', media }] }];
    await world.service.client.posts.update({ id, accountIds: [bluesky, mastodon], versions });
    const page = await world.visit({ at: `/posts/${id}?version=${mastodon}` });
    await page.getByRole('button', { name: 'Remove Image 2' }).click();
    await page.getByRole('tab', { name: /Mastodon.*own media$/ }).waitFor();
    await page.getByRole('tab', { name: 'Original' }).click();
    await text(page).fill('Loaves');
    const contents = async () => (await read(id)).versions.map(({ content }) => content[0]);
    const [first] = media;
    await expect.poll(contents).toEqual([
      { body: 'Loaves', media },
      { body: 'Loaves', media: [first] },
    ]);
    await page.getByRole('tab', { name: /Mastodon/ }).click();
    await text(page).fill('Short');
    await page.getByRole('tab', { name: /Mastodon.*own text, media$/ }).waitFor();
    await page.getByRole('button', { name: 'Follow the original again: media' }).click();
    await expect.poll(contents).toEqual([
      { body: 'Loaves', media },
      { body: 'Short', media },
    ]);
    await page.getByRole('button', { name: 'Follow the original again: text' }).click();
    await expect.poll(contents).toEqual([{ body: 'Loaves', media }]);
  });

  test('an emoji is found and inserted at the cursor by keyboard, and is among the recent ones afterwards', async () => {
    const { id } = await makeDraft({ body: 'Happy birthday' });
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).press('Home');
    await page.getByRole('button', { name: 'Emoji' }).press('Enter');
    const search = page.getByRole('combobox', { name: 'Search emoji' });
    await isFocused(search);
    await page.keyboard.type('birthday cake');
    await page.getByRole('option', { name: 'birthday cake', selected: true }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await isFocused(text(page));
    await page.keyboard.type(' ');
    await expect.poll(() => text(page).inputValue()).toBe('🎂 Happy birthday');
    await page.getByRole('button', { name: 'Emoji' }).click();
    await page.getByRole('listbox', { name: 'Recent' }).getByRole('option', { name: 'birthday cake' }).waitFor();
    await page.keyboard.press('Escape');
    await search.waitFor({ state: 'detached' });
  });

  test('a link is inserted at the cursor, with its https', async () => {
    const { id } = await makeDraft({ body: 'Our menu' });
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).press('End');
    await page.getByRole('button', { name: 'Link', exact: true }).press('Enter');
    const address = page.getByRole('dialog', { name: 'Link' }).getByLabel('Address');
    await isFocused(address);
    await page.keyboard.type('our menu');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a web address, such as example.com/menu.').waitFor();
    expect(await axe(page)).toEqual([]);
    await address.fill('example.com/menu');
    await page.keyboard.press('Enter');
    await isFocused(text(page));
    await expect.poll(() => text(page).inputValue()).toBe('Our menu https://example.com/menu');
  });

  test('where the header has no room, Publish now is in the panel of the arrow', async () => {
    const { id } = await makeDraft({ body: 'Narrow', accountIds: [bluesky] });
    const page = await world.visit({ at: `/posts/${id}`, width: 1024 });
    await page.getByText('Ready for 1 account').waitFor();
    expect(await page.getByRole('button', { name: 'Publish now' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Choose a time' }).click();
    await page.getByRole('dialog', { name: 'Schedule' }).getByRole('button', { name: 'Publish now' }).click();
    await page.getByRole('dialog', { name: 'Publish now to 1 account?' }).waitFor();
  });

  test('on a phone a check opens the sheet that has its option, which keeps the focus when its choices arrive', async () => {
    const pinterest = await world.service.addAccount('pinterest');
    const { id } = await makeDraft({ body: 'Look', accountIds: [pinterest] });
    const page = await world.visit({ at: '/favicon.svg', width: 390, height: 844, expected: [/./] });
    let boards: object[] = [];
    await intercept(page, '**/api/app/posts/*/editor', async (route) => {
      const response = await route.fetch();
      const view = await response.json();
      for (const account of view.accounts) account.choices = { 'pinterest.board': boards };
      await route.fulfill({ response, json: view });
    });
    await page.goto(`${world.service.url}/posts/${id}`);
    await page.getByRole('button', { name: /^Pinterest: / }).click();
    await page
      .getByRole('dialog', { name: 'Checks and preview' })
      .getByRole('button', { name: /Board is needed/ })
      .click();
    const sheet = page.getByRole('dialog', { name: 'Options of the networks' });
    await isFocused(sheet.getByRole('textbox', { name: 'Board' }));
    boards = [{ value: 'bread', label: 'Bread' }];
    await page.keyboard.type('b');
    await isFocused(sheet.getByRole('combobox', { name: 'Board' }));
    expect(await axe(page)).toEqual([]);
  });

  test('a preview has its shape while the limits of its network are awaited', async () => {
    const { id } = await makeDraft({ body: 'Look' });
    const page = await world.visit({ at: '/favicon.svg' });
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await intercept(page, '**/providers.limits**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.service.url}/posts/${id}`);
    await text(page).waitFor();
    await page.getByText('Loading the preview').waitFor({ state: 'attached' });
    answer();
    await page.getByRole('region', { name: 'Preview' }).getByText('Look').waitFor();
    expect(await page.getByText('Loading the preview').count()).toBe(0);
  });

  test('on a phone Write, or a swipe down on its title, closes the preview', async () => {
    const { id } = await makeDraft({ body: 'Look' });
    const page = await world.visit({ at: `/posts/${id}`, width: 390, height: 844 });
    const sheet = page.getByRole('dialog', { name: 'Checks and preview' });
    const openSheet = () => page.getByRole('button', { name: 'Preview', exact: true }).click();
    const swipe = async (distance: number) => {
      const title = sheet.getByText('Checks and preview');
      // Waits until the sheet stands still.
      await title.hover();
      const { y = 0 } = (await title.boundingBox()) ?? {};
      await page.mouse.down();
      await page.mouse.move(100, y + distance, { steps: 4 });
      await page.mouse.up();
    };
    await openSheet();
    await swipe(30);
    await expect.poll(() => sheet.isVisible()).toBe(true);
    await swipe(200);
    await sheet.waitFor({ state: 'detached' });
    await openSheet();
    expect(await axe(page)).toEqual([]);
    await sheet.getByRole('button', { name: 'Write' }).click();
    await sheet.waitFor({ state: 'detached' });
  });

  test('by keyboard alone from the sign-in to a published thread, on the accounts of last time', async () => {
    const { email, userId } = await world.service.addMember('editor');
    const before = await world.service.asHuman(
      'posts.create',
      { body: 'Before', accountIds: [bluesky, x] },
      { userId },
    );
    const at = '2090-01-01T08:00:00Z';
    await world.service.asHuman('posts.schedule', { id: before.id, at }, { userId, role: 'editor' });
    const page = await world.visit({ as: null, at: '/sign-in' });
    await isFocused(page.getByLabel('E-mail address'));
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('correct horse');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('c');
    await page.getByText('the same 2 accounts as last time').waitFor();
    await isFocused(text(page));
    await page.keyboard.type('First of two');
    await isAt(page, /^\/posts\/post_/);
    const tabTo = async (name: string) => {
      for (let step = 0; step < 20; step++) {
        await page.keyboard.press('Tab');
        const focused = page.locator(':focus');
        if (((await focused.getAttribute('aria-label')) ?? (await focused.textContent()))?.startsWith(name)) return;
      }
      throw new Error(`${name} is out of reach`);
    };
    await tabTo('Add to thread');
    await page.keyboard.press('Enter');
    await isFocused(text(page, 'Text of item 2'));
    await page.keyboard.type('Second of two');
    await page.getByText('Ready for 2 accounts').waitFor();
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'Publish now to 2 accounts?' });
    await dialog.waitFor();
    await tabTo('Publish');
    await page.keyboard.press('Enter');
    const id = idIn(page);
    await expect.poll(async () => (await read(id)).status).toBe('Published');
    const post = await read(id);
    expect(post.accountIds).toEqual([bluesky, x]);
    expect(post.versions[0]?.content.map(({ body }) => body)).toEqual(['First of two', 'Second of two']);
  });

  test('the text of an opened post is at most eight stops away', async () => {
    const { id } = await makeDraft({ accountIds: [bluesky, mastodon, x] });
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).waitFor();
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await isFocused(page.getByRole('link', { name: 'To the text' }));
    await page.keyboard.press('Enter');
    await isFocused(text(page));
    // Shift+Tab from the text: first Change, then the accounts as one stop.
    await page.keyboard.press('Shift+Tab');
    await isFocused(page.getByRole('button', { name: 'Change' }));
    await page.keyboard.press('Shift+Tab');
    await isFocused(page.getByRole('button', { name: /^Write for Bluesky/ }));
    await page.keyboard.press('ArrowRight');
    await isFocused(page.getByRole('button', { name: /^Write for Mastodon/ }));
  });

  test('nothing in the header is cut or overlaps, at any width', async () => {
    const { id } = await makeDraft({
      body: 'A title that is long enough to need more room than there is in the header of it',
    });
    const page = await world.visit({ at: `/posts/${id}` });
    await saved(page);
    for (const width of [834, 1024, 1100, 1199, 1200, 1280, 1320, 1366, 1440, 1920, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const boxes = await page
        .locator('main header')
        .first()
        .evaluate((header) => {
          const own = header.getBoundingClientRect();
          const parts = [...header.children, ...(header.lastElementChild?.children ?? [])].filter(
            (part) => part !== header.lastElementChild && part.getClientRects().length > 0,
          );
          const [line, icon] = ['[role="status"]', '[role="status"] svg'].map((one) => header.querySelector(one));
          return {
            right: own.right,
            room: line?.parentElement?.clientWidth,
            line: line?.scrollWidth,
            icon: icon?.clientWidth,
            parts: parts.map((part) => part.getBoundingClientRect()).map(({ left, right }) => [left, right]),
          };
        });
      expect(boxes.line, `save state at ${width}`).toBe(boxes.room);
      expect(boxes.icon, `save state at ${width}`).toBe(14);
      const sorted = boxes.parts.map(([left = 0, right = 0]) => ({ left, right })).sort((a, b) => a.left - b.left);
      for (const [index, { right }] of sorted.entries()) {
        expect(right, `part ${index} at ${width}`).toBeLessThanOrEqual((sorted[index + 1]?.left ?? boxes.right) + 0.5);
      }
      await expect.poll(() => isSideways(page)).toBe(false);
    }
  });

  test('an option for one account does not give it its own text', async () => {
    const { id } = await makeDraft({ body: 'For both', accountIds: [bluesky, mastodon] });
    const page = await world.visit({ at: `/posts/${id}?version=${mastodon}` });
    await (await openOptions(page, 'Mastodon')).getByLabel('Content warning').fill('Bread');
    await page.getByRole('tab', { name: /Mastodon.*own options/ }).waitFor();
    await page.getByRole('tab', { name: 'Original' }).click();
    await text(page).fill('Changed for both');
    await expect
      .poll(async () => (await read(id)).versions.map(({ content }) => content[0]?.body))
      .toEqual(['Changed for both', 'Changed for both']);
    expect((await read(id)).versions[1]?.options).toEqual({ 'mastodon.spoiler_text': 'Bread' });
  });

  test('the options are one line per network, needed ones first, without those of another kind of media', async () => {
    const pinterest = await world.service.addAccount('pinterest');
    const { id } = await makeDraft({ body: 'Look', accountIds: [mastodon, pinterest, bluesky] });
    const image = await world.service.addFile();
    await world.service.client.posts.update({
      id,
      accountIds: [mastodon, pinterest, bluesky],
      versions: [{ content: [{ body: 'Look', media: [image] }], options: { 'mastodon.spoiler_text': 'Bread' } }],
    });
    const page = await world.visit({ at: `/posts/${id}`, expected: [/./] });
    const lines = page.getByRole('region', { name: 'Options' }).getByRole('listitem');
    await expect
      .poll(() => lines.allInnerTexts())
      .toEqual([
        expect.stringMatching(/Pinterest\s+Board is needed/),
        expect.stringMatching(/Content warning “Bread”/),
      ]);
    const options = await openOptions(page, 'Pinterest');
    await options.getByLabel('Title', { exact: true }).waitFor();
    expect(await options.getByText('Cover image').count()).toBe(0);
    await page.getByText('2 of 3 ready').waitFor();
    await options.getByRole('button', { name: 'Options of Bluesky' }).click();
    await isFocused(options.getByRole('button', { name: /Bluesky.*As usual/ }));
    expect(await axe(page)).toEqual([]);
  });

  test('the focus point of an image is set by keyboard and by click', async () => {
    const { id } = await makeDraft({ body: 'Look', accountIds: [mastodon] });
    const image = await world.service.addFile();
    await world.service.client.posts.update({
      id,
      accountIds: [mastodon],
      versions: [{ content: [{ body: 'Look', media: [image] }], options: {} }],
    });
    const page = await world.visit({ at: `/posts/${id}` });
    const options = await openOptions(page, 'Mastodon');
    const point = async () => JSON.parse((await read(id)).versions[0]?.options['mastodon.focus'] ?? '{}')[image];
    await options.getByRole('slider', { name: 'Image 1: left to right' }).press('ArrowRight');
    await expect.poll(point).toEqual({ x: 0.05, y: 0 });
    const picture = options.locator('li img');
    const { width, height } = (await picture.boundingBox()) ?? { width: 0, height: 0 };
    await picture.click({ position: { x: width / 4, y: height / 4 } });
    await expect.poll(point).toEqual({ x: expect.closeTo(-0.5, 1), y: expect.closeTo(0.5, 1) });
    expect(await axe(page)).toEqual([]);
  });

  test("a poll is written by keyboard, shown in the preview, and kept within the network's limits", async () => {
    const { id } = await makeDraft({ body: 'Which?', accountIds: [mastodon] });
    const page = await world.visit({ at: `/posts/${id}` });
    const options = await openOptions(page, 'Mastodon');
    await options.getByRole('button', { name: 'Add a poll' }).press('Enter');
    await isFocused(page.getByRole('textbox', { name: 'Choice 1' }));
    await page.keyboard.type('Bread');
    await page.keyboard.press('Enter');
    await isFocused(page.getByRole('textbox', { name: 'Choice 3' }));
    await page.keyboard.type('Rolls');
    await page.getByText('Choice 2 of the poll is empty').waitFor();
    await options.getByRole('button', { name: 'Remove choice 2' }).click();
    await options.getByRole('combobox', { name: 'Runs for' }).click();
    await page.getByRole('option', { name: '3 days' }).click();
    await options.getByLabel('Several answers').press('Space');
    const poll = { choices: ['Bread', 'Rolls'], durationMinutes: 4320, multiple: true, hideTotals: false };
    await expect
      .poll(async () => JSON.parse((await read(id)).versions[0]?.options['mastodon.poll'] ?? 'null'))
      .toEqual(poll);
    await page.getByText('Ready for 1 account').waitFor();
    const shown = page.getByRole('region', { name: 'Preview' }).getByRole('figure', { name: 'Poll' });
    await expect.poll(() => shown.innerText()).toMatch(/Bread\s+Rolls\s+Poll for 3 days · several answers/);
    await beDarkPhone(page);
    await page.getByRole('button', { name: 'Options' }).first().click();
    await openOptions(page, 'Mastodon');
    await page.getByRole('textbox', { name: 'Choice 1' }).waitFor();
    await expect.poll(() => isSideways(page)).toBe(false);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove the poll' }).click();
    await expect.poll(async () => (await read(id)).versions[0]?.options).toEqual({});
  });

  test('a community is searched by keyboard, named in the preview, found again after a reload, and removed', async () => {
    const { id } = await makeDraft({ accountIds: [x] });
    const page = await world.visit({ at: `/posts/${id}` });
    const options = await openOptions(page, 'X');
    const community = options.getByRole('textbox', { name: 'Community' });
    await community.press('Enter');
    await options.getByText('Type a name, then search.').waitFor();
    await community.fill('sourdough');
    await page.keyboard.press('Enter');
    await options.getByText('1 result. Choose one.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await isFocused(options.getByRole('button', { name: 'Search for community' }));
    await page.keyboard.press('Tab');
    // Its name is there before it is saved, also when the options are closed and opened again.
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/posts.update', (route) => hold.then(() => route.continue()));
    await page.keyboard.press('Enter');
    const chosen = options.getByRole('button', { name: 'Remove Community: Sourdough Science (812 members)' });
    await isFocused(chosen);
    await page.getByText('In the community Sourdough Science').first().waitFor();
    await options.getByRole('button', { name: /X.*Community: Sourdough Science/ }).click();
    await options.getByRole('button', { name: /X.*Community: Sourdough Science/ }).click();
    await chosen.waitFor();
    release();
    await expect
      .poll(async () => (await read(id)).versions[0]?.options)
      .toEqual({ 'x.community': '1506778548222324745' });
    await page.getByText('In the community Sourdough Science').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: /X.*Community: Sourdough Science/ }).click();
    await options.getByRole('button', { name: /^Remove Community/ }).press('Enter');
    await isFocused(community);
    await page.keyboard.type('42');
    await page.keyboard.press('Enter');
    await options.getByRole('button', { name: 'Use the id 42' }).click();
    await expect.poll(async () => (await read(id)).versions[0]?.options).toEqual({ 'x.community': '42' });
  });

  test('a file option is filled from the device, then from the library, then removed', async () => {
    const youtube = await world.service.connect('youtube', { handle: 'anna' });
    const { id } = await makeDraft({ accountIds: [youtube] });
    const page = await world.visit({ at: `/posts/${id}` });
    const options = await openOptions(page, 'YouTube');
    const thumbnail = async () => (await read(id)).versions[0]?.options['youtube.thumbnail'];
    await options.getByRole('button', { name: 'Choose a file for Thumbnail' }).waitFor();
    const file = { name: 'cover.png', mimeType: 'image/png', buffer: onePixel };
    const release = await hold(page, '**/api/media');
    await options.getByLabel('File from this device for Thumbnail').setInputFiles(file);
    await expect.poll(() => whyBlocked(page)).toBe('A file is still being added.');
    release();
    await options.getByRole('img', { name: 'Thumbnail' }).waitFor();
    await expect.poll(thumbnail).toMatch(/^media_/);
    // The image is too small; the check says so and links to the button.
    await page.getByText(/Use a larger image/).waitFor();
    const first = await thumbnail();
    const { id: second } = await world.service.client.media.upload(new Uint8Array(onePixel), { alt: 'A loaf' });
    await options.getByRole('button', { name: 'Change for Thumbnail' }).click();
    await page.getByRole('menuitem', { name: 'From the library' }).click();
    const library = page.getByRole('dialog', { name: 'Media library' });
    await library.getByRole('button', { name: 'A loaf' }).click();
    await library.getByRole('button', { name: 'Add 1 file' }).click();
    await options.getByRole('img', { name: 'A loaf' }).waitFor();
    await expect.poll(thumbnail).toBe(second);
    expect(first).not.toBe(second);
    expect(await axe(page)).toEqual([]);
    await options.getByRole('button', { name: 'Remove Thumbnail' }).click();
    await expect.poll(thumbnail).toBeUndefined();
    await isFocused(options.getByRole('button', { name: 'Choose a file for Thumbnail' }));
  });

  test('a time that DST skips or repeats is explained', async () => {
    const year = world.service.clock.now().getUTCFullYear() + 1;
    const page = await world.visit({ at: `/posts/new?at=${lastSunday(year, 2)}T10:00:00Z` });
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    await page.getByRole('button', { name: 'Choose a time' }).click();
    await panel.getByLabel('Time', { exact: true }).fill('02:30');
    await panel.getByText('The clock skips 02:30 on that day. It goes out at 03:30.').waitFor();
    await page.goto(`${world.service.url}/posts/new?at=${lastSunday(year, 9)}T10:00:00Z`);
    await page.getByRole('button', { name: 'Choose a time' }).click();
    await panel.getByLabel('Time', { exact: true }).fill('02:30');
    await panel.getByText('The clock shows 02:30 twice on that day. It goes out the first time.').waitFor();
  });

  test('Unschedule makes it a draft again, and the limit of the plan is shown where it applies', async () => {
    const other = await world.service.addWorkspace();
    const account = await world.service.addAccount('x', other.workspaceId);
    const as = { ...other, role: 'owner' as const };
    const { id } = await world.service.asHuman('posts.create', { body: 'Planned', accountIds: [account] }, as);
    const at = new Date(world.service.clock.now().getTime() + 86_400_000).toISOString();
    await world.service.asHuman('posts.schedule', { id, at }, as);
    const page = await world.visit({ at: `/posts/${id}`, as: other.email, expected: [/402/] });
    const release = await hold(page, '**/unschedule');
    const request = page.waitForRequest('**/unschedule');
    await page.getByRole('button', { name: 'Unschedule' }).click();
    await request;
    await text(page).fill('Planned, and written on');
    release();
    await page.getByText('Unscheduled. It is a draft again.').waitFor();
    const bodyOf = async () => (await world.service.asHuman('posts.get', { id }, as)).versions[0]?.content[0]?.body;
    await expect.poll(bodyOf).toBe('Planned, and written on');
    expect(await text(page).inputValue()).toBe('Planned, and written on');
    await page.getByText('Ready for 1 account').waitFor();
    await world.service.posthorn.people.setPlan(other.workspaceId, 'free');
    await page.getByRole('button', { name: 'Choose a time' }).click();
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    await panel.getByRole('button', { name: /^Schedule for/ }).click();
    await panel.getByRole('alert').getByText('The post was not scheduled').waitFor();
    await panel
      .getByRole('alert')
      .getByText(/X is not part/)
      .waitFor();
  });

  test('after a session ended in another tab, the text is there once the person has signed in again', async () => {
    const { id } = await makeDraft();
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: `/posts/${id}`, as: email, expected: [/401/, /ERR_FAILED/] });
    await text(page).waitFor();
    await intercept(page, '**/posts.update', (route) => route.abort());
    await text(page).fill('Kept over the end');
    await page.getByText(/^Not saved\. Trying again/).waitFor();
    // As another tab of the same browser would.
    await page.request.post(`${world.service.url}/api/auth/sign-out`, { headers: { origin: world.service.url } });
    await page.getByLabel('E-mail address').fill(email);
    await page.unroute('**/posts.update');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => text(page).inputValue()).toBe('Kept over the end');
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.body).toBe('Kept over the end');
  });

  test('a slow server gets one save at a time, and the next one has what was written meanwhile', async () => {
    const { id } = await makeDraft();
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).waitFor();
    let release = () => {};
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    let open = 0;
    let most = 0;
    await intercept(page, '**/posts.update', async (route) => {
      most = Math.max(most, ++open);
      await hold;
      await route.continue();
      open--;
    });
    await text(page).fill('First');
    await page.getByText('Saving…').waitFor();
    await text(page).fill('Second');
    release();
    await saved(page);
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.body).toBe('Second');
    expect(most).toBe(1);
  });

  test('publish now asks first and names the accounts', async () => {
    const { id } = await makeDraft({ body: 'Out with it' });
    const page = await world.visit({ at: `/posts/${id}`, expected: [/ERR_FAILED/] });
    await page.getByText('Ready for 1 account').waitFor();
    await page.getByRole('button', { name: 'Publish now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish now to 1 account?' });
    await dialog.getByText('It is public at once.').waitFor();
    await dialog.getByText(/^@anna.*, this text$/).waitFor();
    await dialog.getByText('Out with it').waitFor();
    await isFocused(dialog.getByRole('button', { name: 'Cancel' }));
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await read(id)).status).toBe('Draft');
    // Pressing the shortcut again in the dialog publishes.
    await page.keyboard.press('Control+Enter');
    await dialog.waitFor();
    expect((await read(id)).status).toBe('Draft');
    // After a request without an answer, nobody knows whether it arrived.
    await intercept(page, '**/posts.publishNow', (route) => route.abort(), { times: 1 });
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('It may have worked anyway.').waitFor();
    expect(await dialog.getByText('not published').count()).toBe(0);
    await page.keyboard.press('Control+Enter');
    await text(page).waitFor({ state: 'detached' });
    await expect.poll(async () => (await read(id)).status).toBe('Published');
  });

  test('the publish dialog groups accounts by what they get, and publishes a scheduled post before its time', async () => {
    const { id } = await makeDraft({
      body: 'For most of them https://example.com/a',
      accountIds: [bluesky, mastodon, x],
    });
    await world.service.client.posts.setVersionText({ id, accountId: x, body: 'Shorter for X' });
    const at = new Date(world.service.clock.now().getTime() + 86_400_000).toISOString();
    await world.service.asHuman('posts.schedule', { id, at });
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Ready for 3 accounts').waitFor();
    await page.getByRole('button', { name: 'Publish now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish now to 3 accounts?' });
    await dialog.getByText(/^It is scheduled for .* It is public at once\.$/).waitFor();
    await dialog.getByText('1 link', { exact: true }).waitFor();
    const groups = dialog.getByRole('list').first().getByRole('listitem');
    await expect
      .poll(() => groups.allTextContents())
      .toEqual([
        expect.stringMatching(/Bluesky.*Mastodon.*this text$/),
        expect.stringMatching(/@anna, “Shorter for X”$/),
      ]);
    await dialog.getByRole('button', { name: 'Publish to 3 accounts' }).click();
    await expect.poll(async () => (await read(id)).status).toBe('Published');
  });

  test('a past time is refused, and so is an invalid one', async () => {
    const { id } = await makeDraft();
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Ready for 1 account').waitFor();
    await page.getByRole('button', { name: 'Choose a time' }).click();
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    await panel.getByRole('button', { name: dayName(world.service.clock.now()), exact: true }).click();
    const time = panel.getByLabel('Time', { exact: true });
    await time.fill('00:00');
    await panel.getByRole('alert').getByText('That time has passed. Choose a later one.').waitFor();
    await panel.getByRole('button', { name: /^Schedule for/ }).press('Enter');
    expect((await read(id)).status).toBe('Draft');
    await time.fill('sometime');
    await panel.getByRole('alert').getByText('“sometime” is not a time. Write 21:00, 9pm or tomorrow 8.').waitFor();
    await panel.getByRole('button', { name: /^Schedule/ }).press('Enter');
    expect((await read(id)).status).toBe('Draft');
  });

  test('a time is typed as people say it, in any zone, and the panel says what it understood', async () => {
    const { id } = await makeDraft();
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Ready for 1 account').waitFor();
    await page.getByRole('button', { name: 'Choose a time' }).click();
    const panel = page.getByRole('dialog', { name: 'Schedule' });
    const time = panel.getByLabel('Time', { exact: true });
    await time.fill('tomorrow 9pm');
    await panel.getByText(/^That is .*, 21:00\.$/).waitFor();
    const tomorrow = new Date(world.service.clock.now().getTime() + 86_400_000);
    const day = tomorrow.toLocaleDateString('en-CA', { timeZone: 'Europe/Paris' });
    await panel.getByRole('button', { name: /^Time zone: Paris/ }).click();
    const zone = panel.getByRole('combobox', { name: 'Time zone' });
    await zone.fill('New York');
    await page.getByRole('option', { name: 'America/New York' }).click();
    await expect.poll(() => time.inputValue()).toBe('21:00');
    // Also shows that time in the person's own time zone.
    await panel.getByText(/, 0[23]:00 your time\./).waitFor();
    expect(await axe(page)).toEqual([]);
    await panel.getByRole('button', { name: /^Schedule for/ }).click();
    await page.getByText(/^Goes out /).waitFor();
    const { scheduledAt = '' } = await read(id);
    const there = new Date(scheduledAt).toLocaleString('sv-SE', { timeZone: 'America/New_York' });
    expect(there).toBe(`${day} 21:00:00`);
    // The month shows that something is scheduled that day.
    await page.getByRole('button', { name: 'Reschedule' }).click();
    const planned = panel.locator('[data-planned]').first();
    await planned.waitFor();
    await expect.poll(() => planned.getAttribute('aria-label')).toMatch(/, \d+ posts? scheduled$/);
  });

  test('a viewer can only read', async () => {
    const { id } = await makeDraft({ body: 'Look, do not touch' });
    const tomorrow = new Date(world.service.clock.now().getTime() + 86_400_000).toISOString();
    await world.service.asHuman('posts.schedule', { id, at: tomorrow });
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: `/posts/${id}`, as: email });
    await page.getByText('You can read this post').waitFor();
    await page.getByText(/It goes out tomorrow \d\d:\d\d\./).waitFor();
    expect(await text(page).getAttribute('readonly')).not.toBeNull();
    const acts = /Publish now|schedule|Choose a time|Add|Emoji|Insert template|^More$|^Change$/i;
    expect(await page.getByRole('button', { name: acts }).allInnerTexts()).toEqual([]);
    expect(await axe(page)).toEqual([]);
  });

  test('any text stays text', async () => {
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script> \u202eright to left';
    const { id } = await makeDraft({ body: 'x', accountIds: [bluesky, mastodon, x] });
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).fill(hostile);
    await saved(page);
    await page.getByRole('article').first().getByText('<img src=x').waitFor();
    expect(await page.title()).not.toBe('1');
    await text(page).fill(`${'long words '.repeat(9090)}end`);
    await text(page).press('End');
    await page.keyboard.type('!');
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.body.endsWith('end!')).toBe(true);
  });

  test('when another tab switches workspaces, the text stays and is saved once this workspace is open again', async () => {
    const { id } = await makeDraft();
    const { email } = await world.service.addMember('admin');
    const page = await world.visit({ at: `/posts/${id}`, as: email, expected: [/409/] });
    await text(page).waitFor();
    // As another tab of the same browser would.
    const opened = await page.request.post(`${world.service.url}/api/app/workspaces`, {
      data: { name: 'Second' },
      headers: { origin: world.service.url },
    });
    expect(opened.ok()).toBe(true);
    await text(page).fill('Written for the first');
    await page.getByText('Another workspace is open in this browser').waitFor();
    await page.getByRole('button', { name: 'Back to Demo' }).click();
    await expect.poll(() => text(page).inputValue()).toBe('Written for the first');
    await saved(page);
    await expect.poll(async () => (await read(id)).versions[0]?.content[0]?.body).toBe('Written for the first');
  });

  test('a deleted draft opens again with Undo', async () => {
    const gone = await world.service.connect('bluesky', { handle: 'gone' });
    const { id } = await makeDraft({ body: 'Too hasty', accountIds: [bluesky, gone] });
    await world.service.client.posts.setVersionText({ id, accountId: gone, body: 'For one' });
    await world.service.asHuman('accounts.delete', { id: gone });
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('Draft “Too hasty” deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => text(page).inputValue()).toBe('Too hasty');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await page.getByText('This is the copy').waitFor();
    await expect.poll(() => pathOf(page)).not.toContain(id);
    const copy = await read(idIn(page));
    expect(copy.accountIds).toEqual([bluesky]);
    expect(copy.versions.map(({ content }) => content[0]?.body)).toEqual(['Too hasty']);
  });

  test('the cover of a video is chosen as a frame, and set on every network in its own unit', async () => {
    const accountIds = [
      await world.service.connect('instagram', { handle: 'covers' }),
      await world.service.connect('pinterest', { handle: 'covers' }),
    ];
    const { id: media } = await world.service.client.media.upload(new Uint8Array(mp4({ durationMs: 42_000 })));
    const versions = [{ content: [{ body: 'A video', media: [media] }] }];
    const { id } = await world.service.client.posts.create({ accountIds, versions });
    const page = await world.visit({ at: `/posts/${id}`, expected: [/media/] });
    const options = page.getByRole('region', { name: 'Options' });
    await options.getByRole('button', { name: 'Instagram' }).click();
    const slider = options.getByRole('slider', { name: 'Moment of the cover' });
    await options.getByText('0:00 of 0:42').waitFor();
    await slider.focus();
    for (let step = 0; step < 21; step++) await page.keyboard.press('ArrowRight');
    await options.getByText('0:02.1 of 0:42').waitFor();
    expect(await options.getByText(/millisecond/).count()).toBe(0);
    await options.getByRole('button', { name: 'Use this frame on Pinterest too' }).click();
    expect(await axe(page)).toEqual([]);
    await expect
      .poll(async () => (await read(id)).versions[0]?.options)
      .toEqual({ 'instagram.cover_ms': '2100', 'pinterest.cover_second': '2' });
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const media = await world.service.addFile();
    const { id, updatedAt } = await makeDraft({ accountIds: [bluesky, mastodon, x] });
    await world.service.client.posts.update({
      id,
      accountIds: [bluesky, mastodon, x],
      versions: [
        { content: [{ body: 'a'.repeat(290), media: [media] }, { body: 'More at example.com' }] },
        { accountId: mastodon, content: [{ body: 'For one' }] },
      ],
      baseUpdatedAt: updatedAt,
    });
    const page = await world.visit({ at: `/posts/${id}` });
    const schedule = page.getByRole('dialog', { name: 'Schedule' });
    const look = async () => {
      await page
        .getByText(/^(2 of 3 ready|X: Item 1: 10 characters too many)$/)
        .first()
        .waitFor();
      await page.getByRole('img').first().waitFor();
      // axe counts a control that the phone's bottom bar partly covers as too small, so scroll it to the center.
      const last = page.getByRole('button', { name: 'Add to thread' });
      await last.evaluate((button) => button.scrollIntoView({ block: 'center' }));
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Choose a time' }).click();
      await schedule.getByLabel('Time', { exact: true }).waitFor();
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await schedule.waitFor({ state: 'detached' });
    };
    await look();
    await beDarkPhone(page);
    await look();
    await expect.poll(() => isSideways(page)).toBe(false);
    for (const name of ['Preview', 'Options', 'Accounts of the post']) {
      await page.getByRole('button', { name }).first().click();
      if (name === 'Accounts of the post') await page.getByRole('menuitem', { name: 'Change accounts' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The next DST change in Paris. */
const lastSunday = (year: number, month: number) => {
  const day = new Date(Date.UTC(year, month + 1, 0));
  day.setUTCDate(day.getUTCDate() - day.getUTCDay());
  return day.toISOString().slice(0, 10);
};

/** Accessible name of a day in the calendar. */
const dayName = (at: Date) =>
  at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'Europe/Paris' });
