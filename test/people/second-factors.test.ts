import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#server/base/ids';
import { sql } from '#server/base/store/database';
import { createBackupList } from '#server/operation/backup/backup-list-store';
import { beginHold } from '#server/operation/hold/hold';
import { stepAt, totpCode } from '#server/people/factors/totp';
import { createAuthenticator } from '#test/support/authenticator';
import { speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const origin = 'https://posthorn.example.com';
const password = 'correct horse';

let service: Service;
beforeAll(async () => {
  service = await startService({
    SIGN_INS_PER_HOUR: '1000',
    BASE_URL: origin,
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'p@example.com',
  });
});
afterAll(() => service?.stop());

type Browser = ReturnType<Service['browser']>;

const enter = async (role: 'editor' | 'admin' = 'editor') => {
  const { email, userId } = await service.addMember(role);
  const browser = service.browser();
  await browser.signIn(email);
  return { browser, email, userId };
};

/** A code that was not used yet: each step of 30 seconds has one. */
const codeOf = (secret: string) => {
  service.wallClock.forward(30_000);
  return totpCode(secret, stepAt(service.wallClock.now()));
};

const setUp = async (browser: Browser) => {
  const { status, body } = await browser.post('/api/app/totp/begin', { password });
  expect({ status, body }).toMatchObject({ status: 200 });
  const confirmed = await browser.post('/api/app/totp', { code: codeOf(body.secret) });
  expect(confirmed).toMatchObject({ status: 200 });
  return { secret: body.secret as string, uri: body.uri as string, codes: confirmed.body.recoveryCodes as string[] };
};

const addPasskey = async (browser: Browser) => {
  const device = createAuthenticator(origin);
  const { body } = await browser.post('/api/app/passkeys/begin', { password });
  expect(
    (await browser.post('/api/app/passkeys', { name: 'Phone', response: device.register(body.options) })).status,
  ).toBe(200);
  return device;
};

/** Gives the password, and stays before the second step. */
const stop = async (email: string) => {
  const browser = service.browser();
  expect(await browser.post('/api/auth/sign-in', { email, password })).toMatchObject(needed);
  return browser;
};
const needed = { status: 401, body: { code: 'Unauthorized', issues: [{ code: 'SecondFactor' }] } };
const wrong = { status: 400, body: { issues: [{ path: 'code', code: 'WrongCode' }] } };
const ended = { status: 409, body: { message: expect.stringMatching(/^This set-up has ended: .+ Begin again/) } };
const isIn = async (browser: Browser) => (await browser.get('/api/auth/session')).status === 200;
const give = (browser: Browser, code: string) => browser.post('/api/auth/second-factor', { code });
const meansOf = async (userId: string) => {
  const latest = sql('test.means', 'select means from sessions where user_id = $1 order by id desc limit 1').holds<{
    means: string[];
  }>();
  return (await service.database.query(latest, [userId]))[0]?.means;
};
const mailsTo = async (userId: string) => {
  const mails = sql('test.mails', 'select id, content from messages where user_id = $1 order by id').holds<{
    id: string;
    content: string;
  }>();
  const rows = await service.database.query(mails, [userId]);
  return rows.map(({ id, content }): { subject: string; text: string } =>
    JSON.parse(service.seal.open(content, `messages:${id}:content`)),
  );
};
const subjectsTo = async (userId: string) => (await mailsTo(userId)).map(({ subject }) => subject);
/** What follows /new-password/ in the mail. */
const secretByMail = async (email: string, userId: string) => {
  expect((await service.browser().post('/api/auth/password/forgot', { email })).status).toBe(200);
  const find = async () => /new-password\/([\w-]+)/.exec((await mailsTo(userId)).at(-1)?.text ?? '')?.[1];
  await until('the mail is written', async () => (await find()) !== undefined);
  return find();
};

describe('codes', () => {
  test('are those of RFC 6238', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    expect([59, 1111111109, 1234567890].map((seconds) => totpCode(secret, Math.floor(seconds / 30)))).toEqual([
      '287082',
      '081804',
      '005924',
    ]);
  });
});

