import { expect, test } from 'vitest';
import { axe, inBrowser, isClean, isSideways, loseAnswer } from './harness.ts';

inBrowser('API and MCP', (world) => {
  const works = async (token: string) =>
    (await world.service.call('posts.list', {}, { authorization: `Bearer ${token}` })).status;

  test('a token is shown once, leaving warns until it is stored, and revoking ends it', async () => {
    const page = await world.visit({ at: '/settings/api' });
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a token' });
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Copy it now. It is shown only this once').waitFor();
    const secret = await page.getByRole('textbox', { name: 'Token' }).inputValue();
    expect(secret).toMatch(/^posthorn_pat_\w{42}$/);
    expect(await works(secret)).toBe(200);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('link', { name: 'Approvals' }).click();
    const warning = page.getByRole('dialog', { name: 'Leave without storing the token?' });
    await warning.getByRole('button', { name: 'Cancel' }).click();
    await page.getByLabel('I have stored it').click();
    await page.getByText('Copy it now.').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await page.getByRole('link', { name: 'API and MCP' }).click();
    await page.getByRole('button', { name: 'Revoke Laptop' }).click();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke Laptop' }).waitFor({ state: 'detached' });
    expect(await works(secret)).toBe(401);
  });

  test('a token whose answer was lost is listed, and created again it is still one, until it is revoked', async () => {
    const { email } = await world.service.addMember('editor');
    const page = await world.visit({ at: '/settings/api', as: email, expected: [/ERR_FAILED/, /409/] });
    const rows = page.getByRole('button', { name: 'Revoke Phone', includeHidden: true });
    await page.getByRole('button', { name: 'Create token' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a token' });
    await dialog.getByLabel('Name').fill('Phone');
    await loseAnswer(page, '**/api/auth/tokens');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('It may have been created anyway.').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    // Made elsewhere, so that only a list that is loaded again shows it.
    const other = world.service.browser();
    await other.signIn(email);
    await other.post('/api/auth/tokens', { name: 'Tablet' });
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByText('Your first try worked').waitFor();
    await dialog.getByText('Revoke it, then create a new one.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke Tablet', includeHidden: true }).waitFor({ state: 'attached' });
    await expect.poll(() => rows.count()).toBe(1);

    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await rows.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await rows.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Create token' }).click();
    await dialog.getByLabel('Name').fill('Phone');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('Copy it now. It is shown only this once').waitFor();
    await expect.poll(() => rows.count()).toBe(1);
  });

  test('tokens of other workspaces are listed with their workspace', async () => {
    const { email } = await world.service.addMember('admin');
    const browser = world.service.browser();
    await browser.signIn(email);
    await browser.post('/api/app/workspaces', { name: 'Elsewhere' });
    await browser.post('/api/auth/tokens', { name: 'Far away' });
    await browser.post(`/api/app/workspaces/${world.service.owner.workspaceId}/open`);
    const page = await world.visit({ at: '/settings/api', as: email });
    const row = page.getByRole('listitem').filter({ hasText: 'Far away' });
    await row.getByText('Elsewhere').waitFor();
  });

  test('a long name of a token is shown whole at 1024', async () => {
    const { email } = await world.service.addMember('admin');
    const browser = world.service.browser();
    await browser.signIn(email);
    const name = `Nightly import of ${'the whole menu '.repeat(3)}`.trim();
    await browser.post('/api/auth/tokens', { name });
    const page = await world.visit({ at: '/settings/api', as: email, width: 1024 });
    const shown = page.getByRole('listitem').getByText(name, { exact: true });
    const [isCut, lines] = await shown.evaluate((text) => [
      text.scrollWidth > text.clientWidth,
      text.clientHeight / Number.parseFloat(getComputedStyle(text).lineHeight),
    ]);
    expect(isCut).toBe(false);
    expect(lines).toBeLessThanOrEqual(2);
    await expect.poll(() => isSideways(page)).toBe(false);
  });

  test('a connected client is listed with its permissions, and its access can be ended', async () => {
    const { userId, email, workspaceId } = await world.service.addMember('editor');
    const given = { name: 'Desk Agent', scopes: ['posts:read', 'posts:publish'], requestId: 'test' };
    const clientId = 'https://desk.example/client.json';
    await world.service.posthorn.clients.recordConsent({ userId, workspaceId, clientId, ...given });
    const page = await world.visit({ at: '/settings/api', as: email });
    const row = page.getByRole('listitem').filter({ hasText: 'Desk Agent' });
    await row.getByText('desk.example · read, ask to publish').waitFor();
    await row.getByRole('button', { name: 'End access of Desk Agent' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click();
    await page.getByText('A client appears here once you have let it in.').waitFor();
    expect(await world.service.posthorn.clients.list(userId)).toEqual([]);
  });

  test('every client has a configuration with the address of this server', async () => {
    const page = await world.visit({ at: '/settings/api' });
    for (const name of ['Claude Code', 'Cursor', 'VS Code', 'Other']) {
      await page.getByRole('tab', { name }).click();
      await page
        .getByRole('region', { name: `Configuration for ${name}` })
        .getByText(`${world.service.url}/mcp`)
        .waitFor();
    }
    await page.getByRole('tabpanel', { name: 'Other' }).getByText('With a token').click();
    await page.getByRole('region', { name: 'Configuration for Other' }).getByText('Authorization').waitFor();
    await page.reload();
    await page.getByRole('region', { name: 'Configuration for Other' }).getByText('Authorization').waitFor();
  });

  test('an owner switches the statistics tools on, others see the state', async () => {
    const page = await world.visit({ at: '/settings/api' });
    const control = page.getByRole('switch', { name: 'Statistics over MCP' });
    await control.click({ force: true });
    await expect.poll(() => control.isChecked()).toBe(true);
    const { email } = await world.service.addMember('admin');
    const other = await world.visit({ at: '/settings/api', as: email });
    await other.getByText('It is on; owners decide.').waitFor();
    expect(await other.getByRole('switch').count()).toBe(0);
  });

  test('the API reference opens without an error in the console, of its checker or of the content security policy', async () => {
    const page = await world.visit({ at: '/sign-in', as: null });
    const said: string[] = [];
    page.on('console', (message) => {
      // The reference logs its timings.
      if (message.type() !== 'info') said.push(message.text());
    });
    await page.goto(`${world.service.url}/docs`);
    await page.getByRole('heading', { name: 'Posthorn', exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'List connected accounts' }).waitFor();
    expect(said).toEqual([]);
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit({ at: '/settings/api' });
    await isClean(page, () => page.getByRole('button', { name: 'Revoke Test' }).waitFor());
  });
});
