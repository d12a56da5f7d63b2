import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startStopwatch } from '#server/base/clock';
import { sql } from '#server/base/store/database';
import { connectInSandbox, sayYes } from '#server/simulation/sandbox/sign-up';
import { networks } from '#test/support/networks';
import { startServiceWithProxy } from '#test/support/sandbox-proxy';
import { serviceWithSends } from '#test/support/sends';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
});
afterAll(() => service.stop());

const signedIn = async (email?: string) => {
  const browser = service.browser();
  await browser.signIn(email);
  return browser;
};
/** What the page does once the network has redirected the person back. */
const finish = (browser: ReturnType<Service['browser']>, back: URL) =>
  browser.post(`/api/app/connect/x/finish`, { answer: Object.fromEntries(back.searchParams) });
const begin = async (browser: Awaited<ReturnType<typeof signedIn>>, network: string, values = {}) =>
  browser.post('/api/app/connections', { network, values });

const stored = async (id: string, { database } = service) =>
  (
    await database.query(
      sql('test.stored', 'select tokens, server, sandbox from accounts where id = $1').holds<{
        tokens: string | null;
        server: string;
        sandbox: boolean;
      }>(),
      [id],
    )
  )[0];

describe('connecting an account', () => {
  test.each(networks.map(({ key }) => key))('of %s on its sandbox needs no credentials', async (network) => {
    const id = await service.connect(network);
    const account = (await service.client.accounts.list()).accounts.find((one) => one.id === id);
    expect(account).toMatchObject({
      network,
      status: 'Connected',
      name: expect.any(String),
      handle: expect.any(String),
    });
    const row = await stored(id);
    expect(row).toMatchObject({ sandbox: true });
    expect(row?.tokens).toMatch(/^v1\.\w+\.[\w-]+$/);
    expect(JSON.stringify(account)).not.toContain(row?.tokens ?? '');
  });

  test('leads to the network and back, and the way works once', async () => {
    const browser = await signedIn();
    const { body } = await begin(browser, 'x');
    const back = await sayYes(body.next, 'once');
    const first = await finish(browser, back);
    expect(first).toMatchObject({ status: 200, body: { accountIds: [expect.any(String)] } });
    const { accounts } = await service.client.accounts.list();
    expect(accounts.filter(({ handle }) => handle === 'once')).toHaveLength(1);
    const second = await finish(browser, back);
    expect(second.status).toBe(409);
    expect(second.body.message).toContain('Start again');
  });

  test('is for owners and admins', async () => {
    for (const role of ['viewer', 'editor'] as const) {
      const { email } = await service.addMember(role);
      const answer = await begin(await signedIn(email), 'x');
      expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 403, code: 'Forbidden' });
    }
    const { email } = await service.addMember('admin');
    expect((await begin(await signedIn(email), 'x')).status).toBe(200);
  });

  test('that somebody else began is refused', async () => {
    const { body } = await begin(await signedIn(), 'x');
    const back = await sayYes(body.next, 'stolen');
    const { email } = await service.addMember('admin');
    const answer = await finish(await signedIn(email), back);
    expect(answer.status).toBe(409);
    expect((await service.client.accounts.list()).accounts.some(({ handle }) => handle === 'stolen')).toBe(false);
  });

  test('again gives the same account new access', async () => {
    const id = await service.connect('x', { handle: 'again' });
    const before = await stored(id);
    expect(await service.connect('x', { handle: 'again' })).toBe(id);
    expect((await stored(id))?.tokens).not.toBe(before?.tokens);
  });

  test('that was disconnected makes a new one, and the tokens of the old are gone', async () => {
    const id = await service.connect('x', { handle: 'come.back' });
    await service.asHuman('accounts.delete', { id });
    expect((await stored(id))?.tokens).toBeNull();
    expect(await service.connect('x', { handle: 'come.back' })).not.toBe(id);
  });

  test('without the permission for statistics says what to do', async () => {
    const { statisticsPermission = '' } = service.posthorn.networks.get('instagram');
    const id = await service.connect('instagram', { handle: 'no.numbers', without: [statisticsPermission] });
    const account = (await service.client.accounts.list()).accounts.find((one) => one.id === id);
    expect(account).toMatchObject({ status: 'Connected', statistics: 'Reconnect' });
    expect(account?.statisticsMessage).toContain(statisticsPermission);
    await service.connect('instagram', { handle: 'no.numbers' });
    const again = (await service.client.accounts.list()).accounts.find((one) => one.id === id);
    expect(again).toMatchObject({ statistics: 'Ok' });
  });

  test.each([
    ['an unknown network', { network: 'myspace' }, 404, 'NotFound'],
    ['a server that is private', { network: 'mastodon', values: { server: '127.0.0.1' } }, 400, 'BadInput'],
    ['a server that is no address', { network: 'mastodon', values: { server: 'not an address' } }, 400, 'BadInput'],
    ['the metadata service', { network: 'mastodon', values: { server: 'http://169.254.169.254' } }, 400, 'BadInput'],
    ['a missing field', { network: 'bluesky', values: { handle: 'anna' } }, 400, 'BadInput'],
    ['a wrong password', { network: 'bluesky', values: { handle: 'anna', password: 'wrong' } }, 409, 'Conflict'],
    ['unknown fields', { network: 'x', extra: 1 }, 400, 'BadInput'],
  ])('with %s is refused in words', async (_, input, status, code) => {
    const answer = await (await signedIn()).post('/api/app/connections', input);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(answer.body.message).toMatch(/\S/);
  });

  test('of a network without credentials is not offered in production', async () => {
    const live = await startService({
      NODE_ENV: 'production',
      BASE_URL: 'https://posthorn.example',
      EMBEDDED_DATABASE: 'true',
    });
    await expect(live.connect('x')).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('X_CLIENT_ID'),
    });
    expect((await live.request('GET', '/sandbox/x/api/2/users/me')).status).toBe(404);
    await live.stop();
  });
});

