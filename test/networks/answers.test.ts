import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NetworkAccount, Sending, Site } from '#server/networks/network';
import { cannotRefresh } from '#server/networks/oauth2';
import { createNetworks } from '#server/networks/registry';
import type { NetworkAnswer, NetworkRequest, Request } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { signIn } from '#server/simulation/sandbox/sign-up';
import { networks as folders, postOf } from '#test/support/networks';
import { createPublisher, prepareFully, type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';

/** Networks may change their answers at any time. That must not crash us, hide a post or go unreported. */

let sandbox: SandboxNetworks;
let publisher: ReturnType<typeof createPublisher>;
beforeAll(async () => {
  sandbox = await startSandboxNetworks({ hangsUp: true });
  publisher = createPublisher(sandbox);
});
afterAll(() => sandbox.stop());

const daySeconds = 86_400;

const answerOf = (status: number, text: string, headers: Record<string, string> = {}): NetworkAnswer => {
  const isJson = text.startsWith('{');
  return { status, headers, text, bytes: Buffer.from(text), json: isJson ? JSON.parse(text) : undefined };
};

const withKeys = (value: unknown, change: (entries: [string, unknown][]) => [string, unknown][]): unknown => {
  if (Array.isArray(value)) return value.map((one) => withKeys(one, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, withKeys(inner, change)]);
  return Object.fromEntries(change(entries));
};

const rewritten = (answer: NetworkAnswer, change: (entries: [string, unknown][]) => [string, unknown][]) => {
  if (answer.json === undefined || answer.status >= 400) return answer;
  const json = withKeys(answer.json, change);
  const text = JSON.stringify(json);
  return { ...answer, json, text, bytes: Buffer.from(text) };
};

const page = '<!doctype html><title>Welcome</title><p>Please enable JavaScript.</p>';
const sorry = JSON.stringify({
  error: { code: 'unexpected', message: 'Something went wrong' },
  errors: [{ title: 'Something went wrong', message: 'Something went wrong' }],
  message: 'Something went wrong',
});

/** How a network reacts to a request. The first three still do what was asked. */
const behaviours = {
  'renames its fields': async (ask: Request, request: NetworkRequest) =>
    rewritten(await ask(request), (entries) => entries.map(([key, value]) => [`new_${key}`, value])),
  'answers with a web page': async (ask: Request, request: NetworkRequest) => {
    await ask(request);
    return answerOf(200, page, { 'content-type': 'text/html' });
  },
  'answers 200 with an error': async () => answerOf(200, sorry),
  'limits the rate for a day': async () => answerOf(429, sorry, { 'retry-after': String(daySeconds) }),
} satisfies Record<string, (ask: Request, request: NetworkRequest) => Promise<NetworkAnswer>>;
type Behaviour = keyof typeof behaviours;

const behaving = (site: Site, behaviour: Behaviour): Site => ({
  ...site,
  request: (request) => behaviours[behaviour](site.request, request),
});

/** The same site, which adds a field to everything that it answers. */
const growing = (site: Site): Site => ({
  ...site,
  request: async (request) => {
    const answer = await site.request(request);
    if (answer.json === undefined) return answer;
    // In the text: some ids are numbers that a parser would round.
    const text = answer.text.replace(/\{(?!\})/g, '{"new_field":"new",');
    return { ...answer, text, bytes: Buffer.from(text), json: JSON.parse(text) };
  },
});

/** A result, or a NetworkTrouble with a message. Any other error is a crash. */
const outcomeOf = async <Result>(work: Promise<Result>): Promise<Result | NetworkTrouble> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof NetworkTrouble)) throw error;
    expect(error.message).toMatch(/^\S.{10,}/);
    return error;
  }
};

const all = createNetworks(folders.map(({ network }) => network)).all.map((network) => ({
  key: network.key,
  network,
  example: folders.find(({ key }) => key === network.key)?.examples.publish[0] ?? { items: [] },
}));

const names = Object.keys(behaviours) as Behaviour[];

