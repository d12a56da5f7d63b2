import { afterAll, expect, test } from 'vitest';
import { type ModelStub, startModel } from '#test/support/model';
import { publicationsOf } from '#test/support/publications';
import { until } from '#test/support/until';
import { axe, inBrowser, intercept, isSideways, signInAgain, type World } from './harness.ts';

const dayMs = 24 * 3_600_000;

const openAt = async (world: World, more: Parameters<World['visit']>[0] = {}) => {
  const page = await world.visit({ at: '/assistant', ...more });
  const field = page.getByRole('textbox', { name: 'Ask the assistant' });
  await field.waitFor();
  return {
    page,
    log: page.getByRole('log', { name: 'Chat' }),
    ask: async (text: string) => {
      // While an answer streams, Stop replaces Send and Enter does nothing.
      await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
      await field.fill(text);
      await field.press('Enter');
    },
  };
};

inBrowser('the embedded assistant', (world) => {
  test('asked for last week in a zone whose clocks changed then, tells what analytics.summary tells', async () => {
    const { service } = world;
    // The Wednesday after the last Sunday of October, when DST ends.
    const now = new Date();
    const sunday = (year: number) => Date.UTC(year, 9, 31 - new Date(Date.UTC(year, 9, 31)).getUTCDay());
    const next = [0, 1].map((more) => sunday(now.getUTCFullYear() + more)).find((at) => at > now.getTime()) ?? 0;
    await service.clock.forward(next + 3 * dayMs - service.clock.now().getTime());
    const account = await service.addAccount('x');
    const lastHour = new Date(next + dayMs - 3_600_000 - 1_800_000).toISOString();
    const { id } = await service.client.posts.create({ body: 'The long Sunday', accountIds: [account] });
    await publicationsOf(service.database).add([
      { postId: id, accountId: account, publishedAt: lastHour, metrics: { likes: 41, comments: 2, views: 900 } },
    ]);
    const { page, log, ask } = await openAt(world);
    await page.getByText('answers in Europe/Paris').waitFor();
    await ask('How did last week go?');
    const range = { from: new Date(next - 6 * dayMs - 7_200_000), to: new Date(next + dayMs - 3_600_000) };
    const { totals } = await service.asHuman('analytics.summary', {
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      timeZone: 'Europe/Paris',
    });
    expect(totals).toMatchObject({ posts: 1, engagement: 43, views: 900 });
    await log.getByText('43 engagements').waitFor();
    await log.getByText('“The long Sunday” did best with 43.').waitFor();
    await log
      .getByRole('button', { name: /^Add up the numbers/ })
      .first()
      .click();
    await log.getByText('"timeZone": "Europe/Paris"').first().waitFor();
    await page.reload();
    await log.getByText('43 engagements').waitFor();
  });

  test('drafts, shortens for one network and asks to publish: the card is in the chat, and a click publishes', async () => {
    const { service } = world;
    await service.connect('bluesky', { handle: 'rye.bsky.social' });
    await service.connect('mastodon', { handle: 'rye' });
    const { page, log, ask } = await openAt(world);
    await ask('Draft a post for Bluesky and Mastodon saying "We open at seven. Bring a cup. The first ten get a bun."');
    await log.getByText('It fits both accounts.').waitFor();
    await ask('make it shorter for Mastodon');
    await log.getByText('Shortened for Mastodon').waitFor();
    await ask('publish it');
    const card = log.getByRole('article', { name: 'Publish this post now' });
    await card.getByText('a shorter text').waitFor();
    expect(await service.feed('bluesky')).toEqual([]);
    await card.getByRole('button', { name: 'Approve and publish' }).click();
    await card.getByText('Approved', { exact: true }).waitFor();
    await until('both networks have it', async () => {
      const feeds = await Promise.all([service.feed('bluesky'), service.feed('mastodon')]);
      return feeds.every((feed) => feed.length === 1);
    });
    const [there] = await service.feed('mastodon');
    expect(JSON.stringify(there)).not.toContain('bun');
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('button', { name: 'How did last week go?' }).waitFor();
    await page.getByRole('button', { name: 'Your chats' }).click();
    await page.getByRole('button', { name: /^Draft a post for Bluesky/ }).click();
    await card.getByText('Approved', { exact: true }).waitFor();
  });

  test('a question that finds the session ended is in the field again after the sign-in', async () => {
    const { email } = await world.service.addWorkspace();
    const { page, ask } = await openAt(world, { as: email, expected: [/401/, /events/] });
    // Without live events, only its own request tells the page that the session has ended.
    await intercept(page, /\/api\/app\/events/, (route) => route.abort());
    await page.reload();
    await intercept(page, '**/assistant/ask', async (route) => {
      const { origin } = new URL(page.url());
      await page.request.post(`${origin}/api/auth/sign-out`, { headers: { origin } });
      await route.continue();
    });
    await ask('Which post did best?');
    await page.getByText('What you entered is kept').waitFor();
    await signInAgain(page, email);
    const field = page.getByRole('textbox', { name: 'Ask the assistant' });
    await expect.poll(() => field.inputValue()).toBe('Which post did best?');
  });

  test('sees the previous page, unless the person hides it', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Birthday of the starter' });
    const page = await world.visit({ at: `/posts/${id}` });
    await until('the page is reported', async () => (await world.service.asHuman('ui.getContext', {})).postId === id);
    await page.getByRole('link', { name: 'Assistant' }).click();
    await page.getByText('Sees: Birthday of the starter').waitFor();
    await page.getByRole('button', { name: /^Do not show Birthday/ }).click();
    await page.getByRole('textbox', { name: 'Ask the assistant' }).fill('check this post');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Which post?').waitFor();
  });

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('is clean in %s at %i px, empty and with an answer', async (scheme, width) => {
    await world.service.addAccount('x');
    const { page, log, ask } = await openAt(world, { scheme, width });
    await page.getByRole('button', { name: 'How did last week go?' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await ask('Draft a post for X saying "Soon" and publish it');
    await log.getByRole('button', { name: 'Approve and publish' }).waitFor();
    await log.getByRole('button', { name: /^Write a draft/ }).click();
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => isSideways(page)).toBe(false);
  });
});

