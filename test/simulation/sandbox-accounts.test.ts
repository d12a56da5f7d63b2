import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFaults } from '#server/simulation/sandbox/faults';
import { createSandboxStore } from '#server/simulation/sandbox/store';
import { type Service, startService } from '#test/support/service';

let service: Service;
let owner: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService({ LINKEDIN_CLIENT_ID: 'id', LINKEDIN_CLIENT_SECRET: 'secret' }, { ownAddress: true });
  owner = service.browser();
  await owner.signIn();
});
afterAll(() => service.stop());

const path = '/api/app/sandbox/accounts';

describe('POST /api/app/sandbox/accounts', () => {
  test('connects an account on each network, whichever way it connects, and posts reach it', async () => {
    const networks = ['x', 'bluesky', 'facebook', 'mastodon'];
    const { status, body } = await owner.post(path, { networks });
    expect(status).toBe(200);
    const { accounts } = await service.client.accounts.list();
    expect(accounts.map(({ id }) => id).sort()).toEqual([...body.accountIds].sort());
    expect(accounts.map(({ network }) => network).sort()).toEqual([...networks].sort());
    expect(accounts.every((account) => account.status === 'Connected')).toBe(true);
    expect((await service.call('posts.create', { accountIds: body.accountIds, body: 'Hello' })).status).toBe(200);
  });

  test('twice is once: the account that is there is kept', async () => {
    const first = await owner.post(path, { networks: ['threads', 'threads'] });
    const second = await owner.post(path, { networks: ['threads'] });
    expect(first.body.accountIds).toHaveLength(1);
    expect(second.body).toEqual(first.body);
  });

  test('an unknown network is refused before anything is connected', async () => {
    const before = await service.count('accounts');
    const { status, body } = await owner.post(path, { networks: ['pinterest', 'nowhere'] });
    expect(status).toBe(404);
    expect(body.message).toContain('nowhere');
    expect(await service.count('accounts')).toBe(before);
  });

  test('owners and admins may, editors may not', async () => {
    const editor = service.browser();
    await editor.signIn((await service.addMember('editor')).email);
    expect((await editor.post(path, { networks: ['x'] })).status).toBe(403);
    const admin = service.browser();
    await admin.signIn((await service.addMember('admin')).email);
    expect((await admin.post(path, { networks: ['x'] })).status).toBe(200);
  });

  test('no networks at all is bad input', async () => {
    expect((await owner.post(path, { networks: [] })).status).toBe(400);
  });
});

describe('POST /api/app/sandbox/requests', () => {
  const requests = '/api/app/sandbox/requests';

  test('makes a card like that of an agent: nothing goes out before a person says yes', async () => {
    const { body: connected } = await owner.post(path, { networks: ['x', 'bluesky'] });
    const { status, body } = await owner.post(requests, { accountIds: connected.accountIds });
    expect(status).toBe(200);
    const card = await owner.get(`/api/approvals/${body.cardId}`);
    expect(card.body).toMatchObject({ status: 'Open', client: 'Pretend agent', action: 'posts.publishNow' });
    expect(card.body.post).toMatchObject({ status: 'Draft', accountIds: connected.accountIds });
    const approved = await owner.post(`/api/approvals/${body.cardId}/approve`, {});
    expect(approved.status).toBe(200);
  });

  test('a viewer may not, and an account that is not there is refused before anything is written', async () => {
    const viewer = service.browser();
    await viewer.signIn((await service.addMember('viewer')).email);
    expect((await viewer.post(requests, { accountIds: ['acct_nowhere'] })).status).toBe(403);
    const before = await service.count('posts');
    expect((await owner.post(requests, { accountIds: ['acct_nowhere'] })).status).toBe(400);
    expect(await service.count('posts')).toBe(before);
  });

  test('an account of a network that is not a sandbox is refused before anything is written: nobody pretends there', async () => {
    const accountIds = [await service.connect('mastodon'), await service.addAccount('linkedin')];
    const before = await service.count('posts');
    const { status, body } = await owner.post(requests, { accountIds });
    expect({ status, message: body.message }).toEqual({ status: 404, message: expect.stringContaining('linkedin') });
    expect(await service.count('posts')).toBe(before);
    expect((await owner.post(path, { networks: ['linkedin'] })).status).toBe(404);
  });
});

test('a fault that is planned once is had by one of many calls at once', async () => {
  const { plan, planned, find } = createFaults({ store: createSandboxStore(service.database), network: 'x' });
  await plan('read', { fault: '503', times: 2 });
  const had = await Promise.all(Array.from({ length: 20 }, () => find('read', '')));
  expect(had.filter((fault) => fault === '503')).toHaveLength(2);
  expect(await planned('read')).toBeUndefined();
  await plan('read', { fault: '429', times: null });
  expect([await find('read', ''), await find('read', '')]).toEqual(['429', '429']);
  await plan('read', undefined);
  expect(await find('read', '')).toBeUndefined();
});
