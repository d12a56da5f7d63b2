import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { publicationsOf } from '#test/support/publications';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let browser: ReturnType<Service['browser']>;
let account: string;
beforeAll(async () => {
  service = await startService();
  browser = service.browser();
  await browser.signIn();
  account = await service.connect('bluesky');
  service.startJobs();
});
afterAll(() => service.stop());

const create = (body: string, accountIds: string[] = [account]) => service.client.posts.create({ body, accountIds });
const search = async (query: string) => (await browser.get(`/api/app/posts?${query}`)).body;
const textsOf = ({ posts }: { posts: { text: string }[] }) => posts.map(({ text }) => text);

describe('GET /api/app/posts', () => {
  test('lists drafts with the last edited first, page by page', async () => {
    const first = await create('draft one');
    await create('draft two');
    await create('draft three');
    for (let n = 0; n < 48; n++) await create(`draft number ${n}`);
    await service.client.posts.setVersionText({ id: first.id, body: 'draft one, edited again' });
    const page = await search('group=Drafts&query=draft');
    expect(page.posts).toHaveLength(50);
    expect(textsOf(page)[0]).toBe('draft one, edited again');
    const rest = await search(`group=Drafts&query=draft&cursor=${page.nextCursor}`);
    expect(textsOf(rest)).toEqual(['draft two']);
    expect(rest.nextCursor).toBeUndefined();
  });

  test('lists scheduled posts with the next first, and a calendar by its range', async () => {
    for (const [body, at] of [
      ['later', '2090-01-02T08:00:00Z'],
      ['sooner', '2090-01-01T08:00:00Z'],
    ] as const) {
      await service.asHuman('posts.schedule', { id: (await create(body)).id, at });
    }
    expect(textsOf(await search('group=Scheduled'))).toEqual(['sooner', 'later']);
    expect(textsOf(await search('group=Timed&from=2090-01-02T00:00:00Z&to=2090-01-03T00:00:00Z'))).toEqual(['later']);
  });

  test('a sent post carries its time, its results and its engagement', async () => {
    const { id } = await create('sent');
    await service.asHuman('posts.publishNow', { id });
    await until('it is out', async () => (await service.client.posts.get({ id })).status === 'Published');
    const [post] = (await search('group=Sent&query=sent')).posts;
    expect(post).toMatchObject({ id, status: 'Published', items: 1, engagement: 0, results: [{ ok: true }] });
    expect(post.publishedAt).toMatch(/Z$/);
  });

  test('a published post says whether its engagement was read, is still to be read, or can never be', async () => {
    const silent = await service.connect('linkedin', { handle: 'silent' });
    const numbersOf = async (id: string) => (await search(`group=Timed&ids=${id}`)).posts[0].numbers;
    const publish = async (accountId: string) => {
      const { id } = await create('numbers', [accountId]);
      await service.asHuman('posts.publishNow', { id });
      await until('it is out', async () => (await service.client.posts.get({ id })).status === 'Published');
      return id;
    };
    expect(await numbersOf(await publish(silent))).toBe('None');
    const id = await publish(account);
    expect(await numbersOf(id)).toBe('Pending');
    await publicationsOf(service.database).read([
      { postId: id, accountId: account, publishedAt: '', metrics: { likes: 1 } },
    ]);
    expect(await numbersOf(id)).toBe('Read');
    expect((await search('group=Drafts')).posts[0]).not.toHaveProperty('numbers');
  });

  test('finds text as it stands: % and _ are nothing special; a thumbnail is that of the first file', async () => {
    const media = await service.addMedia({ kind: 'Video', mime: 'video/mp4', durationMs: 2000 });
    const image = await service.addFile();
    const { id } = await create('100 % rye_flour');
    await service.client.posts.update({
      id,
      accountIds: [account],
      versions: [{ content: [{ body: '100 % rye_flour', media: [media, image] }] }],
    });
    expect((await search('group=Drafts&query=%25%20rye_')).posts).toMatchObject([
      { id, thumbnail: { url: expect.stringContaining(media), kind: 'Video' } },
    ]);
    expect((await search('group=Drafts&query=rye%25flour')).posts).toEqual([]);
  });

  test('shows one account alone when asked to, and nothing of another workspace', async () => {
    const other = await service.addAccount('mastodon');
    await create('only there', [other]);
    expect(textsOf(await search(`group=Drafts&accountIds=${other}`))).toEqual(['only there']);
    const { email } = await service.addWorkspace();
    const stranger = service.browser();
    await stranger.signIn(email);
    expect((await stranger.get('/api/app/posts?group=Drafts')).body.posts).toEqual([]);
    expect((await stranger.get('/api/app/posts/counts')).body.counts).toMatchObject({ Draft: 0, Scheduled: 0 });
  });

  test('shows the posts that are named, and no others', async () => {
    const { id } = await create('by its name');
    await create('by its name too');
    expect((await search(`group=Drafts&ids=${id},post_none`)).posts).toMatchObject([{ id }]);
  });

  test('counts by status', async () => {
    const { counts } = (await browser.get('/api/app/posts/counts?query=sooner')).body;
    expect(counts).toEqual({ Draft: 0, Scheduled: 1, Publishing: 0, Published: 0, Failed: 0 });
  });

  test.each(['group=Nope', 'group=Drafts&status=Lost', 'group=Drafts&cursor=abc', 'group=Timed&from=yesterday', ''])(
    'refuses %s with BadInput',
    async (query) => {
      expect((await browser.get(`/api/app/posts?${query}`)).body.code).toBe('BadInput');
    },
  );
});

