import type { Result, Version } from '#contracts/posts';
import { type Database, sql } from '#server/base/store/database';
import { type AccountRow, accountColumns } from '#server/connecting/accounts/account-row';
import type { Json, Sent } from '#server/networks/network';
import type { StoredLinkCard } from '#server/writing/posts/outgoing';
import { isNotDeleted } from './not-deleted.ts';

export const reads = ['accounts', 'link_cards', 'post_renditions', 'posts', 'workspaces'];

/** A send that this process has claimed until its lease ends. */
export interface SendRow {
  readonly postId: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly claim: string;
  readonly key: string;
  readonly startedAt: string;
  readonly since: string;
  readonly sent: readonly Sent[];
  readonly prepared: Json;
  readonly begunAt: string | null;
  readonly begunBody: string | null;
  /** When the answer was recorded as lost. Null when no process has recorded how the call ended. */
  readonly lostAt: string | null;
  readonly repeat: 'may' | 'done' | null;
  readonly again: boolean;
  readonly tries: number;
  /** Set when the post has ended as uncertain and the network is asked once more. */
  readonly result: Result | null;
  readonly versions: readonly Version[];
  readonly linkCards: readonly StoredLinkCard[] | null;
  readonly fittedIds: readonly string[] | null;
  readonly scheduledAt: string | null;
  readonly account: AccountRow;
  /** By the database's clock. */
  readonly claimedAt: string;
}

/** Identifies a send, its part and the claim on it. Each part of a thread has its own key. */
export type ClaimKey = Pick<SendRow, 'workspaceId' | 'postId' | 'accountId' | 'claim' | 'key'>;

/** The call that makes something public. */
export interface PublicCall {
  readonly prepared: unknown;
  readonly body: string;
  /** Repeated with the same key. */
  readonly isRepeat: boolean;
}

export interface EndedSend extends ClaimKey {
  readonly result: Result;
  readonly sent: readonly Sent[];
  /** The post may be public, so publishing again asks the network first. */
  readonly isMaybePublic: boolean;
  /** Whether its statistics will be read. */
  readonly isRead: boolean;
  /** When to ask the network again about the outcome; null when nothing new can be learned. */
  readonly askInMs: number | null;
}

export interface Progress extends ClaimKey {
  readonly sent: readonly Sent[];
  readonly prepared: unknown;
  /** The call that makes it public was begun, and how it ended is not known. */
  readonly isBegun: boolean;
  /** May be repeated with the same key: the network answered 503, or the sending process died. */
  readonly mayRepeat: boolean;
  readonly tries: number;
  /** When the row is due again. It is released until then, unless the next part follows at once. */
  readonly inMs: number;
  /** A part is published, and the next one gets its own key and start time. */
  readonly hasNextPart: boolean;
  /** The next claim starts the preparation over, with a new start time. */
  readonly shouldStartOver: boolean;
}

/** In such a workspace, a send that was begun is still claimed, to ask the network about its outcome. */
const maySend = `(begun_at is not null or ${isNotDeleted})`;
const notIn = (claims: string) => `(claim is null or claim <> all(${claims}::uuid[]))`;
/**
 * Up to `room` sends per network, except rows that this process is sending: after a clock step their leases seem to
 * have ended. Updates by row position (ctid), because a join could make PostgreSQL read every post. Only the first row
 * of an account carries its record.
 */
