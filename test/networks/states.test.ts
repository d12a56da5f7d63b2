import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Confirmation, Network, NetworkPost, PublishMedia, Site, Tokens } from '#server/networks/network';
import type { NetworkRequest } from '#server/networks/request';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';
import { networks, type PostExample, postOf } from '#test/support/networks';
import { createPublisher, prepareFully, type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';

/** What every new operator meets before an app is reviewed, paid for or set up. The message says who must do what. */

let sandbox: SandboxNetworks;
let publisher: ReturnType<typeof createPublisher>;
beforeAll(async () => {
  sandbox = await startSandboxNetworks({ hangsUp: true });
  publisher = createPublisher(sandbox);
});
afterAll(() => sandbox.stop());

const networkOf = (key: string): Network => {
  const entry = networks.find((one) => one.key === key);
  if (entry === undefined) throw new Error(`no network ${key}`);
  return entry.network;
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
    'five drafts that nobody finished',
    'tiktok',
    { handle: 'fivedrafts', items: [film], options: { 'tiktok.privacy': 'SELF_ONLY', 'tiktok.mode': 'draft' } },
    'rateLimited',
    /Try again tomorrow/,
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
    /continues after midnight Pacific time/,
  ],
  ['fifty posts in a day', 'instagram', { handle: 'fifty', items: [photo] }, 'rateLimited', /maximum number of posts/],
  [
    'a location without a place on the map',
    'instagram',
    { handle: 'anna', items: [photo], options: { 'instagram.location_id': '404' } },
    'content',
    /INVALID_LOCATION_ID/,
  ],
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

test('what the app as a whole may not do was certainly not done', async () => {
  const broke = await refused(publishAs('x', { handle: 'nocredits', items: [{ body: 'Hello' }] }));
  const network = networkOf('linkedin');
  const { account, site } = await sandbox.connect(network);
  const old = {
    ...site,
    setting: (name: string, byDefault: string) => (name === 'LINKEDIN_VERSION' ? '202401' : byDefault),
  };
  const post = await sandbox.withBytes(postOf(network, { items: [{ body: 'Hello' }] }));
  const sending = sandbox.sending(network, account, post);
  const ended = await refused(network.send(old, sending, { media: [], processing: [] }));
  expect([broke.reached, ended.reached]).toEqual([false, false]);
});

test('TikTok: an app that was not reviewed still takes what only you can see', async () => {
  const only = { handle: 'unaudited', items: [film], options: { 'tiktok.privacy': 'SELF_ONLY' } };
  expect(await publishAs('tiktok', only)).toHaveLength(1);
});

test('TikTok: an account that did not allow drafts is told to connect again, and posts all the same', async () => {
  const network = networkOf('tiktok');
  const { account } = await sandbox.connect(network, { without: ['video.upload'] });
  const options = { 'tiktok.privacy': 'SELF_ONLY', 'tiktok.mode': 'draft' };
  expect(network.check(postOf(network, { items: [film], options }), account.facts)).toMatchObject([
    { path: 'options.tiktok.mode', message: expect.stringMatching(/connect it again/) },
  ]);
  expect(
    await publishAs('tiktok', {
      handle: 'anna',
      without: ['video.upload'],
      items: [film],
      options: { 'tiktok.privacy': 'SELF_ONLY' },
    }),
  ).toHaveLength(1);
});

test('YouTube: a project that was not audited still takes private videos', async () => {
  const only = { handle: 'unaudited', items: [film], options: { 'youtube.privacy': 'private' } };
  expect(await publishAs('youtube', only)).toHaveLength(1);
});

describe('YouTube: what follows a video that is out', () => {
  const wish = {
    items: [film],
    options: {
      'youtube.playlist': 'PLbaking',
      'youtube.language': 'en',
      'youtube.captions': 'WEBVTT\n\n00:00.000 --> 00:02.000\nBread',
    },
    optionFiles: { 'youtube.thumbnail': 'image/jpeg' },
  };

  test('does not fail the post: a channel without thumbnails of its own gets a note', async () => {
    const [out] = await publishAs('youtube', { handle: 'nothumbnail', ...wish });
    expect(out).toMatchObject({
      url: expect.any(String),
      note: expect.stringMatching(/without its thumbnail: set it/),
    });
    expect(out?.note).not.toMatch(/playlist/);
  });

  test('is tried again while YouTube is not available, and given up with a note', async () => {
    await sandbox.sandboxes.planFault('youtube', 'upload', undefined);
    const network = networkOf('youtube');
    const { account, site } = await sandbox.connect(network, { handle: 'anna' });
    const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, wish)));
    const prepared = await prepareFully(sandbox, network, site, sending);
    let end: Confirmation<unknown> = await network.send(site, sending, prepared);
    await sandbox.sandboxes.planFault('youtube', 'upload', { fault: '503', times: 6 });
    for (let turn = 0; end.is === 'waiting' && turn < 10; turn++)
      end = await network.confirm(site, sending, end.prepared);
    await sandbox.sandboxes.planFault('youtube', 'upload', undefined);
    expect(end).toMatchObject({ is: 'sent', sent: { note: expect.stringMatching(/thumbnail/) } });
  });

  test('is done once, also when the process ends before it is written down', async () => {
    const network = networkOf('youtube');
    const { account, site } = await sandbox.connect(network, { handle: 'anna' });
    const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, wish)));
    const prepared = await prepareFully(sandbox, network, site, sending);
    const taken = await network.send(site, sending, prepared);
    if (taken.is !== 'waiting') throw new Error(taken.is);
    await network.confirm(site, sending, taken.prepared);
    const end = await network.confirm(site, sending, prepared);
    if (end.is !== 'sent') throw new Error(end.is);
    const feed = await sandbox.sandboxes.feed('youtube', 50);
    expect(feed.find(({ id }) => id === end.sent.externalId)?.data).toMatchObject({
      playlists: ['PLbaking'],
      captions: ['en en'],
    });
  });

  test('ends after an hour with a note of what is missing, also when the file cannot be read', async () => {
    const network = networkOf('youtube');
    const { account, site } = await sandbox.connect(network, { handle: 'anna' });
    const post = withUnreadable(await sandbox.withBytes(postOf(network, wish)));
    const sending = sandbox.sending(network, account, post);
    const taken = await network.send(site, sending, await prepareFully(sandbox, network, site, sending));
    if (taken.is !== 'waiting') throw new Error(taken.is);
    const first = await network.confirm(site, sending, taken.prepared);
    if (first.is !== 'waiting') throw new Error(first.is);
    const video = { externalId: expect.any(String), note: expect.stringMatching(/without its thumbnail: set it/) };
    expect([taken.out, first.out]).toMatchObject([video, video]);
    const second = await network.confirm(site, sending, first.prepared);
    if (second.is !== 'waiting') throw new Error(second.is);
    expect(await network.confirm(site, sending, second.prepared)).toMatchObject({ is: 'sent', sent: video });
  });

  test('needs a permission that can be refused: connecting works, and the issue says what to do', async () => {
    const network = networkOf('youtube');
    const without = ['https://www.googleapis.com/auth/youtube.force-ssl'];
    const { account } = await sandbox.connect(network, { without });
    const options = {
      'youtube.playlist': 'PLbaking',
      'youtube.captions': 'WEBVTT',
      'youtube.language': 'en',
      'youtube.first_comment': 'First',
    };
    const post = postOf(network, { items: [film], options });
    expect(network.check(post, account.facts).map(({ path }) => path)).toEqual([
      'options.youtube.playlist',
      'options.youtube.captions',
      'options.youtube.first_comment',
    ]);
    expect(await publishAs('youtube', { handle: 'anna', without, items: [film] })).toHaveLength(1);
  });
});

