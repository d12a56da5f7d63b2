import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { connectAgent } from '#test/support/agent';
import { axe, inBrowser, intercept } from './harness.ts';

inBrowser('open tabs', (world) => {
  const tell = (news: { kind: 'approval' | 'post' | 'account' | 'webhook'; id: string; text?: string }) =>
    world.service.posthorn.live.publish({ workspaceId: world.service.owner.workspaceId, ...news });

  const tabs = async (expected: RegExp[] = []): Promise<[Page, Page]> => {
    const first = await world.visit({ at: '/settings/api', expected });
    await first.getByRole('heading', { name: 'Connect a client' }).waitFor();
    const second = await first.context().newPage();
    await second.goto(`${world.service.url}/settings/api`);
    await second.getByRole('heading', { name: 'Connect a client' }).waitFor();
    return [first, second];
  };
  const isGone = (page: Page, text: string) => page.getByText(text).waitFor({ state: 'detached' });

  test('a request dismissed in one tab is dismissed in all', async () => {
    const [first, second] = await tabs();
    await tell({ kind: 'approval', id: 'card_1', text: 'Desk asks: Publish this post now' });
    for (const page of [first, second]) await page.getByText('Desk asks').waitFor();
    await first.getByRole('button', { name: 'Dismiss' }).click();
    await isGone(second, 'Desk asks');
  });

  test("a time in a request is in the person's zone", async () => {
    const [first] = await tabs();
    await tell({ kind: 'approval', id: 'card_2', text: 'Desk asks: Schedule this post for 2126-11-21 08:00 UTC' });
    await first.getByText('Desk asks: Schedule this post for Thu 21 Nov 2126, 09:00').waitFor();
  });

  test('results, reconnects and paused webhooks show a toast with a link', async () => {
    const [first] = await tabs();
    await tell({ kind: 'post', id: 'post_1', text: 'A post was published' });
    await first
      .getByRole('status')
      .filter({ hasText: 'A post was published' })
      .getByRole('link', { name: 'Open' })
      .waitFor();
    await tell({ kind: 'account', id: 'acct_1', text: 'X needs to be connected again: Anna' });
    const account = first.getByRole('alert').filter({ hasText: 'X needs to be connected again' });
    await expect.poll(() => account.getByRole('link').getAttribute('href')).toBe('/accounts');
    await tell({ kind: 'webhook', id: 'whk_1', text: 'A webhook was paused.' });
    const webhook = first.getByRole('alert').filter({ hasText: 'A webhook was paused' });
    await expect.poll(() => webhook.getByRole('link').getAttribute('href')).toBe('/settings/webhooks/whk_1');
    expect(await axe(first)).toEqual([]);
  });

  test('events missed while the connection was down are shown when it is back', async () => {
    const [first] = await tabs([/ERR_INTERNET_DISCONNECTED/]);
    await first.context().setOffline(true);
    await tell({ kind: 'approval', id: 'card_3', text: 'Missed asks: Publish this post now' });
    await first.context().setOffline(false);
    await first.getByText('Missed asks').waitFor();
  });

  test('events between loading the page and opening the stream are shown', async () => {
    const page = await world.visit({ at: '/favicon.svg', expected: [/favicon/] });
    let open: () => unknown = () => undefined;
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    await intercept(page, '**/api/app/events*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.service.url}/settings/api`);
    await page.getByRole('heading', { name: 'Connect a client' }).waitFor();
    await tell({ kind: 'approval', id: 'card_4', text: 'Early asks: Publish this post now' });
    open();
    await page.getByText('Early asks').waitFor();
  });

  test('a row changes in place when someone else decides', async () => {
    const { service } = world;
    const post = await service.client.posts.create({ accountIds: [await service.connect('x')], body: 'In place' });
    const { ask } = await connectAgent(service, 'In Place');
    const at = await ask('posts_publishNow', { id: post.id });
    const page = await world.visit({ at });
    await page.getByRole('button', { name: 'Approve and publish' }).waitFor();
    const { userId, email } = await service.addMember('editor');
    const caller = { ...service.owner, userId, role: 'editor', mayPublish: true, isPerson: true } as const;
    await service.posthorn.decisions.reject(caller, at.split('/').at(-1) ?? '');
    await page.getByRole('button', { name: 'Approve and publish' }).waitFor({ state: 'detached' });
    await page.getByRole('article').getByText('Rejected', { exact: true }).waitFor();
    expect(email).toContain('member');
  });
});
