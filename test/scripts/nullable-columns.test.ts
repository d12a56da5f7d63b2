import { afterAll, beforeAll, expect, test } from 'vitest';
import { printStatements } from '#scripts/emit-statements';
import { type Description, describeStatements } from '#scripts/statements/describe-statements';
import { type Database, openDatabase } from '#server/base/store/database';
import { type FreshDatabase, freshDatabase } from '#test/support/database';

/** Statements and their result columns: `name`, or `nick?` for one that may be null. */
const cases = [
  // Columns of tables
  ['select id, name, nick from authors', 'id name nick?'],
  ['select a.ctid, a as whole from authors a', 'ctid whole'],
  ['select $1::text as value, $2::int + 1 as sum', 'value? sum?'],
  // Joins
  ['select b.title, a.name from books b join authors a on a.id = b.author_id', 'title name'],
  ['select b.title, a.name from books b left join authors a on a.id = b.editor_id', 'title name?'],
  ['select b.title, a.name from authors a right join books b on a.id = b.editor_id', 'title name?'],
  ['select b.title, a.name from authors a full join books b on a.id = b.editor_id', 'title? name?'],
  ['select id from authors a full join books b using (id)', 'id?'],
  ['select id from authors a left join books b using (id)', 'id'],
  ['select x.name from books b left join (select a.id, a.name from authors a) x on x.id = b.editor_id', 'name?'],
  [
    'select c.title, a.name from books b left join (books c join authors a on a.id = c.author_id) on c.sold = b.sold',
    'title? name?',
  ],
  ['select last.title from authors a cross join lateral (select title from books limit 1) last', 'title'],
  ['select last.title from authors a left join lateral (select title from books limit 1) last on true', 'title?'],
  // What a condition demands
  ['select nick, id from authors where nick is not null', 'nick id'],
  ["select nick from authors where nick = 'a'", 'nick'],
  ["select nick from authors where lower(nick) like 'a%' and id > 1", 'nick'],
  ["select nick from authors where nick = 'a' or id = 1", 'nick?'],
  ["select nick from authors where coalesce(nick, 'a') = 'a'", 'nick?'],
  ["select nick from authors where nick is distinct from 'a'", 'nick?'],
  ['select nick from authors where nick = any ($1)', 'nick'],
  ['select nick from authors where nick <> all ($1)', 'nick?'],
  ['select nick from authors where nick in (select title from books)', 'nick'],
  ['select a.nick from authors a join books b on b.title = a.nick', 'nick'],
  ['select a.nick from authors a left join books b on b.title = a.nick', 'nick?'],
  ['select a.name, a.nick from books b left join authors a on a.id = b.editor_id where a.id > 1', 'name nick?'],
  ['select a.name from books b left join authors a on a.id = b.editor_id where b.id > 1', 'name?'],
  ['select x.nick from (select nick from authors) x where x.nick is not null', 'nick'],
  ['select (select a.nick || b.title) as both from authors a, books b where a.nick is not null', 'both'],
  // Expressions
  ["select coalesce(nick, name) as a, coalesce(nick, $1) as b, nullif(name, '') as c from authors", 'a b? c?'],
  ['select nick is null as a, nick = name as b, not nick is null and id = 1 as c from authors', 'a b? c'],
  ["select case when id = 1 then name else 'x' end as a, case when id = 1 then name end as b from authors", 'a b?'],
  ["select case id when 1 then nick else 'x' end as a from authors", 'a?'],
  ['select id::text as a, sold::text as b, id + 1 as c, title || sold as d from books', 'a b? c d?'],
  ["select info ->> 'a' as a, info -> 'a' as b, info || info as c, info ? 'a' as d from authors", 'a? b? c d'],
  ["select (info -> 'a')::int as a, info::int as b, info::text as c from authors", 'a? b? c'],
  [
    'select tags[1] as a, cardinality(tags) as b, array_length(tags, 1) as c, tags || tags as d from authors',
    'a? b c? d',
  ],
  ['select greatest(sold, 1) as a, least(sold, $1) as b, array[sold] as c, row(sold) as d from books', 'a b? c d'],
  ["select name in ('a', 'b') as a, name = any (tags) as b, nick in ('a', 'b') as c from authors", 'a b? c?'],
  [
    "select concat_ws(', ', nick, name) as a, concat_ws(nick, name, name) as b, concat(nick) as c from authors",
    'a b? c',
  ],
  ["select jsonb_build_object('a', nick) as a, to_jsonb(nick) as b, to_jsonb(a) as c from authors a", 'a b? c'],
  [
    'select extract(epoch from posthorn_now()) as a, extract(month from now()) as b, extract(epoch from at) as c from books',
    'a b? c?',
  ],
  ["select substring(name from 'a') as a, left(name, 1) as b, split_part(nick, ',', 1) as c from authors", 'a? b c?'],
  ['select row(sold) is null as a, sold is not null is true as b from books', 'a b'],
  // Subqueries in an expression
  ['select exists (select from books) as a, array(select sold from books) as b', 'a b'],
  ['select (select name from authors limit 1) as a, (select posthorn_now()) as b, (select 1 where $1) as c', 'a? b c?'],
  ['select (select count(*) from books) as a, (select count(*) from books having $1) as b', 'a b?'],
  ['select (select max(id) from books) as a, (select coalesce(max(id), 0) from books) as b', 'a? b'],
  ['select (select count(*) from books group by id) as a, (select count(*) from books offset 1) as b', 'a? b?'],
  ['select id in (select author_id from books) as a from authors', 'a?'],
  ['select (select 1 where $1 union select 2 where $1) as a', 'a?'],
  // Aggregates and windows
  ['select count(*) as a, max(id) as b, array_agg(id) as c, jsonb_agg(id) as d from books', 'a b? c? d?'],
  [
    'select author_id, max(id) as a, max(sold) as b, array_agg(sold) as c from books group by author_id',
    'author_id a b? c',
  ],
  [
    'select max(id) filter (where sold > 1) as a, count(*) filter (where sold > 1) as b from books group by title',
    'a? b',
  ],
  [
    'select title, author_id, max(id) as a from books group by grouping sets (title, author_id)',
    'title? author_id? a?',
  ],
  [
    'select row_number() over () as a, count(*) over () as b, lag(id) over () as c, sum(id) over () as d from books',
    'a b c? d?',
  ],
  ['select distinct on (author_id) author_id, sold from books', 'author_id sold?'],
  // Sets in `from`
  ['select x from unnest($1::text[]) as x', 'x?'],
  ['select x, n from unnest($1::text[]) with ordinality as x (x, n)', 'x? n'],
  ['select a.id, x from unnest($1::int[]) as x join authors a on a.id = x', 'id x'],
  ['select x from generate_series(1, 3) as x', 'x'],
  ['select x, y from rows from (generate_series(1, 3), generate_series(1, 2)) as r (x, y)', 'x? y?'],
  ['select generate_series(1, 3) as x, generate_series(1, 2) as y', 'x? y?'],
  ['select e.key, e.value from authors a, jsonb_each(a.info) e', 'key value'],
  ['select e.key, e.value from authors a, jsonb_each_text(a.info) e', 'key? value?'],
  ['select r.a from json_to_recordset($1) as r (a text)', 'a?'],
  ["select a, b from (values (1, 'x'), (2, null)) as v (a, b)", 'a b?'],
  ['select now from posthorn_now() as now', 'now'],
  ['select a from jsonb_to_record($1) as r (a text, b text)', 'a?'],
  // Unions
  ['select id, name from authors union all select id, title from books', 'id name'],
  ['select name from authors union select nick from authors', 'name?'],
  ['select nick from authors intersect select name from authors', 'nick'],
  ['select nick from authors except select name from authors', 'nick?'],
  ['select name from authors except select nick from authors', 'name'],
  // With
  ['with a as (select name, nick from authors) select name, nick from a', 'name nick?'],
  ['with a as (select name from authors) select (select name from a limit 1) as b, a.name from a', 'b? name'],
  [
    `with recursive n as (select 1 as a, 'x' as b union all select a + 1, nullif(b, 'x') from n where a < 3)
     select a, b from n`,
    'a b?',
  ],
  [
    `with recursive n as (select 1 as a, 2 as b, 3 as c union all select b, c, null from n) select a, b, c from n`,
    'a? b? c?',
  ],
  // Writes
  ["insert into authors values (1, 'a', null, '{}', '{}') returning id, name, nick", 'id name nick?'],
  ["insert into books (id, author_id, title, at) values (1, 1, 't', now()) returning at, sold", 'at sold?'],
  [
    `insert into books (id, author_id, title, at) values (1, 1, 't', now())
     on conflict (id) do update set at = null returning at`,
    'at?',
  ],
  ['update books set at = now() where id = 1 returning at', 'at'],
  ['update books set sold = null where sold is not null returning sold', 'sold?'],
  ['update books set sold = sold + 1 where sold is not null returning sold, at', 'sold at?'],
  ['update books set at = null where sold = 1 returning sold', 'sold'],
  [
    'update books b set title = a.name from authors a where a.id = b.author_id returning a.nick, b.title',
    'nick? title',
  ],
  ['update books set sold = 1 returning old.sold as was, new.title as title', 'was? title?'],
  ['delete from books where at < now() returning at, sold', 'at sold?'],
  ['with gone as (delete from books returning id, sold) select id, sold from gone', 'id sold?'],
  ['with gone as (delete from books returning id) select g.id from authors a left join gone g on g.id = a.id', 'id?'],
  ['merge into books b using authors a on a.id = b.id when matched then delete returning a.name', 'name?'],
] as const;

