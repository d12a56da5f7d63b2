import pg from 'pg';
import { expect, test } from 'vitest';
import { openDatabase } from '#server/base/store/database';
import { expectedAfter } from '#server/base/store/expected-schema';
import { migrations } from '#server/base/store/migrations/index';
import { checkIndexes, restoreIndexes } from '#server/base/store/schema-checks';
import { freshDatabase } from '#test/support/database';

test('doctor knows every table and index of the migrations, and makes a dropped index again as it was', async ({
  onTestFinished,
}) => {
  const { parts, drop } = await freshDatabase({ isMigrated: true });
  onTestFinished(drop);
  const client = new pg.Client(parts);
  const database = openDatabase(parts, { report: () => undefined });
  onTestFinished(() => database.close());
  onTestFinished(() => client.end());
  await client.connect();
  const tables = await client.query(
    "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  // Those of keys and constraints cannot be dropped.
  const readIndexes = async () =>
    (
      await client.query<{ name: string; definition: string }>(
        `select relname as name, pg_get_indexdef(indexrelid) as definition
           from pg_index join pg_class on pg_class.oid = indexrelid
          where relnamespace = 'public'::regnamespace and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
          order by 1`,
      )
    ).rows;
  const before = await readIndexes();
  const expected = expectedAfter(migrations);
  expect([...expected.tables].sort()).toEqual(tables.rows.map(({ relname }) => relname).sort());
  expect([...expected.indexes.keys()].sort()).toEqual(before.map(({ name }) => name).sort());
  expect(await checkIndexes(database)).toEqual([]);

  await client.query(`drop index ${before.map(({ name }) => name).join(', ')}`);
  expect(await checkIndexes(database)).toHaveLength(before.length);
  const made: string[] = [];
  await restoreIndexes(database, (name) => made.push(name));
  expect(await readIndexes()).toEqual(before);
  expect(made).toHaveLength(before.length);
  expect(await checkIndexes(database)).toEqual([]);
});
