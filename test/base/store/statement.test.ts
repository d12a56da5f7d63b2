import { afterAll, beforeAll, describe, expect, expectTypeOf, it, test } from 'vitest';
import { type Database, openDatabase, sql } from '#server/base/store/database';
import { type FreshDatabase, freshDatabase } from '#test/support/database';

let fresh: FreshDatabase;

beforeAll(async () => {
  fresh = await freshDatabase({ isMigrated: true });
});
afterAll(() => fresh.drop());

describe.each([true, false])('a statement (STATEMENT_LINE on: %s)', (statementLine) => {
  let database: Database;
  beforeAll(() => {
    database = openDatabase(fresh.parts, { report: () => undefined, statementLine });
  });
  afterAll(() => database.close());

  const named = sql(
    'test.named',
    `select :first::text || ' :second ' || :second::text || :first::text as "a:b", '12:30'::time::text as time`,
  );

  it('takes values by name, each as often as its text names it', async () => {
    const expected = [{ 'a:b': '1 :second 21', time: '12:30:00' }];
    expect(await database.query(named, { second: '2', first: '1' })).toEqual(expected);
    expect(await database.queryReplica(named, { second: '2', first: '1' })).toEqual(expected);
    expect(await database.transaction(() => database.query(named, { second: '2', first: '1' }))).toEqual(expected);
    expect(await database.run(named, { second: '2', first: '1' })).toBe(1);
  });

  it('names columns as code does, in each row and each time', async () => {
    const statement = sql(
      'test.columns',
      `select n as row_number, 'a' as the_2nd, json_build_object('as_it_is', n) as some_json from generate_series(1, 2) n`,
    );
    const rows = [1, 2].map((n) => ({ rowNumber: n, the2nd: 'a', someJson: { as_it_is: n } }));
    expect(await database.query(statement)).toEqual(rows);
    expect(await database.query(statement)).toEqual(rows);
    expect(await database.transaction(() => database.query(statement))).toEqual(rows);
  });
});

test('a statement takes its values either by name or by position', () => {
  expect(() => sql('test.both', 'select :name::text, $1')).toThrow('test.both takes values by name and by position.');
});

test('what PostgreSQL describes is checked by the compiler', () => {
  /** Nobody runs it. */
  const compiled = async (database: Database) => {
    const list = sql('labels.list', '');
    const [label] = await database.query(list, ['ws_1']);
    expectTypeOf(label).toEqualTypeOf<{ id: string; name: string; color: string; posts: number } | undefined>();
    await database.run(list, [null]);
    // @ts-expect-error: its caller does not say what a row is
    await database.query<{ id: string }>(list, ['ws_1']);
    // @ts-expect-error: it has a value
    await database.query(list);
    // @ts-expect-error: it has no second value
    await database.run(list, ['ws_1', 'ws_2']);
    // @ts-expect-error: the value is text
    await database.queryReplica(list, [1]);
    // @ts-expect-error: PostgreSQL knows null
    await database.run(list, [undefined]);

    const [coloured] = await database.query(list.holds<{ color: 'red' | 'blue' }>(), ['ws_1']);
    expectTypeOf(coloured?.color).toEqualTypeOf<'red' | 'blue' | undefined>();
    expectTypeOf(coloured?.posts).toEqualTypeOf<number | undefined>();
    // @ts-expect-error: text is no number
    list.holds<{ color: 1 }>();
    // @ts-expect-error: PostgreSQL knows what a number is
    list.holds<{ posts: 1 | 2 }>();
    // @ts-expect-error: it has no such column
    list.holds<{ colour: 'red' }>();

    const refusals = sql('accounts.forForecast', '');
    // @ts-expect-error: what JSON has in it is said with `holds`
    expectTypeOf((await database.query(refusals, ['ws_1', ['acct_1']]))[0]?.account.id).toBeString();
    const [refused] = await database.query(refusals.holds<{ account: { id: string }; refusal: { at: string } }>(), [
      '',
      [],
    ]);
    expectTypeOf(refused?.account).toEqualTypeOf<{ id: string } | undefined>();
    expectTypeOf(refused?.refusal).toEqualTypeOf<{ at: string } | null | undefined>();

    const computed = sql(`test.${label?.id}`, '').holds<{ n: number }>();
    expectTypeOf(await database.query(computed, ['any', 1])).toEqualTypeOf<{ n: number }[]>();
  };
  expect(compiled).toBeInstanceOf(Function);
});
