// A workspace with the given number of published targets: posts of 400 days, each sent to one to four of 20 accounts on 10 networks.
import { importCompiled } from '../compiled.mjs';
import { storeDatabase } from '../store-database.mjs';

const days = 400;
const firstDay = '2025-01-01T00:00:00Z';
export const range = { from: firstDay, to: '2026-02-05T00:00:00Z', timeZone: 'Europe/Berlin' };

const networks = 'bluesky facebook instagram linkedin mastodon pinterest threads tiktok x youtube'.split(' ');
export const accountIdsOf = (id) => Array.from({ length: 20 }, (_, i) => `acct_${id}${i}`);
const perPost = 2.5;
const postsAtOnce = 40_000;

export const fillWorkspace = async (db, id, userId, targets) => {
  await db.query("insert into workspaces (id, name) values ($1, 'Bench')", [id]);
  await db.query("insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')", [id, userId]);
  await db.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle, sandbox)
     select account_id, $1, ($2::text[])[1 + (i - 1) % 10], i, 'Name', 'handle', true
       from unnest($3::text[]) with ordinality as account (account_id, i)`,
    [id, networks, accountIdsOf(id)],
  );
  const posts = Math.round(targets / perPost);
  for (let done = 0; done < posts; done += postsAtOnce) {
    await fill(db, id, posts, done, Math.min(done + postsAtOnce, posts));
  }
  const { createPublishedPostStore } = await importCompiled('server/delivery/statistics/published-post-store.ts');
  const store = createPublishedPostStore(await storeDatabase(async (query) => (await db.query(query)).rows));
  const { rows } = await db.query(
    'select workspace_id as "workspaceId", id as "postId" from posts where workspace_id = $1',
    [id],
  );
  await store.add(rows);
};

const fill = async (db, id, posts, from, to) => {
  await db.query(
    `create temporary table made as
     select 'post_01' || lpad(upper(to_hex(i)), 8, '0') || upper(substr(md5($1 || i), 1, 16)) as id, i,
            $2::timestamptz + (i + random()) * $3::interval / $4 as at, 1 + i % 4 as accounts, (random() * 19)::int as first
       from generate_series($5::int, $6::int - 1) as i`,
    [id, firstDay, `${days} days`, posts + 1, from, to],
  );
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, created_by)
     select id, $1, 'Published', '{}', jsonb_build_array(jsonb_build_object('options', '{}'::jsonb, 'content',
              jsonb_build_array(jsonb_build_object('body', repeat('A text of some length. ', 7) || i, 'media', '[]'::jsonb)))), 'bench'
       from made`,
    [id],
  );
  await db.query(
    `insert into publications (post_id, account_id, network, workspace_id, external_id, published_at, metrics, fetched_at,
                               views, likes, comments, shares, saves, engagement)
     select id, ($3::text[])[1 + (first + nth) % 20], ($2::text[])[1 + (first + nth) % 10], $1, 'ext-' || i || '-' || nth,
            published_at, jsonb_build_object('views', views, 'likes', likes, 'comments', comments, 'shares', shares, 'saves', saves),
            at + interval '30 days', views, likes, comments, shares, saves, likes + comments + shares + saves
       from (
         select *, at + random() * interval '20 s' as published_at, (random() * 1e4)::int as views, (random() * 300)::int as likes,
                (random() * 50)::int as comments, (random() * 20)::int as shares, (random() * 10)::int as saves
           from made cross join generate_series(0, accounts - 1) as nth
       ) as target`,
    [id, networks, accountIdsOf(id)],
  );
  await db.query('drop table made');
};
