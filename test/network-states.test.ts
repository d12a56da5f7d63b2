import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Network, NetworkPost } from '#server/networks/network';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';
import { networks, type PostExample, postOf } from '#test/support/networks';
import { createPublisher, type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';

/** What every new operator meets before an app is reviewed, paid for or set up: who says what to do about it. */

let sandbox: SandboxNetworks;
let publisher: ReturnType<typeof createPublisher>;
beforeAll(async () => {
  sandbox = await startSandboxNetworks();
  publisher = createPublisher(sandbox);
});
afterAll(() => sandbox.stop());

const networkOf = (key: string): Network => {
  const found = networks.find((one) => one.key === key);
  if (found === undefined) throw new Error(`no network ${key}`);
  return found.network;
};

const publishAs = async (
  key: string,
  { handle, without, ...example }: { handle: string; without?: string[] } & Omit<PostExample, 'title'>,
) => {
  const network = networkOf(key);
  const { account, site } = await sandbox.connect(network, { handle, ...(without && { without }) });
  const post: NetworkPost = postOf(network, example);
  return publisher.publish(network, site, account, await sandbox.withBytes(post));
};

const refused = async (work: Promise<unknown>): Promise<NetworkTrouble> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof NetworkTrouble) return error;
  throw error ?? new Error('it was taken');
};

const film = { body: 'Hello', media: ['video/mp4'] };
const photo = { body: 'Hello', media: ['image/jpeg'] };

const states: [
  state: string,
  network: string,
  post: Parameters<typeof publishAs>[1],
  kind: TroubleKind,
  message: RegExp,
][] = [
  [
    'an app without credits',
    'x',
    { handle: 'nocredits', items: [{ body: 'Hello' }] },
    'temporary',
    /out of credits: its operator has to buy more/,
  ],
  [
    'an app that was not reviewed',
    'tiktok',
    { handle: 'unaudited', items: [film], options: { 'tiktok.privacy': 'PUBLIC_TO_EVERYONE' } },
    'content',
    /choose that, or ask the operator to apply for the review/,
  ],
  [
    'photos from an address that was not verified',
    'tiktok',
    { handle: 'unverified', items: [photo], options: { 'tiktok.privacy': 'PUBLIC_TO_EVERYONE' } },
    'media',
    /add the address of BASE_URL/,
  ],
  [
    'a project that was not audited',
    'youtube',
    { handle: 'unaudited', items: [film] },
    'permission',
    /locked it as private.*operator applies for the audit/,
  ],
  [
    'a quota that is used up',
    'youtube',
    { handle: 'noquota', items: [film] },
    'rateLimited',
    /goes on after midnight in California/,
  ],
  ['fifty posts in a day', 'instagram', { handle: 'fifty', items: [photo] }, 'rateLimited', /maximum number of posts/],
  [
    'no permission for Pages',
    'facebook',
    { handle: 'anna', without: ['pages_manage_posts'], items: [{ body: 'Hello' }] },
    'permission',
    /Connect it again and grant everything/,
  ],
  [
    'a product that the app lacks',
    'linkedin_page',
    { handle: 'anna', without: ['w_organization_social'], items: [{ body: 'Hello' }] },
    'permission',
    /grant every permission/,
  ],
];

test.each(states)('%s (%s): the message says what to do', async (_state, key, post, kind, message) => {
  const trouble = await refused(publishAs(key, post));
  expect(trouble.kind).toBe(kind);
  expect(trouble.message).toMatch(message);
});

test('TikTok: an app that was not reviewed still takes what only you can see', async () => {
  const only = { handle: 'unaudited', items: [film], options: { 'tiktok.privacy': 'SELF_ONLY' } };
  expect(await publishAs('tiktok', only)).toHaveLength(1);
});

test('YouTube: a project that was not audited still takes private videos', async () => {
  const only = { handle: 'unaudited', items: [film], options: { 'youtube.privacy': 'private' } };
  expect(await publishAs('youtube', only)).toHaveLength(1);
});

test('LinkedIn: an app of self-service gets no refresh token, and the account is connected again after 60 days', async () => {
  const network = networkOf('linkedin');
  const { account, site } = await sandbox.connect(network, { handle: 'selfserve' });
  expect(account.tokens.refreshToken).toBeUndefined();
  expect(account.tokens.expiresAt).toBeDefined();
  expect((await refused(network.refresh(site, account))).kind).toBe('token');
});

test('LinkedIn: only pages that the person may write for are offered', async () => {
  const { accounts } = await sandbox.connect(networkOf('linkedin_page'), { handle: 'anna' });
  expect(accounts.map(({ handle }) => handle)).toEqual(['anna-bakery', 'anna-roastery']);
});

describe('numbers', () => {
  const numbersOf = async (key: string, without: string[], handle = 'anna') => {
    const network = networkOf(key);
    const { account, site } = await sandbox.connect(network, { handle, without });
    const post = await sandbox.withBytes(postOf(network, { items: [{ body: `Counted ${key} ${without}` }] }));
    const publishedAt = sandbox.clock.now().toISOString();
    const [first] = await publisher.publish(network, site, account, post);
    sandbox.forward(1_800_000);
    const published = { externalId: first?.externalId ?? '', publishedAt, ref: first?.ref ?? null };
    return network.readMetrics(site, account, [published]);
  };

  test('Facebook: without the permission for comments all others are told', async () => {
    const [reading] = await numbersOf('facebook', ['pages_read_user_content']);
    if (reading?.is !== 'numbers') throw new Error(`it was ${reading?.is}`);
    expect(Object.keys(reading.metrics).sort()).toEqual(['likes', 'reach', 'shares', 'views']);
  });

  test('Threads: somebody who is no tester connects, and the first read finds that the permission is missing', async () => {
    expect((await refused(numbersOf('threads', ['threads_manage_insights']))).kind).toBe('permission');
    expect(await numbersOf('threads', [])).toMatchObject([{ is: 'numbers' }]);
  });
});