/** Its option files are gone from the disk. */
const withUnreadable = (post: NetworkPost<PublishMedia>): NetworkPost<PublishMedia> => ({
  ...post,
  optionFiles: Object.fromEntries(
    Object.entries(post.optionFiles ?? {}).map(([key, file]) => [
      key,
      { ...file, read: () => Promise.reject(new Error('no such file')) },
    ]),
  ),
});

describe('Facebook: a video of the feed', () => {
  const begun = async (text: string) => {
    const network = networkOf('facebook');
    const { account, site } = await sandbox.connect(network, { handle: 'nochunks' });
    const post = postOf(network, { items: [{ body: text, media: ['video/mp4'] }] });
    const sending = sandbox.sending(network, account, await sandbox.withBytes(post));
    return { network, site, sending, prepared: await prepareFully(sandbox, network, site, sending) };
  };

  test('goes out whole, with the token of the Page, where the three phases are refused', async () => {
    const options = { 'facebook.video_title': 'How we bake' };
    const [out] = await publishAs('facebook', { handle: 'nochunks', items: [film], options });
    const shown = (await sandbox.sandboxes.feed('facebook', 50)).find(({ id }) => id === out?.externalId);
    expect(shown).toMatchObject({ text: 'Hello', data: { type: 'video', title: 'How we bake' } });
  });

  test('that went out whole is found again by its text, and is never called missing', async () => {
    const lost = await begun('A film [sandbox:lost]');
    expect((await refused(lost.network.send(lost.site, lost.sending, lost.prepared))).kind).toBe('unknown');
    expect((await lost.network.confirm(lost.site, lost.sending, lost.prepared)).is).toBe('sent');
    const never = await begun('Another film [sandbox:hang]');
    expect((await refused(never.network.send(never.site, never.sending, never.prepared))).kind).toBe('unknown');
    expect((await never.network.confirm(never.site, never.sending, never.prepared)).is).toBe('unknown');
  });

  test('is out without the cover that Facebook refuses, with a note', async () => {
    const optionFiles = { 'facebook.cover': 'image/jpeg' };
    const [out] = await publishAs('facebook', { handle: 'nocover', items: [film], optionFiles });
    expect(out).toMatchObject({ url: expect.any(String), note: expect.stringMatching(/without its cover/) });
  });

  test('is out without the cover that cannot be read, with a note', async () => {
    const network = networkOf('facebook');
    const { account, site } = await sandbox.connect(network, { handle: 'anna' });
    const written = postOf(network, { items: [film], optionFiles: { 'facebook.cover': 'image/jpeg' } });
    const post = withUnreadable(await sandbox.withBytes(written));
    const [out] = await publisher.publish(network, site, account, post);
    expect(out).toMatchObject({ url: expect.any(String), note: expect.stringMatching(/without its cover/) });
  });
});

