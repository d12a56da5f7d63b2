import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '#contracts/posts';
import { createMovableClock, type Stopwatch } from '#server/base/clock';
import { sql } from '#server/base/store/database';
import { nextStep, waysToBreak } from '#server/delivery/publishing/broken-send';
import { networks, type PostExample, textOf } from '#test/support/networks';
import { openPosthorn } from '#test/support/posthorn';
import { startSandboxNetworks } from '#test/support/sandbox';
import { startServiceWithProxy } from '#test/support/sandbox-proxy';
import { isWaiting, type SendRecord, serviceWithSends } from '#test/support/sends';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';
import { mp4 } from '#test/support/videos';

const minuteMs = 60_000;
const settings = { SEND_LEASE_SECONDS: '600' };

type Own = ReturnType<typeof serviceWithSends>;

const services: Service[] = [];
afterEach(() => Promise.all(services.splice(0).map((service) => service.stop())));
const begin = async (...[more, how]: Parameters<typeof startService>) => {
  const service = await startService({ ...settings, ...more }, how);
  services.push(service);
  return serviceWithSends(service);
};

/** Requests to paths with this ending wait until the test lets them through. */
const beginHolding = async (ending: string) => {
  const { service, proxy } = await startServiceWithProxy(settings);
  services.push(service);
  let letThrough: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  proxy.gate = (path) => (path.endsWith(ending) ? held : undefined);
  const own = serviceWithSends(service);
  own.startJobs();
  const requests = () => proxy.requests.filter((path) => path.endsWith(ending)).length;
  return { own, proxy, letThrough, requests, isHeld: () => until('a request waits', () => requests() > 0) };
};

/** The first request to a path with this ending gets no answer and never reaches the network. */
const beginCutting = async (ending: string) => {
  const { service, proxy } = await startServiceWithProxy(settings);
  services.push(service);
  proxy.answer = (path, res) => {
    const isFirst = path.endsWith(ending) && proxy.requests.filter((one) => one.endsWith(ending)).length === 1;
    if (isFirst) res.destroy();
    return isFirst;
  };
  const own = serviceWithSends(service);
  own.startJobs();
  return own;
};

/** Fails the first two times, as during a database shutdown. */
const failWhen = (own: Own, condition: string, how: string) =>
  own.database.script(`
    create sequence cut;
    create function cut() returns trigger language plpgsql as $$ begin
      if nextval('cut') <= 2 then ${how}; end if;
      return new;
    end $$;
    create trigger cut before update on sends for each row when (${condition}) execute function cut()`);

const takenByAnother = `claim = gen_random_uuid(), due_at = posthorn_now() + interval '1 hour'`;

const mayAppear = { ok: false, uncertain: true, error: { code: 'uncertain' } };
const notSent = { ok: false, uncertain: false, error: { code: 'not_sent' } };

describe('what follows when the network does not have a post whose answer was lost', () => {
  const broken = {
    settleLeftMs: 0,
    holdLeftMs: 9 * minuteMs,
    lostForMs: minuteMs,
    isAbsent: true,
    isRepeatable: false,
    mayRepeat: false,
    isPublishedAgain: false,
  };
  const over = { holdLeftMs: 0, lostForMs: 10 * minuteMs };
  const key = { isRepeatable: true, mayRepeat: true };

  test.each<[string, Partial<typeof broken>, object]>([
    ['before the request would have arrived', { settleLeftMs: 1000 }, { is: 'ask', inMs: 1000 }],
    ['within the hold time', {}, { is: 'mayStillAppear', askInMs: minuteMs }],
    ['later within the hold time', { lostForMs: 4 * minuteMs }, { is: 'mayStillAppear', askInMs: 4 * minuteMs }],
    ['near its end', { holdLeftMs: 1000 }, { is: 'mayStillAppear', askInMs: 1000 }],
    ['after the hold time', over, { is: 'notSent' }],
    ['with a key, after a crash or a 503', key, { is: 'repeat' }],
    ['with a key, before it would have arrived', { ...key, settleLeftMs: 1000 }, { is: 'ask', inMs: 1000 }],
    ['with a key that was used twice', { ...key, mayRepeat: false }, { is: 'mayStillAppear', askInMs: minuteMs }],
    ['published again within the hold time', { isPublishedAgain: true }, { is: 'ask', inMs: 9 * minuteMs }],
    ['published again after it', { isPublishedAgain: true, ...over }, { is: 'sendAnew' }],
    [
      'not surely absent within the hold time',
      { isAbsent: false, ...key },
      { is: 'mayStillAppear', askInMs: minuteMs },
    ],
    ['not surely absent after it', { isAbsent: false, ...key, ...over }, { is: 'uncertain' }],
    ['not surely absent, published again', { isAbsent: false, isPublishedAgain: true, ...over }, { is: 'uncertain' }],
    ['published again with a key', { isPublishedAgain: true, ...key }, { is: 'repeat' }],
  ])('%s', (_, change, step) => expect(nextStep({ ...broken, ...change })).toEqual(step));
});

