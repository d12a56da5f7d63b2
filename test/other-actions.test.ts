import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/store/database';
import { type Service, startService } from '#test/support/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('accounts.list', () => {
  test('lists connected accounts, without their tokens', async () => {
    const fresh = await startService();
    const id = await fresh.addAccount('bluesky');
    expect((await fresh.call('accounts.list')).body).toEqual({
      accounts: [
        {
          id,
          provider: 'Bluesky',
          network: 'bluesky',
          name: expect.any(String),
          handle: expect.any(String),
          status: 'Connected',
          statistics: 'Ok',
          connectedAt: expect.any(String),
        },
      ],
    });
    await fresh.stop();
  });

  test('says who reports nothing, and who must reconnect for statistics while still connected', async () => {
    const none = await service.addAccount('linkedin');
    const without = await service.addAccount('instagram');
    await service.database.query(sql('test.scopes', "update accounts set granted_scopes = '{}' where id = $1"), [
      without,
    ]);
    const { accounts } = await service.client.accounts.list();
    expect(accounts.find(({ id }) => id === none)).toMatchObject({ statistics: 'None' });
    expect(accounts.find(({ id }) => id === without)).toMatchObject({
      status: 'Connected',
      statistics: 'Reconnect',
      statisticsMessage: expect.stringContaining('Reconnect'),
    });
  });
});

