import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { type PushService, startPushService } from '#test/support/push-service';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

let pushes: PushService;
let service: Service;
beforeAll(async () => {
  pushes = await startPushService();
  service = await startService({ ...pushes.settings, SIGN_INS_PER_HOUR: '1000' });
  service.startJobs();
});
afterAll(async () => {
  await service.stop();
  pushes.stop();
});

/** Somebody at a browser that shows push messages. */
const withPhone = async (email: string) => {
  const browser = service.browser();
  await browser.signIn(email);
  const phone = pushes.subscribe();
  const answer = await browser.post('/api/app/push-browsers', phone.subscription);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      browsers: expect.arrayContaining([
        { current: true, browser: expect.any(String), id: expect.stringMatching(/^brw_/), since: expect.any(String) },
      ]),
    },
  });
  return {
    ...phone,
    browser,
    id: answer.body.browsers.find(({ current }: { current: boolean }) => current).id as string,
  };
};
const editorWithPhone = async () => withPhone((await service.addMember('editor')).email);

const ask = async (body: string, client = 'Desk Agent') => {
  const account = await service.addAccount('x');
  const { id } = await service.client.posts.create({ body, accountIds: [account] });
  const { approvalUrl } = await service.posthorn.cards.request({
    caller: { ...service.owner, role: 'owner', mayPublish: false, isPerson: false },
    client,
    action: 'posts.publishNow',
    input: { id },
    requestId: 'r',
  });
  return new URL(approvalUrl).pathname;
};
/** Messages about requests wait for the rest of a burst. */
const endBurst = () => service.clock.forward(20_000);
const clearRequests = () =>
  service.database.query(sql('test.clear', "update approval_cards set status = 'Expired' where status = 'Open'"));
const happen = (subjectId: string) =>
  service.database.transaction(() =>
    service.posthorn.notifications.tell([
      { workspaceId: service.owner.workspaceId, kind: 'post.failed', subjectId, title: 'It failed', path: '/posts/x' },
    ]),
  );
/** Of the newest message to a browser. */
const stateOf = async (browserId: string) =>
  (
    await service.database.query(
      sql('test.pushes', 'select state from messages where subscription_id = $1 order by id desc').holds<{
        state: string;
      }>(),
      [browserId],
    )
  )[0]?.state;

describe('a request of an agent', () => {
  test('reaches the phone, encrypted for it alone, signed by us, without the text of the post', async () => {
    const phone = await editorWithPhone();
    const path = await ask('Secret recipe');
    await endBurst();
    const { message, headers, claims, publicKey } = await phone.nth(1);
    expect(message).toEqual({
      title: 'Desk Agent asks to publish a post',
      body: 'Demo',
      path,
      tag: expect.stringMatching(/^[\w-]{32}$/),
    });
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', topic: message.tag });
    expect(Number(headers.ttl)).toBeGreaterThan(0);
    expect(Number(headers.ttl)).toBeLessThanOrEqual(dayMs / 1000);
    expect(claims).toMatchObject({ aud: pushes.origin, sub: expect.stringMatching(/^mailto:/) });
    expect(publicKey).toBe((await phone.browser.get('/api/app/notification-choices')).body.pushKey);
  });

  test('shows the beginning of the post to those who chose so', async () => {
    const phone = await editorWithPhone();
    await phone.browser.patch('/api/app/notification-choices', { pushText: true });
    await clearRequests();
    await ask(`Rye bread\nis back${' and'.repeat(40)}`);
    await endBurst();
    const { message } = await phone.nth(1);
    expect(message.body).toMatch(/^Demo\nRye bread is back and.*…$/);
    expect(message.body.length).toBeLessThan(160);
  });

  test('is not pushed to those who chose it away, nor to a viewer', async () => {
    const [quiet, loud] = [await editorWithPhone(), await editorWithPhone()];
    const viewer = await withPhone((await service.addMember('viewer')).email);
    await quiet.browser.patch('/api/app/notification-choices', { push: ['posts'] });
    await clearRequests();
    await ask('For some');
    await endBurst();
    await loud.nth(1);
    await happen('post_quiet');
    await quiet.nth(1);
    expect(quiet.pushed.map(({ message }) => message.title)).toEqual(['It failed']);
    expect(viewer.pushed).toEqual([]);
  });

  test('is one message that counts, when it is one of a burst', async () => {
    const phone = await editorWithPhone();
    await clearRequests();
    for (let n = 1; n <= 8; n++) {
      await ask(`Burst ${n}`, 'Claude');
      await service.clock.forward(5000);
    }
    await endBurst();
    expect((await phone.nth(1)).message).toMatchObject({ title: '8 requests of Claude', body: 'Demo' });
    await ask('After the message', 'Claude');
    await endBurst();
    await happen('post_after_burst');
    expect((await phone.nth(2)).message.title).toBe('It failed');
    // Ten minutes after the first request a new burst begins, and its message counts all open requests.
    await service.clock.forward(10 * minuteMs);
    await ask('Much later', 'Claude');
    await endBurst();
    expect((await phone.nth(3)).message.title).toBe('10 requests of Claude');
  });

  test('that goes on and on is reported after two minutes', async () => {
    const phone = await editorWithPhone();
    await clearRequests();
    for (let n = 1; n <= 12; n++) {
      await ask(`Flood ${n}`, 'Flooder');
      await service.clock.forward(15_000);
    }
    expect((await phone.nth(1)).message.title).toMatch(/^[89] requests of Flooder$/);
  });

  test('goes to approvers alone, where they alone publish', async () => {
    const owner = service.browser();
    await owner.signIn();
    const [phone, approver] = [await editorWithPhone(), await service.addMember('editor')];
    const decider = await withPhone(approver.email);
    await owner.patch(`/api/app/members/${approver.userId}`, { approver: true });
    await owner.patch('/api/app/workspace', { publishers: 'approvers' });
    await clearRequests();
    await ask('For approvers');
    await endBurst();
    expect((await decider.nth(1)).message.title).toBe('Desk Agent asks to publish a post');
    await owner.patch('/api/app/workspace', { publishers: 'editors' });
    await happen('post_for_all');
    expect((await phone.nth(1)).message.title).toBe('It failed');
  });

  test('that is decided before its message went out is not reported any more', async () => {
    const phone = await editorWithPhone();
    await clearRequests();
    const path = await ask('Quickly decided');
    expect((await phone.browser.post(`/api${path}/reject`)).status).toBe(200);
    await endBurst();
    await happen('post_after_decision');
    expect((await phone.nth(1)).message.title).toBe('It failed');
  });
});

