import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase, sql } from '#server/base/store/database';
import {
  beforeNextMigration,
  describePostponed,
  type Migration,
  migrate,
  pendingIn,
  postponedIn,
} from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import { applyPostponed } from '#server/operation/startup/startup-migrations';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { publicationsOf } from '#test/support/publications';
import { until } from '#test/support/until';

const first: Migration = { number: 1, name: 'first', sql: 'create table one (id int); create table two (id int)' };
const second: Migration = { number: 2, name: 'second', sql: 'insert into one values (1)' };
const failing: Migration = {
  number: 2,
  name: 'failing',
  sql: 'insert into one values (1); insert into nowhere values (1)',
};

const recorded = sql('test.recorded', 'select number, name from schema_migrations order by number');
const ones = sql('test.ones', 'select id from one');
const waiting = sql(
  'test.waiting',
  `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
);

let fresh: FreshDatabase;
let processes: Database[];

beforeEach(async () => {
  fresh = await freshDatabase();
  processes = [1, 2, 3].map(() => openDatabase(fresh.parts, { report: (error) => expect.fail(error.message) }));
});

afterEach(async () => {
  await Promise.all(processes.map((database) => database.close()));
  await fresh.drop();
});

function database(): Database {
  const [database] = processes;
  if (!database) throw new Error('no database');
  return database;
}

it('applies what is missing, in order, and remembers it', async () => {
  expect(await migrate(database(), [first])).toEqual([first]);
  expect(await migrate(database(), [first, second])).toEqual([second]);
  expect(await migrate(database(), [first, second])).toEqual([]);
  expect(await database().query(recorded)).toEqual([
    { number: 1, name: 'first' },
    { number: 2, name: 'second' },
  ]);
});

it('applies each migration once when three processes start together', async () => {
  const applied = await Promise.all(processes.map((database) => migrate(database, [first, second])));
  expect(applied.flat().sort((a, b) => a.number - b.number)).toEqual([first, second]);
  expect(await database().query(ones)).toEqual([{ id: 1 }]);
});

it('a process that saw the empty database, and then waits for another to migrate it, sees what that one did', async () => {
  const [one, other] = processes as [Database, Database];
  const waits = async (count: number) => (await one.query(waiting)).length === count;
  const seen: Migration[] = [];
  await beforeNextMigration(other, [first], async (next) => void seen.push(next));
  const holder = new pg.Client(fresh.parts);
  await holder.connect();
  await holder.query('select pg_advisory_lock(727001)');
  const applied = [migrate(one, [first])];
  await until('one waits', () => waits(1));
  applied.push(migrate(other, [first]));
  await until('both wait', () => waits(2));
  await holder.end();
  expect(seen).toEqual([first]);
  expect(await Promise.all(applied)).toEqual([[first], []]);
});

it('leaves nothing of a migration that fails, and keeps those before it', async () => {
  await expect(migrate(database(), [first, failing])).rejects.toThrow(
    'Migration 2 "failing" failed and was rolled back: relation "nowhere" does not exist',
  );
  expect(await database().query(recorded)).toEqual([{ number: 1, name: 'first' }]);
  expect(await database().query(ones)).toEqual([]);
});

it('waits for a table that somebody holds only so long, names the session, and succeeds at the next try', async () => {
  await migrate(database(), [first]);
  const forgotten = new pg.Client(fresh.parts);
  await forgotten.connect();
  const { rows } = await forgotten.query('select pg_backend_pid() as pid');
  await forgotten.query('begin; select from one');
  const change = { number: 2, name: 'change', sql: 'alter table one add column more int' };
  await expect(migrate(database(), [first, change], { waitMs: 50 })).rejects.toThrow(
    `The session ${rows[0].pid} of PostgreSQL`,
  );
  await forgotten.end();
  expect(await migrate(database(), [first, change], { waitMs: 50 })).toEqual([change]);
});

it('a deadlock with a transaction of the service ends the migration, which is told like a lock and succeeds at the next try', async () => {
  await migrate(database(), [first]);
  const working = new pg.Client(fresh.parts);
  await working.connect();
  await working.query(`alter database ${fresh.parts.database} set deadlock_timeout = '300ms'`);
  await working.query("set deadlock_timeout = '60s'; begin; select from one");
  const change = { number: 2, name: 'change', sql: 'alter table two add more int; alter table one add more int' };
  // Its connections are opened after the setting was changed.
  const later = openDatabase(fresh.parts, { report: () => undefined });
  processes.push(later);
  const refused = expect(migrate(later, [first, change])).rejects.toThrow('holds what the migrations need');
  await until('it waits', () => database().run(waiting));
  await working.query('select from two');
  await refused;
  await working.end();
  expect(await migrate(database(), [first, change])).toEqual([change]);
});

const contracting: Migration = { number: 2, name: 'less', sql: 'drop table two', contracts: true };
const third: Migration = { number: 3, name: 'third', sql: 'insert into one values (3)' };
const contractingAgain: Migration = { number: 4, name: 'least', sql: 'drop table one', contracts: true };
/** Builds before `additive` left such a record. */
const earlyRecord = 'alter table schema_migrations drop column additive';

const connectAs = async (name: string) => {
  const client = new pg.Client({ ...fresh.parts, application_name: name });
  await client.connect();
  return client;
};

it('a migration that contracts waits for the sessions of an earlier release, and the others do not wait for it', async () => {
  const all = [first, contracting, third, contractingAgain];
  const old = await connectAs('posthorn 1');
  const { rows } = await old.query('select pg_backend_pid() as pid');
  expect(await migrate(database(), all)).toEqual([first, third]);
  expect(await migrate(database(), all)).toEqual([]);
  expect(await pendingIn(database(), all)).toEqual([contracting, contractingAgain]);
  const postponed = await postponedIn(database(), all);
  expect(postponed?.migration).toEqual(contracting);
  expect(postponed && describePostponed(postponed)).toMatch(
    new RegExp(`^Migration 2 "less" waits until .* session ${rows[0].pid} of PostgreSQL \\(posthorn 1, idle\\)`),
  );
  await old.query("set application_name = 'posthorn 2'");
  expect(await migrate(database(), all)).toEqual([contracting]);
  await old.query("set application_name = 'posthorn 4'");
  expect(await migrate(database(), all)).toEqual([contractingAgain]);
  expect(await postponedIn(database(), all)).toBeUndefined();
  await old.end();
});

it('a session without a name is an earlier release only where an early build migrated, and until one migration has waited for it', async () => {
  const all = [first, contracting, third, contractingAgain];
  const tools = await Promise.all(['', 'psql', 'pgAdmin 4 - DB:posthorn', 'pg_dump'].map(connectAs));
  const [unnamed, ...named] = tools;
  expect(await migrate(database(), all)).toEqual(all);
  await database().script('drop table schema_migrations');

  await migrate(database(), [first]);
  await database().script(earlyRecord);
  expect(await migrate(database(), all)).toEqual([third]);
  expect((await postponedIn(database(), all))?.sessions).toHaveLength(1);
  await unnamed?.end();
  expect(await migrate(database(), all.slice(0, 3))).toEqual([contracting]);
  const another = await connectAs('');
  expect(await migrate(database(), all)).toEqual([contractingAgain]);
  for (const tool of [another, ...named]) await tool.end();
});

/** Columns, keys, references and indexes of all tables, whatever the order they were made in. */
const shape = sql(
  'test.shape',
  `select array_agg(line order by line) as lines from (
     select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull) as line
       from pg_attribute join pg_class c on c.oid = attrelid and c.relkind = 'r'
      where c.relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
      union all select concat_ws(' ', conrelid::regclass, conname, convalidated, pg_get_constraintdef(oid)) from pg_constraint
       where connamespace = 'public'::regnamespace
      union all select pg_get_indexdef(indexrelid) from pg_index
       join pg_class c on c.oid = indrelid and c.relnamespace = 'public'::regnamespace) s`,
);

it('contracting migrations that wait leave the schema that they leave in their turn', async () => {
  const waiting = migrations.filter((migration) => 'contracts' in migration).map(({ number }) => number);
  expect(waiting.length).toBeGreaterThan(0);
  await migrate(database(), migrations, { without: waiting });
  expect((await migrate(database(), migrations)).map(({ number }) => number)).toEqual(waiting);
  const inTurn = await freshDatabase({ isMigrated: true });
  const other = openDatabase(inTurn.parts, { report: () => undefined });
  expect(await database().query(shape)).toEqual(await other.query(shape));
  await other.close();
  await inTurn.drop();
});

it('refuses a database that a newer Posthorn migrated', async () => {
  await migrate(database(), [first, { ...second, contracts: true }]);
  await expect(migrate(database(), [first])).rejects.toThrow(
    'was migrated by a newer Posthorn (2 > 1); start that version or restore a backup',
  );
});

it('accepts a database to which a newer Posthorn only added, and one that an early release recorded', async () => {
  await migrate(database(), [first]);
  await database().script(earlyRecord);
  expect(await migrate(database(), [first, second])).toEqual([second]);
  expect(await migrate(database(), [first])).toEqual([]);
});

it('refuses a database that knows a migration by another name', async () => {
  await migrate(database(), [first, second]);
  const renamed = { ...second, name: 'other' };
  await expect(migrate(database(), [first, renamed])).rejects.toThrow('Migration 2 of the database is "second"');
});

it('refuses a list with a gap before it touches the database', async () => {
  await expect(migrate(database(), [first, { ...second, number: 3 }])).rejects.toThrow(
    'has number 3 where 2 is expected',
  );
  await expect(database().query(recorded)).rejects.toThrow('schema_migrations');
});

const rulesLeft = migrations.findIndex(({ name }) => name === 'no-rules');

/** Rows as the version before left them: written by the functions and triggers it had. */
const fill = `
  insert into workspaces (id, name) values ('ws_1', 'Demo');
  insert into accounts (id, workspace_id, network, external_id, name, handle)
    values ('acct_1', 'ws_1', 'x', 'e1', 'N', 'h'), ('acct_2', 'ws_1', 'bluesky', 'e2', 'N', 'h'),
           ('acct_3', 'ws_1', 'x', 'e3', 'N', 'h');
  insert into posts (id, workspace_id, status, account_ids, versions, created_by)
    values ('post_1', 'ws_1', 'Published', '{acct_1,acct_2}', '[]', 'usr_1'),
           ('post_2', 'ws_1', 'Draft', '{acct_1,acct_2}', '[]', 'usr_1');
  insert into publications (post_id, account_id, workspace_id, external_id, published_at, metrics, next_fetch_at)
    values ('post_1', 'acct_1', 'ws_1', 'ext', '2026-01-01T10:00:00Z', '{"views": 100, "likes": 3, "saves": 2, "shares": 1e13}',
            '2026-01-01T11:00:00Z'),
           ('post_1', 'acct_2', 'ws_1', 'ext', '2026-01-01T10:00:05Z', null, null);
  select begin_publishing('{post_2}');
  select move_sandbox_clock(86400000);
