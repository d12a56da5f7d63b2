import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/store/database';
import { modern, speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
let colleague: ReturnType<Service['browser']>;
let colleagueToken: string;
let mastodon: string;
let other: string;
beforeAll(async () => {
  service = await startService();
  owner = service.browser();
  await owner.signIn();
  const member = await service.addMember('editor');
  colleagueToken = member.token;
  colleague = service.browser();
  await colleague.signIn(member.email);
  mastodon = await service.connect('mastodon');
  other = await service.connect('mastodon');
});
afterAll(() => service.stop());

interface Written {
  readonly id: string;
  readonly file: string;
  readonly second: string;
}

const option = 'mastodon.visibility';
const input = ({ id, file }: Written) => ({
  id,
  accountIds: [mastodon],
  scheduledAt: '2126-01-01T00:00:00Z',
  versions: [
    { content: [{ body: 'Hello', media: [file] }], options: { [option]: 'public' } },
    { accountId: mastodon, content: [{ body: 'Hello Mastodon', media: [file] }] },
  ],
});

const write = async (): Promise<Written> => {
  const [file, second] = [await service.addMedia(), await service.addMedia()];
  for (const id of [file, second]) await owner.patch(`/api/media/${id}`, { alt: 'A cat' });
  const { id } = await service.client.posts.create({ body: 'Hello' });
  const written = { id, file, second };
  await service.client.posts.update(input(written));
  return written;
};

const agent = () => speak(service.url, service.token, modern);
const ask = async (id: string) => {
  const { result } = (await agent().call('posts_publishNow', { id })).body;
  expect(result.structuredContent).toMatchObject({ status: 'pending_approval' });
  return result.structuredContent.approvalUrl.split('/').at(-1) as string;
};

/** What can be changed by editing the post: each is something that would become public, or when, or where. */
const edits: [what: string, action: string, change: (written: Written) => object][] = [
  ['the text', 'posts.setVersionText', ({ id }) => ({ id, body: 'Buy now' })],
  ['the text of one account', 'posts.setVersionText', ({ id }) => ({ id, body: 'Buy now', accountId: mastodon })],
  ['one more item', 'posts.setVersionText', ({ id }) => ({ id, body: 'Buy now', accountId: mastodon, itemIndex: 1 })],
  ['an option', 'posts.setOption', ({ id }) => ({ id, key: option, value: 'private' })],
  [
    'an option of one account',
    'posts.setOption',
    ({ id }) => ({ id, key: option, value: 'private', accountId: mastodon }),
  ],
  ['the files', 'posts.update', (written) => input({ ...written, file: written.second })],
  ['the accounts', 'posts.update', (written) => ({ ...input(written), accountIds: [mastodon, other] })],
  ['the time', 'posts.update', (written) => ({ ...input(written), scheduledAt: '2126-01-02T00:00:00Z' })],
  [
    'the version of an account, which is taken away',
    'posts.update',
    (written) => ({ ...input(written), versions: input(written).versions.slice(0, 1) }),
  ],
];

type Door = (action: string, change: object) => Promise<{ status: number; body: { code?: string } }>;
const byToken =
  (token: () => string): Door =>
  (action, change) =>
    service.call(action, change, { authorization: `Bearer ${token()}` });
const byMcp: Door = async (action, change) => {
  const { status, body } = await agent().call(action.replace('.', '_'), change);
  expect(body.result.isError).toBe(false);
  return { status, body: body.result.structuredContent };
};
const inApp =
  (browser: () => ReturnType<Service['browser']>): Door =>
  (action, change) =>
    browser().post(`/api/app/actions/${action}`, change);

const agents: [string, Door][] = [
  ['a token', byToken(() => service.token)],
  ["another user's token", byToken(() => colleagueToken)],
  ['MCP', byMcp],
];
const people: [string, Door][] = [
  ['the app', inApp(() => owner)],
  ['the app of another user', inApp(() => colleague)],
];

const mustBeOutdated = async (card: string, id: string) => {
  const before = await service.client.posts.get({ id });
  expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Outdated');
  expect(await owner.post(`/api/approvals/${card}/approve`)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
  expect(await service.client.posts.get({ id })).toEqual(before);
};

describe('what is changed after the request is not approved with it', () => {
  for (const [door, change] of [...agents, ...people]) {
    test.each(edits)(`%s, through ${door}`, async (_, action, changed) => {
      const written = await write();
      const card = await ask(written.id);
      expect((await change(action, changed(written))).status).toBe(200);
      // Not looked at in between: approving alone has to notice.
      expect(await owner.post(`/api/approvals/${card}/approve`)).toMatchObject({
        status: 409,
        body: { code: 'Conflict' },
      });
      await mustBeOutdated(card, written.id);
    });
  }

  test.each([
    ['its user', () => owner],
    ['another user', () => colleague],
  ])('the alternative text of a file, by %s in the app', async (_, browser) => {
    for (const alt of ['Buy now', '']) {
      const { id, file } = await write();
      const card = await ask(id);
      expect((await browser().patch(`/api/media/${file}`, { alt })).status).toBe(200);
      await mustBeOutdated(card, id);
    }
  });

  test('an account, which is disconnected', async () => {
    const gone = await service.connect('mastodon');
    const { id } = await service.client.posts.create({ body: 'Hello', accountIds: [gone, mastodon] });
    const card = await ask(id);
    await owner.post('/api/app/actions/accounts.delete', { id: gone });
    await mustBeOutdated(card, id);
  });

  test('its state: it is scheduled, published or deleted by a person', async () => {
    for (const [action, more] of [
      ['posts.schedule', { at: '2126-01-01T00:00:00Z' }],
      ['posts.publishNow', {}],
    ] as const) {
      const { id } = await write();
      const card = await ask(id);
      expect((await owner.post(`/api/app/actions/${action}`, { id, ...more })).status).toBe(200);
      await mustBeOutdated(card, id);
    }
    const { id } = await write();
    const card = await ask(id);
    await owner.post('/api/app/actions/posts.delete', { id });
    expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Outdated');
    expect((await owner.post(`/api/approvals/${card}/approve`)).status).toBe(409);
  });
});

describe('a token', () => {
  const authorization = () => ({ authorization: `Bearer ${service.token}`, 'content-type': 'application/json' });
  const patch = (file: string) =>
    service.request('PATCH', `/api/media/${file}`, { headers: authorization(), body: '{"alt":"Buy now"}' });
  const remove = (file: string) => service.request('DELETE', `/api/media/${file}`, { headers: authorization() });

  test('adds files and does nothing else to them, used or not', async () => {
    const { id, file } = await write();
    const card = await ask(id);
    for (const answer of [await patch(file), await remove(file), await patch(await service.addFile())]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    }
    expect((await owner.get(`/api/approvals/${card}`)).body).toMatchObject({
      status: 'Open',
      media: [{ alt: 'A cat' }],
    });
    expect((await owner.post(`/api/approvals/${card}/approve`)).body.status).toBe('Approved');
  });

  test('nor does a person take a file away from a post', async () => {
    const { id, file } = await write();
    const card = await ask(id);
    expect(await owner.delete(`/api/media/${file}`)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Open');
  });
});

describe('a Scheduled post', () => {
  const schedule = async () => {
    const written = await write();
    await service.asHuman('posts.schedule', { id: written.id, at: '2126-01-01T00:00:00Z' });
    return written;
  };

  for (const [door, change] of agents) {
    test.each(edits)(`keeps %s: ${door} asks a human`, async (_, action, changed) => {
      const written = await schedule();
      const before = await service.client.posts.get({ id: written.id });
      const { status, body } = await change(action, changed(written));
      if (change === byMcp) expect(body).toMatchObject({ status: 'pending_approval' });
      else expect({ status, code: body.code }).toEqual({ status: 403, code: 'ApprovalRequired' });
      expect(await service.client.posts.get({ id: written.id })).toEqual(before);
    });
  }

  test('keeps the alternative texts of its files from agents, and a person may change them', async () => {
    const { id, file } = await schedule();
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const answer = await service.request('PATCH', `/api/media/${file}`, { headers, body: '{"alt":"Buy now"}' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    const { result } = (await agent().call('posts_delete', { id })).body;
    expect((await owner.patch(`/api/media/${file}`, { alt: 'A cat on a mat' })).body.alt).toBe('A cat on a mat');
    await mustBeOutdated(result.structuredContent.approvalUrl.split('/').at(-1), id);
  });
});

test('what the card shows is what the network gets', async () => {
  const own = await startService();
  own.startJobs();
  const browser = own.browser();
  await browser.signIn();
  const account = await own.connect('mastodon');
  const file = await own.addFile();
  await browser.patch(`/api/media/${file}`, { alt: 'A cat' });
  const { id } = await own.client.posts.create({ body: '' });
  const versions = [{ content: [{ body: 'Shown and sent', media: [file] }], options: { [option]: 'unlisted' } }];
  await own.client.posts.update({ id, accountIds: [account], versions });
  const { result } = (await speak(own.url, own.token, modern).call('posts_publishNow', { id })).body;
  const card = result.structuredContent.approvalUrl.split('/').at(-1);
  const shown = (await browser.get(`/api/approvals/${card}`)).body;
  await browser.post(`/api/approvals/${card}/approve`);
  await until('it is published', async () => (await own.client.posts.get({ id })).status === 'Published');
  const [sent] = await own.feed('mastodon');
  expect(sent?.text).toContain(shown.post.versions[0].content[0].body);
  const uploads = await own.database.query(
    sql('test.uploads', "select value ->> 'description' as alt from sandbox_records where kind = 'upload'"),
  );
  expect(uploads).toEqual([{ alt: shown.media[0].alt }]);
  await own.stop();
});
