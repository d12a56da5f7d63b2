import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '#test/support/service';

let service: Service;
let owner: ReturnType<Service['browser']>;
let viewer: ReturnType<Service['browser']>;
let account: string;
let other: string;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  [account, other] = [await service.addAccount('x'), await service.addAccount('bluesky')];
  [owner, viewer] = [service.browser(), service.browser()];
  await owner.signIn();
  await viewer.signIn((await service.addMember('viewer')).email);
});
afterAll(() => service.stop());

interface Sent {
  id: string;
  at?: string;
}
const draft = async (body: string, accountIds = [account]) =>
  (await service.client.posts.create({ body, accountIds })).id;
const scheduled = async (body: string, at: string, accountIds = [account]) => {
  const id = await draft(body, accountIds);
  await service.asHuman('posts.schedule', { id, at });
  return id;
};
const change = async (kind: string, posts: readonly Sent[], more: object = {}, by = owner) =>
  (await by.post('/api/app/bulk/changes', { change: kind, posts, ...more })).body;
const get = (id: string) => service.client.posts.get({ id });

describe('a change of several posts', () => {
  test('is made for each by its own rules: one refusal leaves the others alone', async () => {
    const [first, second, third] = [await draft('One'), await draft('Two'), await draft('Three')];
    await service.setStatus(second, 'Published');
    const { results } = await change('Delete', [{ id: first }, { id: second }, { id: 'post_none' }, { id: third }]);
    expect(results).toEqual([
      { id: first, done: true },
      { id: second, done: false, code: 'Conflict', message: expect.stringContaining('is Published') },
      { id: 'post_none', done: false, code: 'NotFound', message: expect.any(String) },
      { id: third, done: true },
    ]);
    expect((await get(second)).status).toBe('Published');
    expect((await service.call('posts.get', { id: first })).status).toBe(404);
    expect(
      (await change('Restore', [{ id: first }, { id: third }])).results.map(({ done }: { done: boolean }) => done),
    ).toEqual([true, true]);
    expect((await get(third)).status).toBe('Draft');
  });

  test('can be repeated when its answer was lost', async () => {
    const id = await scheduled('Again', '2090-01-01T09:00:00Z');
    for (const kind of ['Unschedule', 'Unschedule']) {
      expect((await change(kind, [{ id }])).results).toEqual([{ id, done: true }]);
    }
    const at = '2090-01-02T09:00:00Z';
    for (const _ of [1, 2]) expect((await change('Schedule', [{ id, at }])).results).toEqual([{ id, done: true }]);
    for (const _ of [1, 2]) {
      expect((await change('AddAccount', [{ id }], { accountId: other })).results).toEqual([{ id, done: true }]);
    }
    expect(await get(id)).toMatchObject({ status: 'Scheduled', accountIds: [account, other] });
    for (const kind of ['Delete', 'Delete', 'Restore', 'Restore']) {
      expect((await change(kind, [{ id }])).results).toEqual([{ id, done: true }]);
    }
    // The status of an unscheduled post that some accounts already have.
    await service.setStatus(id, 'Failed');
    expect((await change('Unschedule', [{ id }])).results).toEqual([{ id, done: true }]);
  });

  test('moves a scheduled post, and leaves a draft a draft with a suggested time', async () => {
    const [planned, loose] = [await scheduled('Planned', '2090-02-01T09:00:00Z'), await draft('Loose')];
    const at = '2090-03-01T10:30:00.000000Z';
    await change('Move', [
      { id: planned, at },
      { id: loose, at },
    ]);
    expect(await get(planned)).toMatchObject({ status: 'Scheduled', scheduledAt: at });
    expect(await get(loose)).toMatchObject({ status: 'Draft', scheduledAt: at });
    await change('Move', [{ id: loose, at: '' }]);
    expect((await get(loose)).scheduledAt).toBeUndefined();
    const past = await change('Move', [{ id: planned, at: '2020-01-01T00:00:00Z' }]);
    expect(past.results[0]).toMatchObject({
      done: false,
      code: 'BadInput',
      message: expect.stringContaining('in the future'),
    });
  });

  test('adds and removes an account with its own version, and keeps the time', async () => {
    const at = '2090-04-01T09:00:00.000000Z';
    const id = await scheduled('For both', at, [account, other]);
    await service.asHuman('posts.setVersionText', { id, accountId: other, body: 'Own words' });
    await change('RemoveAccount', [{ id }], { accountId: other });
    expect(await get(id)).toMatchObject({ status: 'Scheduled', scheduledAt: at, accountIds: [account] });
    expect((await get(id)).versions).toHaveLength(1);
    expect((await change('AddAccount', [{ id }])).code).toBe('BadInput');
    const unknown = await change('AddAccount', [{ id }], { accountId: 'acct_none' });
    expect(unknown.results[0]).toMatchObject({ done: false, code: 'BadInput' });
  });

  test('is refused to viewers, to tokens and over its bounds', async () => {
    const id = await draft('Mine');
    expect(await change('Delete', [{ id }], {}, viewer)).toMatchObject({ code: 'Forbidden' });
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ change: 'Delete', posts: [{ id }] });
    expect((await service.request('POST', '/api/app/bulk/changes', { headers, body })).status).toBe(403);
    const many = Array.from({ length: 101 }, () => ({ id }));
    expect(await change('Delete', many)).toMatchObject({ code: 'BadInput' });
    expect((await get(id)).status).toBe('Draft');
  });

  test('does not reach posts of another workspace', async () => {
    const id = await draft('Ours');
    const stranger = service.browser();
    await stranger.signIn((await service.addWorkspace()).email);
    expect((await change('Delete', [{ id }], {}, stranger)).results).toMatchObject([{ done: false, code: 'NotFound' }]);
  });
});

