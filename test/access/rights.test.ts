import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Role } from '#contracts/scopes';
import { readContracts } from '#scripts/contracts';
import { sql } from '#server/base/store/database';
import { linkCards } from '#server/networks/bluesky/link-card';
import { lockAwaited } from '#test/support/locks';
import { changedTables, readRows } from '#test/support/rows';
import { type Answer, type Service, startService } from '#test/support/service';

/** Requests that were admitted, and whose sender loses the right before their transaction writes. */

vi.setConfig({ testTimeout: 120_000 });

const contracts = await readContracts(process.cwd());
const at = '2126-11-16T08:00:00Z';

type Browser = ReturnType<Service['browser']>;
let service: Service;
let owner: Browser;
let accountId: string;
let postId: string;
let scheduledId: string;
let webhook: string;
let mediaId: string;
let unusedId: string;
let binnedId: string;
let deliveryId: string;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '100000' });
  owner = service.browser();
  await owner.signIn();
  accountId = await service.connect('bluesky');
  postId = (await service.client.posts.create({ body: 'Hello', accountIds: [accountId] })).id;
  mediaId = await service.addFile();
  const scheduled = {
    accountIds: [accountId],
    versions: [{ accountId: '', content: [{ body: 'Later', media: [mediaId] }] }],
  };
  scheduledId = (await owner.post('/api/app/actions/posts.create', { ...scheduled, scheduledAt: at })).body.id;
  webhook = `/api/webhooks/${(await owner.post('/api/webhooks/test-receiver')).body.id}`;
  deliveryId = (await owner.post(`${webhook}/test`)).body.id;
  unusedId = await service.addFile();
  binnedId = (await service.client.posts.create({ body: 'Gone', accountIds: [] })).id;
  await owner.post('/api/app/actions/posts.delete', { id: binnedId });
});
afterAll(() => service.stop());
beforeEach(() => vi.restoreAllMocks());

const enter = async (role: Role) => {
  const { userId, email } = await service.addMember(role);
  const browser = service.browser();
  await browser.signIn(email);
  return { userId, browser };
};

type Write = (browser: Browser) => Promise<Answer>;
const act =
  (action: string, input: object): Write =>
  (browser) =>
    browser.post(`/api/app/actions/${action}`, input);
const upload: Write = (browser) => {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from('%PDF-1.4\n%%EOF')]), 'horn.pdf');
  return service.request('POST', '/api/media', {
    headers: { cookie: browser.cookie(), origin: service.config.baseUrl },
    body: form,
  });
};

/** Whatever becomes public or lasts, by name. */
const writes = (): Record<string, Write> => ({
  'a draft with a time': act('posts.create', { body: 'Hello', accountIds: [accountId], scheduledAt: at }),
  'the text of a scheduled post': act('posts.setVersionText', {
    id: scheduledId,
    accountId,
    itemIndex: 0,
    body: 'New',
  }),
  'the text of a file in a scheduled post': (browser) => browser.patch(`/api/media/${mediaId}`, { alt: 'A horn' }),
  upload,
  createToken: (browser) => browser.post('/api/auth/tokens', { name: 'Later' }),
  makeShare: (browser) => browser.post(`/api/app/posts/${postId}/shares`, { days: 7 }),
  changeWorkspace: (browser) => browser.patch('/api/app/workspace', { name: 'Mine' }),
  beginConnection: (browser) =>
    browser.post('/api/app/connections', { network: 'bluesky', values: { handle: 'second', password: 'second' } }),
  addWebhook: (browser) => browser.post('/api/webhooks', { url: 'https://93.184.216.34/', events: ['post.published'] }),
  changeWebhook: (browser) => browser.patch(webhook, { events: ['post.published'] }),
  rotateSecret: (browser) => browser.post(`${webhook}/rotate-secret`),
  resumeWebhook: (browser) => browser.post(`${webhook}/resume`),
  testWebhook: (browser) => browser.post(`${webhook}/test`),
  resendDelivery: (browser) => browser.post(`${webhook}/deliveries/${deliveryId}/resend`),
  removeWebhook: (browser) => browser.delete(webhook),
  removeMedia: (browser) => browser.delete(`/api/media/${unusedId}`),
  'a draft into the bin': act('posts.delete', { id: postId }),
  restoreFromBin: (browser) => browser.post(`/api/app/bin/${binnedId}/restore`),
  deleteForGood: (browser) => browser.delete(`/api/app/bin/${binnedId}`),
  emptyBin: (browser) => browser.delete('/api/app/bin'),
  confirmFound: (browser) => browser.post(`/api/app/posts/${postId}/found`, { accountIds: [accountId] }),
  askDeletion: (browser) => browser.post('/api/app/workspace/deletion', { name: 'Demo' }),
  ...Object.fromEntries(needApproval()),
});