describe('what is known of an account', () => {
  test('is read again every day', async () => {
    const own = await startService();
    own.startJobs();
    const id = await own.connect('mastodon');
    await own.database.query(sql('test.rename', "update accounts set name = 'Old' where id = $1"), [id]);
    await own.clock.forward(25 * 3_600_000);
    await until('the name is new', async () => (await own.client.accounts.list()).accounts[0]?.name !== 'Old');
    await own.stop();
  });

  test('is cut where a server says too much, and what cannot be cut is refused in words', async () => {
    const own = await startService();
    const network = own.posthorn.networks.get('mastodon');
    if (network.connect.kind !== 'ServerOAuth') throw new Error('Mastodon has servers');
    const { exchange } = network.connect;
    const long = `\u0000\n${'n\u{1f4ef}'.repeat(500_000)}`;
    const hostile = { name: long, handle: long, avatarUrl: `https://a.example/${long}`, facts: { limit: long } };
    const connectAs = async (what: object) => {
      const spy = vi.spyOn(network.connect as { exchange: typeof exchange }, 'exchange');
      spy.mockImplementation(async (...asked) => (await exchange(...asked)).map((one) => ({ ...one, ...what })));
      return own.connect('mastodon').finally(() => spy.mockRestore());
    };
    await expect(connectAs(hostile)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(
        /^Mastodon could not be connected\. .* more about this account than can be stored/,
      ),
    });
    await expect(connectAs({ id: long })).rejects.toMatchObject({ code: 'Conflict' });

    await connectAs({ ...hostile, facts: { name: 'a\u0000b\ud800' } });
    const shown = async () => (await own.client.accounts.list()).accounts[0];
    const { name = '', handle = '' } = (await shown()) ?? {};
    expect([[...name].length, [...handle].length]).toEqual([200, 300]);
    expect(name).toMatch(/^n\u{1f4ef}.*…$/u);
    expect(await own.database.query(sql('test.pictures', 'select avatar_url from accounts'))).toEqual([
      { avatarUrl: null },
    ]);

    const spy = vi.spyOn(network, 'profile').mockResolvedValue({ ...hostile, name: ' \u202e ', facts: {} });
    await own.clock.forward(25 * 3_600_000);
    await own.posthorn.jobs.runDue(['accounts']);
    expect(await shown()).toMatchObject({ name: handle, handle });
    spy.mockRestore();
    await own.stop();
  });

  describe('a server that everybody can run', () => {
    const startOnServer = async (version: string) => {
      const { service: own, proxy } = await startServiceWithProxy();
      proxy.answer = (path, res) => {
        if (!path.endsWith('/api/v2/instance')) return false;
        res.writeHead(200, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ domain: 'fedi.sandbox', version }));
        return true;
      };
      const registered = () => proxy.requests.filter((path) => path.endsWith('/api/v1/apps')).length;
      const end = async () => {
        proxy.stop();
        await own.stop();
      };
      return { own, registered, end };
    };

    test.each([
      ['4.5.0', 1],
      ['4.2.1 (compatible; Sharkey 2025.4.3)', 2],
      ['2.7.2 (compatible; Pleroma 2.9.1)', 2],
    ])('with %s knows us from %i registrations after two connections', async (version, count) => {
      const { own, registered, end } = await startOnServer(version);
      const ids = [await own.connect('mastodon'), await own.connect('mastodon')];
      expect(registered()).toBe(count);
      const revoke = vi.spyOn(own.posthorn.networks.get('mastodon'), 'revoke');
      for (const id of ids) await own.asHuman('accounts.delete', { id });
      await own.posthorn.revoked();
      // Each account is disconnected with the client registration that connected it.
      expect(new Set(revoke.mock.calls.map(([site]) => site.registration.clientId)).size).toBe(count);
      revoke.mockRestore();
      await end();
    });

    test('gets a new registration when somebody went there and did not come back', async () => {
      const { own, registered, end } = await startOnServer('4.5.0');
      const caller = { ...own.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
      await own.posthorn.connecting.begin(caller, 'mastodon', {});
      expect(registered()).toBe(1);
      await own.connect('mastodon');
      expect(registered()).toBe(2);
      await end();
    });
  });

  test('our registration at its server is kept while it is used, and goes 90 days after that', async () => {
    const own = await startService();
    const id = await own.connect('mastodon');
    const registered = async () => {
      await own.runChore('remove registrations at servers nobody uses');
      return (await own.database.query(sql('test.apps', 'select from network_apps'))).length;
    };
    const days = (count: number) => own.clock.forward(count * 24 * 3_600_000);
    await days(60);
    await own.posthorn.jobs.runDue(['accounts']);
    await days(60);
    expect(await registered()).toBe(1);
    await own.asHuman('accounts.delete', { id });
    // Which uses it once more.
    await own.posthorn.revoked();
    await days(91);
    expect(await registered()).toBe(0);
    await own.stop();
  });
});