test('all posts of a filter are selected, over all its pages', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 60; at++) ids.unshift(await draft(`needle ${at}`));
  await service.setStatus(ids[0] ?? '', 'Failed');
  const { posts } = (await owner.get('/api/app/bulk/posts?query=needle')).body;
  expect(posts.map(({ id }: Sent) => id)).toEqual(ids);
  expect(posts[0]).toMatchObject({ status: 'Failed', text: 'needle 59', accountIds: [account], labelIds: [] });
  expect((await owner.get('/api/app/bulk/posts?query=needle&status=Draft')).body.posts).toHaveLength(59);
});

describe('a plan of moves', () => {
  const plan = async (ids: readonly string[], from: string) =>
    (await owner.post('/api/app/bulk/plan', { ids, from, timeZone: 'Europe/Berlin' })).body.moves;

  test('says so when there is no slot', async () => {
    const id = await draft('Nowhere to go');
    expect(await plan([id], '2090-05-01')).toEqual([{ id, problem: expect.stringContaining('Add slots') }]);
  });

  test('keeps the order, fills free slots from the day on, and names what cannot move', async () => {
    await owner.post('/api/app/slots', {
      timeZone: 'Europe/Berlin',
      slots: [{ days: [1, 2, 3, 4, 5], time: '09:00' }],
    });
    // 2090-05-01 is a Monday. In Berlin 09:00 is 07:00 UTC then.
    const late = await scheduled('Late', '2090-05-02T07:00:00Z');
    const early = await scheduled('Early', '2090-05-01T07:00:00Z');
    const loose = await draft('Without a time');
    const sent = await draft('Sent');
    await service.setStatus(sent, 'Published');
    const blocker = await scheduled('Stays', '2090-05-04T07:00:00Z');
    const moves = await plan([loose, sent, late, early], '2090-05-02');
    expect(moves).toEqual([
      { id: early, before: '2090-05-01T07:00:00.000000Z', at: '2090-05-02T07:00:00.000000Z' },
      { id: late, before: '2090-05-02T07:00:00.000000Z', at: '2090-05-03T07:00:00.000000Z' },
      { id: loose, at: '2090-05-05T07:00:00.000000Z' },
      { id: sent, problem: 'It is published, or being published.' },
    ]);
    expect((await get(blocker)).scheduledAt).toBe('2090-05-04T07:00:00.000000Z');
    expect((await get(early)).scheduledAt).toBe('2090-05-01T07:00:00.000000Z');
  });
});
