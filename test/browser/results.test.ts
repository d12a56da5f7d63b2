import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Result } from '#contracts/posts';
import { sql } from '#server/base/store/database';
import { createBeginStore } from '#server/delivery/publishing/begin-store';
import { until } from '#test/support/until';
import { axe, go, inBrowser, intercept, isClean } from './harness.ts';

inBrowser('the results of a post', (world) => {
  let good = '';
  let doubtful = '';
  /** A post that both accounts refuse. */
  let refused = '';
  let posts = 0;

  beforeAll(async () => {
    good = await world.service.connect('bluesky', { handle: 'rye.example' });
    doubtful = await world.service.connect('mastodon', { handle: 'rye' });
    refused = (await publish([good, doubtful], 'Clean [sandbox:content-refused]')).id;
  });

  const publish = async (accountIds: string[], body = `Seeded spelt ${++posts}`) => {
    const { id } = await world.service.client.posts.create({ body, accountIds });
    await world.service.asHuman('posts.publishNow', { id });
    await until(
      'it has ended',
      async () => (await world.service.client.posts.get({ id })).status !== 'Publishing',
      25_000,
    );
    return { id, body };
  };

  /** The state after a network stopped answering. */
  const uncertain = async () => {
    const body = `In doubt ${++posts}`;
    const { id } = await world.service.client.posts.create({ body, accountIds: [doubtful] });
    const results: Result[] = [
      { accountId: doubtful, ok: false, uncertain: true, error: { code: 'uncertain', message: 'Look.' } },
    ];
    await world.service.database.query(
      sql('test.doubt', "update posts set status = 'Failed', results = $2::jsonb where id = $1"),
      [id, JSON.stringify(results)],
    );
    return { id, body };
  };

  const shown = async (network: string, body: string) =>
    (await world.service.feed(network)).filter(({ text }) => text.includes(body)).length;

  const rowOf = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Accounts' }).getByRole('listitem', { name });

  test('a failure on one account: Send again is blocked until it is reconnected, then sends there alone', async () => {
    const { service } = world;
    const broken = await service.connect('linkedin_page', { handle: 'rye-page' });
    await service.posthorn.sandboxes.planFault('linkedin_page', 'publish', { fault: 'refused-token', times: null });
    const { id, body } = await publish([good, broken]);
    await service.posthorn.sandboxes.planFault('linkedin_page', 'publish', undefined);

    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Failed on 1 of 2').first().waitFor();
    await page.getByText('1 account has it, 1 failed. What worked stays; nothing is sent twice.').waitFor();
    const rows = page.getByRole('list', { name: 'Accounts' }).locator('> li');
    await expect.poll(() => rows.first().getAttribute('aria-label')).toContain('LinkedIn Page');
    const row = rowOf(page, 'LinkedIn Page');
    await row.getByText('LinkedIn Page refused the sign-in. Reconnect, then send again.').waitFor();
    const reconnect = row.getByRole('link', { name: 'Reconnect LinkedIn Page' });
    await expect.poll(() => reconnect.getAttribute('href')).toBe('/connect/linkedin_page');
    const again = row.getByRole('button', { name: 'Send again' });
    await expect.poll(() => again.getAttribute('aria-disabled')).toBe('true');
    await again.click({ force: true });
    expect(await axe(page)).toEqual([]);

    await service.connect('linkedin_page', { handle: 'rye-page' });
    await page.reload();
    await row.getByText('It is connected again now.').waitFor();
    expect(await shown('linkedin_page', body)).toBe(0);
    await again.click();
    await page.getByRole('heading', { name: /^Out on 2 accounts/ }).waitFor();
    expect([await shown('linkedin_page', body), await shown('bluesky', body)]).toEqual([1, 1]);
  });

  test('an uncertain post that is there is not sent', async () => {
    const { id, body } = await uncertain();
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Mastodon may have the post, but did not confirm it.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'It is there' }).click();
    await page.getByText('1 account has it.').waitFor();
    await page.getByText('No statistics, because a person confirmed it').waitFor();
    expect(await shown('mastodon', body)).toBe(0);
  });

  test('an uncertain post that is not there is sent', async () => {
    const { id, body } = await uncertain();
    const page = await world.visit({ at: `/posts/${id}`, width: 390, scheme: 'dark' });
    await page.getByRole('button', { name: 'It is not there, send it' }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'It is not there, send it' }).click();
    await page.getByRole('heading', { name: /^Out on 1 account/ }).waitFor();
    await page.getByRole('button', { name: 'See results' }).click();
    await page.getByText('1 account has it.').waitFor();
    expect(await shown('mastodon', body)).toBe(1);
  });

  test('if someone else answered first, nothing more happens and the page shows their answer', async () => {
    const { id } = await uncertain();
    const page = await world.visit({ at: `/posts/${id}`, expected: [/409/] });
    const there = page.getByRole('button', { name: 'It is there' });
    await there.waitFor();
    await intercept(page, '**/api/app/posts/*/found', async (route) => {
      await world.service.posthorn.lifecycle.confirmFound(
        { ...world.service.owner, role: 'owner', mayPublish: true, isPerson: true },
        id,
        [doubtful],
      );
      await route.continue();
    });
    await there.click();
    await page.getByText('1 account has it.').waitFor();
  });

  test('a published post shows its link, numbers, and past and future reads', async () => {
    const { service } = world;
    const { id } = await publish([good]);
    const page = await world.visit({ at: `/posts/${id}` });
    await rowOf(page, 'Bluesky').getByText('First read').waitFor();
    await expect
      .poll(() => rowOf(page, 'Bluesky').getByRole('link', { name: 'Open on Bluesky' }).getAttribute('href'))
      .toMatch(/^http/);
    await service.database.query(
      sql(
        'test.read',
        `with read as (
           update publications set metrics = '{"likes": 7, "comments": 1}', fetched_at = published_at + interval '1 hour'
            where post_id = $1 returning workspace_id, post_id, account_id, fetched_at, metrics)
         insert into metric_reads (workspace_id, post_id, account_id, fetched_at, metrics) select * from read`,
      ),
      [id],
    );
    // An open page gets the live event.
    await service.posthorn.live.publish({ workspaceId: service.owner.workspaceId, kind: 'statistics', id });
    await rowOf(page, 'Bluesky').getByText('likes').waitFor();
    await expect.poll(() => rowOf(page, 'Bluesky').getByRole('definition').allInnerTexts()).toEqual(['7', '1']);
    // In a small window the numbers leave room for the name.
    await page.setViewportSize({ width: 1024, height: 768 });
    const link = rowOf(page, 'Bluesky').getByRole('link', { name: 'Open on Bluesky' });
    await expect.poll(async () => (await link.boundingBox())?.height).toBeLessThan(30);
    // In running text, colour is not enough to recognize a link.
    await expect.poll(() => link.evaluate((one) => getComputedStyle(one).textDecorationLine)).toBe('underline');
    const steps = page.getByRole('region', { name: 'Reads' }).getByRole('listitem');
    await expect.poll(() => steps.first().innerText()).toMatch(/1 h\s+8/);
    await expect.poll(() => steps.count()).toBe(6);
    await service.database.query(
      sql(
        'test.failedRead',
        "update publications set fetch_error = 'Not now.', failed_at = posthorn_now() where post_id = $1",
      ),
      [id],
    );
    await page.reload();
    await page.getByText(/Numbers from .*; the last read failed/).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  test('without the permission for statistics there is a way to reconnect, and then numbers at once', async () => {
    const { service } = world;
    const { statisticsPermission = '' } = service.posthorn.networks.get('threads');
    const account = await service.connect('threads', { handle: 'tester.asks', without: [statisticsPermission] });
    const silent = await service.connect('linkedin', { handle: 'silent' });
    const { id } = await publish([account, silent]);
    const page = await world.visit({ at: `/posts/${id}` });
    const note = page.getByRole('link', { name: 'Reconnect to read statistics' });
    await note.waitFor();
    await expect.poll(() => note.getAttribute('href')).toBe('/connect/threads');
    await page.getByText('Reports no statistics').waitFor();
    await service.connect('threads', { handle: 'tester.asks' });
    await until('it was read', async () => {
      const { accounts } = await service.client.posts.metrics({ id });
      return accounts.some(({ accountId, metrics }) => accountId === account && metrics);
    });
    await page.reload();
    await rowOf(page, 'Threads').getByText('likes').waitFor();
    await note.waitFor({ state: 'detached' });
  });

  test('while it is being sent, shows which accounts are done', async () => {
    const { service } = world;
    const { id } = await publish([good, doubtful]);
    await service.database.query(
      sql(
        'test.stillSending',
        "update sends set due_at = 'infinity', result = null where post_id = $1 and account_id = $2",
      ),
      [id, doubtful],
    );
    await service.database.query(
      sql('test.sending', "update posts set status = 'Publishing', results = '[]' where id = $1"),
      [id],
    );
    const page = await world.visit({ at: `/posts/${id}` });
    await page.getByText('Mastodon is still working. You can leave this page.').waitFor();
    await page.getByRole('button', { name: 'See results' }).click();
    await page.getByText('Published to 1 account. Mastodon is still working.').waitFor();
    expect(await axe(page)).toEqual([]);
    await service.database.query(
      sql(
        'test.sent',
        `update sends set due_at = null, result = jsonb_build_object('accountId', account_id, 'ok', true, 'uncertain', false)
          where post_id = $1 and account_id = $2`,
      ),
      [id, doubtful],
    );
    const sends = createBeginStore(service.database);
    const keys = [{ workspaceId: service.owner.workspaceId, postId: id }];
    await service.database.transaction(async () => service.posthorn.outcomes.end(await sends.endedPosts(keys)));
    await page.getByText('2 accounts have it.').waitFor();
  });

  test('the times of the next reads have room between them', async () => {
    const page = await world.visit({ at: `/posts/${(await publish([good])).id}`, width: 834 });
    const reads = page.getByRole('region', { name: 'Reads' }).getByRole('listitem');
    await reads.first().waitFor();
    const gaps = await reads.evaluateAll((steps) => {
      const texts = steps.map((step) => {
        const range = document.createRange();
        range.selectNodeContents(step.lastElementChild ?? step);
        return range.getBoundingClientRect();
      });
      return texts.slice(1).map(({ left }, index) => left - (texts[index]?.right ?? 0));
    });
    expect(Math.min(...gaps)).toBeGreaterThan(4);
  });

  test('a viewer sees the results and can change nothing', async () => {
    const { id } = await uncertain();
    const { email } = await world.service.addMember('viewer');
    const page = await world.visit({ at: `/posts/${id}`, as: email });
    await page.getByText('An owner, admin or editor can answer.').waitFor();
    expect(await page.getByRole('button', { name: /It is|Duplicate|More/ }).count()).toBe(0);
  });

  test('is duplicated into a draft, and deleted with a warning about what stays public', async () => {
    const { service } = world;
    const { id, body } = await uncertain();
    const owner = service.browser();
    await owner.signIn();
    const label = (await owner.post('/api/app/labels', { name: 'Copied too' })).body.id;
    await owner.post('/api/app/posts/labels', { postIds: [id], add: [label] });
    // The live event of the deletion may arrive before the page is left.
    const page = await world.visit({ at: `/posts/${id}`, expected: [/404/] });
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await expect.poll(() => new URL(page.url()).pathname).not.toBe(`/posts/${id}`);
    const copy = await service.client.posts.get({ id: new URL(page.url()).pathname.split('/').at(-1) ?? '' });
    expect(copy).toMatchObject({ status: 'Draft', accountIds: [doubtful], versions: [{ content: [{ body }] }] });
    expect((await owner.get(`/api/app/posts/${copy.id}/labels`)).body.labelIds).toEqual([label]);
    const dialog = page.getByRole('dialog', { name: 'Delete this post?' });
    await go(page, `/posts/${id}?edit=1`);
    await page.getByRole('button', { name: 'Publish now' }).waitFor();
    await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByText('What is already on a network stays there.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await go(page, `/posts/${id}`);
    await page.getByRole('main').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog.getByText('It stays public on Mastodon').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/posts');
    await expect.poll(async () => (await service.call('posts.get', { id })).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit({ at: `/posts/${refused}` });
    await isClean(page, () => page.getByRole('button', { name: 'Send again to all that failed' }).waitFor());
  });
});