let model: ModelStub | undefined;
inBrowser(
  'an assistant with a language model',
  (world) => {
    afterAll(() => model?.stop());

    test('is stopped in the middle, shows no image of others and the host of every link, and goes on', async () => {
      model?.will([
        { text: 'Look: ![cat](https://evil.example/cat.png) and [my page](https://evil.example/x). So', hangs: true },
      ]);
      const { page, log, ask } = await openAt(world);
      const field = page.getByRole('textbox', { name: 'Ask the assistant' });
      await field.fill('tell me');
      await field.press('Enter');
      await log.getByText('. So').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await log.getByText('Stopped.').waitFor();
      const link = log.getByRole('link', { name: 'my page (evil.example)' });
      await expect.poll(() => link.getAttribute('rel')).toContain('noopener');
      expect(await log.locator('img').count()).toBe(0);
      model?.will([{ text: 'Yes?' }]);
      await ask('go on');
      await log.getByText('Yes?').waitFor();
      await page.reload();
      await log.getByText('Stopped.').waitFor();
    });

    test('that does not answer is told in a sentence, and asked again with one click', async () => {
      model?.will([{ status: 401 }]);
      const { page, log, ask } = await openAt(world, { width: 390 });
      await ask('hello');
      await log.getByText('Ask whoever runs this server to check LLM_API_KEY.').waitFor();
      model?.will([{ text: 'Hello to you.' }]);
      await page.getByRole('button', { name: 'Try again' }).click();
      await log.getByText('Hello to you.').waitFor();
    });
  },
  async () => {
    model = await startModel();
    return { LLM_BASE_URL: model.url, LLM_MODEL: 'small' };
  },
);
