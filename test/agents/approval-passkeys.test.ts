import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReceiptEntry } from '#contracts/receipts';
import { canonicalJson } from '#server/access/receipts/canonical-json';
import {
  challengeOf,
  confirmedNumber,
  findFault,
  fingerprintOf,
  keyIdOf,
} from '#server/access/receipts/verify-receipts';
import { sql } from '#server/base/store/database';
import { createAuthenticator } from '#test/support/authenticator';
import { lockAwaited } from '#test/support/locks';
import { type Service, startService } from '#test/support/service';
import { newTeam } from '#test/support/teams';

const origin = 'https://posthorn.example.com';
const password = 'correct horse';
const at = '2126-01-01T12:00:00Z';
const later = '2126-01-02T12:00:00Z';

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000', BASE_URL: origin });
});
afterAll(() => service?.stop());

type Browser = ReturnType<Service['browser']>;

const addPasskey = async (browser: Browser, name = 'Laptop') => {
  const device = createAuthenticator(origin);
  const { body } = await browser.post('/api/app/passkeys/begin', { password });
  const added = await browser.post('/api/app/passkeys', { name, response: device.register(body.options) });
  expect(added).toMatchObject({ status: 200 });
  return { ...device, id: added.body.id as string };
};

/** A workspace whose owner has a passkey, and an agent that sends approval requests there. */
const openTeam = async ({ isRequired = false } = {}) => {
  const { workspaceId, userId, email, browser: current } = await newTeam(service);
  const browser = current();
  const account = await service.addAccount('x', workspaceId);
  const as = { userId, workspaceId };
  const device = await addPasskey(browser);
  if (isRequired) expect((await browser.patch('/api/app/workspace', { approvalPasskey: true })).status).toBe(200);
  const request = async (client: string, action: string, body: string, input: object) => {
    const { id } = await service.asHuman('posts.create', { body, accountIds: [account] }, as);
    const caller = { ...as, role: 'owner' as const, mayPublish: false, isPerson: false };
    const request = { caller, client, action, input: { id, ...input }, requestId: 'r' };
    return { id: (await service.posthorn.cards.request(request)).cardId, postId: id as string };
  };
  const ask = (body = 'Hello') => request('Claude', 'posts.schedule', body, { at });
  const askToDelete = (client: string) => request(client, 'posts.delete', 'Hello', {});
  const begin = (...cards: { id: string; edit?: object }[]) =>
    browser.post('/api/app/approvals/confirm', { cards: cards.map(({ id, edit }) => ({ id, ...(edit && { edit }) })) });
  const confirm = async (...cards: { id: string; edit?: object }[]) => {
    const { status, body } = await begin(...cards);
    expect({ status, body }).toMatchObject({ status: 200 });
    return { id: body.id as string, response: device.answer(body.options) };
  };
  const approve = (card: { id: string }, body: object = {}, who = browser) =>
    who.post(`/api/approvals/${card.id}/approve`, body);
  const statusOf = async ({ postId }: { postId: string }) =>
    (await service.asHuman('posts.get', { id: postId }, as)).status;
  const receiptOf = async ({ id }: { id: string }): Promise<ReceiptEntry> =>
    (await browser.get(`/api/approvals/${id}/receipt`)).body.entries?.[0].entry;
  return { ...as, as, email, browser, device, ask, askToDelete, begin, confirm, approve, statusOf, receiptOf };
};

const refusal = (code: string) => ({ status: 403, body: { code: 'Forbidden', issues: [{ code }] } });

