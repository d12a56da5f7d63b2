import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Delivery } from '#contracts/webhooks';
import { verifyWebhook } from '#packages/sdk/src/index';
import type { LiveEvent } from '#server/base/live/changes';
import { openDatabase, sql } from '#server/base/store/database';
import { createDeliveries } from '#server/messaging/webhooks/deliveries';
import type { ClaimedDelivery, ClaimedWebhook, DeliveryStore, Slots } from '#server/messaging/webhooks/store';
import { createSandboxClockStore } from '#server/simulation/sandbox/store';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { lockAwaited } from '#test/support/locks';
import { createProcesses, type Processes } from '#test/support/processes';
import { type Address, type ReceivedRequest, type Receiver, startReceiver } from '#test/support/receiver';
import { type Service, startService } from '#test/support/service';
import { newTeam, type Team, type TeamWebhook } from '#test/support/teams';
import { until } from '#test/support/until';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const ladderMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 12 * hourMs, 24 * hourMs];

let receiver: Receiver;
let service: Service;
let others: { team: Team; address: Address; webhook: TeamWebhook };

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService({ ...receiver.settings('127.0.0.1:1'), SIGN_INS_PER_HOUR: '100000' });
  service.startJobs();
  const [team, address] = [await newTeam(service), receiver.address()];
  others = { team, address, webhook: await team.addWebhook(address.url) };
});

afterAll(async () => {
  await service.stop();
  receiver.stop();
});

const seconds = (text: string) => new Date(text).getTime() / 1000;
const latest = async (webhook: TeamWebhook) => (await webhook.log())[0];

/** The newest delivery when it is neither sent nor about to be. */
const settled = async (webhook: TeamWebhook, attempts: number) => {
  let found = await latest(webhook);
  await until(`attempt ${attempts} is in the log`, async () => {
    found = await latest(webhook);
    return found.attempts === attempts && found.state !== 'sending';
  });
  return found;
};

/** Waits until all sends are recorded. Otherwise moving the clock ends their lease, and they are sent again. */
const recorded = (webhook: TeamWebhook) => {
  const open = sql('test.open', "select from deliveries where webhook_id = $1 and state = 'sending'");
  return until('all are in the log', async () => (await service.database.query(open, [webhook.id])).length === 0);
};

/** Waits until the loop has sent what is due: it has then delivered an event of another team that was queued last. */
const looked = async () => {
  const before = others.address.received().length;
  await others.team.happen();
  await others.address.nth(before + 1);
  await recorded(others.webhook);
};

const forwardTo = async (instant: string, lateMs = 0) => {
  const byMs = Math.ceil(new Date(instant).getTime() - service.clock.now().getTime()) + lateMs;
  if (byMs > 0) await service.clock.forward(byMs);
};

