import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { instantOf } from '#contracts/instant';
import { sql } from '#server/base/store/database';
import { speak } from '#test/support/mcp';
import { publicationsOf } from '#test/support/publications';
import { type Service, startService } from '#test/support/service';

let service: Service;
let accountId: string;
let person: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService();
  accountId = await service.addAccount('bluesky');
  person = service.browser();
  await person.signIn();
  await service.database.query(sql('test.statistics', 'update workspaces set statistics_tools = true'));
});
afterAll(() => service.stop());

const agent = () => speak(service.url, service.token, '2025-11-25');
const call = async (name: string, input: object = {}) => (await agent().call(name, input)).body.result;
const draft = (body = 'Bread') => service.client.posts.create({ accountIds: [accountId], body });
const scheduled = async () => {
  const post = await draft();
  await service.asHuman('posts.schedule', { id: post.id, at: '2126-01-01T00:00:00Z' });
  return post;
};
const approvalOf = (result: { structuredContent: { approvalUrl: string } }) =>
  `/api/approvals/${result.structuredContent.approvalUrl.split('/').at(-1)}`;

test('a post says its labels, and posts.list finds it by one in any case', async () => {
  const [first, other] = [await draft('Labelled'), await draft('Not labelled')];
  for (const name of ['Bakery', 'Autumn']) {
    const { id } = (await person.post('/api/app/labels', { name })).body;
    expect((await person.post('/api/app/posts/labels', { postIds: [first.id], add: [id], remove: [] })).status).toBe(
      200,
    );
  }
  expect((await service.client.posts.get({ id: first.id })).labels).toEqual(['Autumn', 'Bakery']);
  expect(await service.client.posts.get({ id: other.id })).not.toHaveProperty('labels');
  const labelled = await service.client.posts.list({ label: 'bakery' });
  expect(labelled.posts.map(({ id, labels }) => [id, labels])).toEqual([[first.id, ['Autumn', 'Bakery']]]);
  const { summaries } = await service.client.posts.list({ label: 'BAKERY', view: 'summary' });
  expect(summaries).toMatchObject([{ id: first.id, labels: ['Autumn', 'Bakery'] }]);
  expect((await service.client.posts.list({ label: 'nothing' })).posts).toEqual([]);
});

test('posts.list with waiting has the posts that wait for a human, and where', async () => {
  const [asked, changed] = [await draft('Asked for'), await draft('Changed since')];
  const { approvalUrl } = (await call('posts_publishNow', { id: asked.id })).structuredContent;
  await call('posts_publishNow', { id: changed.id });
  await service.client.posts.setVersionText({ id: changed.id, body: 'Changed' });
  const request = { postId: asked.id, action: 'posts.publishNow', approvalUrl };
  const full = await service.client.posts.list({ waiting: true });
  expect([full.posts.map(({ id }) => id), full.requests]).toEqual([[asked.id], [request]]);
  const short = await service.client.posts.list({ waiting: true, view: 'summary' });
  expect([short.summaries?.map(({ id }) => id), short.requests]).toEqual([[asked.id], [request]]);
  const { content } = await call('posts_list', { waiting: true, view: 'summary' });
  const [, address, card] = /^(.+\/)(card_\w+)$/.exec(approvalUrl) ?? [];
  expect(content[0].text.split('\n').slice(-2)).toEqual([
    `requests (postId, action, approvalUrl after ${address}):`,
    `- ${asked.id}, posts.publishNow, ${card}`,
  ]);
  await person.post(`/api/approvals/${approvalUrl.split('/').at(-1)}/reject`);
  expect(await service.client.posts.list({ waiting: true })).toEqual({ posts: [], requests: [] });
});

