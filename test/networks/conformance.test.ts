import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { metricNames } from '#contracts/analytics';
import type { Network, NetworkPost, Registration, Sending, Site } from '#server/networks/network';
import type { Fault } from '#server/networks/sandbox';
import { NetworkTrouble, type TroubleKind } from '#server/networks/trouble';
import { complaintsAbout } from '#test/support/documented';
import { documented, networks, type PostExample, postOf, sandboxes, textOf } from '#test/support/networks';
import { createPublisher, prepareFully, type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';

const hourMs = 3_600_000;

let sandbox: SandboxNetworks;
let publisher: ReturnType<typeof createPublisher>;
beforeAll(async () => {
  sandbox = await startSandboxNetworks({ hangsUp: true });
  publisher = createPublisher(sandbox);
});
afterAll(() => sandbox.stop());

const troubleOf = async (work: Promise<unknown>): Promise<NetworkTrouble> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof NetworkTrouble) return error;
    throw error;
  }
  throw new Error('there was no trouble');
};

let texts = 0;
/** The simplest example, with unique text and optionally a mark that makes the sandbox misbehave. */
const plainPost = (example: NetworkPost, mark = ''): NetworkPost => {
  const [first, ...others] = example.items;
  const body = `${first?.body} ${++texts} & more${mark && ` ${mark}`}`;
  return { ...example, items: [{ body, media: first?.media ?? [] }, ...others].slice(0, 1), options: example.options };
};

/** WCAG 2.2, contrast ratio. */
const contrast = (one: string, other: string) => {
  const [dark = 0, light = 0] = [one, other].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};
