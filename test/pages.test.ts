import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '#contracts/posts';
import type { Role } from '#contracts/scopes';
import { sayYes } from '#server/sandbox/sign-up';
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

/** From the page of the network back to us. */
const consent = async (browser: Browser, url: string, handle: string) => browser.get(pathOf(await sayYes(url, handle)));

const deny = async (url: string) => {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ answer: 'deny' }),
    redirect: 'manual',
  });
  return pathOf(answer.headers.get('location') ?? '');
};

const connected = async (browser: Browser, network: string) => {
  const { body } = await browser.post('/api/app/actions/accounts.list');
  return (body.accounts as { id: string; network: string; handle: string }[]).filter((one) => one.network === network);
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

describe('an account is connected', () => {
  test('on the page of its network, and the accounts say so', async () => {
    const browser = await signedIn();
    const page = placeOf(await browser.get('/connect/x'));
    expect(page).toContain(`${service.url}/sandbox/x/`);
    const next = placeOf(await consent(browser, page, 'anna.page'));
    const [account] = await connected(browser, 'x');
    expect(next).toBe(`/accounts?connected=${account?.id}`);
    const { body } = await browser.get(next);
    expect(body).toContain('Connected @anna.page on X');
    expect(body).toContain('Anna Page');
    expect((await browser.get('/accounts')).body).not.toContain('Connected @anna.page');
  });

  test('on a server that its owner names, and outside production an empty one is the sandbox', async () => {
    const browser = await signedIn();
    const form = await browser.get('/connect/mastodon');
    expect(form.body).toContain('name="values.server"');
    expect(form.body).toContain('Leave the server empty');
    const { body } = await browser.post('/api/app/connections', { network: 'mastodon', values: { server: '' } });
    placeOf(await consent(browser, body.next, 'bo'));
    expect(await connected(browser, 'mastodon')).toMatchObject([{ handle: expect.stringMatching(/^bo@/) }]);
    const bad = await browser.post('/api/app/connections', { network: 'mastodon', values: { server: 'https://a b' } });
    expect(bad.body).toMatchObject({ code: 'BadInput', issues: [{ path: 'values.server' }] });
  });

  test('with what a form asks for, and a secret is not shown while it is typed', async () => {
    const browser = await signedIn();
    const form = await browser.get('/connect/bluesky');
    expect(form.body).toMatch(/<input name="values\.password" type="password"/);
    expect(form.body).toMatch(/<input name="values\.handle" type="text"[^>]* required/);
    const values = { handle: 'cleo', password: 'abcd-efgh-ijkl-mnop', server: '' };
    const { body } = await browser.post('/api/app/connections', { network: 'bluesky', values });
    expect(body).toEqual({
      next: expect.stringContaining('/accounts?connected='),
      accountIds: [expect.stringMatching(/^acct_/)],
    });
    expect((await browser.get(String(body.next))).body).toMatch(/Connected @cleo\S* on Bluesky/);
  });

  test('out of several that the person chooses from', async () => {
    const browser = await signedIn();
    const page = placeOf(await browser.get('/connect/facebook'));
    const choice = placeOf(await consent(browser, page, 'dora'));
    expect(choice).toMatch(/^\/connect\/choose\/[\w-]+$/);
    const { body } = await browser.get(choice);
    const [first, second] = [...body.matchAll(/name="ids\[\]" value="([^"]+)"/g)].map(([, id]) => id);
    expect(second).toBeDefined();
    const [path] = /\/api\/app\/connections\/[\w-]+\/choose/.exec(body) ?? [''];
    const chosen = await browser.post(path, { ids: [first] });
    expect(chosen.body).toMatchObject({
      next: expect.stringContaining('/accounts?connected='),
      accountIds: [expect.any(String)],
    });
    expect(await connected(browser, 'facebook')).toHaveLength(1);
    expect((await browser.get(choice)).status).toBe(409);
  });

  test('a second time, which gives the same account new access', async () => {
    const browser = await signedIn();
    for (const _ of ['first', 'second']) {
      placeOf(await consent(browser, placeOf(await browser.get('/connect/youtube')), 'emil'));
    }
    expect(await connected(browser, 'youtube')).toHaveLength(1);
  });
});

describe('an account is not connected', () => {
  test.each(['editor', 'viewer'] as const)('by somebody who is %s', async (role) => {
    const browser = await asRole(role);
    for (const path of ['/connect/x', '/connect/mastodon', '/connect/x/callback?code=a&state=b', '/connect/choose/a']) {
      const { status, body } = await browser.get(path);
      expect(status).toBe(403);
      expect(body).toContain('Owners and admins connect accounts');
      expect(body).not.toContain('Try again');
    }
    expect((await browser.get('/accounts')).body).not.toContain('href="/connect/x"');
  });

  test('by somebody who is not signed in: they sign in first and come back', async () => {
    const answer = await service.browser().get('/connect/x/callback?code=a&state=b');
    expect(placeOf(answer)).toBe(`/sign-in?next=${encodeURIComponent('/connect/x/callback?code=a&state=b')}`);
  });

  test('when the person says no, and the page tells it with a way back', async () => {
    const browser = await signedIn();
    const back = await browser.get(await deny(placeOf(await browser.get('/connect/linkedin'))));
    expect(back.status).toBe(409);
    expect(back.body).toContain('LinkedIn was not connected');
    expect(back.body).toContain('href="/connect/linkedin"');
    expect(back.body).toContain('href="/accounts"');
    expect(await connected(browser, 'linkedin')).toEqual([]);
  });

  test('with a state that we did not give, or one that was used', async () => {
    const browser = await signedIn();
    expect((await browser.get('/connect/x/callback?code=abc&state=wrong')).status).toBe(409);
    expect((await browser.get('/connect/x/callback')).status).toBe(409);
    const callback = await deny(placeOf(await browser.get('/connect/linkedin')));
    expect((await browser.get(callback)).body).toContain('LinkedIn was not connected');
    expect((await browser.get(callback)).body).toContain('Begin again');
  });

  test('when somebody else began it', async () => {
    const [owner, admin] = [await signedIn(), await asRole('admin')];
    const callback = pathOf(await sayYes(placeOf(await owner.get('/connect/pinterest')), 'fred'));
    const answer = await admin.get(callback);
    expect(answer.status).toBe(409);
    expect(answer.body).toContain('begun by somebody else');
    expect(await connected(admin, 'pinterest')).toEqual([]);
  });

  test('when a choice was begun by somebody else', async () => {
    const [owner, admin] = [await signedIn(), await asRole('admin')];
    const choice = placeOf(await consent(owner, placeOf(await owner.get('/connect/facebook')), 'gina'));
    expect((await admin.get(choice)).status).toBe(409);
    expect((await owner.get(choice)).status).toBe(200);
  });

  test('on a network that does not exist', async () => {
    const answer = await (await signedIn()).get('/connect/nope');
    expect(answer.status).toBe(404);
    expect(answer.body).toContain('There is no network');
  });

  test('beyond the plan, and the page says what lifts it', async () => {
    const other = await startService({}, { ownAddress: true });
    const browser = other.browser();
    await browser.signIn();
    await other.posthorn.plans.set(other.owner.workspaceId, 'free');
    const answer = await browser.get('/connect/x');
    expect(answer.status).toBe(402);
    expect(answer.body).toContain('What lifts it');
    await other.stop();
  });
});

describe('Social accounts', () => {
  test('are empty at first, with every network to connect', async () => {
    const browser = await asRole('admin');
    await browser.post('/api/app/workspaces', { name: 'Their own' });
    const { body } = await browser.get('/accounts');
    expect(body).toContain('No account is connected yet');
    for (const { network, provider } of service.posthorn.providers.list()) {
      expect(body).toContain(`<a class="tile" href="/connect/${network}">${provider}`);
    }
  });

  test('say what to do when one needs reconnecting, or statistics need a permission', async () => {
    const broken = await service.connect('tiktok', { handle: 'hugo' });
    await service.database.query(sql('test.broken', "update accounts set status = 'NeedsReconnect' where id = $1"), [
      broken,
    ]);
    await service.connect('threads', { handle: 'ida', without: ['threads_manage_insights'] });
    const { body } = await (await signedIn()).get('/accounts');
    expect(body).toContain('TikTok no longer accepts our access');
    expect(body).toContain('let Posthorn read its statistics');
  });

  test('are disconnected by owners and admins', async () => {
    const id = await service.connect('pixelfed', { handle: 'jan' });
    const disconnect = `<input type="hidden" name="id" value="${id}">`;
    expect((await (await asRole('editor')).get('/accounts')).body).not.toContain(disconnect);
    const browser = await signedIn();
    expect((await browser.get('/accounts')).body).toContain(disconnect);
    await browser.post('/api/app/actions/accounts.delete', { id });
    expect((await browser.get('/accounts')).body).not.toContain(id);
  });
});

describe('posts', () => {
  test('that are published now are on the sandbox, and the list leads there', async () => {
    const browser = await signedIn();
    const id = await publish(browser, [await service.connect('x')], 'From the compose page');
    const item = itemOf((await browser.get('/posts')).body, id);
    expect(item).toContain('published');
    const [, permalink = ''] = /<a href="([^"]+)">X ·/.exec(item) ?? [];
    expect(placeOf(await browser.get(pathOf(permalink), { accept: 'text/html' }))).toBe('/sandbox#x');
    const { body } = await browser.get('/sandbox');
    expect(body).toMatch(/<section class="box" id="x"[^>]*><details open>/);
    expect(body).toContain('From the compose page');
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
    for (const path of ['/posts', '/sandbox']) {
      const { body } = await browser.get(path);
      expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;');
      expect(body).not.toContain('<script>alert');
      expect(body).not.toContain('<img src=x');
    }
  });

  test('is text also when it comes from a network or stands in the address', async () => {
    const browser = await signedIn();
    const state = new URL(placeOf(await browser.get('/connect/x'))).searchParams.get('state');
    const why = encodeURIComponent(text);
    const { body } = await browser.get(`/connect/x/callback?state=${state}&error=no&error_description=${why}`);
    expect(body).toContain('&lt;script&gt;alert(1)');
    expect(body).not.toContain('<script>alert');
    expect((await browser.get(`/accounts?connected=${why}`)).body).not.toContain('alert(1)');
  });

  test('cannot run a script: the pages allow our own alone', async () => {
    const browser = await signedIn();
    for (const path of ['/accounts', '/posts', '/posts/new', '/sandbox', '/connect/bluesky']) {
      const { headers, body } = await browser.get(path);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
      expect(body.match(/<script/g)).toHaveLength(1);
      expect(body).not.toMatch(/\son\w+="/);
    }
  });
});

