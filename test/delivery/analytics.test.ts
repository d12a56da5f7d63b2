import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MetricName, metricNames, type Summary, type Totals } from '#contracts/analytics';
import { sql } from '#server/base/store/database';
import { reported } from '#server/networks/shared/metrics';
import { publicationsOf, type Target } from '#test/support/publications';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let publications: ReturnType<typeof publicationsOf>;
beforeAll(async () => {
  service = await startService();
  publications = publicationsOf(service.database);
});
afterAll(() => service.stop());

const insertPosts = sql(
  'test.analytics.posts',
  `insert into posts (id, workspace_id, status, account_ids, versions, created_by)
   select id, workspace_id, 'Published', '{}', versions, 'usr_TEST'
     from jsonb_to_recordset($1::jsonb) as post (id text, workspace_id text, versions jsonb)`,
);
const removePosts = sql('test.analytics.remove', 'delete from posts where id = any($1)');
const json = (value: unknown) => [JSON.stringify(value)];
const versionsOf = (body: string) => [{ content: [{ body, media: [] }], options: {} }];

let posts = 0;
const nextPostId = () => `post_01J${String(++posts).padStart(23, '0')}`;

const publish = async (accountIds: string[], publishedAt: string, metrics: Target['metrics'], body = 'Text') => {
  const id = nextPostId();
  const post = { id, workspace_id: service.owner.workspaceId, versions: versionsOf(body) };
  await service.database.query(insertPosts, json([post]));
  await publications.add(accountIds.map((accountId) => ({ postId: id, accountId, publishedAt, metrics })));
  return id;
};

