// What the pages of the app ask for, in a workspace with a hundred thousand posts beside one with a thousand.
import pg from 'pg';
import { importCompiled } from '../compiled.mjs';
import { atPlace } from '../place.mjs';
import { cpuSeconds } from '../processes.mjs';
import { storeDatabase } from '../store-database.mjs';
import { median, say, shuffled, table } from '../table.mjs';

const sizes = [
  { posts: 1_000, accounts: 10 },
  { posts: 100_000, accounts: 1_000 },
];
const blinkSizes = [{ posts: 40, accounts: 2 }];
const calls = 3;
const dayMs = 86_400_000;

/** `lists` are on one page of the app each; the names are those of the menu. */
const requestsAt = (now, { postId, accountId }) => {
  const at = (days) => new Date(now + days * dayMs).toISOString();
  const range = (from, to) => new URLSearchParams({ from: at(from), to: at(to) });
  const year = `${range(-365, 0)}&timeZone=Europe%2FBerlin`;
  return {
    'posts: recent': '/api/app/posts?group=Recent',
    'posts: drafts': '/api/app/posts?group=Drafts',
    'posts: scheduled': '/api/app/posts?group=Scheduled',
    'posts: sent': '/api/app/posts?group=Sent',
    'posts: counts': '/api/app/posts/counts',
    'posts: search by text, found': '/api/app/posts?group=Recent&query=length.%207',
    'posts: search by text, not found': '/api/app/posts?group=Recent&query=nowhere',
    'posts: of one account': `/api/app/posts?group=Recent&accountIds=${accountId}`,
    'posts: select for a bulk change': '/api/app/bulk/posts?status=Scheduled',
    'calendar: a day': `/api/app/posts?group=Timed&${range(0, 1)}`,
    'calendar: a month': `/api/app/posts?group=Timed&${range(0, 30)}`,
    'calendar: free slots of a month': `/api/app/free-slots?${range(0, 30)}`,
    'home: late posts': '/api/app/posts?group=Late',
    'home: the next days': '/api/app/forecast?timeZone=Europe%2FBerlin',
    'home: plan': '/api/app/plan',
    'post: editor': `/api/app/posts/${postId}/editor`,
    'post: accounts of the last one': '/api/app/posts/last-accounts',
    'accounts: scheduled posts of each': '/api/app/posts/scheduled',
    approvals: '/api/approvals',
    bin: '/api/app/bin',
    media: '/api/app/media',
    'analytics: series of a year': `/api/app/analytics/series?${year}`,
    'analytics: best of each day of a year': `/api/app/analytics/best-of-days?${year}`,
    'analytics: coverage of a year': `/api/app/analytics/coverage?${year}`,
    'export: count': '/api/app/export/count',
    notifications: '/api/app/notifications',
    session: '/api/auth/session',
  };
};
const baseline = 'session';

export const measure = ({ rounds = 5, blink }) =>
  atPlace({ blink }, async (shared) => {
    const workspaces = [];
    for (const size of blink ? blinkSizes : sizes) {
      say(`filling ${size.posts} posts …`);
      workspaces.push(await workspaceOf(await shared.apart(), size));
    }
    const names = Object.keys(workspaces[0].requests);
    const samples = workspaces.map(() => []);
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up …' : `round ${round} of ${rounds} …`);
      for (const [size, workspace] of workspaces.entries()) {
        const sample = {};
        for (const name of shuffled(names)) sample[name] = await timed(workspace, name);
        if (round > 0) samples[size].push(sample);
      }
    }
    if (process.stderr.isTTY) say('');
    const results = samples.map((rounds) => resultsOf(names, rounds));
    return { text: report(workspaces, results, rounds), values: valuesOf(results) };
  });

/** Nothing is published while we measure. */
const workspaceOf = async (place, size) => {
  const service = await place.service('Posthorn', { POSTHORN_ROLE: 'web' });
  const { workspaceId } = await place.setUp();
  const ask = await place.browser(service.url);
  const db = new pg.Client(place.config);
  db.on('error', () => undefined); // the database stops under it when we are interrupted
  await db.connect();
  const now = Date.now();
  await fill(db, workspaceId, size);
  await db.query('vacuum analyze');
  const { rows } = await db.query(
    `select id as "postId", account_ids[1] as "accountId" from posts where status = 'Scheduled' order by id limit 1`,
  );
  await db.end();
  return { ...size, service, ask, requests: requestsAt(now, rows[0]) };
};