describe('what is sent', () => {
  test('is a POST with the envelope and the headers of the specification', async () => {
    const team = await newTeam(service);
    const address = receiver.address();
    const webhook = await team.addWebhook(address.url);
    await team.happen('post.published', { post: { id: 'post_1', versions: [{ content: [{ body: 'Grüße 🎉' }] }] } });
    const { method, headers, raw, event } = await address.nth(1);
    const delivery = await settled(webhook, 1);

    expect(method).toBe('POST');
    expect(event).toEqual({
      id: delivery.eventId,
      type: 'post.published',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      workspaceId: team.workspaceId,
      data: { post: { id: 'post_1', versions: [{ content: [{ body: 'Grüße 🎉' }] }] } },
    });
    expect(Object.keys(event)).toEqual(['id', 'type', 'createdAt', 'workspaceId', 'data']);
    expect(event.id).toMatch(/^evt_[0-9A-Z]{26}$/);
    const kept = sql('test.event', 'select type, data, created_at from events where id = $1');
    expect(await service.database.query(kept, [event.id])).toEqual([
      { type: event.type, data: event.data, createdAt: event.createdAt },
    ]);
    expect(delivery).toMatchObject({ id: expect.stringMatching(/^whd_[0-9A-Z]{26}$/), state: 'delivered' });
    const [, time = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['posthorn-signature'])) ?? [];
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Posthorn-Webhooks/1',
      'posthorn-event': 'post.published',
      'posthorn-delivery': delivery.id,
      'content-length': String(Buffer.byteLength(raw)),
      'webhook-id': event.id,
      'webhook-timestamp': time,
    });
    expect(v1).toBe(createHmac('sha256', webhook.secret).update(`${time}.${raw}`).digest('hex'));
    const key = Buffer.from(webhook.secret.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).toBe(
      `v1,${createHmac('sha256', key).update(`${event.id}.${time}.${raw}`).digest('base64')}`,
    );
  });

  test('goes to every active webhook that asked for the type, each with a delivery id of its own', async () => {
    const team = await newTeam(service);
    const [one, two, other, elsewhere] = [1, 2, 3, 4].map(() => receiver.address()) as [
      Address,
      Address,
      Address,
      Address,
    ];
    await team.addWebhook(one.url, ['post.failed', 'post.published']);
    await team.addWebhook(two.url, ['post.failed']);
    await team.addWebhook(other.url, ['account.disconnected']);
    await (await newTeam(service)).addWebhook(elsewhere.url, ['post.failed']);
    await team.happen('post.failed');
    const [first, second] = [await one.nth(1), await two.nth(1)];
    expect(first.raw).toBe(second.raw);
    expect(first.headers['posthorn-delivery']).not.toBe(second.headers['posthorn-delivery']);
    expect(first.headers['webhook-id']).toBe(second.headers['webhook-id']);
    await looked();
    expect([...other.received(), ...elsewhere.received()]).toEqual([]);
  });

  test('a ping goes to the tested webhook alone, whatever it asked for', async () => {
    const team = await newTeam(service);
    const [tested, other] = [receiver.address(), receiver.address()];
    const webhook = await team.addWebhook(tested.url, ['post.failed']);
    await team.addWebhook(other.url, ['post.failed']);
    expect(await webhook.test()).toMatchObject({ type: 'ping', state: 'pending', attempts: 0 });
    const { event } = await tested.nth(1);
    expect(event).toMatchObject({ type: 'ping', data: { message: expect.any(String) } });
    await looked();
    expect(other.received()).toEqual([]);
  });

  test('an event of a change that is rolled back was never there', async () => {
    const team = await newTeam(service);
    const address = receiver.address();
    const webhook = await team.addWebhook(address.url);
    await service.database
      .transaction(async () => {
        await team.happen();
        throw new Error('the change failed');
      })
      .catch(() => undefined);
    await looked();
    expect(await webhook.log()).toEqual([]);
    expect(address.received()).toEqual([]);
  });

  test('goes to the address as it is when it is sent', async () => {
    const team = await newTeam(service);
    const [before, after] = [receiver.address(500), receiver.address()];
    const webhook = await team.addWebhook(before.url);
    await team.happen();
    const { nextTryAt } = await settled(webhook, 1);
    await webhook.change({ url: after.url });
    await forwardTo(nextTryAt);
    expect((await after.nth(1)).raw).toBe((await before.nth(1)).raw);
  });
});

