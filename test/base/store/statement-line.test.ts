import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '#server/base/config/config';
import { type Database, openDatabase, sql } from '#server/base/store/database';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { type DebianServer, startLeader, stopServers, withoutGerman } from '#test/support/debian-postgres';
import { until } from '#test/support/until';
import { inGerman, startWire, type Wire } from '#test/support/wire';

const poolSize = 2;
const insert = sql('notes.quick', 'insert into notes (text) values ($1) returning text', 'quick');
const texts = sql('notes.texts', 'select text from notes order by text').holds<{ text: string }>();
const everything = sql('notes.everything', 'select * from notes', 'quick');
const endsIfAsked = sql(
  'test.endsIfAsked',
  'select $1::int as n, case when $2 then pg_terminate_backend(pg_backend_pid()) end as ended',
  'quick',
);

const makeNotes = (database: Database) =>
  database.script('create table notes (text text unique check (length(text) < 100))');

/** More than there are connections, until each connection has prepared them: only then do they share one. */
const warm = async (database: Database) => {
  for (let round = 0; round < 2; round++) {
    await Promise.all([1, 2, 3, 4].map((n) => database.query(insert, [`warm ${round} ${n}`])));
    await Promise.all([1, 2, 3, 4].map((n) => database.query(endsIfAsked, [n, false])));
  }
  await database.script('truncate notes');
};

/** One hundred at once, of which nine are refused. */
const insertMany = async (database: Database) => {
  const asked = Array.from({ length: 100 }, (_, n) => (n % 10 === 3 ? 'twice' : `note ${n}`));
  const outcomes = await Promise.allSettled(asked.map((text) => database.query(insert, [text])));
  for (const [n, outcome] of outcomes.entries()) {
    if (asked[n] !== 'twice') expect(outcome).toEqual({ status: 'fulfilled', value: [{ text: asked[n] }] });
  }
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => reason.code)).toEqual(Array.from({ length: 9 }, () => '23505'));
  const rows = await database.query(texts);
  expect(rows.map(({ text }) => text)).toEqual([...new Set(asked)].toSorted());
};

describe.each(['on', 'off'])('with STATEMENT_LINE=%s, on a server that speaks another language', (setting) => {
  let fresh: FreshDatabase;
  let wire: Wire;
  let database: Database;
  let reported: Error[];
  beforeAll(async () => {
    fresh = await freshDatabase();
  });
  afterAll(() => fresh.drop());
  beforeEach(async () => {
    wire = await startWire(fresh.parts);
    wire.change = inGerman;
    reported = [];
    const statementLine = setting === 'on';
    database = openDatabase(wire.parts, { report: (error) => reported.push(error), poolSize, statementLine });
    await database.script('drop table if exists notes');
    await makeNotes(database);
    await warm(database);
  });
  afterEach(async () => {
    await database.close();
    wire.stop();
  });

  it('a statement that is refused costs nobody else anything, and does not close its connection', async () => {
    const before = wire.connections.length;
    await insertMany(database);
    expect(wire.connections).toHaveLength(before);
    expect(reported).toEqual([]);
  });

  it('a statement whose connection is lost fails, and the next one works', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => database.query(endsIfAsked, [n, n === 9])),
    );
    const lost = outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
    expect(lost[0]).toBe(9);
    expect(lost.length).toBeLessThanOrEqual(setting === 'on' ? 8 : 1);
    for (const n of lost) expect(outcomes[n]).toMatchObject({ reason: { code: '57P01' } });
    expect(await database.query(endsIfAsked, [1, false])).toEqual([{ n: 1, ended: null }]);
  });

  it('one that fails inside a transaction fails the transaction alone', async () => {
    const before = wire.connections.length;
    const refused = database.transaction(async () => {
      await database.query(insert, ['first']);
      await database.query(insert, ['first']);
    });
    await expect(refused).rejects.toMatchObject({ code: '23505' });
    await database.transaction(() => database.query(insert, ['second']));
    expect(await database.query(texts)).toEqual([{ text: 'second' }]);
    // The pool for transactions has opened its first.
    expect(wire.connections.length).toBeLessThanOrEqual(before + 1);
  });

  it('rows, counts and times are the same', async () => {
    const times = sql(
      'test.times',
      `select '2026-01-02 03:04:05.12Z'::timestamptz as at, null as none, 1::bigint as big`,
    );
    expect(await database.query(times)).toEqual([{ at: '2026-01-02T03:04:05.120000Z', none: null, big: '1' }]);
    expect(await database.run(insert, ['counted'])).toBe(1);
    expect(await database.run(sql('notes.clear', 'delete from notes'))).toBe(1);
  });
});

