import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { createBackupList } from '#server/operation/backup/backup-list-store';
import { beginHold } from '#server/operation/hold/hold';
import { until } from '#test/support/until';
import { axe, go, holdAnswer, inBrowser, intercept, isClean, loseAnswer, pathOf } from './harness.ts';

const password = 'correct horse';

inBrowser('the workspace', (world) => {
  test('owners change the roles of members, and the last owner stays owner', async () => {
    const { email, userId } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/settings/workspace', expected: [/409/] });
    const member = page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: email });
    await member.getByRole('combobox', { name: /^Role of/ }).click();
    await page.getByRole('option', { name: /^Editor/ }).click();
    await until('the role is changed', async () => {
      const members = await world.service.posthorn.members.list(world.service.owner.workspaceId);
      return members.some((one) => one.userId === userId && one.role === 'editor');
    });
    const own = page.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: '(you)' });
    await own.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page
      .getByRole('dialog')
      .getByText(/last owner/)
      .waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('without a connection a change says that no answer arrived, waits for the person, and is then made once', async () => {
    const { email } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/ERR_INTERNET_DISCONNECTED/] });
    const name = page.getByRole('textbox', { name: 'Name of the workspace' });
    await name.fill('Without a wire');
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()));
    // The notices of the shell are loaded after the page.
    await page.waitForLoadState('networkidle');
    const check = page.waitForRequest('**/api/auth/session');
    await page.context().setOffline(true);
    await check;
    const notice = page.getByRole('status').filter({ hasText: 'The server does not answer' });
    await notice.waitFor();
    // Without a connection, what is on the screen stays as it is.
    const reads: string[] = [];
    page.on('request', (request) => request.url().endsWith('/api/app/members') && reads.push(request.url()));
    const save = page.getByRole('button', { name: 'Save' });
    await save.click();
    await page.getByText('No answer arrived. It may have worked anyway.').waitFor();
    expect(reads).toEqual([]);
    await page.context().setOffline(false);
    await notice.waitFor({ state: 'detached' });
    expect([changes.length, await name.inputValue()]).toEqual([1, 'Without a wire']);
    await save.click();
    await page.getByText('The workspace is called Without a wire now.').waitFor();
    expect(changes.length).toBe(2);
  });

  test('whoever set the server up sees its backups and how to restore one, and lets it send again after a restore', async () => {
    await beginHold(world.service.database, '2026-11-16T03:00:00.000Z');
    const list = createBackupList(world.service.database);
    const at = new Date('2026-11-16T02:00:00.000Z');
    await list.claimAsked('bak_1', at, 1);
    // Only backups whose file is there are listed.
    const path = import.meta.filename;
    const contents = { people: 1, workspaces: 1, posts: 79, scheduled: 14, accounts: 13, files: 15 };
    const claim = { id: 'bak_1', startedAt: at };
    await list.saveMade(claim, { path, bytes: 412e6, contents });
    await list.end(claim, at, at, null);
    const night = new Date();
    const slot = { slot: 'last', slotAt: new Date(night.getTime() + 60_000), now: night, leaseMs: 1, retryMs: 1 };
    await list.claimNight('bak_2', slot);
    await list.end({ id: 'bak_2', startedAt: night }, night, null, 'The disk was full.');
    const page = await world.visit({ at: '/settings/backups' });
    await page.getByText('Nothing goes out until you release it').waitFor();
    await page
      .getByRole('list', { name: 'The last nights' })
      .getByText(/not good/)
      .waitFor({ state: 'attached' });
    const made = page.getByRole('list', { name: 'Backups' }).getByRole('listitem').last();
    await made.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('dialog').getByLabel('Your password').fill(password);
    const begun = page.waitForEvent('download');
    await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click();
    const download = await begun;
    expect(download.suggestedFilename()).toBe(basename(path));
    expect((await readFile(await download.path())).equals(await readFile(path))).toBe(true);
    await made.getByText(/Restored in a test at/).waitFor();
    await page.getByText(/^The last backup was made .+ and could be restored\.$/).waitFor();
    await page.getByText(/^2, the oldest from Mon 16 Nov/).waitFor();
    expect(await axe(page)).toEqual([]);
    await made.getByRole('button', { name: 'Restore' }).click();
    await page
      .getByRole('dialog')
      .getByText(/npx posthorn restore .+workspace\.test\.ts/)
      .waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').getByLabel('Your password').fill(password);
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByText('Nothing goes out until you release it').waitFor({ state: 'detached' });
    expect(await world.service.posthorn.hold.read()).toBeUndefined();

    const before = new Date(night.getTime() - 24 * 3_600_000);
    await list.claimNight('bak_3', { ...slot, slot: 'before', now: before, leaseMs: 48 * 3_600_000 });
    await list.saveMade({ id: 'bak_3', startedAt: before }, { path, bytes: 412e6, contents });
    await page.reload();
    await page
      .getByRole('list', { name: 'The last nights' })
      .getByText(/not tested yet/)
      .waitFor({ state: 'attached' });

    const { email } = await world.service.addMember('admin');
    const other = await world.visit({ at: '/settings/backups', as: email });
    await other.getByText('Whoever set this server up sees its backups.').waitFor();
    expect((await other.request.get(download.url())).status()).toBe(403);
  });

  test('an invitation link is shown once, and can be withdrawn', async () => {
    const page = await world.visit({ at: '/settings/workspace' });
    await expect
      .poll(() => page.getByRole('link', { name: 'Plan slots' }).getAttribute('href'))
      .toBe('/settings/slots');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    const card = page.getByRole('region', { name: 'Invitation for ada@example.com' });
    await card.getByText(/\/invitations\//).waitFor();
    expect(await axe(page)).toEqual([]);
    await card.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText(/\/invitations\//).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Withdraw ada@example.com' }).click();
    await page.getByRole('list', { name: 'Open invitations' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('list', { name: 'Audit log' }).getByText('owner invited ada@example.com as editor').waitFor();
    await page.getByRole('heading', { name: 'Log of this server' }).waitFor();
  });

  test('in the dark, a choice that is not taken has an edge, and menus have the colours of the app', async () => {
    const page = await world.visit({ at: '/settings/workspace', scheme: 'dark' });
    const colorOf = (token: string) =>
      page.evaluate((name) => {
        const probe = document.body.appendChild(document.createElement('i'));
        probe.style.color = `var(${name})`;
        const { color } = getComputedStyle(probe);
        probe.remove();
        return color;
      }, token);
    const choice = page.getByRole('radio', { name: /Approvers only/ });
    await choice.waitFor();
    await expect.poll(() => choice.isChecked()).toBe(false);
    await expect
      .poll(() => choice.evaluate((radio) => getComputedStyle(radio).borderTopColor))
      .toBe(await colorOf('--control'));
    await page.getByTitle('owner@example.com').click();
    const item = page.getByRole('menuitem', { name: 'Help' });
    await item.hover();
    await expect
      .poll(() => item.evaluate((row) => getComputedStyle(row).backgroundColor))
      .toBe(await colorOf('--active'));
  });

  test('leaving ends the tokens of the person who leaves', async () => {
    const { email, token } = await world.service.addMember('editor');
    const ask = () =>
      world.service.call('accounts.list', {}, { authorization: `Bearer ${token}` }).then(({ status }) => status);
    expect(await ask()).toBe(200);
    // Requests of the page while it unloads are refused, as they should be.
    const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/409/] });
    await page.getByRole('button', { name: 'Leave' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave Demo?' });
    await dialog.getByText(/personal tokens for Demo stop working at once/).waitFor();
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'You are in no workspace' }).waitFor();
    expect(await ask()).toBe(401);
  });

  test('a switch in another tab is shown here, and typed text stays, also after a new release', async () => {
    const { email } = await world.service.addMember('admin');
    const browser = world.service.browser();
    await browser.signIn(email);
    await browser.post('/api/app/workspaces', { name: 'Second' });
    const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/409/, /404/] });
    await page.getByLabel('E-mail address').fill('bo@example.com');
    // A file of the release before: the page reloads when somebody points at the link.
    await intercept(page, /\/assets\/analytics-/, (route) => route.fulfill({ status: 404 }));
    const reload = page.waitForEvent('domcontentloaded');
    await page.getByRole('link', { name: 'Analytics' }).hover();
    await reload;
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe('bo@example.com');
    const other = await page.context().newPage();
    await other.goto(`${world.service.url}/settings/workspace`);
    await other.getByRole('button', { name: 'Switch to Demo' }).click();
    await page.getByText('Another workspace is open in this browser').waitFor();
    await other.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const { workspaceId } = world.service.owner;
    await world.service.posthorn.live.publish({ workspaceId, kind: 'account', id: 'acct_1', text: 'X of Demo' });
    await other.getByText('X of Demo').waitFor();
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe('bo@example.com');
    expect(await axe(page)).toEqual([]);
    expect(await page.getByText('X of Demo').count()).toBe(0);
    await page.getByRole('button', { name: 'Back to Second' }).click();
    await page.getByRole('button', { name: /Second.*Switch workspace/ }).waitFor();
    await expect.poll(() => page.getByLabel('E-mail address').inputValue()).toBe('bo@example.com');
  });

  test('an invitation whose answer was lost is listed, and sent again it is still one', async () => {
    const { email } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/ERR_FAILED/, /409/] });
    await page.getByLabel('E-mail address').fill('bo@example.com');
    await loseAnswer(page, '**/api/app/invitations');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText(/^No answer arrived/).waitFor();
    const rows = page.getByRole('list', { name: 'Open invitations' }).getByRole('listitem');
    await rows.getByText('bo@example.com').waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText(/^This invitation exists already/).waitFor();
    await page.reload();
    await rows.getByText('bo@example.com').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
  });

  test('this tab shows no notice of its own switch, however long the new page takes', async () => {
    const { email } = await world.service.addMember('admin');
    const browser = world.service.browser();
    await browser.signIn(email);
    await browser.post('/api/app/workspaces', { name: 'Second' });
    const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/409/] });
    await page.getByRole('button', { name: /Second.*Switch workspace/ }).waitFor();
    // The notices are loaded after the page.
    await page.waitForLoadState('networkidle');
    const release = await holdAnswer(page, '**/api/app/workspaces/*/open');
    await page.getByRole('button', { name: 'Switch to Demo' }).click();
    await page.getByRole('button', { name: /Demo.*Switch workspace/ }).waitFor();
    expect(await page.getByText('Another workspace is open in this browser').count()).toBe(0);
    expect(pathOf(page)).toBe('/settings/workspace');
    release();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  });

  test('a new workspace whose answer is lost is opened all the same, and made once', async () => {
    const { email } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/settings/workspace', as: email, expected: [/409/, /ERR_FAILED/] });
    await page.getByRole('button', { name: 'New workspace' }).click();
    const dialog = page.getByRole('dialog', { name: 'New workspace' });
    await dialog.getByLabel('Name').fill('Second');
    await loseAnswer(page, '**/api/app/workspaces');
    await dialog.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('button', { name: /Second.*Switch workspace/ }).waitFor();
    const session = await (await page.request.get(`${world.service.url}/api/auth/session`)).json();
    expect(session.workspaces.map(({ name }: { name: string }) => name).sort()).toEqual(['Other', 'Second']);
  });

  test('the owner renames it, and others see who can', async () => {
    const { email, userId } = await world.service.addWorkspace();
    const page = await world.visit({ at: '/settings/workspace', as: email });
    await page.getByLabel('Name of the workspace').fill('Rye & Ember');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /Rye & Ember.*Switch workspace/ }).waitFor();
    expect(userId).toBeTruthy();
    const person = world.service.browser();
    await person.signIn(email);
    await person.patch('/api/app/workspace', { name: 'Ember' });
    await expect.poll(() => page.getByLabel('Name of the workspace').inputValue()).toBe('Ember');
    const editor = await world.service.addMember('editor');
    const others = await world.visit({ at: '/settings/workspace', as: editor.email });
    await others
      .getByText(/Owners change it; you are editor here\. Ask owner/)
      .first()
      .waitFor();
    expect(await others.getByRole('heading', { name: 'Audit log' }).count()).toBe(0);
  });

  test('a viewer opens every page without a refused request', async () => {
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: '/accounts', as: email });
    const titles = {
      '/': 'Home',
      '/posts': 'Posts',
      '/posts/new': 'New post',
      '/calendar': 'Calendar',
      '/approvals': 'Approvals',
      '/analytics': 'Analytics',
      '/media': 'Media',
      '/settings/api': 'API and MCP',
      '/accounts': 'Social accounts',
      '/connect/x': 'Connect an account',
      '/connect/choose/abc': 'Connect an account',
      '/settings/webhooks': 'Webhooks',
      '/settings/webhooks/whk_1': 'Webhooks',
      '/settings/workspace': 'Workspace',
      '/settings/slots': 'Slots',
      '/settings/backups': 'Backups',
      '/settings/networks': 'Networks',
      '/settings/transfer': 'Import and export',
      '/settings/transfer/imp_01M7MX392A12SHMEHAJ9YAFFJD': 'Import',
      '/notifications': 'Notifications',
      '/assistant': 'Assistant',
      '/settings/profile': 'Profile',
      '/sandbox': 'Sandbox',
    };
    for (const [path, title] of Object.entries(titles)) {
      await go(page, path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await expect.poll(() => page.locator('main [aria-busy="true"]').count()).toBe(0);
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    // Refusals also appear in the console, the last ones with a delay.
    await page.waitForLoadState('networkidle');
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit({ at: '/settings/workspace' });
    await isClean(page, () => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').first().waitFor());
  });
});