describe('the sandbox page', () => {
  test('shows a thread as replies below its first post', async () => {
    const browser = await signedIn();
    const account = await service.connect('mastodon');
    const { body: post } = await browser.post('/api/app/actions/posts.create', { accountIds: [account] });
    const content = ['Part one', 'Part two', 'Part three'].map((body) => ({ body }));
    await browser.post('/api/app/actions/posts.update', {
      id: post.id,
      accountIds: [account],
      versions: [{ content }],
    });
    await browser.post('/api/app/actions/posts.publishNow', { id: post.id });
    await until('all parts are shown', async () => (await browser.get('/sandbox')).body.includes('Part three'));
    const { body } = await browser.get('/sandbox');
    expect(body).toMatch(/Part one[\s\S]*<ul class="plain replies">[\s\S]*Part two[\s\S]*Part three/);
  });

  test('shows the faults that are planned, to those who may plan them', async () => {
    const browser = await signedIn();
    await browser.post('/api/app/sandbox/faults', { network: 'tiktok', moment: 'read', fault: '503', times: '3' });
    expect((await browser.get('/sandbox')).body).toContain('When numbers are read: <code>503</code>, 3 times');
    expect((await (await asRole('editor')).get('/sandbox')).body).not.toContain('/api/app/sandbox/faults');
    await browser.post('/api/app/sandbox/faults', { network: 'tiktok', moment: 'read', fault: '' });
    expect((await browser.get('/sandbox')).body).not.toContain('<code>503</code>');
  });

  test('shows the clock, which the owner moves', async () => {
    const browser = await signedIn();
    const clock = async () =>
      Date.parse(/Clock: <time datetime="([^"]+)"/.exec((await browser.get('/sandbox')).body)?.[1] ?? '');
    const before = await clock();
    await browser.post('/api/app/sandbox/clock', { forwardMs: `${24 * hourMs}` });
    expect((await clock()) - before).toBeGreaterThanOrEqual(24 * hourMs);
    expect((await (await asRole('admin')).get('/sandbox')).body).not.toContain('name="forwardMs"');
  });

  test('is not there in production, nor in its navigation', async () => {
    const settings = { NODE_ENV: 'production', EMBEDDED_DATABASE: 'true', BASE_URL: 'https://posthorn.example' };
    const production = await startService(settings);
    const browser = production.browser();
    await browser.signIn();
    expect((await browser.get('/sandbox')).status).toBe(404);
    const { status, body } = await browser.get('/accounts');
    expect(status).toBe(200);
    expect(body).not.toContain('href="/sandbox"');
    expect(body).not.toContain('>sandbox<');
    await production.stop();
  });
});