describe('a network that takes the request after our timeout, and a person who publishes again at once', () => {
  let running: Own;
  beforeAll(async () => {
    running = serviceWithSends(await startService(settings));
    running.startJobs();
  });
  afterAll(() => running.stop());

  const upload = async (mimeType: string) => {
    if (mimeType.startsWith('image/')) return running.addFile();
    const form = new FormData();
    const bytes = mp4({ width: 1080, height: 1920, durationMs: 30_000 });
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'video/mp4' }), 'horn.mp4');
    const headers = { authorization: `Bearer ${running.token}` };
    return (await running.request('POST', '/api/media', { headers, body: form })).body.id as string;
  };

  const publish = async (network: string, { items: [item], options = {} }: PostExample, text: string) => {
    const accountIds = [await running.connect(network)];
    const media = await Promise.all(
      (item?.media ?? []).map((file) => upload(typeof file === 'string' ? file : file.mimeType)),
    );
    const { id } = await running.client.posts.create({ accountIds, body: text });
    const named = Object.fromEntries(Object.entries(options).map(([key, value]) => [key, textOf(value)]));
    await running.client.posts.update({
      id,
      accountIds,
      versions: [{ content: [{ body: text, media }], options: named }],
    });
    await running.asHuman('posts.publishNow', { id });
    return id;
  };

  test.each(networks.map(({ key, network, examples }) => ({ key, network, examples })))(
    'it is public once: $key',
    async ({ key, network, examples }) => {
      const [example] = examples.publish;
      if (example === undefined) throw new Error(`${key} has no example`);
      const text = `Late on ${key} [sandbox:late]`;
      const id = await publish(key, example, text);
      const person = running.browser();
      await person.signIn();
      const [first] = (await running.endedInTime(id)).results;
      // Some networks have the post by name, and wait for it themselves.
      if (first?.ok !== true) {
        expect(first).toMatchObject(mayAppear);
        await running.asHuman('posts.publishNow', { id });
        const [again] = (await running.settledInTime(id)).results;
        if (again?.ok !== true) {
          expect(again).toMatchObject(mayAppear);
          const accountIds = [again?.accountId];
          const anyway = () => person.post(`/api/app/posts/${id}/publish-again`, { accountIds });
          const refused = await anyway();
          expect(refused).toMatchObject({ status: 409, body: { code: 'Conflict' } });
          expect(refused.body.message).toContain(`${network.name} may still publish it within`);
          await running.clock.forward(network.holdMs);
          expect(await running.shown(key, text)).toBe(1);
          expect((await person.post(`/api/app/posts/${id}/found`, { accountIds })).status).toBe(200);
        }
      }
      await running.clock.forward(2 * network.holdMs);
      expect(await running.post(id)).toMatchObject({ status: 'Published', results: [{ ok: true, uncertain: false }] });
      expect(await running.shown(key, text)).toBe(1);
    },
  );
});