describe('new tokens', () => {
  test('are not asked for by a process that stood still since it claimed the account', async () => {
    let sleeps = true;
    const own = await startService(
      {},
      { startStopwatch: () => (sleeps ? () => Number.POSITIVE_INFINITY : startStopwatch()) },
    );
    const id = await own.connect('x');
    const first = (await stored(id, own))?.tokens;
    await own.clock.forward(3 * 3_600_000);
    await own.posthorn.jobs.runDue(['accounts']);
    expect((await stored(id, own))?.tokens).toBe(first);
    sleeps = false;
    await own.clock.forward(3_600_000);
    await own.posthorn.jobs.runDue(['accounts']);
    expect((await stored(id, own))?.tokens).not.toBe(first);
    expect((await own.client.accounts.list()).accounts).toMatchObject([{ id, status: 'Connected' }]);
    await own.stop();
  });

  test('that the network gave are kept when the claim was lost meanwhile, and when the database takes them again', async () => {
    const { service: own, proxy } = await startServiceWithProxy();
    const id = await own.connect('x');
    const first = (await stored(id, own))?.tokens;
    await own.database.query(
      sql(
        'test.refuseTokens',
        `do $$ begin
           create sequence refused;
           create function refuse() returns trigger language plpgsql as $f$ begin
             if nextval('refused') = 1 then raise exception 'two wait for each other' using errcode = '40P01'; end if;
             return new;
           end $f$;
           create trigger refuse before update of tokens on accounts for each row execute function refuse();
         end $$`,
      ),
    );
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const isAsked = (path: string) => path.endsWith('/oauth2/token');
    const before = proxy.requests.filter(isAsked).length;
    proxy.gate = (path) => (isAsked(path) ? held : undefined);
    await own.clock.forward(3 * 3_600_000);
    const refreshing = own.posthorn.jobs.runDue(['accounts']);
    await until('new tokens are asked for', () => proxy.requests.filter(isAsked).length > before);
    const other = sql('test.claimed', 'update accounts set refresh_claim = gen_random_uuid() where id = $1');
    await own.database.query(other, [id]);
    answer();
    await refreshing;
    const kept = (await stored(id, own))?.tokens;
    expect(kept).not.toBe(first);
    const claims = sql('test.claims', 'select from accounts where id = $1 and refresh_claim is not null');
    expect(await own.database.query(claims, [id])).toHaveLength(1);
    await own.stop();
    proxy.stop();
  });
});

