import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase, sql } from '#server/store/database';
import { type Migration, migrate } from '#server/store/migrate';
import { type FreshDatabase, freshDatabase } from '#test/support/database';

const first: Migration = { number: 1, name: 'first', sql: 'create table one (id int); create table two (id int)' };
const second: Migration = { number: 2, name: 'second', sql: 'insert into one values (1)' };
const failing: Migration = {
  number: 2,
  name: 'failing',
  sql: 'insert into one values (1); insert into nowhere values (1)',
};

const recorded = sql('test.recorded', 'select number, name from schema_migrations order by number');
const ones = sql('test.ones', 'select id from one');

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

it('leaves nothing of a migration that fails, and keeps those before it', async () => {
  await expect(migrate(database(), [first, failing])).rejects.toThrow(
    'Migration 2 "failing" failed and was rolled back: relation "nowhere" does not exist',
  );
  expect(await database().query(recorded)).toEqual([{ number: 1, name: 'first' }]);
  expect(await database().query(ones)).toEqual([]);
});

it('refuses a database that a newer Posthorn migrated', async () => {
  await migrate(database(), [first, second]);
  await expect(migrate(database(), [first])).rejects.toThrow(
    'was migrated by a newer Posthorn (2 > 1); start that version or restore a backup',
  );
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
