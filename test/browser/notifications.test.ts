import { afterAll, expect, test } from 'vitest';
import { newId } from '#server/base/ids';
import { sql } from '#server/base/store/database';
import { connectAgent } from '#test/support/agent';
import { type MailServer, startMailServer } from '#test/support/mail-server';
import { until } from '#test/support/until';
import { axe, go, inBrowser, intercept, isAt, isSideways, loseAnswer } from './harness.ts';

let mails: MailServer;
afterAll(() => mails?.stop());

inBrowser(
  'notifications',
  (world) => {
    const request = async (text: string) => {
      const { service } = world;
      const account = await service.connect('mastodon');
      const { id } = await service.client.posts.create({ body: text, accountIds: [account] });
      const agent = await connectAgent(service, 'Desk Agent');
      return agent.ask('posts_publishNow', { id });
    };

    test('a request is counted at Approvals, not at the bell, and the page links to its card', async () => {
      const page = await world.visit();
      await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
      const path = await request('Fresh from the oven');
      await page.getByRole('link', { name: 'Approvals 1 waiting' }).waitFor();
      await page.getByRole('link', { name: 'Notifications', exact: true }).click();
      const needs = page.getByRole('list', { name: 'Needs you' });
      await needs.getByText('“Fresh from the oven”').waitFor();
      expect(await axe(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axe(page)).toEqual([]);

      await page.getByRole('button', { name: 'Mark read: Desk Agent asks to publish a post' }).click();
      await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
      await page.getByRole('button', { name: 'Mark unread: Desk Agent asks to publish a post' }).click();
      await page.getByRole('button', { name: 'Mark all read' }).click();
      await page.getByRole('button', { name: 'Mark all read' }).waitFor({ state: 'hidden' });

      await needs.getByRole('link', { name: 'Desk Agent asks to publish a post' }).click();
      await isAt(page, path);
      await page
        .getByRole('button', { name: /Approve and publish/ })
        .first()
        .waitFor();
      const human = world.service.browser();
      await human.signIn();
      await human.post(`/api${path}/reject`);
      await page.getByRole('link', { name: 'Notifications', exact: true }).click();
      await page.getByRole('list', { name: 'Earlier' }).getByText('Desk Agent asks to publish a post').waitFor();
      await needs.waitFor({ state: 'detached' });
    });

    test('more notifications that cannot be loaded are missed where they would be, with a way to load them', async () => {
      const { email, workspaceId } = await world.service.addWorkspace();
      await world.service.database.query(
        sql(
          'test.notifications',
          `insert into notifications (id, workspace_id, kind, subject_id, title, detail, excerpt, path)
           select id, $1, 'member.joined', id, 'Ada joined', '', '', '/settings/workspace' from unnest($2::text[]) id`,
        ),
        [workspaceId, Array.from({ length: 120 }, () => newId('notification', new Date()))],
      );
      const page = await world.visit({ at: '/notifications', as: email, width: 390, height: 844, expected: [/403/] });
      await intercept(page, /notifications\?cursor=/, (route) =>
        route.fulfill({
          status: 403,
          json: { code: 'Forbidden', message: 'Not now.', issues: [], requestId: 'req_1' },
        }),
      );
      await page.getByRole('button', { name: 'Show more' }).click();
      const fault = page.getByRole('alert').filter({ hasText: 'Earlier ones could not be loaded' });
      await fault.waitFor();
      expect(await page.getByText('The notifications could not be loaded').count()).toBe(0);
      expect(await axe(page)).toEqual([]);
      const shown = await page.getByRole('list', { name: 'Earlier' }).getByRole('listitem').count();
      await page.unrouteAll();
      await fault.getByRole('button', { name: 'Try again' }).click();
      await fault.waitFor({ state: 'detached' });
      await expect
        .poll(() => page.getByRole('list', { name: 'Earlier' }).getByRole('listitem').count())
        .toBeGreaterThan(shown);
    });

    test('a person chooses their notifications, also on a phone', async () => {
      const page = await world.visit({ at: '/settings/profile#notifications', width: 390, height: 844 });
      const box = page.getByRole('checkbox', { name: 'Requests by mail' });
      await box.check();
      await page.getByRole('switch', { name: 'Show the post in push messages' }).click({ force: true });
      await until('it is kept', async () => {
        const person = world.service.browser();
        await person.signIn();
        const { body } = await person.get('/api/app/notification-choices');
        return body.pushText && body.mail.includes('requests');
      });
      await page.reload();
      await expect.poll(() => box.isChecked()).toBe(true);
      await expect.poll(() => isSideways(page)).toBe(false);
      expect(await axe(page)).toEqual([]);
      await go(page, '/notifications');
      await page.getByRole('heading', { name: 'Notifications' }).waitFor();
      await expect.poll(() => isSideways(page)).toBe(false);
    });

    test('a choice shows before its answer, and stays while the next one is made', async () => {
      const page = await world.visit({ at: '/settings/profile#notifications' });
      let sendOn: () => unknown = () => undefined;
      const held = new Promise<void>((resolve) => {
        sendOn = resolve;
      });
      await intercept(page, '**/api/app/notification-choices', async (route) => {
        if (route.request().method() !== 'GET') await held;
        await route.continue();
      });
      const box = page.getByRole('checkbox', { name: 'People and the workspace by mail' });
      const atNextPaint = await box.evaluate((element: HTMLInputElement) => {
        element.click();
        const { port1, port2 } = new MessageChannel();
        return new Promise((resolve) => {
          port1.onmessage = () => resolve(element.checked);
          port2.postMessage('');
        });
      });
      expect(atNextPaint).toBe(true);
      await page.getByRole('checkbox', { name: 'Webhooks by push' }).click();
      await expect.poll(() => box.isChecked()).toBe(true);
      sendOn();
      await until('both are kept', async () => {
        const person = world.service.browser();
        await person.signIn();
        const { body } = await person.get('/api/app/notification-choices');
        return body.mail.includes('people') && !body.push.includes('webhooks');
      });
    });

    test('the worker shows a push message, and a click on it opens the page in the open tab', async () => {
      const page = await world.visit({ at: '/settings/profile' });
      const { url } = world.service;
      await page.context().grantPermissions(['notifications'], { origin: url });
      const devtools = await page.context().newCDPSession(page);
      const registered = new Promise<string>((resolve) =>
        devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => {
          if (one) resolve(one.registrationId);
        }),
      );
      await devtools.send('ServiceWorker.enable');
      await page.evaluate(
        "navigator.serviceWorker.register('/push-worker.js').then(() => navigator.serviceWorker.ready)",
      );
      const registrationId = await registered;
      const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'));
      // A headless browser shows no notifications, so inspect the call.
      await worker.evaluate(
        'self.shown = []; self.registration.showNotification = async (title, options) => { self.shown = [...self.shown.filter(({ tag }) => tag !== options.tag), { title, ...options }]; }',
      );
      const shown = () => worker.evaluate('self.shown.map(({ title, body, tag }) => ({ title, body, tag }))');
      const push = (title: string) =>
        devtools.send('ServiceWorker.deliverPushMessage', {
          origin: url,
          registrationId,
          data: JSON.stringify({ title, body: 'Demo', path: '/notifications', tag: 'same' }),
        });
      await push('First');
      await expect.poll(shown).toEqual([{ title: 'First', body: 'Demo', tag: 'same' }]);
      // A later message about the same thing replaces it.
      await push('Second');
      await expect.poll(shown).toEqual([{ title: 'Second', body: 'Demo', tag: 'same' }]);
      const answer = await fetch(`${url}/push-worker.js`);
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'");
      // A page that is not of the app is the tab that was opened last.
      const other = await page.context().newPage();
      await other.goto(`${url}/healthz`);
      await worker.evaluate(
        "self.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification: { ...self.shown[0], close: () => undefined } })), undefined",
      );
      await isAt(page, '/notifications');
    });

    test('a forgotten password is reset with a mailed link', async () => {
      const { email } = await world.service.addMember('editor');
      const page = await world.visit({ at: '/sign-in', as: null, expected: [/401/] });
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('E-mail address').fill(email);
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
      const { text } = await mails.nth(email);
      const [, link = ''] = /(http\S+\/new-password\/\S+)/.exec(text) ?? [];
      await page.goto(link);
      await page.getByLabel('New password').fill('a brand new password');
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      const again = await world.visit({ at: new URL(link).pathname, as: null, expected: [/404/] });
      await again.getByLabel('New password').fill('a brand new password');
      await again.getByRole('button', { name: 'Set the password' }).click();
      await again.getByRole('heading', { name: 'This link is used up' }).waitFor();
    });

    test('a forgotten password whose answers are lost says what may have happened, and where to look', async () => {
      const { email } = await world.service.addMember('editor');
      const page = await world.visit({ at: '/forgot-password', as: null, expected: [/ERR_FAILED/, /404/] });
      await page.getByLabel('E-mail address').fill(email);
      await loseAnswer(page, '**/api/auth/password/forgot');
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByText('A link may be on its way all the same.').waitFor();
      const { text } = await mails.nth(email);
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByText('An address gets at most three in an hour.').waitFor();
      const [, link = ''] = /(http\S+\/new-password\/\S+)/.exec(text) ?? [];
      await page.goto(link);
      await page.getByLabel('New password').fill('a brand new password');
      await loseAnswer(page, '**/api/auth/password/reset');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByText('It may be set all the same.').waitFor();
      // The cookie of the answer is lost too.
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Set the password' }).click();
      const signIn = page.getByRole('link', { name: 'sign in with that one' });
      await signIn.waitFor();
      expect(await axe(page)).toEqual([]);
      await signIn.click();
      await page.getByLabel('E-mail address').fill(email);
      await page.getByRole('textbox', { name: 'Password' }).fill('a brand new password');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    });

    test('a workspace is deleted, kept again, and handed over', async () => {
      const { service } = world;
      const team = await service.addWorkspace();
      const owner = service.browser();
      await owner.signIn(team.email);
      const { body } = await owner.post('/api/app/invitations', { email: 'heir@example.com', role: 'editor' });
      const token = body.url.split('/').at(-1);
      await service.browser().post('/api/auth/invitations/accept', { token, password: 'correct horse' });

      const page = await world.visit({ at: '/settings/workspace#delete', as: team.email, expected: [/400/] });
      const member = await world.visit({ at: '/posts', as: 'heir@example.com' });
      await page.getByRole('button', { name: 'Delete the workspace' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete Other?' });
      await dialog.getByRole('button', { name: 'Delete in 7 days' }).click();
      await dialog.getByText(/must be the name of the workspace/).waitFor();
      await dialog.getByLabel('Type Other to confirm').fill('Other');
      await dialog.getByRole('button', { name: 'Delete in 7 days' }).click();
      await dialog.waitFor({ state: 'hidden' });
      await member.getByText(/^Other is deleted/).waitFor();
      expect(await axe(member)).toEqual([]);
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Keep the workspace' }).click();
      await member.getByText(/^Other is deleted/).waitFor({ state: 'hidden' });

      await page.getByRole('combobox', { name: 'New owner' }).click();
      await page.getByRole('option', { name: /heir@example.com/ }).click();
      await page.getByRole('button', { name: 'Hand over' }).click();
      const handing = page.getByRole('dialog', { name: /^Hand Other over/ });
      await handing.getByLabel('Type Other to confirm').fill('Other');
      await handing.getByRole('button', { name: 'Hand over' }).click();
      await page.getByText('Other, where you are admin').waitFor();
      expect(await page.getByRole('button', { name: 'Delete the workspace' }).count()).toBe(0);
    });
  },
  async () => {
    mails = await startMailServer();
    return { ...mails.settings, SIGN_INS_PER_HOUR: '1000' };
  },
);