describe('a network that answers nonsense while media come in is trouble, not a loop', () => {
  const begins = async (key: string, change: (url: string, json: unknown) => unknown) => {
    const network = networkOf(key);
    const { account, site } = await sandbox.connect(network);
    const request: Site['request'] = async (asked) => {
      const answer = await site.request(asked);
      return { ...answer, json: change(asked.url, answer.json) };
    };
    const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, { items: [film] })));
    return refused(network.prepare({ ...site, request }, sending));
  };

  test('Facebook: an offset that does not advance', async () => {
    const change = (_: string, json: unknown) => ({ ...(json as object), start_offset: '0', end_offset: '1000' });
    expect((await begins('facebook', change)).message).toMatch(/asked for a wrong part/);
  });

  test('LinkedIn: parts that are not those of the video', async () => {
    const change = (url: string, json: unknown) => {
      if (!url.includes('/rest/videos?action=initializeUpload')) return json;
      const { value } = json as { value: { uploadInstructions: object[] } };
      return {
        value: { ...value, uploadInstructions: value.uploadInstructions.map((one) => ({ ...one, firstByte: 5 })) },
      };
    };
    expect((await begins('linkedin', change)).message).toMatch(/not those of the video/);
  });

  test('Threads: a container that is over as soon as it is made', async () => {
    const change = (_: string, json: unknown) => ({ ...(json as object), status: 'EXPIRED' });
    expect((await begins('threads', change)).networkCode).toBe('EXPIRED');
  });
});

