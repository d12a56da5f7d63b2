import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { admins, editors, everyone, type Role } from '#contracts/scopes';
import { sql } from '#server/base/store/database';
import { sayYes } from '#server/simulation/sandbox/sign-up';
import { createBrowser } from '#test/support/browser';
import { answerOf, approve } from '#test/support/identity';
import { type PushService, startPushService } from '#test/support/push-service';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const minuteMs = 60_000;

let pushes: PushService;
let service: Service;
let owner: ReturnType<Service['browser']>;
beforeAll(async () => {
  pushes = await startPushService();
  service = await startService({ ...pushes.settings, SIGN_INS_PER_HOUR: '1000' }, { ownAddress: true });
  service.startJobs();
  owner = service.browser();
  await owner.signIn();
});
afterAll(async () => {
  for (const stop of open) stop();
  await service.stop();
  pushes.stop();
});
const open: (() => void)[] = [];

type Person = Awaited<ReturnType<typeof newPerson>>;

const newPerson = async (role: Role) => {
  const member = await service.addMember(role);
  const browser = service.browser();
  await browser.signIn(member.email);
  return { ...member, browser };
};

const remove = async ({ userId }: Person) => {
  expect((await owner.delete(`/api/app/members/${userId}`)).status).toBe(200);
};
const changeRole = async ({ userId }: Person, role: Role) => {
  expect((await owner.patch(`/api/app/members/${userId}`, { role })).status).toBe(200);
};
const secretOf = (url: string) => url.split('/').at(-1) ?? '';
const invite = async (by: Person['browser'], email: string, role: Role) => {
  const { status, body } = await by.post('/api/app/invitations', { email, role });
  expect(status).toBe(200);
  return secretOf(body.url);
};
const accept = (token: string) =>
  service.browser().post('/api/auth/invitations/accept', { token, password: 'correct horse' });
const joinAgain = async ({ email }: Person, role: Role) => {
  expect((await accept(await invite(owner, email, role))).status).toBe(200);
};

let count = 0;
const newAddress = () => `invited${++count}@example.com`;

/** Creates something a member can have. Returns a function that tells whether it still exists or works. */
type Make = (person: Person) => Promise<() => Promise<boolean>>;

const openWorkspace: Make =
  async ({ browser, workspaceId }) =>
  async () =>
    (await browser.get('/api/auth/session')).body.workspace?.id === workspaceId;

const personalToken: Make = async ({ browser }) => {
  const { token } = (await browser.post('/api/auth/tokens', { name: 'Desk' })).body;
  return async () => (await service.call('accounts.list', {}, { authorization: `Bearer ${token}` })).status === 200;
};

const redirectUri = 'https://desk.example.com/done';
const verifier = randomBytes(32).toString('base64url');

