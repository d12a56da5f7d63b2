import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Post } from '#contracts/posts';
import { sql } from '#server/base/store/database';
import { checkLimits } from '#server/writing/posts/limits';
import { type Service, startService } from '#test/support/service';

let service: Service;
let x: string;
let bluesky: string;
beforeAll(async () => {
  service = await startService();
  x = await service.addAccount('x');
  bluesky = await service.addAccount('bluesky');
});
afterAll(() => service.stop());

const hourMs = 3_600_000;
const inMs = (ms: number) => new Date(service.clock.now().getTime() + ms).toISOString();
const draft = async (body = 'Hello', accountIds: string[] = []) => service.client.posts.create({ body, accountIds });
const scheduled = async (accountIds = [x]) => {
  const post = await draft('Hello', accountIds);
  return service.asHuman('posts.schedule', { id: post.id, at: inMs(hourMs) });
};

describe('posts.create', () => {
  test('saves a draft with results empty', async () => {
    const { status, body } = await service.call('posts.create', { body: 'Hello', accountIds: [x] });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^post_[0-9A-Z]{26}$/),
      status: 'Draft',
      accountIds: [x],
      versions: [{ content: [{ body: 'Hello', media: [] }], options: {} }],
      results: [],
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    });
  });

  test('needs nothing: an empty body is an empty draft', async () => {
    const { body } = await service.call('posts.create', '');
    expect(body).toMatchObject({ accountIds: [], versions: [{ content: [{ body: '', media: [] }] }] });
  });

  test('takes versions in place of a body: a thread, media, options, and what one account gets instead', async () => {
    const media = await service.addMedia();
    const versions = [
      { accountId: bluesky, content: [{ body: 'Shorter' }] },
      { content: [{ body: 'One', media: [media] }, { body: 'Two' }], options: { 'x.reply_settings': 'following' } },
    ];
    const { status, body } = await service.call('posts.create', { accountIds: [x, bluesky], versions });
    expect({ status, versions: body.versions }).toEqual({
      status: 200,
      versions: [
        {
          content: [
            { body: 'One', media: [media] },
            { body: 'Two', media: [] },
          ],
          options: { 'x.reply_settings': 'following' },
        },
        { accountId: bluesky, content: [{ body: 'Shorter', media: [] }], options: {} },
      ],
    });
    const before = await service.count('posts');
    const original = { content: [{ body: 'One' }] };
    for (const [input, path] of [
      [{ body: 'Twice', versions: [original] }, 'body'],
      [{ versions: [{ accountId: x, ...original }] }, 'versions.0.accountId'],
      [{ versions: [{ content: [{ body: 'One', media: ['media_none'] }] }] }, 'versions.0.content.0.media.0'],
      [{ versions: [{ ...original, options: { 'x.nothing': '1' } }] }, 'versions.0.options.x.nothing'],
    ] as const) {
      const refused = await service.call('posts.create', input);
      expect({ status: refused.status, path: refused.body.issues[0]?.path }).toEqual({ status: 400, path });
    }
    expect(await service.count('posts')).toBe(before);
    const at = inMs(hourMs);
    const thread = { versions: [original], accountIds: [x], scheduledAt: at };
    expect(await service.asHuman('posts.create', thread)).toMatchObject({ status: 'Scheduled' });
  });

  test('tells of every account that it does not know', async () => {
    const { body } = await service.call('posts.create', { accountIds: ['acct_one', x, 'acct_two'] });
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual(['accountIds.0', 'accountIds.2']);
  });

  test('from a token with scheduledAt stays a draft and keeps the wished time', async () => {
    const post = await service.client.posts.create({ scheduledAt: '2030-01-02T04:04:05+01:00' });
    expect(post).toMatchObject({ status: 'Draft', scheduledAt: '2030-01-02T03:04:05.000000Z' });
  });

  test('by a human with scheduledAt schedules at once, or saves nothing', async () => {
    const post = await service.asHuman('posts.create', { accountIds: [x], body: 'Hi', scheduledAt: inMs(hourMs) });
    expect(post.status).toBe('Scheduled');
    const before = await service.count('posts');
    const tooLong = { accountIds: [x], body: 'a'.repeat(281), scheduledAt: inMs(hourMs) };
    await expect(service.asHuman('posts.create', tooLong)).rejects.toMatchObject({ code: 'Invalid' });
    expect(await service.count('posts')).toBe(before);
  });

  test.each([
    ['an account that does not exist', () => ['acct_nobody'], 'accountIds.0'],
    ['an account named twice', () => [x, bluesky, x], 'accountIds.2'],
    ['an account of another workspace', async () => [x, await foreignAccount()], 'accountIds.1'],
  ])('refuses %s, naming the path', async (_what, accountIds, path) => {
    const before = await service.count('posts');
    const { status, body } = await service.call('posts.create', { accountIds: await accountIds() });
    expect({ status, code: body.code, path: body.issues[0].path }).toEqual({ status: 400, code: 'BadInput', path });
    expect(body.message).toContain(path);
    expect(await service.count('posts')).toBe(before);
  });
});

