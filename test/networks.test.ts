import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { metricNames } from '#contracts/analytics';
import { Constraints, ProviderLimits } from '#contracts/providers';
import type { Network, NetworkMedia, NetworkPost } from '#server/networks/network';

/** Long texts are written as `{ "repeat": "a", "times": 280 }`, or as a list of pieces. */
type Text = string | { repeat: string; times: number } | Text[];
/** A MIME type stands for an ordinary file of that type; fields change what matters to the example. */
type Media = string | (Partial<NetworkMedia> & { mimeType: string });

interface PostExample {
  title: string;
  items: { body: Text; media?: Media[] }[];
  options?: Record<string, Text>;
}
interface Examples {
  counting: { text: Text; length: number; why: string; options?: Record<string, Text> }[];
  valid: PostExample[];
  invalid: (PostExample & { code: string; path: string })[];
  /** Limits that depend on the post, by their dotted path; null when there is none. */
  limits?: (PostExample & { limits: Record<string, unknown> })[];
}

const textOf = (text: Text): string => {
  if (typeof text === 'string') return text;
  return Array.isArray(text) ? text.map(textOf).join('') : text.repeat.repeat(text.times);
};

const mediaOf = (media: Media, index: number): NetworkMedia => {
  const fields = typeof media === 'string' ? { mimeType: media } : media;
  const ordinary = fields.mimeType.startsWith('video/')
    ? ({ kind: 'Video', bytes: 5_000_000, width: 1080, height: 1920, durationMs: 30_000 } as const)
    : ({ kind: 'Image', bytes: 200_000, width: 1080, height: 1080 } as const);
  return { id: `media_${index}`, ...ordinary, ...fields };
};

const optionsOf = (network: Network, options: Record<string, Text> = {}): Record<string, string> => ({
  ...Object.fromEntries(network.options.flatMap((option) => (option.default ? [[option.key, option.default]] : []))),
  ...Object.fromEntries(Object.entries(options).map(([key, value]) => [key, textOf(value)])),
});

const postOf = (network: Network, { items, options }: Pick<PostExample, 'items' | 'options'>): NetworkPost => ({
  items: items.map(({ body, media = [] }) => ({ body: textOf(body), media: media.map(mediaOf) })),
  options: optionsOf(network, options),
});

const valueAt = (limits: Constraints, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], limits);

const folder = 'server/networks';
const keys = readdirSync(folder).filter((name) => existsSync(`${folder}/${name}/index.ts`));
const networks = await Promise.all(
  keys.map(async (key) => ({
    key,
    network: ((await import(`#server/networks/${key}/index`)) as { default: Network }).default,
    examples: JSON.parse(readFileSync(`${folder}/${key}/examples.json`, 'utf8')) as Examples,
  })),
);

describe.each(networks)('$key', ({ key, network, examples }) => {
  const { constraints, options } = network;

  test('shows what providers.limits promises', () => {
    const limits = { network: network.key, provider: network.name, constraints, options };
    expect(ProviderLimits.strict().parse(limits)).toEqual(limits);
  });

  test('has the name of its folder as key', () => {
    expect(network.key).toBe(key);
  });

  test('has option keys that begin with its key, each once', () => {
    for (const option of options) expect(option.key).toMatch(new RegExp(`^${key}\\.[a-z_]+$`));
    expect(new Set(options.map((option) => option.key)).size).toBe(options.length);
  });

  test('tells readers what every option does', () => {
    for (const option of options) expect(option.description, option.key).toMatch(/^\S.*\.$/);
  });

  test('has choices for every Choice, and the default is one of them', () => {
    for (const option of options) {
      expect(option.choices !== undefined, option.key).toBe(option.type === 'Choice');
      if (option.choices && option.default) expect(option.choices.map(({ value }) => value)).toContain(option.default);
      if (option.type === 'Boolean') expect(['true', 'false'], option.key).toContain(option.default);
    }
  });

  test('lists its metrics once, in the order of the contract', () => {
    expect(constraints.metrics).toEqual(metricNames.filter((name) => constraints.metrics.includes(name)));
  });

  test('says None exactly when a post has one item', () => {
    expect(constraints.thread.form === 'None').toBe(constraints.thread.max === 1);
  });

  test('counts an example at the limit and one over it', () => {
    const { max } = constraints.characters;
    expect(examples.counting.map(({ length }) => length)).toEqual(expect.arrayContaining([max, max + 1]));
  });

  test.each(examples.counting)('counts $length: $why', ({ text, length, options: set }) => {
    expect(network.count(textOf(text), { items: [], options: optionsOf(network, set) })).toBe(length);
  });

  test.each(['a.', '@a', 'https://a.com/(', '👨‍👩‍👧‍👦', '\u0301'])(
    'is not slowed down by a long text of %s',
    (piece) => {
      const body = piece.repeat(100_000 / piece.length);
      const post = { items: [{ body, media: [] }], options: optionsOf(network) };
      const start = performance.now();
      network.count(body, post);
      network.check(post);
      expect(performance.now() - start).toBeLessThan(1_000);
    },
  );

  test.each(examples.valid)('takes $title', (example) => {
    const post = postOf(network, example);
    expect(network.check(post)).toEqual([]);
    expect(Constraints.safeParse(network.constraintsFor(post)).success).toBe(true);
  });

  test.each(examples.invalid)('refuses $title', (example) => {
    const { code, path } = example;
    expect(network.check(postOf(network, example))).toEqual([expect.objectContaining({ code, path })]);
  });

  test.each(examples.limits ?? [])('has limits of its own for $title', (example) => {
    const limits = network.constraintsFor(postOf(network, example));
    expect(Constraints.parse(limits)).toEqual(limits);
    for (const [path, value] of Object.entries(example.limits)) expect(valueAt(limits, path) ?? null).toEqual(value);
  });
});

describe('SPEC, Statistics rules', () => {
  const named = (key: string): Network => {
    const found = networks.find((entry) => entry.key === key);
    if (!found) throw new Error(`no network ${key}`);
    return found.network;
  };

  test.each(['linkedin', 'linkedin_page', 'google_business'])('5: %s reports nothing', (key) => {
    expect(named(key).constraints.metrics).toEqual([]);
  });

  test.each([
    ['x', 6],
    ['threads', 5],
    ['facebook', 5],
    ['instagram', 6],
    ['tiktok', 4],
    ['youtube', 3],
    ['pinterest', 3],
    ['bluesky', 5],
    ['mastodon', 4],
    ['pixelfed', 3],
  ])('6: %s reports %i metrics', (key, count) => {
    expect(named(key).constraints.metrics).toHaveLength(count);
  });

  test('6: the short-post network gives views, likes, comments, shares, quotes, saves', () => {
    expect(named('x').constraints.metrics).toEqual(['views', 'likes', 'comments', 'shares', 'quotes', 'saves']);
  });

  test('6: microblog network A gives likes, comments, shares, quotes, saves', () => {
    expect(named('bluesky').constraints.metrics).toEqual(['likes', 'comments', 'shares', 'quotes', 'saves']);
  });

  test.each(['threads', 'facebook', 'instagram', 'tiktok'])('10: %s needs an extra permission', (key) => {
    expect(named(key).statisticsPermission).toBeTruthy();
  });

  test.each(['youtube', 'pinterest', 'x', 'bluesky', 'mastodon', 'pixelfed'])('10: %s needs nothing new', (key) => {
    expect(named(key).statisticsPermission).toBeUndefined();
  });
});
