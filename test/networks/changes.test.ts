import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json, Network, NetworkPost, Site } from '#server/networks/network';
import type { NetworkRequest } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { sayYes } from '#server/simulation/sandbox/sign-up';
import { complaintsAbout } from '#test/support/documented';
import { documented, networks, type PostExample, postOf } from '#test/support/networks';
import { createPublisher, type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';

/** What networks changed in 2026, and undocumented behaviour of theirs. */

let sandbox: SandboxNetworks;
let publisher: ReturnType<typeof createPublisher>;
beforeAll(async () => {
  sandbox = await startSandboxNetworks({ hangsUp: true });
  publisher = createPublisher(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => void sandbox.recorded.splice(0));
afterEach(() => {
  const complaints = Object.entries(documented).flatMap(([key, description]) =>
    complaintsAbout(
      description,
      sandbox.recorded.filter(({ network }) => network === key),
    ),
  );
  expect(complaints, 'what the network does not document').toEqual([]);
});

const networkOf = (key: string): Network => {
  const match = networks.find((one) => one.key === key);
  if (match === undefined) throw new Error(`no network ${key}`);
  return match.network;
};

type Example = Omit<PostExample, 'title'>;

const publishAs = async (key: string, handle: string, example: Example, without: string[] = []) => {
  const network = networkOf(key);
  const { account, site } = await sandbox.connect(network, { handle, without });
  const post: NetworkPost = postOf(network, example);
  return { account, site, out: await publisher.publish(network, site, account, await sandbox.withBytes(post)) };
};

const troubleOf = async (work: Promise<unknown>): Promise<NetworkTrouble> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof NetworkTrouble) return error;
  throw error ?? new Error('there was no trouble');
};

/** Wraps a site and records every request to it. */
const watched = (site: Site) => {
  const requests: NetworkRequest[] = [];
  return {
    requests,
    site: {
      ...site,
      request: (request: NetworkRequest) => {
        requests.push(request);
        return site.request(request);
      },
    },
  };
};

describe('X', () => {
  const network = networkOf('x');

  test.each(['renamed', 'anna'])('reads all six metrics with either name of a field: %s', async (handle) => {
    const { account, site, out } = await publishAs('x', handle, { items: [{ body: `Counted for ${handle}` }] });
    sandbox.forward(1_800_000);
    const posts = out.map(({ externalId }) => ({ externalId, publishedAt: '', ref: null }));
    const [reading] = await network.readMetrics(site, account, posts);
    if (reading?.is !== 'numbers') throw new Error(`it was ${reading?.is}`);
    expect(Object.keys(reading.metrics).sort()).toEqual([...network.constraints.metrics].sort());
  });

  test('remembers which name of a parameter works', async () => {
    const { account, site, out } = await publishAs('x', 'renamed', { items: [{ body: 'Remembered' }] });
    const posts = out.map(({ externalId }) => ({ externalId, publishedAt: '', ref: null }));
    await network.readMetrics(site, account, posts);
    const again = watched(site);
    await network.readMetrics(again.site, account, posts);
    expect(again.requests.map(({ query }) => Object.keys(query ?? {}))).toEqual([['ids', 'post.fields']]);
  });

  test.each(['renamed premium', 'premium'])(
    'finds a long post again whose answer was lost, with either name of a field: %s',
    async (handle) => {
      const { account, site } = await sandbox.connect(network, { handle: handle.replace(' ', '') });
      const post = postOf(network, { items: [{ body: `${'Long & wide. '.repeat(100)}${handle} [sandbox:lost]` }] });
      const sending = sandbox.sending(network, account, await sandbox.withBytes(post));
      const { prepared } = await network.prepare(site, sending);
      await troubleOf(network.send(site, sending, prepared));
      expect((await network.confirm(site, sending, prepared)).is).toBe('sent');
    },
  );

  test('an error that comes with status 200 does not say that a post is gone', async () => {
    const { account, site } = await sandbox.connect(network);
    const json = { errors: [{ title: 'Authorization Error', type: 'https://api.x.com/2/problems/not-authorized' }] };
    const answer = { status: 200, headers: {}, text: '', bytes: Buffer.alloc(0), json };
    const posts = [{ externalId: '1', publishedAt: '', ref: null }];
    const trouble = troubleOf(network.readMetrics({ ...site, request: async () => answer }, account, posts));
    expect((await trouble).kind).toBe('unknown');
  });

  test('where the operator names a self-serve tier, threads and mentions have a warning', async () => {
    const tier = await startSandboxNetworks({ settings: { X_TIER: 'self-serve' } });
    try {
      const { account } = await tier.connect(network);
      const warnings = (...bodies: string[]) =>
        network.surprises?.(postOf(network, { items: bodies.map((body) => ({ body })) }), account.facts);
      expect(warnings('Hello anna@example.com')).toEqual([]);
      expect(warnings('Hello', 'again')).toMatchObject([{ path: 'content.1', code: 'MayBeRefused' }]);
      expect(warnings('Hello @anna')).toMatchObject([{ path: 'content.0.body', code: 'MayBeRefused' }]);
      const other = await sandbox.connect(network);
      expect(network.surprises?.(postOf(network, { items: [{ body: '@anna' }] }), other.account.facts)).toEqual([]);
    } finally {
      await tier.stop();
    }
  });

  test('a reply that X refuses on a self-serve tier says why', async () => {
    const thread = { items: [{ body: 'A thread' }, { body: 'goes on' }] };
    const trouble = await troubleOf(publishAs('x', 'unsummoned', thread));
    expect(trouble.kind).toBe('content');
    expect(trouble.message).toMatch(/self-serve tiers.*operator of this server/);
  });
});

describe('LinkedIn Page', () => {
  const network = networkOf('linkedin_page');
  const withComment = {
    items: [{ body: 'New bread' }],
    options: { 'linkedin_page.first_comment': 'From eight o’clock' },
  };

  test('asks for the scopes that comments need, and warns where a page was connected without them', async () => {
    const { account } = await sandbox.connect(network);
    expect(account.scopes).toEqual(
      expect.arrayContaining(['w_organization_social_feed', 'r_organization_social_feed', 'w_organization_social']),
    );
    const post = postOf(network, withComment);
    expect(network.surprises?.(post, account.facts)).toEqual([]);
    const without = await sandbox.connect(network, { without: ['w_organization_social_feed'] });
    expect(network.surprises?.(post, without.account.facts)).toMatchObject([
      { code: 'MayBeRefused', message: expect.stringMatching(/Connect it again/) },
    ]);
    const { facts } = await network.profile(without.site, without.account);
    expect(facts).toEqual(without.account.facts);
  });

  test('refuses a comment without the scope, and the post before it stays', async () => {
    const feed = ['w_organization_social_feed'];
    expect((await troubleOf(publishAs('linkedin_page', 'feedless', withComment, feed))).kind).toBe('permission');
    expect(await sandbox.sandboxes.feed('linkedin_page', 1)).toMatchObject([{ text: 'New bread' }]);
    expect((await publishAs('linkedin_page', 'anna', withComment)).out).toHaveLength(2);
  });

  test.each(['anna', 'oldfinder'])(
    'offers every page that the person may write for, by either finder: %s',
    async (handle) => {
      const { accounts } = await sandbox.connect(network, { handle });
      expect(accounts.map(({ name }) => name.split(' ').at(-1))).toEqual(['Bakery', 'Roastery', 'Mill']);
    },
  );
});

describe.each(['linkedin', 'linkedin_page'])('%s: pictures as a document', (key) => {
  const network = networkOf(key);
  const options = { [`${key}.as_document`]: 'true', [`${key}.document_title`]: 'Baking – in steps' };
  const picture = (mimeType: string, width: number, height: number) => ({ mimeType, width, height });

  const documentOf = async (media: NonNullable<Example['items'][number]['media']>) => {
    const { account, site } = await sandbox.connect(network);
    const uploads: Buffer[] = [];
    const watching: Site = {
      ...site,
      request: async (request) => {
        if (request.method !== 'PUT' || !request.bytes) return site.request(request);
        const bytes = await buffer(request.bytes.stream);
        uploads.push(bytes);
        return site.request({ ...request, bytes: { ...request.bytes, stream: Readable.from([bytes]) } });
      },
    };
    const post = postOf(network, { items: [{ body: `Steps ${media.length}`, media }], options });
    await publisher.publish(network, watching, account, await sandbox.withBytes(post));
    return uploads;
  };

  test('become one PDF with a page for each, in their order and of their shape', async () => {
    const uploads = await documentOf([
      picture('image/jpeg', 1_200, 800),
      picture('image/png', 500, 900),
      picture('image/gif', 4_320, 1_000),
    ]);
    expect(uploads).toHaveLength(1);
    const text = uploads[0]?.toString('latin1') ?? '';
    const boxes = [...text.matchAll(/\/MediaBox \[0 0 (\d+) (\d+)\]/g)].map(([, width, height]) => [width, height]);
    // A page has at most 2160 pixels on its longer side.
    expect(boxes).toEqual([
      ['1200', '800'],
      ['500', '900'],
      ['2160', '500'],
    ]);
    expect(text).toContain(`/Count ${boxes.length} `);
    // Each entry of the PDF's cross-reference table points to the object with its number.
    const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
    const offsets = [...text.slice(tableAt).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
    expect(offsets).toHaveLength(3 + boxes.length * 3);
    for (const [index, offset] of offsets.entries()) {
      expect(text.slice(offset, offset + 12)).toContain(`${index + 1} 0 obj\n`);
    }
    const title = /\/Title <feff(\w+)>/.exec(text)?.[1] ?? '';
    expect(Buffer.from(title, 'hex').swap16().toString('utf16le')).toBe('Baking – in steps');
    for (const [index, stream] of [...text.matchAll(/DCTDecode \/Length (\d+) >>\nstream\n/g)].entries()) {
      const start = stream.index + stream[0].length;
      const jpeg = uploads[0]?.subarray(start, start + Number(stream[1]));
      const { format, width, height, space } = await sharp(jpeg).metadata();
      expect([format, space, String(width), String(height)]).toEqual(['jpeg', 'srgb', ...(boxes[index] ?? [])]);
    }
  });

  test('that cannot be read are refused in words, before anything is out', async () => {
    const { account, site } = await sandbox.connect(network);
    const post = await sandbox.withBytes(postOf(network, { items: [{ body: 'Hi', media: ['image/jpeg'] }], options }));
    const items = post.items.map((item) => ({
      ...item,
      media: item.media.map((file) => ({ ...file, read: async () => Readable.from([Buffer.from('no picture')]) })),
    }));
    const trouble = await troubleOf(publisher.publish(network, site, account, { ...post, items }));
    expect(trouble).toMatchObject({ kind: 'media', message: expect.stringMatching(/cannot be read/) });
  });
});

describe('TikTok: what its audit looks at', () => {
  const network = networkOf('tiktok');
  const film = {
    items: [{ body: 'Hello', media: ['video/mp4'] }],
    options: { 'tiktok.privacy': 'PUBLIC_TO_EVERYONE' },
  };
  const photos = { ...film, items: [{ body: 'Hello', media: ['image/jpeg'] }] };
  const warningsOf = (example: Example, facts: Json) => network.surprises?.(postOf(network, example), facts) ?? [];

  test('nothing is switched on, and nobody chosen to see it, before a person does', () => {
    const defaults = network.options.flatMap(({ key, type, default: value }) =>
      type === 'Boolean' ? [[key, value]] : [],
    );
    expect(defaults.filter(([, value]) => value !== 'false')).toEqual([]);
    expect(network.options.find(({ key }) => key === 'tiktok.privacy')).toMatchObject({ required: true });
    expect(network.options.find(({ key }) => key === 'tiktok.privacy')).not.toHaveProperty('default');
  });

  test('every post says as whom it goes out and what posting agrees to; a paid partnership says more', async () => {
    const { account } = await sandbox.connect(network);
    const declarationOf = (options: Record<string, string>) =>
      warningsOf({ ...film, options: { ...film.options, ...options } }, account.facts)
        .filter(({ code }) => code === 'Declaration')
        .map(({ message }) => message.replace(/ \(https:[^)]*\)/g, ''));
    expect(declarationOf({})).toEqual([
      `This posts as ${account.name}. By posting, you agree to TikTok's Music Usage Confirmation.`,
    ]);
    expect(declarationOf({ 'tiktok.brand_content': 'true' })).toEqual([
      `This posts as ${account.name}. By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.`,
    ]);
    expect(declarationOf({ 'tiktok.mode': 'draft' })).toEqual([]);
  });

  test('what the account’s settings or the post rule out cannot be switched on, and says why', async () => {
    const open = await sandbox.connect(network);
    const shut = await sandbox.connect(network, { handle: 'private nocomments'.replace(' ', '-') });
    const disabled = (example: Example, facts: Json) =>
      Object.keys(network.disabledOptions?.(postOf(network, example), facts) ?? {});
    expect(disabled(film, open.account.facts)).toEqual([]);
    expect(disabled(photos, open.account.facts)).toEqual(['tiktok.allow_duet', 'tiktok.allow_stitch']);
    expect(disabled(film, shut.account.facts)).toEqual([
      'tiktok.allow_comment',
      'tiktok.allow_duet',
      'tiktok.allow_stitch',
    ]);
    const on = { ...film, options: { ...film.options, 'tiktok.allow_comment': 'true' } };
    expect(warningsOf(on, shut.account.facts)).toMatchObject([
      { path: 'options.tiktok.allow_comment', code: 'OptionUnused', message: expect.stringMatching(/switched off/) },
      { code: 'Declaration' },
    ]);
  });

  test('an app that is too old for a draft is said so', async () => {
    const draft = { ...photos, options: { ...photos.options, 'tiktok.mode': 'draft' } };
    expect((await troubleOf(publishAs('tiktok', 'oldapp', draft))).message).toMatch(/too old.*Update it/);
  });
});

describe('Pinterest', () => {
  const pin = {
    items: [{ body: 'Bread', media: ['image/jpeg'] }],
    options: { 'pinterest.board': 'Recipes' },
  };

  test('production refuses the pins of an app with Trial access, and the message says what the operator does', async () => {
    const { network, options } = await boardOf('trial');
    const trouble = await troubleOf(publishAs('pinterest', 'trial', { ...pin, options }));
    // No retry changes it.
    expect(trouble).toMatchObject({ kind: 'permission', networkCode: '29', reached: true });
    expect(trouble.message).toMatch(/Standard access.*PINTEREST_TRIAL/);
    expect(network.app.needs.join()).toMatch(/with Trial access every pin is refused/);
  });

  test('with PINTEREST_TRIAL every request goes to Pinterest’s own sandbox, which takes the pin', async () => {
    const trial = await startSandboxNetworks({ settings: { PINTEREST_TRIAL: 'true' } });
    try {
      const network = networkOf('pinterest');
      const { account, site } = await trial.connect(network, { handle: 'trial' });
      const { options } = await boardOf('trial');
      const post = await trial.withBytes(postOf(network, { ...pin, options }));
      expect(await createPublisher(trial).publish(network, site, account, post)).toHaveLength(1);
      const hosts = trial.recorded.filter(({ path }) => !path.startsWith('web')).map(({ path }) => path.split('/')[0]);
      expect(new Set(hosts)).toEqual(new Set(['trial']));
      expect(documented.pinterest && complaintsAbout(documented.pinterest, trial.recorded)).toEqual([]);
    } finally {
      await trial.stop();
    }
  });

  const boardOf = async (handle: string) => {
    const network = networkOf('pinterest');
    const { account } = await sandbox.connect(network, { handle });
    const board = network.choicesFor?.('pinterest.board', account.facts)?.[0]?.value ?? '';
    return { network, options: { 'pinterest.board': board } };
  };
});

test('Pixelfed: a server removes what looks like a tag, so no such text is sent', async () => {
  const body = 'I <3 NY, 1 < 2';
  const photo = (text: string) => ({ items: [{ body: text, media: ['image/jpeg'] }] });
  await publishAs('pixelfed', 'anna', photo(body));
  expect(await sandbox.sandboxes.feed('pixelfed', 1)).toMatchObject([{ text: 'I ' }]);
  const network = networkOf('pixelfed');
  expect(network.check(postOf(network, photo(body)))).toMatchObject([
    { path: 'content.0.body', code: 'BadCharacter', message: expect.stringMatching(/put a space after it/) },
  ]);
  await publishAs('pixelfed', 'anna', photo('1 < 2 and ‹3'));
  expect(await sandbox.sandboxes.feed('pixelfed', 1)).toMatchObject([{ text: '1 < 2 and ‹3' }]);
});

describe('Mastodon', () => {
  const network = networkOf('mastodon');

  test.each([
    [undefined, true],
    ['false', false],
    ['true', true],
  ])('the account’s own setting for sensitive media holds unless the post says otherwise: %s', async (set, shown) => {
    const options: Record<string, string> = set === undefined ? {} : { 'mastodon.sensitive': set };
    await publishAs('mastodon', 'allsensitive', { items: [{ body: `Sensitive: ${set}` }], options });
    expect(await sandbox.sandboxes.feed('mastodon', 1)).toMatchObject([{ data: { sensitive: shown } }]);
  });

  test('a post that the server drops as spam is said to be taken and not shown', async () => {
    const { out } = await publishAs('mastodon', 'droppedasspam', { items: [{ body: 'Buy now' }] });
    expect(out).toMatchObject([{ externalId: expect.any(String), note: expect.stringMatching(/does not show it/) }]);
    const other = await publishAs('mastodon', 'anna', { items: [{ body: 'Buy now' }] });
    expect(other.out[0]).not.toHaveProperty('note');
  });

  test('Sharkey makes reactions of replies that are emoji alone, so they need a word', async () => {
    const check = (version: string, ...bodies: string[]) =>
      network.check(postOf(network, { items: bodies.map((body) => ({ body })) }), { version });
    const sharkey = '4.2.1 (compatible; Sharkey 2025.4.3)';
    expect(check(sharkey, 'Hello', '👍🏽')).toMatchObject([{ path: 'content.1.body', code: 'TextRequired' }]);
    expect(check(sharkey, '👍🏽', 'Yes 👍🏽')).toEqual([]);
    expect(check('4.5.0', 'Hello', '👍🏽')).toEqual([]);
  });
});

describe.each(['instagram', 'threads'])('%s: containers whose state cannot be read', (key) => {
  const network = networkOf(key);
  const photo = { items: [{ body: 'Hello', media: ['image/jpeg'] }] };

  test('are published unseen after a while, and no others are made', async () => {
    const { account, site } = await sandbox.connect(network, { handle: 'unreadable' });
    const { site: observed, requests } = watched(site);
    const post = await sandbox.withBytes(postOf(network, photo));
    expect(await publisher.publish(network, observed, account, post)).toHaveLength(1);
    const created = requests.filter(({ url, json }) => json && !url.endsWith('_publish'));
    expect(created).toHaveLength(1);
  });

  test('and that are not ready are refused, and certainly not out', async () => {
    const { account, site } = await sandbox.connect(network, { handle: 'unreadable' });
    const post = await sandbox.withBytes(postOf(network, { items: [{ body: 'Hi', media: ['video/mp4'] }] }));
    const sending = sandbox.sending(network, account, post);
    const answer = await network.prepare(site, sending);
    const before = await sandbox.sandboxes.feed(key, 1);
    const trouble = await troubleOf(network.send(site, sending, answer.prepared));
    expect(trouble).toMatchObject({ kind: 'temporary', reached: false });
    expect(await sandbox.sandboxes.feed(key, 1)).toEqual(before);
  });
});

test('Facebook: a video that cannot come in pieces comes whole, in the call that makes it public', async () => {
  const network = networkOf('facebook');
  const { account, site } = await sandbox.connect(network, { handle: 'nochunks' });
  const { site: observed, requests } = watched(site);
  const post = await sandbox.withBytes(postOf(network, { items: [{ body: 'Film', media: ['video/mp4'] }] }));
  expect(await publisher.publish(network, observed, account, post)).toHaveLength(1);
  expect(requests.filter(({ url }) => url.includes('/uploads'))).toEqual([]);
  const whole = requests.filter(({ multipart }) => multipart?.file?.field === 'source');
  expect(whole.map(({ url }) => new URL(url).pathname.split('/').slice(3, 4))).toEqual([['video']]);
});

describe('Google Business', () => {
  const network = networkOf('google_business');

  test('a location that accepts no posts is shown as such, and a post to it is refused first', async () => {
    const { account } = await sandbox.connect(network, { handle: 'noposts' });
    expect(account.name).toMatch(/ \(accepts no posts\)$/);
    expect(network.check(postOf(network, { items: [{ body: 'Hello' }] }), account.facts)).toMatchObject([
      { path: 'content', message: expect.stringMatching(/accepts no posts for this location/) },
    ]);
    const other = await sandbox.connect(network);
    expect(other.account.name).not.toMatch(/accepts no posts/);
    expect(network.check(postOf(network, { items: [{ body: 'Hello' }] }), other.account.facts)).toEqual([]);
    expect(network.options.find(({ key }) => key.endsWith('event_title'))?.maxLength).toBe(58);
  });

  describe('a photo without a post', () => {
    const example = {
      items: [{ body: '', media: [{ mimeType: 'image/jpeg', width: 2400, height: 1800 }] }],
      options: { 'google_business.topic_type': 'PHOTO', 'google_business.photo_category': 'EXTERIOR' },
    };

    test('goes to a location that takes no posts, too', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'noposts' });
      const post = await sandbox.withBytes(postOf(network, example));
      expect(network.check(post, account.facts)).toEqual([]);
      expect(await publisher.publish(network, site, account, post)).toMatchObject([
        { externalId: expect.stringMatching(/\/media\/\d+$/) },
      ]);
    });

    test('whose answer was lost is found again, and the same picture of another post is never taken for it', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'photos' });
      const post = await sandbox.withBytes(postOf(network, example));
      await publisher.publish(network, site, account, post);
      const sending = sandbox.sending(network, account, post);
      expect(await network.confirm(site, sending, {})).toEqual({ is: 'absent' });
      await sandbox.sandboxes.planFault(network.key, 'publish', { fault: 'lost', times: 1 });
      await expect(network.send(site, sending, {})).rejects.toThrow();
      const [photo] = await sandbox.sandboxes.feed(network.key, 1);
      expect(await network.confirm(site, sending, {})).toMatchObject({ is: 'sent', sent: { externalId: photo?.id } });
    });

    test('is not called absent while a new photo has no source, which Google may leave out', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'sources' });
      const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, example)));
      const without = (createTime: Date): Site => ({
        ...site,
        request: async (request) => {
          const json = { mediaItems: [{ name: `${account.id}/media/1`, createTime: createTime.toISOString() }] };
          return request.url.endsWith('/media')
            ? { status: 200, headers: {}, text: '', bytes: Buffer.alloc(0), json }
            : site.request(request);
        },
      });
      const now = sandbox.clock.now();
      expect(await network.confirm(without(now), sending, {})).toEqual({ is: 'unknown' });
      const yesterday = new Date(now.getTime() - 86_400_000);
      expect(await network.confirm(without(yesterday), sending, {})).toEqual({ is: 'absent' });
    });

    test('is refused when the location has 100, and taken again when one of them is deleted', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'full' });
      const { items } = await sandbox.withBytes(postOf(network, example));
      const headers = { authorization: `Bearer ${account.tokens.accessToken}` };
      const url = `${site.host('posts')}/v4/${account.id}/media`;
      const json = {
        mediaFormat: 'PHOTO',
        locationAssociation: { category: 'EXTERIOR' },
        sourceUrl: items[0]?.media[0]?.url ?? '',
      };
      const add = () => site.request({ method: 'POST', url, headers, json });
      const photos = [];
      for (let count = 0; count < 100; count++) photos.push(await add());
      expect(new Set(photos.map(({ status }) => status))).toEqual(new Set([200]));
      expect(await add()).toMatchObject({ status: 400, json: { error: { status: 'INVALID_ARGUMENT' } } });
      const [name] = photos.map((photo) => (photo.json as { name: string }).name);
      await site.request({ method: 'DELETE', url: `${site.host('posts')}/v4/${name}`, headers });
      expect((await add()).status).toBe(200);
    });

    test('is deleted at Google by whoever manages the location, and never stands among its posts', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'tidy' });
      const [photo] = await publisher.publish(
        network,
        site,
        account,
        await sandbox.withBytes(postOf(network, example)),
      );
      const ask = async (method: 'GET' | 'DELETE', name: string, { accessToken } = account.tokens) =>
        site.request({
          method,
          url: `${site.host('posts')}/v4/${name}`,
          headers: { authorization: `Bearer ${accessToken}` },
        });
      expect((await ask('GET', `${account.id}/localPosts`)).json).toEqual({});
      const name = photo?.externalId ?? '';
      const stranger = await sandbox.connect(network, { handle: 'stranger' });
      expect((await ask('DELETE', name, stranger.account.tokens)).status).toBe(404);
      expect((await ask('GET', name)).json).toMatchObject({ name, mediaFormat: 'PHOTO' });
      expect((await ask('DELETE', name)).status).toBe(200);
      expect((await ask('GET', name)).status).toBe(404);
    });
  });
});