const foreignAccount = async () => service.addAccount('x', (await service.addWorkspace()).workspaceId);

describe('posts.update', () => {
  const original = { content: [{ body: 'New' }] };

  test('replaces accounts, versions and time', async () => {
    const post = await draft();
    const media = await service.addMedia();
    const updated = await service.client.posts.update({
      id: post.id,
      accountIds: [x, bluesky],
      versions: [
        { accountId: bluesky, content: [{ body: 'For Bluesky' }], options: { 'bluesky.reply_control': 'nobody' } },
        { content: [{ body: 'One', media: [media] }, { body: 'Two' }] },
      ],
      scheduledAt: '2030-01-02T03:04:05Z',
    });
    expect(updated).toMatchObject({
      status: 'Draft',
      accountIds: [x, bluesky],
      versions: [
        {
          content: [
            { body: 'One', media: [media] },
            { body: 'Two', media: [] },
          ],
          options: {},
        },
        {
          accountId: bluesky,
          content: [{ body: 'For Bluesky', media: [] }],
          options: { 'bluesky.reply_control': 'nobody' },
        },
      ],
      scheduledAt: '2030-01-02T03:04:05.000000Z',
    });
    expect(await service.client.posts.get({ id: post.id })).toEqual(updated);
  });

  test('without a time takes the wished time away', async () => {
    const post = await service.client.posts.create({ scheduledAt: '2030-01-02T03:04:05Z' });
    const updated = await service.client.posts.update({ id: post.id, accountIds: [], versions: [original] });
    expect(updated.scheduledAt).toBeUndefined();
  });

  test('with a stale baseUpdatedAt saves nothing and is a Conflict', async () => {
    const post = await draft();
    const change = { id: post.id, accountIds: [], versions: [original], baseUpdatedAt: post.updatedAt };
    const first = await service.client.posts.update(change);
    expect(first.updatedAt > post.updatedAt).toBe(true);
    await expect(service.client.posts.update(change)).rejects.toMatchObject({ code: 'Conflict', status: 409 });
    expect(await service.client.posts.get({ id: post.id })).toEqual(first);
  });

  test('compares baseUpdatedAt to the microsecond, in whatever zone it is written', async () => {
    const post = await draft();
    const almost = post.updatedAt.replace(/(\d)Z$/, (_, digit) => `${(Number(digit) + 1) % 10}Z`);
    const change = { id: post.id, accountIds: [], versions: [original] };
    await expect(service.client.posts.update({ ...change, baseUpdatedAt: almost })).rejects.toMatchObject({
      code: 'Conflict',
    });
    const elsewhere = post.updatedAt.replace('Z', '+00:00');
    await service.client.posts.update({ ...change, baseUpdatedAt: elsewhere });
  });

  test('of two at once with the same base lets one through', async () => {
    const post = await draft();
    const change = { id: post.id, accountIds: [], versions: [original], baseUpdatedAt: post.updatedAt };
    const answers = await Promise.all(Array.from({ length: 6 }, () => service.call('posts.update', change)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  test.each([
    ['no original version', () => [{ accountId: x, content: [{ body: '' }] }], 'versions'],
    ['two original versions', () => [original, { accountId: '', content: [{ body: '' }] }], 'versions.1.accountId'],
    ['two versions of one account', () => [original, own(x), own(x)], 'versions.2.accountId'],
    ['a version for an account outside accountIds', () => [original, own(bluesky)], 'versions.1.accountId'],
    ['an unknown media id', () => [{ content: [{ body: '', media: ['media_none'] }] }], 'versions.0.content.0.media.0'],
    ['an unknown option key', () => [{ ...original, options: { 'x.nope': '1' } }], 'versions.0.options.x.nope'],
    [
      'an option of another network',
      () => [original, { ...own(x), options: { 'bluesky.languages': 'en' } }],
      'versions.1.options.bluesky.languages',
    ],
    ['a version without items', () => [{ content: [] }], 'versions.0.content'],
    ['no version', () => [], 'versions'],
  ])('refuses %s, naming the path', async (_what, versions, path) => {
    const post = await draft();
    const { status, body } = await service.call('posts.update', { id: post.id, accountIds: [x], versions: versions() });
    expect({ status, code: body.code, path: body.issues[0].path }).toEqual({ status: 400, code: 'BadInput', path });
    expect(await service.client.posts.get({ id: post.id })).toEqual(post);
  });
  const own = (accountId: string) => ({ accountId, content: [{ body: 'Own' }] });
});

describe('posts.setVersionText', () => {
  test('replaces the text of the original version', async () => {
    const post = await draft();
    const { versions } = await service.client.posts.setVersionText({ id: post.id, body: 'New' });
    expect(versions).toEqual([{ content: [{ body: 'New', media: [] }], options: {} }]);
  });

  test('for an account without an override creates one copied from the original', async () => {
    const post = await draft('Hello', [x]);
    await service.client.posts.setVersionText({ id: post.id, body: 'Second', itemIndex: 1 });
    const { versions } = await service.client.posts.setVersionText({ id: post.id, body: 'For X', accountId: x });
    expect(versions).toEqual([
      {
        content: [
          { body: 'Hello', media: [] },
          { body: 'Second', media: [] },
        ],
        options: {},
      },
      {
        accountId: x,
        content: [
          { body: 'For X', media: [] },
          { body: 'Second', media: [] },
        ],
        options: {},
      },
    ]);
  });

  test('keeps the media of the item', async () => {
    const post = await draft();
    const media = await service.addMedia();
    const versions = [{ content: [{ body: 'Old', media: [media] }] }];
    await service.client.posts.update({ id: post.id, accountIds: [], versions });
    const changed = await service.client.posts.setVersionText({ id: post.id, body: 'New' });
    expect(changed.versions[0]?.content).toEqual([{ body: 'New', media: [media] }]);
  });

  test('with only leaves this one item, in this version alone', async () => {
    const { id } = await service.client.posts.create({
      accountIds: [x, bluesky],
      versions: [{ content: [{ body: 'One' }, { body: 'Two' }, { body: 'Three' }] }],
    });
    const { versions } = await service.client.posts.setVersionText({ id, accountId: x, body: 'Short', only: true });
    expect(versions[0]?.content).toHaveLength(3);
    expect(versions[1]).toEqual({ accountId: x, content: [{ body: 'Short', media: [] }], options: {} });
  });

  test('and posts.setOption with a stale baseUpdatedAt save nothing and are a Conflict', async () => {
    const { id, updatedAt } = await draft('Hello', [x]);
    await service.client.posts.setVersionText({ id, body: 'By a human', baseUpdatedAt: updatedAt });
    for (const [action, change] of [
      ['posts.setVersionText', { body: 'By an agent' }],
      ['posts.setOption', { key: 'x.reply_settings', value: 'following' }],
    ] as const) {
      const { status, body } = await service.call(action, { id, ...change, baseUpdatedAt: updatedAt });
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'Conflict' });
    }
    expect((await service.client.posts.get({ id })).versions).toEqual([
      { content: [{ body: 'By a human', media: [] }], options: {} },
    ]);
  });

  test('refuses an item beyond the end and an account that the post does not have', async () => {
    const post = await draft('Hello', [x]);
    expect((await service.call('posts.setVersionText', { id: post.id, body: '', itemIndex: 2 })).body).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'itemIndex', limit: 1, actual: 2 }],
    });
    expect(
      (await service.call('posts.setVersionText', { id: post.id, body: '', accountId: bluesky })).body,
    ).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'accountId' }],
    });
  });

  test('loses no text when many are set at once', async () => {
    const post = await draft('', [x, bluesky]);
    const targets = ['', x, bluesky];
    await Promise.all(
      targets.map((accountId) =>
        service.client.posts.setVersionText({ id: post.id, accountId, body: `to ${accountId}` }),
      ),
    );
    const { versions } = await service.client.posts.get({ id: post.id });
    expect(versions.map(({ content }) => content[0]?.body).toSorted()).toEqual(
      targets.map((id) => `to ${id}`).toSorted(),
    );
  });
});

