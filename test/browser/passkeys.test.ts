import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { stepAt, totpCode } from '#server/people/factors/totp';
import { axe, inBrowser, isAt, isClean, letPageReact, loseAnswer } from './harness.ts';

const password = 'correct horse';

/** A device with passkeys, which Chromium simulates. */
const addDevice = async (page: Page) => {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** Removes the device and returns its passkeys. */
    unplug: async () => {
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      return credentials;
    },
    give: async (credentials: Awaited<ReturnType<typeof cdp.send<'WebAuthn.getCredentials'>>>['credentials']) => {
      for (const credential of credentials) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
    },
  };
};

inBrowser(
  'passkeys',
  (world) => {
    const add = async (page: Page, name: string, secret = password) => {
      await page.getByLabel('Name of the passkey').fill(name);
      await page.getByLabel('Your password', { exact: true }).fill(secret);
      await page.getByRole('button', { name: 'Add a passkey' }).click();
    };
    const listed = (page: Page, name: string) => page.getByRole('list', { name: 'Passkeys' }).getByText(name);
    /** Leaves the app before its cookie goes: on a 401 the app would navigate itself. */
    const signOut = async (page: Page, query = '') => {
      await page.goto(`${world.service.url}/healthz`);
      await page.context().clearCookies();
      await page.goto(`${world.service.url}/sign-in${query}`);
    };
    const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    const meansOf = (userId: string) =>
      world.service.database.query(
        sql('test.means', 'select means from sessions where user_id = $1 order by id desc limit 1').holds<{
          means: string[];
        }>(),
        [userId],
      );

    test('sign in with one of two devices; a removed one no longer does, the other still does', async () => {
      const { email, userId } = await world.service.addMember('editor');
      const page = await world.visit({ at: '/settings/profile', as: email, expected: [/40\d/] });
      const laptop = await addDevice(page);
      await add(page, 'Laptop', 'wrong horse');
      await page.getByText('The password is not your current password').waitFor();
      await add(page, 'Laptop');
      await listed(page, 'Laptop').waitFor();
      const inLaptop = await laptop.unplug();
      const phone = await addDevice(page);
      await add(page, 'Phone');
      await isClean(page, () => listed(page, 'Phone').waitFor());

      await signOut(page);
      await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
      expect(await axe(page)).toEqual([]);
      await signIn(page);
      await isAt(page, '/');
      expect(await meansOf(userId)).toEqual([{ means: ['passkey'] }]);

      await page.goto(`${world.service.url}/settings/profile`);
      await page.getByRole('button', { name: 'Remove Phone' }).click();
      await page.getByLabel('Your password, to remove “Phone”').fill(password);
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await expect.poll(() => listed(page, 'Phone').count()).toBe(0);

      await signOut(page);
      await signIn(page);
      await page.getByText('This passkey is not known here, or was removed.').waitFor();

      await phone.unplug();
      await (await addDevice(page)).give(inLaptop);
      await signIn(page);
      await isAt(page, '/');
    });

    test('confirm a pass with one touch where the workspace asks for it, and nothing without one', async () => {
      const { service } = world;
      const { email, userId, workspaceId } = await service.addWorkspace();
      const as = { userId, workspaceId };
      const account = await service.addAccount('x', workspaceId);
      const ask = async (body: string, day: number) => {
        const { id } = await service.asHuman('posts.create', { body, accountIds: [account] }, as);
        const input = { id, at: `2126-01-0${day}T12:00:00Z` };
        const caller = { ...as, role: 'owner' as const, mayPublish: false, isPerson: false };
        await service.posthorn.cards.request({
          caller,
          client: 'Claude',
          action: 'posts.schedule',
          input,
          requestId: 'r',
        });
        return id as string;
      };
      const statusOf = async (id: string) => (await service.asHuman('posts.get', { id }, as)).status;

      const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/40\d/] });
      const required = page.getByRole('switch', { name: 'A passkey to approve' });
      await required.waitFor();
      await expect.poll(() => required.isDisabled()).toBe(true);
      await page.goto(`${service.url}/settings/profile`);
      await addDevice(page);
      await add(page, 'Laptop');
      await listed(page, 'Laptop').waitFor();
      await page.goto(`${service.url}/settings/workspace`);
      await required.check();
      await expect.poll(() => service.posthorn.people.asksPasskey(workspaceId)).toBe(true);

      const posts = [await ask('Bread', 1), await ask('Rolls', 2)];
      await page.goto(`${service.url}/approvals`);
      // Wait for the check to finish, because rows may move until then.
      await page.getByText('Fits the account').waitFor();
      for (const text of ['Bread', 'Rolls']) {
        const mark = page.getByRole('button', { name: `Approve: Schedule “${text}”` });
        await mark.click();
        await expect.poll(() => mark.getAttribute('aria-pressed')).toBe('true');
      }
      await page.getByRole('button', { name: /^Approve 2 of 2/ }).click();
      await page.getByText('Your browser asks for your passkey.').waitFor();
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Approve 2', exact: true }).click();
      await expect.poll(() => Promise.all(posts.map(statusOf))).toEqual(['Scheduled', 'Scheduled']);
      const { entries } = await service.posthorn.receipts.page(as, 0);
      expect(entries.map(({ entry }) => [entry.means, entry.confirmation?.numbers.length])).toEqual([
        [['password', 'passkey'], 2],
        [['password', 'passkey'], 2],
      ]);

      await page.goto(`${service.url}/settings/profile`);
      await page.getByRole('button', { name: 'Remove Laptop' }).click();
      await page.getByLabel('Your password, to remove “Laptop”').fill(password);
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await expect.poll(() => listed(page, 'Laptop').count()).toBe(0);
      const last = await ask('Cakes', 3);
      await page.goto(`${service.url}/approvals`);
      const card = page.getByRole('article').filter({ hasText: 'Cakes' });
      await card.getByRole('link', { name: 'Add one in your profile' }).waitFor();
      await card.getByRole('button', { name: 'Approve and schedule' }).click();
      await card.getByText('You have no passkey').waitFor();
      expect(await statusOf(last)).toBe('Draft');

      await page.goto(`${service.url}/settings/workspace`);
      await required.click();
      const dialog = page.getByRole('dialog', { name: 'Switch off the passkey to approve?' });
      await dialog.getByLabel('Your password').fill('a guess');
      await dialog.getByRole('button', { name: 'Switch off' }).click();
      await dialog.getByText('is not your current password').waitFor();
      expect(await axe(page)).toEqual([]);
      await dialog.getByLabel('Your password').fill(password);
      await dialog.getByRole('button', { name: 'Switch off' }).click();
      await expect.poll(() => service.posthorn.people.asksPasskey(workspaceId)).toBe(false);
    });

    test('beside them: an authenticator app is set up with a QR code, and signing in asks for a code', async () => {
      const { service } = world;
      const { workspaceId } = await service.addWorkspace();
      const email = 'second-factor@example.com';
      await service.posthorn.people.addMember(workspaceId, { email, password, role: 'editor' });
      await service.database.run(sql('test.twoFactors', 'update workspaces set two_factors = true where id = $1'), [
        workspaceId,
      ]);
      // Shown in place of the workspace, which requires two factors from its members.
      const page = await world.visit({ at: '/settings/profile', as: email, expected: [/40\d/] });
      await isClean(page, () => page.getByRole('heading', { name: /asks for two factors$/ }).waitFor());
      expect(await page.getByRole('navigation').count()).toBe(0);
      await page.getByLabel('Your password, to set up an app').fill(password);
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      await page.getByRole('img', { name: 'QR code for the app' }).waitFor();
      const key = (await page.locator('code').first().innerText()).replaceAll(' ', '');
      await page.getByLabel('Code that the app shows').fill('000000');
      await page.getByRole('button', { name: 'Switch it on' }).click();
      await page.getByText('The code is wrong or was used.').waitFor();
      await page.getByLabel('Code that the app shows').fill(totpCode(key, stepAt(new Date())));
      await page.getByRole('button', { name: 'Switch it on' }).click();
      const codes = page.getByRole('region', { name: 'Recovery codes' }).locator('code');
      await isClean(page, () => codes.first().waitFor());
      await expect.poll(() => codes.count()).toBe(10);
      const recoveryCode = await codes.first().innerText();
      // The codes stay when the person comes back from a password manager a minute later and the session is read again.
      const session = page.waitForResponse('**/api/auth/session');
      await page.evaluate(() => {
        const laterMs = Date.now() + 60_000;
        Date.now = () => laterMs;
        window.dispatchEvent(new Event('visibilitychange'));
      });
      await session;
      await letPageReact(page);
      expect(await codes.count()).toBe(10);
      const question = page.waitForEvent('dialog');
      await page.evaluate(() => setTimeout(() => location.reload()));
      await (await question).dismiss();
      await page.getByRole('button', { name: 'I stored them' }).click();
      await page.getByText('10 recovery codes left').waitFor();
      await page.goto(`${service.url}/posts`);
      await page.getByRole('heading', { name: 'Posts' }).waitFor();

      await signOut(page, `?next=${encodeURIComponent('/posts')}`);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await isAt(page, /^\/second-factor/);
      const code = page.getByLabel('Code from your app');
      await isClean(page, () => code.waitFor());
      await code.fill('000000');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('The code is wrong or was used').waitFor();
      await code.fill(recoveryCode);
      await page.getByRole('button', { name: 'Continue' }).click();
      await isAt(page, '/posts');
    });

    test('an authenticator app whose confirmation had no answer is shown in use, and its codes sign in', async () => {
      const { email } = await world.service.addMember('viewer');
      const page = await world.visit({ at: '/settings/profile', as: email, expected: [/ERR_FAILED/, /401/] });
      await page.getByLabel('Your password, to set up an app').fill(password);
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      const key = (await page.locator('code').first().innerText()).replaceAll(' ', '');
      const step = stepAt(new Date());
      await page.getByLabel('Code that the app shows').fill(totpCode(key, step));
      await loseAnswer(page, '**/api/app/totp');
      await page.getByRole('button', { name: 'Switch it on' }).click();
      await page.getByText('10 recovery codes left').waitFor();
      await page.getByRole('button', { name: 'New recovery codes' }).waitFor();
      expect(await page.getByText('It was not set up').count()).toBe(0);

      await signOut(page, `?next=${encodeURIComponent('/posts')}`);
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      // A code works once. The code of the next 30 seconds is accepted too, because clocks differ.
      const nextStep = Math.max(step + 1, stepAt(new Date()));
      await page.getByLabel('Code from your app').fill(totpCode(key, nextStep));
      await page.getByRole('button', { name: 'Continue' }).click();
      await isAt(page, '/posts');
    });
  },
  {},
  { host: 'localhost' },
);