`;
const counted = sql(
  'test.counted',
  `select account_id, network, views::int, likes::int, shares::int, saves::int, engagement::int, due_at
     from publications where post_id = 'post_1' order by account_id`,
);
const publishedPosts = sql(
  'test.publishedPosts',
  'select post_id, published_at, last_published_at, engagement::int, repeats from published_posts',
);
const others = sql(
  'test.others',
  `select (select count(*)::int from sends where due_at is not null) as sends,
          extract(epoch from posthorn_now() - clock_timestamp())::int as "aheadSeconds",
          (select json_agg(offset_ms order by at) from sandbox_clock_moves) as moves`,
);
const ours = sql(
  'test.ours',
  `select proname as name from pg_proc where pronamespace = 'public'::regnamespace
   union all select tgname from pg_trigger where not tgisinternal`,
);

it('a database of the version that had rules in it keeps its rows, and the rules go on with them', async () => {
  await migrate(database(), migrations.slice(0, rulesLeft));
  await database().script(fill);
  const before = await Promise.all([counted, publishedPosts].map((statement) => database().query(statement)));
  await migrate(database(), migrations);

  expect(await Promise.all([counted, publishedPosts].map((statement) => database().query(statement)))).toEqual(before);
  expect(await database().query(others)).toEqual([{ sends: 2, aheadSeconds: 86_400, moves: [86_400_000] }]);

  const { add, read } = publicationsOf(database());
  const target = { postId: 'post_1', accountId: 'acct_3', publishedAt: '2026-01-01T12:00:00Z' };
  await add([{ ...target, metrics: { views: 7, likes: 4 } }]);
  await read([{ ...target, accountId: 'acct_1', metrics: { views: 100, likes: 10 } }]);
  expect(await database().query(publishedPosts)).toEqual([
    {
      postId: 'post_1',
      publishedAt: '2026-01-01T10:00:00.000000Z',
      lastPublishedAt: '2026-01-01T12:00:00.000000Z',
      engagement: 14,
      repeats: ['x'],
    },
  ]);
});

it('no function or trigger is left in the database but the one that tells the time', async () => {
  await migrate(database(), migrations);
  expect(await database().query(ours)).toEqual([{ name: 'posthorn_now' }]);
});

/** How the release before migration 29 writes and reads. */
const oldRelease = {
  fill: `
    insert into users (id, email) values ('usr_1', 'a@example.com');
    insert into workspaces (id, name) values ('ws_1', 'Demo');
    insert into accounts (id, workspace_id, network, external_id, name, handle) values ('acct_1', 'ws_1', 'x', 'e1', 'N', 'h');
    insert into labels (id, workspace_id, name, name_key, color) values ('lbl_1', 'ws_1', 'L', 'l', 'red');
    insert into webhooks (id, workspace_id, url, events, secret) values ('whk_1', 'ws_1', 'https://h', '{}', 's')`,
  write: (n: number) => `
    insert into posts (id, workspace_id, status, account_ids, versions, created_by) values ('post_${n}', 'ws_1', 'Draft', '{acct_1}', '[]', 'usr_1');
    insert into chats (id, workspace_id, user_id, title, updated_at) values ('chat_${n}', 'ws_1', 'usr_1', 'T', now());
    insert into chat_messages (id, chat_id, role, parts, created_at) values ('msg_${n}', 'chat_${n}', 'user', '[]', now())
      on conflict (id) do update set parts = excluded.parts;
    insert into deliveries (id, webhook_id, event_id, type, body) values ('whd_${n}', 'whk_1', 'evt_1', 'ping', '{}');
    insert into media (id, workspace_id, kind, mime_type, bytes, width, height) values ('media_${n}', 'ws_1', 'Image', 'image/png', 1, 1, 1);
    insert into imports (id, workspace_id, created_by, file_name, format, time_zone) values ('imp_${n}', 'ws_1', 'usr_1', 'f', 'csv', 'UTC');
    insert into import_rows (import_id, number, fingerprint, state, problems, text, items, media, post_id)
      values ('imp_${n}', 1, 'f', 'Ready', '[]', 't', 1, 0, 'post_${n}');
    insert into import_media (import_id, url, alt, media_id) values ('imp_${n}', 'u', '', 'media_${n}');
    insert into link_cards (post_id, network, uri, title, description) values ('post_${n}', 'x', 'u', 't', 'd');
    insert into sends (post_id, account_id, workspace_id, network) values ('post_${n}', 'acct_1', 'ws_1', 'x')
      on conflict (post_id, account_id) do update set tries = 0;
    insert into publications (post_id, account_id, workspace_id, network, external_id, published_at)
      values ('post_${n}', 'acct_1', 'ws_1', 'x', 'e', now());
    insert into metric_reads (post_id, account_id, fetched_at, metrics) values ('post_${n}', 'acct_1', now(), '{}');
    insert into notifications (id, workspace_id, kind, subject_id, title, detail, path) values ('ntf_${n}', 'ws_1', 'k', 's', 't', 'd', '/');
    insert into notification_reads (notification_id, user_id) select id, 'usr_1' from notifications where id = 'ntf_${n}' on conflict do nothing;
    insert into post_history (post_id, number, kind, user_id, since, at) values ('post_${n}', 1, 'Edited', 'usr_1', now(), now());
    insert into post_labels (post_id, label_id) select 'post_${n}', unnest('{lbl_1}'::text[]) on conflict do nothing;
    insert into renditions (id, media_id, mode, target, recipe) values ('fit_${n}', 'media_${n}', 'pad', 't', 1)
      on conflict (id) do update set lost = false;
    insert into post_renditions (post_id, account_id, media_id, rendition_id) values ('post_${n}', 'acct_1', 'media_${n}', 'fit_${n}')
      on conflict (post_id, account_id, media_id) do update set rendition_id = excluded.rendition_id;
    insert into audit_log (id, workspace_id, event, created_at) values ('aud_${n}', 'ws_1', 'e', now()), ('aud_none_${n}', null, 'e', now())`,
};
const withWorkspace = [
  'chat_messages',
  'deliveries',
  'import_media',
  'import_rows',
  'link_cards',
  'metric_reads',
  'notification_reads',
  'post_history',
  'post_labels',
  'post_renditions',
  'renditions',
];

it('the keys become wide while the release before writes, and a running service drops the narrow ones once it has ended', async () => {
  const before = migrations.filter(({ number }) => number <= 28);
  await migrate(database(), before);
  await database().script(earlyRecord);
  const old = await connectAs('');
  await old.query(oldRelease.fill);
  await old.query(oldRelease.write(1));
  await migrate(database(), migrations);
  const waiting = migrations.filter((migration) => 'contracts' in migration);
  expect(await pendingIn(database(), migrations)).toEqual(waiting);
  await old.query(oldRelease.write(2));

  const waitedMs: number[] = [];
  let goOn = () => {};
  const pause = (ms: number) => {
    waitedMs.push(ms);
    return new Promise<void>((resolve) => {
      goOn = resolve;
    });
  };
  const told: object[] = [];
  const report = (error: unknown) => expect.fail(String(error));
  await applyPostponed(database(), { info: (about) => told.push(about) }, report, pause);
  expect(waitedMs).toEqual([20_000]);
  goOn();
  await until('it has looked and waits again', () => waitedMs.length === 2);
  expect(told).toEqual([]);
  await old.end();
  await until('it is applied', () => {
    goOn();
    return told.length === 1;
  });
  expect(told).toEqual([{ first: waiting[0]?.number, last: waiting.at(-1)?.number, count: waiting.length }]);
  expect(await pendingIn(database(), migrations)).toEqual([]);

  for (const table of withWorkspace) {
    const found = sql(
      `test.${table}`,
      `select count(*)::int as rows, min(workspace_id) || max(workspace_id) as of from ${table}`,
    );
    expect(await database().query(found), table).toEqual([{ rows: 2, of: 'ws_1ws_1' }]);
  }
  const audit = sql(
    'test.audit',
    `select (select array_agg(id order by id) from audit_log) as here, (select array_agg(id order by id) from service_audit_log) as service`,
  );
  expect(await database().query(audit)).toEqual([{ here: ['aud_1', 'aud_2'], service: ['aud_none_1', 'aud_none_2'] }]);
});
