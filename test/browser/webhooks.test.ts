import { afterAll, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { startReceiver } from '#test/support/receiver';
import { newTeam } from '#test/support/teams';
import { axe, endSession, go, inBrowser, isClean, isSideways, loseAnswer, signInAgain } from './harness.ts';

const receiver = await startReceiver();
afterAll(() => receiver.stop());
/** Webhook limit by workspace; default ten. */
const covered = new Map<string, number>();

inBrowser(
  'Webhooks',
  (world) => {
    const team = async () => {
      const made = await newTeam(world.service);
      const { user } = (await made.browser().get('/api/auth/session')).body;
      return { ...made, email: user.email as string };
    };

    test('a webhook is added with a secret shown once, then changed, tested and inspected in its log', async () => {
      const { email } = await team();
      const address = receiver.address();
      const page = await world.visit({ at: '/settings/webhooks', as: email, expected: [/400/] });
      await page.getByText('No webhook yet').waitFor();
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
      await dialog.getByLabel('Address').fill('http://example.com');
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      await dialog.getByText(/https/).nth(1).waitFor();
      expect(await axe(page)).toEqual([]);
      await dialog.getByLabel('Address').fill(address.url);
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      const secret = page.getByRole('region', { name: /^Signing secret of/ });
      await secret.getByText(/^whsec_/).waitFor();
      expect(await axe(page)).toEqual([]);

      // Leaving asks for confirmation.
      const asked = new Promise<string>((resolve) => {
        page.once('dialog', async (question) => {
          resolve(question.message());
          await question.dismiss();
        });
      });
      await page.getByRole('link', { name: 'Sandbox' }).click();
      expect(await asked).toContain('shown only this once');
      await secret.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText(/whsec_/).waitFor({ state: 'detached' });

      await page.getByRole('link', { name: /127\.0\.0\.1/ }).click();
      await page.getByText('Send a test to see the first delivery.').waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      const change = page.getByRole('dialog', { name: 'Change the webhook' });
      await change.getByRole('checkbox', { name: 'account.disconnected' }).uncheck();
      await change.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Gets post.published, post.failed', { exact: true }).waitFor();

      await page.getByRole('button', { name: 'Send test' }).click();
      const ping = page.getByRole('row', { name: /ping.*Delivered/ });
      await ping.getByText(/^200 in \d+ ms$/).waitFor();
      await ping.getByRole('button', { name: 'ping' }).click();
      const details = page.getByRole('complementary', { name: 'Delivery' });
      await details.getByText('Attempt 1 of 8').waitFor();
      await details.getByText(/"type": "ping"/).waitFor();
      await details.getByRole('tab', { name: 'Headers' }).click();
      await details.getByText(/Posthorn-Signature: t=\d+,v1=/).waitFor();
      await details.getByRole('tab', { name: 'Check the signature' }).click();
      await details.getByText(/timingSafeEqual/).waitFor();
      expect(await axe(page)).toEqual([]);
      await details.getByRole('button', { name: 'Send again' }).click();
      const [first, second] = [await address.nth(1), await address.nth(2)];
      expect(second.headers['posthorn-delivery']).toBe(first.headers['posthorn-delivery']);
      await details.getByRole('button', { name: 'Close the delivery' }).click();
      await details.waitFor({ state: 'detached' });
    });

    test('a webhook and a new secret whose answers were lost are made once, and the page says what to do', async () => {
      const { email } = await team();
      const { url } = receiver.address();
      const page = await world.visit({ at: '/settings/webhooks', as: email, expected: [/ERR_FAILED/, /409/] });
      await page.getByRole('button', { name: 'Add webhook' }).first().click();
      const form = page.getByRole('dialog', { name: 'Add a webhook' });
      await form.getByLabel('Address').fill(url);
      await loseAnswer(page, '**/api/webhooks');
      await form.getByRole('button', { name: 'Add webhook' }).click();
      await form.getByText('It may have been created anyway.').waitFor();
      await form.getByRole('button', { name: 'Add webhook' }).click();
      await form.getByText('Your first try worked').waitFor();
      await form.getByText('Open it and create a new secret.').waitFor();
      await form.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('1 of 10').waitFor();

      await page.getByRole('link', { name: /127\.0\.0\.1/ }).click();
      await page.getByRole('button', { name: 'More for this webhook' }).click();
      await page.getByRole('menuitem', { name: 'Create a new secret' }).click();
      const rotation = page.getByRole('dialog', { name: 'Create a new signing secret?' });
      const create = rotation.getByRole('button', { name: 'Create a new secret' });
      await loseAnswer(page, '**/rotate-secret');
      await create.click();
      await rotation.getByText('No answer arrived').waitFor();
      await page.getByText('Two secrets sign').waitFor();
      await create.click();
      await rotation.getByText(/^The new secret exists already/).waitFor();
      await create.click();
      await page.getByRole('region', { name: 'New signing secret' }).waitFor();
      const { entries } = (await (await page.request.get(`${world.service.url}/api/app/audit`)).json()) as {
        entries: { event: string }[];
      };
      const events = entries.map(({ event }) => event).filter((event) => event.startsWith('webhook.'));
      expect(events).toEqual(['webhook.secret-rotated', 'webhook.secret-rotated', 'webhook.added']);
    });

    test('the log is live: a failed attempt, the next one, and the retry schedule', async () => {
      const { email, addWebhook } = await team();
      const webhook = await addWebhook(receiver.address(503).url);
      const page = await world.visit({ at: `/settings/webhooks/${webhook.id}`, as: email });
      await page.getByText('Nothing sent yet').waitFor();
      await webhook.test();
      const row = page.getByRole('row', { name: /ping.*Pending.*503 Service Unavailable/ });
      await row.getByText(/^in \d+ s$|^in 1 min$|^now$/).waitFor();
      await row.getByRole('button', { name: 'ping' }).click();
      await page.getByRole('complementary', { name: 'Delivery' }).getByText('Attempt 1 of 8').waitFor();
    });

    test('a paused webhook says why, and can be resumed', async () => {
      const { email, addWebhook } = await team();
      const webhook = await addWebhook(receiver.address().url);
      await world.service.database.query(
        sql('test.pause', "update webhooks set paused_at = posthorn_now(), pause_reason = 'Given up.' where id = $1"),
        [webhook.id],
      );
      const page = await world.visit({ at: '/settings/webhooks', as: email });
      await page.getByText('Paused').waitFor();
      await page.getByRole('link', { name: /127\.0\.0\.1/ }).click();
      await page.getByText('Paused after 10 failed deliveries.').waitFor();
      await page.getByText('Events since then are not kept.').waitFor();
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.locator('header').getByText('Active').waitFor();
      expect((await webhook.get()).state).toBe('active');
    });

    test('a webhook beyond the plan says so, and so does adding another', async () => {
      const { email, workspaceId, addWebhook } = await team();
      covered.set(workspaceId, 1);
      await addWebhook(receiver.address().url);
      covered.set(workspaceId, 2);
      await addWebhook('https://hooks.example.com/later');
      covered.set(workspaceId, 1);
      const page = await world.visit({ at: '/settings/webhooks', as: email, expected: [/402/] });
      const later = page.getByRole('listitem').filter({ hasText: 'hooks.example.com/later' });
      await later.getByText('Beyond the plan').waitFor();
      await later.getByText(/The plan of this workspace covers 1 webhook/).waitFor();
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByLabel('Address').fill('https://hooks.example.com/more');
      await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
      await page
        .getByRole('dialog')
        .getByText(/The plan of this workspace covers 1 webhook/)
        .waitFor();
    });

    test('a new secret is shown once, and deleting removes the log', async () => {
      const { email, addWebhook } = await team();
      const webhook = await addWebhook(receiver.address().url);
      const page = await world.visit({ at: `/settings/webhooks/${webhook.id}`, as: email });
      const more = page.getByRole('button', { name: 'More for this webhook' });
      await more.click();
      await page.getByRole('menuitem', { name: 'Create a new secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create a new secret' }).click();
      await page.getByText(/^whsec_/).waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByText('Two secrets sign').waitFor();
      await more.click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhook yet').waitFor();
    });

    test('after a new sign-in the form is open again, but no question about the secret or the deletion', async () => {
      const { email, addWebhook } = await team();
      const webhook = await addWebhook(receiver.address().url);
      const page = await world.visit({ at: `/settings/webhooks/${webhook.id}`, as: email, expected: [/401/] });
      const more = page.getByRole('button', { name: 'More for this webhook' });
      for (const name of ['Create a new secret', 'Delete']) {
        await more.click();
        await page.getByRole('menuitem', { name }).click();
        await page.getByRole('dialog').getByRole('button', { name }).waitFor();
        await endSession(page);
        expect(await page.getByText('What you entered').count()).toBe(0);
        await signInAgain(page, email);
        await more.waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
      }
      await page.getByRole('button', { name: 'Edit' }).click();
      const address = page.getByRole('dialog', { name: 'Change the webhook' }).getByLabel('Address');
      await address.fill('https://hooks.example/other');
      await endSession(page);
      await signInAgain(page, email);
      await expect.poll(() => address.inputValue()).toBe('https://hooks.example/other');
    });

    test('the test receiver is tried without any address, and shows that the signature is right', async () => {
      const { email } = await team();
      const page = await world.visit({ at: '/settings/webhooks', as: email });
      await page.getByRole('button', { name: 'Try with a test receiver' }).click();
      await page.getByRole('heading', { name: 'Test receiver' }).waitFor();
      await page.getByText('This receiver is part of the sandbox').waitFor();
      await page.getByRole('button', { name: 'Send test' }).click();
      await page
        .getByRole('row', { name: /ping.*Delivered.*204 in/ })
        .getByRole('button', { name: 'ping' })
        .click();
      const details = page.getByRole('complementary', { name: 'Delivery' });
      await details.getByText('Checked by the test receiver, and right').waitFor();
      expect(await axe(page)).toEqual([]);
      await go(page, '/settings/webhooks');
      await page.getByRole('link', { name: 'Test receiver' }).waitFor();
      expect(await page.getByRole('button', { name: 'Try with a test receiver' }).count()).toBe(0);
    });

    test('beside an open delivery, the log has room for the columns it shows', async () => {
      const { email, addWebhook } = await team();
      const webhook = await addWebhook(receiver.address(503).url);
      await webhook.test();
      const page = await world.visit({ at: `/settings/webhooks/${webhook.id}`, as: email, width: 834 });
      const log = page.getByRole('table', { name: 'Deliveries' });
      await log.getByRole('columnheader', { name: 'Last answer' }).waitFor();
      await log.getByRole('button', { name: 'ping' }).click();
      const details = page.getByRole('complementary', { name: 'Delivery' });
      await details.getByText('Last answer').waitFor();
      const [table, rail] = [await log.boundingBox(), await details.boundingBox()];
      expect((table?.x ?? 0) + (table?.width ?? 0)).toBeLessThanOrEqual(rail?.x ?? 0);
      await expect.poll(() => log.getByRole('columnheader').allInnerTexts()).toEqual(['Event', 'State', 'Created']);
    });

    test('an editor sees who can manage webhooks', async () => {
      const { email } = await world.service.addMember('editor');
      const page = await world.visit({ at: '/settings/webhooks', as: email });
      await page.getByText(/Owners and admins add and change webhooks; you are editor here\. Ask owner/).waitFor();
    });

    test('are clean on a desk in light and on a phone in dark', async () => {
      const { email, addWebhook } = await team();
      const webhook = await addWebhook(receiver.address(503).url);
      await webhook.test();
      const page = await world.visit({ at: '/settings/webhooks', as: email });
      await isClean(page, () => page.getByRole('link', { name: /127\.0\.0\.1/ }).waitFor());
      await go(page, `/settings/webhooks/${webhook.id}`);
      await page.getByRole('button', { name: 'ping' }).click();
      // The next attempt is a minute later, which a busy machine may reach.
      await page.getByText(/^Attempt \d of 8$/).waitFor();
      expect(await axe(page)).toEqual([]);
      await expect.poll(() => isSideways(page)).toBe(false);
    });
  },
  receiver.settings(),
  { webhooks: { allowedWebhooks: (_plan, workspaceId) => covered.get(workspaceId) ?? 10 } },
);
