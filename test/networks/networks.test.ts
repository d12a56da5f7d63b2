import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { metricNames } from '#contracts/analytics';
import { Constraints, ProviderLimits } from '#contracts/providers';
import { countText } from '#server/networks/counting';
import { examineNetwork, versionOf } from '#server/networks/examine';
import type { Network, NetworkAccount, Sending, Site } from '#server/networks/network';
import { tokensFrom, tokenTrouble } from '#server/networks/oauth2';
import { pinBody } from '#server/networks/pinterest/pin-body';
import { createNetworks } from '#server/networks/registry';
import { createRequest, type NetworkAnswer, type Request, retryAt } from '#server/networks/request';
import { maxPages } from '#server/networks/shared/recent';
import { createSites } from '#server/networks/sites';
import { NetworkTrouble } from '#server/networks/trouble';
import { networks, optionsOf, postOf, textOf } from '#test/support/networks';

const valueAt = (limits: Constraints, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], limits);

describe.each(networks)('$key', ({ key, network, examples }) => {
  const { constraints, options } = network;

  test('shows what providers.limits promises', () => {
    const limits = { network: network.key, provider: network.name, constraints, options };
    expect(ProviderLimits.strict().parse(limits)).toEqual(limits);
  });

  test('has the name of its folder as key', () => {
    expect(network.key).toBe(key);
  });

  test('has option keys that begin with its key, each once', () => {
    for (const option of options) expect(option.key).toMatch(new RegExp(`^${key}\\.[a-z_]+$`));
    expect(new Set(options.map((option) => option.key)).size).toBe(options.length);
  });

  test('tells readers what every option does', () => {
    for (const option of options) expect(option.description, option.key).toMatch(/^\S.*\.$/);
  });

  test('has choices for every Choice, and the default is one of them', () => {
    for (const option of options) {
      expect(option.choices !== undefined, option.key).toBe(option.type === 'Choice');
      if (option.choices && option.default) expect(option.choices.map(({ value }) => value)).toContain(option.default);
      if (option.type === 'Boolean') expect(['true', 'false', undefined], option.key).toContain(option.default);
    }
  });

  test('searches for the values of exactly those options that are searchable', () => {
    const searchable = network.options.filter((option) => option.searchable).map((option) => option.key);
    expect(Object.keys(network.lookups ?? {}).sort()).toEqual(searchable.sort());
  });

  test('lists its metrics once, in the order of the contract', () => {
    expect(constraints.metrics).toEqual(metricNames.filter((name) => constraints.metrics.includes(name)));
  });

  test('says None exactly when a post has one item', () => {
    expect(constraints.thread.form === 'None').toBe(constraints.thread.max === 1);
  });

  test('counts an example at the limit and one over it', () => {
    const { max } = constraints.characters;
    expect(examples.counting.map(({ length }) => length)).toEqual(expect.arrayContaining([max, max + 1]));
  });

  test.each(examples.counting)('counts $length: $why', ({ text, length, options: set }) => {
    expect(countText(constraints.characters, textOf(text), optionsOf(network, set))).toBe(length);
  });

  // Quadratic work would exceed the time limit of the test.
  test.each(['a.', '@a', 'https://a.com/(', '👨‍👩‍👧‍👦', '\u0301'])('gets through a long text of %s', (piece) => {
    const body = piece.repeat(100_000 / piece.length);
    const post = { items: [{ body, media: [] }], options: optionsOf(network) };
    expect(countText(constraints.characters, body, post.options)).toBeGreaterThan(constraints.characters.max);
    expect(network.check(post)).toBeInstanceOf(Array);
  });

  test.each(examples.valid)('takes $title', (example) => {
    const post = postOf(network, example);
    expect(network.check(post)).toEqual([]);
    expect(Constraints.safeParse(network.constraintsFor(post)).success).toBe(true);
  });

  test.each(examples.invalid)('refuses $title', (example) => {
    const { code, path } = example;
    expect(network.check(postOf(network, example))).toEqual([expect.objectContaining({ code, path })]);
  });

  test.each(examples.limits ?? [])('has limits of its own for $title', (example) => {
    const limits = network.constraintsFor(postOf(network, example));
    expect(Constraints.parse(limits)).toEqual(limits);
    for (const [path, value] of Object.entries(example.limits)) expect(valueAt(limits, path) ?? null).toEqual(value);
  });
});