describe('accounts.delete', () => {
  test('by a human disconnects the account; posts keep its id', async () => {
    const id = await service.addAccount('mastodon');
    const post = await service.client.posts.create({ accountIds: [id] });
    expect(await service.asHuman('accounts.delete', { id })).toEqual({ id, deleted: true });
    expect((await service.client.accounts.list()).accounts.map((one) => one.id)).not.toContain(id);
    expect((await service.client.posts.get({ id: post.id })).accountIds).toEqual([id]);
    await expect(service.asHuman('accounts.delete', { id })).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('of another workspace finds nothing', async () => {
    const id = await service.addAccount('x', (await service.addWorkspace()).workspaceId);
    await expect(service.asHuman('accounts.delete', { id })).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('is not for an editor, human or not', async () => {
    const id = await service.addAccount('x');
    await expect(service.asHuman('accounts.delete', { id }, { role: 'editor' })).rejects.toMatchObject({
      code: 'Forbidden',
    });
  });
});

describe('providers', () => {
  test('providers.limits gives limits, options and constraints.metrics of all thirteen', async () => {
    const { providers } = await service.client.providers.limits();
    expect(providers.map(({ network }) => network).toSorted()).toEqual(
      'bluesky facebook google_business instagram linkedin linkedin_page mastodon pinterest pixelfed threads tiktok x youtube'.split(
        ' ',
      ),
    );
    for (const { network, constraints, options } of providers) {
      expect(constraints.characters.max).toBeGreaterThan(0);
      expect(options.every(({ key }) => key.startsWith(`${network}.`))).toBe(true);
    }
    expect(providers.find(({ network }) => network === 'x')?.constraints.metrics).toEqual(
      'views likes comments shares quotes saves'.split(' '),
    );
  });

  test('providers.list gives each a connectUrl, and a sandbox where no credentials are set', async () => {
    const { providers } = await service.client.providers.list();
    expect(providers).toHaveLength(13);
    for (const { network, connectUrl, sandbox, configured } of providers) {
      expect(connectUrl).toBe(`http://posthorn.test/connect/${network}`);
      expect({ sandbox, configured }).toEqual({ sandbox: true, configured: false });
    }
  });

  test('providers.list in production leaves out what has no credentials', async () => {
    const settings = { NODE_ENV: 'production', EMBEDDED_DATABASE: 'true', X_CLIENT_ID: 'a', X_CLIENT_SECRET: 'b' };
    const live = await startService({ ...settings, BASE_URL: 'https://posthorn.example.com', THREADS_APP_ID: 'half' });
    const { providers } = await live.client.providers.list();
    expect(providers.map(({ network }) => network)).toEqual(['bluesky', 'mastodon', 'pixelfed', 'x']);
    expect(providers.every(({ configured, sandbox }) => configured && !sandbox)).toBe(true);
    expect((await live.call('posts.list')).headers.get('strict-transport-security')).toBeTruthy();
    await live.stop();
  });
});

describe('media.list', () => {
  test('gives the library newest first, page by page', async () => {
    const first = await service.addMedia();
    const second = await service.addMedia({ kind: 'Video', mime: 'video/mp4', durationMs: 1500 });
    const page = await service.client.media.list({ limit: 1 });
    expect(page.media).toEqual([
      {
        id: second,
        kind: 'Video',
        mimeType: 'video/mp4',
        bytes: 1000,
        width: 1200,
        height: 1000,
        durationMs: 1500,
        url: `http://posthorn.test/media/${second}`,
        thumbnailUrl: `http://posthorn.test/media/${second}?size=thumbnail`,
        createdAt: expect.any(String),
      },
    ]);
    const { media } = await service.client.media.list({ cursor: page.nextCursor ?? '' });
    expect(media.map(({ id }) => id)).toContain(first);
  });
});

describe('ui.getContext', () => {
  test('is empty until the web app has reported a page', async () => {
    const { token } = await service.addMember('viewer');
    expect((await service.call('ui.getContext', {}, { authorization: `Bearer ${token}` })).body).toEqual({});
  });

  test('tells page, open post and version tab of this user', async () => {
    const set = await service.client.ui.setContext({ page: '/posts/1', postId: 'post_1', accountId: 'acct_1' });
    expect(set).toMatchObject({ page: '/posts/1', postId: 'post_1', accountId: 'acct_1' });
    expect(await service.client.ui.getContext()).toEqual(set);
    await service.client.ui.setContext({ page: '/' });
    expect(await service.client.ui.getContext()).toEqual({ page: '/', updatedAt: expect.any(String) });
  });
});

describe('statistics of what was published', () => {
  const publish = async (accountIds: string[], publishedAt: string, metrics: object | null, body = 'Text') => {
    const post = await service.client.posts.create({ body, accountIds });
    for (const accountId of accountIds) {
      await service.database.query(
        sql(
          'test.publication',
          `insert into publications (post_id, account_id, workspace_id, external_id, published_at, metrics, fetched_at, next_fetch_at)
           values ($1, $2, $3, 'ext-1', $4, $5, case when $5::jsonb is null then null else $4::timestamptz + interval '1 hour' end,
                   $4::timestamptz + interval '6 hours')`,
        ),
        [post.id, accountId, service.owner.workspaceId, publishedAt, metrics],
      );
    }
    return post.id;
  };

  test('posts.metrics has an entry per account the post was published to, without metrics until the first read', async () => {
    const account = await service.addAccount('x');
    const id = await publish([account], '2026-01-05T10:00:00Z', null);
    expect(await service.client.posts.metrics({ id })).toEqual({
      postId: id,
      accounts: [
        {
          accountId: account,
          provider: 'X',
          externalId: 'ext-1',
          publishedAt: '2026-01-05T10:00:00.000000Z',
          nextFetchAt: '2026-01-05T16:00:00.000000Z',
        },
      ],
    });
  });

  test('posts.metrics omits what the network does not report', async () => {
    const id = await publish([await service.addAccount('x')], '2026-01-06T10:00:00Z', { likes: 3, views: 0 });
    const { accounts } = await service.client.posts.metrics({ id });
    expect(accounts[0]?.metrics).toEqual({ likes: 3, views: 0, fetchedAt: '2026-01-06T11:00:00.000000Z' });
  });

  test('analytics.summary counts a post once, sums over accounts, and finds the best times in the time zone', async () => {
    const [a, b] = [await service.addAccount('x'), await service.addAccount('bluesky')];
    const metrics = { views: 100, likes: 1, comments: 2, shares: 3, quotes: 4, saves: 5, clicks: 50 };
    const both = await publish([a, b], '2025-06-02T22:30:00Z', metrics, 'Both');
    const one = await publish([a], '2025-06-03T22:30:00Z', { likes: 7 }, 'One');
    await publish([a], '2025-06-30T00:00:00Z', { likes: 1000 }, 'At the end, which is exclusive');
    const range = { from: '2025-06-01T00:00:00Z', to: '2025-06-30T00:00:00Z', timeZone: 'Europe/Berlin' };
    const summary = await service.client.analytics.summary({ ...range, accountIds: [a, b] });
    expect(summary).toMatchObject({
      ...range,
      totals: {
        posts: 2,
        views: 200,
        likes: 9,
        comments: 4,
        shares: 6,
        quotes: 8,
        saves: 10,
        clicks: 100,
        engagement: 37,
      },
      byAccount: expect.arrayContaining([
        { accountId: a, provider: 'X', totals: expect.objectContaining({ posts: 2, engagement: 22 }) },
        { accountId: b, provider: 'Bluesky', totals: expect.objectContaining({ posts: 1, engagement: 15 }) },
      ]),
      byNetwork: expect.arrayContaining([{ provider: 'X', totals: expect.objectContaining({ posts: 2 }) }]),
      topPosts: [
        { postId: both, text: 'Both', engagement: 30, views: 200, publishedAt: '2025-06-02T22:30:00.000000Z' },
        { postId: one, text: 'One', engagement: 7, views: 0, accountIds: [a] },
      ],
      // 22:30 UTC is half past midnight of the next day in Berlin.
      bestTimes: [
        { weekday: 2, hour: 0, posts: 1, engagement: 30, average: 30, lowConfidence: true },
        { weekday: 3, hour: 0, posts: 1, engagement: 7, average: 7, lowConfidence: true },
      ],
    });
    expect(summary.topPosts[0]?.accountIds.toSorted()).toEqual([a, b].toSorted());
    const onlyB = await service.client.analytics.summary({ ...range, accountIds: [b] });
    expect(onlyB.totals).toMatchObject({ posts: 1, engagement: 15 });
  });

  test('analytics.summary counts an unknown time zone as UTC and echoes it', async () => {
    const range = { from: '2025-06-01T00:00:00Z', to: '2025-06-30T00:00:00Z' };
    for (const timeZone of ['Mars/Olympus', '', '+02:00', "' or 1=1"]) {
      const summary = await service.client.analytics.summary({ ...range, timeZone });
      expect(summary.timeZone).toBe(timeZone);
      expect(summary.bestTimes[0]).toMatchObject({ weekday: 1, hour: 22 });
    }
  });

  test.each([
    ['from', { from: '2025-06-01', to: '2025-06-02T00:00:00Z' }],
    ['from', { from: 'yesterday', to: '2025-06-02T00:00:00Z' }],
    ['from', { from: '2025-02-30T00:00:00Z', to: '2025-06-02T00:00:00Z' }],
    ['to', { from: '2025-06-02T00:00:00Z', to: '2025-06-02T00:00:00Z' }],
    ['to', { from: '2025-06-02T00:00:00Z', to: '2025-06-01T00:00:00Z' }],
    ['to', { from: '2025-01-01T00:00:00.000Z', to: '2026-02-05T00:00:00.001Z' }],
  ])('analytics.summary refuses a malformed range, naming %s', async (path, range) => {
    const { status, body } = await service.call('analytics.summary', range);
    expect({ status, code: body.code, path: body.issues[0].path }).toEqual({ status: 400, code: 'BadInput', path });
    if (path === 'from') expect(body.message).toContain('from: must be an ISO-8601 instant');
  });

  test('analytics.summary takes a range of just 400 days', async () => {
    const range = { from: '2025-01-01T00:00:00Z', to: '2026-02-05T00:00:00Z' };
    expect((await service.call('analytics.summary', range)).status).toBe(200);
  });
});