const networks = 'bluesky facebook instagram linkedin mastodon pinterest threads tiktok x youtube'.split(' ');

/** Half of the posts are published, over the year before; of the others, four of five are scheduled, over the year after. */
const fill = async (db, workspaceId, { posts, accounts }) => {
  await db.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle, sandbox)
     select 'acct_' || i, $1, ($2::text[])[1 + i % 10], i, 'Name', 'handle', true from generate_series(1, $3::int) as i`,
    [workspaceId, networks, accounts],
  );
  await db.query(
    `create temporary table made as
     select 'post_01' || lpad(upper(to_hex(i)), 8, '0') || upper(substr(md5(i::text), 1, 16)) as id, i, 1 + i % $2::int as account,
            case when i * 2 <= $1::int then 'Published' when i % 5 = 0 then 'Draft' else 'Scheduled' end as status,
            now() + (i * 2.0 / $1::int - 1) * interval '364 days' + interval '1 minute' as at
       from generate_series(1, $1::int) as i`,
    [posts, accounts],
  );
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, created_by, scheduled_at, updated_at)
     select id, $1, status, array['acct_' || account], jsonb_build_array(jsonb_build_object('options', '{}'::jsonb,
              'content', jsonb_build_array(jsonb_build_object('body', repeat('A text of some length. ', 7) || i, 'media', '[]'::jsonb)))),
            'bench', case when status <> 'Draft' then at end, least(at, now())
       from made`,
    [workspaceId],
  );
  await db.query(
    `insert into publications (post_id, account_id, network, workspace_id, external_id, published_at, metrics, fetched_at,
                               views, likes, comments, shares, saves, engagement)
     select id, 'acct_' || account, ($2::text[])[1 + account % 10], $1, 'ext-' || i, at,
            jsonb_build_object('views', i % 9000, 'likes', i % 300), now(), i % 9000, i % 300, 0, 0, 0, i % 300
       from made where status = 'Published'`,
    [workspaceId, networks],
  );
  const { createPublishedPostStore } = await importCompiled('server/delivery/statistics/published-post-store.ts');
  const store = createPublishedPostStore(await storeDatabase(async (query) => (await db.query(query)).rows));
  const { rows } = await db.query(`select $1 as "workspaceId", id as "postId" from made where status = 'Published'`, [
    workspaceId,
  ]);
  await store.add(rows);
};

const timed = async ({ service, ask, requests }, name) => {
  const [cpu, begunMs] = [cpuSeconds(service.pid), performance.now()];
  for (let call = 0; call < calls; call++) await ask('GET', requests[name]);
  return {
    ms: (performance.now() - begunMs) / calls,
    cpuMs: cpu === undefined ? undefined : ((cpuSeconds(service.pid) - cpu) * 1000) / calls,
  };
};

const resultsOf = (names, rounds) =>
  new Map(
    names.map((name) => [
      name,
      {
        ms: median(rounds.map((sample) => sample[name].ms)),
        cpuMs: median(rounds.map((sample) => sample[name].cpuMs ?? Number.NaN)),
        factor: median(rounds.map((sample) => sample[name].ms / sample[baseline].ms)),
      },
    ]),
  );

const valuesOf = ([small, large = small]) =>
  Object.fromEntries([...large].map(([name, { factor }]) => [name, factor / small.get(name).factor]));

const report = (workspaces, results, rounds) => {
  const [small, large = small] = results;
  const [few, many = few] = workspaces;
  const digits = (value) => (value < 9.95 ? value.toFixed(1) : value.toFixed(0));
  const rows = [...large].map(([name, { ms, cpuMs, factor }]) => [
    name,
    digits(small.get(name).ms),
    digits(ms),
    digits(factor / small.get(name).factor),
    Number.isNaN(cpuMs) ? '' : digits(cpuMs),
  ]);
  return [
    '## pages',
    '',
    `What each page of the app asks for, in a workspace with ${few.posts} posts of ${few.accounts} accounts and in one with ${many.posts} of`,
    `${many.accounts}: time until the answer is there, one request at a time. *Growth* compares both times as multiples of reading the`,
    `session in the same round: 1.0 does not grow with the workspace, and ${many.posts / few.posts} is linear. CPU is that of the service process`,
    `in the large workspace; PostgreSQL works beside it. Median of ${rounds} rounds.`,
    '',
    table(['page', `${few.posts} posts, ms`, `${many.posts} posts, ms`, 'growth', 'CPU, ms'], rows),
    '',
  ].join('\n');
};