describe('a post that failed on two accounts', () => {
  const publish = async () => {
    const accounts = [await service.connect('bluesky'), await service.connect('mastodon')];
    const body = `[sandbox:content-refused] once more ${accounts[0]}`;
    const { id } = await create(body, accounts);
    await service.asHuman('posts.publishNow', { id });
    await until('it has ended', async () => (await service.client.posts.get({ id })).status === 'Failed');
    return { id, body, accounts };
  };
  const shown = async (network: string, body: string) =>
    (await service.feed(network)).filter(({ text }) => text.includes(body)).length;

  test('is sent again to one of them alone, and the result of the other stays', async () => {
    const { id, body, accounts } = await publish();
    const [first = '', second = ''] = accounts;
    const before = await service.client.posts.get({ id });
    const { status } = await browser.post(`/api/app/posts/${id}/publish-again`, { only: [first] });
    expect(status).toBe(200);
    await until('it has ended', async () => (await service.client.posts.get({ id })).status === 'Failed');
    const after = await service.client.posts.get({ id });
    expect(after.results).toMatchObject([{ accountId: first, ok: true }, { accountId: second }]);
    expect(after.results[1]).toEqual(before.results[1]);
    expect([await shown('bluesky', body), await shown('mastodon', body)]).toEqual([1, 0]);
    const refused = await browser.post(`/api/app/posts/${id}/publish-again`, { only: [first] });
    expect(refused).toMatchObject({ status: 409, body: { code: 'Conflict' } });
  });

  test('is sent again to one of them alone, also while it is uncertain whether the other has it from before a restore', async () => {
    const { id, accounts } = await publish();
    const [first = '', second = ''] = accounts;
    await service.database.query(
      sql(
        'test.uncertain',
        `update posts set results = (select jsonb_agg(case when result ->> 'accountId' = $2 then result || '{"uncertain": true}'
                                                      else result end) from jsonb_array_elements(results) as result)
          where id = $1`,
      ),
      [id, second],
    );
    const before = await service.client.posts.get({ id });
    expect((await browser.post(`/api/app/posts/${id}/publish-again`, { only: [first] })).status).toBe(200);
    await until('it has ended', async () => (await service.client.posts.get({ id })).status === 'Failed');
    expect((await service.client.posts.get({ id })).results).toMatchObject([{ ok: true }, before.results[1]]);
  });

  test('tells of accounts that are done while another is still being sent to', async () => {
    const { id, accounts } = await publish();
    await service.database.query(
      sql('test.half', "update sends set due_at = 'infinity', result = null where post_id = $1 and account_id = $2"),
      [id, accounts[0]],
    );
    await service.database.query(
      sql('test.publishing', "update posts set status = 'Publishing', results = '[]' where id = $1"),
      [id],
    );
    const { body } = await browser.get(`/api/app/posts/${id}/progress`);
    expect(body).toMatchObject({ status: 'Publishing', results: [{ accountId: accounts[1], ok: false }] });
    expect((await browser.get('/api/app/posts/post_none/progress')).status).toBe(404);
  });
});