describe('posts.setOption', () => {
  test('on the original version applies to every account of that network', async () => {
    const post = await draft('Hello', [bluesky]);
    await service.client.posts.setOption({ id: post.id, key: 'bluesky.languages', value: 'en,de,fr,it' });
    const { body } = await service.call('posts.validate', { id: post.id });
    expect(body.issues).toMatchObject([{ path: 'versions.0.options.bluesky.languages', accountId: bluesky }]);
  });

  test('with an empty value removes the option, so that the default applies', async () => {
    const post = await draft('Hello', [bluesky]);
    const key = 'bluesky.reply_control';
    const set = await service.client.posts.setOption({ id: post.id, key, value: 'nobody' });
    expect(set.versions[0]?.options).toEqual({ [key]: 'nobody' });
    const removed = await service.client.posts.setOption({ id: post.id, key, value: '' });
    expect(removed.versions[0]?.options).toEqual({});
  });

  test('on an account gives it a version of its own, which stands above the original', async () => {
    const post = await draft('Hello', [bluesky]);
    const key = 'bluesky.reply_control';
    await service.client.posts.setOption({ id: post.id, key, value: 'following' });
    const { versions } = await service.client.posts.setOption({
      id: post.id,
      key,
      value: 'nobody',
      accountId: bluesky,
    });
    expect(versions[1]).toEqual({
      accountId: bluesky,
      content: [{ body: 'Hello', media: [] }],
      options: { [key]: 'nobody' },
    });
    expect(await service.client.posts.validate({ id: post.id })).toEqual({ valid: true, issues: [], warnings: [] });
  });

  test('on an account copies no text for good: the version follows the original until it is edited itself', async () => {
    const { id } = await draft('Hello', [bluesky, x]);
    await service.client.posts.setOption({ id, key: 'bluesky.reply_control', value: 'nobody', accountId: bluesky });
    const followed = await service.client.posts.setVersionText({ id, body: 'Edited' });
    expect(followed.versions.map(({ content }) => content[0]?.body)).toEqual(['Edited', 'Edited']);
    expect(followed.versions[1]?.options).toEqual({ 'bluesky.reply_control': 'nobody' });
    const longer = await service.client.posts.setVersionText({ id, body: 'Second', itemIndex: 1 });
    expect(longer.versions.map(({ content }) => content.length)).toEqual([2, 2]);
    await service.client.posts.setVersionText({ id, body: 'Its own', accountId: bluesky });
    const { versions } = await service.client.posts.setVersionText({ id, body: 'Once more' });
    expect(versions.map(({ content }) => content[0]?.body)).toEqual(['Once more', 'Its own']);
  });

  test('with a value that no post can have is BadInput, with the choices', async () => {
    const { id, versions } = await draft('Hello', [bluesky, x]);
    const set = (key: string, value: string) => service.call('posts.setOption', { id, key, value });
    expect((await set('bluesky.reply_control', 'martians')).body).toMatchObject({
      code: 'BadInput',
      message: expect.stringMatching(/value.*must be one of .*everyone \(.*nobody \(/),
      issues: [{ path: 'value', code: 'OptionValue', actual: 'martians' }],
    });
    expect((await set('x.made_with_ai', 'perhaps')).body.message).toContain('must be true or false');
    const options = { 'bluesky.reply_control': 'martians' };
    const update = { id, accountIds: [bluesky], versions: [{ content: [{ body: 'Hello' }], options }] };
    expect((await service.call('posts.update', update)).body).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'versions.0.options.bluesky.reply_control' }],
    });
    expect((await service.client.posts.get({ id })).versions).toEqual(versions);
    expect((await set('bluesky.reply_control', 'nobody')).status).toBe(200);
  });

  test('knows what the account itself offers: boards and privacy are refused, and listed, at once', async () => {
    const pinterest = await service.addAccount('pinterest');
    const tiktok = await service.addAccount('tiktok');
    const tell = (id: string, facts: object) =>
      service.database.query(sql('test.facts', 'update accounts set facts = $2 where id = $1'), [
        id,
        JSON.stringify(facts),
      ]);
    await tell(pinterest, { boards: [{ id: '11', name: 'Recipes' }] });
    await tell(tiktok, { privacyOptions: ['SELF_ONLY'] });
    const { id } = await draft('Hello', [pinterest, tiktok]);
    const set = async (key: string, value: string) => (await service.call('posts.setOption', { id, key, value })).body;
    expect((await set('pinterest.board', '12')).message).toContain('must be one of 11 (Recipes)');
    expect((await set('tiktok.privacy', 'PUBLIC_TO_EVERYONE')).message).toContain(
      'must be one of SELF_ONLY (Only you)',
    );
    const issuesOf = async (key: string) => {
      const { body } = await service.call('posts.validate', { id });
      return body.issues.filter(({ path }: { path: string }) => path.endsWith(key));
    };
    expect(await issuesOf('pinterest.board')).toMatchObject([
      { code: 'OptionRequired', message: expect.stringContaining('one of 11 (Recipes)') },
    ]);
    await set('pinterest.board', '11');
    await set('tiktok.privacy', 'SELF_ONLY');
    expect(await issuesOf('pinterest.board')).toEqual([]);
    await tell(tiktok, { privacyOptions: ['MUTUAL_FOLLOW_FRIENDS'] });
    expect(await issuesOf('tiktok.privacy')).toMatchObject([{ code: 'OptionValue', accountId: tiktok }]);
    expect(await issuesOf('tiktok.privacy')).toHaveLength(1);
  });

  test('that is a poll is BadInput with the shape when it is none, and an issue for each limit it breaks', async () => {
    const mastodon = await service.addAccount('mastodon');
    const { id } = await draft('Which?', [x, mastodon]);
    const set = async (key: string, value: string) => (await service.call('posts.setOption', { id, key, value })).body;
    for (const wrong of ['A, B', '[]', 'null', '{"choices":["A","B"]}', '{"choices":[1,2],"durationMinutes":60}']) {
      expect(await set('x.poll', wrong)).toMatchObject({
        code: 'BadInput',
        message: expect.stringContaining('must be JSON such as {"choices":["A","B"],"durationMinutes":1440'),
      });
    }
    const issues = async () => {
      const { body } = await service.call('posts.validate', { id });
      return body.issues.map(({ code, accountId }: { code: string; accountId: string }) => [code, accountId]);
    };
    const poll = (choices: string[], durationMinutes: number) => JSON.stringify({ choices, durationMinutes });
    await set('x.poll', poll(['A', '', 'A', 'b'.repeat(26), 'C'], 4));
    expect(await issues()).toEqual([
      ['PollChoices', x],
      ['PollChoices', x],
      ['PollChoiceTooLong', x],
      ['PollChoices', x],
      ['PollDuration', x],
    ]);
    await set('x.poll', poll(['A', 'B'], 60));
    await set('mastodon.poll', poll(['A', 'B', 'C', 'D', 'E'], 60));
    expect(await issues()).toEqual([['PollChoices', mastodon]]);
    // The server of this account takes more.
    const facts = JSON.stringify({ maxPollChoices: 8 });
    await service.database.query(sql('test.facts', 'update accounts set facts = $2 where id = $1'), [mastodon, facts]);
    expect(await issues()).toEqual([]);
  });

  test('of a network that the post does not go to is a warning', async () => {
    const { id } = await draft('Hello', [x]);
    await service.client.posts.setOption({ id, key: 'bluesky.reply_control', value: 'nobody' });
    expect(await service.client.posts.validate({ id })).toMatchObject({
      warnings: [{ path: 'versions.0.options.bluesky.reply_control', code: 'OptionUnused' }],
    });
  });

  test('removing what is not there makes no version', async () => {
    const post = await draft('Hello', [bluesky]);
    const { versions } = await service.client.posts.setOption({
      id: post.id,
      key: 'bluesky.languages',
      accountId: bluesky,
    });
    expect(versions).toHaveLength(1);
  });

  test('refuses an unknown key, and a key of another network on an account', async () => {
    const post = await draft('Hello', [x]);
    for (const [key, accountId] of [
      ['x.nope', ''],
      ['nope', ''],
      ['__proto__', ''],
      ['bluesky.languages', x],
    ]) {
      const { body } = await service.call('posts.setOption', { id: post.id, key, accountId, value: '1' });
      expect(body).toMatchObject({ code: 'BadInput', issues: [{ path: 'key' }] });
    }
  });
});