describe('a post that was changed after its answer was lost', () => {
  const begun = async (key: string, before: PostExample, after: PostExample) => {
    const network = networkOf(key);
    const { account, site } = await sandbox.connect(network, { handle: 'changer' });
    const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, before)));
    const prepared = await prepareFully(sandbox, network, site, sending);
    await sandbox.sandboxes.planFault(key, 'publish', { fault: 'lost', times: 1 });
    await refused(network.send(site, sending, prepared));
    const changed = await sandbox.withBytes(postOf(network, after));
    return network.confirm(site, { ...sending, post: changed }, prepared);
  };

  test('Pinterest: is looked for on the board and by the title it was sent with', async () => {
    const pin = (board: string, title: string) => ({
      title,
      items: [{ body: 'A pin', media: ['image/jpeg'] }],
      options: { 'pinterest.board': board, 'pinterest.title': title },
    });
    const found = await begun('pinterest', pin('549755885175', 'Rye'), pin('549755885176', 'Rye bread'));
    expect(found.is).toBe('sent');
  });

  test('Facebook: a story is not called missing because it is none among the posts', async () => {
    const as = (type: string) => ({ title: type, items: [photo], options: { 'facebook.type': type } });
    expect((await begun('facebook', as('story'), as('post'))).is).toBe('unknown');
  });
});

test('Facebook: a comment of somebody else in the same words is not ours', async () => {
  const network = networkOf('facebook');
  const { account, site } = await sandbox.connect(network);
  const items = [{ body: 'A post with a comment' }, { body: 'First!' }];
  const post = await sandbox.withBytes(postOf(network, { items }));
  const out = await publisher.publish(network, site, account, post);
  const request: Site['request'] = async (asked) => {
    const answer = await site.request(asked);
    const { data } = answer.json as { data?: object[] };
    return { ...answer, json: { data: data?.map((one) => ({ ...one, from: { id: '1' } })) } };
  };
  const sending = { ...sandbox.sending(network, account, post, out.slice(0, 1)), since: new Date(0) };
  expect((await network.confirm(site, sending, { photos: [], asked: 0 })).is).toBe('sent');
  expect((await network.confirm({ ...site, request }, sending, { photos: [], asked: 0 })).is).toBe('absent');
});

test('Pixelfed: a comment that a full list does not show may be there all the same', async () => {
  const network = networkOf('pixelfed');
  const { account, site } = await sandbox.connect(network, { handle: 'chatty' });
  const commented = async (comment: string) =>
    sandbox.withBytes(postOf(network, { items: [{ body: 'A photo', media: ['image/jpeg'] }, { body: comment }] }));
  const [first] = await publisher.publish(network, site, account, await commented('Comment 0'));
  if (first === undefined) throw new Error('nothing is out');
  const comment = async (text: string) => sandbox.sending(network, account, await commented(text), [first]);
  const nothing = { mediaIds: [], processing: [] };
  const unsent = await comment('Lost');
  expect((await network.confirm(site, unsent, nothing)).is).toBe('absent');
  for (let count = 1; count < 20; count++) await network.send(site, await comment(`Comment ${count}`), nothing);
  await network.send(site, unsent, nothing);
  expect((await network.confirm(site, unsent, nothing)).is).toBe('unknown');
});

test('YouTube: a comment of somebody else in the same words is not ours', async () => {
  const network = networkOf('youtube');
  const { account, site } = await sandbox.connect(network);
  const options = { 'youtube.title': 'A film', 'youtube.first_comment': 'First!' };
  const post = await sandbox.withBytes(postOf(network, { items: [film], options }));
  const out = await publisher.publish(network, site, account, post);
  const sending = { ...sandbox.sending(network, account, post, out.slice(0, 1)), since: new Date(0) };
  expect((await network.confirm(site, sending, { session: '' })).is).toBe('sent');
  const reader = { ...sending, account: { ...account, id: 'UC1' } };
  expect((await network.confirm(site, reader, { session: '' })).is).toBe('unknown');
});