describe('an uncertain result that a person found', () => {
  const failed = async (isUncertain: boolean) => {
    const { id } = await create('[sandbox:lost] looked for');
    const results = [
      { accountId: account, ok: false, uncertain: isUncertain, error: { code: 'uncertain', message: 'Look.' } },
    ];
    await service.database.query(
      sql('test.failedPost', "update posts set status = 'Failed', results = $2::jsonb where id = $1"),
      [id, JSON.stringify(results)],
    );
    return id;
  };

  test('counts as out: Published, with its event, and nothing is sent', async () => {
    const id = await failed(true);
    const before = (await service.feed('bluesky')).length;
    const { body } = await browser.post(`/api/app/posts/${id}/found`, { accountIds: [account] });
    expect(body).toMatchObject({ status: 'Published', results: [{ accountId: account, ok: true, uncertain: false }] });
    expect(body.results[0].error).toBeUndefined();
    const events = (await service.events()).filter(({ data }) => (data.post as { id: string }).id === id);
    expect(events.map(({ type }) => type)).toEqual(['post.published']);
    expect((await service.feed('bluesky')).length).toBe(before);
  });

  test('is refused for an account that is not uncertain, and twice', async () => {
    const refused = await failed(false);
    expect((await browser.post(`/api/app/posts/${refused}/found`, { accountIds: [account] })).status).toBe(409);
    const id = await failed(true);
    expect((await browser.post(`/api/app/posts/${id}/found`, { accountIds: ['acct_X'] })).status).toBe(409);
    await browser.post(`/api/app/posts/${id}/found`, { accountIds: [account] });
    expect((await browser.post(`/api/app/posts/${id}/found`, { accountIds: [account] })).status).toBe(409);
  });
});

describe('GET /api/app/analytics/series', () => {
  test('counts by the day of the time zone, also over a change of its clocks, and says how many posts have numbers', async () => {
    const accountId = await service.addAccount('x');
    const publish = async (publishedAt: string, likes?: number) => {
      const { id } = await create('counted', [accountId]);
      const metrics = likes === undefined ? null : { likes, views: 10 * likes };
      await publicationsOf(service.database).add([{ postId: id, accountId, publishedAt, metrics }]);
    };
    // Berlin leaves summer time on 26 October 2025: midnight is 22:00Z before and 23:00Z after.
    await publish('2025-10-24T22:00:00Z', 1);
    await publish('2025-10-25T21:59:59Z', 2);
    await publish('2025-10-25T22:00:00Z', 4);
    await publish('2025-10-26T22:59:59Z', 8);
    await publish('2025-10-26T23:00:00Z', 16);
    await publish('2025-10-27T10:00:00Z');
    const range = 'from=2025-10-20T00:00:00Z&to=2025-10-30T00:00:00Z&timeZone=Europe/Berlin';
    const { days } = (await browser.get(`/api/app/analytics/series?${range}&accountIds=${accountId}`)).body;
    expect(days).toEqual([
      { date: '2025-10-25', posts: 2, views: 30, engagement: 3, readPosts: 2 },
      { date: '2025-10-26', posts: 2, views: 120, engagement: 12, readPosts: 2 },
      { date: '2025-10-27', posts: 2, views: 160, engagement: 16, readPosts: 1 },
    ]);
  });
});

