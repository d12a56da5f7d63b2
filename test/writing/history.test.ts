import { decodeTime } from 'ulid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HistoryEntry } from '#contracts/history';
import { bounds } from '#server/base/bounds';
import { newId } from '#server/base/ids';
import { sql } from '#server/base/store/database';
import { connectAgent } from '#test/support/agent';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let account: string;
let owner: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  account = await service.addAccount('x');
  owner = service.browser();
  await owner.signIn();
});
afterAll(() => service.stop());

const minuteMs = 60_000;
const tomorrow = () => new Date(service.clock.now().getTime() + 24 * 60 * minuteMs).toISOString();
const draft = (body = 'First') => service.client.posts.create({ body, accountIds: [account] });
const history = async (id: string, browser = owner): Promise<HistoryEntry[]> =>
  (await browser.get(`/api/app/posts/${id}/changes`)).body.entries;
const revision = async (id: string, number: number | undefined) =>
  (await owner.get(`/api/app/posts/${id}/changes/${number}`)).body;
const kinds = (entries: HistoryEntry[]) => entries.map(({ kind }) => kind);
const write = (id: string, body: string, browser = owner) =>
  browser.post('/api/app/actions/posts.setVersionText', { id, body });
const bodyIn = ({ versions }: { versions: { content: { body: string }[] }[] }) => versions[0]?.content[0]?.body;

describe('who changed what, and from which client', () => {
  test('a token by its name, an MCP client by its name, a person in the app', async () => {
    const { id } = await draft();
    expect(await history(id)).toMatchObject([
      { kind: 'Created', revision: 0, person: { name: 'owner' }, client: { kind: 'Token', name: 'Test' } },
    ]);
    await service.client.posts.setVersionText({ id, body: 'By a token' });
    const { client } = await connectAgent(service, 'Claude Code');
    await client.callTool({ name: 'posts_setVersionText', arguments: { id, body: 'By an agent' } });
    const editor = await service.addMember('editor');
    const anna = service.browser();
    await anna.signIn(editor.email);
    await write(id, 'By Anna', anna);
    const entries = await history(id);
    expect(entries).toMatchObject([
      { kind: 'Edited', changed: ['Text'], person: { id: editor.userId }, client: { kind: 'App' } },
      { kind: 'Edited', client: { kind: 'Mcp', name: 'Claude Code' } },
      { kind: 'Edited', client: { kind: 'Token', name: 'Test' } },
      { kind: 'Created', client: { kind: 'Token', name: 'Test' } },
    ]);
    const texts = await Promise.all(entries.map(async (entry) => bodyIn(await revision(id, entry.revision))));
    expect(texts).toEqual(['By Anna', 'By an agent', 'By a token', 'First']);
    expect(bodyIn((await revision(id, entries[0]?.revision)).before)).toBe('By an agent');
  });

  test('scheduling, taking back, a request and its approval stand between the changes', async () => {
    const { id } = await draft();
    const agent = await connectAgent(service, 'Claude Code');
    const card = await agent.ask('posts_schedule', { id, at: tomorrow() });
    expect((await owner.post(`/api${card}/approve`)).status).toBe(200);
    await owner.post(`/api/app/posts/${id}/unschedule`);
    await write(id, 'Later');
    const entries = await history(id);
    expect(kinds(entries).filter((kind) => kind !== 'Approved' && kind !== 'Scheduled')).toEqual([
      'Edited',
      'Unscheduled',
      'Requested',
      'Created',
    ]);
    expect(entries.find(({ kind }) => kind === 'Scheduled')).toMatchObject({
      person: { name: 'owner' },
      client: { kind: 'Mcp', name: 'Claude Code' },
      scheduledAt: expect.any(String),
    });
    expect(entries.find(({ kind }) => kind === 'Approved')).toMatchObject({ action: 'posts.schedule' });
  });

  test('that it was published, by whom, and to how many accounts', async () => {
    const bluesky = await service.connect('bluesky');
    const { id } = await service.client.posts.create({ body: 'Out', accountIds: [bluesky] });
    await service.asHuman('posts.publishNow', { id });
    service.startJobs();
    await until('it is out', async () => (await history(id))[0]?.kind === 'Published');
    expect(await history(id)).toMatchObject([
      { kind: 'Published', accounts: { out: 1, all: 1 } },
      { kind: 'Publishing', person: { name: 'owner' }, client: { kind: 'App' } },
      { kind: 'Created' },
    ]);
    await service.database.query(sql('test.noEvents', 'delete from events'));
    expect((await history(id))[0]).toMatchObject({ kind: 'Published', accounts: { out: 1, all: 1 } });
  });

  test('a change that is refused, and one that changes nothing, leave no entry', async () => {
    const { id, updatedAt } = await draft();
    const versions = [{ content: [{ body: 'First', media: [] }], options: {} }];
    const update = { id, accountIds: [account], versions, scheduledAt: '', baseUpdatedAt: '' };
    await service.client.posts.update(update);
    await expect(service.client.posts.update({ ...update, baseUpdatedAt: updatedAt })).rejects.toThrow(/changed at/);
    const at = tomorrow();
    await service.asHuman('posts.schedule', { id, at });
    expect((await write(id, 'x'.repeat(300))).body.code).toBe('Invalid');
    expect(kinds(await history(id))).toEqual(['Scheduled', 'Created']);
  });
});