describe('an authenticator app', () => {
  test('is set up with the password and a first code, shows ten recovery codes once, and is mailed', async () => {
    const { browser, userId, email } = await enter();
    expect(await browser.post('/api/app/totp/begin', { password: 'wrong horse' })).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'password' }] },
    });
    const begun = await browser.post('/api/app/totp/begin', { password });
    expect(begun.body.uri).toContain(
      `otpauth://totp/Posthorn%20posthorn.example.com:${encodeURIComponent(email)}?secret=`,
    );
    // Not in use before the first code.
    expect((await service.browser().signIn(email)).status).toBe(200);
    expect(await browser.post('/api/app/totp', { code: '000000' })).toMatchObject(wrong);
    const { codes, secret } = await setUp(browser);
    expect(new Set(codes).size).toBe(10);
    const read = await browser.get('/api/app/second-factors');
    expect(read.body).toMatchObject({ totp: { since: expect.any(String) }, recoveryCodes: 10, asks: 'password' });
    expect(JSON.stringify(read.body)).not.toContain(codes[0]);
    expect(await subjectsTo(userId)).toEqual(['An authenticator app was added to your account']);
    const stored = sql(
      'test.totp',
      `select t.*, (select array_agg(hash::text) from recovery_codes) as codes from totp_factors t where user_id = $1`,
    );
    const rows = JSON.stringify(await service.database.query(stored, [userId]));
    for (const text of [secret, ...codes]) expect(rows).not.toContain(text);
    expect(await browser.post('/api/app/totp/begin', { password })).toMatchObject({ status: 409 });
  });

  test('is asked for after the password; a code works once, and the sign-in before it is no session', async () => {
    const { browser: own, email, userId } = await enter();
    const { secret } = await setUp(own);
    const browser = await stop(email);
    expect(await isIn(browser)).toBe(false);
    expect((await browser.post('/api/auth/tokens', { name: 'x' })).status).toBe(401);
    expect((await browser.get('/api/auth/second-factor')).body).toEqual({ totp: true, passkey: false });
    expect(await give(browser, '123456')).toMatchObject(wrong);
    const code = codeOf(secret);
    // As some Arabic keyboards type digits, and as Japanese ones do.
    const typed = (zero: number) => code.replaceAll(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    expect(await give(browser, typed(0x660))).toMatchObject(wrong);
    expect((await give(browser, typed(0xff10))).status).toBe(200);
    expect(await isIn(browser)).toBe(true);
    expect(await meansOf(userId)).toEqual(['password', 'totp']);
    const again = await stop(email);
    expect(await give(again, code)).toMatchObject(wrong);
    expect(await give(browser, codeOf(secret))).toMatchObject({ status: 404 });
    expect(await isIn(again)).toBe(false);
  });

  test('ends a sign-in once: the browser forgets it, and a copy of it is worth nothing', async () => {
    const { browser: own, email } = await enter();
    const { secret } = await setUp(own);
    const browser = await stop(email);
    const copy = { cookie: browser.cookie(), origin, 'content-type': 'application/json' };
    const answer = await give(browser, codeOf(secret));
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join()).toMatch(/pending=;.*Max-Age=0/);
    const body = JSON.stringify({ code: codeOf(secret) });
    const replay = await service.request('POST', '/api/auth/second-factor', { headers: copy, body });
    expect(replay.status).toBe(404);
  });

  test('counts only after its first code, and that once', async () => {
    const { browser: own, email } = await enter();
    await addPasskey(own);
    const { body } = await own.post('/api/app/totp/begin', { password });
    expect(await give(await stop(email), codeOf(body.secret))).toMatchObject(wrong);
    expect((await own.post('/api/app/totp', { code: codeOf(body.secret) })).status).toBe(200);
    expect(await own.post('/api/app/totp', { code: codeOf(body.secret) })).toMatchObject(ended);
    expect((await give(await stop(email), codeOf(body.secret))).status).toBe(200);
  });

  test('is set up within 15 minutes and in the session that began it, or begun again', async () => {
    const { browser, email } = await enter();
    const other = service.browser();
    await other.signIn(email);
    const begin = async (who = browser) => (await who.post('/api/app/totp/begin', { password })).body.secret as string;
    const first = await begin();
    expect(await other.post('/api/app/totp', { code: codeOf(first) })).toMatchObject(ended);
    await begin(other);
    expect(await browser.post('/api/app/totp', { code: codeOf(first) })).toMatchObject(ended);
    const late = await begin();
    service.wallClock.forward(15 * 60_000);
    expect(await browser.post('/api/app/totp', { code: codeOf(late) })).toMatchObject(ended);
    expect((await browser.get('/api/app/second-factors')).body.totp).toBeUndefined();
    await setUp(browser);
  });

  test('delays after wrong codes while it is set up, and after those of before together', async () => {
    const { browser } = await enter();
    const { body } = await browser.post('/api/app/totp/begin', { password });
    const confirm = (code: string) => browser.post('/api/app/totp', { code });
    for (let tries = 0; tries < 5; tries++) expect(await confirm('000000')).toMatchObject(wrong);
    expect(await confirm('000000')).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
    // Beginning again does not end the delay.
    const again = await browser.post('/api/app/totp/begin', { password });
    const right = () => totpCode(again.body.secret, stepAt(service.wallClock.now()));
    expect(again.body.secret).not.toBe(body.secret);
    expect(await confirm(right())).toMatchObject({ status: 429 });
    service.wallClock.forward(60_000);
    expect((await confirm(right())).status).toBe(200);
  });

  test('takes the code of the step before or after, and none that is older or newer', async () => {
    const { browser: own, email } = await enter();
    const { secret } = await setUp(own);
    service.wallClock.forward(120_000);
    service.wallClock.toNext(60_000);
    const now = stepAt(service.wallClock.now());
    const giveStep = async (step: number) => give(await stop(email), totpCode(secret, step));
    for (const step of [now - 2, now + 2]) expect(await giveStep(step)).toMatchObject(wrong);
    for (const step of [now - 1, now, now + 1]) expect(await giveStep(step)).toMatchObject({ status: 200 });
  });

  test('is in the audit log with each sign-in: when it fails, and once when it succeeds', async () => {
    const { browser: own, email, userId } = await enter();
    const { secret } = await setUp(own);
    const events = async () =>
      (
        await service.database.query(
          sql(
            'test.signIns',
            "select event from audit_log where user_id = $1 and event like 'sign-in%' order by id",
          ).holds<{ event: string }>(),
          [userId],
        )
      ).map(({ event }) => event);
    const before = await events();
    const browser = await stop(email);
    await give(browser, '000000');
    await give(browser, codeOf(secret));
    expect((await events()).slice(before.length)).toEqual(['sign-in.failed', 'sign-in.succeeded']);
  });

  test('is not asked for again when somebody who gave it accepts an invitation', async () => {
    const { browser: own, email, userId } = await enter();
    const { secret } = await setUp(own);
    const browser = await stop(email);
    await give(browser, codeOf(secret));
    const inviter = await service.addWorkspace();
    const admin = service.browser();
    await admin.signIn(inviter.email);
    const { body } = await admin.post('/api/app/invitations', { email, role: 'editor' });
    const token = body.url.split('/').at(-1);
    expect((await browser.post('/api/auth/invitations/accept', { token, password: '' })).status).toBe(200);
    expect(await meansOf(userId)).toEqual(['password', 'totp']);
  });

  test('is asked for after a one-time link, a new password and an invitation too', async () => {
    const { browser: own, email, userId } = await enter();
    const { secret } = await setUp(own);
    const { path } = await service.posthorn.welcome.linkFor(email);
    const byLink = service.browser();
    expect(await byLink.post('/api/auth/links/use', { secret: path.split('/').at(-1) })).toMatchObject(needed);
    expect(await isIn(byLink)).toBe(false);
    expect((await give(byLink, codeOf(secret))).status).toBe(200);
    expect(await meansOf(userId)).toEqual(['link', 'totp']);
    // The link is no proof for somebody who has a code.
    expect(await byLink.post('/api/app/recovery-codes', {})).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'code', code: 'Required' }] },
    });

    const reset = await secretByMail(email, userId);
    const byMail = service.browser();
    const next = 'another horse';
    expect(await byMail.post('/api/auth/password/reset', { secret: reset, password: next })).toMatchObject(needed);
    expect(await isIn(byMail)).toBe(false);
    expect((await give(byMail, codeOf(secret))).status).toBe(200);
    expect((await byMail.get('/api/app/second-factors')).body.totp).toBeDefined();

    const inviter = await service.addWorkspace();
    const admin = service.browser();
    await admin.signIn(inviter.email);
    const { body } = await admin.post('/api/app/invitations', { email, role: 'editor' });
    const invited = service.browser();
    const token = body.url.split('/').at(-1);
    expect(await invited.post('/api/auth/invitations/accept', { token, password: next })).toMatchObject(needed);
    expect(await isIn(invited)).toBe(false);
  });

  test('lets a recovery code in once, and new codes end the old ones', async () => {
    const { browser: own, email, userId } = await enter();
    const { codes } = await setUp(own);
    const [first = '', second = ''] = codes;
    const browser = await stop(email);
    expect((await give(browser, first.toLowerCase().replaceAll('-', ' '))).status).toBe(200);
    expect(await meansOf(userId)).toEqual(['password', 'recovery-code']);
    expect(await give(await stop(email), first)).toMatchObject(wrong);
    const other = await enter();
    await setUp(other.browser);
    expect(await give(await stop(other.email), second)).toMatchObject(wrong);
    const { body } = await browser.post('/api/app/recovery-codes', { password });
    expect(body.recoveryCodes).toHaveLength(10);
    expect(await give(await stop(email), second)).toMatchObject(wrong);
    expect((await give(await stop(email), body.recoveryCodes[0])).status).toBe(200);
  });

  test('delays after wrong codes, wherever they come from, and ends a sign-in after ten', async () => {
    const { browser: own, email } = await enter();
    const { secret, codes } = await setUp(own);
    for (let tries = 0; tries < 5; tries++) expect(await give(await stop(email), '000000')).toMatchObject(wrong);
    const browser = await stop(email);
    expect(await give(browser, codeOf(secret).replace(/./, 'x'))).toMatchObject({ status: 400 });
    expect(await give(browser, '000000')).toMatchObject({ status: 429 });
    for (let tries = 0; tries < 8; tries++) await give(browser, '000000');
    expect(await give(browser, codes[0] ?? '')).toMatchObject({ status: 404 });
    expect((await give(await stop(email), codes[0] ?? '')).status).toBe(200);
  });

  test('ends a sign-in that waits for it when the password is changed or reset', async () => {
    const { browser: own, email, userId } = await enter();
    const { secret } = await setUp(own);
    const before = await stop(email);
    expect((await own.post('/api/auth/password', { current: password, next: password })).status).toBe(200);
    expect(await give(before, codeOf(secret))).toMatchObject({ status: 404 });
    const again = await stop(email);
    const reset = { secret: await secretByMail(email, userId), password };
    expect(await service.browser().post('/api/auth/password/reset', reset)).toMatchObject(needed);
    expect(await give(again, codeOf(secret))).toMatchObject({ status: 404 });
  });

  test('waits ten minutes, no longer', async () => {
    const { browser: own, email } = await enter();
    const { secret } = await setUp(own);
    const browser = await stop(email);
    service.wallClock.forward(10 * 60_000);
    expect(await give(browser, codeOf(secret))).toMatchObject({ status: 404 });
  });

  test('is removed with the password or a code, not with a session alone; that is mailed', async () => {
    const { browser, userId, email } = await enter();
    const { secret, codes } = await setUp(browser);
    expect((await browser.post('/api/app/totp/remove', {})).status).toBe(400);
    expect((await browser.post('/api/app/recovery-codes', {})).status).toBe(400);
    expect((await browser.post('/api/app/passkeys/begin', {})).status).toBe(400);
    expect((await browser.post('/api/app/totp/remove', { code: codeOf(secret) })).status).toBe(200);
    expect(await subjectsTo(userId)).toContain('The authenticator app was removed from your account');
    expect((await service.browser().signIn(email)).status).toBe(200);
    expect((await browser.post('/api/app/totp/remove', { password })).status).toBe(409);
    expect((await browser.post('/api/app/recovery-codes', { password })).status).toBe(409);
    await addPasskey(browser);
    expect(await give(await stop(email), codes[0] ?? '')).toMatchObject(wrong);
  });
});