describe('the answer', () => {
  const endless = (res: ServerResponse) => {
    const drip = setInterval(() => res.write('.'), 5);
    res.on('close', () => clearInterval(drip));
  };

  const farOff = 'Fri, 31 Dec 2049 23:59:59 GMT';
  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
  const inPieces = async (res: ServerResponse, text: string) => {
    for (let at = 0; at < text.length; at += 7) {
      res.socket?.write(text.slice(at, at + 7));
      await new Promise(setImmediate);
    }
    res.socket?.end();
  };

  test.each<[string, Parameters<Address['answer']>[0]]>([
    ['200', 200],
    ['204', 204],
    ['202 with an endless body', (res) => endless(res.writeHead(202))],
    ['200 after an unasked 100 Continue', (res) => res.writeContinue(() => res.end())],
    [
      '200 after two of them in pieces',
      (res) => inPieces(res, `${goOn}${goOn}HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n`),
    ],
    [
      '200 after early hints',
      (res) => {
        res.writeEarlyHints({ link: '</a>; rel=preload' });
        res.end();
      },
    ],
    ['200 with 20 kB of headers', (res) => res.writeHead(200, { 'x-policy': 'p'.repeat(20_000) }).end()],
    ['200 with 20 MB', (res) => res.end(Buffer.alloc(20 * 1024 * 1024))],
  ])('%s is a delivery: only the status is read', async (_what, answering) => {
    const address = receiver.address(answering);
    const webhook = await (await newTeam(service)).addWebhook(address.url);
    await webhook.test();
    const delivery = await settled(webhook, 1);
    expect(delivery).toMatchObject({ state: 'delivered', lastAnswer: expect.stringMatching(/^HTTP 20\d$/) });
    expect(delivery).not.toHaveProperty('nextTryAt');
  });

  test('that is good makes room for the next before it is written', async () => {
    const team = await newTeam(service);
    const open: ServerResponse[] = [];
    const address = receiver.address((res) => open.push(res));
    const webhook = await team.addWebhook(address.url);
    for (let i = 0; i < 12; i++) await team.happen();
    await until('the slots are taken', () => open.length === 8);
    const lock = sql(
      'test.lock',
      "select from deliveries where webhook_id = $1 and state = 'sending' for update",
      'locks',
    );
    await service.database.transaction(async () => {
      await service.database.query(lock, [webhook.id]);
      address.answer(200);
      for (const res of open) res.end();
      await address.nth(12);
    });
    await until('all are delivered', async () =>
      (await webhook.log()).every(({ state }: Delivery) => state === 'delivered'),
    );
  });

  test('the webhook tells its last one, and the log how long it took', async () => {
    const webhook = await (await newTeam(service)).addWebhook(receiver.address().url);
    expect(await webhook.get()).not.toHaveProperty('lastDelivery');
    await webhook.test();
    const delivery = await settled(webhook, 1);
    expect(delivery.lastTookMs).toEqual(expect.any(Number));
    expect((await webhook.get()).lastDelivery).toEqual({ type: 'ping', state: 'delivered', at: delivery.lastTriedAt });
  });

  test.each<[string, Parameters<Address['answer']>[0], string | RegExp]>([
    ['301', (res) => res.writeHead(301, { location: receiver.address().url }).end(), /^HTTP 301: redirects/],
    ['307', (res) => res.writeHead(307, { location: '/' }).end(), /^HTTP 307: redirects/],
    ['304', 304, /^HTTP 304/],
    ['400', 400, 'HTTP 400'],
    ['500', 500, 'HTTP 500'],
    ['410, which pauses nothing', 410, 'HTTP 410'],
    ['503, whatever its Retry-After', (res) => res.writeHead(503, { 'retry-after': '600' }).end(), 'HTTP 503'],
    ['429, whatever its date', (res) => res.writeHead(429, { 'retry-after': farOff }).end(), 'HTTP 429'],
    ['a reset', (res) => res.socket?.destroy(), 'The connection failed.'],
    ['no HTTP', (res) => res.socket?.end('hello'), 'The connection failed.'],
  ])('%s is a failure that is tried again in a minute', async (_what, answering, lastAnswer) => {
    const address = receiver.address(answering);
    const webhook = await (await newTeam(service)).addWebhook(address.url);
    await webhook.test();
    const delivery = await settled(webhook, 1);
    expect(delivery).toMatchObject({ state: 'pending', lastAnswer: expect.stringMatching(lastAnswer) });
    expect(seconds(delivery.nextTryAt) - seconds(delivery.lastTriedAt)).toBe(60);
    expect(await webhook.get()).toMatchObject({ state: 'active' });
    await webhook.remove();
  });

  describe('that is not complete in time', () => {
    let hasty: Service;
    beforeAll(async () => {
      hasty = await startService(receiver.settings(), { webhooks: { webhookAnswerMs: 300 } });
      hasty.startJobs();
    });
    afterAll(() => hasty.stop());

    test.each<[string, Parameters<Address['answer']>[0]]>([
      ['none', () => undefined],
      ['a status that comes too late', (res) => setTimeout(() => res.end(), 1000)],
      ['headers that never end', (res) => res.socket?.write('HTTP/1.1 200 OK\r\nx-a: b\r\n')],
    ])('%s is a failure', async (_what, answering) => {
      const webhook = await (await newTeam(hasty)).addWebhook(receiver.address(answering).url);
      await webhook.test();
      const lastAnswer = 'There was no complete answer in time.';
      expect(await settled(webhook, 1)).toMatchObject({ state: 'pending', lastAnswer });
    });
  });

  test('a refused connection is a failure as well, and no redirect was followed', async () => {
    const webhook = await (await newTeam(service)).addWebhook('https://127.0.0.1:1/');
    await webhook.test();
    expect(await settled(webhook, 1)).toMatchObject({ state: 'pending', lastAnswer: 'The connection was refused.' });
    await webhook.remove();
    expect(receiver.received.filter(({ method }) => method !== 'POST')).toEqual([]);
  });
});

