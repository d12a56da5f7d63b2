import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { go, inBrowser, intercept, isSideways } from '#test/browser/harness';
import { networkKeys } from '#test/support/network-keys';
import { publicationsOf } from '#test/support/publications';

const longNames = [
  'Rye & Ember, the bakery at the old harbour, open from seven in the morning until everything is gone',
  'مخبز الجاودار ٢٤ Rye & Ember (مفتوح 7:30–18:00) في الميناء القديم حتى نفاد كل شيء، فرع برلين 41',
];
const postId = (n: number) => `post_${String(n).padStart(26, '0')}`;

const addPosts = sql(
  'test.scale.posts',
  `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by, results)
   select 'post_' || lpad(n::text, 26, '0'), $1, status, accounts, jsonb_build_array(jsonb_build_object(
            'content', jsonb_build_array(jsonb_build_object('body', case when status = 'Failed' then 'לחם שיפון ' else '' end || 'Post number ' || n || repeat(' and a few words', n % 20), 'media', '[]'::jsonb)),
            'options', '{}'::jsonb)),
          case when n > 1980 then date_trunc('day', posthorn_now()) + interval '45 days 12 hours'
               when status <> 'Draft' then posthorn_now() + (n - 1400) * interval '100 minutes' end, $2,
          case when status in ('Published', 'Failed') then (
            select jsonb_agg(jsonb_build_object('accountId', id, 'ok', status = 'Published', 'uncertain', false)) from unnest(accounts) id)
          else '[]'::jsonb end
     from generate_series(1, 2000) n
     cross join lateral (select case when n <= 400 then 'Draft' when n > 1400 then 'Scheduled' when n % 100 = 0 then 'Failed'
                                     else 'Published' end as status,
                                $3::text[] as every) kind
     cross join lateral (select array[every[1 + n % 13], every[1 + (n * 7 + 1) % 13]] as accounts) chosen`,
);
const addMedia = sql(
  'test.scale.media',
  `insert into media (id, workspace_id, kind, mime_type, bytes, width, height, alt, file_name)
   select 'media_' || lpad(n::text, 26, '0'), $1, 'Image', 'image/jpeg', 1000, 1200, 1000, 'A loaf on a table', 'loaf-' || n || '.jpg'
     from generate_series(1, 500) n`,
);
const name = sql('test.scale.name', 'update accounts set name = $1, handle = $2 where id = $3');
const dayOf = sql(
  'test.scale.day',
  `select to_char(scheduled_at, 'YYYY-MM-DD') as day from posts where id = $1`,
).holds<{ day: string }>();
const published = sql(
  'test.scale.published',
  `select id as "postId", account_ids as "accountIds", scheduled_at as "publishedAt" from posts where status = 'Published'`,
).holds<{ postId: string; accountIds: string[]; publishedAt: string }>();

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