describe('an edit', () => {
  const edits = (id: string): [string, object][] => [
    ['posts.update', { id, accountIds: [x], versions: [{ content: [{ body: 'Edited' }] }] }],
    ['posts.setVersionText', { id, body: 'Edited' }],
    ['posts.setOption', { id, key: 'x.made_with_ai', value: 'true' }],
  ];

  test('of a Scheduled post over REST answers 403 ApprovalRequired and changes nothing', async () => {
    const post = await scheduled();
    for (const [action, input] of edits(post.id)) {
      const { status, body } = await service.call(action, input);
      expect({ action, status, code: body.code }).toEqual({ action, status: 403, code: 'ApprovalRequired' });
    }
    expect(await service.client.posts.get({ id: post.id })).toEqual(post);
  });

  test('of a Scheduled post by a human leaves it Scheduled at its time', async () => {
    const post = await scheduled();
    for (const [action, input] of edits(post.id)) {
      expect(await service.asHuman(action, input)).toMatchObject({
        status: 'Scheduled',
        scheduledAt: post.scheduledAt,
      });
    }
  });

  test('by a human can move a Scheduled post, into the future only', async () => {
    const post = await scheduled();
    const [action, input] = edits(post.id)[0] as [string, object];
    const at = inMs(2 * hourMs);
    const moved = await service.asHuman(action, { ...input, scheduledAt: at });
    expect(new Date(moved.scheduledAt).toISOString()).toBe(at);
    await expect(service.asHuman(action, { ...input, scheduledAt: inMs(-1) })).rejects.toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'scheduledAt' }],
    });
  });

  test('by a human that makes a Scheduled post break a limit is refused and saves nothing', async () => {
    const post = await scheduled();
    const tooLong = { id: post.id, body: 'a'.repeat(281) };
    await expect(service.asHuman('posts.setVersionText', tooLong)).rejects.toMatchObject({ code: 'Invalid' });
    expect(await service.client.posts.get({ id: post.id })).toEqual(post);
  });

  test.each(['Publishing', 'Published'])('of a %s post is a Conflict', async (status) => {
    const post = await draft('Hello', [x]);
    await service.setStatus(post.id, status);
    for (const [action, input] of edits(post.id)) {
      expect((await service.call(action, input)).body.code).toBe('Conflict');
      await expect(service.asHuman(action, input)).rejects.toMatchObject({ code: 'Conflict' });
    }
  });

  test('of a Failed post is possible, and leaves it Failed', async () => {
    const post = await draft('Hello', [x]);
    await service.setStatus(post.id, 'Failed');
    for (const [action, input] of edits(post.id))
      expect((await service.call(action, input)).body.status).toBe('Failed');
  });

  test('always makes updatedAt grow', async () => {
    let { id, updatedAt } = await draft('Hello', [x]);
    for (let i = 0; i < 5; i++) {
      const next = await service.client.posts.setVersionText({ id, body: 'the same' });
      expect(next.updatedAt > updatedAt).toBe(true);
      updatedAt = next.updatedAt;
    }
  });
});