describe('every way in which a send can break is known, said and followed as the table has it', () => {
  const goesOut = async (own: Own, network: string, body: string, media: string[] = []) => {
    const id = await own.publishNow(await own.connect(network), body, media);
    return { id, ended: await own.settledInTime(id), shown: await own.shown(network, body) };
  };
  const isPublic = { ended: { status: 'Published', results: [{ ok: true, uncertain: false }] }, shown: 1 };
  const isNowhere = { ended: { status: 'Failed', results: [notSent] }, shown: 0 };

  const shownBy: Record<keyof typeof waysToBreak, () => Promise<void>> = {
    'It breaks before the mark: upload, token, database': async () => {
      const own = await begin();
      await own.posthorn.sandboxes.planFault('x', 'upload', { fault: '503', times: 1 });
      const id = await own.publishNow(await own.connect('x'), 'Before the mark', [await own.addFile()]);
      await own.posthorn.jobs.runDue(['sends']);
      expect(await own.rowOf(id)).toMatchObject({ begunAt: null, tries: 1 });
      expect(await own.post(id)).toMatchObject({ status: 'Publishing', results: [] });
      await own.clock.forward(5_000);
      await own.posthorn.jobs.runDue(['sends']);
      expect(await own.post(id)).toMatchObject({ status: 'Published' });
    },

    'The network refuses it (4xx)': async () => {
      const own = await begin();
      own.startJobs();
      const { id, ended, shown } = await goesOut(own, 'x', 'Refused [sandbox:content-refused]');
      expect(ended).toMatchObject({
        status: 'Failed',
        results: [{ uncertain: false, error: { code: 'content_refused' } }],
      });
      expect(shown).toBe(0);
      expect(await own.rowOf(id)).toMatchObject({ begunAt: null, dueInMs: null });
    },

    'The mark is committed, and no byte has left: no connection, or the process stalled for half of its lease':
      async () => {
        const naps = [true];
        const startStopwatch = (): Stopwatch => () => (naps.shift() ? Number.POSITIVE_INFINITY : 0);
        const own = await begin({}, { startStopwatch });
        own.startJobs();
        const id = await own.publishNow(await own.connect('x'), 'Slept');
        await until('it was given back', async () => (await own.rowOf(id)).tries === 1);
        expect(await own.rowOf(id)).toMatchObject({ begunAt: null });
        expect(await own.shown('x', 'Slept')).toBe(0);
        expect(await own.endedInTime(id)).toMatchObject({ status: 'Published' });
        expect(await own.shown('x', 'Slept')).toBe(1);
      },

    'The answer to the mark is lost: the database restarts, or its connection is cut': async () => {
      const own = await begin();
      const cut = 'perform pg_terminate_backend(pg_backend_pid())';
      await failWhen(own, 'new.begun_at is not null and old.begun_at is null', cut);
      own.startJobs();
      expect(await goesOut(own, 'x', 'Marked again')).toMatchObject(isPublic);
      // To take the mark back and begin anew would be reported.
      expect(own.logLines.join('')).not.toContain('work in the background failed');
    },

    'Some bytes are out, and the connection breaks': async () => {
      const own = await beginCutting('/2/tweets');
      const id = await own.publishNow(await own.connect('x'), 'Half');
      expect(await own.endedInTime(id)).toMatchObject({ status: 'Failed', results: [mayAppear] });
      const { error } = (await own.post(id)).results[0] ?? {};
      expect(error?.message).toMatch(/^X has not confirmed the post .* It may still appear within 9 minutes;/);
      expect(await own.settledInTime(id)).toMatchObject({ status: 'Failed', results: [notSent] });
      // Published again, the network is asked first.
      expect((await own.rowOf(id)).begunAt).not.toBeNull();
      await own.asHuman('posts.publishNow', { id });
      expect(await own.settledInTime(id)).toMatchObject({ status: 'Published' });
      expect(await own.shown('x', 'Half')).toBe(1);
    },

    'All bytes are out, and no answer comes: timeout, reset, cut answer': async () => {
      const own = await begin();
      own.startJobs();
      expect(await goesOut(own, 'x', 'Answer cut [sandbox:cut]')).toMatchObject(isPublic);
      const id = await own.publishNow(await own.connect('x'), 'Late [sandbox:late]');
      expect(await own.endedInTime(id)).toMatchObject({ status: 'Failed', results: [mayAppear] });
      expect(await own.settledInTime(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
      const ends = (await own.events()).filter(({ data }) => (data.post as Post).id === id);
      expect(ends.map(({ type }) => type)).toEqual(['post.failed', 'post.published']);
    },

    'The network answers 503, or with an error that says nothing about the post': async () => {
      const own = await begin();
      own.startJobs();
      expect(await goesOut(own, 'mastodon', 'With a key [sandbox:503]')).toMatchObject(isPublic);
      expect(await goesOut(own, 'x', 'Without [sandbox:503]')).toMatchObject(isNowhere);
      expect(await goesOut(own, 'x', 'Taken all the same [sandbox:500-after]')).toMatchObject(isPublic);
    },

    'The answer comes late, when another process has taken over': async () => {
      const { own, isHeld, letThrough } = await beginHolding('/2/tweets');
      const id = await own.publishNow(await own.connect('x'), 'Answered late');
      await isHeld();
      // Another process took it, asked the network too early, and ended it.
      const result = JSON.stringify({ accountId: (await own.post(id)).accountIds[0], ...mayAppear });
      await own.change(id, `claim = null, due_at = null, heard_at = posthorn_now(), result = '${result}'`);
      await own.database.run(
        sql('test.failed', `update posts set status = 'Failed', results = jsonb_build_array($2::jsonb) where id = $1`),
        [id, result],
      );
      letThrough();
      await until('it is Published', async () => (await own.post(id)).status === 'Published');
      expect(await own.post(id)).toMatchObject({ results: [{ ok: true, uncertain: false }] });
      expect((await own.events()).map(({ type }) => type)).toEqual(['post.published']);
    },

    'The process is killed': async () => {
      const own = await begin();
      const [keyed, keyless] = [await leftBehind(own, 'mastodon'), await leftBehind(own, 'x')];
      own.startJobs();
      expect(await own.settledInTime(keyed)).toMatchObject({ status: 'Published' });
      expect(await own.settledInTime(keyless)).toMatchObject({ status: 'Failed', results: [notSent] });
      expect((await own.post(keyless)).results[0]?.error?.message).not.toMatch(/stopped|server/);
      expect(await own.shown('mastodon', 'Left behind')).toBe(1);
      expect(await own.shown('x', 'Left behind')).toBe(0);
    },

    'The process is stopped and continued': async () => {
      const { own, isHeld, letThrough } = await beginHolding('/media/upload');
      const id = await own.publishNow(await own.connect('x'), 'Continued', [await own.addFile()]);
      await isHeld();
      await own.change(id, takenByAnother);
      letThrough();
      await own.isIdle();
      expect(await own.shown('x', 'Continued')).toBe(0);
      expect(await own.rowOf(id)).toMatchObject({ begunAt: null, claim: expect.any(String) });
    },

    'The database is unavailable when the network answers': async () => {
      const own = await begin();
      // First the database shuts down, then it ends an idle transaction.
      const away = "raise 'away' using errcode = (array['57P01', '25P03'])[currval('cut')]";
      await failWhen(own, 'new.result is not null and old.result is null', away);
      own.startJobs();
      expect(await goesOut(own, 'x', 'Recorded later')).toMatchObject(isPublic);
    },

    "The database's clock is stepped": async () => {
      const { own, letThrough, requests } = await beginHolding('/2/tweets');
      const accountId = await own.connect('x');
      const ids: string[] = [];
      for (let n = 0; n < 24; n++) ids.push(await own.publishNow(accountId, `In flight ${n}.`));
      await until('all are on their way', () => requests() === 24);
      // Longer than the lease, so the sends look abandoned.
      await own.clock.forward(10.5 * minuteMs);
      // Nothing else is due, so a look for work would find them.
      await own.publishNow(accountId, 'Meanwhile.');
      await until('somebody looked for work', () => requests() === 25);
      letThrough();
      for (const id of ids) expect((await own.ended(id)).results).toMatchObject([{ ok: true, uncertain: false }]);
      expect(requests()).toBe(25);
      expect(await own.shown('x', 'In flight')).toBe(24);
    },

    "The database's clock is stepped back while an answer is lost": async () => {
      const twins = await startSandboxNetworks();
      const own = await begin({ SANDBOX_URL: twins.url });
      own.startJobs();
      const lostOn = ['x', 'linkedin_page', 'facebook'];
      const accounts = await Promise.all(lostOn.map((network) => own.connect(network)));
      // Only PostgreSQL's clock, without notifying the processes.
      const setDatabaseAhead = (minutes: number) =>
        own.database.script(`create or replace function posthorn_now() returns timestamptz language sql volatile
                             as $$ select clock_timestamp() + interval '${minutes} minutes' $$`);
      await setDatabaseAhead(15);
      const ids = await Promise.all(accounts.map((accountId) => own.publishNow(accountId, 'Stepped [sandbox:cut]')));
      const isLost = ({ begunAt, claim }: SendRecord) => begunAt !== null && claim === null;
      for (const id of ids) await until('the answer is lost', async () => isLost(await own.rowOf(id)));
      await setDatabaseAhead(0);
      const [taken = '', ...others] = ids;
      const askAbout = async (id: string, more = '') => {
        await own.change(id, `due_at = posthorn_now(), heard_at = heard_at - interval '17 minutes'${more}`);
        await own.posthorn.jobs.runDue(['sends']);
        return (await own.ended(id)).results;
      };
      for (const id of others) expect(await askAbout(id)).toMatchObject([{ ok: true, uncertain: false }]);
      // As a process that did not send it sees it.
      expect(await askAbout(taken, `, key = gen_random_uuid(), prepared = prepared - 'sentAtNetwork'`)).toMatchObject([
        mayAppear,
      ]);
      for (const network of lostOn) expect(await twins.sandboxes.feed(network, 10)).toHaveLength(1);
      await twins.stop();
    },

    "The database's clock differs from the network's": async () => {
      for (const by of [5, -5]) {
        const twins = await startSandboxNetworks();
        const own = await begin({ SANDBOX_URL: twins.url });
        own.startJobs();
        const lostOn = ['x', 'mastodon', 'facebook', 'google_business'];
        const accounts = await Promise.all(lostOn.map((network) => own.connect(network)));
        if (by > 0) await own.clock.forward(by * minuteMs);
        else twins.forward(-by * minuteMs);
        // The clock of the process itself agrees with the networks.
        own.clock.setOffset(by > 0 ? 0 : -by * minuteMs);
        for (const [index, accountId] of accounts.entries()) {
          const id = await own.publishNow(accountId, 'Skewed [sandbox:cut]');
          expect((await own.endedInTime(id)).results).toMatchObject([{ ok: true, uncertain: false }]);
          expect(await twins.sandboxes.feed(lostOn[index] ?? '', 10)).toHaveLength(1);
        }
        await twins.stop();
      }
    },

    'The network cannot say whether it has the post (LinkedIn profiles, stories)': async () => {
      const own = await begin();
      own.startJobs();
      const { id, ended } = await goesOut(own, 'linkedin', 'Who knows [sandbox:cut]');
      expect(ended).toMatchObject({ status: 'Failed', results: [mayAppear] });
      expect(await own.rowOf(id)).toMatchObject({ dueInMs: null, begunAt: expect.any(String) });
    },
  };

  test.each(Object.entries(shownBy))('%s', (_, show) => show());

  test('and docs/publishing.md shows the same table', () => {
    const page = readFileSync('docs/publishing.md', 'utf8');
    for (const [way, { known, said, next }] of Object.entries(waysToBreak)) {
      expect(page).toContain(`| ${way} | ${known} | ${said} | ${next} |`);
    }
  });
});

describe('two processes whose clocks differ by five minutes, and an answer that is lost', () => {
  /** A network of its own, a process that sends, and another one that takes over. PostgreSQL's clock is its own too. */
  const beginTwo = async () => {
    const twins = await startSandboxNetworks();
    const own = await begin({ SANDBOX_URL: twins.url });
    const ahead = createMovableClock();
    ahead.setOffset(5 * minuteMs);
    const other = openPosthorn({ ...own, clock: ahead });
    const shown = async (network: string, body: string) =>
      (await twins.sandboxes.feed(network, 20)).filter(({ text }) => text.includes(body)).length;
    /** Only PostgreSQL's clock, without notifying the processes. */
    const setDatabaseAhead = (minutes: number) =>
      own.database.script(`create or replace function posthorn_now() returns timestamptz language sql volatile
                           as $$ select clock_timestamp() + interval '${minutes} minutes' $$`);
    const publish = async (accountId: string, body: string) => {
      const id = await own.publishNow(accountId, body);
      await own.posthorn.jobs.runDue(['sends']);
      return id;
    };
    /** The other process takes over, this many minutes after the answer was lost. */
    const takeOver = async (id: string, afterMinutes: number) => {
      await own.change(id, `due_at = posthorn_now(), heard_at = posthorn_now() - interval '${afterMinutes} minutes'`);
      await other.jobs.runDue(['sends']);
      return (await own.post(id)).results;
    };
    const pass = (minutes: number) => {
      twins.forward(minutes * minuteMs);
      ahead.setOffset(ahead.offsetMs() + minutes * minuteMs);
    };
    return { twins, own, other, shown, setDatabaseAhead, publish, takeOver, pass };
  };

  test.each([
    ['and PostgreSQL ahead of the network', [4, 4]],
    ['and PostgreSQL stepped back in between', [15, 0]],
    ['and PostgreSQL stepped forward in between', [0, 15]],
  ])('the other finds the post by asking: %s', async (_, [before = 0, after = 0]) => {
    const { twins, own, shown, setDatabaseAhead, publish, takeOver } = await beginTwo();
    await setDatabaseAhead(before);
    for (const network of ['x', 'mastodon', 'facebook']) {
      const accountId = await own.connect(network);
      const id = await publish(accountId, 'Answer lost [sandbox:cut]');
      await setDatabaseAhead(after);
      expect(await takeOver(id, 2)).toMatchObject([{ ok: true, uncertain: false }]);
      await setDatabaseAhead(before);
      expect(await shown(network, 'Answer lost')).toBe(1);
    }
    await twins.stop();
  });

  test('the other sees that it is not there: it repeats the request with its key, and once', async () => {
    const { twins, own, shown, setDatabaseAhead, publish, takeOver } = await beginTwo();
    const accountId = await own.connect('mastodon');
    await twins.sandboxes.planFault('mastodon', 'publish', { fault: '503', times: 1 });
    const id = await publish(accountId, 'Never arrived');
    await setDatabaseAhead(-15);
    expect(await takeOver(id, 2)).toMatchObject([{ ok: true, uncertain: false }]);
    expect(await shown('mastodon', 'Never arrived')).toBe(1);
    await twins.stop();
  });

  test('without the time of the network the other asks until the hold time ends, and never calls it absent', async () => {
    const { twins, own, shown, publish, takeOver, pass } = await beginTwo();
    const accountId = await own.connect('x');
    const late = await publish(accountId, 'Late [sandbox:late]');
    const lost = await publish(await own.connect('x'), 'Lost [sandbox:503]');
    for (const id of [late, lost]) {
      await own.database.run(
        sql('test.forget', `update sends set prepared = prepared - 'sentAtNetwork' where post_id = $1`),
        [id],
      );
      expect(await takeOver(id, 2)).toMatchObject([mayAppear]);
      expect((await own.rowOf(id)).dueInMs).toBeGreaterThan(0);
    }
    pass(9);
    expect(await takeOver(late, 11)).toMatchObject([{ ok: true, uncertain: false }]);
    expect(await shown('x', 'Late')).toBe(1);
    pass(1);
    expect(await takeOver(lost, 12)).toMatchObject([mayAppear]);
    expect((await own.rowOf(lost)).dueInMs).toBeNull();
    await twins.stop();
  });
});

test('a send has the time of the network also when the sandbox clock was moved since its last answer', async () => {
  const own = await begin();
  const accountId = await own.connect('mastodon');
  const publish = async (body: string) => {
    const id = await own.publishNow(accountId, body);
    await own.posthorn.jobs.runDue(['sends']);
    return id;
  };
  await publish('The network answers once');
  await own.clock.forward(minuteMs);
  const id = await publish('Answer lost [sandbox:cut]');
  const [row] = await own.database.query(
    sql('test.sentAtNetwork', `select prepared ->> 'sentAtNetwork' as at from sends where post_id = $1`).holds<{
      at: string;
    }>(),
    [id],
  );
  const agoMs = own.clock.now().getTime() - Date.parse(row?.at ?? '');
  // At most as much earlier as the clock was moved.
  expect(agoMs).toBeGreaterThan(0);
  expect(agoMs).toBeLessThan(2 * minuteMs);
});

test('a post that is out is not called absent when the network had not told its time, and all clocks were stepped alike since', async () => {
  const twins = await startSandboxNetworks();
  const own = await begin({ SANDBOX_URL: twins.url });
  const setDatabaseAhead = (minutes: number) =>
    own.database.script(`create or replace function posthorn_now() returns timestamptz language sql volatile
                         as $$ select clock_timestamp() + interval '${minutes} minutes' $$`);
  const ahead = createMovableClock();
  ahead.setOffset(5 * minuteMs);
  const other = openPosthorn({ ...own, clock: ahead });
  const accountId = await own.connect('x');
  await setDatabaseAhead(5);
  const id = await own.publishNow(accountId, 'Out [sandbox:cut]');
  await other.jobs.runDue(['sends']);
  await own.change(id, `prepared = prepared - 'sentAtNetwork'`);
  const ask = async () => {
    await own.change(id, `due_at = posthorn_now(), heard_at = posthorn_now() - interval '12 minutes'`);
    await own.posthorn.jobs.runDue(['sends']);
    return (await own.post(id)).results;
  };
  await setDatabaseAhead(0);
  await ask();
  twins.forward(10 * minuteMs);
  own.clock.setOffset(10 * minuteMs);
  await setDatabaseAhead(10);
  expect(await ask()).toMatchObject([mayAppear]);
  expect((await own.rowOf(id)).dueInMs).toBeNull();
  await twins.stop();
});

/** A send that a process marked as begun two minutes ago, before it was killed. */
const leftBehind = async (own: Own, network: string) => {
  const id = await own.publishNow(await own.connect(network), 'Left behind');
  // The mark of a process that is stopped right after it.
  await own.database.script(`
    create or replace function stop_here() returns trigger language plpgsql as $$ begin
      new.begun_at := new.begun_at - interval '2 minutes';
      new.claim := gen_random_uuid();
      return new;
    end $$;
    create or replace trigger stop_here before update on sends for each row
      when (new.begun_at is not null and old.begun_at is null) execute function stop_here()`);
  await own.posthorn.sandboxes.planFault(network, 'publish', { fault: '503', times: 1 });
  await own.posthorn.jobs.runDue(['sends']);
  await own.database.script('drop trigger stop_here on sends');
  await own.change(id, 'due_at = posthorn_now()');
  expect(await own.rowOf(id)).toMatchObject({ begunAt: expect.any(String) });
  return id;
};

describe('a send that broke', () => {
  test('and never arrives says not_sent once the network has let go of it, and a person is told', async () => {
    const own = await begin();
    own.startJobs();
    const id = await own.publishNow(await own.connect('x'), 'Lost [sandbox:503]');
    await own.endedInTime(id);
    const person = own.browser();
    await person.signIn();
    const kinds = async () => {
      const { needsYou, earlier } = (await person.get('/api/app/notifications')).body;
      return [...needsYou, ...earlier].map(({ kind }: { kind: string }) => kind);
    };
    expect(await kinds()).toEqual(['post.uncertain']);
    expect(await own.settledInTime(id)).toMatchObject({ status: 'Failed', results: [notSent] });
    expect(await kinds()).toContain('post.failed');
    expect((await own.events()).map(({ type }) => type)).toEqual(['post.failed']);
  });

  test('and is published again with another text: when the first came out, nothing else is sent', async () => {
    const own = await begin();
    own.startJobs();
    const id = await own.publishNow(await own.connect('mastodon'), 'First text [sandbox:late]');
    await own.endedInTime(id);
    await own.client.posts.setVersionText({ id, body: 'Second text' });
    await own.asHuman('posts.publishNow', { id });
    const person = own.browser();
    await person.signIn();
    await until('it waits', async () => isWaiting(await own.rowOf(id)));
    const { results } = (await person.get(`/api/app/posts/${id}/progress`)).body;
    expect(results[0].error.message).toMatch(
      /^Mastodon may still publish what it got before\. Posthorn looks again in /,
    );
    expect(await own.settledInTime(id)).toMatchObject({ status: 'Published', results: [{ ok: true }] });
    expect(await own.shown('mastodon', 'First text')).toBe(1);
    expect(await own.shown('mastodon', 'Second text')).toBe(0);
  });

  test('and never arrived goes out with another text and another key: a key is not used again for another text', async () => {
    const own = await beginCutting('/api/v1/statuses');
    const id = await own.publishNow(await own.connect('mastodon'), 'First text');
    expect((await own.endedInTime(id)).results).toMatchObject([mayAppear]);
    const keyOf = async () =>
      (
        await own.database.query(sql('test.key', 'select key from sends where post_id = $1').holds<{ key: string }>(), [
          id,
        ])
      )[0]?.key;
    const key = await keyOf();
    await own.client.posts.setVersionText({ id, body: 'Second text' });
    await own.asHuman('posts.publishNow', { id });
    expect(await own.settledInTime(id)).toMatchObject({ status: 'Published' });
    expect(await keyOf()).not.toBe(key);
    expect(await own.shown('mastodon', 'First text')).toBe(0);
    expect(await own.shown('mastodon', 'Second text')).toBe(1);
  });

  test('and comes out late does not take along a part that was added meanwhile', async () => {
    const own = await begin();
    own.startJobs();
    const account = await own.connect('x');
    const id = await own.publishNow(account, 'Late [sandbox:late]');
    await own.endedInTime(id);
    const content = [{ body: 'Late [sandbox:late]' }, { body: 'Nobody approved this' }];
    await own.client.posts.update({ id, accountIds: [account], versions: [{ content }] });
    const { status, results } = await own.settledInTime(id);
    expect(status).toBe('Failed');
    expect(results[0]?.error?.message).toContain('1 of 2 parts are out; publishing again continues with the next.');
    expect(await own.shown('x', 'Nobody approved this')).toBe(0);
    await own.asHuman('posts.publishNow', { id });
    expect(await own.settledInTime(id)).toMatchObject({ status: 'Published' });
    expect(await own.shown('x', 'Late')).toBe(1);
    expect(await own.shown('x', 'Nobody approved this')).toBe(1);
  });

  test.each([
    ['added', (first: string, second: string) => [first, second]],
    ['put in its place', (_: string, second: string) => [second]],
  ])('and comes out late leaves the post Failed for an account that was %s meanwhile', async (_, accountsOf) => {
    const own = await begin();
    own.startJobs();
    const [first, second] = [await own.connect('x'), await own.connect('mastodon')];
    const id = await own.publishNow(first, 'Late [sandbox:late]');
    await own.endedInTime(id);
    const versions = [{ content: [{ body: 'Late' }] }];
    await own.client.posts.update({ id, accountIds: accountsOf(first, second), versions });
    expect(await own.settledInTime(id)).toMatchObject({ status: 'Failed' });
    await own.asHuman('posts.publishNow', { id });
    await until('it is out', async () => (await own.post(id)).status === 'Published');
    expect(await own.shown('x', 'Late')).toBe(1);
    expect(await own.shown('mastodon', 'Late')).toBe(1);
  });

  test('and is found by a person leaves the post Failed for an account that was added meanwhile', async () => {
    const own = await begin();
    own.startJobs();
    const [first, second] = [await own.connect('x'), await own.connect('mastodon')];
    const id = await own.publishNow(first, 'Seen [sandbox:503]');
    await own.endedInTime(id);
    const versions = [{ content: [{ body: 'Seen' }] }];
    await own.client.posts.update({ id, accountIds: [first, second], versions });
    const person = own.browser();
    await person.signIn();
    const { body } = await person.post(`/api/app/posts/${id}/found`, { accountIds: [first] });
    expect(body).toMatchObject({ status: 'Failed', results: [{ accountId: first, ok: true }] });
    expect((await own.events()).map(({ type }) => type)).toEqual(['post.failed']);
  });

  test('posts that are due together go out in smaller batches while the database fails large ones', async () => {
    const own = await begin();
    const accountId = await own.connect('x');
    const at = new Date(own.clock.now().getTime() + minuteMs).toISOString();
    const ids: string[] = [];
    for (let n = 0; n < 16; n++) {
      const { id } = await own.client.posts.create({ accountIds: [accountId], body: `Small ${n}.` });
      await own.asHuman('posts.schedule', { id, at });
      ids.push(id);
    }
    await own.database.script(`
      create function refuse_many() returns trigger language plpgsql as $$ begin
        if (select count(*) from changed) > 3 then raise 'away' using errcode = '57P01'; end if;
        return null;
      end $$;
      create trigger refuse_many after update on posts referencing new table as changed
        for each statement execute function refuse_many()`);
    await own.clock.forward(minuteMs);
    own.startJobs();
    for (const id of ids) expect(await own.ended(id)).toMatchObject({ status: 'Published' });
  });

  test('after its mark is one of few: no more are marked than leave in the next moment', async () => {
    const own = await begin();
    await own.database.script(`
      create table marks (count int);
      create function note_marks() returns trigger language plpgsql as $$ begin
        insert into marks select count(*) from now_there join before using (post_id)
          where now_there.begun_at is not null and before.begun_at is null;
        return null;
      end $$;
      create trigger note_marks after update on sends referencing old table as before new table as now_there
        for each statement execute function note_marks()`);
    const accountId = await own.connect('x');
    const ids: string[] = [];
    for (let n = 0; n < 40; n++) ids.push(await own.publishNow(accountId, `Few ${n}.`));
    own.startJobs();
    for (const id of ids) expect(await own.ended(id)).toMatchObject({ status: 'Published' });
    const marks = await own.database.query(sql('test.marks', 'select count from marks').holds<{ count: number }>());
    expect(Math.max(...marks.map(({ count }) => count))).toBeLessThanOrEqual(16);
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(40);
  });
});
