import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { sayYes } from '#server/simulation/sandbox/sign-up';
import { type Service, startService } from '#test/support/service';
import { newTeam } from '#test/support/teams';

let service: Service;
let browser: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
  browser = service.browser();
  await browser.signIn();
});
afterAll(() => service.stop());

describe('what a network asks for', () => {
  test('every network tells its fields, without a secret of ours', async () => {
    for (const network of service.posthorn.networks.all) {
      const { status, body } = await browser.get(`/api/app/connect/${network.key}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ network: network.key, provider: network.name, sandbox: true });
      expect(body.fields.length > 0).toBe(network.connect.kind !== 'OAuth');
    }
  });

  test('an unknown network is NotFound, and an editor may not connect', async () => {
    expect((await browser.get('/api/app/connect/nope')).status).toBe(404);
    const { email } = await service.addMember('editor');
    const editor = service.browser();
    await editor.signIn(email);
    expect((await editor.get('/api/app/connect/x')).status).toBe(403);
  });

  test('coming back without having gone is a Conflict that says to begin again', async () => {
    const { status, body } = await browser.post('/api/app/connect/x/finish', { answer: { state: 'x', code: 'y' } });
    expect(status).toBe(409);
    expect(body.message).toContain('Start again');
  });
});

type Browser = ReturnType<Service['browser']>;

const asAdmin = async () => {
  const admin = service.browser();
  await admin.signIn((await service.addMember('admin')).email);
  return admin;
};

const begin = async (by: Browser, network: string, values: Record<string, string> = {}) =>
  (await by.post('/api/app/connections', { network, values })).body.next as string;

/** What the network puts into the address on the way back. */
const yes = async (url: string, handle: string) => Object.fromEntries((await sayYes(url, handle)).searchParams);

const finish = (by: Browser, network: string, answer: Record<string, string>) =>
  by.post(`/api/app/connect/${network}/finish`, { answer });

const connected = async (by: Browser, network: string) => {
  const { body } = await by.post('/api/app/actions/accounts.list');
  return (body.accounts as { network: string; handle: string }[]).filter((one) => one.network === network);
};

describe('an account is connected', () => {
  test('on the page of its network, and the next step names it', async () => {
    const { body } = await finish(browser, 'x', await yes(await begin(browser, 'x'), 'anna.page'));
    expect(body).toEqual({ next: `/accounts?connected=${body.accountIds[0]}`, accountIds: [expect.any(String)] });
    expect(await connected(browser, 'x')).toMatchObject([{ handle: 'anna.page' }]);
  });

  test('on the sandbox server when none is named, and a bad address is told at its field', async () => {
    await finish(browser, 'mastodon', await yes(await begin(browser, 'mastodon', { server: '' }), 'bo'));
    expect(await connected(browser, 'mastodon')).toMatchObject([{ handle: expect.stringMatching(/^bo@/) }]);
    const bad = await browser.post('/api/app/connections', { network: 'mastodon', values: { server: 'https://a b' } });
    expect(bad.body).toMatchObject({ code: 'BadInput', issues: [{ path: 'values.server' }] });
  });

  test('out of several that the person chooses from, once', async () => {
    const { body } = await finish(browser, 'facebook', await yes(await begin(browser, 'facebook'), 'dora'));
    const id = /^\/connect\/choose\/([\w-]+)$/.exec(body.next)?.[1] ?? '';
    const choices = (await browser.get(`/api/app/connections/${id}`)).body.accounts;
    expect(choices.length).toBeGreaterThan(1);
    const chosen = await browser.post(`/api/app/connections/${id}/choose`, { ids: [choices[0].id] });
    expect(chosen.body.accountIds).toHaveLength(1);
    expect(await connected(browser, 'facebook')).toHaveLength(1);
    expect((await browser.get(`/api/app/connections/${id}`)).status).toBe(409);
  });

  test('twice at once, by a double click: it is one account, and its access works', async () => {
    const { body } = await finish(browser, 'facebook', await yes(await begin(browser, 'facebook'), 'hans'));
    const path = body.next.replace('/connect/choose/', '/api/app/connections/');
    const [page] = (await browser.get(path)).body.accounts;
    const clicks = await Promise.all([1, 2].map(() => browser.post(`${path}/choose`, { ids: [page.id] })));
    const [first, second] = clicks.map((click) => click.body.accountIds);
    expect(second).toEqual(first);
    const { id } = await service.asHuman('posts.create', { accountIds: first, body: 'Hello' });
    await service.asHuman('posts.publishNow', { id });
    await service.posthorn.jobs.runDue(['sends']);
    expect(await service.client.posts.get({ id })).toMatchObject({ status: 'Published' });
  });

  test('at a server that nobody here has been at, by two people at once: we are one app there', async () => {
    // Of two workspaces: in one, somebody who has not come back yet is taken for stuck, and the next gets an app anew.
    const people = [browser, (await newTeam(service)).browser()];
    const ways = await Promise.all(people.map((person) => begin(person, 'pixelfed', { server: '' })));
    const [first, second] = ways.map((way) => new URL(way).searchParams.get('client_id'));
    expect(second).toBe(first);
    for (const [index, person] of people.entries()) {
      expect((await finish(person, 'pixelfed', await yes(ways[index] ?? '', `person.${index}`))).status).toBe(200);
    }
  });

  test('a second time, which gives the same account new access', async () => {
    for (const _ of ['first', 'second']) {
      await finish(browser, 'youtube', await yes(await begin(browser, 'youtube'), 'emil'));
    }
    expect(await connected(browser, 'youtube')).toHaveLength(1);
  });
});

describe('an account is not connected', () => {
  test('when the person says no, which is told in words; and what came back works once', async () => {
    const state = new URL(await begin(browser, 'linkedin')).searchParams.get('state') ?? '';
    const answer = { state, error: 'access_denied' };
    const { status, body } = await finish(browser, 'linkedin', answer);
    expect(status).toBe(409);
    expect(body.message).toBe('LinkedIn was not connected: you did not allow it there.');
    expect((await finish(browser, 'linkedin', answer)).body.message).toContain('Start again');
    expect(await connected(browser, 'linkedin')).toEqual([]);
  });

  test('when somebody else began it, nor do they see what there is to choose from', async () => {
    const admin = await asAdmin();
    const answer = await yes(await begin(browser, 'pinterest'), 'fred');
    const refused = await finish(admin, 'pinterest', answer);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain('started by somebody else');
    const { body } = await finish(browser, 'facebook', await yes(await begin(browser, 'facebook'), 'gina'));
    const path = body.next.replace('/connect/choose/', '/api/app/connections/');
    expect((await admin.get(path)).status).toBe(409);
    expect((await browser.get(path)).status).toBe(200);
  });

  test('when it takes longer than 20 minutes, and what was begun is forgotten then', async () => {
    const begunAgo = (minutes: number) => {
      const text = "update connections set created_at = posthorn_now() - $1 * interval '1 minute'";
      return service.database.query(sql('test.begunAgo', text), [minutes]);
    };
    const [early, late] = [await begin(browser, 'tiktok'), await begin(browser, 'tiktok')];
    await begunAgo(19);
    expect((await finish(browser, 'tiktok', await yes(early, 'ida'))).status).toBe(200);
    await begunAgo(21);
    expect((await finish(browser, 'tiktok', await yes(late, 'ida'))).body.message).toContain('has expired');
    await begin(browser, 'tiktok');
    await begunAgo(21);
    await service.runChore('remove unfinished connections');
    expect(await service.database.query(sql('test.connections', 'select id from connections'))).toEqual([]);
  });

  test('beyond the plan, which says what lifts it', async () => {
    const { email, workspaceId } = await service.addWorkspace();
    const other = service.browser();
    await other.signIn(email);
    await service.posthorn.people.setPlan(workspaceId, 'free');
    const { status, body } = await other.post('/api/app/connections', { network: 'x' });
    expect(status).toBe(402);
    expect(body.message).toContain('What lifts it');
  });
});

describe('GET /api/app/posts/scheduled', () => {
  test('counts the scheduled posts of each account, and nothing else', async () => {
    const [busy, idle] = [await service.connect('x'), await service.connect('x')];
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    for (const accountIds of [[busy], [busy], [idle]]) {
      const { id } = await service.asHuman('posts.create', { accountIds, body: 'Hello' });
      if (accountIds[0] === busy) await service.asHuman('posts.schedule', { id, at });
    }
    const { body } = await browser.get('/api/app/posts/scheduled');
    expect(body.accounts).toEqual([{ id: busy, scheduled: 2 }]);
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    expect((await stranger.get('/api/app/posts/scheduled')).body).toEqual({ accounts: [] });
  });
});

describe('GET /api/app/sandbox', () => {
  test('shows what was posted, what can go wrong, and how far the clock was moved', async () => {
    await browser.post('/api/app/sandbox/faults', { network: 'x', moment: 'publish', fault: '503', times: 2 });
    const { body } = await browser.get('/api/app/sandbox');
    expect(body.aheadMs).toBe(0);
    expect(body.faults.length).toBeGreaterThan(10);
    expect(body.networks.find(({ network }: { network: string }) => network === 'x').planned).toEqual([
      { moment: 'publish', fault: '503', times: 2 },
    ]);
  });

  test('is refused in production, and no network there is one', async () => {
    const production = await startService({}, { production: true });
    const owner = production.browser();
    await owner.signIn();
    expect((await owner.get('/api/app/sandbox')).status).toBe(403);
    const pretended = await owner.post('/api/app/sandbox/requests', { accountIds: ['acct_any'] });
    expect(pretended.status).toBe(403);
    const { body } = await owner.post('/api/app/actions/providers.list');
    expect(body.providers.filter(({ sandbox }: { sandbox: boolean }) => sandbox)).toEqual([]);
    await production.stop();
  });
});

describe('values that only a network knows', () => {
  const accountOn = async (network: string, values: Record<string, string>, handle: string) => {
    const { body } = await finish(browser, network, await yes(await begin(browser, network, values), handle));
    return body.accountIds[0] as string;
  };
  const find = (by: Browser, id: string, option: string, words: string) =>
    by.get(`/api/app/accounts/${id}/choices?${new URLSearchParams({ option, words })}`);

  test('are found by name by an editor, and the name stands beside the post from then on', async () => {
    const id = await accountOn('x', {}, 'searcher');
    const editor = service.browser();
    await editor.signIn((await service.addMember('editor')).email);
    const { body } = await find(editor, id, 'x.community', 'sourdough');
    const choice = { value: '1506778548222324745', label: 'Sourdough Science (812 members)' };
    expect(body).toEqual({ choices: [choice] });
    const post = await service.asHuman('posts.create', { accountIds: [id], body: 'Hello' });
    await service.asHuman('posts.setOption', { id: post.id, key: 'x.community', value: choice.value });
    const view = await browser.get(`/api/app/posts/${post.id}/editor`);
    expect(view.body.accounts[0].choices['x.community']).toEqual([choice]);
    const { url } = (await browser.post(`/api/app/posts/${post.id}/shares`, {})).body;
    const shared = await service.request('POST', '/api/review', {
      headers: { origin: service.config.baseUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ secret: new URL(url).pathname.slice('/review/'.length) }),
    });
    expect(JSON.stringify(shared.body)).toContain(choice.label);
  });

  test('have the name that their own server gave them', async () => {
    const [here, elsewhere] = [
      await accountOn('pixelfed', { server: '' }, 'one'),
      await accountOn('pixelfed', { server: '' }, 'two'),
    ];
    await find(browser, here, 'pixelfed.place', 'ulm');
    const move = sql('test.move', "update accounts set server = 'https://pixelfed.example' where id = $1");
    await service.database.query(move, [elsewhere]);
    const post = await service.asHuman('posts.create', { accountIds: [here, elsewhere], body: 'Hello' });
    await service.asHuman('posts.setOption', { id: post.id, key: 'pixelfed.place', value: '77812' });
    const { accounts } = (await browser.get(`/api/app/posts/${post.id}/editor`)).body;
    expect(accounts[0].choices['pixelfed.place']).toEqual([{ value: '77812', label: 'Ulm, Germany' }]);
    expect(accounts[1].choices['pixelfed.place']).toBeUndefined();
  });

  test('are not found for what nobody can search, for an account of others, or by a viewer', async () => {
    const id = await accountOn('x', {}, 'nosy');
    expect((await find(browser, id, 'x.quote', 'a')).body).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'option' }],
    });
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    expect((await find(stranger, id, 'x.community', 'bread')).status).toBe(404);
    const viewer = service.browser();
    await viewer.signIn((await service.addMember('viewer')).email);
    expect((await find(viewer, id, 'x.community', 'bread')).status).toBe(403);
  });

  test('are a sentence when the network refuses the account, which stays connected', async () => {
    const id = await accountOn('threads', {}, 'placeless');
    const { status, body } = await find(browser, id, 'threads.location', 'Berlin');
    expect(status).toBe(200);
    expect(body).toEqual({ choices: [], problem: expect.stringContaining('THREADS_LOCATION') });
    expect(await connected(browser, 'threads')).toMatchObject([{ status: 'Connected' }]);
  });
});