test('an address tries a limited number of second steps an hour', async () => {
  const strict = await startService({ SIGN_INS_PER_HOUR: '2', BASE_URL: origin });
  try {
    strict.wallClock.toNext(3_600_000);
    const browser = strict.browser();
    const tries = [
      () => browser.get('/api/auth/second-factor'),
      () => browser.post('/api/auth/second-factor/begin', {}),
      () => browser.post('/api/auth/second-factor', { code: '000000' }),
    ];
    const statuses = [];
    for (const one of [...tries, ...tries]) statuses.push((await one()).status);
    expect(statuses).toEqual([404, 404, 429, 429, 429, 429]);
  } finally {
    await strict.stop();
  }
});

test('wrong passwords delay whoever tries them to change a factor, as at sign-in', async () => {
  const { browser } = await enter();
  const statuses = [];
  for (let tries = 0; tries < 6; tries++) {
    statuses.push((await browser.post('/api/app/passkeys/begin', { password: 'wrong horse' })).status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
});

describe('after a one-time link', () => {
  const byLink = async (email: string) => {
    const { path } = await service.posthorn.welcome.linkFor(email);
    const browser = service.browser();
    expect((await browser.post('/api/auth/links/use', { secret: path.split('/').at(-1) })).status).toBe(200);
    return browser;
  };
  const readProof = async (browser: Browser) => (await browser.get('/api/app/second-factors')).body.asks;
  const hour = 60 * 60_000;

  test('the link is the proof of somebody who may have lost the password, for an hour', async () => {
    const { email } = await service.addMember('editor');
    const browser = await byLink(email);
    expect(await readProof(browser)).toBe('nothing');
    expect((await browser.post('/api/app/totp/begin', {})).status).toBe(200);
    service.wallClock.forward(hour);
    expect(await readProof(browser)).toBe('password');
    expect(await browser.post('/api/app/totp/begin', {})).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'password' }] },
    });
    expect((await browser.get('/api/auth/session')).body.user).toMatchObject({ asksPassword: true });
    expect((await browser.post('/api/auth/password', { current: '', next: 'a newer horse' })).status).toBe(400);
    expect((await browser.post('/api/app/totp/begin', { password })).status).toBe(200);
  });

  test('somebody without a password and an authenticator app signs in again after it', async () => {
    const { email, userId } = await service.addMember('editor');
    await service.database.run(sql('test.noPassword', 'update users set password_hash = null where id = $1'), [userId]);
    const browser = await byLink(email);
    service.wallClock.forward(hour);
    const again = { status: 403, body: { issues: [{ code: 'SignInAgain' }] } };
    expect(await readProof(browser)).toBe('sign-in');
    expect(await browser.post('/api/app/totp/begin', {})).toMatchObject(again);
    expect(await browser.post('/api/app/passkeys/begin', {})).toMatchObject(again);
    expect(await browser.post('/api/auth/password', { current: '', next: 'a newer horse' })).toMatchObject(again);
    expect((await (await byLink(email)).post('/api/app/totp/begin', {})).status).toBe(200);
  });

  test('an invitation that is accepted in an old session does not make the sign-in recent again', async () => {
    const { email, userId } = await service.addMember('editor');
    await service.database.run(sql('test.noPassword', 'update users set password_hash = null where id = $1'), [userId]);
    const browser = await byLink(email);
    service.wallClock.forward(hour);
    const inviter = await service.addWorkspace();
    const admin = service.browser();
    await admin.signIn(inviter.email);
    const { body } = await admin.post('/api/app/invitations', { email, role: 'editor' });
    const accepted = await browser.post('/api/auth/invitations/accept', { token: body.url.split('/').at(-1) });
    expect(accepted).toMatchObject({ status: 200, body: { workspace: { id: inviter.workspaceId } } });
    expect((await browser.get('/api/auth/session')).body.workspace).toMatchObject({ id: inviter.workspaceId });
    expect(await readProof(browser)).toBe('sign-in');
    expect((await browser.get('/api/app/sessions')).body.sessions).toHaveLength(1);
  });
});