describe('a yes with a passkey', () => {
  test('is one assertion for a whole pass, whose receipts name the challenge over all its contents', async () => {
    const team = await openTeam({ isRequired: true });
    const [plain, timed, edited] = [await team.ask('One'), await team.ask('Two'), await team.ask('Three')];
    const cards = [
      plain,
      { ...timed, edit: { scheduledAt: later } },
      { ...edited, edit: { versions: [{ content: [{ body: 'Three, as I say it', media: [] }], options: {} }] } },
    ];
    const confirmation = await team.confirm(...cards);
    for (const card of cards) expect(await team.approve(card, { confirmation })).toMatchObject({ status: 200 });

    const receipts = await Promise.all(cards.map(team.receiptOf));
    for (const { means, cardId, content, confirmation: confirmed } of receipts) {
      expect(means).toEqual(['password', 'passkey']);
      expect(confirmed).toMatchObject({ passkeyId: team.device.id, challenge: challengeOf(confirmed ?? never()) });
      expect(confirmed?.numbers).toHaveLength(3);
      expect(confirmed?.numbers).toContain(confirmedNumber({ cardId, content, scheduledAt: confirmed?.scheduledAt }));
    }
    expect(new Set(receipts.map((entry) => entry.confirmation?.challenge)).size).toBe(1);
    const { authenticatorData, clientDataJSON, signature } = confirmation.response.response;
    const { assertion } = receipts[0]?.confirmation ?? never();
    expect(assertion).toMatchObject({ authenticatorData, clientDataJSON, signature });
    const { passkeys } = (await team.browser.get('/api/app/passkeys')).body;
    expect(passkeys[0].fingerprint).toBe(fingerprintOf(assertion?.publicKey ?? ''));
    const { challenge } = JSON.parse(
      Buffer.from(confirmation.response.response.clientDataJSON, 'base64url').toString(),
    );
    expect(Buffer.from(challenge, 'base64url').toString('hex')).toBe(receipts[0]?.confirmation?.challenge);
    const post = await service.asHuman('posts.get', { id: edited.postId }, team.as);
    expect(JSON.stringify(post.versions)).toContain('Three, as I say it');
    expect(await service.asHuman('posts.get', { id: timed.postId }, team.as)).toMatchObject({
      scheduledAt: expect.stringMatching(/^2126-01-02T12:00/),
    });
  });

  test('is free to those who have one, until the workspace requires it; a no never needs one', async () => {
    const team = await openTeam();
    const [free, confirmed, required, rejected] = [
      await team.ask(),
      await team.ask(),
      await team.ask(),
      await team.ask(),
    ];
    expect((await team.approve(free)).status).toBe(200);
    expect((await team.receiptOf(free)).means).toEqual(['password']);
    expect((await team.approve(confirmed, { confirmation: await team.confirm(confirmed) })).status).toBe(200);
    expect((await team.receiptOf(confirmed)).means).toEqual(['password', 'passkey']);
    await team.browser.patch('/api/app/workspace', { approvalPasskey: true });
    expect(await team.approve(required)).toMatchObject(refusal('PasskeyRequired'));
    expect(await team.statusOf(required)).toBe('Draft');
    expect(await team.receiptOf(required)).toBeUndefined();
    expect((await team.browser.post(`/api/approvals/${rejected.id}/reject`)).status).toBe(200);
  });

  test('for a post that changed since is refused, and nothing is decided', async () => {
    const team = await openTeam({ isRequired: true });
    const [changed, other] = [await team.ask(), await team.ask()];
    const confirmation = await team.confirm(changed, other);
    await service.asHuman('posts.setVersionText', { id: changed.postId, body: 'Changed' }, team.as);
    expect(await team.approve(changed, { confirmation })).toMatchObject({ status: 409 });
    expect(await team.statusOf(changed)).toBe('Draft');
    expect(await team.receiptOf(changed)).toBeUndefined();
    expect((await team.approve(other, { confirmation })).status).toBe(200);
  });

  test('is for the edit as it was then: what changed in it since is refused', async () => {
    const team = await openTeam();
    const card = await team.ask();
    const insert = `insert into media (id, workspace_id, kind, mime_type, bytes, width, height)
      values ('media_edit', $1, 'Image', 'image/jpeg', 1000, 1200, 1000)`;
    await service.database.run(sql('test.mediaOfEdit', insert), [team.workspaceId]);
    const edit = { versions: [{ content: [{ body: 'With a picture', media: ['media_edit'] }], options: {} }] };
    const confirmation = await team.confirm({ ...card, edit });
    expect((await team.browser.patch('/api/media/media_edit', { alt: 'Not what I saw' })).status).toBe(200);
    expect(await team.approve(card, { confirmation })).toMatchObject(refusal('ConfirmAgain'));
    expect(await team.statusOf(card)).toBe('Draft');
  });

  test('is not good for another request, another edit, or another person', async () => {
    const team = await openTeam();
    const [card, other] = [await team.ask(), await team.ask()];
    const confirmation = await team.confirm(card);
    expect(await team.approve(other, { confirmation })).toMatchObject(refusal('ConfirmAgain'));
    const edit = { scheduledAt: later };
    expect(await team.approve(card, { confirmation, edit })).toMatchObject({ status: 400 });
    const wrong = await team.confirm(other);
    expect(await team.approve(card, { confirmation: { id: confirmation.id, response: wrong.response } })).toMatchObject(
      refusal('PasskeyRefused'),
    );
    for (const response of [{}, { id: 1 }, { ...confirmation.response, response: {} }]) {
      expect(await team.approve(card, { confirmation: { id: confirmation.id, response } })).toMatchObject(
        refusal('PasskeyRefused'),
      );
    }
    const stranger = await openTeam();
    const { body } = await team.begin(card);
    expect(
      await team.approve(card, { confirmation: { id: body.id, response: stranger.device.answer(body.options) } }),
    ).toMatchObject(refusal('PasskeyRefused'));
    const strangers = await stranger.confirm(await stranger.ask());
    expect(await team.approve(card, { confirmation: strangers })).toMatchObject(refusal('ConfirmAgain'));
    const email = `colleague-of-${team.userId}@example.com`;
    await service.posthorn.people.addMember(team.workspaceId, { email, password, role: 'admin' });
    const colleague = service.browser();
    await colleague.signIn(email);
    const device = await addPasskey(colleague);
    for (const response of [confirmation.response, device.answer(body.options)]) {
      const answer = await team.approve(card, { confirmation: { id: body.id, response } }, colleague);
      expect(answer).toMatchObject(refusal('ConfirmAgain'));
    }
    expect([await team.statusOf(card), await team.statusOf(other)]).toEqual(['Draft', 'Draft']);
  });

  test('is the one answer to its challenge: another answer to it is refused', async () => {
    const team = await openTeam();
    const cards = [await team.ask('One'), await team.ask('Two')] as const;
    const { body } = await team.begin(...cards);
    const [first, second] = [team.device.answer(body.options), team.device.answer(body.options)];
    expect((await team.approve(cards[0], { confirmation: { id: body.id, response: first } })).status).toBe(200);
    const answer = await team.approve(cards[1], { confirmation: { id: body.id, response: second } });
    expect(answer).toMatchObject(refusal('PasskeyRefused'));
    expect((await team.approve(cards[1], { confirmation: { id: body.id, response: first } })).status).toBe(200);
  });

  test('of a passkey that counts is refused when it does not go on counting', async () => {
    const team = await openTeam();
    const cards = [await team.ask('One'), await team.ask('Two'), await team.ask('Three')] as const;
    const approveAt = async (card: { id: string }, counter: number) => {
      const { body } = await team.begin(card);
      const response = team.device.answer(body.options, { counter });
      return team.approve(card, { confirmation: { id: body.id, response } });
    };
    expect((await approveAt(cards[0], 5)).status).toBe(200);
    expect(await approveAt(cards[1], 5)).toMatchObject(refusal('PasskeyRefused'));
    expect((await approveAt(cards[2], 6)).status).toBe(200);
  });

  test('confirms two requests of a pass that are approved at once', async () => {
    const team = await openTeam({ isRequired: true });
    // Decisions about the same client, or about times, would already wait for each other earlier.
    const cards = [await team.askToDelete('Claude'), await team.askToDelete('Planner')];
    const confirmation = await team.confirm(...cards);
    const { database } = service;
    let answers: ReturnType<typeof team.approve>[] = [];
    await database.transaction(async () => {
      await database.query(sql('test.lockPasskey', 'select from passkeys where id = $1 for update', 'locks'), [
        team.device.id,
      ]);
      answers = database.outside(() => cards.map((card) => team.approve(card, { confirmation })));
      await lockAwaited(service, 2);
    });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('is good for an hour, no longer', async () => {
    const team = await openTeam({ isRequired: true });
    const cards = [await team.ask('One'), await team.ask('Two'), await team.ask('Three')] as const;
    const confirmation = await team.confirm(...cards);
    expect((await team.approve(cards[0], { confirmation })).status).toBe(200);
    await service.clock.forward(59 * 60_000);
    expect((await team.approve(cards[1], { confirmation })).status).toBe(200);
    await service.clock.forward(60_000);
    expect(await team.approve(cards[2], { confirmation })).toMatchObject(refusal('ConfirmAgain'));
    expect(await team.statusOf(cards[2])).toBe('Draft');
  });

  test('is refused for a removed key, and a second device still confirms', async () => {
    const team = await openTeam({ isRequired: true });
    const phone = await addPasskey(team.browser, 'Phone');
    const card = await team.ask();
    const confirmation = await team.confirm(card);
    await team.browser.post(`/api/app/passkeys/${team.device.id}/remove`, { password });
    expect(await team.approve(card, { confirmation })).toMatchObject(refusal('PasskeyRefused'));
    const { body } = await team.begin(card);
    expect(body.options.allowCredentials).toHaveLength(1);
    const byPhone = { id: body.id, response: phone.answer(body.options) };
    expect((await team.approve(card, { confirmation: byPhone })).status).toBe(200);
    expect((await team.receiptOf(card)).confirmation?.passkeyId).toBe(phone.id);
  });

  test('begins only when all of it could be approved, and only for somebody who has a passkey', async () => {
    const team = await openTeam();
    const [card, changed] = [await team.ask(), await team.ask()];
    await service.asHuman('posts.setVersionText', { id: changed.postId, body: 'Changed' }, team.as);
    expect(await team.begin(card, changed)).toMatchObject({ status: 409 });
    await team.browser.post(`/api/app/passkeys/${team.device.id}/remove`, { password });
    expect(await team.begin(card)).toMatchObject({ status: 403, body: { message: /You have no passkey/ } });
  });
});

type Purpose = 'add' | 'sign-in' | 'second step' | 'confirm';

test.each<Purpose>(['add', 'sign-in', 'second step', 'confirm'])(
  'a challenge for “%s” is good there and at no other door',
  async (purpose) => {
    const team = await openTeam();
    const card = await team.ask();
    const half = service.browser();
    const { body: pending } = await half.post('/api/auth/sign-in', { email: team.email, password });
    expect(pending).toMatchObject({ issues: [{ code: 'SecondFactor' }] });
    const alone = service.browser();
    const confirmation = (await team.begin(card)).body;
    const begin = {
      add: async () => (await team.browser.post('/api/app/passkeys/begin', { password })).body.options,
      'sign-in': async () => (await alone.post('/api/auth/passkeys/begin')).body.options,
      'second step': async () => (await half.post('/api/auth/second-factor/begin', {})).body.options,
      confirm: async () => confirmation.options,
    };
    const options = await begin[purpose]();
    const doors: Record<Purpose, { knock: () => Promise<unknown>; refused: object }> = {
      add: {
        knock: () =>
          team.browser.post('/api/app/passkeys', {
            name: 'Of a thief',
            response: createAuthenticator(origin).register(options),
          }),
        refused: { status: 400, body: { issues: [{ path: 'response' }] } },
      },
      'sign-in': {
        knock: () => alone.post('/api/auth/passkeys', { response: team.device.answer(options) }),
        refused: { status: 401 },
      },
      'second step': {
        knock: () => half.post('/api/auth/second-factor', { response: team.device.answer(options) }),
        refused: refusal('PasskeyRefused'),
      },
      confirm: {
        knock: () =>
          team.approve(card, { confirmation: { id: confirmation.id, response: team.device.answer(options) } }),
        refused: refusal('PasskeyRefused'),
      },
    };
    for (const [name, { knock, refused }] of Object.entries(doors)) {
      if (name !== purpose) expect(await knock()).toMatchObject(refused);
    }
    expect((await team.browser.get('/api/app/passkeys')).body.passkeys).toHaveLength(1);
    expect(await doors[purpose].knock()).toMatchObject({ status: 200 });
  },
);

test('only somebody who has a passkey makes it a requirement, and the password ends it', async () => {
  const { browser } = await newTeam(service);
  expect(await browser().patch('/api/app/workspace', { approvalPasskey: true })).toMatchObject({ status: 409 });
  await addPasskey(browser());
  const { status, body } = await browser().patch('/api/app/workspace', { approvalPasskey: true });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { workspace: { approvalPasskey: true }, user: { hasPasskey: true } },
  });
  const switchOff = (proof: object) => browser().patch('/api/app/workspace', { approvalPasskey: false, ...proof });
  expect(await switchOff({})).toMatchObject({ status: 400, body: { issues: [{ path: 'password' }] } });
  expect((await browser().get('/api/auth/session')).body.workspace).toMatchObject({ approvalPasskey: true });
  expect((await switchOff({ password: 'correct horse' })).body.workspace).toMatchObject({ approvalPasskey: false });
});

