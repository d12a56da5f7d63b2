import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { publicationsOf } from '#test/support/publications';
import { axe, inBrowser, intercept, isClean, isSideways, type World } from './harness.ts';

/** Four posts in three weeks, and one in the three weeks before. */
const threeWeeks = '/analytics?from=2026-09-21&to=2026-10-11';

const put = async (
  { service }: World,
  { body, publishedAt, numbers }: { body: string; publishedAt: string; numbers: Record<string, object> },
) => {
  const { id } = await service.client.posts.create({ body, accountIds: Object.keys(numbers) });
  await service.setStatus(id, 'Published');
  const targets = Object.entries(numbers).map(([accountId, metrics]) => ({
    postId: id,
    accountId,
    publishedAt,
    metrics,
  }));
  await publicationsOf(service.database).add(targets);
};

const totalOf = async (page: Page, name: string) => {
  const total = page.getByLabel('Totals').locator('div').filter({ hasText: name });
  return (await total.innerText()).split('\n').filter(Boolean).slice(1);
};

const downloadFrom = async (page: Page) => {
  const downloads = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).click();
  const download = await downloads;
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
  return { name: download.suggestedFilename(), lines };
};

inBrowser('Analytics', (world) => {
  let photos = '';
  let texts = '';

  beforeAll(async () => {
    const { service } = world;
    photos = await service.connect('instagram', { handle: 'rye.photos' });
    texts = await service.connect('x', { handle: 'rye_texts' });
    await service.connect('linkedin', { handle: 'silent' });
    const { statisticsPermission = '' } = service.posthorn.networks.get('threads');
    await service.connect('threads', { handle: 'tester.asks', without: [statisticsPermission] });
    const weeks: [string, string, Record<string, object>][] = [
      [
        '=HYPERLINK("http://evil.example")',
        '2026-10-08T16:30:00Z',
        { [photos]: { likes: 100, comments: 10, views: 1000, reach: 500 }, [texts]: { likes: 20 } },
      ],
      ['Rye, "wheat", spelt', '2026-10-01T16:00:00Z', { [photos]: { likes: 50, views: 100 } }],
      ['The third Thursday', '2026-09-24T16:00:00Z', { [photos]: { saves: 60, views: 100 } }],
      ['A Monday', '2026-10-05T07:00:00Z', { [photos]: { likes: 40, views: 50 } }],
      ['Before', '2026-09-10T07:00:00Z', { [photos]: { likes: 140, views: 1250, comments: 0 } }],
      ['Long before', '2026-08-01T07:00:00Z', { [photos]: { likes: 1 } }],
    ];
    for (const [body, publishedAt, numbers] of weeks) await put(world, { body, publishedAt, numbers });
  });

  test('shows the known numbers: totals with their change, networks, best times, top posts', async () => {
    const page = await world.visit({ at: threeWeeks });
    await page.getByRole('heading', { name: 'Top posts' }).waitFor();
    await expect.poll(() => totalOf(page, 'Engagement')).toEqual(['280', '140 the 21 days before']);
    await expect.poll(() => totalOf(page, 'Views')).toEqual(['1,250', '1,250 the 21 days before']);
    await expect.poll(() => totalOf(page, 'Comments')).toEqual(['10', '0 the 21 days before']);
    await expect.poll(() => totalOf(page, 'Posts')).toEqual(['4', '1 the 21 days before']);
    // Three posts at one time, and one at another: too few for a claim.
    await page.getByText('4 posts brought 280 engagements from 21 Sep to 11 Oct.').waitFor();
    await page.getByText(/from 2 of 4 accounts\./).waitFor();

    const bars = page.getByRole('list', { name: 'Engagement by network' }).getByRole('listitem');
    await expect
      .poll(() => bars.allInnerTexts())
      .toEqual([
        expect.stringMatching(/Instagram[\s\S]*260/),
        expect.stringMatching(/X[\s\S]*20/),
        expect.stringMatching(/Threads[\s\S]*Permission is missing[\s\S]*—/),
        expect.stringMatching(/This network reports no numbers[\s\S]*—/),
      ]);
    await expect.poll(() => bars.getByRole('link', { name: 'Reconnect' }).getAttribute('href')).toBe('/accounts');
    const { email } = await world.service.addMember('viewer');
    const viewer = await world.visit({ at: threeWeeks, as: email });
    await viewer.getByText('Ask an owner or admin to reconnect.').waitFor();
    await page.getByRole('radiogroup', { name: 'Engagement by' }).getByText('Accounts').click();
    await page.getByRole('list', { name: 'Engagement by account' }).getByText('@rye_texts').waitFor();

    const thursday = page.getByRole('button', { name: 'Thu 18–20, 80 a post, 3 posts' });
    await expect.poll(() => thursday.getAttribute('aria-pressed')).toBe('true');
    await page.getByText(/80 a post, from 3 posts\. Next: (Thu|today)/).waitFor();
    const at = new URL(
      String(await page.getByRole('link', { name: 'Write for this time' }).getAttribute('href')),
      page.url(),
    );
    expect(at.pathname).toBe('/posts/new');
    expect(at.searchParams.get('at')).toMatch(/T1[67]:00:00\.000Z$/);
    await thursday.press('ArrowUp');
    await page.getByText('40 a post, from 1 post: a guess').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('40');

    const top = page.getByRole('region', { name: 'Top posts' }).getByRole('listitem');
    await expect
      .poll(() => top.allInnerTexts())
      .toEqual([
        expect.stringMatching(/HYPERLINK[\s\S]*130$/),
        expect.stringMatching(/third Thursday[\s\S]*60$/),
        expect.stringMatching(/Rye[\s\S]*50$/),
        expect.stringMatching(/A Monday[\s\S]*40$/),
      ]);
  });

  test('offers a table instead of the chart, and a CSV in which no text is a formula', async () => {
    const page = await world.visit({ at: threeWeeks });
    const chart = page.getByRole('slider', {
      name: /Engagement by day, 21 Sep – 11 Oct( 2026)?: 280\. Highest 130 on 8 Oct/,
    });
    await chart.focus();
    for (let days = 0; days < 3; days++) await chart.press('ArrowLeft');
    await expect
      .poll(() => chart.getAttribute('aria-valuetext'))
      .toBe('Thu 8 Oct: 130, before 0. =HYPERLINK("http://evil.example"): 130');
    await page.getByText('Thu 8 Oct: 130').waitFor();
    await page.getByText('130, Instagram and X').waitFor();
    await page.getByRole('button', { name: 'Show as a table' }).click();
    await page.getByRole('row', { name: '8 Oct 130 1 0' }).waitFor();
    const { name, lines } = await downloadFrom(page);
    expect(name).toBe('posthorn-2026-09-21-to-2026-10-11.csv');
    expect(lines[0]).toBe('\uFEFFabout,name,posts,engagement,views,reach,likes,comments,shares,quotes,saves,clicks');
    expect(lines).toContain('day,2026-10-08,1,130,1000,,,,,,,');
    expect(lines).toContain('network,X,1,20,0,,20,0,0,0,0,');
    expect(lines).toContain('time,Thu 18:00,3,240,,,,,,,,');
    expect(lines).toContain('post,"\'=HYPERLINK(""http://evil.example"")",1,130,1000,,,,,,,');
  });

  test('keeps range and accounts in the address, and refuses invalid dates', async () => {
    const page = await world.visit({ at: threeWeeks });
    await page.getByRole('button', { name: 'All accounts' }).click();
    await page.getByRole('checkbox', { name: '@rye_texts' }).check();
    await expect.poll(() => new URL(page.url()).searchParams.get('accounts')).toBe(texts);
    await page.keyboard.press('Escape');
    await expect.poll(() => totalOf(page, 'Engagement')).toEqual(['20', 'first 4 days']);
    await page.reload();
    await page.getByRole('button', { name: 'Accounts 1' }).waitFor();
    await page.getByRole('button', { name: 'Change the dates' }).click();
    await page.getByLabel('First day').fill('2024-01-01');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('Choose fewer than 400 days.').waitFor();
    await page.getByLabel('First day').fill('2026-10-06');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe(`?from=2026-10-06&to=2026-10-11&accounts=${texts}`);
    // Until the new numbers load, the old ones keep showing their own range.
    await page.getByText('1 post brought 20 engagements from 6 Oct to 11 Oct.').waitFor();
    await intercept(page, /analytics\.summary/, () => new Promise<void>(() => undefined));
    await page.getByText('7 days').click();
    await expect.poll(() => new URL(page.url()).search).toBe(`?accounts=${texts}&range=7`);
    await expect.poll(() => page.getByRole('button', { name: 'Download as CSV' }).isDisabled()).toBe(true);
    await page.getByText('1 post brought 20 engagements from 6 Oct to 11 Oct.').waitFor();
  });

  test("counts in the person's time zone, not in the browser's", async () => {
    const { email, userId } = await world.service.addMember('editor');
    await world.service.posthorn.people.changeProfile(userId, { timeZone: 'Asia/Tokyo' });
    const page = await world.visit({ at: threeWeeks, as: email });
    await page.getByText('Asia/Tokyo').waitFor();
    await page.getByRole('button', { name: 'Fri 00–02, 80 a post, 3 posts' }).waitFor();
  });

  test('says when the first numbers come, and offers a viewer no New post', async () => {
    const other = await world.service.addWorkspace();
    const page = await world.visit({ at: '/analytics', as: other.email });
    await page.getByRole('heading', { name: 'First numbers come 1 hour after a post goes out' }).waitFor();
    await page.getByRole('link', { name: 'Write a post' }).waitFor();
    expect(await axe(page)).toEqual([]);
    const viewer = await world.service.addMember('viewer');
    const seen = await world.visit({ at: threeWeeks, as: viewer.email });
    await seen.getByText('80 a post, from 3 posts').waitFor();
    expect(await seen.getByRole('link', { name: 'Write for this time' }).count()).toBe(0);
  });

  test('is clean on a desk in light and on a phone in dark', async () => {
    const page = await world.visit({ at: threeWeeks });
    await isClean(page, async (isPhone) => {
      await page.getByRole('heading', { name: 'Top posts' }).waitFor();
      await page
        .getByRole('slider', { name: /^Engagement by day/ })
        .locator('rect')
        .first()
        .waitFor();
      if (isPhone) await page.getByRole('button', { name: 'Whole week' }).click();
      await page.getByRole('button', { name: 'Thu 18–20, 80 a post, 3 posts' }).waitFor();
    });
  });

  test('fits 1024, with today so far, and — where nothing was read', async () => {
    const daysAgo = (days: number) => new Date(world.service.clock.now().getTime() - days * 86_400_000).toISOString();
    const other = await world.service.connect('bluesky', { handle: 'unread' });
    await put(world, { body: 'Two days ago', publishedAt: daysAgo(2), numbers: { [other]: { likes: 3 } } });
    const unread = await world.service.connect('mastodon', { handle: 'unread' });
    const { id } = await world.service.client.posts.create({ body: 'Unread', accountIds: [unread] });
    await world.service.setStatus(id, 'Published');
    await publicationsOf(world.service.database).add([
      { postId: id, accountId: unread, publishedAt: daysAgo(1), metrics: null },
    ]);
    const page = await world.visit({ at: `/analytics?range=7&accounts=${other},${unread}`, width: 1024 });
    await page.getByText('2 posts brought 3 engagements in 7 days.').waitFor();
    await page.getByText('today, so far').waitFor();
    await expect.poll(() => totalOf(page, 'Views')).toEqual(['—', 'not reported by these networks']);
    const networks = page.getByRole('list', { name: 'Engagement by network' }).getByRole('listitem');
    await expect.poll(() => networks.allInnerTexts()).toContainEqual(expect.stringMatching(/Nothing read yet[\s\S]*—/));
    await expect.poll(() => isSideways(page)).toBe(false);
    const cells = page.getByRole('table').getByRole('columnheader');
    await expect.poll(() => cells.count()).toBe(8);
    // A post without metrics tells nothing about the hour it went out.
    await expect.poll(() => page.getByRole('table').getByRole('button').count()).toBe(1);
    expect(await axe(page)).toEqual([]);
    const only = await world.visit({ at: `/analytics?range=7&accounts=${unread}` });
    await only.getByText('1 post went out in 7 days. No numbers have been read yet.').waitFor();
    await expect.poll(() => totalOf(only, 'Engagement')).toEqual(['—', 'nothing read yet']);
    // The chart, the best times and the top posts do not call that 0 either.
    const chart = only.getByRole('slider', { name: /^Engagement by day, .*: no numbers\.$/ });
    await chart.press('ArrowLeft');
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toMatch(/: no numbers\. Unread: no number$/);
    await only.getByText('Times appear with the first numbers.').waitFor();
    await only.getByRole('listitem').filter({ hasText: 'Unread' }).getByText('No numbers are read').waitFor();
    const { lines } = await downloadFrom(only);
    expect(lines.slice(1, -1).map((line) => line.replace(/^(\w+),[^,]+,/, '$1 '))).toEqual([
      'total 1,,,,,,,,,',
      'day 1,,,,,,,,,',
      'network 1,,,,,,,,,',
      'account 1,,,,,,,,,',
      'post 1,,,,,,,,,',
    ]);
  });
});