describe('new tokens that arrive after another process was refused with the old ones', () => {
  /** One process waits for new tokens beyond its lease; another asks with the refresh token that is used up by then. */
  const refusedMeanwhile = async () => {
    const { service: own, proxy } = await startServiceWithProxy();
    const id = await own.connect('x', { handle: 'late' });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let answers = 0;
    proxy.answerGate = (path) => (path.endsWith('/oauth2/token') && ++answers === 1 ? held : undefined);
    /** The toasts that an open tab shows; without one it only reads the account again. */
    const news: (string | undefined)[] = [];
    own.posthorn.live.subscribe({
      workspaceId: own.owner.workspaceId,
      userId: own.owner.userId,
      after: undefined,
      receive: ({ kind, text }) => void (kind === 'account' && news.push(text)),
      recheckAccess: () => undefined,
      end: () => undefined,
    });
    await own.clock.forward(3 * 3_600_000);
    const refreshing = own.posthorn.jobs.runDue(['accounts']);
    await until('the network gave new tokens', () => answers === 1);
    const isHeard = () => news.some((text) => text?.includes('needs to be connected again'));
    await until('open tabs hear of the refusal', async () => {
      if (isHeard()) return true;
      // Again: a claim that was made while the clock moved seems too old to begin with.
      await own.clock.forward(3_600_000);
      await own.posthorn.jobs.runDue(['accounts']);
      return isHeard();
    });
    const account = async () => (await own.client.accounts.list()).accounts.find((one) => one.id === id);
    expect(await account()).toMatchObject({ status: 'NeedsReconnect' });
    return {
      own,
      id,
      account,
      news,
      tokens: async () => (await stored(id, own))?.tokens,
      wake: async () => {
        release();
        await refreshing;
      },
      stop: async () => {
        await own.stop();
        proxy.stop();
      },
    };
  };

  test('connect the account again: open tabs hear of it, nobody has to reconnect it, and it is refreshed in time', async () => {
    const { own, account, news, tokens, wake, stop } = await refusedMeanwhile();
    const owner = own.browser();
    await owner.signIn();
    const open = async () => (await owner.get('/api/app/notifications')).body.needsYou;
    expect(await open()).toMatchObject([{ kind: 'account.reconnect' }]);
    const old = await tokens();
    await wake();
    expect(await account()).toMatchObject({ status: 'Connected' });
    expect(await tokens()).not.toBe(old);
    await until('open tabs hear of it', () => news.at(-1) === undefined);
    expect(await open()).toEqual([]);
    expect((await own.events()).map(({ type }) => type)).toEqual(['account.disconnected']);
    const late = await tokens();
    await own.clock.forward(24 * 3_600_000);
    await own.posthorn.jobs.runDue(['accounts']);
    expect(await tokens()).not.toBe(late);
    expect(await account()).toMatchObject({ status: 'Connected' });
    await stop();
  });

  test('do not replace those of a person who has reconnected it', async () => {
    const { own, account, tokens, wake, stop } = await refusedMeanwhile();
    await own.connect('x', { handle: 'late' });
    const newer = await tokens();
    await wake();
    expect(await tokens()).toBe(newer);
    expect(await account()).toMatchObject({ status: 'Connected' });
    await stop();
  });

  test('do not bring back an account that a person has disconnected', async () => {
    const { own, id, account, tokens, wake, stop } = await refusedMeanwhile();
    await own.asHuman('accounts.delete', { id });
    await wake();
    expect([await account(), await tokens()]).toEqual([undefined, null]);
    await stop();
  });
});

test('a profile that arrives late does not replace what a reconnect has read since', async () => {
  const { service: own, proxy } = await startServiceWithProxy();
  const id = await own.connect('tiktok', { handle: 'drafts', without: ['video.upload'] });
  const facts = async () => {
    const [row] = await own.database.query(
      sql('test.facts', 'select facts from accounts where id = $1').holds<{ facts: { mayDraft: boolean } }>(),
      [id],
    );
    return row?.facts;
  };
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let reads = 0;
  proxy.answerGate = (path) => (path.includes('/user/info/') && ++reads === 1 ? held : undefined);
  await own.clock.forward(24 * 3_600_000);
  const refreshing = own.posthorn.jobs.runDue(['accounts']);
  await until('the profile is read', () => reads === 1);
  await own.connect('tiktok', { handle: 'drafts' });
  release();
  await refreshing;
  expect(await facts()).toMatchObject({ mayDraft: true });
  await own.stop();
  proxy.stop();
});