describe('posts.list', () => {
  test('gives posts newest first, page by page, without gaps or repeats', async () => {
    const fresh = await startService();
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.push((await fresh.client.posts.create({ body: `${i}` })).id);
    const first = await fresh.client.posts.list({ limit: 3 });
    expect(first.posts.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 3));
    const all: string[] = [];
    for await (const post of fresh.client.posts.listAll({ limit: 3 })) all.push(post.id);
    expect(all).toEqual(ids.toReversed());
    const exact = await fresh.client.posts.list({ limit: 7 });
    expect(exact.nextCursor).toBeUndefined();
    await fresh.stop();
  });

  test('and posts.get and posts.create write the same JSON as our own parsing of the row', async () => {
    const body = 'Quotes " and \\ \n\t\u0001 \u2028 🎉 </script>';
    const created = await service.call('posts.create', {
      accountIds: [bluesky, x],
      versions: [
        { content: [{ body }, { body: '' }], options: { 'x.reply_settings': 'following' } },
        { accountId: x, content: [{ body: 'Other' }] },
      ],
      scheduledAt: '2031-02-03T04:05:06.1+01:00',
    });
    const { id } = created.body;
    const caller = { ...service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const parsed = async () => Post.parse(await service.posthorn.reading.get(caller, id));
    expect(created.body).toEqual(await parsed());
    expect(created.body).toMatchObject({ scheduledAt: '2031-02-03T03:05:06.100000Z' });
    const failed = { accountId: x, ok: false };
    await service.database.query(
      sql('test.manyResults', "update posts set status = 'Failed', results = $2 where id = $1"),
      [
        id,
        JSON.stringify([
          { ...failed, uncertain: true, error: { code: 'rate_limited', message: 'Wait', secret: 1 }, secret: 'x' },
          { accountId: 'acct_taken_out', ok: true, uncertain: false, externalId: '1' },
          {
            accountId: bluesky,
            provider: 'Bluesky',
            ok: true,
            externalId: '1',
            url: 'https://a.example',
            note: 'Look',
            publishedAt: '2026-01-01T00:00:00Z',
          },
          { ...failed, error: { code: 'from_a_later_release', message: 'Say "yes"' } },
        ]),
      ],
    );
    const shown = (await service.call('posts.get', { id })).body;
    expect(shown).toEqual(await parsed());
    expect(shown.results).toMatchObject([
      { uncertain: true, error: { code: 'rate_limited' } },
      { uncertain: false, url: 'https://a.example' },
      { uncertain: false, error: { code: 'unavailable' } },
    ]);
    for (const input of [
      {},
      { status: 'Failed' },
      { query: '</SCRIPT>' },
      { from: '2031-02-03T03:00:00Z', limit: 1 },
    ]) {
      const { posts } = (await service.call('posts.list', input)).body;
      expect(posts.find((post: Post) => post.id === id)).toEqual(shown);
    }
    const none = (await service.call('posts.list', { query: 'nobody wrote this' })).body;
    expect(none).toEqual({ posts: [] });
  });

  test('can be narrowed to a status', async () => {
    const post = await draft();
    await service.setStatus(post.id, 'Failed');
    const { posts } = await service.client.posts.list({ status: 'Failed' });
    expect(posts.map(({ id }) => id)).toContain(post.id);
    expect(new Set(posts.map(({ status }) => status))).toEqual(new Set(['Failed']));
  });

  test('finds posts by the text of any version and by their time, in full or in a line each', async () => {
    const own = await service.addWorkspace();
    const call = (action: string, input: object) =>
      service.call(action, input, { authorization: `Bearer ${own.token}` }).then(({ body }) => body);
    const account = await service.addAccount('bluesky', own.workspaceId);
    const make = async (input: object) => (await call('posts.create', { accountIds: [account], ...input })).id;
    const bakery = await make({ body: `The bakery is 100% open ${'x'.repeat(100)}`, scheduledAt: '2030-05-02T08:00Z' });
    const other = await make({ body: 'Closed on 1000 days', scheduledAt: '2030-05-03T08:00Z' });
    const inVersion = await make({
      versions: [{ content: [{ body: 'Hm' }] }, { accountId: account, content: [{ body: 'a' }, { body: 'BAKERY' }] }],
    });
    const found = async (input: object) => (await call('posts.list', input)).posts.map(({ id }: { id: string }) => id);
    expect(await found({ query: 'bakery' })).toEqual([inVersion, bakery]);
    expect(await found({ query: '100%' })).toEqual([bakery]);
    expect(await found({ from: '2030-05-02T08:00Z', to: '2030-05-03T08:00Z' })).toEqual([bakery]);
    expect(await found({ from: '2030-05-02T08:01Z' })).toEqual([other]);
    expect(await found({ query: 'bakery', status: 'Failed' })).toEqual([]);
    expect((await service.call('posts.list', { from: 'yesterday' })).body.message).toMatch(/^from must be an ISO-8601/);

    const line = { status: 'Draft', networks: ['bluesky'] };
    const first = await call('posts.list', { view: 'summary', limit: 2 });
    expect(first).toEqual({
      posts: [],
      summaries: [
        { ...line, id: inVersion, text: 'Hm' },
        { ...line, id: other, text: 'Closed on 1000 days', scheduledAt: '2030-05-03T08:00:00.000000Z' },
      ],
      nextCursor: expect.any(String),
    });
    const second = await call('posts.list', { view: 'summary', limit: 2, cursor: first.nextCursor });
    expect(second).toEqual({ posts: [], summaries: [expect.objectContaining({ id: bakery })] });
    expect(second.summaries[0].text).toHaveLength(100);
    expect((await call('posts.list', { view: 'summary', query: 'closed' })).summaries).toHaveLength(1);
  });

  test('refuses a cursor that it did not give', async () => {
    for (const cursor of ['x', '', 'cG9zdF8n', '../..']) {
      const { body } = await service.call('posts.list', { cursor });
      expect(body).toMatchObject({ code: 'BadInput', issues: [{ path: 'cursor' }] });
    }
  });
});