describe('a passkey', () => {
  test('that is added or removed is mailed', async () => {
    const { browser, userId } = await enter();
    await addPasskey(browser);
    const { passkeys } = (await browser.get('/api/app/passkeys')).body;
    expect((await browser.post(`/api/app/passkeys/${passkeys[0].id}/remove`, {})).status).toBe(400);
    expect(await subjectsTo(userId)).toEqual(['A passkey was added to your account']);
    expect((await browser.post(`/api/app/passkeys/${passkeys[0].id}/remove`, { password })).status).toBe(200);
    const mails = await mailsTo(userId);
    expect(mails.map(({ subject }) => subject)).toEqual([
      'A passkey was added to your account',
      'A passkey was removed from your account',
    ]);
    expect(mails[1]?.text).toContain('The passkey “Phone” was removed from your account.');
  });

  test('is the second factor of somebody who has only that, and alone counts as both', async () => {
    const { browser: own, email, userId } = await enter();
    const device = await addPasskey(own);
    const browser = await stop(email);
    expect((await browser.get('/api/auth/second-factor')).body).toEqual({ totp: false, passkey: true });
    expect(await give(browser, '000000')).toMatchObject(wrong);
    const stranger = createAuthenticator(origin);
    const begin = async () => (await browser.post('/api/auth/second-factor/begin', {})).body.options;
    const finish = (response: object) => browser.post('/api/auth/second-factor', { response });
    expect(await finish(stranger.answer(await begin()))).toMatchObject({ status: 403 });
    expect((await finish(device.answer(await begin()))).status).toBe(200);
    expect(await meansOf(userId)).toEqual(['password', 'passkey']);

    const alone = service.browser();
    const { options } = (await alone.post('/api/auth/passkeys/begin', {})).body;
    expect((await alone.post('/api/auth/passkeys', { response: device.answer(options) })).status).toBe(200);
    expect(await isIn(alone)).toBe(true);
  });
});