test('an account stays connected while the credentials of this server are wrong, and its posts say so', async () => {
  const { service, proxy } = await startServiceWithProxy({ SEND_LEASE_SECONDS: '600' });
  const own = serviceWithSends(service);
  const account = await own.connect('x');
  let isSecretWrong = true;
  proxy.answer = (path, res) => {
    if (!isSecretWrong || !path.endsWith('/oauth2/token')) return false;
    res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
    return true;
  };
  await own.clock.forward(3 * 3_600_000);
  await own.posthorn.jobs.runDue(['accounts']);
  own.startJobs();
  const id = await own.publishNow(account, 'Wrong secret');
  expect((await own.endedInTime(id)).results[0]?.error).toMatchObject({
    code: 'unavailable',
    message:
      'X does not accept the credentials of this server. Whoever set it up enters them again in Settings, Networks. Publish again later.',
  });
  expect((await own.client.accounts.list()).accounts).toMatchObject([{ status: 'Connected' }]);
  expect((await own.events()).map(({ type }) => type)).toEqual(['post.failed']);
  isSecretWrong = false;
  await own.asHuman('posts.publishNow', { id });
  expect((await own.endedInTime(id)).status).toBe('Published');
  await own.stop();
  proxy.stop();
});

describe('disconnecting an account', () => {
  const remove = (id: string) => service.asHuman('accounts.delete', { id });

  /** Its tokens, as they are before it is disconnected. */
  const tokensOf = async (id: string) => {
    const sealed = (await stored(id))?.tokens ?? '';
    const tokens = JSON.parse(service.seal.open(sealed, `accounts:${id}:tokens`)) as Record<string, string>;
    return (tokens.refreshToken ?? tokens.accessToken ?? '').replace(/^.*\./, '');
  };
  const isAlive = async (token: string) => {
    const found = sql('test.grant', "select from sandbox_records where kind like 'grant %' and id = $1");
    return (await service.database.query(found, [token])).length > 0;
  };
  const connectElsewhere = async (network: string, handle: string) => {
    const other = { ...(await service.addWorkspace()), role: 'owner', mayPublish: true, isPerson: true } as const;
    return { other, id: await connectInSandbox(service.posthorn, other, network, { handle, here: (to) => to }) };
  };

  test.each(['x', 'mastodon', 'tiktok'])('ends its tokens at %s, after the disconnect is certain', async (network) => {
    const id = await service.connect(network, { handle: 'bye' });
    const token = await tokensOf(id);
    expect(await isAlive(token)).toBe(true);
    await service.database.rehearse(() => remove(id));
    expect(await isAlive(token)).toBe(true);
    await remove(id);
    await until('the token is gone', async () => !(await isAlive(token)));
  });

  test('keeps them while another workspace has the same account', async () => {
    const [mine, theirs] = [await service.connect('x', { handle: 'shared' }), await connectElsewhere('x', 'shared')];
    const [first, second] = [await tokensOf(mine), await tokensOf(theirs.id)];
    await remove(mine);
    await service.posthorn.revoked();
    expect([await isAlive(first), await isAlive(second)]).toEqual([true, true]);
    await service.asHuman('accounts.delete', { id: theirs.id }, theirs.other);
    await until('the token is gone', async () => !(await isAlive(second)));
  });

  test('keeps those of Google while any other account may be of the same person', async () => {
    const [channel, place] = [await service.connect('youtube'), await service.connect('google_business')];
    const [first, last] = [await tokensOf(channel), await tokensOf(place)];
    const { accounts } = await service.client.accounts.list();
    const ofGoogle = accounts.filter(({ id, network }) => id !== place && /youtube|google/.test(network));
    for (const { id } of ofGoogle) await remove(id);
    await service.posthorn.revoked();
    expect(await isAlive(first)).toBe(true);
    await remove(place);
    await until('the token is gone', async () => !(await isAlive(last)));
  });

  test('is done whether or not the network can be reached', async () => {
    const id = await service.connect('bluesky');
    const dead = sql('test.dead', "update accounts set sandbox = false, server = 'https://127.0.0.1:1' where id = $1");
    await service.database.query(dead, [id]);
    await remove(id);
    expect((await stored(id))?.tokens).toBeNull();
    await service.posthorn.revoked();
    expect(service.logLines.join('')).not.toContain('work in the background failed');
  });

  test('happens with all of them when their workspace is deleted', async () => {
    const { other, id } = await connectElsewhere('linkedin', 'closing');
    const token = await tokensOf(id);
    await service.posthorn.deletion.ask(other, 'Other', 'req_1');
    service.wallClock.forward(8 * 24 * 3_600_000);
    await service.posthorn.deletion.removeDue();
    await until('the token is gone', async () => !(await isAlive(token)));
  });
});
