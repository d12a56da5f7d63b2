import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { networks } from '#generated/networks';
import { sql } from '#server/base/store/database';
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
  test('providers.limits can be narrowed to some networks, and names them all when one is unknown', async () => {
    const { providers } = await service.client.providers.limits({ networks: ['mastodon', 'x'] });
    expect(providers.map(({ network }) => network).sort()).toEqual(['mastodon', 'x']);
    const { status, body } = await service.call('providers.limits', { networks: ['x', 'myspace'] });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'BadInput', issues: [{ path: 'networks.1' }] },
    });
    expect(body.message).toContain('bluesky');
  });

  test('providers.limits gives limits, options and constraints.metrics of every network', async () => {
    const { providers } = await service.client.providers.limits();
    expect(providers.map(({ network }) => network)).toEqual(networks.map(({ key }) => key));
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
    expect(providers).toHaveLength(networks.length);
    for (const { network, badge, connectUrl, sandbox, configured } of providers) {
      expect(badge).toEqual(networks.find(({ key }) => key === network)?.badge);
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
  const publish = async (accountIds: string[], publishedAt: string, metrics: object | null) => {
    const post = await service.client.posts.create({ accountIds });
    for (const accountId of accountIds) {
      await service.database.query(
        sql(
          'test.publication',
          `insert into publications (post_id, account_id, workspace_id, network, external_id, published_at, metrics, fetched_at, next_fetch_at)
           values ($1, $2, $3, 'x', 'ext-1', $4, $5, case when $5::jsonb is null then null else $4::timestamptz + interval '1 hour' end,
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
});
