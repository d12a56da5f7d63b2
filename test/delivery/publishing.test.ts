import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '#contracts/posts';
import { sql } from '#server/base/store/database';
import { createBeginStore } from '#server/delivery/publishing/begin-store';
import { createHealth } from '#server/doors/http/health';
import type { Fault } from '#server/networks/sandbox';
import { createOutcomeStore } from '#server/writing/posts/outcome-store';
import { createPostStore } from '#server/writing/posts/post-store';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Longer than any retry wait, so that waiting sends can be told apart from claimed ones. */
const longLease = { SEND_LEASE_SECONDS: '600' };

let service: Service;
beforeAll(async () => {
  service = await startService({ NETWORK_TIMEOUT_SECONDS: '3', ...longLease });
  service.startJobs();
});
afterAll(() => service.stop());

const draft = (accountIds: string[], body: string) => service.client.posts.create({ accountIds, body });
const read = (id: string) => service.client.posts.get({ id });
const isOver = ({ status }: Post) => status === 'Published' || status === 'Failed';

const ended = async (id: string): Promise<Post> => {
  await until(`${id} has ended`, async () => isOver(await read(id)));
  return read(id);
};

/** Moves the clock to the next attempt, again and again, until the post has ended. */
const endedInTime = async (id: string, at = service): Promise<Post> => {
  const now = () => at.client.posts.get({ id });
  for (let turn = 0; turn < 60; turn++) {
    let waitsMs: number | null = null;
    await until(`${id} has ended or waits`, async () => {
      waitsMs = await waitOf(id, at);
      return waitsMs !== null || isOver(await now());
    });
    if (waitsMs === null) return now();
    await at.clock.forward(waitsMs);
  }
  throw new Error(`${id} never ended`);
};

/** Milliseconds to the next attempt. Null while a send of the post is due or claimed, and after all have ended. */
const waitOf = async (id: string, { database }: Service) => {
  const [row] = await database.query(
    sql(
      'test.waits',
      `select case when bool_and(dueMs is null or dueMs between 1 and ${9 * minuteMs}) then ceil(min(dueMs)) end as "waitsMs"
         from (select extract(epoch from due_at - posthorn_now())::float8 * 1000 as dueMs from sends where post_id = $1) waiting`,
    ).holds<{ waitsMs: number | null }>(),
    [id],
  );
  return row?.waitsMs ?? null;
};

const publishNow = async (id: string) => (await service.asHuman('posts.publishNow', { id })) as Post;

const publish = async (accountIds: string[], body: string) => {
  const { id } = await draft(accountIds, body);
  await publishNow(id);
  return endedInTime(id);
};

const thread = async (accountId: string, bodies: string[]) => {
  const { id } = await draft([accountId], '');
  const versions = [{ content: bodies.map((body) => ({ body })) }];
  await service.client.posts.update({ id, accountIds: [accountId], versions });
  return id;
};

const shown = async (network: string, text: string) =>
  (await service.feed(network)).filter((post) => post.text.includes(text)).length;

const eventsOf = async (id: string) =>
  (await service.events())
    .filter(({ data }) => [(data.post as Post)?.id, (data.account as { id: string })?.id].includes(id))
    .map(({ type }) => type);

const accountNow = async (id: string) => (await service.client.accounts.list()).accounts.find((one) => one.id === id);

let texts = 0;
const newText = (fault?: Fault) => `Text ${++texts}.${fault ? ` [sandbox:${fault}]` : ''}`;

