import { expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { axe, go, inBrowser, intercept } from './harness.ts';

inBrowser('approvers only', (world) => {
  const letApproversOnly = (workspaceId: string) =>
    world.service.database.run(
      sql('test.approversOnly', "update workspaces set publishers = 'approvers' where id = $1"),
      [workspaceId],
    );

  test('an editor asks, an outsider advises, the owner approves', async () => {
    const { service } = world;
    const account = await service.connect('mastodon');
    const editor = await service.addMember('editor');
    const { id } = await service.client.posts.create({ body: 'Our new bread', accountIds: [account] });

    const owner = await world.visit({ at: '/settings/workspace' });
    await owner.getByRole('radio', { name: 'Approvers only' }).click();
    await owner.getByRole('checkbox', { name: / is an approver$/ }).waitFor();
    expect(await axe(owner)).toEqual([]);

    const page = await world.visit({ at: `/posts/${id}`, as: editor.email, expected: [/403/] });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Share for review' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share for review' });
    await dialog.getByRole('checkbox', { name: /^Ask for advice/ }).check();
    await dialog.getByRole('button', { name: 'Create a review link' }).click();
    const address = (await dialog.locator('code').textContent()) ?? '';
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Ask to publish' }).click();
    const asking = page.getByRole('dialog', { name: 'Ask to publish to 1 account?' });
    await asking.getByRole('button', { name: /^Ask to publish/ }).click();
    await page.getByText(/^Asked; waiting for owner$/).waitFor();
    expect(await axe(page)).toEqual([]);

    const outside = await world.visit({ at: new URL(address).pathname, as: null });
    await outside.getByRole('textbox', { name: 'Your name' }).fill('Clara <b>Client</b>');
    await outside.getByRole('radio', { name: 'Please change' }).click();
    await outside.getByRole('textbox', { name: /^Comment/ }).fill('Name the price');
    expect(await axe(outside)).toEqual([]);
    await outside.getByRole('button', { name: 'Send' }).click();
    await outside.getByText('Sent. Thank you.').waitFor();

    await go(owner, '/approvals');
    await owner.getByRole('heading', { name: 'Publish this post now' }).waitFor();
    await owner.getByText('Name the price').waitFor();
    await owner.getByText('Clara <b>Client</b>').waitFor();
    expect(await axe(owner)).toEqual([]);
    await owner.getByRole('button', { name: 'Approve and publish' }).click();
    await expect.poll(async () => (await service.client.posts.get({ id })).status).not.toBe('Draft');
  });

  test('whoever asked cannot approve it on its card, and takes it back there', async () => {
    const { service } = world;
    const account = await service.addAccount('mastodon');
    const editor = await service.addMember('editor');
    await letApproversOnly(service.owner.workspaceId);
    const { id } = await service.client.posts.create({ body: 'Second thoughts', accountIds: [account] });
    const asker = service.browser();
    await asker.signIn(editor.email);
    const { body } = await asker.post('/api/app/actions/posts.publishNow', { id });
    const at = new URL(body.issues[0].url).pathname;
    const page = await world.visit({ at, as: editor.email, expected: [/ERR_FAILED/] });
    const card = page.getByRole('article');
    await card.getByText('Only owners, admins and named approvers decide here. Ask one of them.').waitFor();
    expect(await card.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await intercept(page, '**/reject', (route) => route.abort(), { times: 1 });
    await card.getByRole('button', { name: 'Take back' }).click();
    await card.getByText('No answer arrived').waitFor();
    await card.getByRole('button', { name: 'Take back' }).click();
    await card.getByText(/rejected by you at /).waitFor();
    expect((await service.client.posts.get({ id })).status).toBe('Draft');
  });

  test('buttons say to somebody who can only ask that they ask, and drafts stay free', async () => {
    const { service } = world;
    const account = await service.addAccount('mastodon');
    await service.addAccount('bluesky');
    const editor = await service.addMember('editor');
    await letApproversOnly(service.owner.workspaceId);
    const { id } = await service.client.posts.create({ body: 'Planned rye', accountIds: [account] });
    await service.asHuman('posts.schedule', { id, at: '2126-01-01T10:00:00Z' });
    await service.client.posts.create({ body: 'Draft rye', accountIds: [account] });

    const page = await world.visit({ at: '/posts', as: editor.email });
    const bar = page.getByRole('region', { name: 'Selected posts' });
    await page.getByRole('checkbox', { name: 'Select Draft rye' }).check();
    await bar.getByRole('button', { name: 'Move to…', exact: true }).waitFor();
    await bar.getByRole('button', { name: 'Delete', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select Planned rye' }).check();
    for (const name of ['Ask to move to…', 'Ask to unschedule 1', 'Ask to add account', 'Ask to delete']) {
      await bar.getByRole('button', { name, exact: true }).waitFor();
    }
    await bar.getByRole('button', { name: 'Ask to delete', exact: true }).click();
    const deletion = page.getByRole('dialog', { name: 'Ask to delete 2 posts?' });
    await deletion.getByText('Scheduled posts go out as planned until somebody approves that.').waitFor();
    await page.keyboard.press('Escape');
    await bar.getByRole('button', { name: 'Ask to add account', exact: true }).click();
    const addition = page.getByRole('dialog', { name: 'Add an account to 2 posts' });
    await addition.getByRole('button', { name: /Bluesky/ }).click();
    await addition.getByRole('button', { name: 'Ask to add to 2 posts' }).waitFor();
    await page.keyboard.press('Escape');

    await go(page, `/posts/${id}`);
    await page.getByRole('button', { name: 'Ask to publish', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ask to reschedule', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ask to unschedule', exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Planned rye, and spelt');
    await page.getByRole('button', { name: 'Ask to publish', exact: true }).click();
    const publication = page.getByRole('dialog', { name: /^Ask to publish/ });
    await publication.getByRole('button', { name: /^Ask to publish/ }).click();
    await publication.getByText('Ask for your change first, or discard it.').waitFor();
    await publication.getByRole('button', { name: 'Cancel' }).click();
    // Once a change is discarded, changes by others show.
    const { accountIds, versions } = await service.client.posts.get({ id });
    const moveTo = (scheduledAt: string) => service.asHuman('posts.update', { id, accountIds, versions, scheduledAt });
    const version = page.waitForResponse('**/posts.get');
    await moveTo('2126-02-03T10:00:00Z');
    await (await version).finished();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText(/^Goes out .*3 Feb 2126/).waitFor();
    await moveTo('2126-01-01T10:00:00Z');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('option', { name: /^Ask to publish this post/ }).waitFor();

    await page.keyboard.press('Escape');
    await go(page, '/calendar?date=2126-01-01');
    await page.getByRole('button', { name: 'Actions for Planned rye' }).click();
    await page.getByRole('menuitem', { name: 'Ask to move to…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask to move', exact: true }).waitFor();

    const fail = async (isUncertain: boolean) => {
      const { id } = await service.client.posts.create({ body: 'Failed rye', accountIds: [account] });
      const error = { code: 'unavailable', message: 'Try again.' };
      await service.database.run(
        sql('test.fail', "update posts set status = 'Failed', results = $2::jsonb where id = $1"),
        [id, JSON.stringify([{ accountId: account, ok: false, uncertain: isUncertain, error }])],
      );
      return `/posts/${id}`;
    };
    await go(page, await fail(false));
    await page.getByRole('button', { name: 'Ask to send again', exact: true }).waitFor();
    await go(page, await fail(true));
    await page.getByRole('button', { name: 'It is not there, ask to send it' }).waitFor();
  });

  test('so does Home, where a workspace that has published nothing yet begins', async () => {
    const { service } = world;
    const empty = await service.addWorkspace();
    await service.addAccount('bluesky', empty.workspaceId);
    await letApproversOnly(empty.workspaceId);
    const beginner = { email: 'beginner@example.com', password: 'correct horse', role: 'editor' as const };
    await service.posthorn.people.addMember(empty.workspaceId, beginner);
    const home = await world.visit({ at: '/', as: beginner.email });
    await home.getByRole('button', { name: 'Ask to publish to the sandbox' }).waitFor();
  });
});
