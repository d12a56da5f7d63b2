import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '#contracts/posts';
import type { Role } from '#contracts/scopes';
import { sql } from '#server/store/database';
import { type Answer, type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const hourMs = 3_600_000;

let service: Service;
beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
  service.startJobs();
});
afterAll(() => service.stop());

type Browser = ReturnType<Service['browser']>;

const signedIn = async (email?: string) => {
  const browser = service.browser();
  await browser.signIn(email);
  return browser;
};

const asRole = async (role: Role) => signedIn((await service.addMember(role)).email);

const placeOf = ({ status, headers }: Answer) => {
  expect(status).toBe(302);
  return headers.get('location') ?? '';
};

const pathOf = (url: string | URL) => {
  const { pathname, search } = new URL(url, service.url);
  return pathname + search;
};

const publish = async (browser: Browser, accountIds: string[], text: string) => {
  const { body: post } = await browser.post('/api/app/actions/posts.create', { accountIds, body: text });
  await browser.post('/api/app/actions/posts.publishNow', { id: post.id });
  await until('the post is out', async () => {
    const { body } = await browser.post('/api/app/actions/posts.get', { id: post.id });
    return body.status === 'Published';
  });
  return post.id as string;
};

/** Puts a post into a state that only publishing reaches. */
const setResults = async (id: string, results: Result[]) => {
  await service.setStatus(id, 'Failed');
  await service.database.query(sql('test.results', 'update posts set results = $2 where id = $1'), [
    id,
    JSON.stringify(results),
  ]);
};

/** What of the page belongs to one post. */
const itemOf = (page: string, postId: string) => {
  const from = page.indexOf(`id="${postId}"`);
  expect(from).toBeGreaterThan(0);
  const next = page.indexOf('<li class="box" id="post_', from);
  return page.slice(from, next < 0 ? undefined : next);
};

describe('posts', () => {
  test('that are published now are on the sandbox, and the list leads there', async () => {
    const browser = await signedIn();
    const id = await publish(browser, [await service.connect('x')], 'From the compose page');
    const item = itemOf((await browser.get('/posts')).body, id);
    expect(item).toContain('published');
    const [, permalink = ''] = /<a href="([^"]+)">X ·/.exec(item) ?? [];
    expect(placeOf(await browser.get(pathOf(permalink), { accept: 'text/html' }))).toBe('/sandbox?network=x');
  });

  test('can be taken back, published or deleted, each from where it stands', async () => {
    const browser = await signedIn();
    const account = await service.connect('x');
    const create = async () =>
      (await browser.post('/api/app/actions/posts.create', { accountIds: [account], body: 'Hi' })).body.id as string;
    const [draft, scheduled] = [await create(), await create()];
    const at = new Date(service.clock.now().getTime() + hourMs).toISOString();
    await browser.post('/api/app/actions/posts.schedule', { id: scheduled, at });
    const { body } = await browser.get('/posts');
    expect(itemOf(body, draft)).toMatch(/Publish now[\s\S]*Delete/);
    expect(itemOf(body, scheduled)).toMatch(/goes out at[\s\S]*Take back[\s\S]*Delete/);
    expect(itemOf(body, scheduled)).not.toContain('Publish now');
    const seen = (await (await asRole('viewer')).get('/posts')).body;
    expect(itemOf(seen, draft)).not.toMatch(/<button|data-api/);
    await browser.post(`/api/app/posts/${scheduled}/unschedule`);
    expect(itemOf((await browser.get('/posts')).body, scheduled)).toContain('not scheduled');
  });

  test('that failed say why, and one in doubt can be published again by choice', async () => {
    const browser = await signedIn();
    const [sure, doubt] = [await service.connect('x'), await service.connect('x')];
    const { body: post } = await browser.post('/api/app/actions/posts.create', { accountIds: [sure, doubt] });
    await setResults(post.id, [
      {
        accountId: sure,
        ok: false,
        uncertain: false,
        error: { code: 'rate_limited', message: 'Publish again <b>later</b>.' },
      },
      { accountId: doubt, ok: false, uncertain: true, url: 'javascript:alert(1)' },
    ]);
    const item = itemOf((await browser.get('/posts')).body, post.id);
    expect(item).toContain('Publish again &lt;b&gt;later&lt;/b&gt;.');
    expect(item).toContain(`/api/app/posts/${post.id}/publish-again`);
    expect(item).toContain(`name="accountIds[]" value="${doubt}"`);
    expect(item).not.toContain(`name="accountIds[]" value="${sure}"`);
    expect(item).not.toContain('javascript:');
  });

  test('are listed a page at a time', async () => {
    const browser = await signedIn();
    const { body: first } = await browser.post('/api/app/actions/posts.create', { body: 'The oldest of many' });
    for (let n = 0; n < 30; n++) await browser.post('/api/app/actions/posts.create', { body: `Many ${n}` });
    const { body } = await browser.get('/posts');
    expect(body).not.toContain(first.id);
    const [, older = ''] = /href="(\/posts\?cursor=[^"]+)"/.exec(body) ?? [];
    expect((await browser.get(older)).body).toContain(first.id);
    expect((await browser.get('/posts?cursor=nonsense')).status).toBe(400);
  });

  test('are written by editors, not by viewers', async () => {
    const { status, body } = await (await asRole('viewer')).get('/posts/new');
    expect(status).toBe(403);
    expect(body).toContain('you are viewer here');
    const account = await service.connect('x', { handle: 'karl' });
    const page = (await (await asRole('editor')).get('/posts/new')).body;
    expect(page).toContain(`name="accountIds[]" value="${account}"`);
    expect(page).toContain('@karl');
  });
});

describe('what others wrote', () => {
  const text = `<script>alert(1)</script><img src=x onerror=alert(2)> "quoted' & more`;

  test('is text on every page', async () => {
    const browser = await signedIn();
    await publish(browser, [await service.connect('x')], text);
    for (const path of ['/posts']) {
      const { body } = await browser.get(path);
      expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;');
      expect(body).not.toContain('<script>alert');
      expect(body).not.toContain('<img src=x');
    }
  });

  test('cannot run a script: the pages allow our own alone', async () => {
    const browser = await signedIn();
    for (const path of ['/', '/posts', '/posts/new', '/settings']) {
      const { headers, body } = await browser.get(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
      expect(body.match(/<script/g)).toHaveLength(2);
      expect(body).not.toMatch(/\son\w+="/);
    }
  });
});
