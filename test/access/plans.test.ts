import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';

let service: Service;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.stop());

const setPlan = (plan: string) => service.posthorn.people.setPlan(service.owner.workspaceId, plan);
const soon = () => new Date(service.clock.now().getTime() + 3_600_000).toISOString();
/** As publishing would leave it. */
const fail = async (id: string, results: object[]) => {
  const values = [id, JSON.stringify(results)];
  await service.database.query(
    sql('test.fail', "update posts set status = 'Failed', results = $2 where id = $1"),
    values,
  );
};
const schedule = async (accountIds: string[]) => {
  const { id } = await service.client.posts.create({ accountIds, body: 'Planned' });
  return service.asHuman('posts.schedule', { id, at: soon() });
};

describe('PlanLimit', () => {
  test('a workspace has no limits unless its operator sets some', async () => {
    expect(await service.posthorn.plans.read(service.owner.workspaceId)).toMatchObject({
      key: 'unlimited',
      accounts: null,
    });
  });

  test('names a network outside the plan, and what lifts it', async () => {
    const x = await service.connect('x');
    await setPlan('free');
    const refused = {
      code: 'PlanLimit',
      status: 402,
      message: expect.stringMatching(/Free.*X is not part.*Team or Business/),
    };
    await expect(service.connect('x', { handle: 'second' })).rejects.toMatchObject(refused);
    await expect(schedule([x])).rejects.toMatchObject(refused);
    const { id } = await service.client.posts.create({ accountIds: [x], body: 'Now' });
    await expect(service.asHuman('posts.publishNow', { id })).rejects.toMatchObject(refused);
  });

  test('refuses one account too many, but never new access for one that is there', async () => {
    await setPlan('free');
    for (const network of ['bluesky', 'mastodon', 'pixelfed']) await service.connect(network, { handle: 'anna' });
    await expect(service.connect('threads')).rejects.toMatchObject({
      code: 'PlanLimit',
      message: expect.stringContaining('3 accounts'),
    });
    await expect(service.connect('bluesky', { handle: 'berta' })).rejects.toMatchObject({ code: 'PlanLimit' });
    await expect(service.connect('mastodon', { handle: 'anna' })).resolves.toBeDefined();
    expect((await service.client.accounts.list()).accounts).toHaveLength(3);
  });

  test('counts no account that was disconnected', async () => {
    await setPlan('free');
    const [first] = [
      await service.connect('bluesky'),
      await service.connect('mastodon'),
      await service.connect('pixelfed'),
    ];
    await expect(service.connect('threads')).rejects.toMatchObject({ code: 'PlanLimit' });
    await service.asHuman('accounts.delete', { id: first });
    await expect(service.connect('threads')).resolves.toBeDefined();
  });

  test('is asked for what a Failed post will send now, by every way to publish or schedule it', async () => {
    const [bluesky, x] = [await service.connect('bluesky'), await service.connect('x')];
    const { id, versions } = await service.client.posts.create({ accountIds: [bluesky], body: 'Again' });
    await fail(id, [{ accountId: bluesky, ok: false }]);
    await setPlan('free');
    await service.client.posts.update({ id, accountIds: [bluesky, x], versions });
    const refused = { code: 'PlanLimit', message: expect.stringContaining('X is not part') };
    const human = { ...service.owner, role: 'owner' as const, mayPublish: true, isPerson: true };
    await expect(service.asHuman('posts.publishNow', { id })).rejects.toMatchObject(refused);
    await expect(service.asHuman('posts.schedule', { id, at: soon() })).rejects.toMatchObject(refused);
    const again = service.posthorn.publishControls.publishNow(human, id, { despite: [bluesky] });
    await expect(again).rejects.toMatchObject(refused);
    await setPlan('team');
    await expect(service.asHuman('posts.publishNow', { id })).resolves.toMatchObject({ status: 'Publishing' });
    expect((await service.posthorn.plans.read(service.owner.workspaceId)).used).toEqual({ scheduled: 0, paidPosts: 1 });
  });

  test('counts an account that gets a Failed post again only once, and not where the network left the plan', async () => {
    const x = await service.connect('x');
    await setPlan('team');
    const { id } = await schedule([x]);
    await fail(id, [{ accountId: x, ok: false }]);
    const used = async () => (await service.posthorn.plans.read(service.owner.workspaceId)).used;
    await service.asHuman('posts.schedule', { id, at: soon() });
    expect(await used()).toEqual({ scheduled: 2, paidPosts: 1 });
    await service.posthorn.lifecycle.unschedule(
      { ...service.owner, role: 'owner', mayPublish: true, isPerson: true },
      id,
    );
    expect(await used()).toEqual({ scheduled: 1, paidPosts: 1 });
    await setPlan('free');
    await expect(service.asHuman('posts.publishNow', { id })).rejects.toMatchObject({ code: 'PlanLimit' });
  });

  test("refuses when the month's scheduled posts are used up, gives back what is taken back, and starts anew next month", async () => {
    await setPlan('free');
    const account = await service.connect('bluesky');
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push((await schedule([account])).id);
    const over = { code: 'PlanLimit', message: expect.stringMatching(/30 scheduled posts.*next month/) };
    await expect(schedule([account])).rejects.toMatchObject(over);
    await service.posthorn.lifecycle.unschedule(
      { ...service.owner, role: 'owner', mayPublish: true, isPerson: true },
      ids[0] ?? '',
    );
    await expect(schedule([account])).resolves.toMatchObject({ status: 'Scheduled' });
    await service.asHuman('posts.delete', { id: ids[1] });
    await expect(schedule([account])).resolves.toMatchObject({ status: 'Scheduled' });
    await expect(schedule([account])).rejects.toMatchObject(over);
    await service.clock.forward(32 * 24 * 3_600_000);
    await expect(schedule([account])).resolves.toMatchObject({ status: 'Scheduled' });
  });

  test('counts posts on the short-post network, also those that a change adds', async () => {
    const x = await service.connect('x');
    const other = await service.connect('bluesky');
    await setPlan('team');
    for (let i = 0; i < 99; i++) await schedule([x]);
    const last = await schedule([other]);
    const { versions } = last;
    await service.asHuman('posts.update', { id: last.id, accountIds: [other, x], versions });
    await expect(schedule([x])).rejects.toMatchObject({
      code: 'PlanLimit',
      message: expect.stringContaining('100 posts of this month on X'),
    });
    await service.asHuman('posts.update', { id: last.id, accountIds: [other], versions });
    await expect(schedule([x])).resolves.toBeDefined();
  });

  test('two at once do not both get the last of a month', async () => {
    await setPlan('free');
    const account = await service.connect('bluesky');
    for (let i = 0; i < 29; i++) await schedule([account]);
    const answers = await Promise.allSettled([schedule([account]), schedule([account]), schedule([account])]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('many who write and schedule at once wait for each other, and none is refused', async () => {
    const accountIds = [await service.connect('mastodon')];
    const posts = await Promise.all(
      Array.from({ length: 4 }, (_, n) =>
        service.asHuman('posts.create', { accountIds, body: `Planned ${n}`, scheduledAt: soon() }),
      ),
    );
    expect(posts).toMatchObject(posts.map(() => ({ status: 'Scheduled' })));
  });

  test('is asked for a scheduled post once: a change in the next month uses nothing of it', async () => {
    await setPlan('team');
    const [mastodon, x] = [await service.connect('mastodon'), await service.connect('x')];
    const { id, versions } = await service.client.posts.create({ accountIds: [mastodon], body: 'Far away' });
    const at = new Date(service.clock.now().getTime() + 80 * 86_400_000).toISOString();
    await service.asHuman('posts.schedule', { id, at });
    const used = async () => (await service.posthorn.plans.read(service.owner.workspaceId)).used;
    expect(await used()).toEqual({ scheduled: 1, paidPosts: 0 });
    await service.clock.forward(35 * 86_400_000);
    await service.asHuman('posts.update', { id, accountIds: [mastodon], versions });
    expect(await used()).toEqual({ scheduled: 0, paidPosts: 0 });
    await service.asHuman('posts.update', { id, accountIds: [mastodon, x], versions });
    expect(await used()).toEqual({ scheduled: 0, paidPosts: 1 });
  });

  test('gives back what was counted in this month, and nothing of an earlier one', async () => {
    await setPlan('team');
    const [mastodon, x] = [await service.connect('mastodon'), await service.connect('x')];
    const human = { ...service.owner, role: 'owner' as const, mayPublish: true, isPerson: true };
    const plan = async (accountIds: string[]) => {
      const at = new Date(service.clock.now().getTime() + 80 * 86_400_000).toISOString();
      return service.asHuman('posts.create', { accountIds, body: 'Far away', scheduledAt: at });
    };
    const used = async () => (await service.posthorn.plans.read(service.owner.workspaceId)).used;
    const [taken, deleted, extended] = [await plan([x]), await plan([mastodon, x]), await plan([mastodon])];
    await service.clock.forward(35 * 86_400_000);
    const fresh = await plan([x]);
    await service.posthorn.lifecycle.unschedule(human, taken.id);
    const { versions } = deleted;
    await service.asHuman('posts.update', { id: deleted.id, versions, accountIds: [mastodon] });
    expect(await used()).toEqual({ scheduled: 1, paidPosts: 1 });
    await service.asHuman('posts.delete', { id: deleted.id });
    expect(await used()).toEqual({ scheduled: 1, paidPosts: 1 });
    await service.asHuman('posts.update', { id: extended.id, versions, accountIds: [mastodon, x] });
    expect(await used()).toEqual({ scheduled: 1, paidPosts: 2 });
    await service.asHuman('posts.delete', { id: extended.id });
    expect(await used()).toEqual({ scheduled: 1, paidPosts: 1 });
    await service.posthorn.lifecycle.unschedule(human, fresh.id);
    expect(await used()).toEqual({ scheduled: 0, paidPosts: 0 });
  });

  test('forgets what was used in earlier months, and keeps what was used in this one', async () => {
    const account = await service.connect('bluesky');
    await schedule([account]);
    await service.clock.forward(35 * 86_400_000);
    await schedule([account]);
    await service.runChore('remove the plan usage of past months');
    const months = sql('test.months', 'select scheduled from plan_usage where workspace_id = $1');
    expect(await service.database.query(months, [service.owner.workspaceId])).toEqual([{ scheduled: 1 }]);
    expect((await service.posthorn.plans.read(service.owner.workspaceId)).used.scheduled).toBe(1);
  });

  test('limits members', async () => {
    await setPlan('free');
    await service.addMember('editor');
    const browser = service.browser();
    await browser.signIn();
    const { status, body } = await browser.post('/api/app/invitations', { email: 'c@example.com', role: 'editor' });
    expect({ status, code: body.code }).toEqual({ status: 402, code: 'PlanLimit' });
  });

  test('limits members also when an invitation is accepted, since several may be open', async () => {
    await setPlan('free');
    const browser = service.browser();
    await browser.signIn();
    const accepted: number[] = [];
    const tokens: string[] = [];
    for (const email of ['b@example.com', 'c@example.com']) {
      const { body } = await browser.post('/api/app/invitations', { email, role: 'editor' });
      tokens.push(body.url.split('/').at(-1));
    }
    for (const token of tokens) {
      const acceptance = { token, password: 'correct horse' };
      accepted.push((await service.browser().post('/api/auth/invitations/accept', acceptance)).status);
    }
    expect(accepted).toEqual([200, 402]);
  });

  test('over MCP is a result with isError: true, and no card', async () => {
    const x = await service.connect('x');
    await setPlan('free');
    const { id } = await service.client.posts.create({ accountIds: [x], body: 'Please' });
    const { body } = await service.request('POST', '/mcp', {
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'posts_schedule', arguments: { id, at: soon() } },
      }),
    });
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toMatch(/PlanLimit.*X is not part of it.*Team or Business/);
    const browser = service.browser();
    await browser.signIn();
    expect((await browser.get('/api/approvals')).body.cards).toEqual([]);
  });

  test('is shown to members with what is used', async () => {
    await setPlan('team');
    await schedule([await service.connect('x')]);
    const browser = service.browser();
    await browser.signIn();
    expect((await browser.get('/api/app/plan')).body).toMatchObject({
      key: 'team',
      scheduledPerMonth: 500,
      used: { scheduled: 1, paidPosts: 1 },
    });
  });
});
