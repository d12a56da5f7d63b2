import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Stopwatch } from '#server/base/clock';
import { readConfig } from '#server/base/config/config';
import { sql } from '#server/base/store/database';
import { diagnose } from '#server/wiring/cli/doctor';
import { urlOf } from '#test/support/database';
import { type MailServer, startMailServer } from '#test/support/mail-server';
import { freePort } from '#test/support/processes';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const ladderMs = [minuteMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs];

let mails: MailServer;
let service: Service;
beforeAll(async () => {
  mails = await startMailServer();
  service = await startService({ ...mails.settings, SIGN_INS_PER_HOUR: '1000', TRUST_PROXY: '1' });
  service.startJobs();
});
afterAll(async () => {
  await service.stop();
  await mails.stop();
});

const signedIn = async (email?: string) => {
  const browser = service.browser();
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
};

const happen = (title: string, more: object = {}, on: Service = service) =>
  on.database.transaction(() =>
    on.posthorn.notifications.tell([
      {
        workspaceId: on.owner.workspaceId,
        kind: 'post.failed',
        subjectId: 'post_1',
        title,
        text: 'The text of the post',
        detail: 'Why it failed',
        path: '/posts/post_1',
        ...more,
      },
    ]),
  );

interface Row {
  id: string;
  state: string;
  attempts: number;
  lastAnswer: string | null;
  content: string | null;
}
const rows = (on: Service = service) =>
  on.database.query(
    sql('test.messages', 'select id, state, attempts, last_answer, content from messages order by id').holds<Row>(),
  );
const last = async (on?: Service) => (await rows(on)).at(-1) as Row;

describe('a notification', () => {
  test('is mailed to those who can do something about it and chose so, without the text of the post', async () => {
    const [editor, viewer, quiet] = [
      await service.addMember('editor'),
      await service.addMember('viewer'),
      await service.addMember('editor'),
    ];
    const choosing = await signedIn(quiet.email);
    const chosen = await choosing.patch('/api/app/notification-choices', { mail: ['requests'] });
    expect(chosen.body).toMatchObject({ mail: ['requests'], mailOffered: true });
    await happen('A post failed on 1 of 2 accounts');
    const mail = await mails.nth(editor.email);
    await mails.nth('owner@example.com');
    expect(mail.headers).toMatchObject({
      from: 'Posthorn <posthorn@example.com>',
      to: editor.email,
      subject: 'A post failed on 1 of 2 accounts (Demo)',
      'auto-submitted': 'auto-generated',
      'list-unsubscribe': '<http://posthorn.test/settings/profile#notifications>',
      'message-id': expect.stringMatching(/^<msg_\w+@posthorn\.test>$/),
    });
    for (const part of [mail.text, mail.html]) {
      expect(part).toContain('http://posthorn.test/posts/post_1');
      expect(part).not.toMatch(/text of the post|Why it failed/);
    }
    // No tracking: nothing tells us whether the mail was read.
    expect(mail.html).not.toMatch(/<img|src=/);
    expect([...mails.to(viewer.email), ...mails.to(quiet.email)]).toEqual([]);
    await until('all have ended', async () => (await rows()).every(({ state }) => state === 'sent'));
    expect((await rows()).every(({ content }) => content === null)).toBe(true);
  });

  test('is not mailed to whoever did it', async () => {
    const [doer, other] = [await service.addMember('editor'), await service.addMember('editor')];
    await happen('Done by one of them', { by: doer.userId });
    await mails.nth(other.email);
    await until('all have ended', async () => (await rows()).every(({ state }) => ['sent', 'failed'].includes(state)));
    expect(mails.to(doer.email)).toEqual([]);
  });

  test('of a personal kind is mailed to that person alone', async () => {
    const [named, other] = [await service.addMember('editor'), await service.addMember('editor')];
    await happen('You were named', { kind: 'comment.mentioned', subjectId: named.userId });
    await happen('For all editors');
    await mails.nth(named.email, 2);
    await until('all have ended', async () => (await rows()).every(({ state }) => ['sent', 'failed'].includes(state)));
    expect(mails.to(other.email).map(({ headers }) => headers.subject)).toEqual(['For all editors (Demo)']);
  });

  test('that nobody could send for two days is too old', async () => {
    const own = await startService(mails.settings);
    await happen('Of no use any more', {}, own);
    await own.clock.forward(2 * dayMs + minuteMs);
    await own.posthorn.jobs.runDue(['mails']);
    expect(await last(own)).toMatchObject({ state: 'failed', lastAnswer: 'Not sent: it is too old.', content: null });
    expect(mails.received.filter(({ headers }) => headers.subject?.startsWith('Of no use'))).toEqual([]);
    await own.stop();
  });

  test('holds no text of its own in the database while it waits', async () => {
    const own = await startService(mails.settings);
    await happen('Sealed words', {}, own);
    const { content } = await last(own);
    expect(content).toMatch(/^v1\./);
    await own.stop();
  });
});