describe('Bluesky: media that', () => {
  const network = networkOf('bluesky');

  test('the server lost are uploaded again, and nothing is out', async () => {
    const { account, site } = await sandbox.connect(network);
    const post = await sandbox.withBytes(postOf(network, { items: [photo] }));
    const sending = sandbox.sending(network, account, post);
    const { prepared } = await network.prepare(site, sending);
    const { blobs } = prepared as { blobs: object[] };
    const lost = { ...(prepared as object), blobs: blobs.map((blob) => ({ ...blob, ref: { $link: 'bafkreilost' } })) };
    const trouble = await refused(network.send(site, sending, lost));
    expect({ kind: trouble.kind, reached: trouble.reached }).toEqual({ kind: 'temporary', reached: false });
  });

  test('the server does not take are refused in words that say why', async () => {
    await sandbox.sandboxes.planFault('bluesky', 'upload', { fault: 'media-refused', times: 1 });
    const trouble = await refused(publishAs('bluesky', { handle: 'anna', items: [photo] }));
    expect(trouble.message).toBe(
      'Bluesky refused the media: the server of the account accepts no file as large as this one',
    );
  });
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
  expect(accounts.map(({ handle }) => handle)).toEqual(['anna-bakery', 'anna-roastery', 'anna-mill']);
});

describe('a quoted post', () => {
  const bodies = ['x', 'threads', 'bluesky', 'mastodon'];
  let count = 0;

  /** A post of Berta's on this network, and Anna who quotes it. */
  const quoting = async (key: string, options: Record<string, string> = {}) => {
    const network = networkOf(key);
    const berta = await sandbox.connect(network, { handle: key === 'bluesky' ? 'berta.example' : 'berta' });
    const post = postOf(network, { items: [{ body: `Quote me ${++count}` }], options });
    const [quoted] = await publisher.publish(network, berta.site, berta.account, await sandbox.withBytes(post));
    const anna = await sandbox.connect(network, { handle: key === 'bluesky' ? 'anna.example' : 'anna' });
    const quote = async (value: string, media: string[] = []) => {
      const items = [{ body: `See this ${++count}`, media }, { body: `and more ${count}` }];
      const wanted = postOf(network, { items, options: { [`${key}.quote`]: value } });
      const out = await publisher.publish(network, anna.site, anna.account, await sandbox.withBytes(wanted));
      const feed = await sandbox.sandboxes.feed(key, 50);
      return out.map(({ externalId }) => feed.find(({ id }) => id === externalId)?.data as Record<string, unknown>);
    };
    return { quote, id: quoted?.externalId ?? '', url: quoted?.url ?? '', ...anna };
  };

  test.each(bodies)('%s: stands below the first item alone, by address or by id', async (key) => {
    const { quote, id, url, site } = await quoting(key);
    const told = (data: Record<string, unknown> | undefined) => {
      const record = data?.record as { embed?: { record?: { uri: string } } } | undefined;
      return data?.quote_tweet_id ?? data?.quote_post_id ?? data?.quoted_status_id ?? record?.embed?.record?.uri;
    };
    const address = key === 'mastodon' ? `${site.server}/@berta/${id}` : url;
    for (const value of key === 'threads' ? [id] : [id, address]) {
      expect((await quote(value)).map(told), value).toEqual([id, undefined]);
    }
  });

  test.each(bodies)('%s: is found again when the answer was lost', async (key) => {
    const { id, account, site } = await quoting(key);
    const network = networkOf(key);
    const items = [{ body: `Lost ${++count} [sandbox:lost]` }];
    const post = await sandbox.withBytes(postOf(network, { items, options: { [`${key}.quote`]: id } }));
    const sending = sandbox.sending(network, account, post);
    const { prepared } = await network.prepare(site, sending);
    await refused(network.send(site, sending, prepared));
    expect((await network.confirm(site, sending, prepared)).is).toBe('sent');
  });

  test('Bluesky: beside images both are shown, and an author who allows no quotes is heard', async () => {
    const { quote, id, site } = await quoting('bluesky');
    const address = `${site.link('web')}/profile/berta.example/post/${id.split('/').at(-1)}`;
    const [first] = await quote(address, ['image/jpeg']);
    expect(first?.record).toMatchObject({
      embed: {
        $type: 'app.bsky.embed.recordWithMedia',
        record: { record: { uri: id } },
        media: { $type: 'app.bsky.embed.images' },
      },
    });
    expect((await refused(quote(id.replace(/.{4}$/, '2222')))).message).toMatch(/not on Bluesky/);
    const closed = await quoting('bluesky', { 'bluesky.allow_quotes': 'false' });
    expect((await refused(closed.quote(closed.id))).message).toMatch(/allows no quotes/);
  });

  test('Threads: the address of a post of one’s own is looked up, that of another says to give the id', async () => {
    const { quote, url, account, site } = await quoting('threads');
    const network = networkOf('threads');
    const mine = await sandbox.withBytes(postOf(network, { items: [{ body: 'My own' }] }));
    const [own] = await publisher.publish(network, site, account, mine);
    expect(await quote(own?.url ?? '')).toMatchObject([{ quote_post_id: own?.externalId }, {}]);
    expect((await refused(quote(url))).message).toMatch(/give the id/);
  });

  test('Mastodon: a server before 4.5, which would leave the quote out, is said so; so is an address elsewhere', async () => {
    const { quote, id, account } = await quoting('mastodon');
    expect((await refused(quote(`https://elsewhere.example/@berta/${id}`))).message).toMatch(
      /address that it has there/,
    );
    const { check } = networkOf('mastodon');
    const post = postOf(networkOf('mastodon'), { items: [{ body: 'Hi' }], options: { 'mastodon.quote': id } });
    expect(check(post, account.facts)).toEqual([]);
    for (const version of ['4.4.9', '3.5.3 (compatible; Akkoma 3.10)', '0.17.0']) {
      expect(check(post, { ...(account.facts as object), version })).toMatchObject([
        { path: 'options.mastodon.quote', message: expect.stringContaining('needs Mastodon 4.5') },
      ]);
    }
  });

  test('X: an app that may not quote says who can change it', async () => {
    const { id } = await quoting('x');
    const post = { handle: 'selfserve', items: [{ body: 'See' }], options: { 'x.quote': id } };
    expect((await refused(publishAs('x', post))).message).toMatch(/Remove x\.quote.*operator/);
  });
});