describe('unschedule', () => {
  const back = (post: Awaited<ReturnType<typeof draft>>) => ({
    id: post.id,
    accountIds: post.accountIds,
    versions: post.versions,
    unschedule: true,
  });

  test('of an agent asks a human, who takes the post back to Draft', async () => {
    const post = await scheduled();
    const path = approvalOf(await call('posts_update', back(post)));
    expect((await service.client.posts.get({ id: post.id })).status).toBe('Scheduled');
    expect((await person.get(path)).body).toMatchObject({
      sentence: 'Take this scheduled post back to Draft',
      becomes: { status: 'Draft' },
    });
    expect((await person.post(`${path}/approve`)).status).toBe(200);
    expect((await service.client.posts.get({ id: post.id })).status).toBe('Draft');
  });

  test('over REST is ApprovalRequired, and without it a person changes the post and it stays scheduled', async () => {
    const post = await scheduled();
    expect((await service.call('posts.update', back(post))).body.code).toBe('ApprovalRequired');
    const stays = await service.asHuman('posts.update', { ...back(post), unschedule: false });
    expect([stays.status, stays.scheduledAt]).toEqual(['Scheduled', '2126-01-01T00:00:00.000000Z']);
    expect((await service.asHuman('posts.update', back(post))).status).toBe('Draft');
  });

  test('gives back what the post took of the plan', async () => {
    const allowance = async () => (await person.get('/api/app/plan')).body;
    const before = await allowance();
    const post = await scheduled();
    expect(await allowance()).not.toEqual(before);
    await service.asHuman('posts.update', back(post));
    expect(await allowance()).toEqual(before);
  });
});

test('posts_validate names the next free slot, and the best time where there are numbers', async () => {
  const { id } = await draft('When?');
  expect((await call('posts_validate', { id })).structuredContent).toEqual({ valid: true, issues: [], warnings: [] });
  const slots = [{ days: [3], time: '09:30', accountIds: [] }];
  expect((await person.post('/api/app/slots', { slots })).status).toBe(200);
  const { nextFreeSlot } = (await call('posts_validate', { id })).structuredContent;
  expect(new Date(nextFreeSlot).getUTCDay()).toBe(3);
  expect(Date.parse(nextFreeSlot)).toBeGreaterThan(service.clock.now().getTime());
  expect(await service.client.posts.validate({ id })).toEqual({ valid: true, issues: [], warnings: [] });

  const weekMs = 7 * 86_400_000;
  const now = service.clock.now();
  for (const [weeks, likes] of [
    [1, 4],
    [2, 5],
    [3, 6],
  ] as const) {
    const { id: postId } = await draft(`Week ${weeks}`);
    const at = new Date(now.getTime() - weeks * weekMs);
    at.setUTCMinutes(0, 0, 0);
    const publishedAt = instantOf(at);
    await publicationsOf(service.database).add([{ postId, accountId, publishedAt, metrics: { likes } }]);
  }
  const { bestTime } = (await call('posts_validate', { id })).structuredContent;
  const best = new Date(bestTime);
  expect([best.getUTCDay(), best.getUTCHours(), best.getUTCMinutes()]).toEqual([now.getUTCDay(), now.getUTCHours(), 0]);
  expect(best.getTime() - now.getTime()).toBeGreaterThan(weekMs - 3_600_001);
  expect(best.getTime() - now.getTime()).toBeLessThanOrEqual(weekMs);
});

describe('what needs a human over REST', () => {
  test('names the page in a field', async () => {
    const { id } = await draft();
    const { status, body } = await service.call('posts.publishNow', { id });
    expect({ status, issues: body.issues }).toEqual({
      status: 403,
      issues: [
        {
          path: 'id',
          code: 'NeedsApproval',
          message: expect.any(String),
          url: `${service.config.baseUrl}/posts/${id}`,
        },
      ],
    });
  });

  test.each([
    ['posts.publishNow', { id: 'post_nothing' }],
    ['posts.delete', { id: 'post_nothing' }],
    ['posts.schedule', { id: 'post_nothing', at: '2126-01-01T00:00:00Z' }],
    ['accounts.delete', { id: 'acct_nothing' }],
  ])('%s of what is not there is NotFound', async (action, input) => {
    expect((await service.call(action, input)).body.code).toBe('NotFound');
  });
});

