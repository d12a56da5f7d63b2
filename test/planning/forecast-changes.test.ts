import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { wakes } from '#server/base/jobs/due-work';
import { type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import { randomOf } from '#test/support/random';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let service: Service;
let nowMs: number;
beforeEach(async () => {
  service = await startService();
  // Small enough that a few posts reach it.
  Object.assign(service.posthorn.networks.get('mastodon'), { postQuota: { posts: 12, hours: 24 } });
  nowMs = service.clock.now().getTime();
  service.startJobs();
});
afterEach(() => {
  Object.assign(service.posthorn.networks.get('mastodon'), { postQuota: undefined });
  return service.stop();
});

/** Scheduled posts that nobody has judged yet, the nth at this time for these accounts. */
const fill = async (count: number, of: (n: number) => { atMs: number; accountIds: string[] }) => {
  // A check that a connected account began would end without these posts.
  await settle();
  await service.database.query(
    sql(
      'test.forecast.fill',
      `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
       select id, $1, 'Scheduled', accounts, jsonb_build_array(jsonb_build_object('options', '{}'::jsonb, 'content',
              jsonb_build_array(jsonb_build_object('body', 'Bread ' || id, 'media', '[]'::jsonb)))), at, $2
         from jsonb_to_recordset($3) as row (id text, accounts text[], at timestamptz)`,
    ),
    [
      service.owner.workspaceId,
      service.owner.userId,
      JSON.stringify(
        Array.from({ length: count }, (_, n) => {
          const { atMs, accountIds } = of(n);
          return { id: `post_${String(n).padStart(6, '0')}`, accounts: accountIds, at: new Date(atMs) };
        }),
      ),
    ],
  );
  await service.runChore('find posts without a forecast');
};

/** Until posts that go out have ended, this process knows of all changes, and no forecast is left to be made. */
const settle = async () => {
  const publishing = sql('test.forecast.publishing', `select 1 from posts where status = 'Publishing'`);
  await until('no post is going out', async () => (await service.database.query(publishing)).length === 0);
  const marker = randomUUID();
  const known = new Promise<void>((resolve) => {
    service.posthorn.live.onChange(({ id }) => (id === marker ? resolve() : undefined));
  });
  await service.posthorn.live.publish({ workspaceId: service.owner.workspaceId, kind: 'label', id: marker });
  await known;
  const { jobs } = service.posthorn;
  const unfinished = sql(
    'test.forecast.unfinished',
    `select 1 from forecast_checks where started_at is not null or due_at <= posthorn_now()
     union all
     select 1 from posts p where status = 'Scheduled' and not exists (select from forecasts f where f.post_id = p.id)`,
  );
  await until('all forecasts are made', async () => {
    const isWaiting = (await jobs.msToNext(['forecasts'])) === 0;
    const isUnfinished = (await service.database.query(unfinished)).length > 0;
    // Last, because work that was taken up meanwhile no longer waits.
    return !isWaiting && !isUnfinished && jobs.inFlight().get('forecasts') === 0;
  });
};
const checkWhole = async () => {
  await service.database.run(sql('test.forecast.due', 'update forecast_checks set due_at = posthorn_now()'));
  await service.database.query(sql('test.forecast.wake', `select ${wakes('forecasts')}`));
  await settle();
};

interface Row {
  id: string;
  entries: { code: string; accountId?: string }[];
}
const forecasts = async () =>
  new Map(
    (
      await service.database.query(
        sql(
          'test.forecast.entries',
          `select p.id, f.entries from posts p left join forecasts f on f.workspace_id = p.workspace_id and f.post_id = p.id
            where p.status = 'Scheduled' order by p.id`,
        ).holds<Row>(),
      )
    ).map(({ id, entries }) => [id, entries]),
  );

const statementsThatRead = [
  'posts.scheduledAndChanged',
  'posts.scheduledPage',
  'posts.inMinutes',
  'posts.scheduledOfAccount',
];
/** The posts that are read meanwhile to be judged, and by which statements. */
const readWhile = async (work: () => Promise<unknown>) => {
  const posts = new Set<string>();
  const statements = new Set<string>();
  const { query } = service.database;
  service.database.query = async <Values, Row>(
    statement: Statement<Values, Row>,
    ...values: ValuesArgument<Values>
  ) => {
    const rows = await query(statement, ...values);
    if (statementsThatRead.includes(statement.name)) {
      statements.add(statement.name);
      for (const { id } of rows as { id: string }[]) posts.add(id);
    }
    return rows;
  };
  await work();
  service.database.query = query;
  return { posts: [...posts].sort(), statements };
};

const update = async (id: string, change: { scheduledAt?: string; accountIds?: string[]; body?: string }) => {
  const { accountIds, versions } = await service.client.posts.get({ id });
  const content = change.body === undefined ? versions : [{ content: [{ body: change.body }] }];
  const { scheduledAt } = change;
  await service.asHuman('posts.update', {
    id,
    accountIds: change.accountIds ?? accountIds,
    versions: content,
    ...(scheduledAt && { scheduledAt }),
  });
};

/** As an edit does, also where an account or the workspace allows none. */
const rewrite = async (id: string) => {
  const text = `update posts set versions = jsonb_set(versions, '{0,content,0,body}', '"Rewritten"'), updated_at = posthorn_now()
     where id = $1`;
  await service.database.run(sql('test.forecast.rewrite', text), [id]);
  await service.posthorn.live.publish({ workspaceId: service.owner.workspaceId, kind: 'post', id });
};

test('among 600 scheduled posts, a changed one is judged with those that share something with it, and no others', async () => {
  const accounts = [await service.addAccount('bluesky'), await service.addAccount('bluesky')] as const;
  await fill(600, (n) => ({
    atMs: nowMs + dayMs + Math.floor(n / 2) * 2 * hourMs,
    // Two at a time, for different accounts; every tenth pair for the same one.
    accountIds: [n % 20 === 1 ? accounts[0] : (accounts[n % 2] as string)],
  }));
  await settle();
  expect([...(await forecasts()).values()].flat().filter(({ code }) => code === 'same_minute')).toHaveLength(60);
  const edit = () => update('post_000300', { body: 'Another text' });
  expect((await readWhile(() => edit().then(settle))).posts).toEqual(['post_000300', 'post_000301']);
  const alone = () => update('post_000303', { body: 'Another text' });
  expect((await readWhile(() => alone().then(settle))).posts).toEqual(['post_000303']);
  const at = (await service.client.posts.get({ id: 'post_000020' })).scheduledAt ?? '';
  const move = () => update('post_000002', { scheduledAt: at });
  expect((await readWhile(() => move().then(settle))).posts).toEqual(['post_000002', 'post_000020', 'post_000021']);
});

test('when the only account of 600 posts is disconnected, all are judged again in pages, and people are told once', async () => {
  const account = await service.addAccount('bluesky');
  await fill(600, (n) => ({ atMs: nowMs + dayMs + n * hourMs, accountIds: [account] }));
  await settle();
  const pages: number[] = [];
  const { query } = service.database;
  service.database.query = async <Values, Row>(
    statement: Statement<Values, Row>,
    ...values: ValuesArgument<Values>
  ) => {
    const rows = await query(statement, ...values);
    if (statement.name === 'posts.scheduledPage') pages.push(rows.length);
    // A process that stops here: its check goes on later.
    if (pages.length === 2) throw new Error('the process stopped');
    return rows;
  };
  await service.asHuman('accounts.delete', { id: account });
  await until('the second page is read', () => pages.length === 2);
  service.database.query = query;
  await until('the check was given up for now', () => service.posthorn.jobs.inFlight().get('forecasts') === 0);
  // What changes meanwhile is judged at once, and people are told of all posts at the end.
  await rewrite('post_000599');
  await until('a changed post is judged', async () => ((await forecasts()).get('post_000599') ?? []).length > 0);
  const { posts, statements } = await readWhile(async () => {
    await service.clock.forward(minuteMs);
    await settle();
  });
  expect(pages).toEqual([200, 200]);
  expect(statements).toEqual(new Set(['posts.scheduledPage']));
  // The first page is done already.
  expect(posts).toHaveLength(400);
  const all = [...(await forecasts()).values()];
  expect(all.flat().map(({ code }) => code)).toEqual(all.map(() => 'disconnected'));
  const browser = service.browser();
  await browser.signIn();
  const { body } = await browser.get('/api/app/notifications');
  expect(body.needsYou.map(({ title }: { title: string }) => title)).toEqual([
    '600 scheduled posts will not reach Bluesky: account disconnected',
  ]);
});

test.each([
  [
    'the slots',
    `insert into slots (id, workspace_id, days, time, account_ids) values ('slot_1', $1, '{1}', '09:00', '{}')`,
  ],
  ['the zone', `insert into slot_zones (workspace_id, time_zone) values ($1, 'Asia/Tokyo')`],
  ['the plan', `update workspaces set plan = 'free' where id = $1`],
  ['the end of the workspace', `update workspaces set delete_at = posthorn_now() + interval '7 days' where id = $1`],
])('when %s changed unnoticed, the next change of a post leads to a check of all', async (_what, change) => {
  const account = await service.addAccount('bluesky');
  await fill(2, (n) => ({ atMs: nowMs + dayMs + n * hourMs, accountIds: [account] }));
  await settle();
  await service.database.run(sql(`test.forecast.basis.${_what}`, change), [service.owner.workspaceId]);
  const { statements } = await readWhile(async () => {
    await rewrite('post_000000');
    await settle();
  });
  expect(statements).toContain('posts.scheduledPage');
});

test('what changes for all posts during a check of all leads to another one, for the pages that were done', async () => {
  const account = await service.addAccount('bluesky');
  await fill(250, (n) => ({ atMs: nowMs + dayMs + n * hourMs, accountIds: [account] }));
  await settle();
  const end = sql(
    'test.forecast.end',
    `update workspaces set delete_at = posthorn_now() + interval '7 days' where id = $1`,
  );
  const { query } = service.database;
  let pages = 0;
  service.database.query = async <Values, Row>(
    statement: Statement<Values, Row>,
    ...values: ValuesArgument<Values>
  ) => {
    const rows = await query(statement, ...values);
    if (statement.name === 'posts.scheduledPage' && ++pages === 2) await query(end, [service.owner.workspaceId]);
    return rows;
  };
  await checkWhole();
  service.database.query = query;
  const all = [...(await forecasts()).values()];
  expect(all.filter((entries) => entries.length === 0).length).toBeLessThan(24 * 7);
  expect((await forecasts()).get('post_000199')).not.toEqual([]);
});

test('a post that may move to a later minute is offered another one once that minute is taken', async () => {
  const account = await service.addAccount('bluesky');
  const minute = Math.ceil(nowMs / minuteMs) * minuteMs + dayMs;
  await fill(3, (n) => ({ atMs: n < 2 ? minute : minute + 6 * hourMs, accountIds: [account] }));
  await settle();
  const offered = async () => {
    const { forecast = [] } = await service.client.posts.get({ id: 'post_000001' });
    return forecast.find(({ code }) => code === 'same_minute')?.fixes?.[0]?.at;
  };
  const at = (ms: number) => new Date(ms).toISOString();
  expect(Date.parse((await offered()) ?? '')).toBe(minute + 5 * minuteMs);
  await update('post_000002', { scheduledAt: at(minute + 5 * minuteMs) });
  await settle();
  expect(Date.parse((await offered()) ?? '')).toBe(minute + 10 * minuteMs);
});

test('a post that goes out at its time counts as before, so no other is judged again', async () => {
  const account = await service.connect('mastodon');
  await fill(30, (n) => ({
    atMs: Math.ceil(nowMs / hourMs) * hourMs + (n + 2) * 30 * minuteMs,
    accountIds: [account],
  }));
  await settle();
  expect([...(await forecasts()).values()].flat().map(({ code }) => code)).toContain('network_quota');
  const { posts } = await readWhile(async () => {
    await service.clock.forward(Math.ceil(nowMs / hourMs) * hourMs + hourMs + 1000 - service.clock.now().getTime());
    await until(
      'it is out',
      async () => (await service.client.posts.get({ id: 'post_000000' })).status === 'Published',
    );
    await settle();
  });
  expect(posts).toEqual([]);
});

test('of posts in one minute, those that go out first cost no reading of the others', async () => {
  const account = await service.connect('bluesky');
  const minute = Math.ceil(nowMs / minuteMs) * minuteMs + hourMs;
  await fill(20, (n) => ({ atMs: minute + (n < 10 ? 5_000 : 50_000), accountIds: [account] }));
  await settle();
  const { posts } = await readWhile(async () => {
    await service.clock.forward(minute + 10_000 - service.clock.now().getTime());
    const out = sql('test.forecast.out', `select 1 from posts where status = 'Published'`);
    await until('half of them are out', async () => (await service.database.query(out)).length === 10);
    await settle();
  });
  expect(posts).toEqual([]);
});

test('of 600 posts, only one whose forecast was lost with its process is judged again', async () => {
  const account = await service.addAccount('bluesky');
  await fill(600, (n) => ({ atMs: nowMs + dayMs + n * hourMs, accountIds: [account] }));
  await settle();
  await service.database.run(sql('test.forecast.lose', `delete from forecasts where post_id = 'post_000300'`));
  const { posts } = await readWhile(async () => {
    await service.runChore('find posts without a forecast');
    await settle();
  });
  expect(posts).toEqual(['post_000300']);
  expect((await forecasts()).get('post_000300')).toEqual([]);
});

test('after random changes, forecasts are those of a check of all posts', async () => {
  const random = randomOf(7);
  const accounts = [
    await service.connect('mastodon'),
    await service.connect('mastodon'),
    await service.connect('bluesky'),
  ];
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item;
  const some = () => accounts.filter((_, n) => n === 2 || random(2) === 0);
  // Many share a minute, or reach the limit of a day.
  const someTime = () => {
    const from = service.clock.now().getTime();
    return Math.ceil(from / (5 * minuteMs)) * 5 * minuteMs + 10 * minuteMs + random(6 * 24 * 2) * 30 * minuteMs;
  };
  await fill(300, () => ({ atMs: someTime(), accountIds: some() }));
  await settle();
  const browser = service.browser();
  await browser.signIn();
  const changes = {
    move: (id: string) => update(id, { scheduledAt: new Date(someTime()).toISOString() }),
    moveALittle: async (id: string) => {
      const { scheduledAt = '' } = await service.client.posts.get({ id });
      return update(id, { scheduledAt: new Date(Date.parse(scheduledAt) + 5 * minuteMs).toISOString() });
    },
    write: (id: string) => update(id, { body: `Another text ${random(1000)}` }),
    choose: (id: string) => update(id, { accountIds: some() }),
    remove: (id: string) => service.asHuman('posts.delete', { id }),
    unschedule: (id: string) => browser.post(`/api/app/posts/${id}/unschedule`),
    publish: (id: string) => browser.post(`/api/app/posts/${id}/publish-scheduled`),
    add: async () => {
      const { id } = await service.client.posts.create({ body: `New ${random(1000)}`, accountIds: some() });
      await service.asHuman('posts.schedule', { id, at: new Date(someTime()).toISOString() });
    },
    wait: () => service.clock.forward((1 + random(90)) * minuteMs),
  };
  const names = Object.keys(changes) as (keyof typeof changes)[];
  const seen = new Map<string, number>();
  let roundsWithoutCheck = 0;
  for (let round = 0; round < 6; round++) {
    const { statements } = await readWhile(async () => {
      for (let n = 0; n < 6; n++) {
        const ids = [...(await forecasts()).keys()];
        await changes[pick(names)](pick(ids));
        if (random(2) === 0) await settle();
      }
      await settle();
    });
    if (!statements.has('posts.scheduledPage')) roundsWithoutCheck++;
    const now = await forecasts();
    for (const { code } of [...now.values()].flat()) seen.set(code, (seen.get(code) ?? 0) + 1);
    await service.database.run(sql('test.forecast.forget', 'delete from forecasts'));
    await checkWhole();
    expect(now).toEqual(await forecasts());
  }
  // Otherwise nothing was compared. A long chain of posts beyond their limit may lead to a check of all.
  expect(roundsWithoutCheck).toBeGreaterThan(2);
  expect(Object.fromEntries(seen)).toEqual({ network_quota: expect.any(Number), same_minute: expect.any(Number) });
}, 600_000);