describe('posts.publishNow', () => {
  test('publishes to every account, and tells it once', async () => {
    const accounts = [await service.connect('x'), await service.connect('bluesky'), await service.connect('mastodon')];
    const text = newText();
    const post = await publish(accounts, text);
    expect(post.status).toBe('Published');
    expect(post.results).toEqual(
      accounts.map((accountId, index) => ({
        accountId,
        provider: ['X', 'Bluesky', 'Mastodon'][index],
        ok: true,
        uncertain: false,
        externalId: expect.any(String),
        url: expect.stringMatching(/^http/),
        publishedAt: expect.stringMatching(/\.\d{6}Z$/),
      })),
    );
    for (const network of ['x', 'bluesky', 'mastodon']) expect(await shown(network, text)).toBe(1);
    expect(await eventsOf(post.id)).toEqual(['post.published']);
    const { accounts: published } = await service.client.posts.metrics({ id: post.id });
    expect(published.map(({ accountId }) => accountId).toSorted()).toEqual(accounts.toSorted());
  });

  test('answers Publishing at once', async () => {
    const { id } = await draft([await service.connect('x')], newText());
    expect(await publishNow(id)).toMatchObject({ status: 'Publishing', results: [] });
    await ended(id);
  });

  test('twice at once publishes once and answers one of them 409', async () => {
    const text = newText();
    const { id } = await draft([await service.connect('x')], text);
    const answers = await Promise.allSettled([publishNow(id), publishNow(id)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'Conflict' });
    expect((await ended(id)).status).toBe('Published');
    expect(await shown('x', text)).toBe(1);
  });

  test('to two accounts that end at the same time ends the post, once', async () => {
    const accounts = [await service.addAccount('x'), await service.addAccount('x')];
    const { id } = await draft(accounts, newText());
    const { database } = service;
    const store = createOutcomeStore(database);
    const sends = createBeginStore(database);
    const endSend = sql(
      'test.endSend',
      `insert into sends (post_id, account_id, workspace_id, network, result)
       values ($1, $2, $3, 'x', jsonb_build_object('accountId', $2::text, 'ok', true))
       on conflict (workspace_id, post_id, account_id) do update set due_at = null, result = excluded.result`,
    );
    const queued = sql(
      'test.queued',
      "insert into sends (post_id, account_id, workspace_id, network, due_at) select $1, unnest($2::text[]), $3, 'x', 'infinity'",
    );
    await service.setStatus(id, 'Publishing');
    await database.run(queued, [id, accounts, service.owner.workspaceId]);
    const key = { workspaceId: service.owner.workspaceId, postId: id };
    const end = (accountId = '') =>
      database.transaction(async () => {
        await store.lockToEnd([key]);
        await database.run(endSend, [id, accountId, service.owner.workspaceId]);
        return store.end(await sends.endedPosts([key]));
      });
    const waiting = sql(
      'test.lockWaits',
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    let second: ReturnType<typeof end> = Promise.resolve([]);
    await database.transaction(async () => {
      expect(await end(accounts[0])).toEqual([]);
      await database.outside(() => {
        second = end(accounts[1]);
        return until('the second waits', async () => (await database.query(waiting)).length > 0);
      });
    });
    expect((await second).map(({ post }) => post.value)).toMatchObject([{ id, status: 'Published' }]);
    expect(await end(accounts[1])).toEqual([]);
  });

  test('to accounts that are out after all takes each result to its own post and account', async () => {
    const accounts = [await service.addAccount('x'), await service.addAccount('x')];
    const ids = [(await draft(accounts, newText())).id, (await draft(accounts, newText())).id];
    const { workspaceId } = service.owner;
    const store = createPostStore(service.database);
    const lost = accounts.map((accountId) => ({ accountId, provider: 'X', ok: false, uncertain: true }));
    for (const id of ids) await store.setResults(id, workspaceId, lost, 'Failed');
    const sends = ids.flatMap((postId) =>
      lost.map((result) => ({
        workspaceId,
        postId,
        result: { ...result, ok: true, uncertain: false, externalId: `${postId} ${result.accountId}` },
      })),
    );
    await service.database.transaction(() => service.posthorn.outcomes.end([], sends));
    for (const id of ids) {
      expect(await read(id)).toMatchObject({
        status: 'Published',
        results: accounts.map((accountId) => ({ accountId, ok: true, externalId: `${id} ${accountId}` })),
      });
    }
  });

  test('of a published post answers 409', async () => {
    const post = await publish([await service.connect('x')], newText());
    await expect(publishNow(post.id)).rejects.toMatchObject({ code: 'Conflict' });
  });
});

describe('a scheduled post', () => {
  const schedule = async (accountIds: string[], inMs: number, text = newText()) => {
    const { id } = await draft(accountIds, text);
    const at = new Date(service.clock.now().getTime() + inMs).toISOString();
    expect(await service.asHuman('posts.schedule', { id, at })).toMatchObject({ status: 'Scheduled' });
    return id;
  };

  test('goes out at its time and never early', async () => {
    const id = await schedule([await service.connect('x')], 10 * minuteMs);
    await service.clock.forward(9 * minuteMs);
    await service.posthorn.jobs.runDue(['posts']);
    expect((await read(id)).status).toBe('Scheduled');
    await service.clock.forward(minuteMs);
    const post = await ended(id);
    expect(post.status).toBe('Published');
    expect(Date.parse(post.results[0]?.publishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(post.scheduledAt ?? ''));
  });

  test('goes out once, with all others that are due to the same accounts', async () => {
    const accounts = [await service.connect('x'), await service.connect('mastodon')];
    const texts = Array.from({ length: 5 }, () => newText());
    const ids: string[] = [];
    for (const text of texts) ids.push(await schedule(accounts, minuteMs, text));
    await service.clock.forward(minuteMs + secondMs);
    for (const id of ids) expect((await ended(id)).status).toBe('Published');
    for (const text of texts) {
      for (const network of ['x', 'mastodon']) expect(await shown(network, text)).toBe(1);
    }
  });

  test('that is moved by its human goes out at the new time', async () => {
    const account = await service.connect('x');
    const id = await schedule([account], hourMs);
    const { versions } = await read(id);
    const scheduledAt = new Date(service.clock.now().getTime() + 5 * minuteMs).toISOString();
    await service.asHuman('posts.update', { id, accountIds: [account], versions, scheduledAt });
    await service.clock.forward(5 * minuteMs);
    expect((await ended(id)).status).toBe('Published');
  });

  test('that is taken back is a Draft and stays at home', async () => {
    const id = await schedule([await service.connect('x')], 5 * minuteMs);
    const browser = service.browser();
    await browser.signIn();
    const { status, body } = await browser.post(`/api/app/posts/${id}/unschedule`);
    expect({ status, post: body.status, at: body.scheduledAt }).toEqual({
      status: 200,
      post: 'Draft',
      at: expect.any(String),
    });
    expect((await browser.post(`/api/app/posts/${id}/unschedule`)).status).toBe(409);
    await service.clock.forward(10 * minuteMs);
    await service.posthorn.jobs.runDue(['posts']);
    expect((await read(id)).status).toBe('Draft');
  });

  test('that is late by less than a day goes out at once, and by more is missed', async () => {
    const own = await startService(longLease);
    const accountIds = [await own.connect('x')];
    const lateBy = async (lateMs: number, body: string) => {
      const { id } = await own.client.posts.create({ accountIds, body });
      await own.asHuman('posts.schedule', { id, at: new Date(own.clock.now().getTime() + minuteMs).toISOString() });
      await own.clock.forward(lateMs);
      own.startJobs();
      const post = await endedInTime(id, own);
      await own.posthorn.jobs.stop(5_000);
      return post;
    };
    expect(await lateBy(23 * hourMs, 'Late')).toMatchObject({ status: 'Published' });
    const missed = { status: 'Failed', results: [{ ok: false, error: { code: 'missed' } }] };
    expect(await lateBy(25 * hourMs, 'Missed')).toMatchObject(missed);
    expect((await own.feed('x')).map(({ text }) => text)).toEqual(['Late']);
    expect((await own.events()).map(({ type }) => type)).toEqual(['post.published', 'post.failed']);
    await own.stop();
  });

  test('fails for an account that was disconnected meanwhile, and goes out to the others', async () => {
    const [gone, stays] = [await service.connect('x'), await service.connect('x')];
    const id = await schedule([gone, stays], 5 * minuteMs);
    await service.asHuman('accounts.delete', { id: gone });
    await service.clock.forward(5 * minuteMs);
    expect(await ended(id)).toMatchObject({
      status: 'Failed',
      results: [
        { accountId: gone, ok: false, error: { code: 'disconnected' } },
        { accountId: stays, ok: true },
      ],
    });
    expect(await eventsOf(id)).toEqual(['post.failed']);
  });
});

describe('when a network', () => {
  test.each<Fault>(['429', '429-bare'])('asks to wait (%s), the post goes out after that', async (fault) => {
    const text = newText(fault);
    const post = await publish([await service.connect('x')], text);
    expect(post.status).toBe('Published');
    expect(await shown('x', text)).toBe(1);
  });

  test('says that the token has expired, it is renewed and the post goes out', async () => {
    const account = await service.connect('x');
    const text = newText('expired-token');
    expect((await publish([account], text)).status).toBe('Published');
    expect(await shown('x', text)).toBe(1);
    expect((await accountNow(account))?.status).toBe('Connected');
  });

  test('says so in the middle of an upload, too', async () => {
    const account = await service.connect('x');
    const { id } = await draft([account], newText());
    const media = await service.addFile();
    await service.client.posts.update({
      id,
      accountIds: [account],
      versions: [{ content: [{ body: newText(), media: [media] }] }],
    });
    await service.posthorn.sandboxes.planFault('x', 'upload', { fault: 'expired-token', times: 1 });
    await publishNow(id);
    expect((await endedInTime(id)).status).toBe('Published');
  });

  test('takes our access away, the account needs reconnecting, and that is told once', async () => {
    const account = await service.connect('x', { handle: 'locked.out' });
    const post = await publish([account], newText('refused-token'));
    expect(post).toMatchObject({ status: 'Failed', results: [{ ok: false, error: { code: 'reconnect' } }] });
    expect((await accountNow(account))?.status).toBe('NeedsReconnect');
    await publishNow(post.id);
    await endedInTime(post.id);
    expect(await eventsOf(account)).toEqual(['account.disconnected']);
    expect(await eventsOf(post.id)).toEqual(['post.failed', 'post.failed']);
    const again = await service.connect('x', { handle: 'locked.out' });
    expect(again).toBe(account);
    expect((await accountNow(account))?.status).toBe('Connected');
    await publishNow(post.id);
    expect((await endedInTime(post.id)).status).toBe('Published');
  });

  test('refuses renewed tokens too, the account needs reconnecting, and that is told once', async () => {
    const account = await service.connect('x');
    const post = await publish([account], `${newText()} [sandbox:expired-token!]`);
    expect(post).toMatchObject({ status: 'Failed', results: [{ ok: false, error: { code: 'reconnect' } }] });
    expect((await accountNow(account))?.status).toBe('NeedsReconnect');
    expect(await eventsOf(account)).toEqual(['account.disconnected']);
  });

  test.each<[Fault, string]>([
    ['missing-permission', 'permission'],
    ['content-refused', 'content_refused'],
    ['media-refused', 'media_refused'],
  ])('refuses (%s), the result says %s and what to do', async (fault, code) => {
    const post = await publish([await service.connect('x')], newText(fault));
    expect(post).toMatchObject({ status: 'Failed', results: [{ ok: false, error: { code } }] });
    expect(post.results[0]?.error?.message).toMatch(/publish again/i);
    expect(post.results[0]?.uncertain).toBe(false);
  });

  test.each<Fault>(['lost', 'cut', '500-after'])(
    'takes the post but loses the answer (%s), it is found and never sent again',
    async (fault) => {
      const text = newText(fault);
      const post = await publish([await service.connect('x')], text);
      expect(post).toMatchObject({ status: 'Published', results: [{ ok: true, externalId: expect.any(String) }] });
      expect(await shown('x', text)).toBe(1);
      expect(await eventsOf(post.id)).toEqual(['post.published']);
    },
  );

  test.each<Fault>(['hang', '503', 'html'])(
    'does not take the post (%s), it may still appear, and publishing again sends it when that is over',
    async (fault) => {
      const text = newText(fault);
      const post = await publish([await service.connect('x')], text);
      expect(post).toMatchObject({ status: 'Failed', results: [{ ok: false, uncertain: true }] });
      expect(await shown('x', text)).toBe(0);
      await publishNow(post.id);
      expect((await endedInTime(post.id)).status).toBe('Published');
      expect(await shown('x', text)).toBe(1);
      expect(await eventsOf(post.id)).toEqual(['post.failed', 'post.published']);
    },
  );

  test('has a post whose answer was lost, it is found by what was sent, also when the draft was edited since', async () => {
    const text = newText('cut');
    const account = await service.connect('linkedin_page');
    const { id } = await draft([account], text);
    await publishNow(id);
    await until('the network has it', async () => (await shown('linkedin_page', text)) === 1);
    await service.database.query(
      sql(
        'test.edit',
        `update posts set versions = jsonb_set(versions, '{0,content,0,body}', '"Edited"') where id = $1`,
      ),
      [id],
    );
    expect((await endedInTime(id)).status).toBe('Published');
    expect(await shown('linkedin_page', 'Edited')).toBe(0);
  });

  test('cannot say what became of a post, the result is uncertain until a human decides', async () => {
    const text = newText('cut');
    const account = await service.connect('linkedin');
    const post = await publish([account], text);
    const uncertain = { accountId: account, ok: false, uncertain: true, error: { code: 'uncertain' } };
    expect(post).toMatchObject({ status: 'Failed', results: [uncertain] });
    await publishNow(post.id);
    expect(await endedInTime(post.id)).toMatchObject({ status: 'Failed', results: [uncertain] });
    expect(await shown('linkedin', text)).toBe(1);
    for (const seen of await service.feed('linkedin')) {
      if (seen.text.includes(text)) await service.posthorn.sandboxes.remove('linkedin', seen.id);
    }
    const browser = service.browser();
    await browser.signIn();
    const sendAnyway = () => browser.post(`/api/app/posts/${post.id}/publish-again`, { accountIds: [account] });
    expect((await sendAnyway()).status).toBe(409);
    await service.clock.forward(10 * minuteMs);
    const again = await sendAnyway();
    expect(again.body.status).toBe('Publishing');
    expect((await endedInTime(post.id)).status).toBe('Published');
    expect(await shown('linkedin', text)).toBe(1);
  });
});

describe('an account that is disconnected', () => {
  test('while its post is being sent leaves the result uncertain, since nobody can ask any more', async () => {
    const account = await service.connect('x');
    const text = newText('cut');
    const { id } = await draft([account], text);
    await publishNow(id);
    await until('the network has it', async () => (await shown('x', text)) === 1);
    await service.asHuman('accounts.delete', { id: account });
    expect(await endedInTime(id)).toMatchObject({ status: 'Failed', results: [{ ok: false, uncertain: true }] });
    expect(await shown('x', text)).toBe(1);
  });

  test('just before leaves nothing sent', async () => {
    const own = await startService(longLease);
    const account = await own.connect('x');
    const { id } = await own.client.posts.create({ accountIds: [account], body: 'Too late' });
    await own.asHuman('posts.publishNow', { id });
    await own.asHuman('accounts.delete', { id: account });
    own.startJobs();
    const post = await endedInTime(id, own);
    expect(post.results).toMatchObject([{ ok: false, error: { code: 'disconnected' } }]);
    expect(await own.feed('x')).toEqual([]);
    await own.stop();
  });
});

describe('a partial failure', () => {
  test('is Failed, keeps what is out, and publishing again goes to the others only', async () => {
    const [good, bad] = [await service.connect('x'), await service.connect('mastodon')];
    const { id } = await draft([good, bad], newText());
    const text = newText('content-refused');
    await service.client.posts.setVersionText({ id, accountId: bad, body: text });
    await publishNow(id);
    const first = await endedInTime(id);
    expect(first).toMatchObject({
      status: 'Failed',
      results: [
        { accountId: good, ok: true, externalId: expect.any(String) },
        { accountId: bad, ok: false, error: { code: 'content_refused' } },
      ],
    });
    await publishNow(id);
    const second = await endedInTime(id);
    expect(second.status).toBe('Published');
    expect(second.results[0]).toEqual(first.results[0]);
    expect(await eventsOf(id)).toEqual(['post.failed', 'post.published']);
  });

  test('of a thread goes on with the item that is missing', async () => {
    const account = await service.connect('x');
    const [first, second, third] = [newText(), newText('content-refused'), newText()];
    const id = await thread(account, [first, second, third]);
    await publishNow(id);
    const broken = await endedInTime(id);
    expect(broken).toMatchObject({ status: 'Failed', results: [{ ok: false, externalId: expect.any(String) }] });
    expect(broken.results[0]?.error?.message).toContain('1 of 3 parts are out');
    await publishNow(id);
    const whole = await endedInTime(id);
    expect(whole).toMatchObject({ status: 'Published', results: [{ externalId: broken.results[0]?.externalId }] });
    for (const text of [first, second, third]) expect(await shown('x', text)).toBe(1);
  });

  test('is scheduled again, and goes at that time to the accounts that do not have it', async () => {
    const [good, bad] = [await service.connect('x'), await service.connect('mastodon')];
    const [text, refused] = [newText(), newText('content-refused')];
    const { id } = await draft([good, bad], text);
    await service.client.posts.setVersionText({ id, accountId: bad, body: refused });
    await publishNow(id);
    const first = await endedInTime(id);
    const at = new Date(service.clock.now().getTime() + 5 * minuteMs).toISOString();
    expect(await service.asHuman('posts.schedule', { id, at })).toMatchObject({ results: first.results });
    await service.clock.forward(5 * minuteMs);
    const second = await endedInTime(id);
    expect(second).toMatchObject({ status: 'Published', results: [first.results[0], { accountId: bad, ok: true }] });
    expect(await shown('x', text)).toBe(1);
  });

  test('that is scheduled again and missed keeps what is out, and nothing goes there twice', async () => {
    const own = await startService(longLease);
    const account = await own.connect('x');
    const other = await own.connect('mastodon');
    const { id } = await own.client.posts.create({ accountIds: [account, other], body: 'Out once' });
    await own.client.posts.setVersionText({ id, accountId: other, body: 'No [sandbox:content-refused]' });
    await own.asHuman('posts.publishNow', { id });
    own.startJobs();
    await endedInTime(id, own);
    await own.posthorn.jobs.stop(5_000);
    const at = new Date(own.clock.now().getTime() + minuteMs).toISOString();
    await own.asHuman('posts.schedule', { id, at });
    await own.clock.forward(25 * hourMs);
    own.startJobs();
    expect(await endedInTime(id, own)).toMatchObject({
      status: 'Failed',
      results: [
        { accountId: account, ok: true },
        { accountId: other, ok: false, error: { code: 'missed' } },
      ],
    });
    await own.asHuman('posts.publishNow', { id });
    await endedInTime(id, own);
    expect(await own.feed('x')).toHaveLength(1);
    await own.stop();
  });

  test('shows no result of an account that was taken out, and sends it nothing twice when it comes back', async () => {
    const [good, bad, third] = [await service.connect('x'), await service.connect('x'), await service.connect('x')];
    const text = newText();
    const { id } = await draft([good, bad, third], text);
    for (const accountId of [bad, third]) {
      const body = newText('content-refused');
      await service.client.posts.setVersionText({ id, accountId, body });
    }
    await publishNow(id);
    const first = await endedInTime(id);
    expect(first.results).toHaveLength(3);
    const [original, ...versions] = first.versions;
    const update = async (accountIds: string[], own: object[]) =>
      (await service.call('posts.update', { id, accountIds, versions: [original, ...own] })).body as Post;
    const without = await update(
      [bad, third],
      versions.map((version) =>
        version.accountId === bad ? version : { ...version, content: [{ body: newText('content-refused') }] },
      ),
    );
    expect(without.results.map(({ accountId }) => accountId)).toEqual([bad, third]);
    const person = service.browser();
    await person.signIn();
    const [summary] = (await person.get(`/api/app/posts?group=Recent&ids=${id}`)).body.posts;
    expect(summary.results.map(({ accountId }: { accountId: string }) => accountId)).toEqual([bad, third]);
    await publishNow(id);
    expect(await endedInTime(id)).toMatchObject({ status: 'Failed', results: [{ ok: true }, { ok: false }] });
    await update([good, bad, third], []);
    expect((await publishNow(id)).results).toContainEqual(first.results[0]);
    expect(await endedInTime(id)).toMatchObject({ status: 'Published', results: [first.results[0], {}, {}] });
    const sent = (await service.feed('x')).filter((post) => post.text.includes(text));
    expect(sent).toHaveLength(2);
  });

  test('whose failed account is taken out of the post is Published when it is published again', async () => {
    const [good, bad] = [await service.connect('x'), await service.connect('x')];
    const { id } = await draft([good, bad], newText());
    await service.client.posts.setVersionText({ id, accountId: bad, body: newText('content-refused') });
    await publishNow(id);
    const { versions } = await endedInTime(id);
    await service.client.posts.update({ id, accountIds: [good], versions: [{ content: versions[0]?.content ?? [] }] });
    expect((await publishNow(id)).status).toBe('Published');
    expect(await eventsOf(id)).toEqual(['post.failed', 'post.published']);
  });

  test('whose failed account is taken out of the post is Published at the time it is scheduled for', async () => {
    const [good, bad] = [await service.connect('x'), await service.connect('x')];
    const text = newText();
    const { id } = await draft([good, bad], text);
    await service.client.posts.setVersionText({ id, accountId: bad, body: newText('content-refused') });
    await publishNow(id);
    const { versions } = await endedInTime(id);
    await service.client.posts.update({ id, accountIds: [good], versions: [{ content: versions[0]?.content ?? [] }] });
    await service.asHuman('posts.schedule', {
      id,
      at: new Date(service.clock.now().getTime() + minuteMs).toISOString(),
    });
    await service.clock.forward(minuteMs);
    expect((await endedInTime(id)).status).toBe('Published');
    expect(await shown('x', text)).toBe(1);
  });
});

describe('access to an account', () => {
  test('is renewed ahead of its end, without anybody publishing', async () => {
    const account = await service.connect('x');
    const sealed = async () =>
      (
        await service.database.query(
          sql('test.tokens', 'select tokens from accounts where id = $1').holds<{ tokens: string }>(),
          [account],
        )
      )[0]?.tokens;
    const before = await sealed();
    await service.clock.forward(2 * hourMs - 4 * minuteMs);
    await until('the tokens are new', async () => (await sealed()) !== before);
    expect(await sealed()).toMatch(/^v1\./);
    expect((await publish([account], newText())).status).toBe('Published');
  });

  test('is renewed again and again with a refresh token that the network sent only once', async () => {
    const own = await startService(longLease);
    own.startJobs();
    const account = await own.connect('google_business');
    for (let hour = 0; hour < 5; hour++) {
      await own.clock.forward(hourMs);
      const { id } = await own.client.posts.create({ accountIds: [account], body: `Hour ${hour}` });
      await own.asHuman('posts.publishNow', { id });
      expect((await endedInTime(id, own)).status).toBe('Published');
    }
    await own.stop();
  });

  test('is renewed once when many posts need it at the same time', async () => {
    const own = await startService(longLease);
    const account = await own.connect('x');
    const ids = [];
    for (let i = 0; i < 12; i++) {
      const { id } = await own.client.posts.create({ accountIds: [account], body: `Many ${i}` });
      await own.asHuman('posts.publishNow', { id });
      ids.push(id);
    }
    await own.clock.forward(2 * hourMs);
    own.startJobs();
    for (const id of ids) {
      expect((await endedInTime(id, own)).status).toBe('Published');
    }
    expect((await own.client.accounts.list()).accounts[0]?.status).toBe('Connected');
    await own.stop();
  });
});

describe('what operators see', () => {
  test('/readyz says so when the scheduler has not ticked', async () => {
    expect((await service.request('GET', '/readyz')).status).toBe(200);
    const { ready } = createHealth({
      database: service.database,
      findSchemaProblem: async () => undefined,
      idleMs: () => minuteMs,
    });
    expect(await ready()).toEqual({ status: 503, body: 'the scheduler has not ticked for 60 seconds' });
  });

  test('/metrics has lateness, sends in flight and failures by network, for the admin token alone', async () => {
    const own = await startService({ ADMIN_TOKEN: 'a-token-for-operators', ...longLease });
    own.startJobs();
    const { id } = await own.client.posts.create({
      accountIds: [await own.connect('x')],
      body: 'Hi [sandbox:content-refused]',
    });
    await own.asHuman('posts.publishNow', { id });
    await endedInTime(id, own);
    expect((await own.request('GET', '/metrics')).status).toBe(401);
    expect((await service.request('GET', '/metrics')).status).toBe(403);
    let body = '';
    await until('nothing is in flight', async () => {
      const headers = { authorization: 'Bearer a-token-for-operators' };
      ({ body } = await own.request('GET', '/metrics', { headers }));
      return body.includes('posthorn_sends_in_flight{network="x"} 0');
    });
    expect(body).toContain('posthorn_sends_total{network="x",result="content_refused"} 1');
    expect(body).toMatch(/posthorn_publish_lateness_seconds_count 1/);
    expect(body).toContain('posthorn_posts_overdue 0');
    await own.stop();
  });
});

test('a person publishes a scheduled post at once; a refusal leaves it scheduled', async () => {
  const own = await startService();
  own.startJobs();
  const person = own.browser();
  await person.signIn();
  const account = await own.connect('bluesky', { handle: 'early' });
  const at = new Date(own.clock.now().getTime() + 24 * hourMs).toISOString();
  const scheduled = async (body: string) => {
    const { id } = await own.client.posts.create({ accountIds: [account], body });
    await own.asHuman('posts.schedule', { id, at });
    return id;
  };
  const publish = (id: string) => person.post(`/api/app/posts/${id}/publish-scheduled`, {});
  const statusOf = async (id: string) => (await own.client.posts.get({ id })).status;

  const used = async () => (await person.get('/api/app/plan')).body.used.scheduled as number;
  const usedBefore = await used();
  const id = await scheduled('Earlier than planned');
  expect(await publish(id)).toMatchObject({ status: 200, body: { id, status: 'Publishing' } });
  await until('it is out', async () => (await statusOf(id)) === 'Published');
  // Unscheduling gave back what scheduling had used.
  expect(await used()).toBe(usedBefore);
  expect((await publish(id)).body.code).toBe('Conflict');
  const { id: draftId } = await own.client.posts.create({ accountIds: [account], body: 'A draft' });
  expect((await publish(draftId)).body.code).toBe('Conflict');

  // The account was removed after scheduling, so the post cannot go out. It keeps its time.
  const stays = await scheduled('Stays');
  await own.asHuman('accounts.delete', { id: account });
  expect((await publish(stays)).body.code).toBe('Invalid');
  expect(await own.client.posts.get({ id: stays })).toMatchObject({
    status: 'Scheduled',
    scheduledAt: expect.stringContaining(at.slice(0, 19)),
  });
  await own.stop();
});
