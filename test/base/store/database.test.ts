import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { DataTypes, Model } from 'sequelize';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createOutbound } from '#server/base/outbound/guarded-client';
import { connectionFrom } from '#server/base/store/connection';
import { type Connection, type Database, openDatabase, sql } from '#server/base/store/database';
import { clientFor } from '#server/base/store/leader-client';
import { openModels } from '#server/base/store/models';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { until } from '#test/support/until';

const insert = sql('notes.insert', 'insert into notes (text) values ($1)');
const texts = sql('notes.texts', 'select text from notes order by id').holds<{ text: string }>();
const clear = sql('notes.clear', 'truncate notes');
const backend = sql('test.backend', 'select pg_backend_pid() as pid').holds<{ pid: number }>();

class Note extends Model {
  declare text: string;
  declare at: string;
}

let fresh: FreshDatabase;
let database: Database;
let reported: Error[];

beforeAll(async () => {
  fresh = await freshDatabase();
  database = open(fresh.parts);
  await database.script(`create table notes (
    id int generated always as identity primary key, text text unique, at timestamptz default '2026-01-02 03:04:05.12+00');
    create function boom() returns int language plpgsql as $$ begin raise 'boom'; end $$`);
  Note.init(
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      text: DataTypes.TEXT,
      at: DataTypes.DATE(6),
    },
    { sequelize: openModels(database), tableName: 'notes', timestamps: false },
  );
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

beforeEach(async () => {
  reported = [];
  await database.run(clear);
});

function open(parts: Connection, poolSize = 4): Database {
  return openDatabase(parts, { report: (error) => reported.push(error), poolSize });
}

async function written(): Promise<string[]> {
  return (await database.query(texts)).map(({ text }) => text);
}

async function backendPid(): Promise<number | undefined> {
  return (await database.query(backend))[0]?.pid;
}

describe('a statement', () => {
  it('gives its rows, or how many rows it touched', async () => {
    expect(await database.run(insert, ['one'])).toBe(1);
    expect(await database.query(texts)).toEqual([{ text: 'one' }]);
  });

  it('is prepared once per connection', async () => {
    const single = open(fresh.parts, 1);
    onTestFinished(() => single.close());
    const prepared = sql(
      'test.prepared',
      `select count(*)::int as times from pg_prepared_statements where name = 'test.prepared'`,
    );
    for (let time = 0; time < 3; time++) expect(await single.query(prepared)).toEqual([{ times: 1 }]);
  });

  describe('that is quick, beside more than there are connections', () => {
    const quickInsert = sql('notes.quick', 'insert into notes (text) values ($1) returning text', 'quick');
    const endsIfAsked = sql(
      'test.endsIfAsked',
      'select $1::int as n, case when $2 then pg_terminate_backend(pg_backend_pid()) end as ended',
      'quick',
    );
    let two: Database;
    beforeEach(async () => {
      two = open(fresh.parts, 2);
      onTestFinished(() => two.close());
      // Statements share a connection only once both connections have prepared them.
      for (const statement of [quickInsert, endsIfAsked]) {
        const values = statement === quickInsert ? (n: number) => [`warm ${n}`] : (n: number) => [n, false];
        await Promise.all([1, 2, 3, 4].map((n) => two.query(statement, values(n))));
      }
      await database.run(clear);
    });

    it('has its own rows, and fails alone', async () => {
      const asked = Array.from({ length: 100 }, (_, n) => (n % 10 === 3 ? 'twice' : `note ${n}`));
      const outcomes = await Promise.allSettled(asked.map((text) => two.query(quickInsert, [text])));
      for (const [n, outcome] of outcomes.entries()) {
        if (asked[n] !== 'twice') expect(outcome).toEqual({ status: 'fulfilled', value: [{ text: asked[n] }] });
      }
      expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(9);
      expect((await written()).toSorted()).toEqual([...new Set(asked)].toSorted());
    });

    it('fails with those behind it when the connection is lost; the others do not', async () => {
      const asked = Array.from({ length: 40 }, (_, n) => two.query(endsIfAsked, [n, n === 9]));
      const outcomes = await Promise.allSettled(asked);
      const lost = outcomes.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []));
      expect(lost[0]).toBe(9);
      expect(lost.length).toBeLessThanOrEqual(8);
      for (const n of lost) expect(outcomes[n]).toMatchObject({ reason: { code: '57P01' } });
      expect(await two.query(endsIfAsked, [1, false])).toEqual([{ n: 1, ended: null }]);
    });

    it('leaves room for whoever takes a whole connection', async () => {
      let isOver = false;
      const busy = Array.from({ length: 40 }, async (_, n) => {
        while (!isOver) await two.query(endsIfAsked, [n, false]);
      });
      await two.ping();
      isOver = true;
      await Promise.all(busy);
    });
  });

  describe('that locks rows', () => {
    const lock = sql('notes.lock', 'select id from notes order by id for update', 'locks');

    it('says so where it is declared', () => {
      for (const text of [
        'select from notes for update',
        'select from notes n for no key update of n skip locked',
        'select from notes for key share',
        'select pg_advisory_xact_lock(1)',
      ]) {
        expect(() => sql('notes.hold', text)).toThrow("notes.hold locks rows, so it is declared with 'locks'.");
        expect(() => sql('notes.hold', text, 'locks')).not.toThrow();
      }
      // For itself alone.
      sql('notes.claim', 'update notes set text = $1 where id in (select id from notes for update skip locked)');
    });

    it('throws outside a transaction, where it would lock nothing', async () => {
      const message = 'notes.lock locks rows until a transaction ends: call it inside database.transaction.';
      await expect(database.query(lock)).rejects.toThrow(message);
      await expect(database.run(lock)).rejects.toThrow(message);
      await database.transaction(async () => expect(await database.query(lock)).toEqual([]));
    });

    it('is refused by a replica, by the compiler and at run time', async () => {
      // @ts-expect-error
      await expect(database.queryReplica(lock)).rejects.toThrow('notes.lock locks rows');
    });

    it('as a model throws outside a transaction', async () => {
      await expect(Note.findAll({ lock: true })).rejects.toThrow(
        'A model locks rows only inside database.transaction.',
      );
      await database.transaction(async () => expect(await Note.findAll({ lock: true })).toEqual([]));
    });
  });

  it("that is a part of its caller's change throws outside a transaction", async () => {
    const join = sql('notes.join', 'insert into notes (text) values ($1)', 'joins');
    await expect(database.run(join, ['alone'])).rejects.toThrow(
      "notes.join is a part of its caller's transaction: call it inside database.transaction.",
    );
    await database.transaction(() => database.run(join, ['together']));
    expect(await written()).toEqual(['together']);
  });

  it('reads times as UTC text with all six fraction digits, in and out of a transaction', async () => {
    const times = sql(
      'test.times',
      `select '2026-01-02 03:04:05.123456+02'::timestamptz as micro, '2026-01-02 03:04:05Z'::timestamptz as whole,
        'infinity'::timestamptz as never, '2026-01-02'::date as day, 1::bigint as big`,
    );
    const expected = {
      micro: '2026-01-02T01:04:05.123456Z',
      whole: '2026-01-02T03:04:05.000000Z',
      never: 'infinity',
      day: '2026-01-02',
      big: '1',
    };
    expect(await database.query(times)).toEqual([expected]);
    expect(await database.transaction(() => database.query(times))).toEqual([expected]);
  });

  it('reads lists of texts as they were stored, whatever is in them', async () => {
    const lists: (string | null)[][] = [
      [],
      ['acc_1', 'acc_2'],
      [''],
      ['a,b', 'c"d', 'e\\f', '{g}', ' h '],
      ['NULL', 'null', 'NULLABLE'],
      ['a', null],
    ];
    const echo = sql('test.lists', 'select $1::text[] as list');
    for (const list of lists) expect(await database.query(echo, [list])).toEqual([{ list }]);
    const nested = sql('test.nested', `select '{{a,b},{c,d}}'::text[] as list, '[0:1]={a,b}'::text[] as shifted`);
    expect(await database.query(nested)).toEqual([
      {
        list: [
          ['a', 'b'],
          ['c', 'd'],
        ],
        shifted: ['a', 'b'],
      },
    ]);
  });

  it('reads times the same when the role has another zone and date style', async () => {
    const name = pg.escapeIdentifier(fresh.parts.database);
    await database.script(
      `alter database ${name} set timezone = 'Asia/Tokyo'; alter database ${name} set datestyle = 'SQL, DMY'`,
    );
    onTestFinished(() => database.script(`alter database ${name} reset all`));
    const later = open(fresh.parts);
    onTestFinished(() => later.close());
    const time = sql('test.time', `select '2026-01-02 03:04:05.5Z'::timestamptz as time`);
    expect(await later.query(time)).toEqual([{ time: '2026-01-02T03:04:05.500000Z' }]);
    expect(await later.transaction(() => later.query(time))).toEqual([{ time: '2026-01-02T03:04:05.500000Z' }]);
  });

  it('leaves the Dates of other pools alone', async () => {
    const client = new pg.Client(fresh.parts);
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query('select now() as now');
    expect(rows[0].now).toBeInstanceOf(Date);
  });
});

