import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { readStatements, type ServiceStatement } from '#test/support/statements';

const root = resolve(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/citus.md'), 'utf8');

/** The rows of a table of the page, below a heading: the first cell, without its backticks, and the second. */
const tableBelow = (heading: string) => {
  const [, below = ''] = page.split(`\n## ${heading}\n`);
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
let statements: ServiceStatement[];
beforeAll(async () => {
  statements = await readStatements();
  fresh = await freshDatabase({ isMigrated: true });
  database = new pg.Client(fresh.parts);
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await fresh.drop();
});

interface TableRow {
  readonly name: string;
  /** Without a value it would be nowhere. */
  readonly isNamed: boolean;
  readonly triggers: number;
  readonly keys: {
    readonly kind: 'primary key' | 'unique' | 'foreign key';
    readonly columns: string[];
    readonly to: string | null;
    readonly setsNull: boolean;
  }[];
}

/** Primary keys, unique indexes and foreign keys. */
const tables = async () =>
  (
    await database.query<TableRow>(`
      select c.relname as name,
             exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnotnull) as "isNamed",
             (select count(*)::int from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as triggers,
             (select coalesce(json_agg(k order by k.kind, k.columns::text), '[]') from (
                select case when i.indisprimary then 'primary key' else 'unique' end as kind, null as "to", false as "setsNull",
                       (select array_agg(coalesce(a.attname, 'expression') order by place) from unnest(i.indkey::int[]) with ordinality as n (number, place)
                          left join pg_attribute a on a.attrelid = c.oid and a.attnum = n.number and n.number > 0) as columns
                  from pg_index i where i.indrelid = c.oid and i.indisunique
                union all
                select 'foreign key', f.confrelid::regclass::text, f.confdeltype in ('n', 'd') or f.confupdtype in ('n', 'd'),
                       (select array_agg(a.attname || case when a.attname = 'workspace_id' and o.attname <> 'workspace_id' then ' elsewhere' else '' end
                               order by place)
                          from unnest(f.conkey, f.confkey) with ordinality as n (number, other, place)
                          join pg_attribute a on a.attrelid = c.oid and a.attnum = n.number
                          join pg_attribute o on o.attrelid = f.confrelid and o.attnum = n.other)
                  from pg_constraint f where f.conrelid = c.oid and f.contype = 'f') k) as keys
        from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migrations'`)
  ).rows;

/** What Citus would refuse. */
const faultsOf = ({ name, isNamed, triggers, keys }: TableRow, spread: ReadonlyMap<string, string>) => {
  const refers = (to: string | null) => to !== null && spread.has(to);
  if (!spread.has(name)) {
    return keys
      .filter(({ to }) => refers(to))
      .map(({ to }) => `${name} is on every node and refers to ${to}, which is not`);
  }
  return [
    ...(isNamed ? [] : [`${name}.workspace_id may be null, or is missing`]),
    ...(triggers > 0 ? [`${name} has a trigger`] : []),
    ...keys
      .filter(({ columns, to }) => (to === null || refers(to)) && !columns.includes('workspace_id'))
      .map(({ kind, columns }) => `the ${kind} (${columns.join(', ')}) of ${name} leaves the workspace out`),
    ...keys
      .filter(({ columns, setsNull }) => setsNull && columns.includes('workspace_id'))
      .map(({ to }) => `the reference of ${name} to ${to} sets a part of itself to null`),
  ];
};

describe('Citus could spread the large tables by workspace', () => {
  test('docs/citus.md names every table as spread or small, and nothing that Citus asks for is missing', async () => {
    const found = await tables();
    const small = namesBelow('Tables that every node has whole');
    const spread = tableBelow('Tables that are spread');
    expect([...small, ...spread.keys()].sort()).toEqual(found.map(({ name }) => name).sort());
    expect(found.flatMap((table) => faultsOf(table, spread))).toEqual([]);
    const keys = found
      .filter(({ name }) => spread.has(name))
      .map(({ name, keys }) => [name, keys.find(({ kind }) => kind === 'primary key')?.columns.join(', ')]);
    expect(Object.fromEntries(spread)).toEqual(Object.fromEntries(keys));
  });

  test('no statement on them crosses workspaces but the claims and what docs/citus.md names', () => {
    expect(statements.length).toBeGreaterThan(250);
    const uses = usesOf([...tableBelow('Tables that are spread').keys()]);
    const using = statements.filter(({ text }) => uses(text).length > 0);
    const crossing = using.filter(({ text }) => !namesWorkspace.test(text)).map(({ name }) => name);
    const known = [...namesBelow('Claims'), ...namesBelow('Statements that ask every node')];
    expect(crossing.sort()).toEqual(known.sort());
  });

  test('every other statement that speaks of several of them joins each by its workspace', () => {
    const uses = usesOf([...tableBelow('Tables that are spread').keys()]);
    const known = [...namesBelow('Claims'), ...namesBelow('Statements that ask every node')];
    const alone = statements
      .filter(({ name, text }) => !known.includes(name) && uses(text).length > 1)
      .flatMap(({ name, text }) =>
        uses(text)
          .filter((use) => !isByWorkspace(text, use))
          .map(({ table }) => `${name}: ${table}`),
      );
    expect(alone).toEqual([]);
  });
});

/** The workspace is compared with a given value, alone or in a list, or is among the columns of a new row. */
const namesWorkspace =
  /workspace_id (= (any\()?\$|between \$)|insert into \w+( as \w+)? \([^)]*\bworkspace_id\b|(unnest|to_recordset)\([^)]*\)\s+as \w+ ?\([^)]*\bworkspace_id\b/;

interface Use {
  readonly table: string;
  readonly alias: string | undefined;
}

/** The tables that a statement speaks of, and what it calls them. */
const usesOf = (tables: readonly string[]) => {
  const others = 'on|where|set|order|group|limit|values|join|left|cross|using|returning|for|select|window|union';
  const use = new RegExp(
    `\\b(?:from|join|into|update|using) (${tables.join('|')})\\b(?:\\s+(?:as )?(?!(?:${others})\\b)(\\w+))?`,
    'g',
  );
  return (text: string): Use[] => [...text.matchAll(use)].map(([, table = '', alias]) => ({ table, alias }));
};

const isByWorkspace = (text: string, { table, alias }: Use) =>
  new RegExp(`\\b${alias ?? table}\\.workspace_id\\b|using \\(workspace_id`).test(text) ||
  (alias === undefined && /(?<![.\w])workspace_id\b/.test(text));
