// Workspaces after a year of use: published posts with their sends and metrics, and the log of a webhook. The amount of
// due work is the same at every size.
import { importCompiled } from '../compiled.mjs';
import { storeDatabase } from '../store-database.mjs';

const networks = 'bluesky facebook instagram linkedin mastodon pinterest threads tiktok x youtube'.split(' ');
export const range = { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z', timeZone: 'Europe/Berlin' };
const rowsAtOnce = 200_000;
/** Only the first workspaces have due work. */
const due = { workspaces: 10, each: 20 };

export const workspaceId = (number) => `ws_${String(number).padStart(6, '0')}`;
export const webhookId = (number) => `hook_${String(number).padStart(6, '0')}`;

/** Fills the workspaces from `first` up to, not including, `end`, each with this many posts and deliveries. */
export const fill = async (db, userId, { first, end, posts, deliveries }, say) => {
  const { createPublishedPostStore } = await importCompiled('server/delivery/statistics/published-post-store.ts');
  const step = Math.max(1, Math.min(end - first, Math.floor(rowsAtOnce / Math.max(posts, deliveries, 1))));
  for (let from = first; from < end; from += step) {
    const to = Math.min(from + step, end);
    say(`filling: ${to} of ${end} workspaces …`);
    await addPeople(db, userId, from, to);
    await addPosts(db, createPublishedPostStore, from, to, posts);
    await addDeliveries(db, from, to, deliveries);
  }
};

const addPeople = async (db, userId, from, to) => {
  const all = `generate_series($1::int, $2::int - 1) as n, lateral (select 'ws_' || lpad(n::text, 6, '0') as id) ws`;
  await db.query(`insert into workspaces (id, name) select id, 'Bench' from ${all}`, [from, to]);
  await db.query(`insert into members (workspace_id, user_id, role) select id, $3, 'owner' from ${all}`, [
    from,
    to,
    userId,
  ]);
  await db.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle)
     select 'acct_' || n || '_' || i, ws.id, ($3::text[])[i], n || '-' || i, 'Name', 'handle' from ${all}, generate_series(1, 10) as i`,
    [from, to, networks],
  );
  await db.query(
    `insert into webhooks (id, workspace_id, url, events, secret)
     select 'hook_' || lpad(n::text, 6, '0'), ws.id, 'https://receiver.example', '{post.published}', 'sealed' from ${all}`,
    [from, to],
  );
};

const addPosts = async (db, createPublishedPostStore, from, to, posts) => {
  await db.query(
    `create temporary table made as
     select 'post_01' || lpad(upper(to_hex(i)), 8, '0') || upper(substr(md5(n || '-' || i), 1, 16)) as id, n, i,
            'ws_' || lpad(n::text, 6, '0') as workspace_id, 1 + i % 10 as account,
            $3::timestamptz + i * interval '364 days' / $4 as at
       from generate_series($1::int, $2::int - 1) as n, generate_series(0, $4::int - 1) as i`,
    [from, to, range.from, posts],
  );
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, created_by)
     select id, workspace_id, 'Published', array['acct_' || n || '_' || account],
            jsonb_build_array(jsonb_build_object('options', '{}'::jsonb, 'content', jsonb_build_array(
              jsonb_build_object('body', repeat('A text of some length. ', 7) || i, 'media', '[]'::jsonb)))), 'bench'
       from made`,
  );
  await db.query(
    `insert into sends (post_id, account_id, workspace_id, network, due_at)
     select id, 'acct_' || n || '_' || account, workspace_id, ($1::text[])[account], null from made`,
    [networks],
  );
  await db.query(
    `insert into publications (post_id, account_id, network, workspace_id, external_id, published_at, metrics, fetched_at,
                               views, likes, comments, shares, saves, engagement)
     select id, 'acct_' || n || '_' || account, ($1::text[])[account], workspace_id, 'ext-' || n || '-' || i, at,
            jsonb_build_object('views', i % 9000, 'likes', i % 300), at + interval '30 days', i % 9000, i % 300, 0, 0, 0, i % 300
       from made`,
    [networks],
  );
  const store = createPublishedPostStore(await storeDatabase(async (query) => (await db.query(query)).rows));
  const { rows } = await db.query('select workspace_id as "workspaceId", id as "postId" from made');
  await store.add(rows);
  await db.query('drop table made');
};

const addDeliveries = (db, from, to, deliveries) =>
  db.query(
    `insert into deliveries (workspace_id, id, webhook_id, event_id, type, body, state, attempts, last_answer, tried_at, due_at, created_at)
     select 'ws_' || lpad(n::text, 6, '0'), 'del_' || lpad(i::text, 10, '0') || '_' || n, 'hook_' || lpad(n::text, 6, '0'), 'evt_' || n || '_' || i, 'post.published',
            repeat('{"some":"json"}', 20), 'delivered', 1, '200', posthorn_now(), null, posthorn_now()
       from generate_series($1::int, $2::int - 1) as n, generate_series(0, $3::int - 1) as i`,
    [from, to, deliveries],
  );

/** The rows that the claims find: a few due posts, sends and deliveries in the first workspaces. */
export const makeDue = async (db) => {
  const some = `generate_series(0, ${due.workspaces - 1}) as n, generate_series(0, ${due.each - 1}) as i`;
  await db.query(
    `insert into deliveries (workspace_id, id, webhook_id, event_id, type, body)
     select 'ws_' || lpad(n::text, 6, '0'), 'del_due_' || n || '_' || i, 'hook_' || lpad(n::text, 6, '0'), 'evt', 'post.published', '{}' from ${some}`,
  );
  await db.query(
    `update sends set due_at = posthorn_now() where (post_id, account_id) in
       (select post_id, account_id from sends s where s.workspace_id < 'ws_${String(due.workspaces).padStart(6, '0')}' order by post_id limit 200)`,
  );
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
     select 'post_DUE' || lpad(n::text, 4, '0') || lpad(i::text, 18, '0'), 'ws_' || lpad(n::text, 6, '0'), 'Scheduled', '{}', '[]', posthorn_now(), 'bench' from ${some}`,
  );
};