describe('GET /api/app/posts/:id/editor', () => {
  test('says what is wrong, what each account allows, and which files the post uses', async () => {
    const pinterest = await service.connect('pinterest');
    const media = await service.addFile();
    const post = await create('a'.repeat(301), [account, pinterest]);
    await service.client.posts.update({
      id: post.id,
      accountIds: [account, pinterest],
      versions: [{ content: [{ body: 'a'.repeat(301), media: [media] }] }],
    });
    const { status, body } = await browser.get(`/api/app/posts/${post.id}/editor`);
    expect(status).toBe(200);
    expect(body.issues.map(({ code }: { code: string }) => code)).toEqual(['TooLong', 'OptionRequired']);
    expect(body.accounts.map(({ accountId }: { accountId: string }) => accountId)).toEqual([account, pinterest]);
    expect(body.accounts[0].constraints.characters).toMatchObject({ max: 300, rule: 'Graphemes' });
    // The boards of this particular account.
    expect(body.accounts[1].choices['pinterest.board'][0]).toEqual({
      value: expect.any(String),
      label: expect.any(String),
    });
    expect(body.media).toMatchObject([{ id: media, kind: 'Image', width: 1080 }]);
    expect(body.updatedAt).toBe((await service.client.posts.get({ id: post.id })).updatedAt);

    // Sections are offered once their board is chosen; a section that is not in the list is accepted too.
    expect(body.accounts[1].disabledOptions).toEqual({ 'pinterest.board_section': 'Choose the board first.' });
    const sectionsOn = async (board: string) => {
      await service.client.posts.setOption({ id: post.id, key: 'pinterest.board', value: board });
      return (await browser.get(`/api/app/posts/${post.id}/editor`)).body.accounts[1].choices[
        'pinterest.board_section'
      ];
    };
    const [recipes, travel] = body.accounts[1].choices['pinterest.board'];
    expect(body.accounts[1].choices['pinterest.board_section']).toBeUndefined();
    expect(await sectionsOn(recipes.value)).toEqual([{ value: '549755900001', label: 'Bread' }]);
    expect(await sectionsOn(travel.value)).toBeUndefined();
    expect((await browser.get(`/api/app/posts/${post.id}/editor`)).body.accounts[1].disabledOptions).toEqual({});
    await service.client.posts.setOption({ id: post.id, key: 'pinterest.board_section', value: '549755900777' });
  });

  test('is not found in another workspace', async () => {
    const other = await service.addWorkspace();
    const stranger = service.browser();
    await stranger.signIn(other.email);
    const { id } = await create('Ours');
    expect((await stranger.get(`/api/app/posts/${id}/editor`)).status).toBe(404);
  });
});

describe('GET /api/app/analytics/coverage', () => {
  const range = 'from=2024-05-01T00:00:00Z&to=2024-06-01T00:00:00Z&timeZone=Europe/Berlin';
  const coverage = async (query: string) => (await browser.get(`/api/app/analytics/coverage?${query}`)).body;

  test('says since when there are posts, which accounts report which numbers, and what was read', async () => {
    const { statisticsPermission = '' } = service.posthorn.networks.get('threads');
    const [read, silent, refused] = [
      await service.connect('mastodon', { handle: 'covered' }),
      await service.connect('linkedin', { handle: 'covered' }),
      await service.connect('threads', { handle: 'tester.asks', without: [statisticsPermission] }),
    ];
    const add = async (publishedAt: string, metrics: Record<string, number> | null) => {
      const { id } = await create('covered', [read, silent]);
      const targets = [
        { postId: id, accountId: read, publishedAt, metrics },
        { postId: id, accountId: silent, publishedAt, metrics: null },
      ];
      await publicationsOf(service.database).add(targets);
    };
    await add('2024-04-20T10:00:00Z', null);
    await add('2024-05-10T10:00:00Z', { likes: 3 });
    await add('2024-05-11T10:00:00Z', null);
    const answer = await coverage(`${range}&accountIds=${read},${silent},${refused}`);
    expect(answer.beganAt).toBe('2024-04-20T10:00:00.000000Z');
    expect(answer.readAt).toMatch(/Z$/);
    expect(answer.unfinishedDay).toBeUndefined();
    const { metrics } = service.posthorn.networks.get('mastodon').constraints;
    expect(answer.accounts).toEqual([
      { accountId: read, provider: 'Mastodon', statistics: 'Ok', metrics: [...metrics], posts: 2, readPosts: 1 },
      { accountId: silent, provider: 'LinkedIn', statistics: 'None', metrics: [], posts: 2, readPosts: 0 },
      expect.objectContaining({ accountId: refused, statistics: 'Reconnect', posts: 0, readPosts: 0 }),
    ]);
    expect(await coverage(`${range}&accountIds=${refused}`)).not.toHaveProperty('beganAt');
  });

  test('names the day that is not over, in the requested time zone', async () => {
    const now = service.clock.now().getTime();
    const instant = (days: number) => new Date(now + days * 86_400_000).toISOString();
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const today = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(now);
      const { unfinishedDay } = await coverage(`from=${instant(-3)}&to=${instant(1)}&timeZone=${zone}`);
      expect(unfinishedDay).toBe(today);
    }
    expect(await coverage(`from=${instant(-3)}&to=${instant(-1)}`)).not.toHaveProperty('unfinishedDay');
  });
});

