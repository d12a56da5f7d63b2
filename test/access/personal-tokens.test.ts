import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '#contracts/scopes';
import { actions } from '#generated/catalog';
import { looksLikeToken, newToken } from '#server/access/auth/token-format';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const list = (token: string) => service.call('posts.list', {}, { authorization: `Bearer ${token}` });

describe('a personal token', () => {
  test('has the prefix, 36 random characters and a checksum that finds a slip', () => {
    const token = newToken();
    expect(token).toMatch(/^posthorn_pat_[0-9A-Za-z]{42}$/);
    expect(looksLikeToken(token)).toBe(true);
    for (let i = 0; i < token.length; i++) {
      const slip = token[i] === 'a' ? 'b' : 'a';
      expect(looksLikeToken(token.slice(0, i) + slip + token.slice(i + 1))).toBe(false);
    }
    expect(new Set(Array.from({ length: 1000 }, newToken)).size).toBe(1000);
  });

  test('is stored only as a hash', async () => {
    const dump = await service.database.query(sql('test.tokens', 'select t::text from personal_tokens t'));
    expect(JSON.stringify(dump)).not.toContain(service.token.slice(13));
  });

  test('acts in the workspace it was made in', async () => {
    const other = await service.addWorkspace();
    await service.client.posts.create({ body: 'Ours' });
    expect((await list(other.token)).body.posts).toEqual([]);
  });

  test('stops working when its user leaves the workspace', async () => {
    const { token, userId, workspaceId } = await service.addMember('editor');
    expect((await list(token)).status).toBe(200);
    await service.posthorn.members.remove(
      { ...service.owner, workspaceId, role: 'owner', mayPublish: true, isPerson: true },
      userId,
    );
    expect((await list(token)).status).toBe(401);
  });

  test('stops working when it is revoked, and only once', async () => {
    const { id, token } = await service.posthorn.tokens.create(service.owner, 'Short');
    await service.posthorn.tokens.revoke(id);
    expect((await list(token)).status).toBe(401);
    await expect(service.posthorn.tokens.revoke(id)).rejects.toMatchObject({ code: 'NotFound' });
    expect((await service.posthorn.tokens.list(service.owner)).map((one) => one.id)).not.toContain(id);
  });

  test('is looked up once in a burst, and again as soon as access changes', async () => {
    const forge = sql('test.revokeUnheard', 'update personal_tokens set revoked_at = posthorn_now() where id = $1');
    let token = '';
    // Earlier tests changed access a moment ago, and tokens are not cached until that has settled.
    await until('a token that was just used is remembered', async () => {
      const made = await service.posthorn.tokens.create(service.owner, 'Busy');
      token = made.token;
      expect((await list(token)).status).toBe(200);
      await service.database.run(forge, [made.id]);
      return (await list(token)).status === 200;
    });
    await service.posthorn.live.accessChanged();
    expect((await list(token)).status).toBe(401);
  });

  test('in the query string or a cookie is not looked at', async () => {
    const body = '{}';
    const path = `/api/agent/tools/posts.list?access_token=${service.token}`;
    expect((await service.request('POST', path, { body })).status).toBe(401);
  });

  test('remembers when it was used last, without a write per request', async () => {
    const { id, token } = await service.posthorn.tokens.create(service.owner, 'Used');
    const lastUsed = async () =>
      (await service.posthorn.tokens.list(service.owner)).find((one) => one.id === id)?.lastUsedAt;
    await list(token);
    expect(await lastUsed()).toBeNull();
    await service.posthorn.tokens.saveLastUsed();
    expect(await lastUsed()).toMatch(/^\d{4}-.*Z$/);
  });
});

describe.each<Role>(['viewer', 'editor', 'admin', 'owner'])('a %s', (role) => {
  test('may use just the actions that the contract gives to the role', async () => {
    const member = await service.addMember(role);
    for (const [name, action] of Object.entries(actions)) {
      const { body } = await service.call(name, action.examples[0]?.input, { authorization: `Bearer ${member.token}` });
      const allowed = (action.roles as readonly Role[]).includes(role);
      expect({ name, forbidden: body.code === 'Forbidden' }).toEqual({ name, forbidden: !allowed });
    }
  });
});

test('a viewer reads, an editor drafts and asks, an admin also disconnects accounts', () => {
  const allowedTo = (role: Role) =>
    Object.entries(actions)
      .filter(([, { roles }]) => (roles as readonly Role[]).includes(role))
      .map(([name]) => name);
  const readOnly = Object.entries(actions).filter(([, { kind }]) => kind === 'ReadOnly');
  expect(allowedTo('viewer')).toEqual(expect.arrayContaining(readOnly.map(([name]) => name)));
  expect(allowedTo('viewer')).not.toContain('posts.create');
  expect(allowedTo('editor')).toContain('posts.publishNow');
  expect(allowedTo('editor')).not.toContain('accounts.delete');
  expect(allowedTo('admin')).toEqual(Object.keys(actions));
  expect(allowedTo('owner')).toEqual(Object.keys(actions));
});
