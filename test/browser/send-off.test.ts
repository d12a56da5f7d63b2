import type { Page, Route } from 'playwright-core';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '#test/support/until';
import { axe, inBrowser, intercept, isClean, isFocused, isSideways, readsAnswer } from './harness.ts';

inBrowser('the send-off', (world) => {
  let bluesky = '';
  let mastodon = '';
  let facebook = '';
  let posts = 0;

  beforeAll(async () => {
    bluesky = await world.service.connect('bluesky', { handle: 'rye.example' });
    mastodon = await world.service.connect('mastodon', { handle: 'rye' });
    facebook = await world.service.connect('facebook', { handle: 'rye.ember' });
  });
  afterEach(async () => {
    for (const network of ['bluesky', 'mastodon', 'facebook']) await plan(network, undefined);
  });

  const plan = (network: string, fault: 'hang' | 'slow' | 'content-refused' | 'late' | undefined) =>
    world.service.posthorn.sandboxes.planFault(network, 'publish', fault && { fault, times: null });

  const draft = async (accountIds: string[], body = `Our rye starter turns nine ${++posts}`) => {
    const { id } = await world.service.client.posts.create({ body, accountIds });
    return { id, body };
  };

  const publishIn = async (page: Page) => {
    await page.getByRole('button', { name: 'Publish now' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish to/ })
      .click();
  };

  const moves = (page: Page) => page.emulateMedia({ reducedMotion: 'no-preference' });
  const row = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Accounts' }).getByRole('listitem').filter({ hasText: name });
  /** Opens the editor of a post that goes out in a minute. */
  const visitScheduled = async (expected: RegExp[] = []) => {
    const at = new Date(world.service.clock.now().getTime() + 60_000).toISOString();
    const { id } = await draft([bluesky]);
    await world.service.asHuman('posts.schedule', { id, at });
    const page = await world.visit({ at: `/posts/${id}`, expected });
    await page.getByRole('button', { name: 'Unschedule' }).waitFor();
    return { page, id };
  };
  const isOutFor = (page: Page) => readsAnswer(page, 'posts.get', ({ status }) => status === 'Published');
  const lines = (page: Page) => page.locator('main svg path[style]');

  test('takes the place of the editor, draws a line for what has left, and ends with links and the next post', async () => {
    await plan('mastodon', 'hang');
    const { id } = await draft([bluesky, mastodon]);
    const page = await world.visit({ at: `/posts/${id}` });
    await moves(page);
    await publishIn(page);
    await page.getByRole('heading', { name: 'Going out to 2 accounts', level: 2 }).waitFor();
    await row(page, 'Bluesky').getByRole('link', { name: 'Open on Bluesky' }).waitFor();
    await row(page, 'Mastodon').getByText('Handing over').waitFor();
    await page.getByText('Mastodon is still working. You can leave this page. It goes on.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    const offsets = () =>
      lines(page).evaluateAll((all) => all.map((one) => (one as SVGPathElement).style.strokeDashoffset));
    // Without an answer, the line stops before its end.
    await expect.poll(async () => (await offsets()).map((one) => Math.round(Number(one) * 10))).toEqual([0, 1]);
    expect(await page.getByRole('link', { name: 'Write the next' }).count()).toBe(0);
    await isClean(page, () => row(page, 'Mastodon').getByText('Handing over').waitFor());
    await expect.poll(() => isSideways(page)).toBe(false);
  });

  test('takes away the message of a post that was out before the board was there', async () => {
    const { id } = await draft([bluesky]);
    const page = await world.visit({ at: `/posts/${id}` });
    const message = page.getByRole('region', { name: 'Messages (F6)' }).getByText('A post was published');
    const board = page.getByRole('heading', { name: /^Out on/ });
    await intercept(page, '**/posts.publishNow', async (route) => {
      const response = await route.fetch();
      // A live event may show the board before the answer arrives.
      await message.or(board).first().waitFor();
      await route.fulfill({ response });
    });
    const answer = page.waitForResponse('**/posts.publishNow');
    await publishIn(page);
    await answer;
    await board.waitFor();
    expect(await message.count()).toBe(0);
  });

  test('says in one sentence that all are out, and copies their links', async () => {
    const { id } = await draft([bluesky, mastodon]);
    const page = await world.visit({ at: `/posts/${id}` });
    await moves(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await publishIn(page);
    const title = page.getByRole('heading', { name: /^Out on 2 accounts in \d+(\.\d)? s\.$/ });
    await title.waitFor();
    await expect.poll(() => page.locator('main [aria-live]').allInnerTexts()).toEqual([await title.innerText()]);
    await page.getByText(/^First numbers come /).waitFor();
    await page.getByRole('button', { name: 'Copy 2 links' }).click();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied.split('\n')).toHaveLength(2);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'See results' }).click();
    await page.getByText('2 accounts have it.').waitFor();
    // Coming back shows the results, without a replay.
    await page.reload();
    await page.getByText('2 accounts have it.').waitFor();
    await page.keyboard.press('c');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/posts/new');
  });

  test('a failure opens its row and takes the focus once; Send again sends to all that failed with one click', async () => {
    await plan('bluesky', 'content-refused');
    await plan('facebook', 'content-refused');
    await plan('mastodon', 'hang');
    const { id, body } = await draft([bluesky, mastodon, facebook]);
    const page = await world.visit({ at: `/posts/${id}` });
    await moves(page);
    await publishIn(page);
    await page.getByRole('heading', { name: 'Going out to 3 accounts, 2 failed' }).waitFor();
    const failed = row(page, 'Bluesky');
    await failed.getByRole('link', { name: 'Edit the post' }).waitFor();
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.closest("li")?.dataset.account'))
      .toMatch(new RegExp(`^(${bluesky}|${facebook})$`));
    const again = failed.getByRole('button', { name: 'Send again' });
    await expect.poll(() => again.getAttribute('aria-disabled')).toBe('true');
    await failed.getByText('when the other accounts are done').waitFor();
    expect(await axe(page)).toEqual([]);

    // The request that hangs is ended by its timeout; the sandbox did not take it.
    await world.service.database.script(
      `update sends set due_at = null, claim = null, begun_at = null,
              result = jsonb_build_object('accountId', account_id, 'ok', true, 'uncertain', false)
        where post_id = '${id}' and account_id = '${mastodon}'`,
    );
    const { createBeginStore } = await import('#server/delivery/publishing/begin-store');
    const keys = [{ workspaceId: world.service.owner.workspaceId, postId: id }];
    await world.service.database.transaction(async () =>
      world.service.posthorn.outcomes.end(await createBeginStore(world.service.database).endedPosts(keys)),
    );
    await page.getByRole('heading', { name: 'Out on 1 account, 2 failed' }).waitFor();
    await plan('bluesky', undefined);
    await plan('facebook', undefined);
    await page.getByRole('button', { name: 'Send again to all that failed' }).click();
    await page.getByRole('heading', { name: /^Out on 3 accounts/ }).waitFor();
    const shown = async (network: string) =>
      (await world.service.feed(network)).filter(({ text }) => text.includes(body)).length;
    expect([await shown('bluesky'), await shown('facebook')]).toEqual([1, 1]);
  });

  test('without motion there are words alone, also for an account that may have it', async () => {
    await plan('facebook', 'late');
    const { id } = await draft([bluesky, facebook]);
    const page = await world.visit({ at: `/posts/${id}` });
    await publishIn(page);
    await row(page, 'Bluesky')
      .getByText(/^Out after \d/)
      .waitFor();
    await row(page, 'Facebook')
      .getByText(/^No answer, asks at \d\d:\d\d$/)
      .waitFor();
    expect(await lines(page).count()).toBe(0);
    await world.service.clock.forward(61_000);
    await page.getByRole('heading', { name: 'Out on 1 account, 1 uncertain' }).waitFor();
    await isClean(page, () => page.getByRole('button', { name: 'Check and answer' }).waitFor());
    await page.getByRole('button', { name: 'Check and answer' }).click();
    await page.getByRole('button', { name: 'It is there', exact: true }).waitFor();
    await moves(page);
    await page.locator('main svg text', { hasText: '?' }).waitFor();
    // The history says what the chip says.
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('button', { name: 'See results' }).click();
    await page.getByRole('list', { name: 'History' }).getByText('Uncertain on 1 of 2').waitFor();
  });

  test('goes on as a message when the page is left, and shows the present to whoever comes back', async () => {
    await plan('mastodon', 'hang');
    const { id } = await draft([bluesky, mastodon]);
    const page = await world.visit({ at: `/posts/${id}` });
    await publishIn(page);
    await row(page, 'Bluesky').getByRole('link', { name: 'Open on Bluesky' }).waitFor();
    await page.getByRole('link', { name: 'Calendar', exact: true }).first().click();
    const message = page.getByRole('region', { name: 'Messages (F6)' });
    await message.getByText('Out on 1 of 2').waitFor();
    await message.getByText('Mastodon is still working.').waitFor();
    await message.getByRole('link', { name: 'Open' }).click();
    await row(page, 'Mastodon').getByText('Handing over').waitFor();
    await row(page, 'Bluesky')
      .getByText(/^Out after/)
      .waitFor();
    await message.getByText('Out on 1 of 2').waitFor({ state: 'detached' });
  });

  test('a comment that somebody types stays when its post goes out, and its letters are no shortcuts', async () => {
    const at = new Date(world.service.clock.now().getTime() + 60_000).toISOString();
    const { id } = await draft([bluesky]);
    await world.service.asHuman('posts.schedule', { id, at });
    const page = await world.visit({ at: `/posts/${id}?side=comments` });
    const field = page.getByRole('textbox', { name: 'Comment', exact: true });
    await field.click();
    await page.keyboard.type('Nice wor');
    await page.getByRole('heading', { name: 'History' }).waitFor({ state: 'detached' });
    // The scripts of the next page arrive while the person types on.
    let answer = () => {};
    const isTyped = new Promise<void>((done) => {
      answer = done;
    });
    await intercept(page, '**/*.js', (route) => isTyped.then(() => route.continue()));
    const nextPage = page.waitForRequest('**/*.js');
    await world.service.clock.forward(61_000);
    await nextPage;
    await page.keyboard.type('k, c');
    answer();
    await page.getByText('Published', { exact: true }).first().waitFor();
    await page.keyboard.type(' u');
    await expect.poll(() => field.inputValue()).toBe('Nice work, c u');
    expect(new URL(page.url()).pathname).toBe(`/posts/${id}`);
  });

  test('letters that follow after a field has gone are no shortcuts, until the person pauses or clicks', async () => {
    const { id } = await draft([bluesky]);
    const page = await world.visit({ at: `/posts/${id}?side=comments` });
    await page.getByRole('textbox', { name: 'Comment', exact: true }).click();
    await page.keyboard.type('a');
    await page.evaluate('document.activeElement.closest("form").remove()');
    await page.keyboard.type('c');
    await isFocused(page.getByRole('heading', { level: 1 }));
    await page.keyboard.type('c');
    expect(new URL(page.url()).pathname).toBe(`/posts/${id}`);
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.type('c');
    await expect.poll(() => new URL(page.url()).pathname).toBe('/posts/new');
  });

  test('the answer to a save that arrives after the post went out does not make it scheduled again', async () => {
    const { page } = await visitScheduled();
    const answers: (() => Promise<void>)[] = [];
    await intercept(page, '**/api/app/actions/posts.update', async (route) => {
      const response = await route.fetch();
      answers.push(() => route.fulfill({ response }));
    });
    await page.getByRole('textbox').first().fill('Saved in time');
    await until('it is saved', () => answers.length === 1);
    const news = isOutFor(page);
    await world.service.clock.forward(61_000);
    await news;
    await answers[0]?.();
    await row(page, 'Bluesky').getByRole('link', { name: 'Open on Bluesky' }).waitFor();
    expect(await page.getByRole('button', { name: 'Unschedule' }).count()).toBe(0);
  });

  test('text whose save was under way when the post went out, and then failed, is kept', async () => {
    const { page } = await visitScheduled([/503/]);
    const held: Route[] = [];
    await intercept(page, '**/api/app/actions/posts.update', (route) => void held.push(route));
    const text = page.getByRole('textbox').first();
    await text.fill('Not saved in time');
    await until('it is being saved', () => held.length === 1);
    const news = isOutFor(page);
    await world.service.clock.forward(61_000);
    await news;
    await held[0]?.fulfill({ status: 503, body: '' });
    await page.getByText('This post went out while you were writing').waitFor();
    await expect.poll(() => text.inputValue()).toBe('Not saved in time');
  });

  test('text that was being written when the post went out is kept, and nothing offers to unschedule it', async () => {
    const { page, id } = await visitScheduled([/503/]);
    await intercept(page, '**/api/app/actions/posts.update', (route) => route.fulfill({ status: 503, body: '' }));
    const text = page.getByRole('textbox').first();
    await text.fill('Not saved in time');
    await page
      .getByText(/Not saved/)
      .first()
      .waitFor();
    await world.service.clock.forward(61_000);
    await until('it is out', async () => (await world.service.client.posts.get({ id })).status === 'Published');
    await page.getByText('This post went out while you were writing').waitFor();
    await expect.poll(() => text.inputValue()).toBe('Not saved in time');
    expect(await page.getByRole('button', { name: 'Unschedule' }).count()).toBe(0);
  });

  test('text that was being written when the post failed can still be saved to it', async () => {
    await plan('bluesky', 'content-refused');
    const { page, id } = await visitScheduled([/503/]);
    await intercept(page, '**/api/app/actions/posts.update', (route) => route.fulfill({ status: 503, body: '' }));
    await page.getByRole('textbox').first().fill('Not saved in time');
    await page
      .getByText(/Not saved/)
      .first()
      .waitFor();
    await world.service.clock.forward(61_000);
    await page.getByText('This post failed to publish').waitFor();
    expect(await page.getByRole('button', { name: 'Unschedule' }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
    await page.unroute('**/api/app/actions/posts.update');
    await page.getByRole('button', { name: 'Use mine' }).click();
    await until('it is saved', async () => {
      const { status, versions } = await world.service.client.posts.get({ id });
      return status === 'Failed' && versions[0]?.content[0]?.body === 'Not saved in time';
    });
  });
});