describe('a decision', () => {
  test('reaches whoever asked, once, with its reason', async () => {
    const asker = await service.addMember('editor');
    const phone = await withPhone(asker.email);
    const decider = await withPhone((await service.addMember('editor')).email);
    await decider.browser.patch('/api/app/profile', { name: 'Una' });
    await clearRequests();
    const account = await service.addAccount('x');
    const { id } = await service.client.posts.create({ body: 'Half price', accountIds: [account] });
    const { approvalUrl } = await service.posthorn.cards.request({
      caller: {
        userId: asker.userId,
        workspaceId: asker.workspaceId,
        role: 'editor',
        mayPublish: false,
        isPerson: true,
      },
      action: 'posts.publishNow',
      input: { id },
      requestId: 'r',
    });
    const { pathname: path } = new URL(approvalUrl);
    const reason = 'We never say “half price”.';
    expect((await decider.browser.post(`/api${path}/reject`, { reason })).status).toBe(200);
    await endBurst();
    const { message } = await phone.nth(1);
    expect(message).toMatchObject({
      title: 'Una rejected your request to publish a post',
      body: `Demo\n“${reason}”`,
      path,
    });
    await happen('post_after_rejection');
    expect((await phone.nth(2)).message.title).toBe('It failed');
    // The person who decided gets no message about it.
    expect((await decider.nth(1)).message.title).toBe('It failed');
  });
});

test('a later message about the same has the same topic, one about something else has another', async () => {
  const phone = await editorWithPhone();
  await happen('post_same');
  await phone.nth(1);
  await happen('post_same');
  await phone.nth(2);
  await happen('post_other');
  const [first, second, third] = [await phone.nth(1), await phone.nth(2), await phone.nth(3)].map(
    ({ headers }) => headers.topic,
  );
  expect(first).toBe(second);
  expect(third).not.toBe(first);
});