describe('what only whoever set Posthorn up may do', () => {
  const openOperator = async () => {
    const browser = service.browser();
    await browser.signIn();
    return browser;
  };
  const addBackup = async () => {
    const list = createBackupList(service.database);
    const at = service.wallClock.now();
    const id = newId('backup', at);
    await list.claimAsked(id, at, 1);
    const contents = { people: 1, workspaces: 1, posts: 0, scheduled: 0, accounts: 0, files: 0 };
    await list.saveMade({ id, startedAt: at }, { path: 'package.json', bytes: 1, contents });
    await list.end({ id, startedAt: at }, at, at, null);
    return `/api/app/backups/${id}`;
  };

  test.each<[string, () => Promise<string>]>([
    ['to download a backup', async () => `${await addBackup()}/download`],
    [
      'to send again after a restore',
      async () => {
        await beginHold(service.database, '2026-11-16T03:00:00.000Z');
        return '/api/app/backups/release';
      },
    ],
  ])('takes the password or a code, not a session alone: %s', async (_, prepare) => {
    const path = await prepare();
    const operator = await openOperator();
    const unproven = { status: 400, body: { issues: [{ path: 'password' }] } };
    expect(await operator.post(path)).toMatchObject(unproven);
    expect(await operator.post(path, { password: 'a guess' })).toMatchObject(unproven);
    const { browser } = await enter('admin');
    expect(await browser.post(path, { password })).toMatchObject({ status: 403 });
    expect(await operator.post(path, { password })).toMatchObject({ status: 200 });
  });

  test('the address of a backup works for five minutes, in the session that proved who it is', async () => {
    const backup = await addBackup();
    const operator = await openOperator();
    const { body } = await operator.post(`${backup}/download`, { password });
    const refused = { status: 403, body: { message: expect.stringContaining('Choose Download again') } };
    expect(await operator.get(`${backup}/file/guess`)).toMatchObject(refused);
    expect(await (await openOperator()).get(body.path)).toMatchObject(refused);
    const { status, headers } = await operator.get(body.path);
    expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="package.json"']);
    service.wallClock.forward(5 * 60_000);
    expect(await operator.get(body.path)).toMatchObject(refused);
  });
});