describe('X', () => {
  const network = networkOf('x');

  test('an account with a subscription writes long texts, and finds one again whose answer was lost', async () => {
    const { account, site } = await sandbox.connect(network, { handle: 'premium' });
    const plain = await sandbox.connect(network, { handle: 'anna' });
    const post = postOf(network, { items: [{ body: `${'Long & wide. '.repeat(200)}[sandbox:lost]` }] });
    expect(network.constraintsFor(post, account.facts).characters.max).toBe(25_000);
    expect(network.constraintsFor(post, plain.account.facts).characters.max).toBe(280);
    const sending = sandbox.sending(network, account, await sandbox.withBytes(post));
    const { prepared } = await network.prepare(site, sending);
    await refused(network.send(site, sending, prepared));
    expect((await network.confirm(site, sending, prepared)).is).toBe('sent');
    expect((await refused(publishAs('x', { handle: 'anna', items: [{ body: 'x'.repeat(281) }] }))).kind).toBe(
      'content',
    );
  });

  test('an error that comes with status 200 does not say that a post is not there', async () => {
    const { account, site } = await sandbox.connect(network);
    const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, { items: [photo] })));
    const asked = (json: unknown) =>
      network.confirm({ ...site, request: async () => ({ ...nothing, json }) }, sending, {
        mediaIds: [],
        processing: [],
      });
    const nothing = { status: 200, headers: {}, text: '', bytes: Buffer.alloc(0) };
    expect((await asked({ meta: { result_count: 0 } })).is).toBe('absent');
    const errors = [{ title: 'Authorization Error', detail: 'Sorry, you are not authorized to see the user.' }];
    expect((await refused(asked({ errors }))).kind).toBe('unknown');
  });

  test('a post is known by where its links lead, and one that leads elsewhere is not taken for it', async () => {
    const { account, site } = await sandbox.connect(network, { handle: 'linker' });
    const begun = async (body: string) => {
      const post = await sandbox.withBytes(postOf(network, { items: [{ body }] }));
      const sending = sandbox.sending(network, account, post);
      return { sending, prepared: (await network.prepare(site, sending)).prepared };
    };
    await publishAs('x', { handle: 'linker', items: [{ body: 'New: example.com/a' }] });
    const other = await begun('New: https://example.com/b');
    expect((await network.confirm(site, other.sending, other.prepared)).is).toBe('unknown');
    await sandbox.sandboxes.planFault('x', 'publish', { fault: 'lost', times: 1 });
    await refused(network.send(site, other.sending, other.prepared));
    const [newest] = await sandbox.sandboxes.feed('x', 1);
    const found = await network.confirm(site, other.sending, other.prepared);
    expect(found).toMatchObject({ is: 'sent', sent: { externalId: newest?.id } });
  });

  test('people are tagged by name, in the media of the first item; somebody who does not exist is named', async () => {
    const items = [photo, { body: 'And another', media: ['image/jpeg'] }];
    const out = await publishAs('x', { handle: 'tagger', items, options: { 'x.tagged_users': '@Anna, 42, anna' } });
    const feed = await sandbox.sandboxes.feed('x', 50);
    const anna = await sandbox.connect(network, { handle: 'anna' });
    const dataOf = (wanted: string) => feed.find(({ id }) => id === wanted)?.data as { media?: object } | undefined;
    const media = out.map(({ externalId }) => dataOf(externalId)?.media);
    expect(media).toMatchObject([{ tagged_user_ids: [anna.account.id, '42'] }, { media_ids: [expect.anything()] }]);
    expect(media[1]).not.toHaveProperty('tagged_user_ids');
    const wrong = { handle: 'tagger', items: [photo], options: { 'x.tagged_users': '@nobody' } };
    expect((await refused(publishAs('x', wrong))).message).toMatch(/Nobody on X is called @nobody/);
  });
});