test('Threads: no trouble with the question for permissions ends a connection whose code is spent', async () => {
  const network = networkOf('threads');
  const site = sandbox.sites.sandbox(network);
  const troubled: Site = {
    ...site,
    request: async (request) =>
      request.url.endsWith('/debug_token')
        ? { status: 503, headers: {}, text: '<html>', bytes: Buffer.alloc(0), json: undefined }
        : site.request(request),
  };
  const redirectUri = 'http://posthorn.test/connect/callback';
  if (network.connect.kind !== 'OAuth') throw new Error('it connects otherwise');
  const address = network.connect.authorizeUrl(site, { redirectUri, state: 'state', challenge: '' });
  const back = await sayYes(address, 'tester', []);
  const code = back.searchParams.get('code') ?? '';
  const accounts = await network.connect.exchange(troubled, { code: code + back.hash, redirectUri, verifier: '' });
  expect(accounts).toMatchObject([{ handle: 'tester', scopes: network.app.scopes }]);
});

describe('Bluesky: a video', () => {
  const film = { items: [{ body: 'Film', media: ['video/mp4'] }] };
  const network = networkOf('bluesky');

  test('goes through the video service, which is asked first whether it takes one', async () => {
    const { account, site } = await sandbox.connect(network);
    const { site: observed, requests } = watched(site);
    await publisher.publish(network, observed, account, await sandbox.withBytes(postOf(network, film)));
    const calls = requests.map(({ url }) => url.split('/xrpc/')[1]);
    expect(calls.filter((call) => call?.startsWith('app.bsky.video'))).toEqual([
      'app.bsky.video.getUploadLimits',
      'app.bsky.video.uploadVideo',
      'app.bsky.video.getJobStatus',
      'app.bsky.video.getJobStatus',
    ]);
    expect(calls).not.toContain('com.atproto.repo.uploadBlob');
  });

  test.each([
    ['unconfirmed', 'permission', /confirmed e-mail address/],
    ['manyvideos', 'rateLimited', /no more videos of this account/],
  ])('that the account may not upload is refused with the reason: %s', async (handle, kind, message) => {
    const trouble = await troubleOf(publishAs('bluesky', handle, film));
    expect({ kind: trouble.kind, message: trouble.message }).toEqual({ kind, message: expect.stringMatching(message) });
  });

  test('is kept by the account’s server while the service is not available; so is a GIF, as an image', async () => {
    await publishAs('bluesky', 'videodown', film);
    const [shown] = await sandbox.sandboxes.feed('bluesky', 1);
    expect(shown).toMatchObject({ data: { record: { embed: { $type: 'app.bsky.embed.video' } } } });
    await publishAs('bluesky', 'videodown', { items: [{ body: 'Loop', media: ['image/gif'] }] });
    const [gif] = await sandbox.sandboxes.feed('bluesky', 1);
    expect(gif).toMatchObject({ data: { record: { embed: { $type: 'app.bsky.embed.images' } } } });
  });
});

test('Bluesky: a post whose links were shortened is found again, and so is one from before they were', async () => {
  const network = networkOf('bluesky');
  const { account, site } = await sandbox.connect(network);
  const body = 'See https://example.com/articles/2026/horns [sandbox:lost]';
  const sending = sandbox.sending(network, account, await sandbox.withBytes(postOf(network, { items: [{ body }] })));
  const { prepared } = await network.prepare(site, sending);
  await troubleOf(network.send(site, sending, prepared));
  expect((await network.confirm(site, sending, prepared)).is).toBe('sent');
  const whole: Site = {
    ...site,
    request: async (request) => {
      const answer = await site.request(request);
      const record = answer.json as { value: { text: string } };
      return { ...answer, json: { ...record, value: { ...record.value, text: body } } };
    },
  };
  expect((await network.confirm(whole, sending, prepared)).is).toBe('sent');
});
