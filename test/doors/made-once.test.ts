import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '#contracts/define';
import { routes } from '#generated/rest';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';
import { newTeam, type Team } from '#test/support/teams';

/** Routes that return a secret store the idempotency key but not the response. New ones are covered once declared. */

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
});
afterAll(() => service.stop());

interface Request {
  readonly path: string;
  readonly body: object;
  /** How many were made. */
  readonly count: () => Promise<number>;
}

const target = { url: 'https://hooks.example.com/in', events: ['post.published'] };
const read = async (team: Team, path: string) => (await team.browser().get(path)).body;

const requests: Record<string, (team: Team) => Promise<Request> | Request> = {
  createToken: (team) => ({
    path: '/api/auth/tokens',
    body: { name: 'Laptop' },
    count: async () =>
      (await read(team, '/api/auth/tokens')).filter(({ name }: { name: string }) => name === 'Laptop').length,
  }),
  addWebhook: (team) => ({
    path: '/api/webhooks',
    body: target,
    count: async () => (await read(team, '/api/webhooks')).webhooks.length,
  }),
  rotateWebhookSecret: async (team) => {
    const { id } = await team.addWebhook(target.url);
    return {
      path: `/api/webhooks/${id}/rotate-secret`,
      body: {},
      count: async () =>
        (await read(team, '/api/app/audit')).entries.filter(
          ({ event }: { event: string }) => event === 'webhook.secret-rotated',
        ).length,
    };
  },
  invite: (team) => ({
    path: '/api/app/invitations',
    body: { email: 'new@example.com', role: 'editor' },
    count: async () => (await read(team, '/api/app/invitations')).invitations.length,
  }),
  sharePost: async (team) => {
    const { body: post } = await team.browser().post('/api/app/actions/posts.create', { body: 'To review' });
    const path = `/api/app/posts/${post.id}/shares`;
    return { path, body: {}, count: async () => (await read(team, path)).shares.length };
  },
};

const sentenceOf = ({ idempotent }: Route) => (typeof idempotent === 'object' ? idempotent.onRepeat : undefined);
const declared = Object.entries(routes as Record<string, Route>).flatMap(([name, route]) => {
  const sentence = sentenceOf(route);
  return sentence === undefined ? [] : [{ name, sentence }];
});

const key = () => ({ 'idempotency-key': crypto.randomUUID() });

const prepare = async (name: string) => {
  const team = await newTeam(service);
  const request = await requests[name]?.(team);
  if (request === undefined) throw new Error(`${name} has no request in this test`);
  return {
    ...request,
    send: (headers: Record<string, string>) => team.browser().post(request.path, request.body, headers),
  };
};

test('tokens, webhooks and their new secrets, invitations and review links are such', () => {
  expect(declared.map(({ name }) => name).sort()).toEqual(Object.keys(requests).sort());
});

describe.each(declared)('$name with an Idempotency-Key', ({ name, sentence }) => {
  test('sent again is a Conflict that says what to do, and is done once', async () => {
    const { send, count } = await prepare(name);
    const headers = key();
    const first = await send(headers);
    expect(first.status).toBe(200);
    const again = await send(headers);
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'Conflict', message: sentence, issues: [{ path: 'Idempotency-Key', code: 'Repeated' }] },
    });
    expect(await count()).toBe(1);
    expect((await send(key())).status).toBe(200);
    expect(await count()).toBe(2);
  });

  test('leaves no answer in the database', async () => {
    const { send } = await prepare(name);
    const headers = key();
    await send(headers);
    const stored = await service.database.query(
      sql('test.storedAnswer', 'select answer from idempotent_answers where key = $1'),
      [headers['idempotency-key']],
    );
    expect(stored).toEqual([{ answer: null }]);
  });

  test('sent five times at once is done once', async () => {
    const { send, count } = await prepare(name);
    const headers = key();
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => send(headers)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await count()).toBe(1);
  });

  test('that failed halfway left nothing, and its key can be used again', async () => {
    const { send, count } = await prepare(name);
    const headers = key();
    await service.database.script(`
      create or replace function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'deadlock detected' using errcode = '40P01';
      end $$;
      create trigger refuse before insert on audit_log for each statement execute function refuse();`);
    const failed = await send(headers).finally(() => service.database.script('drop trigger refuse on audit_log'));
    expect(failed.body.code).toBe('TooManyRequests');
    expect(await count()).toBe(0);
    expect((await send(headers)).status).toBe(200);
    expect(await count()).toBe(1);
  });

  test('without a key is done each time', async () => {
    const { send, count } = await prepare(name);
    expect([(await send({})).status, (await send({})).status]).toEqual([200, 200]);
    expect(await count()).toBe(2);
  });
});

test('a refusal leaves the key unused', async () => {
  const team = await newTeam(service);
  const webhooks = [];
  for (let i = 0; i < 10; i++) webhooks.push(await team.addWebhook(target.url));
  const headers = key();
  const add = () => team.browser().post('/api/webhooks', target, headers);
  expect((await add()).body).toMatchObject({ code: 'Conflict', issues: [] });
  await webhooks[0]?.remove();
  expect((await add()).status).toBe(200);
});

test('a key that was used for another token is a Conflict that says so', async () => {
  const browser = (await newTeam(service)).browser();
  const headers = key();
  await browser.post('/api/auth/tokens', { name: 'Laptop' }, headers);
  const { body } = await browser.post('/api/auth/tokens', { name: 'Phone' }, headers);
  expect(body.message).toBe(
    `The Idempotency-Key ${headers['idempotency-key']} was used for another request. Use a new one.`,
  );
});

test('nobody learns of a repeat whose role no longer allows it', async () => {
  const { email, userId } = await service.addMember('admin');
  const browser = service.browser();
  await browser.signIn(email);
  const headers = key();
  const add = () => browser.post('/api/webhooks', target, headers);
  expect((await add()).status).toBe(200);
  const owner = service.browser();
  await owner.signIn();
  await owner.patch(`/api/app/members/${userId}`, { role: 'editor' });
  expect((await add()).status).toBe(403);
});