describe('a search', () => {
  const find = async (key: string, option: string, words: string, handle = 'anna') => {
    const network = networkOf(key);
    const { account, site } = await sandbox.connect(network, { handle });
    return network.lookups?.[option]?.(site, account, words);
  };

  test('Threads: a place needs a permission that the operator says the app has; then it is found and tagged', async () => {
    const place = { handle: 'anna', items: [{ body: 'Here' }], options: { 'threads.location': '12345' } };
    expect((await refused(publishAs('threads', place))).kind).toBe('permission');
    expect((await refused(find('threads', 'threads.location', 'Berlin'))).message).toContain('THREADS_LOCATION');
    const allowed = await startSandboxNetworks({ settings: { THREADS_LOCATION: 'true' } });
    try {
      const network = networkOf('threads');
      const { account, site } = await allowed.connect(network);
      const lookup = network.lookups?.['threads.location'];
      expect(await lookup?.(site, account, 'bakery')).toEqual([
        { value: '17841499999999999', label: 'Bakery at the Corner, Torstrasse 1, Berlin, Germany' },
      ]);
      expect(await lookup?.(site, account, 'nowhere')).toEqual([]);
      const atBakery = { ...place, options: { 'threads.location': '17841499999999999' } };
      const post = await allowed.withBytes(postOf(network, atBakery));
      expect(await createPublisher(allowed).publish(network, site, account, post)).toHaveLength(1);
      expect(await allowed.sandboxes.feed('threads', 1)).toMatchObject([
        { data: { location_id: '17841499999999999' } },
      ]);
      const unreviewed = await allowed.connect(network, { handle: 'unreviewed' });
      expect(await lookup?.(unreviewed.site, unreviewed.account, 'Berlin')).toMatchObject([
        { label: 'Menlo Park, California, Menlo Park, United States' },
        { label: 'Meta HQ, 1 Hacker Way, Menlo Park, United States' },
      ]);
    } finally {
      await allowed.stop();
    }
  });

  test('X: communities are found by name and description, with their members', async () => {
    expect(await find('x', 'x.community', 'bread')).toEqual([
      { value: '1471580197908586507', label: 'Home Bakers (4210 members)' },
    ]);
    expect(await find('x', 'x.community', 'nothing like it')).toEqual([]);
    expect(await find('x', 'x.community', '')).toEqual([]);
  });

  test('Pixelfed: a city and a collection of the account go out with the post', async () => {
    expect(await find('pixelfed', 'pixelfed.place', 'berlin')).toMatchObject([
      { label: 'Berlin, Germany' },
      { label: 'Berlin, USA' },
    ]);
    expect(await find('pixelfed', 'pixelfed.collection', '')).toHaveLength(2);
    expect(await find('pixelfed', 'pixelfed.collection', 'BREAD')).toEqual([
      { value: '601337', label: 'Bread of the week' },
    ]);
    const options = { 'pixelfed.place': '1024', 'pixelfed.collection': '601337' };
    await publishAs('pixelfed', { handle: 'anna', items: [photo], options });
    expect(await sandbox.sandboxes.feed('pixelfed', 1)).toMatchObject([
      { data: { place_id: 1024, collection_ids: ['601337'] } },
    ]);
  });
});