describe('posts.validate', () => {
  test('of a post within the limits is valid', async () => {
    const { id } = await draft('Hello', [x, bluesky]);
    expect(await service.client.posts.validate({ id })).toEqual({ valid: true, issues: [], warnings: [] });
  });

  test('of a post without accounts breaks no limit, and warns', async () => {
    const { id } = await draft();
    expect(await service.client.posts.validate({ id })).toMatchObject({
      valid: true,
      warnings: [{ code: 'NoAccounts' }],
    });
  });

  test('reports one issue per broken limit and account, with path, limit and actual value', async () => {
    const post = await draft('a'.repeat(301), [x, bluesky]);
    await service.client.posts.setVersionText({ id: post.id, body: '日'.repeat(141), accountId: x });
    const { status, body } = await service.call('posts.validate', { id: post.id });
    expect(status).toBe(400);
    expect(body.code).toBe('Invalid');
    expect(body.issues).toEqual([
      expect.objectContaining({
        path: 'versions.1.content.0.body',
        code: 'TooLong',
        accountId: x,
        provider: 'X',
        limit: 280,
        actual: 282,
      }),
      expect.objectContaining({
        path: 'versions.0.content.0.body',
        code: 'TooLong',
        accountId: bluesky,
        provider: 'Bluesky',
        limit: 300,
        actual: 301,
      }),
    ]);
  });

  test('checks media against each network', async () => {
    const images = await Promise.all(Array.from({ length: 5 }, () => service.addMedia()));
    const video = await service.addMedia({ kind: 'Video', mime: 'video/mp4', durationMs: 10_000 });
    const heavy = await service.addMedia({ bytes: 6_000_000 });
    const instagram = await service.addAccount('instagram');
    const codes = async (accountId: string, media: string[], body = 'Text') => {
      const { id } = await draft();
      await service.client.posts.update({ id, accountIds: [accountId], versions: [{ content: [{ body, media }] }] });
      const answer = await service.call('posts.validate', { id });
      return (answer.body.issues as { code: string }[]).map(({ code }) => code);
    };
    expect(await codes(x, images)).toEqual(['TooManyMedia']);
    expect(await codes(x, [images[0] ?? '', video])).toEqual(['MixedMedia']);
    expect(await codes(x, [heavy])).toEqual(['MediaTooLarge']);
    expect(await codes(x, images.slice(1), '')).toEqual([]);
    expect(await codes(x, [], '')).toEqual(['TextRequired']);
    expect(await codes(instagram, [])).toEqual(['MediaRequired']);
    const long = await service.addMedia({ kind: 'Video', mime: 'video/mp4', durationMs: 10 * 3_600_000 });
    const untold = await service.addMedia({ kind: 'Video', mime: 'video/mp4' });
    expect(await codes(x, [long])).toEqual(['VideoTooLong']);
    expect(await codes(x, [untold])).toEqual([]);
  });

  test('warns when a network must fetch media from a server without a public address', async () => {
    const instagram = await service.addAccount('instagram');
    const { id } = await draft();
    const versions = [{ content: [{ body: 'Text', media: [await service.addMedia()] }] }];
    await service.client.posts.update({ id, accountIds: [instagram], versions });
    expect((await service.client.posts.validate({ id })).warnings).toMatchObject([
      { code: 'MediaNotPublic', accountId: instagram, provider: 'Instagram' },
    ]);
  });

  test('counts a text once for each rule, however many accounts and versions have it', async () => {
    const network = service.posthorn.networks.get('mastodon');
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    const post = { ...(await draft('a'.repeat(501))), accountIds: ['acct_1', 'acct_2', 'acct_3'] };
    const codes = async (accountIds: string[]) => {
      segment.mockClear();
      const { issues } = await checkLimits(
        { ...post, accountIds },
        { networkOf: (id) => ({ network, facts: { id } }), media: new Map(), reachable: true },
      );
      return { codes: issues.map(({ accountId, code }) => `${accountId} ${code}`), counted: segment.mock.calls.length };
    };
    const once = await codes(['acct_1']);
    expect(await codes(['acct_1', 'acct_2', 'acct_3'])).toEqual({
      codes: ['acct_1 TooLong', 'acct_2 TooLong', 'acct_3 TooLong'],
      counted: once.counted,
    });
    segment.mockRestore();
  });

  test('says when an account was disconnected since', async () => {
    const gone = await service.addAccount('x');
    const { id } = await draft('Hello', [x, gone]);
    await service.asHuman('accounts.delete', { id: gone });
    expect((await service.call('posts.validate', { id })).body.issues).toMatchObject([
      { path: 'accountIds.1', code: 'AccountGone', accountId: gone },
    ]);
  });
});