describe('a model', () => {
  it('reads times as the same text', async () => {
    const note = await Note.create({ text: 'model' }, { returning: true });
    expect(note.at).toBe('2026-01-02T03:04:05.120000Z');
    expect((await Note.findOne())?.at).toBe('2026-01-02T03:04:05.120000Z');
  });
});

describe('a transaction', () => {
  it('sends no request, because it would hold its locks until the answer', async () => {
    const outbound = createOutbound({});
    onTestFinished(() => outbound.close());
    const message = 'A request takes long: do it before the transaction.';
    await database.transaction(async () => {
      expect(() => outbound.request('http://example.invalid')).toThrow(message);
      await expect(outbound.open('http://example.invalid')).rejects.toThrow(message);
      expect(await database.outside(() => outbound.request('http://example.invalid'))).toMatchObject({ ok: false });
    });
    expect(await outbound.request('http://example.invalid')).toMatchObject({ ok: false });
  });

  it('lets statements and models see what the other has not committed yet', async () => {
    await database.transaction(async () => {
      await database.run(insert, ['statement']);
      await Note.create({ text: 'model' });
      expect((await Note.findAll()).map(({ text }) => text)).toEqual(['statement', 'model']);
      expect(await written()).toEqual(['statement', 'model']);
    });
    expect(await written()).toEqual(['statement', 'model']);
  });

  it('takes back both when something throws', async () => {
    const failing = database.transaction(async () => {
      await database.run(insert, ['statement']);
      await Note.create({ text: 'model' });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await written()).toEqual([]);
  });

  it('is joined by a nested one', async () => {
    const failing = database.transaction(async () => {
      await database.transaction(() => database.run(insert, ['nested']));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await written()).toEqual([]);
  });

  it('is not seen from outside before it is committed', async () => {
    await database.transaction(async () => {
      await database.run(insert, ['inside']);
      await Note.create({ text: 'inside too' });
      expect(await database.outside(() => database.query(texts))).toEqual([]);
      expect(await database.outside(() => Note.count())).toBe(0);
    });
  });

  it('does not mix with others that run at the same time', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const pids = await Promise.allSettled(
      numbers.map((number) =>
        database.transaction(async () => {
          const before = await backendPid();
          await database.run(insert, [`statement ${number}`]);
          await Note.create({ text: `model ${number}` });
          expect(await written()).toEqual([`statement ${number}`, `model ${number}`]);
          expect(await backendPid()).toBe(before);
          throw new Error('enough');
        }),
      ),
    );
    expect(pids.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual(
      numbers.map(() => 'enough'),
    );
    expect(await written()).toEqual([]);
  });

  it('of one database does not catch the statements of another', async () => {
    const other = open(fresh.parts);
    onTestFinished(() => other.close());
    await database.transaction(async () => {
      await database.run(insert, ['here']);
      expect(await other.query(texts)).toEqual([]);
    });
  });

  it('refuses what comes after its end', async () => {
    const late = await database.transaction(async () => AsyncResource.bind(() => database.transaction(written)));
    await expect(async () => late()).rejects.toThrow('This transaction has ended');
    const lateModel = await database.transaction(async () => AsyncResource.bind(() => Note.create({ text: 'late' })));
    await expect(async () => lateModel()).rejects.toThrow('you can no longer use it');
    expect(await written()).toEqual([]);
  });

  it('is not committed when the error of a failed statement was caught', async () => {
    const swallowing = database.transaction(async () => {
      await database.run(insert, ['kept?']);
      await database.script('select boom()').catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('cannot be committed');
    expect(await written()).toEqual([]);
  });

  it('tells the error of a commit that the database refuses', async () => {
    await database.script('alter table notes add constraint late unique (at) deferrable initially deferred');
    onTestFinished(() => database.script('alter table notes drop constraint late'));
    const doubled = database.transaction(async () => {
      await database.run(insert, ['one']);
      await database.run(insert, ['two']);
    });
    await expect(doubled).rejects.toThrow();
    expect(await written()).toEqual([]);
  });

  it('whose connection breaks fails, and the next one works', async () => {
    const broken = database.transaction(async () => {
      const pid = await backendPid();
      await database.outside(() => database.script(`select pg_terminate_backend(${pid})`));
      await database.run(insert, ['lost']);
    });
    await expect(broken).rejects.toThrow();
    await database.transaction(() => database.run(insert, ['next']));
    expect(await written()).toEqual(['next']);
  });
});

describe('a rehearsal', () => {
  it('does everything and leaves nothing, while the transaction around it goes on', async () => {
    let seen: unknown[] = [];
    await database.transaction(async () => {
      await database.run(insert, ['before']);
      await database.rehearse(async () => {
        await database.transaction(() => database.run(insert, ['tried']));
        await Note.create({ text: 'tried by a model' });
        seen = await database.query(texts);
      });
      await database.run(insert, ['after']);
    });
    expect(seen).toEqual([{ text: 'before' }, { text: 'tried' }, { text: 'tried by a model' }]);
    expect(await database.query(texts)).toEqual([{ text: 'before' }, { text: 'after' }]);
  });

  it('that fails, also in a statement, throws and leaves nothing', async () => {
    await database.transaction(async () => {
      await database.run(insert, ['before']);
      const twice = database.rehearse(() => database.run(insert, ['before']));
      await expect(twice).rejects.toThrow(/duplicate key/);
    });
    expect(await database.query(texts)).toEqual([{ text: 'before' }]);
  });
});

describe('work for after the commit', () => {
  it('begins once the transaction is over, at once without one, and never when all is undone', async () => {
    const done: string[] = [];
    const note = (text: string) => database.afterCommit(() => done.push(text));
    note('at once');
    await database.transaction(async () => {
      await database.transaction(async () => note('committed'));
      await database.rehearse(async () => note('rehearsed'));
      expect(done).toEqual(['at once']);
    });
    const failed = database.transaction(async () => {
      note('rolled back');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(done).toEqual(['at once', 'committed']);
  });
});

describe('the pool', () => {
  it('reports a connection that breaks while idle, and goes on', async () => {
    const single = open(fresh.parts, 1);
    onTestFinished(() => single.close());
    const [row] = await single.query(backend);
    await database.script(`select pg_terminate_backend(${row?.pid})`);
    await until('the break is reported', () => reported.length > 0);
    // The log entry must be short enough for a person to read.
    expect(JSON.stringify(pino.stdSerializers.err(reported[0] as Error)).length).toBeLessThan(2000);
    await single.ping();
  });
});

describe('of several servers', () => {
  it('the one that leads is signed in to with the password', async () => {
    const { host, port } = fresh.parts;
    expect(fresh.parts.password).toBeDefined();
    const several = open({ ...fresh.parts, hosts: [{ host, port }] });
    onTestFinished(() => several.close());
    await several.ping();
  });
});

describe('a connection to a server that accepts it and says nothing', () => {
  it('is given up, whoever opens it', async () => {
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    const sockets: Socket[] = [];
    await once(silent, 'listening');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const parts = { host: '127.0.0.1', port, database: 'posthorn' };
    const connected = new (clientFor(parts))(parts).connect();
    const refusal = expect(connected).rejects.toThrow('timeout');
    await vi.advanceTimersByTimeAsync(15_000);
    await refusal;
  });
});

describe('DATABASE_URL', () => {
  it('is taken apart once', () => {
    expect(connectionFrom('postgres://ann:p%40ss@db.example:6543/horn')).toEqual({
      host: 'db.example',
      port: 6543,
      database: 'horn',
      user: 'ann',
      password: 'p@ss',
    });
  });

  it.each([
    ['postgres://ann:secret@/horn?host=%2Frun%2Fpg', '/run/pg'],
    ['postgresql://ann:secret@%2Frun%2Fpg/horn', '/run/pg'],
    ['socket:/run/pg?db=horn', '/run/pg'],
    ['postgres://ann:secret@db.example/horn', 'db.example'],
  ])('may name a socket or leave out the port: %s', (url, host) => {
    expect(connectionFrom(url)).toMatchObject({ host, port: 5432, database: 'horn' });
  });

  it.each([
    ['disable', false],
    ['no-verify', { rejectUnauthorized: false }],
    ['verify-full', {}],
  ])('knows sslmode=%s', (mode, ssl) => {
    expect(connectionFrom(`postgres://ann@db.example/horn?sslmode=${mode}`).ssl).toEqual(ssl);
  });

  it('may name a leader and its standbys', () => {
    const url = 'postgres://ann:secret@one:6543,two/horn?target_session_attrs=';
    const places = [
      { host: 'one', port: 6543 },
      { host: 'two', port: 5432 },
    ];
    expect(connectionFrom(`${url}read-write`)).toMatchObject({ ...places[0], hosts: places, database: 'horn' });
    expect(() => connectionFrom(`${url}standby`)).toThrow('target_session_attrs of DATABASE_URL must be read-write');
  });

  it('reaches the database it names', async () => {
    const { host, user, password, database: name } = fresh.parts;
    const url = `postgres://${user}:${password}@/${name}?host=${encodeURIComponent(host)}`;
    const reached = open(connectionFrom(url));
    onTestFinished(() => reached.close());
    await reached.ping();
    await reached.transaction(() => reached.query(texts));
  });

  it.each([
    'mysql://ann:secret@db/horn',
    'ann:secret',
    'postgres://ann:secret@db',
    'postgres://ann:secret@db:port/horn',
  ])('is refused without telling the password: %s', (url) => {
    expect(() => connectionFrom(url)).toThrow(/^DATABASE_URL .* It looks like postgres:\/\/user:password@host/);
  });
});
