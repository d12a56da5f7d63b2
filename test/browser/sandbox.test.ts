import { expect, test } from 'vitest';
import { until } from '#test/support/until';
import { axe, inBrowser, intercept, isClean } from './harness.ts';

inBrowser('the sandbox', (world) => {
  const publish = async (network: string, items: readonly string[]) => {
    const accountId = await world.service.connect(network);
    const { id } = await world.service.asHuman('posts.create', { accountIds: [accountId] });
    const versions = [{ content: items.map((body) => ({ body })) }];
    await world.service.asHuman('posts.update', { id, accountIds: [accountId], versions });
    await world.service.asHuman('posts.publishNow', { id });
    const get = () => world.service.asHuman('posts.get', { id });
    await until('the post is out', async () => (await get()).status === 'Published');
    return get();
  };

  test('shows a thread as replies, and foreign text stays text', async () => {
    const text = '<script>alert(1)</script><img src=x onerror=alert(2)> "quoted"';
    await publish('mastodon', [text, 'Part two', 'Part three']);
    const page = await world.visit({ at: '/sandbox' });
    const post = page.getByRole('listitem').filter({ hasText: text }).first();
    const replies = post.getByRole('list', { name: 'Replies' });
    await replies.getByText('Part two').waitFor();
    await replies.getByText('Part three').waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });

  test('the URL of a post leads to the feed of its network', async () => {
    const { results } = await publish('x', ['Seen from outside']);
    await publish('bluesky', ['Elsewhere']);
    const page = await world.visit({ at: new URL(results[0].url).pathname });
    await page.getByText('Seen from outside').waitFor();
    await expect.poll(() => page.url()).toContain('/sandbox?network=x');
    expect(await page.getByText('Elsewhere').count()).toBe(0);
    await page.getByRole('button', { name: 'All' }).click();
    await page.getByText('Elsewhere').waitFor();
  });

  test('a fault says what it will cause, is planned and revoked', async () => {
    const page = await world.visit({ at: '/sandbox?network=tiktok' });
    const fault = page.getByRole('switch', { name: 'Service down (503)' });
    await page.getByText('Posthorn tries again, then the post fails').waitFor();
    await fault.click({ force: true });
    const planned = page.getByRole('list', { name: 'Planned faults' });
    await planned.getByText('TikTok: Service down (503)').waitFor();
    await planned.getByText('Sending a post, once').waitFor();
    expect(await axe(page)).toEqual([]);
    await planned.getByRole('button', { name: /^Take back/ }).click();
    await planned.waitFor({ state: 'detached' });
    await expect.poll(() => fault.isChecked()).toBe(false);
  });

  test('what is chosen for a fault has room on a tablet', async () => {
    const page = await world.visit({ at: '/sandbox', width: 834 });
    const moment = page.getByRole('combobox', { name: 'When' });
    await moment.waitFor();
    await expect.poll(() => moment.inputValue()).toBe('Sending a post');
    expect(await moment.evaluate((field) => field.scrollWidth - field.clientWidth)).toBe(0);
  });

  test('only the operator can move the clock', async () => {
    const { email } = await world.service.addMember('admin');
    const other = await world.visit({ at: '/sandbox', as: email });
    await other.getByText('Only the person who set up Posthorn can move it.').waitFor();
    expect(await other.getByRole('button', { name: /^\+/ }).count()).toBe(0);
    const page = await world.visit({ at: '/sandbox' });
    await page.getByRole('group', { name: 'Move the clock forward' }).getByRole('button', { name: '+6 h' }).click();
    await page.getByRole('link', { name: /Clock is (6 h|5 h 59 min)/ }).waitFor();
    await page.getByText(/^(6 h|5 h 59 min)( \d+ min)? ahead$/).waitFor();
    // Other open pages show it as well.
    await other.getByRole('link', { name: /Clock is (6 h|5 h 59 min)/ }).waitFor();
    expect(await axe(page)).toEqual([]);
    // A browser whose own clock is fast.
    await intercept(other, '**/api/app/sandbox/clock', (route) =>
      route.fulfill({ json: { now: new Date(Date.now() - 3_600_000).toISOString() } }),
    );
    await page.getByRole('group', { name: 'Move the clock forward' }).getByRole('button', { name: '+6 h' }).click();
    await page.getByRole('link', { name: /Clock is (12 h|11 h 59 min)/ }).waitFor();
    await other.getByRole('link', { name: /^Clock is/ }).waitFor({ state: 'detached' });
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    await world.service.connect('x');
    const page = await world.visit({ at: '/sandbox' });
    await isClean(page, () => page.getByRole('button', { name: 'All' }).waitFor());
    await page.getByRole('button', { name: 'Clock and faults' }).click();
    await page.getByRole('switch').first().waitFor();
    expect(await axe(page)).toEqual([]);
  });
});