/** An entry as an operator could forge it, who has the signing key. */
const forge = (forged: Partial<ReceiptEntry>) => {
  const entry = forged as ReceiptEntry;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const signature = sign(null, Buffer.from(canonicalJson(entry)), privateKey).toString('base64url');
  return findFault({ entry, keyId: keyIdOf(x), signature }, [{ publicKey: x }]);
};
const wrong = 'Entry 1 names a passkey that confirmed something else.';

test('verify names an entry whose passkey confirmed something else', () => {
  const content = 'a'.repeat(64);
  const numbers = [confirmedNumber({ cardId: 'card_1', content })];
  const confirmation = { nonce: 'n', numbers, challenge: challengeOf({ nonce: 'n', numbers }), passkeyId: 'pky_1' };
  const challenge = Buffer.from(confirmation.challenge, 'hex').toString('base64url');
  const signed = { ...confirmation, assertion: answerOf({ challenge }) };
  const entry = { version: 1, kind: 'Decision', number: 1, cardId: 'card_1', content, confirmation: signed } as const;
  expect(forge(entry)).toBeUndefined();
  expect(forge({ ...entry, cardId: 'card_2' })).toBe(wrong);
  expect(forge({ ...entry, content: 'b'.repeat(64) })).toBe(wrong);
  expect(forge({ ...entry, confirmation: { ...signed, nonce: 'm' } })).toBe(wrong);
  expect(forge({ ...entry, confirmation: { ...signed, scheduledAt: later } })).toBe(wrong);
});