describe('lost factors', () => {
  test('are removed by an owner who proves who they are, which is mailed and ends all sessions', async () => {
    const { userId: ownerId, workspaceId, email: ownerEmail } = await service.addWorkspace();
    const owner = service.browser();
    await owner.signIn(ownerEmail);
    const email = `lost-${Date.now()}@example.com`;
    const { userId } = await service.posthorn.people.addMember(workspaceId, { email, password, role: 'editor' });
    const browser = service.browser();
    await browser.signIn(email);
    const { codes } = await setUp(browser);
    await addPasskey(browser);
    const half = await stop(email);
    const reset = (id: string, who = owner, proof: object = { password }) =>
      who.post(`/api/app/members/${id}/reset-factors`, proof);
    expect(await reset(userId, browser)).toMatchObject({ status: 403 });
    expect(await reset(ownerId)).toMatchObject({ status: 409 });
    expect(await reset(service.owner.userId)).toMatchObject({ status: 404 });
    // A stolen session of the owner is not enough.
    for (const proof of [{}, { password: 'wrong' }, { code: '123456' }]) {
      expect(await reset(userId, owner, proof)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'password' }] },
      });
    }
    expect(await isIn(browser)).toBe(true);
    expect((await reset(userId)).status).toBe(200);
    expect(await isIn(browser)).toBe(false);
    expect(await give(half, codes[0] ?? '')).toMatchObject({ status: 404 });
    expect(await subjectsTo(userId)).toContain('Your second factors were removed');
    const fresh = service.browser();
    expect((await fresh.signIn(email)).status).toBe(200);
    expect((await fresh.get('/api/app/passkeys')).body.passkeys).toEqual([]);
  });

  test('of somebody who is in workspaces of others too are left to the operator, whose reset removes them', async () => {
    const { browser, email, userId } = await enter();
    await setUp(browser);
    const { workspaceId, email: ownerEmail } = await service.addWorkspace();
    const join = sql('test.join', `insert into members (workspace_id, user_id, role) values ($1, $2, 'editor')`);
    await service.database.run(join, [workspaceId, userId]);
    const owner = service.browser();
    await owner.signIn(ownerEmail);
    const refused = await owner.post(`/api/app/members/${userId}/reset-factors`, { password });
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('posthorn user reset') } });
    const { path } = await service.posthorn.userAdministration.newPasswordPath(email);
    const fresh = service.browser();
    const secret = path.split('/').at(-1);
    expect((await fresh.post('/api/auth/password/reset', { secret, password: 'another horse' })).status).toBe(200);
    expect((await fresh.get('/api/app/second-factors')).body).toMatchObject({ recoveryCodes: 0 });
  });
});

