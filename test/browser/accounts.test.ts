import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { freePort } from '#test/support/processes';
import { until } from '#test/support/until';
import {
  axe,
  go,
  holdAnswer,
  inBrowser,
  intercept,
  isAt,
  isClean,
  isFocused,
  isSideways,
  letPageReact,
  pathOf,
} from './harness.ts';

/** Accepts all credentials. */
const tiktokHost = 'open.tiktokapis.com';
const tiktokPort = await freePort();
const certificate = selfSigned({ names: [tiktokHost] });
const tiktok = createServer(certificate, (_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"of-the-app"}');
});
beforeAll(() => once(tiktok.listen(tiktokPort, '127.0.0.1'), 'listening'));
afterAll(() => {
  tiktok.closeAllConnections();
  tiktok.close();
});
const internet = {
  ...pretendInternet({ names: { [tiktokHost]: [['93.184.216.34']] }, port: tiktokPort }),
  extraCa: certificate.cert,
};

inBrowser(
  'networks without keys, in production',
  (world) => {
    test('are in every open tab as soon as somebody enters their keys, and gone when they are removed', async () => {
      const page = await world.visit({ at: '/settings/networks#tiktok' });
      const tab = await page.context().newPage();
      await tab.goto(`${world.service.url}/settings/networks`);
      const { email } = await world.service.addMember('admin');
      const other = await world.visit({ at: '/accounts', as: email });
      await other.getByText('10 networks need keys').waitFor();
      const inList = (on: Page) =>
        on.getByRole('list', { name: 'Networks' }).getByRole('listitem').filter({ hasText: 'TikTok' });
      await inList(tab).getByText('Needs keys').waitFor();

      await page.getByLabel('TIKTOK_CLIENT_KEY').fill('aw1234');
      await page.getByLabel('TIKTOK_CLIENT_SECRET').fill('secret');
      await page.getByLabel('Your password').fill('correct horse');
      await page.getByRole('button', { name: 'Save' }).click();
      await inList(tab).getByText('not tested by a sign-in yet').waitFor();
      await other.getByText('9 networks need keys').waitFor();
      await other.getByRole('link', { name: 'TikTok' }).waitFor();

      await inList(tab)
        .getByRole('button', { name: /^Remove/ })
        .click();
      await tab.getByRole('dialog').getByLabel('Your password').fill('correct horse');
      await tab.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await inList(page).getByText('Needs keys').waitFor();
      await other.getByText('10 networks need keys').waitFor();
      await other.getByRole('link', { name: 'TikTok' }).waitFor({ state: 'detached' });
    });

    test('lead whoever set the server up to the form, which refuses half of them, and others to that person', async () => {
      const page = await world.visit({ at: '/accounts', expected: [/400/] });
      await page.getByText('10 networks need keys:').waitFor();
      expect(await axe(page)).toEqual([]);
      await page.getByRole('link', { name: /^TikTok ?, needs keys$/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Networks' }).waitFor();
      const tiktok = page.getByRole('list', { name: 'Networks' }).getByRole('listitem').filter({ hasText: 'TikTok' });
      await tiktok.getByText('/connect/tiktok/callback').waitFor();
      await tiktok.getByLabel('TIKTOK_CLIENT_KEY').fill('aw1234');
      await tiktok.getByLabel('Your password').fill('correct horse');
      await tiktok.getByRole('button', { name: 'Save' }).click();
      await tiktok.getByText('It is required: TikTok gives both').waitFor();
      await isClean(page, () => tiktok.getByLabel('TIKTOK_CLIENT_SECRET').waitFor());

      const { email } = await world.service.addMember('admin');
      const other = await world.visit({ at: '/accounts', as: email });
      await other.getByText(/^10 networks need keys: .+ Ask owner\.$/).waitFor();
      await go(other, '/settings/networks');
      await other.getByText('owner set this server up and enters the credentials of networks. Ask them.').waitFor();
    });

    test('know no clock that was moved, also for a browser whose own clock is wrong', async () => {
      const page = await world.visit({ at: '/favicon.svg' });
      const json = { now: '2040-01-02T12:00:00.000000Z' };
      await intercept(page, '**/api/app/sandbox/clock', (route) => route.fulfill({ json }));
      await page.goto(`${world.service.url}/settings/profile`);
      await page.getByText(/It is Mon 2 Jan, \d\d:\d\d there/).waitFor();
      expect(await page.getByRole('link', { name: /^Clock is/ }).count()).toBe(0);
    });
  },
  {},
  { production: true, internet },
);

inBrowser('Social accounts', (world) => {
  /** The consent page of the sandbox network. */
  const allow = async (page: Page, handle: string) => {
    await page.getByRole('heading', { name: /^Let Posthorn post on .+ as you\?$/ }).waitFor();
    await page.getByLabel('Handle').fill(handle);
    await page.getByRole('button', { name: `Connect @${handle}` }).click();
  };

  const row = (page: Page, name: RegExp) => page.getByRole('listitem', { name });

  const publish = async (accountId: string) => {
    const { id } = await world.service.asHuman('posts.create', { accountIds: [accountId], body: 'Good morning' });
    await world.service.asHuman('posts.publishNow', { id });
    await until(
      'the post is out',
      async () => (await world.service.asHuman('posts.get', { id })).status === 'Published',
    );
    return id as string;
  };

  test('the page of a sandbox network says in words what is granted, and Enter grants nothing', async () => {
    const page = await world.visit({ at: '/connect/x' });
    const title = page.getByRole('heading', { level: 1, name: 'Let Posthorn post on X as you?' });
    await isFocused(title);
    await page.getByText('Sandbox. Not the real X, nothing here is public.').waitFor();
    const icon = await page.locator('.pair svg').first().locator('path').getAttribute('d');
    expect(await readFile('server/networks/x/icon.svg', 'utf8')).toContain(`d="${icon}"`);
    const publishing = page.getByRole('checkbox', { name: /^Publish posts for you/ });
    await publishing.uncheck();
    await page.getByLabel('Handle').fill('rye_baker');
    await page.getByRole('button', { name: 'Connect @rye_baker' }).waitFor();
    await page.getByLabel('Handle').press('Enter');
    await isFocused(title);
    await expect.poll(() => page.getByLabel('Handle').inputValue()).toBe('rye_baker');
    await expect.poll(() => publishing.isChecked()).toBe(false);
    expect(new URL(page.url()).pathname).toMatch(/^\/sandbox\/x\//);
    expect(await axe(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 844 });
    await expect.poll(() => isSideways(page)).toBe(false);
    expect((await world.service.client.accounts.list({})).accounts).toEqual([]);
  });

  test('an account is connected on the page of its network, and the address is cleared', async () => {
    const page = await world.visit({ at: '/accounts' });
    await page.getByRole('complementary').getByRole('link', { name: /^X\b/ }).click();
    await allow(page, 'anna.page');
    await page.getByText('Connected @anna.page on X.').waitFor();
    await row(page, /@anna\.page on X/)
      .getByText('Connected')
      .waitFor();
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe('/accounts');
  });

  test('a network with credentials is connected through a form, which shows errors at the field', async () => {
    const page = await world.visit({ at: '/connect/bluesky', expected: [/400/] });
    await page.getByLabel('Handle').fill('cleo');
    const password = page.getByLabel('App password');
    await expect.poll(() => password.getAttribute('type')).toBe('password');
    await password.fill('abcd-efgh-ijkl-mnop');
    await page.getByLabel('Server').fill('https://a b');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await until(
      'the field is marked',
      async () => (await page.getByLabel('Server').getAttribute('aria-invalid')) === 'true',
    );
    expect(await axe(page)).toEqual([]);
    await page.getByLabel('Server').fill('');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText(/Connected @cleo\S* on Bluesky/).waitFor();

    // Cancelling stays on the current page when the answer arrives.
    await go(page, '/connect/bluesky');
    await page.getByLabel('Handle').fill('dino');
    await password.fill('abcd-efgh-ijkl-mnop');
    const release = await holdAnswer(page, '**/api/app/connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('link', { name: 'Cancel' }).click();
    await go(page, '/webhooks-of-nobody');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    const answer = page.waitForResponse('**/api/app/connections');
    release();
    await answer;
    await letPageReact(page);
    expect(pathOf(page)).toBe('/webhooks-of-nobody');
  });

  test('of several pages at least one has to be chosen', async () => {
    const page = await world.visit({ at: '/connect/facebook' });
    await allow(page, 'dora');
    await page.getByText('Which of these should Posthorn publish to?').waitFor();
    await isClean(page, () => page.getByText('Choose at least one.').waitFor());
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText(/^Connected .* on Facebook/).waitFor();
  });

  test('declining at the network is explained, and can be retried', async () => {
    const page = await world.visit({ at: '/connect/linkedin', expected: [/409/] });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('LinkedIn was not connected: you did not allow it there.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Try again' }).click();
    await allow(page, 'emil');
    await page.getByText(/^Connected .* on LinkedIn/).waitFor();
  });

  test('an account with refused access comes first and offers to reconnect', async () => {
    await world.service.connect('youtube', { handle: 'zoe' });
    const id = await world.service.connect('tiktok', { handle: 'hugo' });
    await world.service.database.query(
      sql('test.broken', "update accounts set status = 'NeedsReconnect' where id = $1"),
      [id],
    );
    const page = await world.visit({ at: '/accounts' });
    const first = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem').first();
    await first.getByText('TikTok refused the sign-in. Posts to it fail until you reconnect.').waitFor();
    // Also in a small window beside the rail.
    await page.setViewportSize({ width: 1024, height: 768 });
    await first.getByRole('link', { name: 'Reconnect @hugo on TikTok' }).click();
    await page.getByRole('heading', { name: /^Let Posthorn post on TikTok/ }).waitFor();
    // The accounts are read before the connection is finished, and their answer arrives after it.
    let lateAnswer = '';
    await intercept(
      page,
      '**/api/app/actions/accounts.list',
      async (route) => {
        const response = await route.fetch();
        lateAnswer = await response.text();
        await isAt(page, /^\/accounts/);
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await intercept(page, '**/finish', async (route) => {
      await until('the accounts are read', async () => lateAnswer.includes('NeedsReconnect'));
      await route.continue();
    });
    await allow(page, 'hugo');
    await row(page, /@hugo on TikTok/)
      .getByText('Statistics on')
      .waitFor();
  });

  test('a missing statistics permission is not shown as broken, and reconnecting reads the posts at once', async () => {
    const id = await world.service.connect('facebook', { handle: 'ida', without: ['read_insights'] });
    const postId = await publish(id);
    const page = await world.visit({ at: '/accounts' });
    const ida = page.locator(`[data-row="${id}"]`);
    await ida.getByText(/Reconnect to read statistics.*Publishing works/).waitFor();
    expect(await ida.getByText(/refused/i).count()).toBe(0);
    await ida.getByRole('link', { name: /^Reconnect .* on Facebook/ }).click();
    await allow(page, 'ida');
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await ida.getByText('Statistics on').waitFor();
    await until('its post was read', async () => {
      const { accounts } = await world.service.asHuman('posts.metrics', { id: postId });
      return accounts[0]?.metrics?.fetchedAt !== undefined;
    });
  });

  test('disconnecting names the scheduled posts that will fail', async () => {
    const id = await world.service.connect('pixelfed', { handle: 'jan' });
    const media = await world.service.addFile();
    const at = new Date(world.service.clock.now().getTime() + 3_600_000).toISOString();
    const post = await world.service.asHuman('posts.create', { accountIds: [id], body: 'Open from seven' });
    await world.service.asHuman('posts.update', {
      id: post.id,
      accountIds: [id],
      versions: [{ content: [{ body: 'Open from seven', media: [media] }] }],
    });
    await world.service.asHuman('posts.schedule', { id: post.id, at });
    const page = await world.visit({ at: '/accounts', expected: [/403/] });
    const jan = row(page, /@jan\S* on Pixelfed/);
    await jan.getByText('1 scheduled', { exact: true }).waitFor();
    // As a proxy answers, without a request id.
    const refusal = { code: 'Forbidden', message: 'Not now.', issues: [] };
    let isRefused = true;
    await intercept(page, /\/api\/app\/posts\?.*accountIds/, (route) =>
      isRefused ? route.fulfill({ status: 403, json: refusal }) : route.continue(),
    );
    await jan.getByRole('button', { name: /^More for/ }).click();
    await page.getByRole('menuitem', { name: 'Disconnect' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The scheduled posts could not be looked up').waitFor();
    isRefused = false;
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('1 scheduled post will fail on Pixelfed:').waitFor();
    await dialog.getByText('Open from seven').waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText(/is disconnected/).waitFor();
    await jan.waitFor({ state: 'detached' });
  });

  test('a viewer sees the accounts and who can connect them', async () => {
    await world.service.connect('x', { handle: 'karl' });
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/accounts', as: email });
    await row(page, /@karl on X/).waitFor();
    await page.getByText(/Owners and admins connect accounts; you are viewer here\. Ask owner/).waitFor();
    expect(await page.getByRole('button', { name: /^(Connect|More for)/ }).count()).toBe(0);
    await page.goto(`${world.service.url}/connect/x/callback?code=a&state=b`);
    await page.getByText(/Owners and admins connect accounts/).waitFor();
  });

  test('a network to connect has its icon in the middle of its badge', async () => {
    const page = await world.visit({ at: '/accounts' });
    const badge = page.getByRole('link', { name: 'Pixelfed' }).getByTitle('Pixelfed');
    const middleOf = async (one: typeof badge) => {
      const { x, width } = (await one.boundingBox()) ?? { x: 0, width: 0 };
      return x + width / 2;
    };
    await expect.poll(() => middleOf(badge.locator('svg'))).toBeCloseTo(await middleOf(badge), 0);
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    await world.service.connect('threads', { handle: 'lea', without: ['threads_manage_insights'] });
    const page = await world.visit({ at: '/accounts' });
    await isClean(page, () =>
      row(page, /on Threads/)
        .first()
        .waitFor(),
    );
    await page.getByRole('button', { name: 'Connect' }).click();
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /^Mastodon/ })
      .waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