const answerOf = ({ type = 'webauthn.get', challenge = '', host = new URL(origin).hostname, flags = 0b101 }) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sha256 = (data: string) => createHash('sha256').update(data).digest();
  const clientData = JSON.stringify({ type, challenge, origin });
  const data = Buffer.concat([sha256(host), Buffer.from([flags]), Buffer.alloc(4)]);
  return {
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
    authenticatorData: data.toString('base64url'),
    clientDataJSON: Buffer.from(clientData).toString('base64url'),
    signature: sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey).toString('base64url'),
  };
};

test('a session that began with a passkey names none for a decision without one', async () => {
  const team = await openTeam();
  const { body } = await team.browser.post('/api/auth/passkeys/begin');
  const response = team.device.answer(body.options);
  expect((await team.browser.post('/api/auth/passkeys', { response })).status).toBe(200);
  const [plain, confirmed] = [await team.ask(), await team.ask()];
  expect((await team.approve(plain)).status).toBe(200);
  expect((await team.approve(confirmed, { confirmation: await team.confirm(confirmed) })).status).toBe(200);
  expect((await team.receiptOf(plain)).means).toEqual(['passkey-sign-in']);
  expect((await team.receiptOf(confirmed)).means).toEqual(['passkey-sign-in', 'passkey']);
  expect(forge(await team.receiptOf(plain))).toBeUndefined();
});

