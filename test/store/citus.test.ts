import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type FreshDatabase, freshDatabase } from '#test/support/database';

/** Every statement of the service, as PostgreSQL gets it. */
const statements = vi.hoisted((): { name: string; text: string }[] => []);
vi.mock('#server/store/database', async (original) => {
  const actual = await original<typeof import('#server/store/database')>();
  const sql = (name: string, text: string) => {
    statements.push({ name, text });
    return actual.sql(name, text);
  };
  return { ...actual, sql };
});

const root = resolve(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/scaling.md'), 'utf8');

/** The rows of a table of the page, below a heading: the first cell, without its backticks, and the second. */
const tableBelow = (heading: string) => {
  const [, below = ''] = page.split(`\n### ${heading}\n`);
  const rows = below.split(/\n#/)[0]?.match(/^\| `.*$/gm) ?? [];
  return new Map(
    rows.map((row) => {
      const [name = '', text = ''] = row.split('|').slice(1, 3);
      return [name.trim().replaceAll('`', ''), text.trim()] as const;
    }),
  );
};

const namesBelow = (heading: string) => [...tableBelow(heading).keys()].flatMap((names) => names.split(', '));

let fresh: FreshDatabase;
let database: pg.Client;
beforeAll(async () => {
  fresh = await freshDatabase({ template: inject('migrated') });
  database = new pg.Client(fresh.parts);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await fresh.drop();
});

interface TableRow {
  readonly name: string;
  readonly has: boolean;
  readonly keys: { readonly kind: string; readonly columns: string[]; readonly to: string | null }[];
}

/** Primary keys, unique indexes and foreign keys. */
const tables = async () =>
  (
    await database.query<TableRow>(`
      select c.relname as name,
             exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped) as has,
             (select coalesce(json_agg(k order by k.kind, k.columns::text), '[]') from (
                select case when i.indisprimary then 'primary key' else 'unique' end as kind, null as "to",
                       (select array_agg(coalesce(a.attname, 'expression') order by place) from unnest(i.indkey::int[]) with ordinality as n (number, place)
                          left join pg_attribute a on a.attrelid = c.oid and a.attnum = n.number and n.number > 0) as columns
                  from pg_index i where i.indrelid = c.oid and i.indisunique
                union all
                select 'foreign key', f.confrelid::regclass::text,
                       (select array_agg(a.attname order by place) from unnest(f.conkey) with ordinality as n (number, place)
                          join pg_attribute a on a.attrelid = c.oid and a.attnum = n.number)
                  from pg_constraint f where f.conrelid = c.oid and f.contype = 'f') k) as keys
        from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'`)
  ).rows;

describe('Citus would spread the large tables by workspace', () => {
  test('and docs/scaling.md says of each table what it is, and exactly what it lacks for that', async () => {
    const found = await tables();
    const small = namesBelow('Tables that every node has whole');
    const large = tableBelow('Tables that are spread');
    expect([...small, ...large.keys()].sort()).toEqual(found.map(({ name }) => name).sort());
    const lacks = ({ has, keys }: TableRow) =>
      [
        ...(has ? [] : ['no `workspace_id`']),
        ...keys
          .filter(({ columns, to }) => !columns.includes('workspace_id') && !small.includes(to ?? ''))
          .map(({ kind, columns, to }) => `${kind} (${columns.join(', ')})${to === null ? '' : ` to ${to}`}`),
      ].join('; ') || 'nothing';
    const spread = found.filter(({ name }) => large.has(name)).map((table) => [table.name, lacks(table)] as const);
    expect(Object.fromEntries(large)).toEqual(Object.fromEntries(spread));
  });

  test('and no statement on them leaves the workspace out but those that docs/scaling.md names', async () => {
    await import('#server/app');
    expect(statements.length).toBeGreaterThan(250);
    const names = [...tableBelow('Tables that are spread').keys()].join('|');
    const uses = new RegExp(`\\b(from|join|into|update|using) (${names})\\b`);
    const crossing = statements.filter(({ text }) => uses.test(text) && !namesWorkspace.test(text));
    const known = [...namesBelow('Claims'), ...namesBelow('Statements by an id alone')];
    expect(crossing.map(({ name }) => name).sort()).toEqual(known.sort());
  });
});

/** Compared with a value that the caller gives, or among the columns of a new row. */
const namesWorkspace =
  /workspace_id (= (any\()?\$|between \$|is not distinct from \$)|insert into \w+( as \w+)? \([^)]*\bworkspace_id\b/;
