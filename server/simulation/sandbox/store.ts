import { wakes } from '#server/base/jobs/due-work';
import { everyWorkspace, notifyTabs } from '#server/base/live/changes';
import { type Database, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import type { Json } from '#server/networks/network';

export interface SandboxRecord {
  readonly network: string;
  readonly kind: string;
  readonly id: string;
  readonly value: Json;
  /** The id of the person it belongs to. */
  readonly owner?: string;
  /** The id of the record it replies to. */
  readonly parent?: string;
}

export interface SandboxStore {
  put(record: SandboxRecord): Promise<void>;
  /** False when there is one already. */
  add(record: SandboxRecord): Promise<boolean>;
  get(network: string, kind: string, id: string): Promise<Json | undefined>;
  /** Removes the record and returns it, to one caller only. */
  take(network: string, kind: string, id: string): Promise<Json | undefined>;
  /** Decrements `times` and returns the new value; undefined when none are left. */
  countDown(network: string, kind: string, id: string): Promise<Json | undefined>;
  ofOwner(network: string, kind: string, owner: string, limit: number): Promise<Json[]>;
  ofParent(network: string, kind: string, parent: string, limit: number): Promise<Json[]>;
  newest(network: string, kind: string, limit: number): Promise<Json[]>;
  removeOwned(network: string, kindPrefix: string, owner: string): Promise<void>;
}

interface ValueColumn {
  readonly value: Json;
}

const insert = `insert into sandbox_records (network, kind, id, value, owner, parent)
  values (:network, :kind, :id, :value, :owner, :parent)`;
const put = sql(
  'sandbox.put',
  `${insert} on conflict (network, kind, id) do update set value = excluded.value, owner = excluded.owner, parent = excluded.parent`,
);
const add = sql('sandbox.add', `${insert} on conflict do nothing`);
const get = sql(
  'sandbox.get',
  'select value from sandbox_records where network = $1 and kind = $2 and id = $3',
).holds<ValueColumn>();
const take = sql(
  'sandbox.take',
  'delete from sandbox_records where network = $1 and kind = $2 and id = $3 returning value',
).holds<ValueColumn>();
const countDown = sql(
  'sandbox.countDown',
  `update sandbox_records set value = jsonb_set(value, '{times}', to_jsonb((value ->> 'times')::int - 1))
    where network = $1 and kind = $2 and id = $3 and (value ->> 'times')::int > 0 returning value`,
).holds<ValueColumn>();
const ofOwner = sql(
  'sandbox.ofOwner',
  'select value from sandbox_records where network = $1 and kind = $2 and owner = $3 order by number desc limit $4',
).holds<ValueColumn>();
const ofParent = sql(
  'sandbox.ofParent',
  'select value from sandbox_records where network = $1 and kind = $2 and parent = $3 order by number desc limit $4',
).holds<ValueColumn>();
const newest = sql(
  'sandbox.newest',
  'select value from sandbox_records where network = $1 and kind = $2 order by number desc limit $3',
).holds<ValueColumn>();
const removeOwned = sql(
  'sandbox.removeOwned',
  'delete from sandbox_records where network = $1 and starts_with(kind, $2) and owner = $3',
);

export const createSandboxStore = (db: Database): SandboxStore => {
  const values = ({ value, owner = null, parent = null, ...key }: Nullable<SandboxRecord>) => ({
    ...key,
    value: JSON.stringify(value),
    owner,
    parent,
  });
  const all = async <Values>(query: Statement<Values, ValueColumn>, ...values: ValuesArgument<Values>) =>
    (await db.query(query, ...values)).map(({ value }) => value);
  return {
    put: async (record) => {
      await db.run(put, values(record));
    },
    add: async (record) => (await db.run(add, values(record))) > 0,
    get: async (network, kind, id) => (await all(get, [network, kind, id]))[0],
    take: async (network, kind, id) => (await all(take, [network, kind, id]))[0],
    countDown: async (network, kind, id) => (await all(countDown, [network, kind, id]))[0],
    ofOwner: (network, kind, owner, limit) => all(ofOwner, [network, kind, owner, limit]),
    ofParent: (network, kind, parent, limit) => all(ofParent, [network, kind, parent, limit]),
    newest: (network, kind, limit) => all(newest, [network, kind, limit]),
    removeOwned: async (network, kindPrefix, owner) => {
      await db.run(removeOwned, [network, kindPrefix, owner]);
    },
  };
};

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

const clockOffset = sql('sandbox.clockOffset', 'select offset_ms::float8 as offset_ms from sandbox_clock');
const lockClock = sql(
  'sandbox.lockClock',
  'select offset_ms::float8 as offset_ms, is_closed from sandbox_clock for update',
  'locks',
);
/** Recurring jobs ask what the clock showed at their last run. They all run at least daily, so two days of moves suffice. */
const setClock = sql(
  'sandbox.setClock',
  `with purged as (
     delete from sandbox_clock_moves
      where at < (select max(at) from sandbox_clock_moves where at < clock_timestamp() - interval '2 days')),
   recorded as (
     insert into sandbox_clock_moves (at, offset_ms) values (clock_timestamp(), $1))
   update sandbox_clock set offset_ms = $1, is_closed = $2 returning ${wakes('clock')}, ${notifyTabs('clock', { id: `''`, workspaceId: `'${everyWorkspace}'` })}`,
);
const clockMoves = sql(
  'sandbox.clockMoves',
  `select case when isfinite(at) then (extract(epoch from at) * 1000)::float8 end as at_ms, offset_ms::float8 as offset_ms
     from sandbox_clock_moves order by at`,
);
/** The database's notion of now. The offset is a literal in the function, so that a call costs no lookup. */
const setNow = (offsetMs: number) => {
  if (!Number.isSafeInteger(offsetMs)) throw new Error(`${offsetMs} ms is not a valid clock offset.`);
  return `create or replace function posthorn_now() returns timestamptz language sql volatile
    as $$ select clock_timestamp()${offsetMs === 0 ? '' : ` + interval '${offsetMs} milliseconds'`} $$`;
};

export type SandboxClockStore = ReturnType<typeof createSandboxClockStore>;

export const createSandboxClockStore = (db: Database) => {
  const offset = async () => (await db.query(clockOffset))[0]?.offsetMs ?? 0;
  const lock = async () => (await db.query(lockClock))[0] ?? { offsetMs: 0, isClosed: false };
  const set = async (offsetMs: number, isClosed = false) => {
    await db.query(setClock, [offsetMs, isClosed]);
    await db.script(setNow(offsetMs));
  };
  return {
    offset,
    writeAgain: async () => db.script(setNow(await offset())),

    /** Since which true time the clock has had which offset, oldest first. Null: from the beginning. */
    moves: () => db.query(clockMoves),

    /** Undefined when the clock is closed. */
    move: (byMs: number) =>
      db.transaction(async () => {
        const before = await lock();
        if (before.isClosed) return undefined;
        const offsetMs = before.offsetMs + byMs;
        await set(offsetMs);
        return offsetMs;
      }),

    /** Returns how far the clock was ahead. */
    close: () =>
      db.transaction(async () => {
        const { offsetMs, isClosed } = await lock();
        if (isClosed) return 0;
        await set(0, true);
        return offsetMs;
      }),
  };
};