describe('a browser', () => {
  test.each([404, 410])('that the push service no longer knows (%i) is forgotten', async (status) => {
    const phone = await editorWithPhone();
    phone.answer(status);
    await happen(`post_${status}`);
    await phone.nth(1);
    const known = async () => (await phone.browser.get('/api/app/notification-choices')).body.browsers;
    await until('it is forgotten', async () => (await known()).length === 0);
    const rows = await service.database.query(sql('test.of', 'select 1 from messages where subscription_id = $1'), [
      phone.id,
    ]);
    expect(rows).toEqual([]);
  });

  test('whose push service has trouble is tried again, one that is refused is not', async () => {
    const phone = await editorWithPhone();
    phone.answer(503);
    await happen('post_503');
    await phone.nth(1);
    await until('it waits', async () => (await stateOf(phone.id)) === 'pending');
    phone.answer(201);
    await service.clock.forward(minuteMs);
    expect((await phone.nth(2)).message).toEqual((await phone.nth(1)).message);
    phone.answer(413);
    await happen('post_413');
    await phone.nth(3);
    await until('it was given up', async () => (await stateOf(phone.id)) === 'failed');
    phone.answer(201);
  });

  test('gets nothing once its person signed out there, or took it out', async () => {
    const [out, taken, stays] = [await editorWithPhone(), await editorWithPhone(), await editorWithPhone()];
    await out.browser.post('/api/auth/sign-out');
    expect((await taken.browser.delete(`/api/app/push-browsers/${stays.id}`)).status).toBe(404);
    expect((await taken.browser.delete(`/api/app/push-browsers/${taken.id}`)).status).toBe(200);
    await happen('post_gone');
    await stays.nth(1);
    expect([...out.pushed, ...taken.pushed]).toEqual([]);
  });

  test('that somebody else signs in with is theirs, and what waited for the first one is not sent', async () => {
    const first = await editorWithPhone();
    first.answer(503);
    await happen('post_before');
    await first.nth(1);
    await until('it waits', async () => (await stateOf(first.id)) === 'pending');
    first.answer(201);
    const other = service.browser();
    const { email } = await service.addMember('editor');
    await other.signIn(email);
    const { body } = await other.post('/api/app/push-browsers', first.subscription);
    const [{ id }] = body.browsers;
    expect((await first.browser.get('/api/app/notification-choices')).body.browsers).toEqual([]);
    await service.clock.forward(minuteMs);
    await happen('post_after');
    const { message } = await first.nth(2);
    await until('nothing waits', async () => (await stateOf(id)) === 'sent');
    expect(first.pushed).toHaveLength(2);
    expect(message.title).toBe('It failed');
  });

  test('that renews its address leaves one behind it', async () => {
    const phone = await editorWithPhone();
    const renewed = pushes.subscribe();
    const { body } = await phone.browser.post('/api/app/push-browsers', renewed.subscription);
    expect(body.browsers).toHaveLength(1);
    await happen('post_renewed');
    await renewed.nth(1);
    expect(phone.pushed).toEqual([]);
  });
});

const keys = () => pushes.subscribe().subscription.keys;

test.each([
  ['http://127.0.0.1/push', 'endpoint'],
  ['https://127.0.0.1/push', 'endpoint'],
  ['https://169.254.169.254/latest/meta-data', 'endpoint'],
  ['https://localhost/push', 'endpoint'],
  ['https://[::1]/push', 'endpoint'],
  ['https://user:secret@push.example.com/', 'endpoint'],
  ['file:///etc/passwd', 'endpoint'],
  ['nonsense', 'endpoint'],
])('%s is no push service', async (endpoint, path) => {
  const browser = service.browser();
  await browser.signIn();
  expect((await browser.post('/api/app/push-browsers', { endpoint, keys: keys() })).body).toMatchObject({
    code: 'BadInput',
    issues: [{ path }],
  });
});

test('keys that no browser made are refused', async () => {
  const browser = service.browser();
  await browser.signIn();
  const endpoint = `${pushes.origin}/push/x`;
  for (const wrong of [
    { ...keys(), p256dh: randomBytes(65).fill(7).toString('base64url') },
    { ...keys(), p256dh: 'short' },
    { ...keys(), auth: randomBytes(15).toString('base64url') },
  ]) {
    const { body } = await browser.post('/api/app/push-browsers', { endpoint, keys: wrong });
    expect(body).toMatchObject({ code: 'BadInput', issues: [{ path: expect.stringMatching(/^keys/) }] });
  }
});

test('our key is made once, and its private part is sealed', async () => {
  const own = await startService();
  const asked = await Promise.all([1, 2, 3, 4].map(() => own.posthorn.push.publicKey()));
  expect(new Set(asked).size).toBe(1);
  const [row] = await own.database.query(sql('test.keys', 'select * from push_keys').holds<{ privateKey: string }>());
  expect(row?.privateKey).toMatch(/^v1\./);
  await own.stop();
});