describe('a mail', () => {
  test('to a refused address is given up at once, and the others go', async () => {
    const [gone, here] = [await service.addMember('editor'), await service.addMember('editor')];
    mails.refuse(gone.email, 550);
    await happen('Refused and not');
    await mails.nth(here.email);
    await until('it was given up', async () => (await rows()).some(({ state }) => state === 'failed'));
    expect((await rows()).find(({ state }) => state === 'failed')).toMatchObject({
      attempts: 1,
      lastAnswer: expect.stringContaining('no such mailbox'),
    });
    const told = () => service.logLines.filter((line) => line.includes('was given up'));
    await until('the log has it', () => told().length > 0);
    expect(told().map((line) => JSON.parse(line).level)).toEqual([40]);
    expect(told().join()).not.toContain(gone.email);
  });

  test('that the server cannot take now is tried again by the ladder, with the same id, and then given up', async () => {
    const port = await freePort();
    const own = await startService({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'a@example.com' });
    await happen('Down', {}, own);
    const turn = () => own.posthorn.jobs.runDue(['mails']);
    await turn();
    expect(await last(own)).toMatchObject({ state: 'pending', attempts: 1, lastAnswer: expect.any(String) });
    await turn();
    expect(await last(own)).toMatchObject({ attempts: 1 });
    const later = await startMailServer({ port });
    // A 4xx reply is temporary, so it is retried.
    later.refuse('owner@example.com', 450);
    await own.clock.forward(ladderMs[0] ?? 0);
    await turn();
    expect(await last(own)).toMatchObject({ state: 'pending', attempts: 2 });
    later.refuse('owner@example.com', 0);
    await later.stop();
    for (const waitMs of ladderMs.slice(1)) {
      await own.clock.forward(waitMs);
      await turn();
    }
    expect(await last(own)).toMatchObject({ state: 'failed', attempts: ladderMs.length + 1, content: null });
    expect(await own.posthorn.jobs.msToNext(['mails'])).toBeUndefined();
    await own.stop();
  });

  test('that a dead process had in hand is sent by another when the lease ends, with the same id', async () => {
    const own = await startService(mails.settings);
    await happen('Killed in the middle', {}, own);
    // As kill -9 leaves it: claimed, and perhaps sent.
    const claimed = sql(
      'test.claimed',
      `update messages set state = 'sending', claim = gen_random_uuid(), due_at = posthorn_now() + interval '60 s'`,
    );
    await own.database.query(claimed);
    await own.posthorn.jobs.runDue(['mails']);
    const { id } = await last(own);
    const came = () => mails.received.filter(({ headers }) => headers['message-id'] === `<${id}@posthorn.test>`);
    expect(came()).toEqual([]);
    await own.clock.forward(minuteMs);
    await own.posthorn.jobs.runDue(['mails']);
    expect(came()).toHaveLength(1);
    expect(await last(own)).toMatchObject({ state: 'sent' });
    await own.stop();
  });

  test('whose lease may have ended while the process stood still: nothing is sent, and it is due again', async () => {
    let sleeps = true;
    const half = minuteMs / 2;
    const napping = (): Stopwatch => () => (sleeps ? half : half - 1);
    const own = await startService(mails.settings, { startStopwatch: napping });
    const came = () => mails.received.filter(({ headers }) => headers.subject?.startsWith('Stood still'));
    await happen('Stood still', {}, own);
    await own.posthorn.jobs.runDue(['mails']);
    expect([came(), await last(own)]).toMatchObject([[], { state: 'sending', attempts: 0 }]);
    sleeps = false;
    await own.clock.forward(minuteMs);
    await own.posthorn.jobs.runDue(['mails']);
    expect(came()).toHaveLength(1);
    await own.stop();
  });

  test('answered after another process took it over changes nothing there', async () => {
    const own = await startService(mails.settings);
    await happen('Taken over', {}, own);
    const theirs = '00000000-0000-4000-8000-000000000000';
    mails.beforeAnswer(async () => {
      await own.database.query(sql('test.takeOver', 'update messages set claim = $1'), [theirs]);
    });
    await own.posthorn.jobs.runDue(['mails']);
    mails.beforeAnswer(undefined);
    expect(await last(own)).toMatchObject({ state: 'sending', attempts: 0 });
    await own.stop();
  });

  test('is forgotten 30 days after it was sent; one that still waits is not', async () => {
    const own = await startService(mails.settings);
    await happen('Sent', {}, own);
    await own.posthorn.jobs.runDue(['mails']);
    await happen('Waits', {}, own);
    const purge = () => own.runChore('remove old mails and push messages');
    await own.clock.forward(29 * dayMs);
    await purge();
    expect((await rows(own)).map(({ state }) => state)).toEqual(['sent', 'pending']);
    await own.clock.forward(2 * dayMs);
    await purge();
    expect((await rows(own)).map(({ state }) => state)).toEqual(['pending']);
    await own.stop();
  });

  test('keeps names of people, workspaces and clients out of its headers', async () => {
    const team = await service.addWorkspace();
    const owner = await signedIn(team.email);
    const evil = 'Bakers\r\nBcc: thief@example.com\r\n\r\n<script>alert(1)</script>';
    await service.posthorn.people.changeProfile(team.userId, { name: evil });
    await service.posthorn.people.changeWorkspace(team, { name: evil });
    await owner.post('/api/app/invitations', { email: 'guest@example.com', role: 'viewer' });
    const mail = await mails.nth('guest@example.com');
    expect(mail.to).toEqual(['guest@example.com']);
    expect(mail.names).not.toContain('bcc');
    expect(mail.headers.subject).toContain('Bakers Bcc: thief@example.com');
    expect(mail.html).not.toContain('<script>');
    expect(mail.text.split('\n').some((line) => line.startsWith('Bcc:'))).toBe(false);
    expect(mails.to('thief@example.com')).toEqual([]);
  });

  test('to an address that needs quotes is refused and not sent', async () => {
    const odd = [
      'a,b@example.com',
      '"x@y,thief"@example.com',
      'a@example.com>',
      'x(thief)@example.com',
      'a@[127.0.0.1]',
    ];
    const words = { subject: 'S', text: 'T', html: 'H' };
    await service.posthorn.messages.add(
      odd.map((to) => ({ purpose: 'invitation', livesMs: hourMs, mail: { to, ...words } })),
    );
    const ended = async () => (await rows()).filter((row) => row.lastAnswer === 'The address cannot be mailed to.');
    await until('all were given up', async () => (await ended()).length === odd.length);
    expect(mails.received.filter(({ headers }) => headers.subject === 'S')).toEqual([]);
  });
});