describe('posts.schedule', () => {
  test('by a human makes a Draft Scheduled', async () => {
    const at = inMs(hourMs);
    const { id } = await draft('Hello', [x]);
    const post = await service.asHuman('posts.schedule', { id, at });
    expect(post.status).toBe('Scheduled');
    expect(new Date(post.scheduledAt).toISOString()).toBe(at);
  });

  test('for a time that is not in the future is BadInput naming at', async () => {
    const { id } = await draft('Hello', [x]);
    await expect(service.asHuman('posts.schedule', { id, at: inMs(-1) })).rejects.toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'at' }],
    });
  });

  test('of a post that breaks a limit, or goes nowhere, is Invalid', async () => {
    for (const [body, accounts] of [
      ['a'.repeat(281), [x]],
      ['Hello', []],
    ] as const) {
      const { id } = await draft(body, [...accounts]);
      await expect(service.asHuman('posts.schedule', { id, at: inMs(hourMs) })).rejects.toMatchObject({
        code: 'Invalid',
      });
      expect((await service.client.posts.get({ id })).status).toBe('Draft');
    }
  });

  test('measures the future by the clock of the service, also when that was moved', async () => {
    const own = await startService();
    const account = await own.addAccount('x');
    const { id } = await own.client.posts.create({ body: 'Hello', accountIds: [account] });
    const soon = new Date(own.clock.now().getTime() + hourMs).toISOString();
    await own.clock.forward(2 * hourMs);
    await expect(own.asHuman('posts.schedule', { id, at: soon })).rejects.toMatchObject({ code: 'BadInput' });
    const later = new Date(own.clock.now().getTime() + hourMs).toISOString();
    expect(await own.asHuman('posts.schedule', { id, at: later })).toMatchObject({ status: 'Scheduled' });
    await own.stop();
  });

  test('takes a Failed post, and taken back it is Failed again', async () => {
    const { id } = await draft('Hello', [x, bluesky]);
    await service.setStatus(id, 'Failed');
    const results = [
      { accountId: x, ok: true, externalId: '1' },
      { accountId: bluesky, ok: false },
    ];
    await service.database.query(sql('test.results', 'update posts set results = $2 where id = $1'), [
      id,
      JSON.stringify(results),
    ]);
    const post = await service.asHuman('posts.schedule', { id, at: inMs(hourMs) });
    expect(post).toMatchObject({ status: 'Scheduled', results });
    const human = { ...service.owner, role: 'owner' as const, mayPublish: true, isPerson: true };
    expect(await service.posthorn.lifecycle.unschedule(human, id)).toMatchObject({ status: 'Failed', results });
  });

  test.each(['Scheduled', 'Publishing', 'Published'])('of a %s post is a Conflict', async (status) => {
    const { id } = await draft('Hello', [x]);
    await service.setStatus(id, status);
    await expect(service.asHuman('posts.schedule', { id, at: inMs(hourMs) })).rejects.toMatchObject({
      code: 'Conflict',
    });
  });
});