const claim = sql(
  'publishing.claim',
  `with due as (
     select send.place
       from unnest($1::text[], $2::int[]) as network(key, room)
      cross join lateral (
        select ctid as place from sends
         where sends.network = network.key and due_at <= (select posthorn_now()) and ${notIn('$3')} and ${maySend}
         order by due_at limit network.room for update skip locked) send),
   claimed as (
     update sends s set due_at = posthorn_now() + $4 * interval '1 ms', claim = gen_random_uuid(), since = coalesce(s.since, posthorn_now())
      where s.ctid = any(array(select place from due))
     returning s.*)
   select s.post_id as "postId", s.account_id as "accountId", s.workspace_id as "workspaceId", s.claim, s.key,
          s.started_at as "startedAt", s.since, s.sent, s.prepared, s.begun_at as "begunAt", s.begun_body as "begunBody",
          s.heard_at as "lostAt", s.repeat, s.again, s.tries, s.result, posthorn_now() as "claimedAt",
          (select p.versions from posts p where p.workspace_id = s.workspace_id and p.id = s.post_id) as versions,
          (select json_agg(json_strip_nulls(json_build_object('network', l.network, 'uri', l.uri, 'title', l.title,
                  'description', l.description, 'picture', l.picture)))
             from link_cards l where l.workspace_id = s.workspace_id and l.post_id = s.post_id) as "linkCards",
          (select array_agg(k.rendition_id) from post_renditions k
            where k.workspace_id = s.workspace_id and k.post_id = s.post_id and k.account_id = s.account_id) as "fittedIds",
          (select p.scheduled_at from posts p where p.workspace_id = s.workspace_id and p.id = s.post_id) as "scheduledAt",
          case when row_number() over (partition by s.account_id) = 1
               then (select ${accountColumns('a')} from accounts a where a.id = s.account_id) end as account
     from claimed s`,
);
const msToSend = sql(
  'publishing.msToSend',
  `select ceil(extract(epoch from min(due_at) - posthorn_now()) * 1000)::float8 as ms
     from sends where due_at is not null and network <> all($1) and ${notIn('$2')} and ${maySend}`,
);
const isSame = '(s.workspace_id, s.post_id, s.account_id) = (held.workspace_id, held.post_id, held.account_id)';
const held = `${isSame} and s.claim = held.claim`;
/** Skips rows that are being marked or ended right now: waiting for them could deadlock. */
const extend = sql(
  'publishing.extend',
  `update sends s set due_at = posthorn_now() + $5 * interval '1 ms'
     from (select held.*
             from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as held (workspace_id, post_id, account_id, claim)
             join sends s on ${held} for update of s skip locked) held
    where ${held}`,
);
const markBegun = sql(
  'publishing.markBegun',
  `update sends s set prepared = held.prepared, begun_at = posthorn_now(), begun_body = held.body, heard_at = null, repeat = case when held.repeated then 'done' end, due_at = posthorn_now() + $8 * interval '1 ms'
     from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::jsonb[], $6::text[], $7::boolean[])
          as held (workspace_id, post_id, account_id, claim, prepared, body, repeated) where ${held}
   returning s.post_id as "postId", s.account_id as "accountId", s.begun_at as "begunAt"`,
);
/** A published part is recorded even if another process holds the row. That process notices when its own writes match no row. */
const save = sql(
  'publishing.save',
  `update sends set sent = $5, prepared = $6, begun_at = case when $7 then begun_at end, tries = $8,
          heard_at = case when $7 then coalesce(heard_at, posthorn_now()) end,
          repeat = case when not $7 then null when $11 and repeat is null then 'may' else repeat end,
          due_at = posthorn_now() + case when $10 and claim is distinct from $3 then 0 else $9::float8 end * interval '1 ms',
          claim = case when $10 and claim = $3 then claim end,
          key = case when $10 then gen_random_uuid() else key end, since = case when $10 then posthorn_now() when not $13 then since end
    where workspace_id = $12 and post_id = $1 and account_id = $2 and key = $4 and (claim = $3 or $10)
   returning key, since, claim is not null as "isHeld"`,
);
/** For a part whose content changed since it was sent. */
const renewKey = sql(
  'publishing.renewKey',
  `update sends set key = gen_random_uuid(), since = posthorn_now(), begun_at = null, heard_at = null, prepared = null, repeat = null
    where workspace_id = $1 and post_id = $2 and account_id = $3 and claim = $4 and key = $5 returning key, since`,
);
/**
 * Records a success even if another process holds the row: it is a fact, and overrides a result that was concluded
 * without it.
 */