describe('small steps', () => {
  const long = 'A text of some length, which somebody wrote. '.repeat(10);

  test('of one person with one client in five minutes are one change, later ones another', async () => {
    const { id } = await draft();
    await write(id, 'Fir');
    await write(id, 'First of');
    await write(id, 'First of all');
    const [folded, ...rest] = await history(id);
    expect(kinds(rest)).toEqual(['Created']);
    expect(folded).toMatchObject({ kind: 'Edited', since: expect.any(String) });
    expect(bodyIn(await revision(id, folded?.revision))).toBe('First of all');
    await service.clock.forward(6 * minuteMs);
    await write(id, 'First of all, hello');
    expect(kinds(await history(id))).toEqual(['Edited', 'Edited', 'Created']);
  });

  test('of two people are two changes, however soon one follows the other', async () => {
    const { id } = await draft();
    const colleague = service.browser();
    await colleague.signIn((await service.addMember('editor')).email);
    await write(id, 'First of');
    await write(id, 'First of all', colleague);
    expect(kinds(await history(id))).toEqual(['Edited', 'Edited', 'Created']);
  });

  test('never fold away a text that is restored from, nor one that is mostly deleted', async () => {
    const { id } = await draft();
    await write(id, long);
    await write(id, 'First');
    expect(kinds(await history(id))).toEqual(['Edited', 'Edited', 'Created']);
    await write(id, long);
    await write(id, 'Gone');
    const texts = await Promise.all(
      (await history(id)).map(async (entry) => bodyIn(await revision(id, entry.revision))),
    );
    expect(texts).toEqual(['Gone', long, 'First', long, 'First']);
  });
});

test('the history of a post is bounded in entries and bytes, and the newest text stays', async () => {
  const { id } = await draft();
  await service.asHuman('posts.schedule', { id, at: tomorrow() });
  await owner.post(`/api/app/posts/${id}/unschedule`);
  // Alternate between two clients, so that no revisions are merged.
  const clients = [{ kind: 'Token', name: 'One' } as const, { kind: 'Token', name: 'Two' } as const];
  for (let step = 0; step < bounds.revisions + 5; step++) {
    const client = clients[step % 2];
    await service.asHuman('posts.setVersionText', { id, body: `Step ${step}` }, client && { client });
  }
  const entries = await history(id);
  expect(entries.filter(({ revision: number }) => number !== undefined)).toHaveLength(bounds.revisions);
  expect(kinds(entries)).toContain('Unscheduled');
  expect(bodyIn(await revision(id, entries[0]?.revision))).toBe(`Step ${bounds.revisions + 4}`);
  expect((await owner.get(`/api/app/posts/${id}/changes/0`)).status).toBe(404);
  const big = 'x'.repeat(99_000);
  for (let step = 0; step < 45; step++) {
    const client = clients[step % 2];
    await service.asHuman('posts.setVersionText', { id, body: `${step} ${big}` }, client && { client });
  }
  const [kept] = await service.database.query(
    sql('test.bytes', 'select sum(bytes)::int as bytes from post_history where post_id = $1').holds<{
      bytes: number;
    }>(),
    [id],
  );
  expect(kept?.bytes).toBeLessThanOrEqual(bounds.revisionBytes);
  expect(kept?.bytes).toBeGreaterThan(bounds.revisionBytes / 2);
});

test('a post from before there was a history keeps its text when it is first changed', async () => {
  const { id } = await draft('Old');
  await service.database.query(sql('test.old', 'update posts set created_client = null where id = $1'), [id]);
  await write(id, 'New');
  const entries = await history(id);
  expect(kinds(entries)).toEqual(['Edited', 'Created']);
  expect(entries[1]?.client).toBeUndefined();
  expect(bodyIn(await revision(id, 0))).toBe('Old');
});

test('a viewer reads it, another workspace and a token do not', async () => {
  const { id } = await draft();
  const viewer = await service.addMember('viewer');
  const eyes = service.browser();
  await eyes.signIn(viewer.email);
  expect(kinds(await history(id, eyes))).toEqual(['Created']);
  const other = await service.addWorkspace();
  const stranger = service.browser();
  await stranger.signIn(other.email);
  for (const path of [`/api/app/posts/${id}/changes`, `/api/app/posts/${id}/changes/0`]) {
    expect((await stranger.get(path)).status).toBe(404);
    expect((await owner.get(path, { authorization: `Bearer ${service.token}` })).status).toBe(403);
  }
  expect((await owner.get(`/api/app/posts/${id}/changes/first`)).body.code).toBe('BadInput');
});

test('the id of a post tells when it was made, also after the clock was set back; within a millisecond ids go up', () => {
  const [later, earlier] = [new Date('2050-01-01T00:00:00Z'), new Date('2049-01-01T00:00:00Z')];
  newId('post', later);
  const [first, second] = [newId('post', earlier), newId('post', earlier)];
  expect(decodeTime(first.slice('post_'.length))).toBe(earlier.getTime());
  expect(first < second).toBe(true);
});
