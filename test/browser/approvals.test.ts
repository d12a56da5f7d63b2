import { readFile } from 'node:fs/promises';
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { findBrokenLink } from '#server/access/receipts/verify-receipts';
import { sql } from '#server/base/store/database';
import { connectAgent } from '#test/support/agent';
import { until } from '#test/support/until';
import {
  axe,
  endSession,
  go,
  hold,
  inBrowser,
  intercept,
  isAbove,
  isClean,
  isFocused,
  isSideways,
  signInAgain,
  type World,
} from './harness.ts';

const hourMs = 3_600_000;

/** A draft on one sandbox account, and a client that can ask about it. */
const draftIn = async ({ service }: World, client: string, body: string) => {
  const account = await service.connect('x');
  const post = await service.client.posts.create({ accountIds: [account], body });
  return { account, post, ...(await connectAgent(service, client)) };
};

const isOut = ({ service }: World, text: string) =>
  until(`${text} is out`, async () => JSON.stringify(await service.feed('x')).includes(text));

/** A finger that goes sideways over the card. */
const swipe = async (page: Page, distance: number) => {
  const box = await cardOf(page).boundingBox();
  const [x, y] = [195, (box?.y ?? 0) + 30];
  for (const [type, at] of [
    ['pointerdown', x],
    ['pointermove', x + distance],
    ['pointerup', x + distance],
  ] as const) {
    await cardOf(page).dispatchEvent(type, { pointerType: 'touch', clientX: at, clientY: y, bubbles: true });
  }
};

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
    // A published post cannot be undone.
    expect(await first.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await isOut(world, 'Fresh from the oven');
    await second.getByText('A post was published').waitFor();
  });

  test('a rejected request does nothing, and its card shows the poll', async () => {
    const { ask, post } = await draftIn(world, 'Rejected', 'Not today');
    const value = JSON.stringify({ choices: ['Bread', 'Cake'], durationMinutes: 60 });
    await world.service.client.posts.setOption({ id: post.id, key: 'x.poll', value });
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }) });
    const poll = cardOf(page).getByRole('figure', { name: 'Poll' });
    await expect.poll(() => poll.innerText()).toMatch(/Bread\s+Cake\s+Poll for 1 hour/);
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    const form = cardOf(page).getByRole('form', { name: 'Reject' });
    await form.getByRole('button', { name: 'Too soon' }).click();
    // The chip counts: “Too soon. ” has ten characters.
    await form.getByRole('textbox', { name: 'Reason' }).fill('a'.repeat(491));
    await form.getByText('1 character too many.').waitFor();
    await form.getByRole('button', { name: 'Reject with this reason' }).click();
    await expect.poll(() => form.count()).toBe(1);
    await form.getByRole('textbox', { name: 'Reason' }).fill('<b>Wait</b> until Friday.');
    await form.getByText('Rejected reads this and may ask again.').waitFor();
    await form.getByRole('button', { name: 'Reject with this reason' }).click();
    await cardOf(page).getByText('Too soon. <b>Wait</b> until Friday.').waitFor();
    await cardOf(page)
      .getByText(/rejected by you at /)
      .waitFor();
    expect((await world.service.client.posts.get({ id: post.id })).status).toBe('Draft');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It waits again.').waitFor();
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    await cardOf(page).getByRole('form', { name: 'Reject' }).getByRole('button', { name: 'Reject' }).click();
    await cardOf(page).getByRole('button', { name: 'Receipt', exact: true }).click();
    await cardOf(page).getByText('Content number').waitFor();
    expect(await axe(page)).toEqual([]);
    await go(page, '/approvals?show=decided');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the receipt log' }).click(),
    ]);
    const log = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(log.entries.length).toBeGreaterThan(2);
    expect(findBrokenLink(log.entries, log.keys)).toBeUndefined();
  });

  test('a reason that somebody is writing stays when the requests cannot be loaded again, and when another one comes', async () => {
    const { ask, post } = await draftIn(world, 'Unsteady', 'Half a sentence');
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }), expected: [/400/] });
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    const reason = cardOf(page).getByRole('textbox', { name: 'Reason' });
    await reason.fill('Not before the fair');
    await intercept(page, '**/api/approvals*', (route) => route.fulfill({ status: 400, body: 'no' }));
    const other = await draftIn(world, 'Another', 'A whole one');
    await other.ask('posts_publishNow', { id: other.post.id });
    await page.getByText('The requests could not be loaded').waitFor();
    await expect.poll(() => reason.inputValue()).toBe('Not before the fair');
    // It is pressed while it cannot help: as soon as the requests can be loaded, the page may do so by itself.
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.unroute('**/api/approvals*');
    await page.getByText('The requests could not be loaded').waitFor({ state: 'detached' });
    await expect.poll(() => reason.inputValue()).toBe('Not before the fair');
    // A new pass over both requests would start without the typed reason, so it must not begin now.
    await ask('posts_publishNow', { id: (await draftIn(world, 'Third', 'One more')).post.id });
    await expect.poll(() => cardOf(page).count()).toBe(2);
    await expect.poll(() => reason.inputValue()).toBe('Not before the fair');
    await page.getByRole('form', { name: 'Reject' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('0 of 2 looked at').waitFor();
  });

  test('a reason and an edit that somebody writes when the session ends are there again after the sign-in', async () => {
    const { ask, post } = await draftIn(world, 'Interrupted', 'Bread at eight');
    const { email } = await world.service.addMember('admin');
    const page = await world.visit({
      at: await ask('posts_publishNow', { id: post.id }),
      as: email,
      expected: [/401/],
    });
    const outliveSession = async () => {
      await endSession(page);
      await page.getByText('What you entered is kept in this tab').waitFor();
      await signInAgain(page, email);
    };
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    const reject = cardOf(page).getByRole('form', { name: 'Reject' });
    await reject.getByRole('button', { name: 'Too soon' }).click();
    await reject.getByRole('textbox', { name: 'Reason' }).fill('Wait for the fair');
    await outliveSession();
    await expect.poll(() => reject.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Wait for the fair');
    await reject.getByRole('button', { name: 'Too soon', pressed: true }).waitFor();
    await reject.getByRole('button', { name: 'Cancel' }).click();

    await cardOf(page).getByRole('button', { name: 'Edit' }).click();
    const text = page.getByRole('form', { name: 'Edit' }).getByRole('textbox', { name: 'Text' });
    await text.fill('Bread at nine');
    await outliveSession();
    await expect.poll(() => text.inputValue()).toBe('Bread at nine');
    await page.getByRole('button', { name: 'Use my edit' }).click();
    const approve = page.getByRole('button', { name: 'Approve and publish with your edit' });
    await approve.waitFor();
    await outliveSession();
    await approve.click();
    await isOut(world, 'Bread at nine');
    await cardOf(page)
      .getByText(/approved by you at \d\d:\d\d/)
      .waitFor();
    // Once sent, the entry is no longer offered for restoring.
    await endSession(page);
    expect(await page.getByText('What you entered').count()).toBe(0);
  });

  test('so are those in a pass, on the request that they are about, and the marks', async () => {
    const { account, ask } = await draftIn(world, 'Pass Interrupted', 'Not asked for');
    const bodies = ['Rolls on Monday', 'Rolls on Tuesday', 'Rolls on Friday'];
    for (const [index, body] of bodies.entries()) {
      const { id } = await world.service.client.posts.create({ accountIds: [account], body });
      await ask('posts_schedule', { id, at: `2126-11-2${index}T09:00:00Z` });
    }
    const { email } = await world.service.addMember('admin');
    const page = await world.visit({ at: '/approvals', as: email, width: 390, height: 844, expected: [/401/] });
    await page.getByRole('link', { name: /Pass Interrupted/ }).click();
    await page.getByRole('button', { name: 'Request 2 of 3' }).click();
    await cardOf(page).getByText('Rolls on Tuesday').first().waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const text = page.getByRole('form', { name: 'Edit' }).getByRole('textbox', { name: 'Text' });
    await text.fill('Buns on Tuesday');
    // The form belongs to this card.
    await expect.poll(() => page.getByRole('button', { name: 'Request 1 of 3' }).isDisabled()).toBe(true);
    await endSession(page);
    await signInAgain(page, email);
    await expect.poll(() => text.inputValue()).toBe('Buns on Tuesday');
    await cardOf(page).getByText('Rolls on Tuesday').first().waitFor();
    expect(await axe(page)).toEqual([]);

    await page.getByRole('button', { name: 'Use my edit' }).click();
    await page.getByText('Request 2 of 3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Request 1 of 3' }).click();
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    const reason = page.getByRole('textbox', { name: 'Reason' });
    await reason.fill('No rolls that day');
    await endSession(page);
    await signInAgain(page, email);
    await expect.poll(() => reason.inputValue()).toBe('No rolls that day');
    await cardOf(page).getByText('Rolls on Monday').first().waitFor();
    await page.getByRole('form', { name: 'Reject' }).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Request 2 of 3' }).click();
    await cardOf(page).getByText('Buns').first().waitFor();
    await page.getByRole('button', { name: 'Approve 1 of 3' }).waitFor();
  });

  test('a post edited after the request is shown as a diff, and the person can send it themselves', async () => {
    const { account, ask, post } = await draftIn(world, 'Changed', 'Saturday we open at 8:00 for coffee.');
    const at = await ask('posts_publishNow', { id: post.id });
    const content = [{ body: 'Saturday we open at 7:30 for coffee.' }];
    await world.service.asHuman('posts.update', { id: post.id, accountIds: [account], versions: [{ content }] });
    const page = await world.visit({ at });
    const card = cardOf(page);
    await card.getByText('This is not what Changed asked about').waitFor();
    await card.getByText(/You edited the post at \d\d:\d\d\./).waitFor();
    await expect.poll(() => card.locator('del').allTextContents()).toEqual(['8:00']);
    await expect.poll(() => card.locator('ins').allTextContents()).toEqual(['7:30']);
    expect(await axe(page)).toEqual([]);
    expect(await card.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await card.getByRole('link', { name: 'Open post' }).waitFor();
    await card.getByRole('button', { name: 'Publish it as it is now' }).click();
    await isOut(world, 'Saturday we open at 7:30');
    await card.getByRole('button', { name: 'Publish it as it is now' }).waitFor({ state: 'detached' });
  });

  test('one of Waiting and Decided is chosen', async () => {
    const { ask, post } = await draftIn(world, 'Tabs', 'Chosen');
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }) });
    const tabs = page.getByRole('navigation', { name: 'Conversations' });
    const [waiting, decided] = [
      tabs.getByRole('link', { name: /^Waiting/ }),
      tabs.getByRole('link', { name: 'Decided' }),
    ];
    await expect.poll(() => waiting.getAttribute('aria-current')).not.toBeNull();
    expect(await decided.getAttribute('aria-current')).toBeNull();
    await decided.click();
    await expect.poll(() => waiting.getAttribute('aria-current')).toBeNull();
    expect(await decided.getAttribute('aria-current')).not.toBeNull();
    expect(await tabs.getByText(/waiting$/).count()).toBe(0);
  });

  test('a person edits a request on its card; an edit that breaks a limit is refused there, and nothing changes', async () => {
    const { ask, post } = await draftIn(world, 'Edited', 'Half price on everything');
    const page = await world.visit({
      at: await ask('posts_schedule', { id: post.id, at: '2126-11-21T09:00:00Z' }),
      expected: [/400/],
    });
    const card = cardOf(page);
    const editTo = async (text: string) => {
      await card.getByRole('button', { name: 'Edit', exact: true }).click();
      await card.getByRole('textbox', { name: 'Text' }).fill(text);
      await card.getByRole('button', { name: 'Use my edit' }).click();
    };
    await editTo('a'.repeat(281));
    await card.getByRole('button', { name: 'Approve and schedule with your edit' }).click();
    await card
      .getByText(/X allows 280|too many|limit/)
      .first()
      .waitFor();
    expect(await world.service.client.posts.get({ id: post.id })).toEqual(post);
    await editTo('Half price on day-old bread');
    const edit = card.getByRole('region', { name: 'Your edit' });
    await expect.poll(() => edit.locator('ins').allTextContents()).toEqual(['day-old bread']);
    await card.getByRole('button', { name: 'Approve and schedule with your edit' }).click();
    await page.getByText('1 post scheduled.').waitFor();
    const scheduled = await world.service.client.posts.get({ id: post.id });
    expect([scheduled.status, scheduled.versions[0]?.content[0]?.body]).toEqual([
      'Scheduled',
      'Half price on day-old bread',
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await until(
      'it is a draft again',
      async () => (await world.service.client.posts.get({ id: post.id })).status === 'Draft',
    );
  });

  test('alternative texts and options are edited on the card, which stays the same request', async () => {
    const { service } = world;
    const { ask } = await draftIn(world, 'Described', 'Not asked for');
    const [account, file] = [await service.connect('mastodon'), await service.addFile()];
    const { id } = await service.client.posts.create({
      accountIds: [account],
      versions: [{ content: [{ body: 'Buns', media: [file] }], options: { 'mastodon.visibility': 'private' } }],
    });
    const page = await world.visit({ at: await ask('posts_schedule', { id, at: '2126-11-21T09:00:00Z' }) });
    const card = cardOf(page);
    await card.getByRole('button', { name: 'Edit', exact: true }).click();
    await card.getByRole('textbox', { name: 'Alternative text of Image 1' }).fill('Six buns on a tray');
    await card.getByText('Options of Mastodon').click();
    await card.getByRole('combobox', { name: 'Who can see it' }).click();
    await page.getByRole('option', { name: 'Everyone, but not in public timelines' }).click();
    expect(await axe(page)).toEqual([]);
    await card.getByRole('button', { name: 'Use my edit' }).click();
    const edit = card.getByRole('region', { name: 'Your edit' });
    await edit.getByText('Six buns on a tray').waitFor();
    await expect
      .poll(() => edit.locator('ins').allTextContents())
      .toEqual(['Six buns on a tray', 'Everyone, but not in public timelines']);
    await card.getByRole('button', { name: 'Approve and schedule with your edit' }).click();
    await page.getByText('1 post scheduled.').waitFor();
    expect(await service.client.posts.get({ id })).toMatchObject({
      status: 'Scheduled',
      versions: [{ options: { 'mastodon.visibility': 'unlisted' } }],
    });
    expect((await service.client.media.list({ ids: [file] })).media[0]?.alt).toBe('Six buns on a tray');
  });

  test('a poll is changed in the editor: the request is then outdated, which its card says, and the person sends the post', async () => {
    const { ask, post } = await draftIn(world, 'Pollster', 'What shall we bake?');
    const value = JSON.stringify({ choices: ['Bread', 'Cake'], durationMinutes: 60 });
    await world.service.client.posts.setOption({ id: post.id, key: 'x.poll', value });
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }) });
    const card = cardOf(page);
    await card.getByRole('button', { name: 'Edit', exact: true }).click();
    const form = card.getByRole('form', { name: 'Edit' });
    await form.getByText('This request then closes, and you send the post yourself.').waitFor();
    await form.getByRole('link', { name: 'Edit in the editor' }).click();
    const options = page.getByRole('region', { name: 'Options' });
    await options.getByRole('button', { name: 'X Poll' }).click();
    await options.getByRole('textbox', { name: 'Choice 1' }).fill('Rolls');
    const pollOf = async () => (await world.service.client.posts.get({ id: post.id })).versions[0]?.options['x.poll'];
    await until('the poll is saved', async () => (await pollOf())?.includes('Rolls'));
    await page.getByRole('link', { name: 'The request' }).click();
    await card.getByText('This is not what Pollster asked about').waitFor();
    await card.getByText(/You edited the post at \d\d:\d\d\./).waitFor();
    await expect.poll(() => card.getByRole('figure', { name: 'Poll' }).innerText()).toMatch(/Rolls\s+Cake/);
    await card.getByRole('button', { name: 'Publish it as it is now' }).click();
    await isOut(world, 'What shall we bake?');
  });

  test('of two people in one pass each decides once, and who is removed in the middle decides no more', async () => {
    const { service } = world;
    const { account, ask } = await draftIn(world, 'Crowded', 'Not asked for');
    const { email, userId } = await service.addMember('editor');
    const posts = [];
    for (const body of ['First of three', 'Second of three', 'Third of three']) {
      const { id } = await service.client.posts.create({ accountIds: [account], body });
      posts.push({ id, card: (await ask('posts_schedule', { id, at: '2126-11-21T09:00:00Z' })).split('/').at(-1) });
    }
    const [first, second, third] = posts;
    const page = await world.visit({ at: '/favicon.svg', as: email, expected: [/40\d/, /events/, /favicon/] });
    // This tab gets no live events, so it still shows the old state.
    await intercept(page, '**/api/app/events*', (route) => route.abort());
    await page.goto(`${service.url}/approvals/${first?.card}`);
    await page.getByText('Fits the account').waitFor();
    for (const text of ['First of three', 'Second of three']) {
      await page.getByRole('button', { name: `Approve: Schedule “${text}”` }).click();
    }
    const isCheckOfTwo = (response: Response) =>
      response.url().endsWith('/approvals/check') && response.request().postDataJSON().cards.length === 2;
    const check = page.waitForResponse(isCheckOfTwo);
    await page.getByRole('button', { name: /^Approve 2 of 3/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Approve 2', exact: true }).waitFor();
    await (await check).finished();
    const owner = { ...service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    await service.posthorn.decisions.reject(owner, first?.card ?? '');
    await dialog.getByRole('button', { name: 'Approve 2', exact: true }).click();
    await page.getByText('1 post scheduled.').waitFor();
    const statusOf = async (id = '') => (await service.client.posts.get({ id })).status;
    expect([await statusOf(first?.id), await statusOf(second?.id)]).toEqual(['Draft', 'Scheduled']);

    const yes = page.getByRole('button', { name: 'Approve: Schedule “Third of three”' });
    await yes.click();
    await page.getByRole('button', { name: /^Approve 1 of 1/ }).click();
    await dialog.getByRole('button', { name: 'Approve 1', exact: true }).waitFor();
    const remover = service.browser();
    await remover.signIn();
    expect((await remover.delete(`/api/app/members/${userId}`)).status).toBe(200);
    await dialog.getByRole('button', { name: 'Approve 1', exact: true }).click();
    await page
      .getByText(/member of no workspace|no workspace|not a member|Sign in/i)
      .first()
      .waitFor();
    expect(await statusOf(third?.id)).toBe('Draft');
  });

  test('a week of eight: five approved, one edited, one rejected with a reason, one left; the client reads it all', async () => {
    const { account, client, ask } = await draftIn(world, 'Week Planner', 'Not asked for');
    const textOf = async (name: string, input: Record<string, unknown>) =>
      JSON.parse(JSON.stringify(await client.callTool({ name, arguments: input }))).content[0].text as string;
    const days = ['16', '17', '18', '19', '20', '21', '22', '23'];
    const posts: { id: string }[] = [];
    const cards: string[] = [];
    for (const day of days) {
      const post = await world.service.client.posts.create({ accountIds: [account], body: `Bread of the ${day}th` });
      cards.push(await ask('posts_schedule', { id: post.id, at: `2126-11-${day}T08:30:00Z` }));
      posts.push(post);
    }
    const [first = ''] = cards;
    const there = await world.service.client.posts.create({ accountIds: [account], body: 'Market morning' });
    await world.service.asHuman('posts.schedule', { id: there.id, at: '2126-11-23T08:30:20Z' });
    const page = await world.visit({ at: first });
    const pass = page.getByRole('region', { name: 'A week of posts, 8 requests' });
    await pass.getByText('Same minute as “Market morning”').waitFor();
    const row = (index: number) => pass.getByRole('listitem').filter({ hasText: `Bread of the ${days[index]}th` });
    // By keys: five marked, the sixth edited, the seventh rejected, the eighth left open.
    await row(0).getByRole('button').first().focus();
    for (let index = 0; index < 5; index++) {
      await row(index).focus();
      await page.keyboard.press('a');
    }
    await isFocused(row(5));
    const mark = row(4).getByRole('button', { name: /^Approve: / });
    await row(4).focus();
    await page.keyboard.press(' ');
    await expect.poll(() => mark.getAttribute('aria-pressed')).toBe('false');
    await row(4).focus();
    await page.keyboard.press('a');
    await isFocused(row(5));
    await page.keyboard.press('e');
    await row(5).getByRole('textbox', { name: 'Text' }).fill('Rolls of the 21th');
    await page.keyboard.press('Control+Enter');
    const edited = pass.getByRole('listitem').filter({ hasText: 'Your edit' });
    await edited.getByText('Rolls', { exact: true }).waitFor();
    await row(6).focus();
    await page.keyboard.press('r');
    await row(6).getByRole('textbox', { name: 'Reason' }).fill('We are closed that day.');
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await row(6).waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'A week of posts, 7 of 8 open' }).waitFor();
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog');
    const plan = dialog.getByRole('list', { name: 'What will happen' }).getByRole('listitem');
    await expect.poll(() => plan.count()).toBe(6);
    expect((await plan.allInnerTexts()).filter((line) => line.includes('with your edit'))).toHaveLength(1);
    await dialog.getByText('What is scheduled can be taken back until it goes out.').waitFor();
    await dialog.getByRole('button', { name: 'Approve 6' }).click();
    await page.getByText('6 posts scheduled.').waitFor();

    const statuses = await Promise.all(
      posts.map(async ({ id }) => (await world.service.client.posts.get({ id })).status),
    );
    expect(statuses).toEqual([...Array(6).fill('Scheduled'), 'Draft', 'Draft']);
    const read = (index: number) => textOf('posts_get', { id: posts[index]?.id });
    for (let index = 0; index < 5; index++) expect(await read(index)).toContain('posts_schedule was approved at');
    expect(await read(5)).toContain('- original version, item 1: "Bread" became "Rolls"');
    expect(await read(6)).toContain('The person who rejected it wrote: "We are closed that day."');
    expect(await read(7)).toContain('posts_schedule waits for a human');
    const again = await textOf('posts_schedule', { id: posts[6]?.id, at: '2126-11-24T08:30:00Z' });
    expect(again).toContain('wrote: "We are closed that day."');
    await page
      .getByText(/24 Nov 2126/)
      .first()
      .waitFor();
  });

  test('what the plan does not cover is named before the yes, and the rest is approved', async () => {
    const { service } = world;
    const { ask } = await connectAgent(service, 'Frugal');
    const account = await service.connect('mastodon');
    const { workspaceId } = service.owner;
    for (const [body, day] of [
      ['Within the plan', 1],
      ['Beyond the plan', 2],
    ] as const) {
      const { id } = await service.client.posts.create({ accountIds: [account], body });
      await ask('posts_schedule', { id, at: `2126-12-0${day}T09:00:00Z` });
    }
    await service.posthorn.people.setPlan(workspaceId, 'free');
    const { scheduledPerMonth = 0 } = await service.posthorn.plans.read(workspaceId);
    const use = `insert into plan_usage (workspace_id, month, scheduled) values ($1, to_char(posthorn_now(), 'YYYY-MM'), $2)
      on conflict (workspace_id, month) do update set scheduled = $2`;
    await service.database.run(sql('test.use', use), [workspaceId, (scheduledPerMonth ?? 0) - 1]);
    try {
      const page = await world.visit({ at: '/approvals' });
      await page.getByRole('link', { name: /Frugal/ }).click();
      await page.getByText('Fits the account').waitFor();
      for (const text of ['Within the plan', 'Beyond the plan']) {
        await page.getByRole('button', { name: `Approve: Schedule “${text}”` }).click();
      }
      await page.getByRole('button', { name: /^Approve 2 of 2/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Approve 1 of 2?' });
      const refused = dialog.getByRole('list', { name: 'What cannot be approved' }).getByRole('listitem');
      await refused.getByText(/Beyond the plan/).waitFor();
      expect(await axe(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Approve 1', exact: true }).click();
      await page.getByText('1 post scheduled.').waitFor();
    } finally {
      await service.posthorn.people.setPlan(workspaceId, 'unlimited');
    }
  });

  test('on a phone a pass is one card at a time, with one thumb', async () => {
    const { account, ask } = await draftIn(world, `Thumb${'b'.repeat(60)}`, 'Not asked for');
    for (const body of ['The first of two', `The second of two${'\nIt is longer.'.repeat(14)}`]) {
      const { id } = await world.service.client.posts.create({ accountIds: [account], body });
      await ask('posts_schedule', { id, at: '2126-11-21T09:00:00Z' });
    }
    const page = await world.visit({ at: '/approvals', width: 390, height: 844, expected: [/ERR_FAILED/] });
    await page.getByRole('link', { name: /Thumb/ }).click();
    await cardOf(page).getByText('The first of two').first().waitFor();
    await expect.poll(() => cardOf(page).count()).toBe(1);
    await page.getByText('Request 1 of 2', { exact: true }).waitFor();
    await page.getByText('Same minute as “The second of two”').waitFor();
    const thumbY = async () => (await page.getByRole('button', { name: 'Approve', exact: true }).boundingBox())?.y;
    const underThumb = await thumbY();
    await swipe(page, 250);
    await cardOf(page).getByText('The second of two').first().waitFor();
    await page.getByText('Request 2 of 2', { exact: true }).waitFor();
    // A longer card does not move the buttons, and hidden text makes no page that scrolls behind the app.
    await expect.poll(thumbY).toBe(underThumb);
    expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
    await swipe(page, -250);
    const reason = page.getByRole('form', { name: 'Reject' }).getByRole('textbox', { name: 'Reason' });
    await reason.waitFor();
    await expect.poll(() => reason.evaluate((field) => field.getBoundingClientRect().right)).toBeLessThanOrEqual(390);
    const reader = page.getByText('reads this and may ask again.');
    await expect.poll(() => reader.evaluate((words) => words.getBoundingClientRect().left)).toBeGreaterThan(0);
    await intercept(page, '**/reject', (route) => route.abort(), { times: 1 });
    await page.getByRole('form', { name: 'Reject' }).getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('alert').getByText('No answer arrived.').waitFor();
    await page.getByRole('form', { name: 'Reject' }).getByRole('button', { name: 'Cancel' }).click();
    await swipe(page, 60);
    await page.getByRole('button', { name: 'Approve', exact: true, pressed: false }).waitFor();
    // The sheet is shorter than its form; the purpose of the editor must be readable without scrolling.
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const edit = page.getByRole('form', { name: 'Edit' });
    const [purpose, buttons] = [edit.getByText('For new files'), edit.getByRole('button', { name: 'Use my edit' })];
    await buttons.waitFor();
    await expect.poll(() => isAbove(purpose, buttons)).toBe(true);
    await edit.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => isSideways(page)).toBe(false);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve 1 of 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 1' }).click();
    await page.getByText('1 post scheduled.').waitFor();
  });

  test('a request about a changed post can be rejected', async () => {
    const { account, ask, post } = await draftIn(world, 'Changed mind', 'Old words');
    const at = await ask('posts_publishNow', { id: post.id });
    const versions = [{ content: [{ body: 'New words' }] }];
    await world.service.asHuman('posts.update', { id: post.id, accountIds: [account], versions });
    const page = await world.visit({ at });
    await cardOf(page).getByRole('button', { name: 'Reject' }).click();
    await cardOf(page).getByRole('form').getByRole('button', { name: 'Reject' }).click();
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
    await intercept(page, '**/api/app/events*', (route) => route.abort());
    await page.goto(world.service.url + at);
    const yes = cardOf(page).getByRole('button', { name: 'Approve and publish' });
    await yes.waitFor();
    const { userId, email } = await world.service.addMember('editor');
    const caller = { ...world.service.owner, userId, role: 'editor', mayPublish: true, isPerson: true } as const;
    await world.service.posthorn.decisions.reject(caller, at.split('/').at(-1) ?? '');
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
    await intercept(page, '**/api/approvals/card_*', async (route) => {
      const answer = await route.fetch();
      const validation = { issues: [issue], warnings: [] };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), validation } });
    });
    await page.goto(world.service.url + (await ask('posts_publishNow', { id: post.id })));
    await page.getByText('X: 19 characters too many.').waitFor();
    const yes = page.getByRole('button', { name: 'Approve and publish' });
    await expect.poll(() => yes.getAttribute('aria-disabled')).toBe('true');
    await yes.click({ force: true });
    await page.getByText('Fix this first.').waitFor();
    expect((await world.service.client.posts.get({ id: post.id })).status).toBe('Draft');
  });

  test('J, K, A and R decide without a mouse, and approving asks for confirmation', async () => {
    const { ask, post, account } = await draftIn(world, 'By keys', 'Pressed by a key');
    await ask('posts_publishNow', { id: post.id });
    const other = await world.service.client.posts.create({ accountIds: [account], body: 'Pressed away' });
    await ask('posts_delete', { id: other.id });
    const page = await world.visit({ at: '/approvals' });
    await page.getByRole('link', { name: /By keys/ }).click();
    await page.getByText('Pressed away').last().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('r');
    await isFocused(page.getByRole('textbox', { name: 'Reason' }));
    await page.keyboard.press('Enter');
    await page.getByText(/^Rejected by you/).waitFor();
    // The focus goes on to a neighbour.
    await isFocused(cardOf(page).first());
    await page.keyboard.press('e');
    await isFocused(page.getByRole('form', { name: 'Edit' }).getByRole('textbox', { name: 'Text' }));
    await page.getByRole('form', { name: 'Edit' }).getByRole('button', { name: 'Cancel' }).click();
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

  test('A approves with the edit that the card shows, after another decision that is still being sent', async () => {
    const { ask, post, account } = await draftIn(world, 'Two at once', 'Words of the client');
    await ask('posts_publishNow', { id: post.id });
    const other = await world.service.client.posts.create({ accountIds: [account], body: 'Not to be deleted' });
    await ask('posts_delete', { id: other.id });
    const page = await world.visit({ at: '/approvals' });
    await page.getByRole('link', { name: /Two at once/ }).click();
    const edited = cardOf(page).filter({ hasText: 'Words of the client' });
    const rejected = cardOf(page).filter({ hasText: 'Not to be deleted' });
    const release = await hold(page, '**/reject');
    await rejected.getByRole('button', { name: 'Reject' }).click();
    await rejected.getByRole('form').getByRole('button', { name: 'Reject' }).click();
    await edited.getByRole('button', { name: 'Edit', exact: true }).click();
    await edited.getByRole('textbox').first().fill('Words of a person');
    await edited.getByRole('button', { name: 'Use my edit' }).click();
    await edited.focus();
    await page.keyboard.press('a');
    await isFocused(page.getByRole('dialog').getByRole('button', { name: 'Approve and publish with your edit' }));
    await page.keyboard.press('Enter');
    release();
    await page.getByText(/^Rejected by you/).waitFor();
    await page.getByText(/^Approved by you/).waitFor();
    await isOut(world, 'Words of a person');
  });

  test('a viewer sees the requests and who decides', async () => {
    const { ask, post } = await draftIn(world, 'Looked at', 'For all to see');
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: await ask('posts_publishNow', { id: post.id }), as: email });
    await page.getByText('Owners, admins and editors decide.').waitFor();
    await expect.poll(() => cardOf(page).getByRole('button').allInnerTexts()).toEqual(['Show previews']);
    expect(await page.locator('.kbd-hint', { hasText: 'approve' }).count()).toBe(0);
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
    await expect.poll(() => isSideways(page)).toBe(false);
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