test('an invitation is mailed with its link, and says so', async () => {
  const owner = await signedIn();
  const { body } = await owner.post('/api/app/invitations', { email: 'invited@example.com', role: 'editor' });
  expect(body.mailed).toBe(true);
  const mail = await mails.nth('invited@example.com');
  expect(mail.text).toContain(body.url);
  expect(mail.headers['list-unsubscribe']).toBeUndefined();
});

describe('an invitation that is made and withdrawn again and again', () => {
  test('is mailed to one address at most five times an hour, whichever workspace and however it is written', async () => {
    const other = await service.addWorkspace();
    const admins = [await signedIn(), await signedIn(other.email)];
    const invite = async (email: string, by = admins[0]) => {
      const { status, body } = (await by?.post('/api/app/invitations', { email, role: 'viewer' })) ?? {};
      expect(status).toBe(200);
      await by?.delete(`/api/app/invitations/${body.id}`);
      return body.mailed as boolean;
    };
    const ways = ['often@example.com', 'OFTEN@example.com', ' often@example.com'];
    const mailed = [];
    for (let i = 0; i < 8; i++) mailed.push(await invite(ways[i % 3] ?? '', admins[i % 2]));
    expect(mailed).toEqual([true, true, true, true, true, false, false, false]);
    expect(await invite('seldom@example.com')).toBe(true);
    await mails.nth('seldom@example.com');
    const arrived = () => ['often', 'OFTEN'].flatMap((name) => mails.to(`${name}@example.com`)).length;
    await until('the fifth has come', () => arrived() >= 5);
    expect(arrived()).toBe(5);
    await service.clock.forward(hourMs);
    expect(await invite('often@example.com')).toBe(true);
  });
});