describe('analytics.summary', () => {
  test('counts a post once, sums over accounts, and finds the best times in the time zone', async () => {
    const [a, b] = [await service.addAccount('x'), await service.addAccount('bluesky')];
    const metrics = { views: 100, likes: 1, comments: 2, shares: 3, quotes: 4, saves: 5, clicks: 50 };
    const both = await publish([a, b], '2025-06-02T22:30:00Z', metrics, 'Both');
    const one = await publish([a], '2025-06-03T22:30:00Z', { likes: 7 }, 'One');
    await publish([a], '2025-06-30T00:00:00Z', { likes: 1000 }, 'At the end, which is exclusive');
    const range = { from: '2025-06-01T00:00:00Z', to: '2025-06-30T00:00:00Z', timeZone: 'Europe/Berlin' };
    const summary = await service.client.analytics.summary(range);
    expect(summary).toMatchObject({
      ...range,
      totals: {
        posts: 2,
        views: 200,
        likes: 9,
        comments: 4,
        shares: 6,
        quotes: 8,
        saves: 10,
        clicks: 100,
        engagement: 37,
      },
      byAccount: [
        { accountId: a, provider: 'X', totals: { posts: 2, engagement: 22 } },
        { accountId: b, provider: 'Bluesky', totals: { posts: 1, engagement: 15 } },
      ],
      byNetwork: [
        { provider: 'Bluesky', totals: { posts: 1, engagement: 15 } },
        { provider: 'X', totals: { posts: 2, engagement: 22 } },
      ],
      topPosts: [
        {
          postId: both,
          text: 'Both',
          engagement: 30,
          views: 200,
          publishedAt: '2025-06-02T22:30:00.000000Z',
          accountIds: [a, b],
        },
        { postId: one, text: 'One', engagement: 7, views: 0, accountIds: [a] },
      ],
      // 22:30 UTC is half past midnight of the next day in Berlin.
      bestTimes: [
        { weekday: 2, hour: 0, posts: 1, engagement: 30, average: 30, lowConfidence: true },
        { weekday: 3, hour: 0, posts: 1, engagement: 7, average: 7, lowConfidence: true },
      ],
    });
    const onlyB = await service.client.analytics.summary({ ...range, accountIds: [b] });
    expect(onlyB.totals).toMatchObject({ posts: 1, engagement: 15 });
  });

  test('trusts a time of the week with three posts, and not one with two', async () => {
    const account = await service.addAccount('x');
    // Wednesdays at 9, Thursdays at 9.
    for (const day of ['01', '08', '15', '02', '09']) {
      await publish([account], `2025-10-${day}T09:15:00Z`, { likes: 2 });
    }
    const range = { from: '2025-10-01T00:00:00Z', to: '2025-11-01T00:00:00Z' };
    const { bestTimes } = await service.client.analytics.summary({ ...range, accountIds: [account] });
    expect(bestTimes.toSorted((a, b) => a.weekday - b.weekday)).toEqual([
      { weekday: 3, hour: 9, posts: 3, engagement: 6, average: 2, lowConfidence: false },
      { weekday: 4, hour: 9, posts: 2, engagement: 4, average: 2, lowConfidence: true },
    ]);
  });

  test('counts by the hour on the wall on both sides of a change of the clocks', async () => {
    const account = await service.addAccount('x');
    // On Sunday, 30 March 2025, the clocks in Berlin go from 2 to 3, on 26 October from 3 back to 2.
    const published = {
      '2025-03-30T00:30:00Z': 1, // 01:30, winter time
      '2025-03-30T01:30:00Z': 3, // 03:30, summer time
      '2025-10-26T00:30:00Z': 2, // 02:30, summer time
      '2025-10-26T01:30:00Z': 2, // 02:30 once more, winter time
      '2025-10-26T02:30:00Z': 3,
    };
    for (const instant of Object.keys(published)) await publish([account], instant, { likes: 1 });
    const { bestTimes } = await service.client.analytics.summary({
      from: '2025-03-01T00:00:00Z',
      to: '2025-11-01T00:00:00Z',
      timeZone: 'Europe/Berlin',
      accountIds: [account],
    });
    expect(
      bestTimes.map(({ weekday, hour, posts }) => ({ weekday, hour, posts })).toSorted((a, b) => a.hour - b.hour),
    ).toEqual([
      { weekday: 7, hour: 1, posts: 1 },
      { weekday: 7, hour: 2, posts: 2 },
      { weekday: 7, hour: 3, posts: 2 },
    ]);
  });

  test.each([
    ['Africa/Casablanca', 'six weeks: Ramadan 2025', '2025-02-01', '2025-05-01', '2025-03-10T12:30:00Z', 12],
    ['America/Noronha', 'one week, the shortest since 1970', '2000-09-01', '2000-12-01', '2000-10-11T12:30:00Z', 11],
  ])('counts by the hour on the wall of %s also when the clocks move for %s', async (...zone) => {
    const [timeZone, , from, to, publishedAt, hour] = zone;
    const account = await service.addAccount('x');
    await publish([account], publishedAt, { likes: 1 });
    const range = { from: `${from}T00:00:00Z`, to: `${to}T00:00:00Z`, timeZone, accountIds: [account] };
    expect((await service.client.analytics.summary(range)).bestTimes).toMatchObject([{ hour, posts: 1 }]);
  });

  test('counts an unknown time zone as UTC and echoes it', async () => {
    await publish([await service.addAccount('x')], '2024-02-29T22:30:00Z', null);
    const range = { from: '2024-02-01T00:00:00Z', to: '2024-03-01T00:00:00Z' };
    for (const timeZone of ['Mars/Olympus', '', '+02:00', "' or 1=1"]) {
      const summary = await service.client.analytics.summary({ ...range, timeZone });
      expect(summary.timeZone).toBe(timeZone);
      expect(summary.bestTimes).toMatchObject([{ weekday: 4, hour: 22 }]);
    }
  });

  test.each([
    ['from', { from: '2025-06-01', to: '2025-06-02T00:00:00Z' }],
    ['from', { from: 'yesterday', to: '2025-06-02T00:00:00Z' }],
    ['from', { from: '2025-02-30T00:00:00Z', to: '2025-06-02T00:00:00Z' }],
    ['from', { from: '2025-06-01T00:00:00', to: '2025-06-02T00:00:00Z' }],
    ['to', { from: '2025-06-02T00:00:00Z', to: 'tomorrow' }],
    ['to', { from: '2025-06-02T00:00:00Z', to: '2025-06-02T00:00:00Z' }],
    ['to', { from: '2025-06-02T00:00:00Z', to: '2025-06-02T02:00:00+02:00' }],
    ['to', { from: '2025-06-02T00:00:00Z', to: '2025-06-01T00:00:00Z' }],
    ['to', { from: '2025-01-01T00:00:00.000Z', to: '2026-02-05T00:00:00.001Z' }],
  ])('refuses a malformed range, naming %s: %j', async (path, range) => {
    const { status, body } = await service.call('analytics.summary', range);
    expect({ status, code: body.code, path: body.issues[0].path }).toEqual({ status: 400, code: 'BadInput', path });
    if (path === 'from') expect(body.message).toContain('from must be an ISO-8601 instant');
  });

  test('takes a range of just 400 days', async () => {
    const range = { from: '2025-01-01T00:00:00Z', to: '2026-02-05T00:00:00Z' };
    expect((await service.call('analytics.summary', range)).status).toBe(200);
  });

  test('counts a post once when two of its accounts are written at the same time, and read at the same time', async () => {
    const [a, b] = [await service.addAccount('x'), await service.addAccount('x')];
    const postId = await publish([], '', null);
    const targetOn = (accountId: string, likes: number) => [
      { postId, accountId, publishedAt: '2023-05-05T05:00:00Z', metrics: { likes } },
    ];
    const add = (accountId: string) => publications.add(targetOn(accountId, 1));
    const read = (accountId: string) => publications.read(targetOn(accountId, 5));
    const range = { from: '2023-05-05T00:00:00Z', to: '2023-05-06T00:00:00Z' };
    for (const [write, likes] of [
      [add, 2],
      [read, 10],
    ] as const) {
      await atTheSameTime(
        () => write(a),
        () => write(b),
      );
      const summary = await service.client.analytics.summary(range);
      expect(summary.totals).toMatchObject({ posts: 1, likes });
      expect(summary.byNetwork).toMatchObject([{ totals: { posts: 1, likes } }]);
      expect(summary.bestTimes).toMatchObject([{ weekday: 5, hour: 5, posts: 1, engagement: likes }]);
      expect(summary.topPosts).toMatchObject([{ postId, engagement: likes }]);
    }
  });

  /** Always the same random data; `SEED=1` chooses other data. */
  test('is what a plain computation finds, whatever was published', async () => {
    const seed = Number(process.env.SEED ?? 20_261_116);
    const random = randomFrom(seed);
    for (let round = 0; round < rounds; round++) {
      const workspaces = Array.from({ length: workspacesAtOnce }, () => randomWorkspace(random));
      await write(random, workspaces);
      const asked = workspaces.flatMap((workspace) =>
        Array.from({ length: questionsEach }, () => ({
          workspace,
          input: randomQuestion(random, workspace, workspaces),
        })),
      );
      while (asked.length > 0) {
        await Promise.all(
          asked.splice(0, questionsAtOnce).map(async ({ workspace, input }) => {
            const answer = await service
              .asHuman('analytics.summary', input, { workspaceId: workspace.id })
              .catch(({ code, issues }) => ({ refused: `${code} ${issues?.[0].path}` }));
            const why = `seed ${seed}, workspace ${workspace.id}, ${JSON.stringify(input)}`;
            expect(answer, why).toEqual(plainly(workspace, input));
          }),
        );
      }
    }
  });
});