describe('the ladder', () => {
  test('is 1 min, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h, to the second; then the delivery is given up', async () => {
    const address = receiver.address(500);
    const webhook = await (await newTeam(service)).addWebhook(address.url);
    await webhook.test();
    for (const [step, waitMs] of ladderMs.entries()) {
      const { state, lastTriedAt, nextTryAt } = await settled(webhook, step + 1);
      expect(state).toBe('pending');
      expect(seconds(nextTryAt) - seconds(lastTriedAt)).toBe(waitMs / 1000);
      await forwardTo(nextTryAt, -waitMs / 2);
      await looked();
      expect(address.received()).toHaveLength(step + 1);
      await forwardTo(nextTryAt);
      await address.nth(step + 2);
    }
    const given = await settled(webhook, 8);
    expect(given).toMatchObject({ state: 'failed', lastAnswer: 'HTTP 500' });
    expect(given).not.toHaveProperty('nextTryAt');
    await service.clock.forward(10 * dayMs);
    await looked();
    expect(address.received()).toHaveLength(8);
    expect(await webhook.get()).toMatchObject({ state: 'active' });
  });

  test('keeps delivery id, event and body, and signs each try afresh', async () => {
    const address = receiver.address(500);
    const webhook = await (await newTeam(service)).addWebhook(address.url);
    const start = new Date();
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    try {
      await webhook.test();
      const { nextTryAt } = await settled(webhook, 1);
      vi.setSystemTime(start.getTime() + minuteMs);
      address.answer(200);
      await service.clock.forward(minuteMs + secondMs);
      expect(nextTryAt).toBeDefined();
      const [first, second] = [await address.nth(1), await address.nth(2)];
      for (const header of ['posthorn-delivery', 'webhook-id', 'posthorn-event']) {
        expect(second.headers[header]).toBe(first.headers[header]);
      }
      expect(second.raw).toBe(first.raw);
      const timeOf = ({ headers }: ReceivedRequest) =>
        Number(/t=(\d+)/.exec(String(headers['posthorn-signature']))?.[1]);
      expect(timeOf(second) - timeOf(first)).toBe(60);
      expect(await verifyWebhook(second.raw, String(second.headers['posthorn-signature']), webhook.secret)).toEqual(
        second.event,
      );
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('pausing', () => {
  /** Fails these deliveries through all retries, in parallel. */
  const giveUp = async (team: Team, webhook: TeamWebhook, count: number) => {
    for (let i = 0; i < count; i++) await team.happen();
    for (const [step, waitMs] of [...ladderMs, 0].entries()) {
      await until(`try ${step + 1} of ${count} deliveries has failed`, async () =>
        (await webhook.log())
          .slice(0, count)
          .every(({ attempts, state }: Delivery) => attempts === step + 1 && state !== 'sending'),
      );
      if (waitMs > 0) await service.clock.forward(waitMs + minuteMs);
    }
  };

  test('comes with the tenth delivery given up in a row; nothing is sent or kept until somebody resumes', async () => {
    const team = await newTeam(service);
    const address = receiver.address(500);
    const webhook = await team.addWebhook(address.url);
    await giveUp(team, webhook, 9);
    expect(await webhook.get()).toMatchObject({ state: 'active' });
    const told: LiveEvent[] = [];
    const stopHearing = service.posthorn.live.subscribe({
      workspaceId: team.workspaceId,
      userId: '',
      after: undefined,
      receive: (event) => told.push(event),
      recheckAccess: () => undefined,
      end: () => undefined,
    });
    await giveUp(team, webhook, 1);
    const isPause = ({ kind, id, text }: LiveEvent) =>
      kind === 'webhook' && id === webhook.id && text === 'A webhook was paused.';
    await until('open tabs were told', () => told.some(isPause));
    stopHearing();
    expect(await webhook.get()).toMatchObject({
      state: 'paused',
      reason: '10 deliveries in a row were given up.',
      pausedAt: expect.any(String),
    });
    const notices = async () => (await team.browser().get('/api/app/notifications')).body;
    const notice = { kind: 'webhook.paused', path: `/settings/webhooks/${webhook.id}` };
    expect((await notices()).needsYou).toMatchObject([notice]);
    const sent = address.received().length;
    await team.happen();
    expect(await webhook.log()).toHaveLength(10);
    const path = `/api/webhooks/${webhook.id}`;
    expect(await team.browser().post(`${path}/test`)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    const { id } = await latest(webhook);
    expect((await team.browser().post(`${path}/deliveries/${id}/resend`)).body.message).toContain('Resume it first');

    address.answer(200);
    const resumed = await webhook.resume();
    expect(resumed.state).toBe('active');
    expect(await notices()).toMatchObject({ needsYou: [], earlier: [notice] });
    expect(resumed).not.toHaveProperty('reason');
    await looked();
    expect(address.received()).toHaveLength(sent);
    await team.happen();
    await address.nth(sent + 1);
    const { id: webhookId, url, events: wanted, state } = resumed;
    expect(await webhook.resume()).toMatchObject({ id: webhookId, url, events: wanted, state });
    const { body } = await team.browser().get('/api/app/audit');
    const events = body.entries.map(({ event }: { event: string }) => event);
    expect(events.filter((event: string) => event.startsWith('webhook.'))).toEqual([
      'webhook.resumed',
      'webhook.paused',
      'webhook.added',
    ]);
  });

  test('starts to count anew with every delivery that arrives', async () => {
    const team = await newTeam(service);
    const address = receiver.address(500);
    const webhook = await team.addWebhook(address.url);
    await giveUp(team, webhook, 9);
    address.answer(200);
    await webhook.test();
    await settled(webhook, 1);
    address.answer(500);
    await giveUp(team, webhook, 1);
    expect(await latest(webhook)).toMatchObject({ state: 'failed', attempts: 8 });
    expect(await webhook.get()).toMatchObject({ state: 'active' });
  });

  test('starts to count anew with Resume: nine more that are given up pause nothing', async () => {
    const team = await newTeam(service);
    const webhook = await team.addWebhook(receiver.address(500).url);
    await giveUp(team, webhook, 10);
    expect(await webhook.get()).toMatchObject({ state: 'paused' });
    await webhook.resume();
    await giveUp(team, webhook, 9);
    expect(await webhook.get()).toMatchObject({ state: 'active' });
  });

  test('ends at once what waits for a retry, and Resume does not send it', async () => {
    const team = await newTeam(service);
    const address = receiver.address(500);
    const webhook = await team.addWebhook(address.url);
    await giveUp(team, webhook, 9);
    await team.happen();
    for (let attempts = 1; attempts < ladderMs.length; attempts++)
      await forwardTo((await settled(webhook, attempts)).nextTryAt);
    const { id: tenth, nextTryAt: lastTryAt } = await settled(webhook, ladderMs.length);
    await forwardTo(lastTryAt, -30 * secondMs);
    await team.happen();
    const { id: waiting } = await settled(webhook, 1);
    await forwardTo(lastTryAt);
    await until('it is paused', async () => (await webhook.get()).state === 'paused');
    const log: Delivery[] = await webhook.log();
    expect(log.find(({ id }) => id === tenth)).toMatchObject({ state: 'failed', attempts: 8 });
    const ended = log.find(({ id }) => id === waiting);
    expect(ended).toMatchObject({ state: 'failed', attempts: 1, lastAnswer: expect.stringContaining('was paused') });
    expect(ended).not.toHaveProperty('nextTryAt');
    const sent = address.received().length;
    await webhook.resume();
    await service.clock.forward(hourMs);
    await looked();
    expect(address.received()).toHaveLength(sent);
  });
});

test('what was queued in the moment of the pause is not sent', async () => {
  const team = await newTeam(service);
  const address = receiver.address();
  const webhook = await team.addWebhook(address.url);
  await service.database.transaction(async () => {
    await team.happen();
    const pause = sql('test.pause', 'update webhooks set paused_at = posthorn_now() where id = $1');
    await service.database.query(pause, [webhook.id]);
  });
  await until('it has ended', async () => (await latest(webhook)).state === 'failed');
  expect(await latest(webhook)).toMatchObject({ attempts: 0, lastAnswer: 'Not sent: the webhook was paused.' });
  expect(address.received()).toEqual([]);
});

test('what fails while its webhook is being paused has ended', async () => {
  const team = await newTeam(service);
  const open: ServerResponse[] = [];
  const address = receiver.address((res) => open.push(res));
  const webhook = await team.addWebhook(address.url);
  await webhook.test();
  await address.nth(1);
  const pause = sql('test.pause', 'update webhooks set paused_at = posthorn_now() where id = $1');
  await service.database.transaction(async () => {
    await service.database.query(pause, [webhook.id]);
    open[0]?.writeHead(500).end();
    await lockAwaited(service);
  });
  const delivery = await settled(webhook, 1);
  expect(delivery).toMatchObject({ state: 'failed', lastAnswer: 'HTTP 500' });
  expect(delivery).not.toHaveProperty('nextTryAt');
});

test('a process that stood still for half of its lease sends nothing; the delivery is due again when the lease ends', async () => {
  let stoodStill = true;
  const startStopwatch = () => () => (stoodStill ? 15 * secondMs : 15 * secondMs - 1);
  const own = await startService(receiver.settings(), { startStopwatch });
  const address = receiver.address();
  const webhook = await (await newTeam(own)).addWebhook(address.url);
  await webhook.test();
  await own.posthorn.jobs.runDue(['deliveries']);
  expect(await latest(webhook)).toMatchObject({ state: 'sending', attempts: 0 });
  expect(address.received()).toEqual([]);
  stoodStill = false;
  await own.clock.forward(30 * secondMs);
  await own.posthorn.jobs.runDue(['deliveries']);
  expect(address.received()).toHaveLength(1);
  await own.stop();
});

describe('Send again', () => {
  test('queues a delivery afresh, from the first attempt, under the same id', async () => {
    const address = receiver.address(500);
    const webhook = await (await newTeam(service)).addWebhook(address.url);
    await webhook.test();
    const { id, nextTryAt } = await settled(webhook, 1);
    await forwardTo(nextTryAt);
    await settled(webhook, 2);
    expect(await webhook.resend(id)).toMatchObject({ id, state: 'pending', attempts: 0 });
    const again = await settled(webhook, 1);
    expect(seconds(again.nextTryAt) - seconds(again.lastTriedAt)).toBe(60);
    address.answer(200);
    await webhook.resend(id);
    await until('it is delivered', async () => (await latest(webhook)).state === 'delivered');
    await webhook.resend(id);
    const last = await address.nth(5);
    expect(last.headers['posthorn-delivery']).toBe(id);
    expect(new Set(address.received().map(({ raw }) => raw)).size).toBe(1);
  });

  test('is 404 for a delivery that is older than 30 days, which no log shows', async () => {
    const address = receiver.address();
    const team = await newTeam(service);
    const webhook = await team.addWebhook(address.url);
    const { id } = await webhook.test();
    await settled(webhook, 1);
    const path = `/api/webhooks/${webhook.id}/deliveries/${id}`;
    await service.clock.forward(30 * dayMs - hourMs);
    await team.signInAgain();
    expect(await team.browser().get(path)).toMatchObject({ status: 200, body: { id } });
    await webhook.resend(id);
    await address.nth(2);
    await settled(webhook, 1);
    await service.clock.forward(hourMs);
    for (const answer of [await team.browser().post(`${path}/resend`), await team.browser().get(path)]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    }
    await looked();
    expect(address.received()).toHaveLength(2);
  });

  test('is refused while it is being sent', async () => {
    const team = await newTeam(service);
    let end = () => undefined as unknown;
    const address = receiver.address((res) => {
      end = () => res.end();
    });
    const webhook = await team.addWebhook(address.url);
    const { id } = await webhook.test();
    await address.nth(1);
    expect(await latest(webhook)).toMatchObject({ state: 'sending', attempts: 0 });
    const answer = await team.browser().post(`/api/webhooks/${webhook.id}/deliveries/${id}/resend`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    end();
    expect(await settled(webhook, 1)).toMatchObject({ state: 'delivered' });
  });
});

describe('one delivery', () => {
  test('is shown with its body, the headers that were sent and what became of each try', async () => {
    const address = receiver.address(500);
    const team = await newTeam(service);
    const webhook = await team.addWebhook(address.url);
    await team.happen('post.published', { post: { id: 'post_1', text: 'Grüße 🎉' } });
    const { id, nextTryAt } = await settled(webhook, 1);
    const details = async () => (await team.browser().get(`/api/webhooks/${webhook.id}/deliveries/${id}`)).body;
    address.answer(204);
    await forwardTo(nextTryAt);
    const last = await address.nth(2);
    const summary = await settled(webhook, 2);
    const shown = await details();
    expect(shown).toMatchObject(summary);
    expect(shown.body).toBe(last.raw);
    for (const [name, value] of Object.entries(shown.headers)) expect(last.headers[name.toLowerCase()]).toBe(value);
    expect(Object.keys(shown.headers)).toEqual(expect.arrayContaining(['Posthorn-Signature', 'Content-Length']));
    expect(shown.tries).toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/),
        answer: 'HTTP 500',
        tookMs: expect.any(Number),
      },
      { at: summary.lastTriedAt, answer: 'HTTP 204', tookMs: expect.any(Number) },
    ]);
    expect(shown.ladderSeconds).toEqual([0, ...ladderMs.map((ms) => ms / 1000)]);
    expect(JSON.stringify(shown)).not.toContain(webhook.secret);
    address.answer(() => undefined);
    await webhook.resend(id);
    expect((await details()).tries).toEqual([]);
    expect(await details()).not.toHaveProperty('headers');
  });
});

describe('rotating the secret', () => {
  test('signs with both for 24 hours, then with the new one alone', async () => {
    const address = receiver.address();
    const team = await newTeam(service);
    const webhook = await team.addWebhook(address.url);
    await webhook.test();
    await address.nth(1);
    await recorded(webhook);
    const fresh = await webhook.rotate();
    expect(fresh).not.toBe(webhook.secret);
    await webhook.test();
    const both = await address.nth(2);
    await recorded(webhook);
    const header = String(both.headers['posthorn-signature']);
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(both.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    for (const secret of [fresh, webhook.secret])
      expect(await verifyWebhook(both.raw, header, secret)).toEqual(both.event);

    const { oldSecretUntil } = await webhook.get();
    const rotated = (await team.browser().get('/api/app/audit')).body.entries[0];
    expect(rotated.event).toBe('webhook.secret-rotated');
    expect(Math.abs(seconds(oldSecretUntil) - seconds(rotated.createdAt) - dayMs / 1000)).toBeLessThan(60);
    await forwardTo(oldSecretUntil, -minuteMs);
    await webhook.test();
    expect((await address.nth(3)).headers['posthorn-signature']).toMatch(/v1=.*v1=/);
    await recorded(webhook);
    await forwardTo(oldSecretUntil);
    await webhook.test();
    const alone = await address.nth(4);
    await recorded(webhook);
    expect(alone.headers['posthorn-signature']).not.toMatch(/v1=.*v1=/);
    expect(await verifyWebhook(alone.raw, String(alone.headers['posthorn-signature']), fresh)).toEqual(alone.event);
    expect(await webhook.get()).not.toHaveProperty('oldSecretUntil');

    // Nothing is sent while both secrets are valid, so the keys of the last delivery are still the old ones.
    const newest = await webhook.rotate();
    await forwardTo((await webhook.get()).oldSecretUntil);
    await webhook.test();
    const later = await address.nth(5);
    expect(await verifyWebhook(later.raw, String(later.headers['posthorn-signature']), newest)).toEqual(later.event);
  });
});

describe('receivers that do not answer', () => {
  const held = () => {
    const open: ServerResponse[] = [];
    return { open, address: receiver.address((res) => open.push(res)) };
  };

  test('hold up nobody else: they have a few requests open, and all others go on', async () => {
    const team = await newTeam(service);
    const { open, address: hanging } = held();
    const good = receiver.address();
    await team.addWebhook(hanging.url);
    await team.addWebhook(good.url);
    for (let i = 0; i < 30; i++) await team.happen();
    await good.nth(30);
    await until('the slots of the other are taken', () => open.length === 8);
    await team.happen();
    await good.nth(31);
    expect(hanging.received()).toHaveLength(8);
    hanging.answer(200);
    for (const res of open) res.end();
    await hanging.nth(31);
  });

  test('get one request at a time until they answer well', async () => {
    const team = await newTeam(service);
    const { open, address } = held();
    const webhook = await team.addWebhook(address.url);
    for (let i = 0; i < 12; i++) await team.happen();
    await until('the slots are taken', () => open.length === 8);
    for (const res of open.splice(0)) res.writeHead(500).end();
    for (let sent = 9; sent <= 12; sent++) {
      await address.nth(sent);
      await until('the others are in the log', async () => {
        const log: Delivery[] = await webhook.log();
        return log.filter(({ state }) => state === 'sending').length === 1;
      });
      expect(open).toHaveLength(1);
      open.pop()?.writeHead(500).end();
    }
    await webhook.remove();
  });

  test('get their retries on time, however many first tries wait', async () => {
    const team = await newTeam(service);
    const { open, address } = held();
    const webhook = await team.addWebhook(address.url);
    for (let i = 0; i < 20; i++) await team.happen();
    await until('the slots are taken', () => open.length === 8);
    for (const res of open.splice(0)) res.writeHead(500).end();
    await address.nth(9);
    // The ninth hangs; eleven first tries wait behind it, and eight retries are not due yet.
    const failed: Delivery[] = (await webhook.log()).filter(({ attempts }: Delivery) => attempts === 1);
    const ids = failed.map(({ id }) => id);
    expect(ids).toHaveLength(8);
    // A lease is 30 seconds, and the retries are due after 60: so it is the eleventh that hangs by then.
    for (const sent of [9, 10]) {
      await service.clock.forward(20 * secondMs);
      await looked();
      expect(address.received()).toHaveLength(sent);
      open.splice(0)[0]?.writeHead(500).end();
      await address.nth(sent + 1);
    }
    await forwardTo(failed.map(({ nextTryAt = '' }) => nextTryAt).toSorted()[7] ?? '');
    await address.nth(19);
    const retried = address
      .received()
      .slice(11)
      .map(({ headers }) => headers['posthorn-delivery']);
    expect(ids.every((id) => retried.includes(id))).toBe(true);
    await webhook.remove();
    for (const res of open.splice(0)) res.end();
  });

  test('are forgotten an hour after they last failed, as one that was deleted would stay for ever', async () => {
    let passedMs = 0;
    const asked: (readonly Slots[])[] = [];
    const webhook = { id: 'whk_1' } as ClaimedWebhook;
    const due = [{ id: 'whd_1', attempts: 0, webhook }] as ClaimedDelivery[];
    const store = {
      claim: async (_room: number, _claim: string, _leaseMs: number, free: readonly Slots[]) => {
        asked.push(free);
        return due.splice(0);
      },
    } as unknown as DeliveryStore;
    const loop = createDeliveries({
      store,
      deliver: async (_held, answered) => answered(false),
      startStopwatch: () => {
        const begunMs = passedMs;
        return () => passedMs - begunMs;
      },
      report: (error) => expect.unreachable(String(error)),
    });
    await loop.runDue();
    passedMs = hourMs - 1;
    await loop.runDue();
    passedMs = hourMs;
    await loop.runDue();
    const one = [{ webhookId: 'whk_1', retry: false, free: 1 }];
    expect(asked).toEqual([[], one, one, []]);
  });

  test('who lost the lease over the wait changes nothing', async () => {
    const team = await newTeam(service);
    const { open, address } = held();
    const webhook = await team.addWebhook(address.url);
    await webhook.test();
    await address.nth(1);
    await service.clock.forward(31 * secondMs);
    const second = await address.nth(2);
    expect(second.headers['posthorn-delivery']).toBe((await address.nth(1)).headers['posthorn-delivery']);
    open[0]?.writeHead(500).end();
    const good = receiver.address();
    await (await team.addWebhook(good.url)).test();
    await good.nth(1);
    expect(await latest(webhook)).toMatchObject({ state: 'sending', attempts: 0 });
    open[1]?.end();
    expect(await settled(webhook, 1)).toMatchObject({ state: 'delivered', lastAnswer: 'HTTP 200' });
  });
});

describe('a process that is killed during its deliveries', () => {
  let fresh: FreshDatabase;
  let posthorn: Processes;
  let customer: Receiver;
  beforeAll(async () => {
    fresh = await freshDatabase({ isMigrated: true });
    posthorn = await createProcesses(undefined, { DATABASE_URL: urlOf(fresh.parts) });
    customer = await startReceiver();
  });
  afterAll(async () => {
    await posthorn.clear();
    await fresh.drop();
    customer.stop();
  });

  test('loses none: they are sent again when the lease has ended, and the log is right', async () => {
    const settings = customer.settings();
    const first = await posthorn.start(undefined, settings);
    const owner = { email: 'owner@example.com', password: 'correct horse' };
    await posthorn.ask('setup', '--email', owner.email, '--password', owner.password, '--workspace', 'Demo');
    let cookie = '';
    const call = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
      const answer = await fetch(first.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
      return answer.json() as Promise<{ id: string; deliveries: Delivery[] }>;
    };
    await call('POST', '/api/auth/sign-in', owner);
    const address = customer.address(() => undefined);
    const { id } = await call('POST', '/api/webhooks', { url: address.url, events: ['post.failed'] });
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push((await call('POST', `/api/webhooks/${id}/test`, {})).id);
    await address.nth(5);
    first.kill('SIGKILL');
    await first.ended;

    address.answer(200);
    // Moves the clock while nothing runs, because a delivery in flight would be sent again.
    await moveClock(31 * secondMs);
    await posthorn.start(undefined, settings);
    const log = async () => (await call('GET', `/api/webhooks/${id}/deliveries`)).deliveries;
    await address.nth(10);
    await until('all are delivered', async () => (await log()).every(({ state }) => state === 'delivered'));
    expect((await log()).map((one) => [one.id, one.attempts])).toEqual(made.toReversed().map((one) => [one, 1]));
    const sent = address.received().map(({ headers }) => headers['posthorn-delivery']);
    expect(sent.toSorted()).toEqual([...made, ...made].toSorted());
  });

  const moveClock = async (ms: number) => {
    const database = openDatabase(fresh.parts, { report: () => undefined });
    await createSandboxClockStore(database).move(ms);
    await database.close();
  };
});

describe('the log', () => {
  test('loses nothing that is still to be sent, however many deliveries came after it', async () => {
    const address = receiver.address(500);
    const webhook = await (await newTeam(service)).addWebhook(address.url);
    const { id } = await webhook.test();
    const { nextTryAt } = await settled(webhook, 1);
    address.answer(200);
    for (let i = 0; i < 50; i++) await webhook.test();
    await address.nth(51);
    await recorded(webhook);
    await service.posthorn.webhooks.purge();
    await forwardTo(nextTryAt);
    expect((await address.nth(52)).headers['posthorn-delivery']).toBe(id);
  });

  test('shows the last 50 deliveries, newest first, for 30 days', async () => {
    const team = await newTeam(service);
    const address = receiver.address();
    const webhook = await team.addWebhook(address.url);
    const made = [];
    for (let i = 0; i < 60; i++) made.unshift((await webhook.test()).id);
    await address.nth(60);
    await recorded(webhook);
    expect((await webhook.log()).map(({ id }: { id: string }) => id)).toEqual(made.slice(0, 50));
    expect(await service.posthorn.webhooks.purge()).toBeGreaterThanOrEqual(10);
    expect(await webhook.log()).toHaveLength(50);
    await service.clock.forward(31 * dayMs);
    await team.signInAgain();
    await team.happen();
    await address.nth(61);
    expect(await webhook.log()).toHaveLength(1);
    await service.posthorn.webhooks.purge();
    expect(await service.posthorn.webhooks.purge()).toBe(0);
    expect(await webhook.log()).toHaveLength(1);
  });
});

afterEach(() => {
  expect(service.logLines.join('')).not.toContain('whsec_');
});