/** Every action and route that a person who may not publish has to ask for. */
const needApproval = (): [string, Write][] => [
  ...contracts.actions.flatMap(({ name, action }): [string, Write][] => {
    if (action.kind !== 'NeedsApproval') return [];
    const id =
      action.approval?.subject === 'account' ? accountId : action.approval?.areDraftsFree ? scheduledId : postId;
    return [[name, act(name, { id, ...('at' in action.input.shape && { at }) })]];
  }),
  ...contracts.routes.flatMap(({ name, route }): [string, Write][] => {
    if (route.approval?.subject !== 'post') return [];
    const id = /-again$/.test(route.path) ? postId : scheduledId;
    const { shape = {} } = route.body ?? {};
    const body = { ...('accountIds' in shape && { accountIds: [accountId] }) };
    return [[name, (browser) => browser.post(route.path.replace(':id', id), body)]];
  }),
];

const lose = (change: string) => sql(`test.${change}`, `${change} where user_id = $1`);
const remove = lose('delete from members');
const demote = lose("update members set role = 'viewer'");

test.each([
  ['who was removed', remove, /no longer a member/],
  ['whose role was lowered', demote, /just changed to viewer/],
])(
  'nothing becomes public and nothing lasts of a member %s after the request was admitted',
  async (_what, statement, message) => {
    const { database } = service;
    const outcomes: Record<string, unknown> = {};
    for (const [name, write] of Object.entries(writes())) {
      const { userId, browser } = await enter('owner');
      const before = await readRows(service);
      let answer: Promise<Answer> | undefined;
      await database.transaction(async () => {
        await database.run(statement, [userId]);
        answer = database.outside(() => write(browser));
        await Promise.race([lockAwaited(service), answer]);
      });
      const { status, body } = (await answer) as Answer;
      // The simulated network keeps that somebody signed in there.
      const changed = changedTables(before, await readRows(service)).filter((table) => !table.startsWith('sandbox_'));
      outcomes[name] = { status, code: body.code, message: body.message, changed };
    }
    const refused = { status: 403, code: 'Forbidden', message: expect.stringMatching(message), changed: ['members'] };
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(writes()).map((name) => [name, refused])));
  },
);

test('a post whose pages were still being read when only approvers may publish stays a draft', async () => {
  const { browser } = await enter('editor');
  const { body: post } = await browser.post('/api/app/actions/posts.create', {
    ...{ body: 'Read https://example.com/bread', accountIds: [accountId] },
  });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reading = new Promise<void>((resolve) => {
    vi.spyOn(linkCards, 'read').mockImplementation(async (_site, uri) => {
      resolve();
      await held;
      return { uri, title: 'Bread', description: '' };
    });
  });
  const publish = () => browser.post('/api/app/actions/posts.publishNow', { id: post.id });
  const answer = publish();
  await reading;
  await owner.patch('/api/app/workspace', { publishers: 'approvers' });
  release();
  const { status, body } = await answer;
  expect({ status, code: body.code, message: body.message }).toEqual({
    status: 403,
    code: 'Forbidden',
    message: 'Only approvers publish in this workspace now, so nothing was done. Try again to ask one of them.',
  });
  expect((await browser.post('/api/app/actions/posts.get', { id: post.id })).body.status).toBe('Draft');
  // Trying again asks.
  expect((await publish()).body.code).toBe('ApprovalRequired');
});