describe('posts.publishNow', () => {
  test.each(['Draft', 'Failed'])('by a human makes a %s post Publishing', async (status) => {
    const { id } = await draft('Hello', [x]);
    await service.setStatus(id, status);
    expect((await service.asHuman('posts.publishNow', { id })).status).toBe('Publishing');
  });

  test('twice at once runs once, the other is a Conflict', async () => {
    const { id } = await draft('Hello', [x]);
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => service.asHuman('posts.publishNow', { id })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('Conflict');
  });

  test.each(['Scheduled', 'Publishing', 'Published'])('of a %s post is a Conflict', async (status) => {
    const { id } = await draft('Hello', [x]);
    await service.setStatus(id, status);
    await expect(service.asHuman('posts.publishNow', { id })).rejects.toMatchObject({ code: 'Conflict' });
  });
});

describe('posts.delete', () => {
  test.each(['Draft', 'Scheduled', 'Failed'])('by a human removes a %s post', async (status) => {
    const { id } = await draft();
    await service.setStatus(id, status);
    expect(await service.asHuman('posts.delete', { id })).toEqual({ id, deleted: true });
    expect((await service.call('posts.get', { id })).body.code).toBe('NotFound');
  });

  test.each(['Publishing', 'Published'])('of a %s post is a Conflict', async (status) => {
    const { id } = await draft();
    await service.setStatus(id, status);
    await expect(service.asHuman('posts.delete', { id })).rejects.toMatchObject({ code: 'Conflict' });
  });
});