/** Starts the second while the first is uncommitted, so that it has to wait. */
const atTheSameTime = async (first: () => Promise<unknown>, second: () => Promise<unknown>) => {
  const waiting = sql(
    'test.analytics.waiting',
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  const someoneWaits = async () => (await service.database.query(waiting)).length > 0;
  let other: Promise<unknown> | undefined;
  await service.database.transaction(async () => {
    await first();
    await service.database.outside(() => {
      other = second();
      return until('the second one waits', someoneWaits);
    });
  });
  await other;
};

const rounds = 3;
const workspacesAtOnce = 250;
const questionsEach = 2;
const questionsAtOnce = 25;

type Question = { from: string; to: string; timeZone: string; accountIds: string[] };
type Random = ReturnType<typeof randomFrom>;

interface Workspace {
  id: string;
  accounts: { id: string; network: 'bluesky' | 'mastodon' | 'x' }[];
  texts: Map<string, string>;
  targets: ToldTarget[];
}

/** Also has the numbers that the network reported, which may be anything. */
interface ToldTarget extends Target {
  readonly told: Readonly<Record<string, unknown>> | null;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Where clocks are moved, days are skipped, or a calendar has an edge. */
const places = [
  ['Europe/Berlin', '2024-03-31T01:00:00Z'],
  ['Europe/Berlin', '2024-10-27T01:00:00Z'],
  ['America/New_York', '2024-03-10T07:00:00Z'],
  ['America/New_York', '2024-11-03T06:00:00Z'],
  ['America/St_Johns', '2010-11-07T02:31:00Z'],
  ['Australia/Lord_Howe', '2024-04-06T15:00:00Z'],
  ['Africa/Casablanca', '2024-03-10T02:00:00Z'],
  ['America/Noronha', '2000-10-15T01:00:00Z'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z'],
  ['Africa/Monrovia', '1972-01-07T00:44:30Z'],
  ['Asia/Kathmandu', '2024-02-29T18:15:00Z'],
  ['UTC', '2024-02-29T00:00:00Z'],
  ['Asia/Tokyo', '2023-12-31T15:00:00Z'],
  ['Mars/Olympus', '2025-01-01T00:00:00Z'],
] as const;
const zones = Intl.supportedValuesOf('timeZone');
const noZones = ['', '+02:00', 'Mars/Olympus', 'Europe/Berlin; drop table posts'];
const steps = [0, 1, second, 15 * minute, 45 * minute, hour, 90 * minute, day, 7 * day, 200 * day, 400 * day];

const randomFrom = (seed: number) => {
  let state = seed;
  /** From 0 to 1, without 1 (mulberry32). */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const chance = (share: number) => next() < share;
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const some = <Item>(items: readonly Item[], share: number) => items.filter(() => chance(share));
  return { below, chance, one, some };
};

let workspaceCount = 0;

const randomWorkspace = ({ below, chance, one, some }: Random): Workspace => {
  const id = `ws_ANALYTICS${String(++workspaceCount).padStart(6, '0')}`;
  const accounts = Array.from({ length: 1 + below(5) }, (_, i) => ({
    id: `acct_${id}_${i}`,
    network: one(['bluesky', 'mastodon', 'x'] as const),
  }));
  const [, place] = one(places);
  const around = (ms: number) => ms + one([-1, 1]) * (chance(0.8) ? one(steps) : below(300 * day));
  const texts = new Map<string, string>();
  const targets: ToldTarget[] = [];
  for (let left = below(chance(0.2) ? 20 : 8); left > 0; left--) {
    const postId = nextPostId();
    texts.set(postId, one(['Hello', '', 'Ein Text', '🎉 "quoted" \\ text\n']));
    const first = Math.max(0, around(Date.parse(place)));
    for (const { id: accountId } of some(accounts, 0.6)) {
      const at = new Date(chance(0.5) ? first : Math.max(0, around(first))).toISOString();
      const microseconds = chance(0.2) ? String(below(1000)).padStart(3, '0') : '000';
      // With six fraction digits, so that text sorts like time.
      const publishedAt = `${at.slice(0, -1)}${microseconds}Z`;
      const told = randomNumbers({ below, chance, one, some });
      targets.push({ postId, accountId, publishedAt, told, metrics: told && reported(told) });
    }
  }
  return { id, accounts, texts, targets };
};

const oddNumbers = [
  -1,
  5_000_000_000,
  2 ** 31,
  'many',
  null,
  true,
  1e13,
  1.5,
  Number.NaN,
  Infinity,
  2 ** 53,
  '7',
  -0,
  [3],
];

const randomNumbers = ({ below, chance, one, some }: Random) =>
  chance(0.2)
    ? null
    : Object.fromEntries(some(metricNames, 0.5).map((name) => [name, chance(0.8) ? below(4) : one(oddNumbers)]));

const withOtherNumbers = (target: Target) => ({ ...target, metrics: { likes: 99 } });

/** Some targets are added later, some had other metrics before, and some posts are deleted again. */
const write = async ({ chance, one }: Random, workspaces: Workspace[]) => {
  const { database } = service;
  await database.query(
    sql(
      'test.analytics.workspaces',
      `insert into workspaces (id, name) select id, 'Analytics' from jsonb_to_recordset($1::jsonb) as w (id text)`,
    ),
    json(workspaces),
  );
  await database.query(
    sql(
      'test.analytics.accounts',
      `insert into accounts (id, workspace_id, network, external_id, name, handle)
       select a.id, w.id, a.network, a.id, 'Name', 'handle'
         from jsonb_to_recordset($1::jsonb) as w (id text, accounts jsonb)
        cross join jsonb_to_recordset(w.accounts) as a (id text, network text)`,
    ),
    json(workspaces),
  );
  const postRows = workspaces.flatMap(({ id, texts }) =>
    [...texts].map(([postId, text]) => ({ id: postId, workspace_id: id, versions: versionsOf(text) })),
  );
  await database.query(insertPosts, json(postRows));

  const targets = workspaces.flatMap((workspace) => workspace.targets);
  const early = targets.filter(() => chance(0.5));
  const late = targets.filter((target) => !early.includes(target));
  const gone = workspaces.flatMap(({ id, accounts }) =>
    chance(0.5) ? [] : [{ postId: nextPostId(), workspaceId: id, accountId: one(accounts).id }],
  );
  const goneRows = gone.map((post) => ({ id: post.postId, workspace_id: post.workspaceId, versions: versionsOf('') }));
  await database.query(insertPosts, json(goneRows));
  const unread = (target: Omit<Target, 'metrics'>) => ({ ...target, metrics: null });
  await publications.add(gone.map((target) => ({ ...target, publishedAt: '1999-01-01T00:00:00Z', metrics: null })));
  await publications.add(early.map(unread));
  await publications.readMany(early.filter(({ metrics }) => metrics && chance(0.2)).map(withOtherNumbers));
  await publications.add(late.map(unread));
  // The planner's statistics are wrong for tables that were just filled.
  await database.script('analyze publications; analyze published_posts; analyze posts');
  await publications.readMany(targets);
  await database.run(removePosts, [gone.map(({ postId }) => postId)]);
};

const randomQuestion = (
  { below, chance, one, some }: Random,
  { accounts, targets }: Workspace,
  others: Workspace[],
): Question => {
  const [placeZone, place] = one(places);
  const times = targets.map(({ publishedAt }) => publishedAt);
  const edge = () => (times.length > 0 && chance(0.7) ? one(times) : inZone(Date.parse(place) + one(steps), one));
  const from = chance(0.2) ? inZone(Math.max(0, Date.parse(one([place, ...times])) - below(200 * day)), one) : edge();
  const to = chance(0.5) ? inZone(Date.parse(from) + one([...steps, 300 * day]) + below(2), one) : edge();
  const strangers = one(others).accounts.map(({ id }) => id);
  return {
    from,
    to,
    timeZone: chance(0.5) ? placeZone : one(chance(0.1) ? noZones : zones),
    accountIds: chance(0.5) ? [] : some([...accounts.map(({ id }) => id), ...strangers, 'acct_UNKNOWN'], 0.5),
  };
};

/** The same instant, said in UTC or with an offset. */
const inZone = (ms: number, one: Random['one']) => {
  const offsetHours = one([0, 0, 2, -11]);
  const wall = new Date(ms + offsetHours * hour).toISOString().slice(0, -1);
  const sign = offsetHours < 0 ? '-' : '+';
  return offsetHours === 0 ? `${wall}Z` : `${wall}${sign}${String(Math.abs(offsetHours)).padStart(2, '0')}:00`;
};

/** analytics.summary as SPEC says it, one target at a time. */
const plainly = ({ accounts, texts, targets }: Workspace, { from, to, timeZone, accountIds }: Question) => {
  const lengthMs = Date.parse(to) - Date.parse(from);
  const isLonger = lengthMs === 400 * day && inUtc(to).slice(-4) > inUtc(from).slice(-4);
  if (inUtc(to) <= inUtc(from) || lengthMs > 400 * day || isLonger) return { refused: 'BadInput to' };
  const chosen = targets.filter(
    ({ accountId, publishedAt }) =>
      publishedAt >= inUtc(from) &&
      publishedAt < inUtc(to) &&
      (accountIds.length === 0 || accountIds.includes(accountId)),
  );
  const published = [...new Set(chosen.map(({ postId }) => postId))].map((postId) => {
    const own = chosen
      .filter((target) => target.postId === postId)
      .sort((a, b) => compare(a.publishedAt, b.publishedAt) || compare(a.accountId, b.accountId));
    const { engagement, views } = totalsOf(own);
    const publishedAt = own[0]?.publishedAt ?? '';
    return {
      postId,
      text: texts.get(postId),
      publishedAt,
      accountIds: own.map((it) => it.accountId),
      engagement,
      views,
    };
  });
  const slots = new Map<number, number[]>();
  for (const { publishedAt, engagement } of published) {
    const slot = slotOf(publishedAt, timeZone);
    slots.set(slot, [...(slots.get(slot) ?? []), engagement]);
  }
  const names = { bluesky: 'Bluesky', mastodon: 'Mastodon', x: 'X' };
  const on = (ids: string[]) => chosen.filter(({ accountId }) => ids.includes(accountId));
  return {
    from,
    to,
    timeZone,
    totals: totalsOf(chosen),
    byAccount: accounts
      .filter(({ id }) => on([id]).length > 0)
      .map(({ id, network }) => ({ accountId: id, provider: names[network], totals: totalsOf(on([id])) })),
    byNetwork: (['bluesky', 'mastodon', 'x'] as const).flatMap((network) => {
      const there = on(accounts.filter((account) => account.network === network).map(({ id }) => id));
      return there.length === 0 ? [] : [{ provider: names[network], totals: totalsOf(there) }];
    }),
    topPosts: published
      .toSorted(
        (a, b) => b.engagement - a.engagement || compare(b.publishedAt, a.publishedAt) || compare(a.postId, b.postId),
      )
      .slice(0, 10),
    bestTimes: [...slots]
      .sort(([a], [b]) => a - b)
      .map(([slot, engagements]) => {
        const engagement = engagements.reduce((sum, one) => sum + one, 0);
        return {
          weekday: Math.floor(slot / 100),
          hour: slot % 100,
          posts: engagements.length,
          engagement,
          average: engagement / engagements.length,
          lowConfidence: engagements.length < 3,
        };
      }),
  } satisfies Omit<Summary, 'topPosts'> & { topPosts: unknown };
};

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** A number of the fractions that the other has, where it has more than milliseconds. */
const inUtc = (instant: string) =>
  /\.\d{6}Z$/.test(instant) ? instant : `${new Date(instant).toISOString().slice(0, -1)}000Z`;

const totalsOf = (targets: ToldTarget[]): Totals => {
  const sum = (name: MetricName) =>
    targets.reduce((total, { told }) => {
      const value = told?.[name];
      // Fractions and implausibly large numbers do not count.
      const isCount = typeof value === 'number' && value >= 0 && value < 1e12 && value % 1 === 0;
      return isCount ? total + value : total;
    }, 0);
  const sums = Object.fromEntries(metricNames.map((name) => [name, sum(name)])) as Omit<Totals, 'posts' | 'engagement'>;
  return {
    posts: new Set(targets.map(({ postId }) => postId)).size,
    ...sums,
    engagement: sums.likes + sums.comments + sums.shares + sums.quotes + sums.saves,
  };
};

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const formats = new Map<string, Intl.DateTimeFormat>();

/** 100 for the first hour of Monday, 723 for the last of Sunday. */
const slotOf = (publishedAt: string, timeZone: string) => {
  const format = formats.get(timeZone) ?? weekdayAndHour(timeZone);
  formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(Date.parse(publishedAt)).map(({ type, value }) => [type, value]));
  return 100 * (1 + weekdays.indexOf(parts.get('weekday') ?? '')) + Number(parts.get('hour'));
};

const weekdayAndHour = (timeZone: string) => {
  const fields = { weekday: 'short', hour: 'numeric', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en-US', { ...fields, timeZone: noZones.includes(timeZone) ? 'UTC' : timeZone });
};