describe('statements that wait', () => {
  let fresh: FreshDatabase;
  let wire: Wire;
  beforeAll(async () => {
    fresh = await freshDatabase();
    wire = await startWire(fresh.parts);
  });
  afterAll(async () => {
    wire.stop();
    await fresh.drop();
  });

  const openWith = async (statementLine: boolean) => {
    const database = openDatabase(wire.parts, { report: () => undefined, poolSize: 1, statementLine });
    await database.script('drop table if exists notes');
    await makeNotes(database);
    await warm(database);
    return database;
  };

  it.each([
    [true, 8],
    [false, 1],
  ])('are sent together before the first is answered (STATEMENT_LINE on: %s)', async (statementLine, together) => {
    const database = await openWith(statementLine);
    const counts: number[] = [];
    let unanswered = 0;
    const [sync, readyForQuery] = ['S', 'Z'].map((type) => type.charCodeAt(0));
    wire.onMessage = ([type]) => {
      if (type === sync) unanswered++;
    };
    wire.change = (said) => {
      if (said[0] === readyForQuery) counts.push(unanswered--);
      return said;
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => database.query(insert, [`note ${n}`])));
    expect(Math.max(...counts)).toBe(together);
    await database.close();
  });

  describe.each([true, false])('once a migration has changed them (STATEMENT_LINE on: %s)', (on) => {
    it.each(['alone', 'in a transaction'])('fail once, and then work: %s', async (where) => {
      const database = await openWith(on);
      await database.query(insert, ['old']);
      const read = () =>
        where === 'alone' ? database.query(everything) : database.transaction(() => database.query(everything));
      await read();
      const other = openDatabase(fresh.parts, { report: () => undefined, poolSize: 1 });
      await other.script("alter table notes add column kind text not null default 'note'");
      await other.close();
      await expect(read()).rejects.toMatchObject({ code: '0A000' });
      expect(await read()).toEqual([{ text: 'old', kind: 'note' }]);
      await database.close();
    });
  });
});

describe('what we know of the inside of pg', () => {
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(packageRoot, 'node_modules', name, 'package.json'), 'utf8')).version;

  it('is known of the version that is installed', () => {
    // After an upgrade of pg, compare lib/client.js, lib/connection.js and pg-protocol's parser.js with
    // server/base/store/prepared-query.ts, statement-line.ts and careful-client.ts, then update the versions here.
    expect({ pg: versionOf('pg'), protocol: versionOf('pg-protocol') }).toEqual({ pg: '8.23.1', protocol: '1.16.1' });
  });

  it('is there', () => {
    const client = new pg.Client() as unknown as { connection: Record<string, unknown> } & Record<string, unknown>;
    const methods = ['parse', 'bind', 'describe', 'execute', 'sync', 'close', 'attachListeners'];
    for (const method of methods) expect(client.connection, method).toHaveProperty(method, expect.any(Function));
    expect(client.connection).toMatchObject({ parsedStatements: {}, stream: { cork: expect.any(Function) } });
    expect(client).toMatchObject({ getTransactionStatus: expect.any(Function), _queryable: true });
  });
});

describe.skipIf(withoutGerman)('PostgreSQL 15 of Debian in German', () => {
  let server: DebianServer;
  let database: Database;
  beforeAll(async () => {
    server = await startLeader({ messages: 'de_DE.UTF-8' });
    database = openDatabase(server.at('postgres'), { report: () => undefined, poolSize });
    await makeNotes(database);
    await warm(database);
  });
  afterAll(async () => {
    await database?.close();
    await stopServers();
  });

  it('says FEHLER, and a statement that it refuses costs nobody else anything', async () => {
    await expect(server.query('select 1/0')).rejects.toMatchObject({ severity: 'FEHLER', code: '22012' });
    const connections = async () =>
      server.query(`select pid from pg_stat_activity where application_name like 'posthorn%' order by pid`);
    const before = await connections();
    await insertMany(database);
    // The second connection of the pool may still have been opening.
    expect(await connections()).toEqual(expect.arrayContaining(before));
  });

  it('whose connection is lost fails those behind it, and the next one works', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => database.query(endsIfAsked, [n, n === 9])),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected').length).toBeLessThanOrEqual(8);
    expect(outcomes[9]).toMatchObject({ status: 'rejected', reason: { code: '57P01' } });
    await until('it works', () => database.query(endsIfAsked, [1, false]));
  });
});
