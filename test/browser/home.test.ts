import { expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { connectAgent } from '#test/support/agent';
import { until } from '#test/support/until';
import { axe, go, inBrowser, intercept, isAt, isClean, readsAnswer } from './harness.ts';

inBrowser(
  'the first two minutes',
  (world) => {
    test('from the start link to a published post', async () => {
      const link = await world.service.posthorn.welcome.path();
      const page = await world.visit({ at: link ?? '', as: null });
      const title = page.getByRole('heading', { name: 'Three steps, about two minutes' });
      await title.waitFor();
      // Delays the networks: the steps must not change their words or move when these arrive.
      let answerNetworks = () => {};
      const hasNetworks = new Promise<void>((done) => {
        answerNetworks = done;
      });
      await intercept(page, '**/providers.list', (route) => hasNetworks.then(() => route.continue()));
      const others = ['accounts.list', '/approvals', 'group=Sent'].map((path) =>
        page.waitForResponse((response) => response.url().endsWith(path)),
      );
      await page.reload({ waitUntil: 'commit' });
      await Promise.all(others);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(await title.count()).toBe(0);
      answerNetworks();
      const step = (name: RegExp) => page.getByRole('listitem', { name });
      const networks = step(/Connect an account/).getByRole('group', { name: 'Sandbox networks' });
      await networks.getByRole('button', { name: 'Bluesky', exact: true, pressed: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Publish to the sandbox' }).count()).toBe(0);
      for (const chosen of await networks.getByRole('button', { pressed: true }).all()) await chosen.focus();
      expect(await axe(page)).toEqual([]);

      await networks.getByRole('button', { name: 'Instagram' }).click();
      // Each account is announced by its own event; the next step waits for the last one.
      let answer = () => {};
      const isAnswered = new Promise<void>((done) => {
        answer = done;
      });
      await intercept(page, '**/api/app/sandbox/accounts', async (route) => {
        const response = await route.fetch();
        await isAnswered;
        await route.fulfill({ response });
      });
      const announced = readsAnswer(page, 'accounts.list', ({ accounts }) => (accounts as unknown[]).length === 4);
      await page.getByRole('button', { name: 'Connect 4 sandbox accounts' }).click();
      await announced;
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(await page.getByRole('button', { name: 'Publish to the sandbox' }).count()).toBe(0);
      answer();
      await page.getByText(/^Sandbox accounts for .*Bluesky.* are connected\.$/).waitFor();
      await page.getByRole('button', { name: 'Publish to the sandbox' }).click();
      await page.getByRole('region', { name: /^Out on \d accounts in / }).waitFor();
      await page.getByText(/^Published to .*Bluesky/).waitFor();
      await page.getByRole('link', { name: 'See it in the sandbox' }).waitFor();
      expect((await world.service.feed('bluesky')).map(({ text }) => text)).toEqual([
        'Hello from Posthorn. If you can read this in the sandbox, publishing works.',
      ]);
      // This network needs media, so the first post skips it.
      expect(await world.service.feed('instagram')).toEqual([]);

      await page.getByRole('button', { name: 'Show the config' }).click();
      await page.getByText(`claude mcp add --transport http posthorn ${world.service.url}/mcp`).waitFor();
      expect(await axe(page)).toEqual([]);

      await page.getByRole('button', { name: 'No client at hand? Pretend one asks' }).click();
      await page.getByRole('heading', { level: 1, name: 'Requests from Pretend agent' }).waitFor();
      expect(await world.service.feed('bluesky')).toHaveLength(1);
      await page.getByRole('button', { name: 'Approve and publish' }).click();
      await page
        .getByRole('region', { name: 'Messages (F6)' })
        .getByText(/^Out on \d of \d$/)
        .waitFor();
      await until('it is out', async () => (await world.service.feed('bluesky')).length === 2);

      await page.goto(world.service.url);
      await page.getByRole('heading', { name: 'Today' }).waitFor();
      await page
        .getByRole('list', { name: 'Today' })
        .getByRole('link', { name: /Hello from Posthorn/ })
        .waitFor();

      // The start link works only once, so the last step asks for a password; this can be postponed.
      const password = page.getByLabel('Password', { exact: true });
      await password.waitFor();
      expect(await axe(page)).toEqual([]);
      await password.fill('long enough to keep');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByText('The password is set.').waitFor();
      await password.waitFor({ state: 'detached' });
    });
  },
  {},
  { empty: true },
);

inBrowser('home', (world) => {
  /** Once a post is published and an agent has asked, the first steps are no longer shown. */
  const publish = async () => {
    const { service } = world;
    const account = await service.connect('bluesky');
    const { id } = await service.client.posts.create({ accountIds: [account], body: 'Out already' });
    await service.asHuman('posts.publishNow', { id });
    await until('it is out', async () => (await service.client.posts.get({ id })).status === 'Published');
    return account;
  };
  const seed = async () => {
    const { service } = world;
    const account = await publish();
    const draft = await service.client.posts.create({ accountIds: [account], body: 'Asked for' });
    const caller = { ...service.owner, role: 'owner', mayPublish: false, isPerson: false } as const;
    const request = {
      caller,
      client: 'Claude Code',
      action: 'posts.publishNow',
      input: { id: draft.id },
      requestId: 'req_1',
    };
    await service.posthorn.cards.request(request);
    return { account };
  };

  test('shows what waits and what goes out; is clean on a desk in light and on a phone in dark', async () => {
    const { account } = await seed();
    const at = new Date(world.service.clock.now().getTime() + 60_000).toISOString();
    const { id } = await world.service.client.posts.create({ accountIds: [account], body: 'Soon' });
    await world.service.asHuman('posts.schedule', { id, at });
    const page = await world.visit();
    const waiting = page.getByRole('region', { name: 'Waiting for you' });
    await isClean(page, async () => {
      await waiting
        .getByText(/^Claude Code asks/)
        .first()
        .waitFor();
      await waiting.getByText('1 to approve').waitFor();
      await page.getByRole('link', { name: 'Soon' }).waitFor();
      await page.getByRole('heading', { name: 'Last 7 days' }).waitFor();
      await page.getByText('Engagement', { exact: true }).waitFor();
    });
  });

  test('says of a post that is just out that nothing was read yet, not 0, and the list of posts too', async () => {
    await seed();
    const page = await world.visit();
    const numbers = page.locator('section', { has: page.getByRole('heading', { name: 'Last 7 days' }) });
    await expect
      .poll(() => numbers.getByRole('definition').allInnerTexts())
      .toEqual([
        expect.stringMatching(/^—\s*nothing read yet$/),
        expect.stringMatching(/^—/),
        expect.stringMatching(/^\d/),
      ]);
    await page.getByRole('listitem').filter({ hasText: 'Out already' }).first().getByText('No numbers yet').waitFor();
    await go(page, '/posts');
    await page.getByRole('listitem').filter({ hasText: 'Out already' }).first().getByText('No numbers yet').waitFor();
    expect(await page.getByText('Engagement 0').count()).toBe(0);
  });

  test('names a post that did not arrive, and an account that needs a new sign-in', async () => {
    const { service } = world;
    const account = await service.connect('mastodon');
    await service.posthorn.sandboxes.planFault('mastodon', 'publish', { fault: 'expired-token', times: 50 });
    const { id } = await service.client.posts.create({ accountIds: [account], body: 'Does not arrive' });
    await service.asHuman('posts.publishNow', { id });
    await until('it failed', async () => (await service.client.posts.get({ id })).status === 'Failed');
    const page = await world.visit();
    const waiting = page.getByRole('region', { name: 'Waiting for you' });
    await waiting.getByText('“Does not arrive” did not reach Mastodon').waitFor();
    await expect
      .poll(() => waiting.getByRole('link', { name: /did not reach Mastodon/ }).getAttribute('href'))
      .toMatch(/^\/(accounts|posts\/post_)/);
  });

  test('a client whose name is written from right to left does not reorder what it asks for', async () => {
    const { service } = world;
    const { id } = await service.client.posts.create({ accountIds: [await publish()], body: 'Buns' });
    const path = await (await connectAgent(service, 'מאפייה!')).ask('posts_publishNow', { id });
    const page = await world.visit();
    const waiting = page.getByRole('region', { name: 'Waiting for you' });
    const title = waiting.getByText('מאפייה! asks to publish a post now');
    await title.waitFor();
    const [name = 0, mark = 0, words = 0] = await title.evaluate((element) => {
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      const leftOf: Record<string, number> = {};
      while (text.nextNode()) {
        for (const word of text.currentNode.textContent?.matchAll(/\w+|[א-ת]+|!/gu) ?? []) {
          range.setStart(text.currentNode, word.index);
          range.setEnd(text.currentNode, word.index + word[0].length);
          leftOf[word[0]] = range.getBoundingClientRect().left;
        }
      }
      return ['מאפייה', '!', 'asks'].map((word) => leftOf[word] ?? Number.NaN);
    });
    expect(words).toBeGreaterThan(name);
    // The name is written right to left, so the mark at its end stands on its left.
    expect(mark).toBeLessThan(name);
    const human = service.browser();
    await human.signIn();
    await human.post(`/api${path}/reject`);
  });

  test('counts open requests of later pages too', async () => {
    const { service } = world;
    const { id } = await service.client.posts.create({ accountIds: [await publish()], body: 'Rolls' });
    const { ask } = await connectAgent(service, 'Two pages');
    const paths = [await ask('posts_publishNow', { id }), await ask('posts_delete', { id })];
    const page = await world.visit({ at: '/settings/profile' });
    const list = `${service.url}/api/approvals`;
    await intercept(page, `${list}*`, async (route) => {
      const response = await route.fetch({ url: list });
      const { cards } = await response.json();
      const isRest = route.request().url() !== list;
      const json = isRest ? { cards: cards.slice(1) } : { cards: cards.slice(0, 1), nextCursor: 'rest' };
      await route.fulfill({ response, json });
    });
    await page.goto(service.url);
    await page.getByText('Two pages asks for 2 things').waitFor();
    // So that it asks for no page that only the intercepted answer had.
    await page.goto('about:blank');
    const human = service.browser();
    await human.signIn();
    for (const path of paths) await human.post(`/api${path}/reject`);
  });

  test('an overdue post is shown with what to do, until it is sent', async () => {
    const { service } = world;
    const account = await service.connect('bluesky');
    const { id } = await service.client.posts.create({ accountIds: [account], body: 'Held up' });
    const at = new Date(service.clock.now().getTime() + 60_000).toISOString();
    await service.asHuman('posts.schedule', { id, at });
    let isHeld = true;
    // Nothing is sent while another transaction holds the row; it keeps working, since an idle one would lose the row.
    const hold = () =>
      service.database.query(sql('test.hold', 'select pg_sleep(0.1) from posts where id = $1 for update', 'locks'), [
        id,
      ]);
    const holding = await new Promise<{ over: Promise<void> }>((resolve, reject) => {
      const over = service.database.transaction(async () => {
        await hold();
        resolve({ over });
        while (isHeld) await hold();
      });
      over.catch(reject);
    });
    await service.clock.forward(10 * 60_000);
    const page = await world.visit({ at: '/calendar' });
    const banner = page.getByRole('main').getByRole('status').filter({ hasText: '“Held up” is late' });
    await banner
      .getByText(/^It was due .* once Posthorn sends again\. Find out why: run npx posthorn doctor/)
      .waitFor();
    expect(await axe(page)).toEqual([]);
    await go(page, '/accounts');
    await banner.getByRole('link', { name: 'Open' }).click();
    await isAt(page, `/posts/${id}`);
    isHeld = false;
    await holding.over;
    await banner.waitFor({ state: 'detached' });
  });

  test('a post that will not go out is foretold on Home, in the list, the calendar and the editor, and mended with a click', async () => {
    const { service } = world;
    service.startJobs();
    await seed();
    const good = await service.connect('bluesky', { handle: 'foretold' });
    const shy = await service.connect('mastodon', { handle: 'foretold', without: ['write:statuses'] });
    const { id } = await service.client.posts.create({ body: 'We pay the night shift', accountIds: [good, shy] });
    const date = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    await service.asHuman('posts.schedule', { id, at: `${date}T10:00:00Z` });
    await until('it is foretold', async () => (await service.client.posts.get({ id })).forecast !== undefined);
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Will not reach Mastodon').waitFor();
    await page.getByRole('region', { name: 'Checks' }).getByText('1 of 2 ready').waitFor();
    expect(await axe(page)).toEqual([]);
    await go(page, `/calendar?date=${date}`);
    await page.getByText('Mastodon: permission missing').first().waitFor();
    await page.getByText('1 will not go out', { exact: true }).waitFor();
    await page.getByText('Month', { exact: true }).click();
    await page.getByTitle('Will not reach Mastodon').waitFor();
    await go(page, '/posts');
    await page.getByText('1 of 2 will fail').waitFor();
    await go(page, '/');
    await page.getByText('1 will not go out as it stands.').waitFor();
    expect(await axe(page)).toEqual([]);
    const leaveOut = page.getByRole('button', { name: 'Leave out Mastodon: We pay the night shift' });
    const reason = page.getByText('was connected without the permission to publish');
    for (const [width, isBelow] of [
      [834, true],
      [1024, true],
      [1440, false],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      // The page takes its new layout after the window.
      await expect
        .poll(async () => {
          const [sentence, button] = [await reason.boundingBox(), await leaveOut.boundingBox()];
          const bottom = (sentence?.y ?? 0) + (sentence?.height ?? 0);
          return { isReadable: (sentence?.width ?? 0) > 200, isBelow: (button?.y ?? 0) >= bottom };
        })
        .toEqual({ isReadable: true, isBelow });
    }
    await leaveOut.click();
    await page.getByText('Mastodon is left out.').waitFor();
    await page.getByText('All can go out.').or(page.getByText('It can go out.')).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('1 will not go out as it stands.').waitFor();
    await service.asHuman('posts.delete', { id });
  });

  test('a forecast that does not answer, or fails, does not hold up the day, and can be loaded again', async () => {
    await seed();
    const page = await world.visit({ at: '/posts', expected: [/503/] });
    const forecast = '**/api/app/forecast?*';
    let fail = () => {};
    const isOver = new Promise<void>((done) => {
      fail = done;
    });
    await intercept(page, forecast, async (route) => {
      await isOver;
      await route.fulfill({ status: 503, json: { error: 'Unavailable' } });
    });
    await go(page, '/');
    await page.getByRole('list', { name: 'Today' }).getByRole('link').first().waitFor();
    fail();
    const next = page.getByRole('region', { name: 'Next 30 days' });
    await next.getByText('The forecast could not be loaded').waitFor();
    await next.getByText('Posthorn cannot be reached right now (503). Try again soon.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.unroute(forecast);
    await next.getByRole('button', { name: 'Try again' }).click();
    await next.getByText(/planned/).waitFor();
  });

  test('a viewer sees the day, and nothing to decide', async () => {
    await seed();
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ as: email });
    await page.getByRole('list', { name: 'Today' }).getByRole('link').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Waiting for you' }).count()).toBe(0);
  });
});

inBrowser(
  'a server with half of the credentials of a network',
  (world) => {
    test('shows it above every page to the operator, and to nobody else', async () => {
      const page = await world.visit({ at: '/calendar' });
      const banner = page.getByRole('main').getByRole('status').filter({ hasText: 'This server needs attention' });
      await banner.getByText(/^X_CLIENT_ID is set and X_CLIENT_SECRET is not, .+ Set X_CLIENT_SECRET too/).waitFor();
      expect(await axe(page)).toEqual([]);
      const { email } = await world.service.addMember('admin');
      const other = await world.visit({ at: '/calendar', as: email });
      await other.getByRole('heading', { level: 1 }).waitFor();
      await other.waitForLoadState('networkidle');
      expect(await other.getByText('X_CLIENT_ID').count()).toBe(0);
    });
  },
  { X_CLIENT_ID: 'id' },
);