const end = sql(
  'publishing.end',
  `with held as (
     select held.*, s.result is not null as was_ended
       from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::jsonb[], $7::jsonb[], $8::boolean[], $9::float8[])
            as held (workspace_id, post_id, account_id, claim, key, result, sent, maybe_out, ask_in_ms)
       join sends s on ${isSame} and s.key = held.key
        and (s.claim = held.claim
             or (held.result ->> 'ok')::boolean and not coalesce((s.result ->> 'ok')::boolean, false))
        for update of s)
   update sends s set due_at = posthorn_now() + held.ask_in_ms * interval '1 ms', claim = null, result = held.result,
          sent = held.sent, begun_at = case when held.maybe_out then s.begun_at end,
          prepared = case when held.maybe_out then s.prepared end,
          heard_at = case when held.maybe_out then coalesce(s.heard_at, posthorn_now()) end
     from held where ${isSame}
   returning s.post_id as "postId", s.account_id as "accountId", held.was_ended as "wasEnded",
             greatest(extract(epoch from posthorn_now() - s.started_at) * 1000, 0)::float8 as "elapsedMs"`,
);

export type SendingStore = ReturnType<typeof createSendingStore>;

export const createSendingStore = (db: Database) => {
  const claimColumns = (rows: readonly ClaimKey[]) =>
    [
      rows.map(({ workspaceId }) => workspaceId),
      rows.map(({ postId }) => postId),
      rows.map(({ accountId }) => accountId),
      rows.map(({ claim }) => claim),
    ] as const;

  return {
    transaction: db.transaction,

    /** Rows of one account share its record. */
    claim: async (
      rooms: ReadonlyMap<string, number>,
      ownClaims: Iterable<string>,
      leaseMs: number,
    ): Promise<SendRow[]> => {
      const values = [[...rooms.keys()], [...rooms.values()], [...ownClaims], leaseMs];
      const rows = await db.query<SendRow & { account: AccountRow | null }>(claim, values);
      const accounts = new Map(rows.flatMap(({ account }) => (account ? [[account.id, account]] : [])));
      return rows.map((row) => ({ ...row, account: accounts.get(row.accountId) as AccountRow }));
    },

    msToSend: async (otherNetworks: readonly string[] = [], ownClaims: Iterable<string> = []) =>
      (await db.query<{ ms: number | null }>(msToSend, [otherNetworks, [...ownClaims]]))[0]?.ms ?? undefined,

    extend: async (rows: readonly ClaimKey[], leaseMs: number) => {
      await db.run(extend, [...claimColumns(rows), leaseMs]);
    },

    /** The rows that this process still holds, with a new lease. */
    markBegun: (rows: readonly (ClaimKey & PublicCall)[], leaseMs: number) =>
      db.query<{ postId: string; accountId: string; begunAt: string }>(markBegun, [
        ...claimColumns(rows),
        rows.map(({ prepared }) => JSON.stringify(prepared ?? null)),
        rows.map(({ body }) => body),
        rows.map(({ isRepeat }) => isRepeat),
        leaseMs,
      ]),

    /** Undefined when another process holds it. */
    save: async (progress: Progress) => {
      const { workspaceId, postId, accountId, claim: claimId, key, sent, prepared } = progress;
      const { isBegun, tries, inMs, hasNextPart, mayRepeat, shouldStartOver } = progress;
      const [row] = await db.query<Pick<SendRow, 'key' | 'since'> & { isHeld: boolean }>(save, [
        postId,
        accountId,
        claimId,
        key,
        JSON.stringify(sent),
        JSON.stringify(prepared ?? null),
        isBegun,
        tries,
        inMs,
        hasNextPart,
        mayRepeat,
        workspaceId,
        shouldStartOver,
      ]);
      return row;
    },

    /** Undefined when another process holds it. */
    renewKey: async ({ workspaceId, postId, accountId, claim: claimId, key }: ClaimKey) => {
      const values = [workspaceId, postId, accountId, claimId, key];
      return (await db.query<Pick<SendRow, 'key' | 'since'>>(renewKey, values))[0];
    },

    /**
     * Returns the rows that were updated, how long they took, and whether they had ended before with a less certain
     * result.
     */
    end: (rows: readonly EndedSend[]) =>
      db.query<Pick<SendRow, 'postId' | 'accountId'> & { wasEnded: boolean; elapsedMs: number }>(end, [
        ...claimColumns(rows),
        rows.map(({ key }) => key),
        rows.map(({ result }) => JSON.stringify(result)),
        rows.map(({ sent }) => JSON.stringify(sent)),
        rows.map(({ isMaybePublic }) => isMaybePublic),
        rows.map(({ askInMs }) => askInMs),
      ]),
  };
};