describe('two factors for members', () => {
  const openTeam = async () => {
    const { workspaceId, email } = await service.addWorkspace();
    const owner = service.browser();
    await owner.signIn(email);
    const address = `member-of-${workspaceId}@example.com`;
    const member = await service.posthorn.people.addMember(workspaceId, { email: address, password, role: 'editor' });
    const { token } = await service.posthorn.tokens.create(member, 'Automation');
    const browser = service.browser();
    await browser.signIn(address);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const byToken = () => service.request('POST', '/api/agent/tools/accounts.list', { headers, body: '{}' });
    const byMcp = () => speak(service.url, token, '2025-11-25').call('accounts_list', {});
    const require = (twoFactors: boolean, proof: object = twoFactors ? {} : { password }) =>
      owner.patch('/api/app/workspace', { twoFactors, ...proof });
    return { owner, browser, byToken, byMcp, require };
  };
  const missing = { status: 403, body: { code: 'Forbidden', issues: [{ code: 'FactorMissing' }] } };

  test('are switched on only by somebody who has them', async () => {
    const { owner, require } = await openTeam();
    expect(await require(true)).toMatchObject({ status: 409 });
    // An app whose setup was begun but not confirmed with a code does not count.
    expect((await owner.post('/api/app/totp/begin', { password })).status).toBe(200);
    expect(await require(true)).toMatchObject({ status: 409 });
    await setUp(owner);
    expect(await require(true)).toMatchObject({
      status: 200,
      body: { workspace: { twoFactors: true, lacksFactor: false } },
    });
  });

  test('are switched off with the password or a code, not with a session alone', async () => {
    const { owner, require } = await openTeam();
    const { secret } = await setUp(owner);
    await require(true);
    expect(await require(false, {})).toMatchObject({ status: 400, body: { issues: [{ path: 'password' }] } });
    expect(await require(false, { password: 'a guess' })).toMatchObject({ status: 400 });
    expect(await require(false, { code: '000000' })).toMatchObject(wrong);
    const { body } = await owner.get('/api/auth/session');
    expect(body.workspace).toMatchObject({ twoFactors: true });
    expect((await require(false, { code: codeOf(secret) })).body.workspace).toMatchObject({ twoFactors: false });
    // What is off already asks for nothing, and the log has no password.
    expect((await require(false, {})).status).toBe(200);
    await require(true);
    expect((await require(false)).status).toBe(200);
    const log = JSON.stringify((await owner.get('/api/app/audit')).body);
    expect(log).toContain('workspace.changed');
    expect(log).not.toContain(password);
  });

  test('close the workspace to a member without, and to their tokens and MCP clients, until they set one up', async () => {
    const { owner, browser, byToken, byMcp, require } = await openTeam();
    await setUp(owner);
    expect([(await browser.get('/api/app/members')).status, (await byToken()).status]).toEqual([200, 200]);
    expect(await byMcp()).toMatchObject({ status: 200, body: { result: { isError: false } } });
    await require(true);
    expect(await browser.get('/api/app/members')).toMatchObject(missing);
    service.wallClock.toNext(60_000);
    const refused = [await byToken(), await byMcp()];
    expect(refused).toMatchObject([missing, { status: 403 }]);
    // Both requests count towards the token's rate limit.
    const [left, leftNext] = refused.map(({ headers }) => /;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    expect(leftNext).toBe(String(Number(left) - 1));
    expect((await browser.get('/api/auth/session')).body.workspace).toMatchObject({ lacksFactor: true });
    const { secret } = await setUp(browser);
    expect([(await browser.get('/api/app/members')).status, (await byToken()).status]).toEqual([200, 200]);
    expect((await browser.post('/api/app/totp/remove', { code: codeOf(secret) })).status).toBe(200);
    expect(await browser.get('/api/app/members')).toMatchObject(missing);
    expect(await byToken()).toMatchObject(missing);
    await require(false);
    expect([(await browser.get('/api/app/members')).status, (await byToken()).status]).toEqual([200, 200]);
    expect((await byMcp()).status).toBe(200);
  });
});