test('providers_limits has a line for each option, and says with detail what they do', async () => {
  const networks = ['bluesky', 'x', 'mastodon', 'youtube', 'instagram'];
  const textOf = async (more: object = {}) => (await call('providers_limits', { networks, ...more })).content[0].text;
  const text = await textOf();
  expect(text.length).toBeLessThan(3_600);
  expect(text).toContain('bluesky: text 300 Graphemes, 3000 bytes; thread 25 (Replies); media 0-10;');
  expect(text).toContain('\n reply_control: everyone* mentioned following followers nobody\n');
  expect(text).toContain('\n poll: Poll 2-4 choices of 25\n');
  expect(text).toContain('22 People & blogs*');
  expect(text).toContain('{"choices":["A","B"],"durationMinutes":1440');
  expect(text.match(/fit changes files/g)).toHaveLength(1);
  expect(await textOf({ detail: true })).toContain('Who may reply to the post.');
  const { structuredContent } = await call('providers_limits', { networks });
  expect(structuredContent).toEqual(await service.client.providers.limits({ networks }));
});

test('analytics_summary says what is not reported, and what is incomplete', async () => {
  const linkedin = await service.addAccount('linkedin');
  const threads = await service.addAccount('threads');
  const lost = sql('test.lostPermission', "update accounts set granted_scopes = '{}' where id = $1");
  await service.database.query(lost, [threads]);
  const { id } = await service.client.posts.create({ accountIds: [accountId, linkedin, threads], body: 'Counted' });
  const publishedAt = '2026-05-04T09:00:00.000000Z';
  await publicationsOf(service.database).add([
    { postId: id, accountId, publishedAt, metrics: { likes: 12, comments: 0, shares: 0, quotes: 0, saves: 0 } },
    { postId: id, accountId: linkedin, publishedAt, metrics: null },
    { postId: id, accountId: threads, publishedAt, metrics: null },
  ]);
  const range = { from: '2026-05-01T00:00:00Z', to: '2026-06-01T00:00:00Z' };
  const { content, structuredContent } = await call('analytics_summary', range);
  const lines = content[0].text.split('\n');
  expect(lines[1]).toContain('- is not reported, which is not 0');
  expect(lines.find((line: string) => line.startsWith('- Bluesky'))).toMatch(/: 1 - 12 0/);
  expect(lines.find((line: string) => line.startsWith('not reported: LinkedIn '))).toMatch(/\(1 post\)$/);
  expect(lines.find((line: string) => line.startsWith('- Threads'))).toMatch(/: 1 \(incomplete: reconnect\)$/);
  expect(structuredContent).toEqual(await service.client.analytics.summary(range));
  expect((await call('analytics_summary', { from: range.to, to: '2026-06-02T00:00:00Z' })).content[0].text).toMatch(
    /^No posts/,
  );
  await publicationsOf(service.database).add([
    { postId: (await draft()).id, accountId, publishedAt: '2026-07-04T09:00:00.000000Z', metrics: null },
  ]);
  const july = await call('analytics_summary', { from: '2026-07-01T00:00:00Z', to: '2026-08-01T00:00:00Z' });
  expect(july.content[0].text).toMatch(/^1 post, engagement 0\.\nAll 0: nothing happened, or nothing was read\.\n/);
  expect(content[0].text).not.toContain('All 0');
});

test('a post that was deleted as the agent asked is NotFound with its request, for 30 days and for nobody else', async () => {
  const { id } = await draft();
  const path = approvalOf(await call('posts_delete', { id }));
  expect((await person.post(`${path}/approve`)).status).toBe(200);
  const textOf = async (token = service.token) =>
    (await speak(service.url, token, '2025-11-25').call('posts_get', { id })).body.result.content[0].text;
  expect(await textOf()).toMatch(
    new RegExp(`^NotFound: The post ${id} was deleted at \\d{4}-.*, as asked in card_\\w+\\.$`),
  );
  const plain = `NotFound: There is no post with id ${id} here.`;
  expect(await textOf((await service.addMember('editor')).token)).toBe(plain);
  expect((await service.call('posts.get', { id })).body.message).toBe(plain.replace('NotFound: ', ''));
  await service.clock.forward(31 * 86_400_000);
  expect(await textOf()).toBe(plain);
});