/** Registers a client and returns the code that it gets once the person agrees. */
const consentOf = async ({ browser }: Person) => {
  const { client_id } = (
    await service.request('POST', '/auth/register', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Desk', redirect_uris: [redirectUri] }),
    })
  ).body;
  const query = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid posts:read',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const window = createBrowser(service.url);
  window.set(...(browser.cookie().split('=') as [string, string]));
  const { code = '' } = answerOf(await approve(window, await window.go(`/auth/authorize?${query}`)));
  return { client_id, code };
};
const redeem = async ({ client_id, code }: Awaited<ReturnType<typeof consentOf>>) => {
  const form = {
    grant_type: 'authorization_code',
    client_id,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
  const { body } = await service.request('POST', '/auth/token', { body: new URLSearchParams(form) });
  return body.access_token as string | undefined;
};
const canListTools = async (token: string | undefined) => {
  const { status } = await service.request('POST', '/mcp', {
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  return status === 200;
};

const mcpToken: Make = async (person) => {
  const token = await redeem(await consentOf(person));
  return () => canListTools(token);
};

const mcpCode: Make = async (person) => {
  const consent = await consentOf(person);
  return async () => canListTools(await redeem(consent));
};

/** A message that the push service refused at first, so that it waits for its second attempt. */
const pushMessage: Make = async ({ browser, workspaceId }) => {
  const phone = pushes.subscribe();
  const { browsers } = (await browser.post('/api/app/push-browsers', phone.subscription)).body;
  phone.answer(503);
  const path = `/posts/${++count}`;
  await service.database.transaction(() =>
    service.posthorn.notifications.tell([
      { workspaceId, kind: 'post.failed', subjectId: 'x', title: 'It failed', path },
    ]),
  );
  const states = sql(
    'test.messages',
    'select state, attempts from messages where subscription_id = $1 order by id limit 1',
  ).holds<{ state: string; attempts: number }>();
  const state = async () => (await service.database.query(states, [browsers[0].id]))[0];
  await until('the first try is over', async () => (await state())?.attempts === 1);
  phone.answer(201);
  return async () => {
    await service.clock.forward(minuteMs);
    await until('it has ended', async () => /sent|failed/.test((await state())?.state ?? ''));
    // A move of the clock during a try lets another try begin.
    return phone.pushed.filter(({ message }) => message.path === path).length > 1;
  };
};

const reviewLink: Make = async ({ browser }) => {
  const { id } = await service.client.posts.create({ body: 'Hello' });
  const { url } = (await browser.post(`/api/app/posts/${id}/shares`, { days: 7 })).body;
  return async () => (await service.browser().post('/api/review', { secret: secretOf(url) })).status === 200;
};

/** An account that its owner has said yes to on the page of the network. */
const connection: Make = async ({ browser, email }) => {
  const { next } = (await browser.post('/api/app/connections', { network: 'x', values: {} })).body;
  const answer = Object.fromEntries((await sayYes(next, email.split('@')[0] ?? '')).searchParams);
  return async () => {
    // Those who joined again come back in another browser.
    const again = service.browser();
    await again.signIn(email);
    return (await again.post('/api/app/connect/x/finish', { answer })).status === 200;
  };
};

const invitation: Make = async ({ browser }) => {
  const token = await invite(browser, newAddress(), 'viewer');
  return async () => (await accept(token)).status === 200;
};

const liveStream: Make = async ({ browser, workspaceId }) => {
  const stop = new AbortController();
  open.push(() => stop.abort());
  const { body } = await fetch(`${service.url}/api/app/events`, {
    headers: { cookie: browser.cookie() },
    signal: stop.signal,
  });
  let heard = '';
  let isOver = false;
  (async () => {
    for await (const chunk of body ?? []) heard += new TextDecoder().decode(chunk);
    isOver = true;
  })().catch(() => undefined);
  await until('it is open', () => heard.includes('retry:'));
  return async () => {
    await service.posthorn.live.publish({ workspaceId, kind: 'post', id: 'post_secret' });
    await until('it says something or ends', () => isOver || heard.includes('post_secret'));
    return heard.includes('post_secret');
  };
};

/** Everything a member can have, under the names used by `memberships.things`, and the roles that keep it. */
const things: readonly [string, string, readonly Role[], Make][] = [
  ['workspace open in browsers', 'the open workspace of a browser', everyone, openWorkspace],
  ['personal tokens', 'a personal token', everyone, personalToken],
  ['access of MCP clients', 'an access token of an MCP client', everyone, mcpToken],
  ['access of MCP clients', 'a code that an MCP client has not redeemed', everyone, mcpCode],
  ['mails and push messages on their way', 'a push message on its way', everyone, pushMessage],
  ['review links', 'a review link', editors, reviewLink],
  ['connections of accounts under way', 'a connection under way', admins, connection],
  ['invitations', 'an invitation', admins, invitation],
  ['open streams', 'a live stream', everyone, liveStream],
];

describe('what stands on a membership', () => {
  test('is what the one list in the code names, and all of it is tried here', () => {
    expect(service.posthorn.memberships.things.toSorted()).toEqual([...new Set(things.map(([name]) => name))].sort());
  });

  test.each(things)(
    '%s: removal ends %s, and joining again does not bring it back',
    async (_name, _what, _roles, make) => {
      const [removed, other] = [await newPerson('admin'), await newPerson('admin')];
      const [theirs, others] = [await make(removed), await make(other)];
      await remove(removed);
      await joinAgain(removed, 'admin');
      expect(await theirs()).toBe(false);
      expect(await others()).toBe(true);
    },
  );

  const demotions = things.flatMap(([, what, keptBy, make]) =>
    (['editor', 'viewer'] as const).map((role) => ({ what, role, isKept: keptBy.includes(role), make })),
  );
  test.each(demotions)(
    '$what of an admin who becomes $role: kept $isKept, also as admin again',
    async ({ role, isKept, make }) => {
      const person = await newPerson('admin');
      const stands = await make(person);
      await changeRole(person, role);
      await changeRole(person, 'admin');
      expect(await stands()).toBe(isKept);
    },
  );
});

describe('an invitation', () => {
  test('of an owner who becomes an admin ends where it gives the role of owner, and else stays', async () => {
    const person = await newPerson('owner');
    const [toOwner, toAdmin] = [
      await invite(person.browser, newAddress(), 'owner'),
      await invite(person.browser, newAddress(), 'admin'),
    ];
    await changeRole(person, 'admin');
    await changeRole(person, 'owner');
    expect((await accept(toOwner)).body.code).toBe('NotFound');
    expect((await accept(toAdmin)).status).toBe(200);
  });

  test('of somebody who hands the workspace over ends where it gives the role of owner', async () => {
    const other = await service.addWorkspace();
    const [first, second] = [service.browser(), await newPerson('viewer')];
    await first.signIn(other.email);
    expect((await accept(await invite(first, second.email, 'admin'))).status).toBe(200);
    const token = await invite(first, newAddress(), 'owner');
    const { status } = await first.post('/api/app/workspace/owner', { userId: second.userId, name: 'Other' });
    expect(status).toBe(200);
    await second.browser.signIn(second.email);
    await second.browser.post(`/api/app/workspaces/${other.workspaceId}/open`);
    await second.browser.patch(`/api/app/members/${other.userId}`, { role: 'owner' });
    expect((await accept(token)).body.code).toBe('NotFound');
  });

  test('is withdrawn in the audit log with the person who made it', async () => {
    const person = await newPerson('admin');
    const email = newAddress();
    await invite(person.browser, email, 'viewer');
    await remove(person);
    const { entries } = (await owner.get('/api/app/audit')).body;
    expect(entries).toContainEqual(
      expect.objectContaining({
        event: 'invitation.withdrawn',
        details: expect.objectContaining({ email, invitedBy: person.userId }),
      }),
    );
  });

  /** Changes as the release before made them: the inviter lost the role, but nothing was revoked. */
  const quietly = {
    removed: 'delete from members where user_id = $1',
    'made an editor': "update members set role = 'editor' where user_id = $1",
    'made an admin': "update members set role = 'admin' where user_id = $1",
  };
  test.each([
    ['removed', 'viewer', false],
    ['made an editor', 'viewer', false],
    ['made an admin', 'owner', false],
    ['made an admin', 'admin', true],
  ] as const)('whose maker was %s is looked at again: to %s it works %s', async (change, role, works) => {
    const person = await newPerson('owner');
    const token = await invite(person.browser, newAddress(), role);
    await service.database.run(sql(`test.${change}`, quietly[change]), [person.userId]);
    expect((await service.browser().post('/api/auth/invitations/open', { token })).status).toBe(works ? 200 : 404);
    expect((await accept(token)).status).toBe(works ? 200 : 404);
  });
});

describe('a person who is deleted', () => {
  const rowsOf = async (userId: string) => {
    const [row] = await service.database.query(
      sql(
        'test.person',
        `select email, name, password_hash as password,
                (select count(*)::int from members where user_id = $1) as members,
                (select count(*)::int from sessions where user_id = $1) as sessions,
                (select count(*)::int from chats where user_id = $1) as chats,
                (select count(*)::int from passkeys where user_id = $1) as passkeys from users where id = $1`,
      ).holds<Record<string, unknown>>(),
      [userId],
    );
    return row;
  };

  test('by the operator cannot sign in or call any more; their posts stay, by a former member', async () => {
    const person = await newPerson('editor');
    const { status, body } = await service.call(
      'posts.create',
      { body: 'mine' },
      { authorization: `Bearer ${person.token}` },
    );
    expect(status).toBe(200);
    await service.database.run(
      sql(
        'test.chat',
        `insert into chats (id, workspace_id, user_id, title, updated_at) values ($1, $2, $3, 'private', now())`,
      ),
      [`chat_${person.userId}`, service.owner.workspaceId, person.userId],
    );
    await service.database.run(
      sql(
        'test.passkey',
        `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
         values ($1, $2, $1, '', 0, '{}', 'Phone', now())`,
      ),
      [`passkey_${person.userId}`, person.userId],
    );
    const { personDeletion, userAdministration } = service.posthorn;
    expect(await personDeletion.exportPerson({ address: person.email })).toMatchObject({
      id: person.userId,
      email: person.email,
    });
    await personDeletion.remove({ address: person.email });
    expect(await rowsOf(person.userId)).toEqual({
      email: `former-${person.userId}@deleted.invalid`,
      name: 'A former member',
      password: null,
      members: 0,
      sessions: 0,
      chats: 0,
      passkeys: 0,
    });
    expect((await userAdministration.everybody()).map(({ id }) => id)).not.toContain(person.userId);
    const after = await service.call('accounts.list', {}, { authorization: `Bearer ${person.token}` });
    expect(after.status).toBe(401);
    expect((await person.browser.get('/api/auth/session')).status).toBe(401);
    const entry = { email: person.email, password: 'correct horse' };
    expect((await service.browser().post('/api/auth/sign-in', entry)).status).toBe(401);
    expect((await owner.post('/api/app/actions/posts.get', { id: body.id })).status).toBe(200);
    await expect(personDeletion.remove({ address: person.email })).rejects.toThrow(/Nobody here has the address/);
  });

  test('must not be the one who set Posthorn up, nor the last owner of a workspace', async () => {
    const { personDeletion } = service.posthorn;
    const { body } = await owner.get('/api/auth/session');
    await expect(personDeletion.remove({ address: body.user.email })).rejects.toThrow(/set Posthorn up here/);
    const person = await newPerson('admin');
    expect((await person.browser.post('/api/app/workspaces', { name: 'Alone' })).status).toBe(200);
    await expect(personDeletion.remove({ address: person.email })).rejects.toThrow(/last owner of Alone/);
    expect(await rowsOf(person.userId)).toMatchObject({ email: person.email, members: 2 });
  });

  const deleteSelf = (browser: Person['browser'], email: string, proof: object = { password: 'correct horse' }) =>
    browser.post('/api/app/profile/delete', { email, ...proof });

  test('by themselves gives proof, and loses all access; what they wrote stays', async () => {
    const person = await newPerson('editor');
    const bearer = { authorization: `Bearer ${person.token}` };
    const { body: post } = await service.call('posts.create', { body: 'mine' }, bearer);
    const { body: data } = await person.browser.get('/api/app/profile/export');
    expect(data).toMatchObject({ id: person.userId, email: person.email, workspaces: [{ role: 'editor' }] });

    expect((await deleteSelf(person.browser, 'another@example.com')).body.issues).toMatchObject([{ path: 'email' }]);
    const wrong = await deleteSelf(person.browser, person.email, { password: 'wrong horse' });
    expect(wrong.body.issues).toMatchObject([{ path: 'password', code: 'WrongPassword' }]);
    expect((await deleteSelf(person.browser, person.email, {})).status).toBe(400);
    expect(await rowsOf(person.userId)).toMatchObject({ email: person.email, members: 1 });

    expect((await deleteSelf(person.browser, person.email)).status).toBe(200);
    expect(await rowsOf(person.userId)).toMatchObject({
      email: `former-${person.userId}@deleted.invalid`,
      members: 0,
      sessions: 0,
    });
    expect((await person.browser.get('/api/auth/session')).status).toBe(401);
    expect((await service.call('accounts.list', {}, bearer)).status).toBe(401);
    expect((await owner.post('/api/app/actions/posts.get', { id: post.id })).status).toBe(200);
    const { entries } = (await owner.get('/api/app/audit')).body;
    expect(entries).toContainEqual(expect.objectContaining({ event: 'person.deleted', details: { by: 'self' } }));
    // The address is free for a new start.
    expect((await accept(await invite(owner, person.email, 'viewer'))).status).toBe(200);
  });

  test('by themselves hands over first as the last owner, unless the workspace waits to be deleted', async () => {
    const person = await newPerson('admin');
    expect((await person.browser.post('/api/app/workspaces', { name: 'Alone' })).status).toBe(200);
    const refused = await deleteSelf(person.browser, person.email);
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringMatching(/last owner of Alone/) } });
    expect((await person.browser.post('/api/app/workspace/deletion', { name: 'Alone' })).status).toBe(200);
    expect((await deleteSelf(person.browser, person.email)).status).toBe(200);
  });

  test('is never whoever set Posthorn up', async () => {
    const { body } = await owner.get('/api/auth/session');
    const refused = await deleteSelf(owner, body.user.email);
    expect(refused).toMatchObject({ status: 409, body: { message: expect.stringMatching(/^You set Posthorn up/) } });
  });
});
