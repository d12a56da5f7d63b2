import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';
import { buildWeb } from '#test/support/shared';

let service: Service;
let owner: ReturnType<Service['browser']>;
let account: string;
beforeAll(async () => {
  await buildWeb();
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  account = await service.addAccount('bluesky');
  owner = service.browser();
  await owner.signIn();
});
afterAll(() => service.stop());

const dayMs = 24 * 3_600_000;
const draft = (body = 'To be reviewed') => service.client.posts.create({ body, accountIds: [account] });
const at = (postId: string) => `/api/app/posts/${postId}/shares`;

const share = async (postId: string, input: object = {}, as = owner) => {
  const { status, body } = await as.post(at(postId), input);
  expect({ status, body }).toMatchObject({ status: 200 });
  return { id: body.id as string, expiresAt: body.expiresAt as string, secret: new URL(body.url).pathname.slice(8) };
};

/** Somebody without a session. */
const see = (secret: string, headers = {}) =>
  service.request('POST', '/api/review', {
    headers: { origin: service.config.baseUrl, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ secret }),
  });
const openPage = (secret: string) => service.request('GET', `/review/${secret}`, { headers: { accept: 'text/html' } });

describe('a shared post', () => {
  test('is seen without a session, as each network gets it now', async () => {
    const media = await service.addFile();
    await owner.patch(`/api/media/${media}`, { alt: 'A horn' });
    const { id } = await draft();
    const { secret } = await share(id);
    expect(secret).toMatch(/^[\w-]{22}$/);
    await service.client.posts.update({
      id,
      accountIds: [account],
      versions: [
        { content: [{ body: 'For all', media: [] }], options: {} },
        { accountId: account, content: [{ body: 'For Bluesky', media: [media] }], options: {} },
      ],
    });
    const { status, body, headers } = await see(secret);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'Draft',
      accounts: [
        {
          network: 'bluesky',
          provider: 'Bluesky',
          badge: { code: 'Bs' },
          handle: expect.stringMatching(/^bluesky/),
          constraints: { characters: { max: 300 } },
          labels: { 'bluesky.reply_control': 'Everyone' },
          linkCards: [],
          items: [{ body: 'For Bluesky', media: [{ kind: 'Image', alt: 'A horn', width: 1080, height: 1080 }] }],
        },
      ],
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    // The page reveals nothing else about the workspace.
    const text = JSON.stringify(body);
    for (const hidden of [id, media, account, service.owner.workspaceId, service.owner.userId, 'Demo', 'owner@']) {
      expect(text).not.toContain(hidden);
    }
  });

  test('its files are had through the address alone, while the post has them', async () => {
    const [used, unused] = [await service.addFile(), await service.addFile()];
    const { id } = await draft();
    const { secret } = await share(id);
    const versions = [{ content: [{ body: 'With a picture', media: [used] }], options: {} }];
    await service.client.posts.update({ id, accountIds: [account], versions });
    const key = (await see(secret)).body.accounts[0].items[0].media[0].key;
    const file = (name: string, query = '') => service.request('GET', `/review/${secret}/media/${name}${query}`);
    const picture = await file(key, '?size=thumbnail');
    expect(picture.status).toBe(200);
    expect(picture.headers.get('content-type')).toBe('image/webp');
    expect(picture.headers.get('cache-control')).toBe('no-store');
    expect(picture.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(picture.headers.get('etag')).not.toContain(used);
    expect((await file(key)).headers.get('content-type')).toBe('image/jpeg');
    for (const guessed of [used, unused, 'x']) expect((await file(guessed)).status).toBe(404);
    const other = await share((await draft()).id);
    expect((await service.request('GET', `/review/${other.secret}/media/${key}`)).status).toBe(404);
    const without = [{ content: [{ body: 'Without', media: [] }], options: {} }];
    await service.client.posts.update({ id, accountIds: [account], versions: without });
    expect((await file(key)).status).toBe(404);
  });

  test('pictures of its accounts are had through the address alone, without the id of the account', async () => {
    const path = '/sandbox/bluesky/avatars/rye.svg';
    const setAvatar = sql('test.share.avatar', 'update accounts set avatar_url = $2, sandbox = true where id = $1');
    await service.database.run(setAvatar, [account, service.url + path]);
    const { id } = await draft();
    const { secret } = await share(id);
    const key = (await see(secret)).body.accounts[0].avatar;
    const get = (of: string, name: string) =>
      fetch(`${service.url}/review/${of}/avatars/${name}`, { redirect: 'manual' });
    const picture = await get(secret, key);
    expect(picture.status).toBe(302);
    expect(picture.headers.get('location')).toBe(path);
    expect(picture.headers.get('cache-control')).toBe('no-store');
    expect((await get(secret, account)).status).toBe(404);
    const other = await share((await draft()).id);
    expect((await get(other.secret, key)).status).toBe(404);
  });

  test('wrong, ended, revoked, of somebody who left and of a deleted post: the same 404, page and all', async () => {
    const { id } = await draft();
    const revoked = await share(id);
    expect((await owner.delete(`/api/app/shares/${revoked.id}`)).status).toBe(200);
    expect((await owner.delete(`/api/app/shares/${revoked.id}`)).status).toBe(404);
    const member = await service.addMember('editor');
    const editor = service.browser();
    await editor.signIn(member.email);
    const left = await share(id, {}, editor);
    expect((await see(left.secret)).status).toBe(200);
    expect((await owner.delete(`/api/app/members/${member.userId}`)).status).toBe(200);
    const gone = await draft();
    const deleted = await share(gone.id);
    await service.asHuman('posts.delete', { id: gone.id });
    const ended = await share(id, { days: 1 });
    expect((await openPage(ended.secret)).status).toBe(200);
    service.wallClock.forward(dayMs);
    const answers = await Promise.all(
      ['A'.repeat(22), 'short', revoked.secret, left.secret, deleted.secret, ended.secret].map(async (secret) => {
        const { status, body } = await see(secret);
        const page = await openPage(secret);
        return { status, body, page: page.status, robots: page.headers.get('x-robots-tag') };
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({
      status: 404,
      body: { code: 'NotFound' },
      page: 404,
      robots: 'noindex, nofollow',
    });
    await owner.signIn();
    expect((await owner.get(at(id))).body.shares).toEqual([]);
    expect(await service.posthorn.shares.purge()).toBeGreaterThan(0);
  });

  test('its page says that it is neither kept, listed nor told on', async () => {
    const { secret } = await share((await draft()).id);
    const { status, headers } = await openPage(secret);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
    );
    const ofProgram = { accept: 'application/json' };
    expect((await service.request('GET', `/review/${secret}`, { headers: ofProgram })).status).toBe(404);
  });
});

describe('an address', () => {
  test('is made by editors for 1 to 30 days, 7 unless they say so, and listed without its secret', async () => {
    const { id } = await draft();
    const week = await share(id);
    const days = (Date.parse(week.expiresAt) - service.wallClock.now().getTime()) / dayMs;
    expect(Math.round(days)).toBe(7);
    const { body } = await owner.get(at(id));
    expect(body.shares).toMatchObject([{ id: week.id, madeBy: 'owner' }]);
    expect(JSON.stringify(body)).not.toContain(week.secret);
    for (const wrong of [0, 31, 1.5, '7']) {
      expect((await owner.post(at(id), { days: wrong })).body).toMatchObject({
        code: 'BadInput',
        issues: [{ path: 'days' }],
      });
    }
    const viewer = service.browser();
    await viewer.signIn((await service.addMember('viewer')).email);
    expect((await viewer.post(at(id), {})).status).toBe(403);
    const token = { authorization: `Bearer ${service.token}` };
    expect((await owner.post(at(id), {}, token)).status).toBe(403);
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    expect((await stranger.post(at(id), {})).status).toBe(404);
    expect((await stranger.delete(`/api/app/shares/${week.id}`)).status).toBe(404);
  });

  test('there are at most 20 for a post', async () => {
    const { id } = await draft();
    for (let made = 0; made < 20; made++) await share(id, { days: 1 });
    expect((await owner.post(at(id), {})).body).toMatchObject({ code: 'Conflict', message: /20 addresses/ });
  });

  test('its secret is in no table, no audit entry and no line of the log', async () => {
    const { id } = await draft();
    const { secret, id: shareId } = await share(id);
    await openPage(secret);
    await service.request('GET', `/REVIEW/${secret}`, { headers: { accept: 'text/html' } });
    await service.request('GET', `/review/${secret}/media/x`);
    await service.request('GET', `/review/${secret}/more`);
    await see(secret);
    await owner.delete(`/api/app/shares/${shareId}`);
    const { body } = await owner.get('/api/app/audit');
    const about = body.entries.filter(({ details }: { details: { id?: string } }) => details.id === shareId);
    expect(about.map(({ event }: { event: string }) => event)).toEqual(['share.revoked', 'share.made']);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(service.logLines.join('')).not.toContain(secret);
    expect(service.logLines.join('')).toContain('/review/…');
    const rows = await service.database.query(sql('test.shares', 'select * from post_shares'));
    expect(JSON.stringify(rows)).not.toContain(secret);
  });
});

test('looking at shared posts is counted by address', async () => {
  const small = await startService({ REQUESTS_PER_MINUTE: '3' });
  try {
    const tries = [];
    small.wallClock.toNext(60_000);
    for (let index = 0; index < 5; index++) {
      const { status } = await small.request('GET', '/review/AAAAAAAAAAAAAAAAAAAAAA', {
        headers: { accept: 'text/html' },
      });
      tries.push(status);
    }
    expect(tries).toContain(429);
  } finally {
    await small.stop();
  }
});