describe('a post that somebody deletes is gone from the sandbox', () => {
  const calls: Record<string, (site: Site, id: string) => Omit<NetworkRequest, 'headers'>> = {
    x: (site, id) => ({ method: 'DELETE', url: `${site.host('api')}/2/tweets/${id}` }),
    mastodon: (site, id) => ({ method: 'DELETE', url: `${site.server}/api/v1/statuses/${id}` }),
    pixelfed: (site, id) => ({ method: 'DELETE', url: `${site.server}/api/v1/statuses/${id}` }),
    facebook: (site, id) => ({ method: 'DELETE', url: `${site.host('graph')}/v25.0/${id}` }),
    pinterest: (site, id) => ({ method: 'DELETE', url: `${site.host('api')}/v5/pins/${id}` }),
    youtube: (site, id) => ({ method: 'DELETE', url: `${site.host('api')}/youtube/v3/videos`, query: { id } }),
    linkedin: (site, id) => ({ method: 'DELETE', url: `${site.host('api')}/rest/posts/${encodeURIComponent(id)}` }),
    linkedin_page: (site, id) => ({
      method: 'DELETE',
      url: `${site.host('api')}/rest/posts/${encodeURIComponent(id)}`,
    }),
    google_business: (site, id) => ({ method: 'DELETE', url: `${site.host('posts')}/v4/${id}` }),
    bluesky: (site, id) => {
      const [repo, collection, rkey] = id.replace('at://', '').split('/');
      return { url: `${site.server}/xrpc/com.atproto.repo.deleteRecord`, json: { repo, collection, rkey } };
    },
  };
  const versions = { 'LinkedIn-Version': '202607', 'X-Restli-Protocol-Version': '2.0.0' };

  test.each(Object.entries(calls))('%s: by its author, not by somebody else', async (key, call) => {
    const network = networkOf(key);
    const example = networks.find((one) => one.key === key)?.examples.publish[0] ?? { items: [] };
    const { account, site } = await sandbox.connect(network, { handle: 'author' });
    const post = await sandbox.withBytes(postOf(network, { ...example, items: example.items.slice(0, 1) }));
    const [out] = await publisher.publish(network, site, account, post);
    const isThere = async () => (await sandbox.sandboxes.feed(key, 100)).some(({ id }) => id === out?.externalId);
    const removeAs = ({ accessToken }: Tokens) =>
      site.request({
        ...call(site, out?.externalId ?? ''),
        headers: { authorization: `Bearer ${accessToken}`, ...versions },
      });
    const stranger = await sandbox.connect(network, { handle: 'stranger' });
    expect((await removeAs(stranger.account.tokens)).status).toBeGreaterThanOrEqual(400);
    expect(await isThere()).toBe(true);
    expect((await removeAs(account.tokens)).status).toBeLessThan(300);
    expect(await isThere()).toBe(false);
  });

  test('Threads: with a permission that Posthorn does not ask for', async () => {
    const network = networkOf('threads');
    const { account, site } = await sandbox.connect(network);
    const post = await sandbox.withBytes(postOf(network, { items: [{ body: 'To stay' }] }));
    const [out] = await publisher.publish(network, site, account, post);
    const url = `${site.host('graph')}/v1.0/${out?.externalId}`;
    const headers = { authorization: `Bearer ${account.tokens.accessToken}` };
    expect((await site.request({ method: 'DELETE', url, headers })).status).toBe(403);
  });
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