describe('what doctor says of a network', () => {
  const named = (key: string): Network => {
    const found = networks.find((entry) => entry.key === key);
    if (!found) throw new Error(`no network ${key}`);
    return found.network;
  };
  const day = (text: string) => new Date(`${text}T12:00:00Z`);
  const siteOf = (
    network: Network,
    now: Date,
    request: Request = async () => ({ status: 503, headers: {}, bytes: Buffer.alloc(0), text: '', json: {} }),
    others: Record<string, string> = {},
  ) => {
    const settings: Record<string, string> = {
      LINKEDIN_VERSION: '202607',
      X_CLIENT_ID: 'id',
      X_CLIENT_SECRET: 'secret',
      ...others,
    };
    const sites = createSites({
      live: request,
      sandbox: { request, url: () => '', baseUrl: '' },
      setting: (name) => settings[name],
      clock: { now: () => now },
    });
    return sites.live(network);
  };

  test.each([
    ['2026-11-15', 'ok', 'works until 2027-07-15'],
    ['2027-05-15', 'ok', 'works until 2027-07-15'],
    ['2027-05-17', 'warning', 'ends on 2027-07-15, in 59 days: set LINKEDIN_VERSION to a newer one'],
    ['2027-07-15', 'failure', 'may stop working any day, its announced end was 2027-07-15: set LINKEDIN_VERSION'],
  ])('on %s a version that works until 2027-07-15: %s', (today, level, words) => {
    const found = versionOf(named('linkedin'), siteOf(named('linkedin'), day(today)));
    expect(found).toEqual({ name: 'LinkedIn', level, message: expect.stringContaining(words) });
  });

  test.each([
    ['v19.0', 'failure', 'its announced end was'],
    ['v20.0', 'failure', 'its announced end was 2026-09-24'],
    ['v21.0', 'ok', 'works until 2027-01-21'],
    ['v22.0', 'ok', 'works until 2027-05-20'],
    ['v23.0', 'ok', 'works until 2027-10-08'],
    ['v24.0', 'ok', 'works until 2028-02-18'],
    ['v25.0', 'ok', 'works until 2028-07-29'],
    ['v26.0', 'ok', 'no end is known'],
  ])('knows how long %s of Meta lives', (version, level, words) => {
    const site = siteOf(named('facebook'), day('2026-11-15'), undefined, { META_GRAPH_VERSION: version });
    expect(versionOf(named('facebook'), site)).toMatchObject({ level, message: expect.stringContaining(words) });
  });

  test('a version without a known end says so', () => {
    const found = versionOf(named('x'), siteOf(named('x'), day('2026-11-15')));
    expect(found).toEqual({ name: 'X', level: 'ok', message: "Version v2 of X's API: no end is known" });
    const unversioned = versionOf(named('bluesky'), siteOf(named('bluesky'), day('2026-11-15')));
    expect(unversioned).toEqual({
      name: 'Bluesky',
      level: 'ok',
      message: "Bluesky's API is not versioned",
    });
  });

  const examined = async (
    key: string,
    given: { baseUrl?: string; settings?: Record<string, string>; request?: Request },
  ) => {
    const network = named(key);
    const { baseUrl = 'https://posthorn.example', settings = {} } = given;
    const { checks } = await examineNetwork(network, {
      site: siteOf(network, day('2026-11-15'), given.request),
      isLive: network.settings.every((name) => settings[name] !== undefined),
      production: false,
      baseUrl,
      setting: (name) => settings[name],
    });
    return checks.map(({ level, message }) => `${level}: ${message}`).join('\n');
  };
  const both = { INSTAGRAM_APP_ID: 'id', INSTAGRAM_APP_SECRET: 'secret' };
  const answer =
    (status: number, json: unknown): Request =>
    async () => ({ status, headers: {}, bytes: Buffer.alloc(0), text: '', json });

  test.each<[string, string, Parameters<typeof examined>[1], RegExp]>([
    ['nothing set', 'x', {}, /^note: X is a sandbox: for the real network set X_CLIENT_ID and X_CLIENT_SECRET$/m],
    [
      'half of it set',
      'x',
      { settings: { X_CLIENT_ID: 'id' } },
      /^failure: X_CLIENT_ID is set and X_CLIENT_SECRET is not.+ Set X_CLIENT_SECRET too, or neither/m,
    ],
    [
      'the redirect address',
      'x',
      {},
      /^note: Register exactly this redirect address: https:\/\/posthorn\.example\/connect\/x\/callback/m,
    ],
    ['permissions', 'facebook', {}, /^note: People are asked for .*pages_manage_posts/m],
    ['products', 'linkedin_page', {}, /^note: Needed at LinkedIn Page: the product "Community Management API"/m],
    [
      'an address at home',
      'instagram',
      { baseUrl: 'http://localhost:3000', settings: both },
      /^failure: Media cannot be fetched by Instagram from http:\/\/localhost:3000: set BASE_URL/m,
    ],
    ['an address of a home network', 'threads', { baseUrl: 'https://172.20.0.2' }, /^note: Media cannot be fetched/m],
    ['a public address', 'threads', {}, /^ok: Media can be fetched/m],
    ['photos alone', 'tiktok', { baseUrl: 'http://localhost:3000' }, /^note: Photos cannot be fetched/m],
    [
      'a network down',
      'instagram',
      { settings: both, request: answer(503, {}) },
      /^note: Instagram does not say whether/m,
    ],
    [
      'a wrong secret',
      'instagram',
      { settings: both, request: answer(400, { error_message: 'Invalid platform app' }) },
      /^failure: Instagram does not know this app and secret \(Invalid platform app\): copy INSTAGRAM_APP_ID and INSTAGRAM_APP_SECRET again/m,
    ],
    [
      'a right one',
      'instagram',
      { settings: both, request: answer(400, { error_message: 'Invalid authorization code' }) },
      /^ok: Instagram knows the app and its secret$/m,
    ],
    ['no registration', 'mastodon', {}, /^ok: Mastodon needs no settings: Posthorn registers by itself/m],
  ])('%s', async (_, key, given, words) => {
    expect(await examined(key, given)).toMatch(words);
  });
});