const luminance = (color: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const refusedWith: [Fault, TroubleKind][] = [
  ['429', 'rateLimited'],
  ['429-bare', 'rateLimited'],
  ['expired-token', 'token'],
  ['refused-token', 'token'],
  ['missing-permission', 'permission'],
  ['content-refused', 'content'],
  ['media-refused', 'media'],
];
const takenButLost: Fault[] = ['lost', 'cut', '500-after'];
const neverTaken: Fault[] = ['hang', '503', 'html'];

test('networks with a machine-readable description are held against it, and an unknown field is seen', () => {
  expect(Object.keys(documented).sort()).toEqual(['bluesky', 'mastodon', 'pinterest', 'x']);
  const heard = { network: 'x', method: 'POST', path: 'api/2/tweets', query: {}, status: 201 };
  const data = { id: '1', text: 'Hello' };
  const complaints = (body: object, answer: object) =>
    documented.x ? complaintsAbout(documented.x, [{ ...heard, body: () => body, answer }]) : [];
  expect(complaints({ text: 'Hello' }, { data })).toEqual([]);
  expect(complaints({ text: 'Hello', shout: true }, { data })).toEqual([expect.stringMatching(/body: .*"shout"/)]);
  expect(complaints({ text: 'Hello' }, { data: { ...data, shout: true } })).toEqual([
    expect.stringMatching(/answer 201: .*"shout"/),
  ]);
});

test('every network that has a call to end tokens is asked to', () => {
  const asked = networks.filter(({ network }) => network.revoke).map(({ key }) => key);
  const withoutCall = ['pinterest', 'pixelfed'];
  expect(asked.sort()).toEqual(networks.flatMap(({ key }) => (withoutCall.includes(key) ? [] : key)).sort());
});

describe.each(networks)('$key', ({ key, network, examples }) => {
  const sample = postOf(network, examples.publish[0] ?? { items: [] });
  const plain = async (mark?: string) => sandbox.withBytes(plainPost(sample, mark));

  const begun = async (mark?: string) => {
    const { account, site } = await sandbox.connect(network);
    const sending = sandbox.sending(network, account, await plain(mark));
    return { account, site, sending, prepared: await prepareFully(sandbox, network, site, sending) };
  };
  const description = documented[key];
  beforeEach(() => void sandbox.recorded.splice(0));
  if (description) {
    afterEach(() => {
      expect(complaintsAbout(description, sandbox.recorded), 'what the network does not document').toEqual([]);
    });
  }

  const newest = async () => (await sandbox.sandboxes.feed(key, 50)).map(({ id }) => id);

  test('has a badge of its own, with letters that can be read on its ground', () => {
    const { code, color, darkColor } = network.badge;
    expect(code).toMatch(/^[A-Z][a-z]?$/);
    expect(networks.filter((other) => other.network.badge.code === code)).toHaveLength(1);
    expect(contrast(color, '#FFFFFF')).toBeGreaterThanOrEqual(4.5);
    if (darkColor !== undefined) expect(contrast(darkColor, '#16181D')).toBeGreaterThanOrEqual(4.5);
  });

  test('says how long it may still act on a request that broke, and its idempotency keys outlast that', () => {
    expect(network.holdMs).toBeGreaterThanOrEqual(2 * 60_000);
    expect(network.holdMs).toBeLessThanOrEqual(30 * 60_000);
  });

  test('has a sandbox', () => {
    expect(Object.keys(sandboxes)).toContain(key);
  });

  test('connects an account with name, handle and the permissions that were granted', async () => {
    const { account } = await sandbox.connect(network, { handle: 'berta.example' });
    expect(account).toMatchObject({ id: expect.stringMatching(/./), name: expect.stringMatching(/./) });
    expect(account.handle.toLowerCase()).toContain('berta');
    expect(account.tokens.accessToken).toBeTruthy();
    if (network.statisticsPermission) expect(account.scopes).toContain(network.statisticsPermission);
  });

  const { statisticsPermission } = network;
  if (statisticsPermission) {
    const told = examples.tellsPermissions ?? true;
    test(told ? 'remembers a permission that was refused' : 'takes what was asked for as granted', async () => {
      const { account } = await sandbox.connect(network, { without: [statisticsPermission] });
      expect(account.scopes.includes(statisticsPermission)).toBe(!told);
    });
  }

  test('reads the profile again', async () => {
    const { account, site } = await sandbox.connect(network);
    expect(await network.profile(site, account)).toMatchObject({ name: account.name, handle: account.handle });
  });

  test.each(examples.publish)('publishes $title', async (example) => {
    const { account, site } = await sandbox.connect(network);
    const post = await sandbox.withBytes(postOf(network, example));
    const out = await publisher.publish(network, site, account, post);
    expect(out).toHaveLength(example.posted.length);
    const feed = await sandbox.sandboxes.feed(key, 50);
    for (const [index, expected] of example.posted.entries()) {
      const { externalId, url } = out[index] ?? {};
      if (example.withoutUrl)
        expect({ url, note: out[index]?.note }).toEqual({ note: expect.stringMatching(/^Not public/) });
      else if (example.withoutLink) expect(url).toBeUndefined();
      else if (index === 0) expect(url).toMatch(/^http/);
      const shown = feed.find(
        ({ id, data }) => id === externalId || (data as { ids?: string[] } | null)?.ids?.includes(externalId ?? ''),
      );
      expect(shown, `part ${index}`).toMatchObject(expected);
    }
  });

  test('prepares as often as needed and sends once', async () => {
    const { site, sending, prepared } = await begun();
    const again = await prepareFully(sandbox, network, site, sending);
    const before = await newest();
    expect(prepared).toBeDefined();
    let end = await network.send(site, sending, again);
    for (let turn = 0; end.is === 'waiting' && turn < 50; turn++) {
      sandbox.forward(end.forMs);
      const next = await network.confirm(site, sending, end.prepared);
      if (next.is !== 'sent' && next.is !== 'waiting') throw new Error(next.is);
      end = next;
    }
    expect((await newest()).length).toBe(Math.min(before.length + 1, 50));
  });

  test.each(refusedWith)('says %s as %s, and nothing is out', async (fault, kind) => {
    const { site, sending, prepared } = await begun(`[sandbox:${fault}]`);
    const before = await newest();
    const trouble = await troubleOf(network.send(site, sending, prepared));
    expect(trouble.kind).toBe(kind);
    expect(trouble.message).toMatch(/\.$|:/);
    if (fault === '429' && trouble.until)
      expect(trouble.until.getTime()).toBeGreaterThan(sandbox.clock.now().getTime());
    expect(await newest()).toEqual(before);
  });

  const confirmed = async (site: Site, sending: Parameters<Network['confirm']>[1], prepared: unknown) => {
    let end = await network.confirm(site, sending, prepared);
    for (let turn = 0; end.is === 'waiting' && turn < 50; turn++) {
      sandbox.forward(end.forMs);
      end = await network.confirm(site, sending, end.prepared);
    }
    return end;
  };

  test.each(takenButLost)('finds a post again whose answer was lost: %s', async (fault) => {
    const { site, sending, prepared } = await begun(`[sandbox:${fault}]`);
    const before = await newest();
    const { kind } = await troubleOf(network.send(site, sending, prepared));
    expect(['unknown', 'temporary']).toContain(kind);
    const made = (await newest()).filter((id) => !before.includes(id));
    expect(made).toHaveLength(1);
    const end = await confirmed(site, sending, prepared);
    expect(end.is).toBe(examples.confirms ? 'sent' : 'unknown');
    expect((await newest()).filter((id) => !before.includes(id))).toEqual(made);
  });

  test.each(neverTaken)('never says that a post is out which was not taken: %s', async (fault) => {
    const { site, sending, prepared } = await begun(`[sandbox:${fault}]`);
    const { kind } = await troubleOf(network.send(site, sending, prepared));
    expect(['unknown', 'temporary']).toContain(kind);
    const end = await confirmed(site, sending, prepared);
    const shown = (await newest()).length;
    expect(end.is).toBe(examples.confirms ? 'absent' : 'unknown');
    expect((await newest()).length).toBe(shown);
  });

  const newerThan = (page: number) => Math.max(60, page + 20);

  const sendLost = async (site: Site, sending: Sending) => {
    const prepared = await prepareFully(sandbox, network, site, sending);
    await sandbox.sandboxes.planFault(key, 'publish', { fault: 'lost', times: 1 });
    await troubleOf(network.send(site, sending, prepared));
    const [made] = await sandbox.sandboxes.feed(key, 1);
    return { prepared, externalId: made?.id };
  };

  const { posts, comments } = examples.lists ?? {};
  if (posts) {
    const example = examples.publish.find(({ title }) => title === posts.example);
    const listedPost = async () => sandbox.withBytes(plainPost(example ? postOf(network, example) : sample));

    test('finds a post again whose answer was lost, behind more newer posts than a page has', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'busy' });
      const sending = sandbox.sending(network, account, await listedPost());
      const { prepared, externalId } = await sendLost(site, sending);
      for (let count = 0; count < newerThan(posts.page); count++) {
        const newer = sandbox.sending(network, account, await listedPost());
        await network.send(site, newer, await prepareFully(sandbox, network, site, newer));
      }
      expect(await confirmed(site, sending, prepared)).toMatchObject({ is: 'sent', sent: { externalId } });
    });
  }

  if (comments) {
    test('finds a comment again whose answer was lost, behind more newer comments than a page has', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'talkative' });
      const post = plainPost(sample);
      const [first] = await publisher.publish(network, site, account, await sandbox.withBytes(post));
      if (first === undefined) throw new Error('nothing is out');
      const commentOn = async (comment: string) => {
        const options = { ...post.options, [`${key}.first_comment`]: comment };
        return sandbox.sending(network, account, await sandbox.withBytes({ ...post, options }), [first]);
      };
      const sending = await commentOn('The first comment');
      const { prepared, externalId } = await sendLost(site, sending);
      for (let count = 0; count < newerThan(comments.page); count++) {
        const newer = await commentOn(`Comment ${count}`);
        await network.send(site, newer, await prepareFully(sandbox, network, site, newer));
      }
      expect(await confirmed(site, sending, prepared)).toMatchObject({ is: 'sent', sent: { externalId } });
    });
  }

  const isWordless = ({ items }: PostExample) => items.length === 1 && textOf(items[0]?.body ?? '') === '';
  const withMedia = ({ items }: PostExample) => items.length === 1 && items[0]?.media?.length;
  const wordless = examples.publish.find(isWordless) ?? examples.publish.find(withMedia);
  if (wordless && !network.constraints.characters.required) {
    test('a post without text is never taken for another', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'quiet' });
      const told = Object.entries(wordless.options ?? {}).filter(([name]) => !/^pinterest\.(title|link)$/.test(name));
      const items = [{ body: '', media: wordless.items[0]?.media ?? [] }];
      const post = await sandbox.withBytes(postOf(network, { items, options: Object.fromEntries(told) }));
      await publisher.publish(network, site, account, post);
      const unsent = sandbox.sending(network, account, post);
      const prepared = await prepareFully(sandbox, network, site, unsent);
      expect(['absent', 'unknown']).toContain((await confirmed(site, unsent, prepared)).is);
      const before = await newest();
      await sandbox.sandboxes.planFault(key, 'publish', { fault: 'lost', times: 1 });
      await troubleOf(network.send(site, unsent, prepared));
      const [made] = (await sandbox.sandboxes.feed(key, 50)).filter(({ id }) => !before.includes(id));
      const end = await confirmed(site, unsent, prepared);
      const { ids = [] } = (made?.data ?? {}) as { ids?: string[] };
      if (end.is === 'sent') expect([made?.id, ...ids]).toContain(end.sent.externalId);
      else expect(end.is).toBe('unknown');
    });
  }

  if (network.isRepeatable) {
    test.each([...takenButLost, '503-late'] as const)(
      'with the same key a post is never made twice: %s',
      async (fault) => {
        const { site, sending, prepared } = await begun(`[sandbox:${fault}]`);
        const before = await newest();
        expect(network.isRepeatable?.(sending)).toBe(true);
        await troubleOf(network.send(site, sending, prepared));
        await network.send(site, sending, prepared).catch(() => undefined);
        sandbox.forward(30_000);
        await network.send(site, sending, prepared).catch(() => undefined);
        expect((await newest()).filter((id) => !before.includes(id))).toHaveLength(1);
        expect((await confirmed(site, sending, prepared)).is).toBe('sent');
      },
    );
  }

  test('renews its access, or says that only connecting again helps', async () => {
    const { account, site, sending } = await begun();
    const { expiresAt } = account.tokens;
    if (expiresAt === undefined) {
      expect((await troubleOf(network.refresh(site, account))).kind).toBe('token');
      return;
    }
    sandbox.forward(Date.parse(expiresAt) - sandbox.clock.now().getTime() - network.refreshAheadMs);
    const tokens = await network.refresh(site, account);
    expect(Date.parse(tokens.expiresAt ?? '')).toBeGreaterThan(Date.parse(expiresAt));
    sandbox.forward(network.refreshAheadMs + 1000);
    const old = await troubleOf(
      network.prepare(site, sending).then(({ prepared }) => network.send(site, sending, prepared)),
    );
    expect(old.kind).toBe('token');
    const renewed = { ...account, tokens };
    expect(await publisher.publish(network, site, renewed, await plain())).toHaveLength(1);
  });

  test('says so when the access is gone for good', async () => {
    const { account, site, sending, prepared } = await begun('[sandbox:refused-token]');
    await troubleOf(network.send(site, sending, prepared));
    expect((await troubleOf(network.refresh(site, account))).kind).toBe('token');
    expect((await troubleOf(network.profile(site, account))).kind).toBe('token');
  });

  const { tryCredentials } = network.app;
  test('its app says what to register, and can be tried exactly when there is a secret', () => {
    const { scopes, needs, api } = network.app;
    expect(scopes.length).toBeGreaterThan(0);
    expect(needs.length > 0).toBe(network.settings.length > 0);
    expect(tryCredentials !== undefined).toBe(network.settings.length > 0);
    const { version, endsOn } = api({ setting: (_, byDefault) => byDefault });
    if (version !== undefined) expect(version).toMatch(/\S/);
    if (endsOn !== undefined) expect(endsOn).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
  if (tryCredentials) {
    test('knows a wrong app or secret from right ones, and posts nothing', async () => {
      const tried = async (registration: Partial<Registration>) => {
        const site = sandbox.sites.sandbox(network);
        const asked = { ...site, registration: { ...site.registration, ...registration } };
        return (await tryCredentials(asked, 'https://posthorn.example/connect/callback')).is;
      };
      const before = await newest();
      expect(await tried({})).toBe('accepted');
      expect(await tried({ clientSecret: 'wrong' })).toBe('refused');
      expect(await tried({ clientId: 'wrong' })).toBe('refused');
      expect(await newest()).toEqual(before);
    });
  }

  const { revoke } = network;
  if (revoke) {
    test('ends its tokens when the account is disconnected', async () => {
      const { account, site } = await sandbox.connect(network, { handle: 'leaving' });
      await revoke(site, account);
      expect((await troubleOf(network.refresh(site, account))).kind).toBe('token');
      if (examples.accessOutlivesRevocation) expect(await network.profile(site, account)).toBeDefined();
      else expect((await troubleOf(network.profile(site, account))).kind).toBe('token');
    });
  }

  test('waits when the network asks for it while media come in', async () => {
    const withMedia = examples.publish.find(({ items }) => items[0]?.media?.length);
    if (!withMedia) throw new Error('no example has media');
    const { account, site } = await sandbox.connect(network);
    const post = await sandbox.withBytes(postOf(network, withMedia));
    await sandbox.sandboxes.planFault(key, 'upload', { fault: '429', times: 1 });
    const sending = sandbox.sending(network, account, post);
    // A network that fetches media when the post is made has nothing to prepare.
    const begin = async () => {
      const step = await network.prepare(site, sending);
      return step.is === 'ready' ? network.send(site, sending, step.prepared) : step;
    };
    expect((await troubleOf(begin())).kind).toBe('rateLimited');
    await sandbox.sandboxes.planFault(key, 'upload', { fault: 'expired-token', times: 1 });
    expect((await troubleOf(begin())).kind).toBe('token');
    await sandbox.sandboxes.planFault(key, 'upload', undefined);
    expect(await prepareFully(sandbox, network, site, sending)).toBeDefined();
  });

  if (network.constraints.metrics.length === 0) return;

  describe('statistics', () => {
    const published = async (without: string[] = []) => {
      const { account, site } = await sandbox.connect(network, { without });
      const publishedAt = sandbox.clock.now().toISOString();
      const [first] = await publisher.publish(network, site, account, await plain());
      if (first === undefined) throw new Error('nothing was published');
      const posts = [{ externalId: first.externalId, publishedAt, ref: first.ref ?? null }];
      return { account, site, posts };
    };

    test('reports exactly the metrics it promises, and they grow', async () => {
      const { account, site, posts } = await published();
      sandbox.forward(hourMs);
      const [early] = await network.readMetrics(site, account, posts);
      if (early?.is !== 'numbers') throw new Error(`it was ${early?.is}`);
      expect(metricNames.filter((name) => name in early.metrics)).toEqual(network.constraints.metrics);
      // Short enough for access that lives two hours.
      sandbox.forward(hourMs / 2);
      const [later] = await network.readMetrics(site, account, posts);
      if (later?.is !== 'numbers') throw new Error(`it was ${later?.is}`);
      for (const name of network.constraints.metrics) {
        expect(later.metrics[name]).toBeGreaterThanOrEqual(early.metrics[name] ?? 0);
      }
    });

    test('reads as many posts at once as it says', async () => {
      const { account, site, posts } = await published();
      const all = Array.from({ length: network.postsPerRead }, () => posts).flat();
      const readings = await network.readMetrics(site, account, all);
      expect(readings.map(({ is }) => is)).toEqual(all.map(() => 'numbers'));
    });

    test('says that the post is not there, and leaves it open whether that is for good', async () => {
      const { account, site, posts } = await published();
      for (const { id } of await sandbox.sandboxes.feed(key, 1)) await sandbox.sandboxes.remove(key, id);
      const [reading] = await network.readMetrics(site, account, posts);
      expect(reading).toMatchObject({ is: 'absent', why: expect.any(String) });
    });

    test.each<[Fault, TroubleKind]>([
      ['429', 'rateLimited'],
      ['503', 'temporary'],
      ['missing-permission', 'permission'],
      ['expired-token', 'token'],
      ['html', 'temporary'],
      ['hang', 'unknown'],
    ])('says %s as %s', async (fault, kind) => {
      const { account, site, posts } = await published();
      await sandbox.sandboxes.planFault(key, 'read', { fault, times: 1 });
      const trouble = await troubleOf(network.readMetrics(site, account, posts));
      if (fault === 'html') expect(['temporary', 'unknown']).toContain(trouble.kind);
      else expect(trouble.kind).toBe(kind);
    });

    if (statisticsPermission) {
      test('needs the permission that was asked for', async () => {
        const { account, site, posts } = await published([statisticsPermission]);
        expect((await troubleOf(network.readMetrics(site, account, posts))).kind).toBe('permission');
      });
    }
  });
});
