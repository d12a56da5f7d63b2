import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { connectAgent } from '#test/support/agent';
import { axe, inBrowser, intercept, isSideways, loseAnswer } from './harness.ts';

inBrowser('reviewing a post', (world) => {
  let bluesky: string;
  let instagram: string;
  beforeAll(async () => {
    bluesky = await world.service.connect('bluesky', { handle: 'anna' });
    instagram = await world.service.connect('instagram', { handle: 'anna' });
  });

  const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
  const saved = (page: Page) => page.getByText(/^Saved \d\d:\d\d$/).waitFor();
  const read = async (id: string) => (await world.service.client.posts.get({ id })).versions[0]?.content[0]?.body;
  const expectClean = async (page: Page) => {
    expect(await axe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axe(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  };

  test('changed by a token, an agent and a person: the history shows each, and an earlier text comes back', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Bread at eight', accountIds: [bluesky] });
    const { client } = await connectAgent(world.service, 'Claude Code');
    await client.callTool({ name: 'posts_setVersionText', arguments: { id, body: 'Fresh bread at eight' } });
    const page = await world.visit({ at: `/posts/${id}` });
    await text(page).fill('Fresh bread at nine');
    await saved(page);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    const history = page.getByRole('list', { name: 'History' });
    await history.getByText('owner · in the app').waitFor();
    await history.getByText('owner · token Test').waitFor();
    const agents = history.getByRole('button', { name: /Changed text.*Claude Code/ });
    await agents.click();
    await history.locator('ins', { hasText: 'Fresh' }).waitFor();
    await history.locator('del', { hasText: 'Bread' }).waitFor();
    await expectClean(page);
    await history.getByRole('button', { name: 'Restore this text' }).click();
    await page.getByText(/^Restored the text of/).waitFor();
    // The toast stays while the pointer is over it.
    await page.getByRole('button', { name: 'Undo' }).hover();
    expect(await read(id)).toBe('Fresh bread at eight');
    await expect.poll(() => text(page).inputValue()).toBe('Fresh bread at eight');
    await history
      .getByRole('button', { name: /Changed text.*in the app/ })
      .nth(1)
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => read(id)).toBe('Fresh bread at nine');
  });

  test('a viewer comments on the phone, the editor sees it at once, and deletes it', async () => {
    const { id } = await world.service.client.posts.create({ body: 'What do you think', accountIds: [bluesky] });
    const desk = await world.visit({ at: `/posts/${id}?side=comments` });
    await desk.getByText(/^Nobody has commented yet/).waitFor();
    const viewer = await world.service.addMember('viewer');
    const person = world.service.browser();
    await person.signIn(viewer.email);
    await person.patch('/api/app/profile', { name: 'v'.repeat(60) });
    const phone = await world.visit({ at: `/posts/${id}`, as: viewer.email, width: 390, height: 844 });
    await phone.getByRole('button', { name: 'Comments and history' }).click();
    const field = phone.getByRole('textbox', { name: 'Comment' });
    await field.fill('Looks good to me, ');
    await field.press('End');
    await field.pressSequentially('@ow');
    await phone.getByRole('button', { name: '@owner' }).click();
    await expect.poll(() => field.inputValue()).toBe('Looks good to me, @owner ');
    await phone.getByRole('button', { name: 'Comment', exact: true }).click();
    const comments = desk.getByRole('list', { name: 'Comments' });
    await comments.getByText('Looks good to me,').waitFor();
    await expect.poll(() => comments.locator('b', { hasText: '@owner' }).count()).toBe(1);
    await expect.poll(() => isSideways(phone)).toBe(false);
    const row = phone.getByRole('list', { name: 'Comments' }).getByRole('listitem');
    await expect.poll(() => row.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThanOrEqual(390);
    await expectClean(phone);
    await expectClean(desk);
    const edit = phone.getByRole('textbox', { name: 'Edit comment' });
    await phone.getByRole('button', { name: 'Edit comment' }).click();
    await edit.press('Escape');
    await edit.waitFor({ state: 'detached' });
    await phone.getByRole('button', { name: 'Edit comment' }).click();
    await edit.fill('Better now');
    await phone.getByRole('button', { name: 'Save' }).click();
    await comments.getByText('Better now').waitFor();
    await desk.getByRole('button', { name: 'Delete comment' }).click();
    await desk.getByRole('dialog').getByRole('button', { name: 'Delete comment' }).click();
    await phone.getByText(/^Nobody has commented yet/).waitFor();
  });

  test('a name with a hyphen is mentioned, and a panel that breaks leaves the rest of the page and a way on', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Ask Anna', accountIds: [bluesky] });
    const member = world.service.browser();
    await member.signIn((await world.service.addMember('viewer')).email);
    await member.patch('/api/app/profile', { name: 'Anna-Lena (ads)' });
    await member.post(`/api/app/posts/${id}/comments`, { body: 'Ask @owner' });
    const owner = world.service.browser();
    await owner.signIn();
    await owner.post(`/api/app/posts/${id}/comments`, { body: 'Thanks, @Anna-Lena (ads)!' });
    const page = await world.visit({ at: `/posts/${id}?side=comments`, expected: [/reading .map./] });
    const comments = page.getByRole('list', { name: 'Comments' });
    await comments.locator('b', { hasText: /^@Anna-Lena \(ads\)$/ }).waitFor();

    await intercept(page, `**/posts/${id}/comments`, async (route) => {
      const { comments: list } = await (await route.fetch()).json();
      await route.fulfill({ json: { comments: list.map((one: object) => ({ ...one, mentions: null })) } });
    });
    await page.reload();
    const fault = page.getByRole('alert').filter({ hasText: 'This part could not be shown' });
    await fault.waitFor();
    expect(await axe(page)).toEqual([]);
    await text(page).fill('Ask Anna-Lena');
    await saved(page);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('list', { name: 'History' }).waitFor();
    await page.getByRole('tab', { name: 'Comments' }).click();
    await fault.waitFor();
    await page.unroute(`**/posts/${id}/comments`);
    await member.post(`/api/app/posts/${id}/comments`, { body: 'I am here' });
    await expect
      .poll(async () => {
        await fault
          .getByRole('button', { name: 'Try again' })
          .click({ timeout: 500 })
          .catch(() => undefined);
        return comments.getByText('I am here').isVisible();
      })
      .toBe(true);
  });

  test('a comment whose answer was lost appears, and sent again it is still one', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Once', accountIds: [bluesky] });
    const page = await world.visit({ at: `/posts/${id}?side=comments`, expected: [/ERR_FAILED/] });
    const field = page.getByRole('textbox', { name: 'Comment' });
    const comments = page.getByRole('list', { name: 'Comments' });
    await field.fill('Only once');
    await loseAnswer(page, `**/posts/${id}/comments`);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await comments.getByText('Only once').waitFor();
    await expect.poll(() => field.inputValue()).toBe('Only once');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await expect.poll(() => field.inputValue()).toBe('');
    expect(await comments.getByText('Only once').count()).toBe(1);
    await page.reload();
    await comments.getByText('Only once').waitFor();
    expect(await comments.getByRole('listitem').count()).toBe(1);
  });

  test('words typed while a comment is sent stay, and one sent by a closed panel is not offered again', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Once', accountIds: [bluesky] });
    const page = await world.visit({ at: `/posts/${id}?side=comments` });
    const field = page.getByRole('textbox', { name: 'Comment' });
    const comments = page.getByRole('list', { name: 'Comments' });
    const whileSending = async (body: string, act: () => Promise<unknown>) => {
      await field.fill(body);
      await intercept(
        page,
        `**/posts/${id}/comments`,
        async (route) => {
          await act();
          await route.continue();
        },
        { times: 1 },
      );
      await field.press('Control+Enter');
    };
    await whileSending('First', () => field.fill('First, and second'));
    await comments.getByText('First', { exact: true }).waitFor();
    await expect.poll(() => page.locator('[data-loading="true"]').count()).toBe(0);
    expect(await field.inputValue()).toBe('First, and second');
    await whileSending('Third', async () => {
      await page.getByRole('button', { name: 'Close comments and history' }).click();
      await field.waitFor({ state: 'detached' });
    });
    await expect
      .poll(() => page.evaluate(`Object.keys(localStorage).filter((key) => key.includes('${id}'))`))
      .toEqual([]);
    await page.getByRole('button', { name: /^Comments and history/ }).click();
    await comments.getByText('Third').waitFor();
    expect(await field.inputValue()).toBe('');
  });

  test('a review link whose answer was lost is listed, and created again it is still one', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Once', accountIds: [bluesky] });
    const page = await world.visit({ at: `/posts/${id}`, expected: [/ERR_FAILED/, /409/] });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const list = page.waitForResponse(`**/posts/${id}/shares`);
    await page.getByRole('menuitem', { name: 'Share for review' }).click();
    await list;
    const dialog = page.getByRole('dialog', { name: 'Share for review' });
    const create = dialog.getByRole('button', { name: 'Create a review link' });
    await loseAnswer(page, `**/posts/${id}/shares`);
    await create.click();
    await dialog.getByText('It may have been created anyway.').waitFor();
    const row = dialog.getByText(/^Made by owner/);
    await row.waitFor();
    await create.click();
    await dialog.getByText('Your first try worked').waitFor();
    expect(await row.count()).toBe(1);
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await create.click();
    await dialog.getByText('Copy it now.').waitFor();
  });

  test('words from a review link are about the text that was read, also when the post changes meanwhile', async () => {
    const { id } = await world.service.client.posts.create({ body: 'Open at 7', accountIds: [bluesky] });
    const person = world.service.browser();
    await person.signIn();
    const { url } = (await person.post(`/api/app/posts/${id}/shares`, { invitesAdvice: true })).body;
    const first = await world.visit({ at: '/healthz', as: null });
    const page = await first.context().newPage();
    await page.addInitScript('const wait = setInterval; setInterval = (run, ms) => wait(run, ms / 50);');
    await page.goto(world.service.url + new URL(url).pathname);
    const say = async (name: string) => {
      await page.getByLabel('Your name').fill(name);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    const words = async () =>
      (await person.get(`/api/app/posts/${id}/advice`)).body.advice.map(
        ({ name, isCurrent }: { name: string; isCurrent: boolean }) => [name, isCurrent],
      );
    await page.getByText('Open at 7').waitFor();
    await world.service.client.posts.update({
      id,
      accountIds: [bluesky],
      versions: [{ content: [{ body: 'Open at 8', media: [] }] }],
    });
    await page.getByText('Open at 8').waitFor();
    const notice = page.getByRole('status').filter({ hasText: 'The post was changed' });
    await notice.waitFor();
    expect(await axe(page)).toEqual([]);
    await say('Ida');
    await expect.poll(words).toEqual([['Ida', false]]);
    await notice.getByRole('button', { name: 'I have read it' }).click();
    await notice.waitFor({ state: 'detached' });
    await say('Jon');
    await expect.poll(words).toEqual([
      ['Ida', false],
      ['Jon', true],
    ]);
  });

  test('a review link shows the post without a session, live and with files; a revoked one shows nothing', async () => {
    const media = await world.service.addFile();
    const { id } = await world.service.client.posts.create({ body: 'Old words', accountIds: [] });
    const write = (body: string) =>
      world.service.client.posts.update({
        id,
        accountIds: [bluesky, instagram],
        versions: [{ content: [{ body, media: [media] }] }],
      });
    await write('For your eyes');
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Share for review' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share for review' });
    await dialog.getByRole('button', { name: 'Create a review link' }).click();
    await dialog.getByText('Copy it now.').waitFor();
    const address = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByText(/^Made by owner/).waitFor();
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("denied"))');
    await dialog.getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('Not copied. Select it and copy it yourself.').waitFor();
    await expectClean(page);

    const outside = await world.visit({ at: new URL(address).pathname, as: null, expected: [/404/] });
    await outside.getByRole('heading', { name: 'Post for review' }).waitFor();
    const preview = outside.getByRole('article', { name: /^Bluesky/ });
    await preview.getByText('For your eyes').waitFor();
    await outside.getByRole('article', { name: /^Instagram/ }).waitFor();
    await expect
      .poll(() => outside.evaluate('[...document.querySelectorAll("article img")].map((image) => image.naturalWidth)'))
      .toContain(400);
    expect(await outside.locator('a').count()).toBe(0);
    expect(await outside.content()).not.toContain(media);
    await expectClean(outside);
    await outside.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => isSideways(outside)).toBe(false);
    await expectClean(outside);
    await write('For your eyes, again');
    await outside.reload();
    await preview.getByText('For your eyes, again').waitFor();

    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked. The link no longer works.').waitFor();
    const answer = await outside.reload();
    expect(answer?.status()).toBe(404);
    await outside.getByRole('heading', { name: 'Nothing is shared here' }).waitFor();
    expect(await axe(outside)).toEqual([]);
  });
});