describe('SPEC, Statistics rules', () => {
  const named = (key: string): Network => {
    const found = networks.find((entry) => entry.key === key);
    if (!found) throw new Error(`no network ${key}`);
    return found.network;
  };

  test.each(['linkedin', 'linkedin_page', 'google_business'])('5: %s reports nothing', (key) => {
    expect(named(key).constraints.metrics).toEqual([]);
  });

  test.each([
    ['x', 6],
    ['threads', 5],
    ['facebook', 5],
    ['instagram', 6],
    ['tiktok', 4],
    ['youtube', 3],
    ['pinterest', 3],
    ['bluesky', 5],
    ['mastodon', 4],
    ['pixelfed', 3],
  ])('6: %s reports %i metrics', (key, count) => {
    expect(named(key).constraints.metrics).toHaveLength(count);
  });

  test('6: the short-post network gives views, likes, comments, shares, quotes, saves', () => {
    expect(named('x').constraints.metrics).toEqual(['views', 'likes', 'comments', 'shares', 'quotes', 'saves']);
  });

  test('6: microblog network A gives likes, comments, shares, quotes, saves', () => {
    expect(named('bluesky').constraints.metrics).toEqual(['likes', 'comments', 'shares', 'quotes', 'saves']);
  });

  test.each(['threads', 'facebook', 'instagram', 'tiktok'])('10: %s needs an extra permission', (key) => {
    expect(named(key).statisticsPermission).toBeTruthy();
  });

  test.each(['youtube', 'pinterest', 'x', 'bluesky', 'mastodon', 'pixelfed'])('10: %s needs nothing new', (key) => {
    expect(named(key).statisticsPermission).toBeUndefined();
  });
});