let fresh: FreshDatabase;
let database: Database;
let descriptions: Description[];

beforeAll(async () => {
  fresh = await freshDatabase({ isMigrated: true });
  database = openDatabase(fresh.parts, { report: () => undefined });
  await database.script(`
    create table authors (id int primary key, name text not null, nick text, tags text[] not null, info jsonb not null);
    create table books (id int primary key, author_id int not null references authors, editor_id int references authors,
      title text not null, sold int, at timestamptz)`);
  descriptions = await describeStatements(
    fresh.parts,
    cases.map(([text]) => ({ name: 'test', text })),
  );
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

test.each(cases.map((one, index) => [...one, index] as const))('%s → %s', (_, columns, index) => {
  expect(descriptions[index]?.columns.map(({ name, isNullable }) => `${name}${isNullable ? '?' : ''}`).join(' ')).toBe(
    columns,
  );
});

test('a column that a migration makes nullable is nullable for whoever reads it', async () => {
  const statement = { name: 'books.title', text: 'select title from books where id = $1', names: ['id'] };
  const print = () => printStatements(fresh.parts, [statement], '');
  expect(await print()).toContain("'books.title': { values: { id: number }; row: { title: string } };");
  await database.script('alter table books alter title drop not null');
  expect(await print()).toContain("'books.title': { values: { id: number }; row: { title: string | null } };");
});

test('a statement that PostgreSQL refuses is named', async () => {
  const refused = [{ name: 'books.nothing', text: 'select nothing from books' }];
  await expect(describeStatements(fresh.parts, refused)).rejects.toThrow(
    'PostgreSQL refuses books.nothing: column "nothing" does not exist',
  );
});