describe('a forgotten password', () => {
  const forgot = (email: string, address = '198.51.100.7') =>
    service.browser().post('/api/auth/password/forgot', { email }, { 'x-forwarded-for': address });
  const secretIn = ({ text }: { text: string }) => /\/new-password\/(\S+)/.exec(text)?.[1] ?? '';
  const reset = (secret: string, password = 'a new password') => {
    const browser = service.browser();
    return browser.post('/api/auth/password/reset', { secret, password });
  };

  test('is set anew with the link of the mail, once; other browsers, MCP clients and tokens are out, and it is audited', async () => {
    const { email, workspaceId, token } = await service.addMember('editor');
    const before = await signedIn(email);
    expect((await forgot(` ${email.toUpperCase()}`)).body).toEqual({ done: true });
    const mail = await mails.nth(email);
    const secret = secretIn(mail);
    const stored = await service.database.query(
      sql('test.secrets', 'select * from one_time_secrets').holds<{ hash: Buffer }>(),
    );
    expect(JSON.stringify(stored)).not.toContain(secret);
    // A password that is refused leaves the link as it is.
    expect((await reset(secret, 'short')).body).toMatchObject({ code: 'BadInput', issues: [{ path: 'password' }] });
    const entered = await reset(secret);
    expect(entered).toMatchObject({ status: 200, body: { user: { email }, workspace: { id: workspaceId } } });
    expect((await before.get('/api/auth/session')).status).toBe(401);
    expect((await service.browser().signIn(email)).status).toBe(401);
    expect((await service.browser().signIn(email, 'a new password')).status).toBe(200);
    expect((await service.call('accounts.list', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await reset(secret)).body).toMatchObject({ code: 'NotFound', message: expect.stringContaining('new one') });
    const owner = await signedIn();
    const events = (await owner.get('/api/app/audit')).body.entries.map(({ event }: { event: string }) => event);
    expect(events).toEqual(expect.arrayContaining(['password.asked', 'password.reset']));
  });

  test('leaves personal tokens to somebody who wants to keep them', async () => {
    const { email, token } = await service.addMember('editor');
    await forgot(email);
    const secret = secretIn(await mails.nth(email));
    const answer = await service
      .browser()
      .post('/api/auth/password/reset', { secret, password: 'a new password', endTokens: false });
    expect(answer.status).toBe(200);
    expect((await service.call('accounts.list', {}, { authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test('has the same answer for an address that nobody has, and no mail', async () => {
    const { email } = await service.addMember('editor');
    const [known, unknown] = [await forgot(email), await forgot('nobody@example.com')];
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
    await mails.nth(email);
    expect(mails.to('nobody@example.com')).toEqual([]);
  });

  test('is mailed at most three times an hour for each address, from wherever it is asked', async () => {
    const { email } = await service.addMember('editor');
    for (let i = 0; i < 6; i++) expect((await forgot(email, `203.0.113.${i}`)).status).toBe(200);
    await mails.nth(email, 3);
    const { email: other } = await service.addMember('editor');
    await forgot(other);
    await mails.nth(other);
    expect(mails.to(email)).toHaveLength(3);
    // All of them work until one is used.
    const [first, second] = mails.to(email).map(secretIn);
    expect((await reset(second ?? '')).status).toBe(200);
    expect((await reset(first ?? '')).status).toBe(404);
  });

  test('cannot be asked for without end by one caller', async () => {
    const own = await startService({ ...mails.settings, SIGN_INS_PER_HOUR: '3' });
    own.wallClock.toNext(hourMs);
    const statuses = [];
    for (let i = 0; i < 5; i++) {
      const body = { email: `nobody${i}@example.com` };
      statuses.push((await own.browser().post('/api/auth/password/forgot', body)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    await own.stop();
  });

  test('link is too old after an hour, and a link of the operator is another thing', async () => {
    const { email } = await service.addMember('editor');
    const { path } = await service.posthorn.welcome.linkFor(email);
    await forgot(email);
    const secret = secretIn(await mails.nth(email));
    expect((await service.browser().post('/api/auth/links/use', { secret })).status).toBe(404);
    expect((await reset(path.split('/').at(-1) ?? '')).status).toBe(404);
    const link = { secret: path.split('/').at(-1) };
    expect((await service.browser().post('/api/auth/links/use', link)).status).toBe(200);
    service.wallClock.forward(hourMs);
    expect((await reset(secret)).status).toBe(404);
  });

  test('without mail is refused in words, and the page knows', async () => {
    const own = await startService();
    expect((await own.browser().get('/api/auth/entrance')).body.mail).toBe(false);
    expect((await own.browser().post('/api/auth/password/forgot', { email: 'owner@example.com' })).body).toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('npx posthorn user reset --email'),
    });
    await own.stop();
  });
});

describe('the settings', () => {
  test.each([
    [{ SMTP_URL: 'smtp://mail.example.com' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'a@example.com' }, 'SMTP_URL'],
    [{ SMTP_URL: 'http://mail.example.com', MAIL_FROM: 'a@example.com' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'A\r\nBcc: x <a@example.com>' }, 'MAIL_FROM'],
  ])('%j are refused at start', (settings, named) => {
    expect(() => readConfig(settings)).toThrow(named);
  });

  test('are tried by doctor', async () => {
    const port = await freePort();
    const doctor = async (SMTP_URL: string) => {
      const env = {
        POSTHORN_DATA: service.config.dataDir,
        DATABASE_URL: urlOf(service.parts),
        MAIL_FROM: 'a@example.com',
      };
      return (await diagnose(readConfig({ ...env, SMTP_URL }))).text;
    };
    expect(await doctor(mails.settings.SMTP_URL)).toContain('ok       The mail server of SMTP_URL answers');
    expect(await doctor(`smtp://posthorn:secret@127.0.0.1:${mails.port}`)).toContain('ok       The mail server');
    expect(await doctor(`smtp://posthorn:wrong@127.0.0.1:${mails.port}`)).toContain('FAILURE  No mail can be sent');
    expect(await doctor(`smtp://127.0.0.1:${port}`)).toContain('FAILURE  No mail can be sent');
  });
});