describe.each(all)('$key', ({ key, network, example }) => {
  let texts = 0;
  const begun = async () => {
    const { account, site } = await sandbox.connect(network);
    const plain = postOf(network, example);
    const [first] = plain.items;
    const items = [{ body: `${first?.body ?? ''} ${key} ${++texts}`, media: first?.media ?? [] }];
    const post = await sandbox.withBytes({ ...plain, items });
    const sending = sandbox.sending(network, account, post);
    return { account, site, post, sending, prepared: await prepareFully(sandbox, network, site, sending) };
  };

  test.each(names)('that %s while media come in is trouble', async (behaviour) => {
    const { site, sending } = await begun();
    const outcome = await outcomeOf(network.prepare(behaving(site, behaviour), sending));
    if (behaviour === 'limits the rate for a day' && outcome instanceof NetworkTrouble) {
      expect(outcome.kind).toBe('rateLimited');
    }
  });

  test.each(names)('that %s to the call that publishes does not say what became of it', async (behaviour) => {
    const { site, sending, prepared } = await begun();
    const before = (await sandbox.sandboxes.feed(key, 50)).length;
    const outcome = await outcomeOf(network.send(behaving(site, behaviour), sending, prepared));
    const isOut = (await sandbox.sandboxes.feed(key, 50)).length > before;
    if (outcome instanceof NetworkTrouble) {
      if (isOut) expect(['unknown', 'temporary']).toContain(outcome.kind);
      if (behaviour === 'limits the rate for a day') expect(outcome.kind).toBe('rateLimited');
    } else if (outcome.is === 'sent') expect(outcome.sent.externalId).toMatch(/./);
  });

  const confirmed = async (site: Site, sending: Sending, prepared: unknown) => {
    let end = await outcomeOf(network.confirm(site, sending, prepared));
    for (let turn = 0; !(end instanceof NetworkTrouble) && end.is === 'waiting' && turn < 50; turn++) {
      sandbox.forward(end.forMs);
      end = await outcomeOf(network.confirm(site, sending, end.prepared));
    }
    return end instanceof NetworkTrouble ? end.kind : end.is;
  };

  test.each(names)('that %s does not call a post absent that is there', async (behaviour) => {
    const { site, sending, prepared } = await begun();
    const end = await network.send(site, sending, prepared);
    const kept = end.is === 'waiting' ? end.prepared : prepared;
    expect(await confirmed(behaving(site, behaviour), sending, kept)).not.toBe('absent');
  });

  test('that adds fields is understood as before', async () => {
    const { account, site, sending, prepared } = await begun();
    const grown = growing(site);
    const end = await network.send(grown, sending, prepared);
    expect(await confirmed(grown, sending, end.is === 'waiting' ? end.prepared : prepared)).not.toBe('absent');
    const publishedAt = sandbox.clock.now().toISOString();
    const [first] = await publisher.publish(network, grown, account, (await begun()).post);
    expect(first?.externalId).toMatch(/./);
    if (network.constraints.metrics.length === 0) return;
    sandbox.forward(1_800_000);
    const published = { externalId: first?.externalId ?? '', publishedAt, ref: first?.ref ?? null };
    expect(await network.readMetrics(grown, account, [published])).toMatchObject([{ is: 'numbers' }]);
  });

  /** Requests about an account other than posting. If the answer is understood, it must have what was asked for. */
  const questions: Readonly<Record<string, (site: Site, account: NetworkAccount) => Promise<unknown>>> = {
    'while an account is connected': async (site) => {
      const redirectUri = 'http://posthorn.test/connect/callback';
      const { accounts } = await signIn({ sandbox: () => site }, network, { handle: 'anna', redirectUri });
      for (const { id, name, tokens } of accounts) expect([id, name, tokens.accessToken]).not.toContain('');
    },
    'to the question for new tokens': async (site, account) => {
      if (network.refresh === cannotRefresh) return;
      // Meta renews no token that is younger than a day.
      sandbox.forward(25 * 3_600_000);
      expect((await network.refresh(site, account)).accessToken).toMatch(/./);
    },
    'to the question for a profile': async (site, account) => {
      const { name, handle } = await network.profile(site, account);
      expect(name + handle).toMatch(/./);
    },
    'while an account is disconnected': async (site, account) => network.revoke?.(site, account),
  };

  for (const [moment, ask] of Object.entries(questions)) {
    test.each(names)(`that %s ${moment} is trouble, and takes nobody’s access away`, async (behaviour) => {
      const { account, site } = await sandbox.connect(network);
      const outcome = await outcomeOf(ask(behaving(site, behaviour), account));
      if (!(outcome instanceof NetworkTrouble)) return;
      // An account that is told to connect again although nothing is wrong with it stops posting.
      expect(outcome.kind).not.toBe('token');
      if (behaviour === 'limits the rate for a day') expect(outcome.kind).toBe('rateLimited');
    });

    test(`that adds fields ${moment} is understood as before`, async () => {
      const { account, site } = await sandbox.connect(network);
      await ask(growing(site), account);
    });
  }

  for (const [option, lookup] of Object.entries(network.lookups ?? {})) {
    test.each(names)(`that %s to a search for ${option} finds nothing, and says so`, async (behaviour) => {
      const { account, site } = await sandbox.connect(network);
      const scopes = [...account.scopes, 'threads_location_tagging'];
      const outcome = await outcomeOf(lookup(behaving(site, behaviour), { ...account, scopes }, 'berlin'));
      expect(outcome).toBeInstanceOf(NetworkTrouble);
    });
  }

  if (network.constraints.metrics.length === 0) return;

  test.each(names)('that %s does not call a post absent whose numbers are read', async (behaviour) => {
    const { account, site, post } = await begun();
    const publishedAt = sandbox.clock.now().toISOString();
    const [first] = await publisher.publish(network, site, account, post);
    sandbox.forward(1_800_000);
    const posts = [{ externalId: first?.externalId ?? '', publishedAt, ref: first?.ref ?? null }];
    const outcome = await outcomeOf(network.readMetrics(behaving(site, behaviour), account, posts));
    if (outcome instanceof NetworkTrouble) {
      expect(outcome.kind).not.toBe('token');
      if (behaviour === 'limits the rate for a day') expect(outcome.kind).toBe('rateLimited');
      return;
    }
    // Numbers that are lost without a word would look like a post that nobody sees.
    expect(outcome).toMatchObject([{ is: 'numbers' }]);
    const [reading] = outcome;
    const metrics = reading?.is === 'numbers' ? Object.keys(reading.metrics) : [];
    expect(metrics.sort()).toEqual([...network.constraints.metrics].sort());
  });

  test('that renames its numbers does not lose them without a word', async () => {
    const { account, site, post } = await begun();
    const publishedAt = sandbox.clock.now().toISOString();
    const [first] = await publisher.publish(network, site, account, post);
    sandbox.forward(1_800_000);
    const isNumber = (value: unknown) =>
      typeof value === 'number' || (typeof value === 'string' && /^\d{1,9}$/.test(value));
    const renamed: Site = {
      ...site,
      request: async (request) =>
        rewritten(await site.request(request), (entries) =>
          entries.map(([key, value]) => [isNumber(value) ? `new_${key}` : key, value]),
        ),
    };
    const posts = [{ externalId: first?.externalId ?? '', publishedAt, ref: first?.ref ?? null }];
    expect(await outcomeOf(network.readMetrics(renamed, account, posts))).toBeInstanceOf(NetworkTrouble);
  });
});