inBrowser('2,000 posts, 500 files and 13 accounts with long names', (world) => {
  beforeAll(async () => {
    const { database, owner } = world.service;
    const ids: string[] = [];
    for (const network of networkKeys) ids.push(await world.service.addAccount(network));
    for (const [n, id] of ids.entries())
      await database.run(name, [`${longNames[n % 2]} ${n}`, `${'rye.and.ember.'.repeat(4)}${n}`, id]);
    await database.run(addPosts, [owner.workspaceId, owner.userId, ids]);
    await database.run(addMedia, [owner.workspaceId]);
    const out = await database.query(published, []);
    await publicationsOf(database).add(
      out.flatMap(({ postId, accountIds, publishedAt }, n) =>
        [...new Set(accountIds)].map((accountId) => ({
          postId,
          accountId,
          publishedAt,
          metrics: { views: n, likes: n % 50 },
        })),
      ),
    );
  });

  const visit = async (at: string) => {
    const page = await world.visit({ at: '/settings/profile' });
    // The content of images does not matter here.
    await page
      .context()
      .route('**/media/*size=thumbnail*', (route) => route.fulfill({ contentType: 'image/png', body: pixel }));
    await go(page, at);
    return page;
  };
  const nodes = (page: Page) => page.evaluate('document.querySelectorAll("*").length') as Promise<number>;
  /** Only the sheet of the shell scrolls; hidden text must not make the document behind it longer. */
  const isLong = (page: Page) => page.evaluate('document.documentElement.scrollHeight > innerHeight');
  const isWithin = async (page: Page, path: string) => {
    await expect.poll(() => isSideways(page), { message: path }).toBe(false);
    await expect.poll(() => isLong(page), { message: path }).toBe(false);
  };

  test('every page renders a bounded number of rows, and nothing overflows', async () => {
    const page = await visit('/posts');
    const asDesktop = async (path: string, shown: string) => {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.locator(shown).first().waitFor();
      await isWithin(page, path);
      return { shown: await page.locator(shown).count(), nodes: await nodes(page) };
    };
    const asPhone = async (path: string, shown: string) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.locator(shown).first().waitFor();
      await isWithin(page, `${path} on a phone`);
    };
    let isPhone = false;
    /** Keeps the window size of the previous page, because resizing renders everything again. */
    const look = async (path: string, shown: string, onPhone = shown) => {
      await go(page, path);
      if (isPhone) await asPhone(path, onPhone);
      const found = await asDesktop(path, shown);
      if (!isPhone) await asPhone(path, onPhone);
      isPhone = !isPhone;
      return found;
    };
    const found = {
      home: await look('/', 'main [data-row]'),
      posts: await look('/posts', 'main [data-row]'),
      month: await look('/calendar?view=month', 'main [data-event-id]', 'main [data-row]'),
      week: await look('/calendar', 'main [data-event-id]', 'main [data-row]'),
      agenda: await look('/calendar?view=agenda', 'main [data-row]'),
      media: await look('/media', 'main [aria-label="Media"] > li'),
      analytics: await look('/analytics', 'main table', 'main h2'),
      accounts: await look('/accounts', 'main [data-row]'),
      editor: await look('/posts/new', 'main textarea'),
    };
    const most = {
      home: 40,
      posts: 160,
      month: 220,
      week: 120,
      agenda: 120,
      media: 60,
      analytics: 2,
      accounts: 13,
      editor: 1,
    };
    for (const [path, { shown, nodes }] of Object.entries(found)) {
      expect(shown, `${path}: ${JSON.stringify(found)}`).toBeLessThanOrEqual(most[path as keyof typeof most]);
      expect(nodes, `${path}: ${JSON.stringify(found)}`).toBeLessThan(6500);
    }
  });

  test('the list loads page after page, in order, to the last post', async () => {
    const page = await visit('/posts?status=Draft');
    const rows = page.locator('main [data-row]');
    const more = page.getByRole('button', { name: 'Show more' });
    await rows.first().waitFor();
    const first = await rows.count();
    while ((await more.count()) > 0) {
      const before = await rows.count();
      await more.click();
      await expect.poll(() => rows.count()).toBeGreaterThan(before);
    }
    expect(first).toBeLessThan(400);
    await expect.poll(() => rows.count()).toBe(400);
    await expect.poll(() => rows.first().textContent()).toContain('Post number 400');
    await expect.poll(() => rows.last().textContent()).toContain('Post number 1 ');

    // Deleting and restoring this many posts takes long.
    await intercept(page, '**/api/app/bulk/changes', (route) => {
      const { posts } = route.request().postDataJSON() as { posts: { id: string }[] };
      return route.fulfill({ json: { results: posts.map(({ id }) => ({ id, done: true })) } });
    });
    await rows.first().getByRole('checkbox').check();
    const bar = page.getByRole('region', { name: 'Selected posts' });
    await bar.getByRole('button', { name: 'Select all 400' }).click();
    await bar.getByText('400 posts selected').waitFor();
    await bar.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('400 drafts deleted').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await rows.first().waitFor();
    await expect.poll(() => page.getByText(/^Restoring/).count()).toBe(0);
  });

  test('of twenty posts at one time, a day shows seven and the number of the others, which leads to all of them', async () => {
    const [row] = await world.service.database.query(dayOf, [postId(2000)]);
    const page = await visit(`/calendar?view=day&date=${row?.day}`);
    await page.getByRole('button', { name: '+13 more, open the agenda' }).waitFor();
    await expect.poll(() => page.locator('main [data-event-id]').count()).toBe(7);
    await page.getByRole('button', { name: '+13 more, open the agenda' }).click();
    for (const n of [1981, 2000]) await page.locator(`main [data-row="${postId(n)}"]`).waitFor();
  });

  /** Boxes of the element, of its first and of its last character. */
  const boxesOf = (element: Locator) =>
    element.evaluate((node) => {
      const text = node.firstChild as Text;
      const boxOf = (from: number) => {
        const range = document.createRange();
        range.setStart(text, from);
        range.setEnd(text, from + 1);
        const { left, right } = range.getBoundingClientRect();
        return { left, right };
      };
      const { left, right } = node.getBoundingClientRect();
      return { all: { left, right }, first: boxOf(0), last: boxOf(text.length - 1) };
    });

  test('words from right to left begin at the right, and the sentence around them at the left', async () => {
    const page = await visit('/');
    const row = page.locator('main [data-row]', { hasText: 'did not reach' }).first();
    await expect
      .poll(async () => {
        const { first, last } = await boxesOf(row.locator('bdi').first());
        return first.left > last.left;
      })
      .toBe(true);
    const direction = (element: Locator) => element.evaluate((node) => getComputedStyle(node).direction);
    await expect.poll(() => direction(row.locator('span:has(> bdi)').first())).toBe('ltr');

    // X has a name from right to left that is too long for the preview.
    await go(page, `/posts/${postId(11)}`);
    await expect
      .poll(async () => {
        const { all, first, last } = await boxesOf(page.getByRole('article', { name: /^X,/ }).locator('b').first());
        return { isBeginShown: first.right <= Math.ceil(all.right), isEndCut: last.left < all.left };
      })
      .toEqual({ isBeginShown: true, isEndCut: true });

    await go(page, '/settings/profile');
    const field = page.getByRole('textbox', { name: 'Name', exact: true });
    await field.fill(longNames[1] ?? '');
    await expect.poll(() => direction(field)).toBe('rtl');
  });
});