describe('GET /api/app/analytics/best-of-days', () => {
  test('lists at most five posts a day, the best first, without a number where none was read', async () => {
    const accountId = await service.connect('mastodon', { handle: 'best' });
    const ids: string[] = [];
    for (const likes of [1, 9, 5, 7, 3, 8, null]) {
      const { id } = await create(`best ${likes}`, [accountId]);
      const publishedAt = likes === null ? '2024-07-02T00:30:00Z' : '2024-07-02T22:30:00Z';
      const metrics = likes === null ? null : { likes };
      await publicationsOf(service.database).add([{ postId: id, accountId, publishedAt, metrics }]);
      ids.push(id);
    }
    const range = 'from=2024-07-01T22:00:00Z&to=2024-07-03T22:00:00Z&timeZone=Europe/Berlin';
    const answer = (await browser.get(`/api/app/analytics/best-of-days?${range}&accountIds=${accountId}`)).body;
    expect(answer.posts).toEqual([
      { date: '2024-07-02', postId: ids[6], text: 'best null', accountIds: [accountId] },
      ...[9, 8, 7, 5, 3].map((likes) => ({
        date: '2024-07-03',
        postId: ids[[1, 9, 5, 7, 3, 8].indexOf(likes)],
        text: `best ${likes}`,
        accountIds: [accountId],
        engagement: likes,
      })),
    ]);
  });
});

describe('GET /api/app/posts/last-accounts', () => {
  const lastOf = async ({ email }: { email: string }) => {
    const person = service.browser();
    await person.signIn(email);
    return (await person.get('/api/app/posts/last-accounts')).body;
  };

  test('there are none in a workspace that has sent nothing', async () => {
    const other = await service.addWorkspace();
    const accountIds = [await service.addAccount('x', other.workspaceId)];
    await service.asHuman('posts.create', { body: 'A draft', accountIds }, other);
    expect(await lastOf(other)).toEqual({ accountIds: [], disconnected: 0 });
  });

  test('those of the own last post count, else of the workspace; one that was disconnected is left out', async () => {
    const [anna, ben] = [await service.addMember('editor'), await service.addMember('editor')];
    const first = await service.addAccount('x');
    const second = await service.addAccount('bluesky');
    const schedule = async (accountIds: string[], { userId }: { userId: string }) => {
      const { id } = await service.asHuman('posts.create', { body: 'Out', accountIds }, { userId });
      await service.asHuman('posts.schedule', { id, at: '2090-03-01T08:00:00Z' }, { userId, role: 'editor' });
    };
    await schedule([second, first], anna);
    await service.asHuman('posts.create', { body: 'A draft', accountIds: [account] }, { userId: anna.userId });
    for (const person of [anna, ben]) {
      expect(await lastOf(person)).toEqual({ accountIds: [second, first], disconnected: 0 });
    }
    await schedule([account], ben);
    expect(await lastOf(ben)).toEqual({ accountIds: [account], disconnected: 0 });
    expect(await lastOf(anna)).toEqual({ accountIds: [second, first], disconnected: 0 });
    await service.asHuman('accounts.delete', { id: second });
    expect(await lastOf(anna)).toEqual({ accountIds: [first], disconnected: 1 });
  });
});