describe('whatever a network answers', () => {
  const now = new Date('2026-11-15T12:00:00Z');
  const refusing: Request = async () => {
    const text = '{"error":{"code":100,"message":"no"},"message":"no","status":400}';
    return { status: 400, headers: {}, bytes: Buffer.from(text), text, json: JSON.parse(text) };
  };

  test.each(createNetworks(networks.map(({ network }) => network)).all)(
    '$key: a refused question about a post does not say that it is not out',
    async (network) => {
      const site = {
        ...createSites({
          live: refusing,
          sandbox: { request: refusing, url: () => '', baseUrl: '' },
          setting: () => undefined,
          clock: { now: () => now },
        }).live(network),
        server: 'https://example.com',
      };
      const account: NetworkAccount = {
        id: '1',
        name: 'Anna',
        handle: 'anna',
        tokens: { accessToken: 'a' },
        scopes: ['video.list'],
        facts: null,
      };
      const post = { items: [{ body: 'Hello', media: [] }], options: optionsOf(network) };
      const part = post.items[0];
      const times = { firstTriedAt: now, since: now };
      const sending = { account, post, index: 0, part, out: [], key: 'key', ...times } as Sending;
      const prepared = {
        mediaIds: [],
        media: [],
        container: '1',
        asked: 9,
        session: 'https://example.com/1',
        publishId: '1',
      };
      const heard = await network.confirm(site, sending, prepared).then(
        ({ is }) => is,
        (error) => (error instanceof NetworkTrouble ? error.kind : error),
      );
      expect(['unknown', 'permission']).toContain(heard);
    },
  );

  describe('what the posts of a busy account say of one whose answer was lost', () => {
    /** Looks for a lost post on a Mastodon server that has these posts, newest first, and counts the requests. */
    const ask = async (texts: readonly string[], page: number, secondsAgo: (index: number) => number = () => 0) => {
      const mastodon = networks.find(({ key }) => key === 'mastodon')?.network as Network;
      const statuses = texts.map((content, index) => ({
        id: String(index),
        content,
        created_at: new Date(now.getTime() - secondsAgo(index) * 1000).toISOString(),
        account: { id: '1' },
      }));
      let asked = 0;
      const request: Request = async ({ query = {} }) => {
        asked += 1;
        const start = query.max_id === undefined ? 0 : Number(query.max_id) + 1;
        const json = statuses.slice(start, start + page);
        return { status: 200, headers: {}, bytes: Buffer.alloc(0), text: '', json };
      };
      const account = { id: '1', tokens: { accessToken: 'a' } };
      const part = { body: 'Hello', media: [] };
      const sending = { account, part, out: [], since: now } as unknown as Sending;
      const site = { request, server: 'https://example.com', host: () => '' } as unknown as Site;
      const { is } = await mastodon.confirm(site, sending, { mediaIds: [], processing: [] });
      return { is, asked };
    };
    const others = (count: number) => Array.from({ length: count }, (_, index) => `Post ${index}`);

    test('it is found also where the server shows fewer posts at once than it was asked for', async () => {
      expect(await ask([...others(60), 'Hello'], 20)).toEqual({ is: 'sent', asked: 4 });
    });

    test('it is absent when the list ends, or reaches back before the send', async () => {
      expect(await ask(others(60), 20)).toEqual({ is: 'absent', asked: 4 });
      expect(await ask(others(500), 40, (index) => 10 * index)).toEqual({ is: 'absent', asked: 1 });
    });

    test('an older post at the top of the list, such as a pinned one, does not end it', async () => {
      expect((await ask([...others(60), 'Hello'], 40, (index) => (index === 0 ? 1e6 : 0))).is).toBe('sent');
    });

    test(`it is unknown after ${maxPages} pages`, async () => {
      expect(await ask([...others(40 * maxPages), 'Hello'], 40)).toEqual({ is: 'unknown', asked: maxPages });
    });
  });

  test('HTML of a server, however odd, is read in a time that grows with its length alone', async () => {
    const [mastodon] = networks.filter(({ key }) => key === 'mastodon');
    if (!mastodon) throw new Error('no Mastodon');
    const contents = ['<'.repeat(4e6), '<p class="quote-inline">'.repeat(2e5), '<p>Hello <a>you</a> &amp; me</p>'];
    const json = contents.map((content, id) => ({
      id: String(id),
      content,
      created_at: now.toISOString(),
      account: { id: '1' },
    }));
    const request: Request = async () => ({ status: 200, headers: {}, bytes: Buffer.alloc(0), text: '', json });
    const account = { id: '1', tokens: { accessToken: 'a' } };
    const part = { body: 'Hello you & me', media: [] };
    const sending = { account, part, out: [], since: now } as unknown as Sending;
    const site = { request, server: 'https://example.com', host: () => '' } as unknown as Site;
    const found = await mastodon.network.confirm(site, sending, { mediaIds: [], processing: [] });
    expect(found).toMatchObject({ is: 'sent', sent: { externalId: '2' } });
  });

  test('a pin is written piece by piece, and is the JSON it would be as a whole', async () => {
    const bytes = Buffer.from('The bytes of an image, 31 of 32');
    const pieces = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6)];
    const image = { bytes: bytes.length, read: async () => Readable.from(pieces) };
    const { length, stream } = pinBody({ title: 'Brötchen', items: [{ data: image }, { data: image }], index: 0 });
    const body = await buffer(stream);
    const data = bytes.toString('base64');
    expect(JSON.parse(body.toString())).toEqual({ title: 'Brötchen', items: [{ data }, { data }], index: 0 });
    expect(length).toBe(body.length);
  });

  test('a file that could not be uploaded is closed', async () => {
    const request = createRequest({ request: async () => ({ ok: false, reason: 'refused', message: 'No.' }) }, 1000);
    const [part, whole] = [Readable.from(['a']), Readable.from(['b'])];
    const file = { field: 'file', name: 'a', mimeType: 'image/png', length: 1, stream: part };
    await expect(request({ url: 'https://example.com', multipart: { fields: {}, file } })).rejects.toThrow('No.');
    await expect(request({ url: 'https://example.com', bytes: { length: 1, stream: whole } })).rejects.toThrow('No.');
    expect([part.destroyed, whole.destroyed]).toEqual([true, true]);
  });

  test('text that the database cannot keep is left out', async () => {
    const body = Buffer.from('{"error":"a\\u0000b\\ud83dc \\ud83d\\ude00"}');
    const request = createRequest({ request: async () => ({ ok: true, status: 200, headers: {}, body }) }, 1000);
    expect((await request({ url: 'https://example.com' })).json).toEqual({ error: 'ab\ufffdc 😀' });
  });

  test('times without end and messages without end are bounded', () => {
    const until = retryAt('1e300', now);
    const trouble = new NetworkTrouble('rateLimited', 'a'.repeat(1e6), {
      networkCode: 'b'.repeat(1e6),
      ...(until && { until }),
    });
    expect([trouble.until, trouble.message.length, trouble.networkCode?.length]).toEqual([undefined, 1000, 100]);
    expect(tokensFrom({ access_token: 'a', expires_in: 1e300 }, now).expiresAt).toMatch(/^2036-/);
  });

  test('the page of a firewall at the token endpoint does not disconnect the account', async () => {
    const page = { status: 403, headers: {}, text: '<html>', bytes: Buffer.from('<html>'), json: undefined };
    expect(tokenTrouble(page, now).kind).toBe('temporary');
    expect(tokenTrouble({ ...page, json: { code: 283, message: 'No such token' } }, now).kind).toBe('token');
  });

  const refreshed = async (network: Network, answer: Partial<NetworkAnswer>) => {
    let asked = 0;
    const request: Request = async () => {
      asked++;
      return { status: 200, headers: {}, text: '', bytes: Buffer.alloc(0), json: undefined, ...answer };
    };
    const [live, sandbox] = [request, { request, url: () => '', baseUrl: '' }];
    const sites = createSites({ live, sandbox, setting: () => undefined, clock: { now: () => now } });
    const account = { id: '1', tokens: { accessToken: 'a', refreshToken: 'b' } } as NetworkAccount;
    const trouble = await network.refresh(sites.live(network), account).catch((error) => error as NetworkTrouble);
    return asked === 0 ? 'nothing to refresh with' : (trouble as NetworkTrouble).kind;
  };

  test.each(networks)(
    '$key: the page of a firewall in place of new tokens disconnects no account',
    async ({ network }) => {
      const page = '<html>Are you human?</html>';
      const heard = await refreshed(network, { status: 403, text: page, bytes: Buffer.from(page) });
      expect(['temporary', 'nothing to refresh with']).toContain(heard);
    },
  );

  test.each(['instagram', 'threads'])(
    '%s: an outage of Meta at the token endpoint disconnects no account',
    async (key) => {
      const network = networks.find((one) => one.key === key)?.network as Network;
      const failure = (code: number) => ({
        status: 400,
        json: { error: { code, message: 'Try later', type: 'OAuthException' } },
      });
      expect(await refreshed(network, failure(2))).toBe('temporary');
      expect(await refreshed(network, failure(1))).toBe('token');
      expect(await refreshed(network, failure(190))).toBe('token');
    },
  );
});
