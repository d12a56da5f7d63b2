import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { connectAgent } from '#test/support/agent';
import { until } from '#test/support/until';
import { axe, go, inBrowser, isClean, isFocused, isSideways, type World } from './harness.ts';

const hourMs = 3_600_000;

/** A draft on one sandbox account, and a client that can ask about it. */
const draftIn = async ({ service }: World, client: string, body: string) => {
  const account = await service.connect('x');
  const post = await service.client.posts.create({ accountIds: [account], body });
  return { account, post, ...(await connectAgent(service, client)) };
};

const isOut = ({ service }: World, text: string) =>
  until(`${text} is out`, async () => JSON.stringify(await service.feed('x')).includes(text));

const cardOf = (page: Page) => page.getByRole('article');

inBrowser('approvals', (world) => {
  test('say that nothing was asked yet, and how to begin', async () => {
    const other = await world.service.addWorkspace();
    const page = await world.visit({ at: '/approvals', as: other.email });
    await page.getByRole('heading', { name: 'Nothing asked yet' }).waitFor();
    await page.getByRole('link', { name: 'Connect a client' }).click();
    await page.getByRole('heading', { level: 1, name: 'API and MCP' }).waitFor();
  });

  test('a request shows a toast in two tabs, and approving in one publishes the post', async () => {
    const { ask, post } = await draftIn(world, 'Two Tabs', 'Fresh from the oven');
    const first = await world.visit({ at: '/settings/api' });
    await first.getByRole('heading', { name: 'Connect a client' }).waitFor();
    const second = await first.context().newPage();
    await second.goto(`${world.service.url}/settings/api`);
    await second.getByRole('heading', { name: 'Connect a client' }).waitFor();
    await ask('posts_publishNow', { id: post.id });
    const words = 'Two Tabs asks: Publish this post now';
    for (const page of [first, second]) await page.getByText(words).waitFor();
    await first.getByRole('link', { name: 'Review' }).click();
    await first.getByRole('heading', { level: 1, name: 'Requests from Two Tabs' }).waitFor();
    await second.getByText(words).waitFor({ state: 'detached' });
    await cardOf(first).getByText('Fits the account').waitFor();
    await cardOf(first).getByRole('button', { name: 'Approve and publish' }).click();
    await cardOf(first)
      .getByText(/approved by you at \d\d:\d\d/)
      .waitFor();
    await isOut(world, 'Fresh from the oven');
    await second.getByText('A post was published').waitFor();
  });

  test('a rejected request does nothing, and its card shows the poll', async () => {
    const { ask, post } = await draftIn(world, 'Rejected', 'Not today');
    const value = JSON.stringify({ choices: ['Bread', 'Cake'], durationMinutes: 60 });
    await world.service.client.posts.setOption({ id: post.id, key: 'x.poll', value });
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }) });
    const poll = cardOf(page).getByRole('figure', { name: 'Poll' });
    expect(await poll.innerText()).toMatch(/Bread\s+Cake\s+Poll for 1 hour/);
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    await cardOf(page)
      .getByText(/rejected by you at /)
      .waitFor();
    expect((await world.service.client.posts.get({ id: post.id })).status).toBe('Draft');
  });

  test('a post edited after the request is shown as a diff, and the person can send it themselves', async () => {
    const { account, ask, post } = await draftIn(world, 'Changed', 'Saturday we open at 8:00 for coffee.');
    const at = await ask('posts_publishNow', { id: post.id });
    const content = [{ body: 'Saturday we open at 7:30 for coffee.' }];
    await world.service.asHuman('posts.update', { id: post.id, accountIds: [account], versions: [{ content }] });
    const page = await world.visit({ at });
    const card = cardOf(page);
    await card.getByText('This is not the text Changed asked about').waitFor();
    await card.getByText(/You edited the post at \d\d:\d\d\./).waitFor();
    expect(await card.locator('del').allTextContents()).toEqual(['8:00']);
    expect(await card.locator('ins').allTextContents()).toEqual(['7:30']);
    expect(await axe(page)).toEqual([]);
    expect(await card.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await card.getByRole('link', { name: 'Open post' }).waitFor();
    await card.getByRole('button', { name: 'Publish the new text' }).click();
    await isOut(world, 'Saturday we open at 7:30');
    await card.getByRole('button', { name: 'Publish the new text' }).waitFor({ state: 'detached' });
  });

  test('requests of one client within minutes stand together, and one of Waiting and Decided is chosen', async () => {
    const { account, ask, post } = await draftIn(world, 'Batch', 'The first of two');
    const other = await world.service.client.posts.create({ accountIds: [account], body: 'The second of two' });
    await ask('posts_publishNow', { id: post.id });
    const page = await world.visit({ at: await ask('posts_publishNow', { id: other.id }) });
    const pass = page.getByRole('region', { name: '2 requests' });
    await pass.getByText(/^Asked at \d\d:\d\d in one go\./).waitFor();
    expect(await pass.getByRole('article').count()).toBe(2);
    expect(await axe(page)).toEqual([]);
    const tabs = page.getByRole('navigation', { name: 'Conversations' });
    const [waiting, decided] = [
      tabs.getByRole('link', { name: /^Waiting/ }),
      tabs.getByRole('link', { name: 'Decided' }),
    ];
    expect(await waiting.getAttribute('aria-current')).not.toBeNull();
    expect(await decided.getAttribute('aria-current')).toBeNull();
    await decided.click();
    await expect.poll(() => waiting.getAttribute('aria-current')).toBeNull();
    expect(await decided.getAttribute('aria-current')).not.toBeNull();
    expect(await tabs.getByText(/waiting$/).count()).toBe(0);
  });

  test('a request about a changed post can be rejected', async () => {
    const { account, ask, post } = await draftIn(world, 'Changed mind', 'Old words');
    const at = await ask('posts_publishNow', { id: post.id });
    const versions = [{ content: [{ body: 'New words' }] }];
    await world.service.asHuman('posts.update', { id: post.id, accountIds: [account], versions });
    const page = await world.visit({ at });
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    await page
      .getByText('Rejected by you')
      .or(page.getByText('Rejected', { exact: true }))
      .first()
      .waitFor();
  });

  test('a card that someone else decided says who and when', async () => {
    const { ask, post } = await draftIn(world, 'Twice', 'Only once');
    const at = await ask('posts_publishNow', { id: post.id });
    const page = await world.visit({ at: '/favicon.svg', expected: [/409/, /events/, /favicon/] });
    // This tab gets no live events, so it still shows the old state.
    await page.route('**/api/app/events*', (route) => route.abort());
    await page.goto(world.service.url + at);
    const yes = cardOf(page).getByRole('button', { name: 'Approve and publish' });
    await yes.waitFor();
    const { userId, email } = await world.service.addMember('editor');
    const caller = { ...world.service.owner, userId, role: 'editor', human: true } as const;
    await world.service.posthorn.cards.reject(caller, at.split('/').at(-1) ?? '');
    await yes.click();
    await page
      .getByText(new RegExp(`This card was already rejected by ${email.split('@')[0]} at \\d\\d:\\d\\d\\.`))
      .waitFor();
    expect((await world.service.client.posts.get({ id: post.id })).status).toBe('Draft');
  });

  test('disconnecting shows which scheduled posts will fail, and asks for confirmation', async () => {
    const { account, ask, post } = await draftIn(world, 'Disconnect', 'Planned for later');
    const at = new Date(world.service.clock.now().getTime() + 24 * hourMs).toISOString();
    await world.service.asHuman('posts.schedule', { id: post.id, at });
    const page = await world.visit({ at: await ask('accounts_delete', { id: account }) });
    const card = cardOf(page);
    await card.getByText('1 scheduled post will fail there').waitFor();
    await card.getByText('Planned for later').waitFor();
    await card.getByRole('button', { name: 'Approve and disconnect' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await card.getByRole('button', { name: 'Approve and disconnect' }).click();
    await dialog.getByRole('button', { name: 'Approve and disconnect' }).click();
    await card.getByText(/approved by you at /).waitFor();
    const { accounts } = await world.service.client.accounts.list({});
    expect(accounts.map(({ id }) => id)).not.toContain(account);
  });

  test('an invalid post cannot be approved, and the reason is shown', async () => {
    const { ask, post } = await draftIn(world, 'Too long', 'Fits no more');
    const page = await world.visit({ at: '/favicon.svg', expected: [/favicon/] });
    const issue = {
      path: 'versions.0.content.0.body',
      code: 'TooLong',
      message: '19 characters too many.',
      provider: 'X',
    };
    await page.route('**/api/approvals/card_*', async (route) => {
      const answer = await route.fetch();
      const validation = { issues: [issue], warnings: [] };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), validation } });
    });
    await page.goto(world.service.url + (await ask('posts_publishNow', { id: post.id })));
    await page.getByText('X: 19 characters too many.').waitFor();
    const yes = page.getByRole('button', { name: 'Approve and publish' });
    expect(await yes.getAttribute('aria-disabled')).toBe('true');
    await yes.click({ force: true });
    await page.getByText('Fix this first.').waitFor();
    expect((await world.service.client.posts.get({ id: post.id })).status).toBe('Draft');
  });

  test('J, K, A and R decide without a mouse, and approving asks for confirmation', async () => {
    const { ask, post, account } = await draftIn(world, 'By keys', 'Pressed by a key');
    await ask('posts_publishNow', { id: post.id });
    const other = await world.service.client.posts.create({ accountIds: [account], body: 'Pressed away' });
    await ask('posts_publishNow', { id: other.id });
    const page = await world.visit({ at: '/approvals' });
    await page.getByRole('link', { name: /By keys/ }).click();
    await page.getByText('Pressed away').last().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await page.getByText(/^Rejected by you/).waitFor();
    await cardOf(page).first().focus();
    const dialog = page.getByRole('dialog');
    await page.keyboard.press('a');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await isFocused(cardOf(page).first());
    await page.keyboard.press('a');
    await isFocused(dialog.getByRole('button', { name: 'Approve and publish' }));
    await page.keyboard.press('Enter');
    await page.getByText(/^Approved by you/).waitFor();
    await isOut(world, 'Pressed by a key');
  });

  test('a viewer sees the requests and who decides', async () => {
    const { ask, post } = await draftIn(world, 'Looked at', 'For all to see');
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }), as: email });
    await page.getByText('Owners, admins and editors decide.').waitFor();
    expect(await cardOf(page).getByRole('button').allInnerTexts()).toEqual(['Show previews']);
  });

  test("times are in the person's zone, whatever the browser's is", async () => {
    const { ask, post } = await draftIn(world, 'In Tokyo', 'Good morning');
    const member = await world.service.addMember('editor');
    await world.service.posthorn.people.changeProfile(member.userId, { timeZone: 'Asia/Tokyo' });
    const at = await ask('posts_schedule', { id: post.id, at: '2126-11-21T23:30:00Z' });
    const page = await world.visit({ at, as: member.email, timeZone: 'America/New_York' });
    await page.getByRole('heading', { name: 'Schedule this post for Fri 22 Nov 2126, 08:30' }).waitFor();
  });

  test('foreign text stays text: markup, RTL marks and 100,000 characters', async () => {
    const body = `<img src=x onerror="alert(1)">\u202Eabc ${'long '.repeat(40)}`;
    const { account, ask, post } = await draftIn(world, 'Markup', 'Short');
    const longText = 'word '.repeat(19_900);
    const at = await ask('posts_publishNow', { id: post.id });
    const versions = [{ content: [{ body: body + longText }] }];
    await world.service.asHuman('posts.update', { id: post.id, accountIds: [account], versions });
    const page = await world.visit({ at });
    await page.getByText('<img src=x onerror="alert(1)">').first().waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(await isSideways(page)).toBe(false);
  });

  test('are clean on a desk in light and on a phone in dark', async () => {
    const { ask, post, account } = await draftIn(world, 'Clean', 'Fits everywhere');
    await ask('posts_publishNow', { id: post.id });
    const at = await ask('accounts_delete', { id: account });
    const page = await world.visit({ at });
    await isClean(page, () => cardOf(page).first().getByText('Fits the account').waitFor());
    await go(page, '/approvals');
    await page.getByRole('navigation', { name: 'Conversations' }).waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