test('verify finds a yes that its passkey did not sign, whoever has the signing key', async () => {
  const team = await openTeam();
  const card = await team.ask();
  await team.approve(card, { confirmation: await team.confirm(card) });
  const entry = await team.receiptOf(card);
  const confirmation = entry.confirmation ?? never();
  const assertion = confirmation.assertion ?? never();
  expect(forge(entry)).toBeUndefined();
  const faultWith = (change: object) =>
    forge({ ...entry, confirmation: { ...confirmation, assertion: { ...assertion, ...change } } });
  const fault = wrong.replace('Entry 1', `Entry ${entry.number}`);
  const other = createAuthenticator(origin).answer({ challenge: 'x' }).response;
  expect(faultWith({ signature: other.signature })).toBe(fault);
  expect(faultWith({ publicKey: 'AAAA' })).toBe(fault);
  // Signed with a passkey of the operator: only its fingerprint differs, so everything else must be valid.
  const signed = Buffer.from(confirmation.challenge, 'hex').toString('base64url');
  expect(faultWith(answerOf({ challenge: signed }))).toBeUndefined();
  expect(answerOf({ challenge: signed }).publicKey).not.toBe(assertion.publicKey);
  expect(faultWith(answerOf({ challenge: 'x' }))).toBe(fault);
  expect(faultWith(answerOf({ challenge: signed, type: 'webauthn.create' }))).toBe(fault);
  expect(faultWith(answerOf({ challenge: signed, host: 'elsewhere.example.com' }))).toBe(fault);
  expect(faultWith(answerOf({ challenge: signed, flags: 0b001 }))).toBe(fault);
  // Different content, with numbers and challenge recomputed to match.
  const content = 'b'.repeat(64);
  const numbers = [confirmedNumber({ cardId: entry.cardId, content })];
  const renewed = { ...confirmation, numbers, challenge: challengeOf({ ...confirmation, numbers }) };
  expect(forge({ ...entry, content, confirmation: renewed })).toBe(fault);
});

const never = (): never => {
  throw new Error('the receipt names no passkey');
};
