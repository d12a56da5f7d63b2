import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { bounds } from '#server/base/bounds';
import { openDatabase, sql } from '#server/base/store/database';
import { lockAwaited } from '#test/support/locks';
import { openPosthorn } from '#test/support/posthorn';
import { startReceiver } from '#test/support/receiver';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  owner = service.browser();
  await owner.signIn();
});
afterAll(() => service.stop());

const open: (() => void)[] = [];
afterEach(() => {
  for (const stop of open.splice(0)) stop();
});

/** An open tab. */
const listen = async (
  { cookie = owner.cookie(), last, query = '' }: { cookie?: string; last?: string; query?: string } = {},
  at = service,
) => {
  await until('the instance hears of changes', () => at.posthorn.live.isListening());
  const stop = new AbortController();
  open.push(() => stop.abort());
  const response = await fetch(`${at.url}/api/app/events${query}`, {
    headers: { cookie, ...(last !== undefined && { 'last-event-id': last }) },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  let heard = '';
  let ended = false;
  (async () => {
    for await (const chunk of response.body ?? []) heard += new TextDecoder().decode(chunk);
    ended = true;
  })().catch(() => undefined);
  await until('the stream is open', () => heard.includes('retry: 1000\n'));
  return {
    heard: () => heard,
    ended: () => ended,
    events: () =>
      [...heard.matchAll(/id: (\S+)\nevent: (\w+)\ndata: (.*)\n\n/g)].map(([, eventId = '', kind = '', data = '']) => ({
        eventId,
        kind,
        ...(JSON.parse(data) as { id?: string; text?: string }),
      })),
    /** The tab's position in the event stream before any event. */
    firstId: () => /^id: (\S+)$/m.exec(heard)?.[1] ?? '',
    stop: () => stop.abort(),
  };
};

const tell = (id: string, workspaceId = service.owner.workspaceId) =>
  service.posthorn.live.publish({ workspaceId, kind: 'post', id });

describe('an open tab is told', () => {
  const hears = async (kind: string, id: string, work: () => Promise<unknown>) => {
    const tab = await listen();
    await work();
    await until(`the tab hears of ${kind} ${id}`, () => tab.events().some((one) => one.kind === kind && one.id === id));
    return tab.events();
  };

  test('that a post was created, changed, scheduled, taken back and deleted', async () => {
    const tab = await listen();
    const account = await service.addAccount('x');
    const { id } = await service.client.posts.create({ body: 'Hello', accountIds: [account] });
    const told = () => tab.events().filter((one) => one.kind === 'post' && one.id === id).length;
    await until('created', () => told() === 1);
    await service.client.posts.setVersionText({ id, body: 'Hello again' });
    await until('changed', () => told() === 2);
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    await service.asHuman('posts.schedule', { id, at });
    await until('scheduled', () => told() === 3);
    await owner.post(`/api/app/posts/${id}/unschedule`);
    await until('taken back', () => told() === 4);
    await service.asHuman('posts.delete', { id });
    await until('deleted', () => told() === 5);
  });

  test('that posts were labelled, each once', async () => {
    const { id } = await service.client.posts.create({ body: 'Labelled' });
    const { body: label } = await owner.post('/api/app/labels', { name: 'News', color: 'blue' });
    const change = { postIds: [id, id], add: [label.id] };
    const events = await hears('post', id, () => owner.post('/api/app/posts/labels', change));
    expect(events.filter((one) => one.id === id)).toHaveLength(1);
  });

  test('that a post goes out, and that it has', async () => {
    const account = await service.connect('bluesky');
    const { id } = await service.client.posts.create({ body: 'Out', accountIds: [account] });
    const tab = await listen();
    await service.asHuman('posts.publishNow', { id });
    await until('it goes out', () => tab.events().some((one) => one.id === id && one.text === undefined));
    service.startJobs();
    await until('it is out', () => tab.events().some((one) => one.id === id && one.text === 'A post was published'));
  });

  test('that an account was connected, needs reconnecting, and was disconnected', async () => {
    const tab = await listen();
    const account = await service.connect('mastodon');
    const told = () => tab.events().filter((one) => one.kind === 'account' && one.id === account);
    await until('connected', () => told().length === 1);
    const refused = await service.connect('x', { handle: 'refused' });
    const { id } = await service.client.posts.create({
      body: 'Refused [sandbox:refused-token]',
      accountIds: [refused],
    });
    await service.asHuman('posts.publishNow', { id });
    service.startJobs();
    await until('refused', () =>
      tab.events().some((one) => one.id === refused && one.text?.includes('connected again')),
    );
    await service.asHuman('accounts.delete', { id: account });
    await until('disconnected', () => told().length === 2);
  });

  test('that a file is in the library', async () => {
    const tab = await listen();
    const id = await service.addFile();
    await until('the tab hears', () => tab.events().some((one) => one.kind === 'media' && one.id === id));
  });

  test('that new numbers of a post were read', async () => {
    const account = await service.connect('bluesky', { handle: 'counted' });
    const { id } = await service.client.posts.create({ body: 'Counted', accountIds: [account] });
    await service.asHuman('posts.publishNow', { id });
    service.startJobs();
    await until('it is out', async () => (await service.client.posts.get({ id })).status === 'Published');
    const tab = await listen();
    await service.clock.forward(61 * 60_000);
    await until('read', () => tab.events().some((one) => one.kind === 'statistics' && one.id === id));
  });

  test('that somebody was invited, joined, got another role and left; that an invitation was withdrawn', async () => {
    const tab = await listen();
    const told = () => tab.events().filter(({ kind }) => kind === 'member');
    const invite = async (email: string) => (await owner.post('/api/app/invitations', { email, role: 'viewer' })).body;
    const { url } = await invite('live@example.com');
    await until('invited', () => told().length === 1);
    const token = url.split('/').at(-1);
    const accepted = await service.browser().post('/api/auth/invitations/accept', { token, password: 'long enough' });
    await until('joined', () => told().length === 2);
    const id = accepted.body.user.id;
    await owner.patch(`/api/app/members/${id}`, { role: 'editor' });
    await until('another role', () => told().length === 3);
    await owner.delete(`/api/app/members/${id}`);
    await until('left', () => told().length === 4);
    expect(told()[3]?.id).toBe(id);
    const withdrawn = await invite('never@example.com');
    await owner.delete(`/api/app/invitations/${withdrawn.id}`);
    await until('withdrawn', () => told().filter((one) => one.id === withdrawn.id).length === 2);
  });

  test('that the clock was moved, in whatever workspace', async () => {
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    const [tab, elsewhere] = [await listen(), await listen({ cookie: stranger.cookie() })];
    await service.clock.forward(1000);
    for (const one of [tab, elsewhere]) {
      await until('told', () => one.events().some(({ kind }) => kind === 'clock'));
    }
  });

  test('nothing of another workspace', async () => {
    const other = await service.addWorkspace();
    const events = await hears('post', 'post_here', async () => {
      await tell('post_there', other.workspaceId);
      await tell('post_here');
    });
    expect(events.map(({ id }) => id)).not.toContain('post_there');
  });
});

test('an open tab is told of deliveries', async () => {
  const receiver = await startReceiver();
  const own = await startService(receiver.settings());
  const browser = own.browser();
  await browser.signIn();
  const tab = await listen({ cookie: browser.cookie() }, own);
  const { body } = await browser.post('/api/webhooks', { url: receiver.address().url, events: ['post.published'] });
  await browser.post(`/api/webhooks/${body.id}/test`);
  own.startJobs();
  await until('the tab hears', () => tab.events().some((one) => one.kind === 'webhook' && one.id === body.id));
  tab.stop();
  await own.stop();
  await receiver.stop();
});

test('a tab that opens before its instance hears of changes reads everything again when it does', async () => {
  const database = openDatabase(service.parts, { report: () => undefined });
  const { live } = openPosthorn({ ...service, database });
  const heard: string[] = [];
  live.subscribe({
    ...service.owner,
    after: undefined,
    receive: ({ kind }) => void heard.push(kind),
    recheckAccess: () => undefined,
    end: () => undefined,
  });
  live.start();
  await until('it is told to', () => heard.includes('resync'));
  await database.close();
});

describe('a tab that connects again', () => {
  test('hears what it has missed, once and in order', async () => {
    // Events from earlier tests may still arrive, so ignore them.
    const ofThis = (tab: Awaited<ReturnType<typeof listen>>) =>
      tab.events().filter(({ id = '' }) => /^post_\d$/.test(id));
    const first = await listen();
    await tell('post_1');
    await until('heard', () => ofThis(first).length === 1);
    first.stop();
    for (const id of ['post_2', 'post_3']) await tell(id);
    const [seen] = ofThis(first);
    const again = await listen({ last: seen?.eventId ?? '' });
    await tell('post_4');
    await until('caught up', () => again.events().some(({ id }) => id === 'post_4'));
    expect(ofThis(again).map(({ id }) => id)).toEqual(['post_2', 'post_3', 'post_4']);
  });

  test('can say where it was before it heard anything, also in the address', async () => {
    const first = await listen();
    const id = first.firstId();
    expect(id).not.toBe('');
    first.stop();
    await tell('post_missed');
    const again = await listen({ query: `?last=${id}&workspace=${service.owner.workspaceId}` });
    await until('caught up', () => again.events().some((one) => one.id === 'post_missed'));
    expect(again.events().map(({ kind }) => kind)).not.toContain('resync');
  });

  test('hears that it has to read everything again when it was away for too long', async () => {
    const tab = await listen({ last: 'long-ago' });
    await until('resync', () => tab.events().some(({ kind }) => kind === 'resync'));
    const first = await listen();
    const many = Array.from({ length: 4100 }, (_, i) => ({
      workspaceId: service.owner.workspaceId,
      kind: 'post' as const,
      id: `post_many_${i}`,
    }));
    await service.posthorn.live.publish(...many);
    await until('all heard', () => first.heard().includes('post_many_4099'));
    const again = await listen({ last: first.firstId() });
    await until('resync', () => again.events().some(({ kind }) => kind === 'resync'));
  });

  test('to another instance goes on there', async () => {
    const database = openDatabase(service.parts, { report: () => undefined });
    const { live } = openPosthorn({ ...service, database });
    live.start();
    const heard: string[] = [];
    let last = '';
    const hearer = {
      ...service.owner,
      receive: ({ kind, id, eventId }: { kind: string; id?: string; eventId: string }) => {
        heard.push(id ?? kind);
        last = eventId;
      },
      recheckAccess: () => undefined,
      end: () => undefined,
    };
    let changes = 0;
    live.onAccessChanged(() => changes++);
    const before = await listen();
    const stop = live.subscribe({ ...hearer, after: undefined });
    await until('the other instance listens', () => live.isListening());
    await tell('post_both');
    await until('it hears', () => heard.includes('post_both'));
    stop();
    const changesBefore = changes;
    await service.posthorn.live.accessChanged(service.owner.userId);
    await until('it hears that access changed', () => changes > changesBefore);
    const seen = last;
    await until('this one too', () => before.events().some(({ eventId }) => eventId === seen));
    await tell('post_after');
    heard.length = 0;
    await until('it goes on there', () => {
      heard.length = 0;
      live.subscribe({ ...hearer, after: seen })();
      return heard.includes('post_after');
    });
    expect(heard).not.toContain('resync');
    await database.close();
  });
});

test('a person has at most 100 streams on an instance; the next is refused in words until one is closed', async () => {
  const { userId, email, workspaceId } = await service.addMember('editor');
  const browser = service.browser();
  await browser.signIn(email);
  const hearer = { workspaceId, userId, after: undefined, receive: () => {}, recheckAccess: () => {}, end: () => {} };
  for (let i = 1; i < bounds.eventStreams; i++) open.push(service.posthorn.live.subscribe({ ...hearer }));
  const last = await listen({ cookie: browser.cookie() });
  const refused = await browser.get('/api/app/events');
  expect(refused).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
  expect(refused.body.message).toBe(
    '100 event streams are open for you. Close browsers or programs that you do not need, then try again.',
  );
  expect(refused.headers.get('retry-after')).toBe('30');
  await listen();
  const before = service.posthorn.live.subscriberCount();
  last.stop();
  await until('it is closed', () => service.posthorn.live.subscriberCount() < before);
  await listen({ cookie: browser.cookie() });
});

test('a tab that closes while its session is read leaves no stream behind', async () => {
  const { database, logLines, posthorn, url } = service;
  await until('no other is open', () => posthorn.live.subscriberCount() === 0);
  const closedTabs = () => logLines.filter((line) => line.includes('"cut":true')).length;
  const before = closedTabs();
  const stop = new AbortController();
  const { signal } = stop;
  await database.transaction(async () => {
    await database.query(sql('test.lockSessions', 'lock table sessions in access exclusive mode'));
    database
      .outside(() => fetch(`${url}/api/app/events`, { headers: { cookie: owner.cookie() }, signal }))
      .catch(() => 0);
    await lockAwaited(service);
    stop.abort();
    await until('the service knows that it closed', () => closedTabs() > before);
  });
  // Read after the one of the tab.
  await owner.get('/api/auth/session');
  expect(posthorn.live.subscriberCount()).toBe(0);
});

describe('a stream ends at once', () => {
  const newcomer = async () => {
    const member = await service.addMember('editor');
    const browser = service.browser();
    await browser.signIn(member.email);
    return { ...member, browser, tab: await listen({ cookie: browser.cookie() }) };
  };

  test('when its user is removed', async () => {
    const { userId, tab } = await newcomer();
    const others = await listen();
    await owner.delete(`/api/app/members/${userId}`);
    await until('it ends', tab.ended);
    expect(tab.heard()).toContain('event: ended\ndata: {"reason":"Removed"');
    await tell('post_secret');
    await until('others go on', () => others.heard().includes('post_secret'));
    expect(tab.heard()).not.toContain('post_secret');
  });

  test('when its user signs out, and another browser of theirs goes on', async () => {
    const { email, browser, tab } = await newcomer();
    const other = service.browser();
    await other.signIn(email);
    const otherTab = await listen({ cookie: other.cookie() });
    await browser.post('/api/auth/sign-out');
    await until('it ends', tab.ended);
    expect(tab.heard()).toContain('"reason":"SignedOut"');
    await tell('post_on');
    await until('the other goes on', () => otherTab.heard().includes('post_on'));
    expect(otherTab.ended()).toBe(false);
  });

  test('when the session is ended from another browser, or the password is changed there', async () => {
    const first = await newcomer();
    const other = service.browser();
    await other.signIn(first.email);
    const { sessions } = (await other.get('/api/app/sessions')).body;
    await other.delete(`/api/app/sessions/${sessions.find(({ current }: { current: boolean }) => !current).id}`);
    await until('it ends', first.tab.ended);
    const second = await newcomer();
    const third = service.browser();
    await third.signIn(second.email);
    await third.post('/api/auth/password', { current: 'correct horse', next: 'another password' });
    await until('it ends', second.tab.ended);
  });

  test.each([
    [
      'passkey',
      'passkeys/passkey_live/remove',
      `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
       values ('passkey_live', $1, 'live', '', 0, '{}', 'Phone', now())`,
    ],
    [
      'authenticator app',
      'totp/remove',
      "insert into totp_factors (user_id, sealed_secret, confirmed_at) values ($1, '', now())",
    ],
  ])('when its user removes their %s, and the workspace asks for two factors', async (name, path, insert) => {
    // Disable the heartbeat, because it would end the stream too.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { userId, workspaceId, browser, tab } = await newcomer();
    await service.database.run(sql(`test.live ${name}`, insert), [userId]);
    const require = sql('test.requireTwo', 'update workspaces set two_factors = $2 where id = $1');
    await service.database.run(require, [workspaceId, true]);
    try {
      const { status } = await browser.post(`/api/app/${path}`, { password: 'correct horse' });
      vi.useRealTimers();
      expect(status).toBe(200);
      await until('it ends', tab.ended);
    } finally {
      await service.database.run(require, [workspaceId, false]);
    }
    expect(tab.heard()).toContain('"reason":"LacksFactor"');
  });

  test('when another workspace is opened in the same browser', async () => {
    const { email } = await service.addMember('admin');
    const browser = service.browser();
    await browser.signIn(email);
    const tab = await listen({ cookie: browser.cookie() });
    await browser.post('/api/app/workspaces', { name: 'Second' });
    await until('it ends', tab.ended);
    expect(tab.heard()).toContain('"reason":"Switched"');
  });

  test('when access went away without a word, at the next heartbeat', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { userId, tab } = await newcomer();
    await service.database.run(sql('test.quiet', 'delete from members where user_id = $1'), [userId]);
    expect(tab.ended()).toBe(false);
    vi.advanceTimersByTime(25_000);
    vi.useRealTimers();
    await until('it ends', tab.ended);
  });

  test('when Posthorn shuts down', async () => {
    const own = await startService();
    const browser = own.browser();
    await browser.signIn();
    const tab = await listen({ cookie: browser.cookie() }, own);
    own.posthorn.live.stop();
    await until('it ends', tab.ended);
    expect(tab.heard()).not.toContain('event: ended');
    await own.stop();
  });
});
