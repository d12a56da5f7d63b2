import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { axe, go, holdAnswer, inBrowser, isAt, isSideways, letPageReact, pathOf } from '#test/browser/harness';
import { accountCalled } from '#test/support/transfer';

inBrowser('import and export', (world) => {
  const file = (name: string, lines: readonly string[]) => ({
    name,
    mimeType: 'text/csv',
    buffer: Buffer.from(lines.join('\r\n')),
  });

  test('a file is checked, its drafts are saved, and a separate click schedules them', async () => {
    await accountCalled(world.service, 'bluesky', 'anna.example');
    const page = await world.visit({ at: '/settings/workspace' });
    await page.locator('a[href="/settings/transfer"]').click();
    await page.getByRole('heading', { name: 'Import and export' }).waitFor();
    await page
      .getByLabel('File to import')
      .setInputFiles(
        file('week.csv', [
          'text,accounts,time',
          'Monday starts at five,bluesky:anna.example,2090-01-02 08:30',
          'Flour day,bluesky:anna.example,2090-01-03 08:30',
          'Spring,bluesky:anna.example,2090-03-26 02:30',
          'For nobody we know,x:nobody,',
        ]),
      );
    await page.getByText('Nothing is saved yet. 2 rows of 4 can be saved.').waitFor();
    expect(await world.service.count('posts')).toBe(0);
    await page.getByText('Problems only').click();
    await page.getByRole('row', { name: /does not exist in Europe\/Paris/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.getByLabel('Save 1 row without the accounts that are not connected here').check();
    await page.getByRole('button', { name: 'Save 3 drafts' }).click();
    await page.getByText('3 drafts saved, nothing goes out by itself. 2 have an account and a time to come.').waitFor();
    await page.getByRole('button', { name: 'Schedule 2 posts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule 2 posts' }).click();
    await page.getByText('3 drafts saved, 2 of them scheduled.').waitFor();
    const { posts } = await world.service.client.posts.list({ status: 'Scheduled' });
    expect(posts.map(({ scheduledAt }) => scheduledAt).sort()).toEqual([
      '2090-01-02T07:30:00.000000Z',
      '2090-01-03T07:30:00.000000Z',
    ]);
    await page.getByRole('button', { name: 'Undo the import' }).click();
    await page.getByText('2 posts of this import are no longer a draft and will stay.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Move 1 draft' }).click();
    await page.getByText('2 posts stayed, because they are no longer drafts:').waitFor();
    await page.getByText('2 drafts saved, 2 of them scheduled.').waitFor();
    await page.getByText('All rows').click();
    await page.getByRole('link', { name: 'Flour day' }).first().click();
    await isAt(page, /^\/posts\/post_/);
  });

  test('a draft with a planned time shows it in the list, and an invalid file is explained', async () => {
    const page = await world.visit({ at: '/settings/transfer', expected: [/status of 400/] });
    await page.getByLabel('File to import').setInputFiles(file('wrong.csv', ['body', 'x']));
    await page.getByText(/has no column text in its first line, which names body/).waitFor();
    await page.getByLabel('File to import').setInputFiles(file('wish.csv', ['text,time', 'A wish,2090-05-02 09:00']));
    await page.getByRole('button', { name: 'Save 1 draft' }).click();
    await page.getByText('1 draft saved, nothing goes out by itself.').waitFor();
    await go(page, '/posts');
    await page.getByText('Planned Tue 2 May 2090, 09:00').waitFor();

    // The page must not navigate back if the person leaves while a file is being read.
    await go(page, '/settings/transfer');
    const release = await holdAnswer(page, '**/api/app/imports');
    await page.getByLabel('File to import').setInputFiles(file('late.csv', ['text', 'Read late']));
    await page.getByText('late.csv').waitFor();
    await go(page, '/posts');
    await page.getByText('Planned Tue 2 May 2090, 09:00').waitFor();
    const answer = page.waitForResponse((one) => one.request().method() === 'POST' && /imports$/.test(one.url()));
    release();
    await answer;
    await letPageReact(page);
    expect(pathOf(page)).toBe('/posts');
  });

  test('exports download with their content', async () => {
    await world.service.client.posts.create({ body: '=not a formula' });
    const page = await world.visit({ at: '/settings/transfer' });
    const saved = async (kind: string) => {
      await page.getByText(kind, { exact: true }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Export \d+ posts?$/ }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
    };
    const json = await saved('Everything, JSON');
    expect(json.name).toMatch(/^posthorn-\d{4}-\d\d-\d\d\.json$/);
    expect(JSON.parse(json.text).count).toBe(await world.service.count('posts'));
    const csv = await saved('Posts, CSV');
    expect(csv.name).toMatch(/^posthorn-posts-.*\.csv$/);
    expect(csv.text).toContain("'=not a formula");
  });

  test.each([
    ['light', 1440],
    ['dark', 390],
  ] as const)('is clean in %s at %i px', async (scheme, width) => {
    const page = await world.visit({ at: '/settings/transfer', scheme, width });
    await page.getByText('Columns and formats').click();
    await page.getByRole('button', { name: /^Export/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => isSideways(page)).toBe(false);
    await page
      .getByLabel('File to import')
      .setInputFiles(file('look.csv', ['text,accounts,time', `Look ${scheme},x:nobody,2090`, 'Two,,2020-01-01 08:00']));
    await page.getByRole('row', { name: /has passed/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    await expect.poll(() => isSideways(page)).toBe(false);
  });
});
