import type { Result, Version } from '#contracts/posts';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { type AccountRow, accountColumns } from '#server/connecting/accounts/account-row';
import type { Json, Sent } from '#server/networks/network';
import type { StoredLinkCard } from '#server/writing/posts/outgoing';
import { isNotDeleted } from './not-deleted.ts';

export const reads = ['accounts', 'link_cards', 'post_renditions', 'posts', 'workspaces'];

/**
 * A send that this process has claimed until its lease ends. `lostAt` is when the answer was recorded as lost; null when
 * no process has recorded how the call ended. `result` is set when the post has ended as uncertain and the network is
 * asked once more. `claimedAt` is by the database's clock.
 */
export interface SendRow extends Omit<RowOf<typeof claim>, 'account'> {
  readonly account: AccountRow;
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
   select s.post_id, s.account_id, s.workspace_id, s.claim, s.key, s.started_at, s.since, s.sent,
          s.prepared, s.begun_at, s.begun_body, s.heard_at as lost_at, s.repeat, s.again, s.tries, s.result, posthorn_now() as claimed_at,
          coalesce((select p.versions from posts p where p.workspace_id = s.workspace_id and p.id = s.post_id), '[]') as versions,
          (select json_agg(json_strip_nulls(json_build_object('network', l.network, 'uri', l.uri, 'title', l.title,
                  'description', l.description, 'picture', l.picture)))
             from link_cards l where l.workspace_id = s.workspace_id and l.post_id = s.post_id) as link_cards,
          (select array_agg(k.rendition_id) from post_renditions k
            where k.workspace_id = s.workspace_id and k.post_id = s.post_id and k.account_id = s.account_id) as fitted_ids,
          (select p.scheduled_at from posts p where p.workspace_id = s.workspace_id and p.id = s.post_id) as scheduled_at,
          case when row_number() over (partition by s.account_id) = 1
               then (select ${accountColumns('a')} from accounts a where a.id = s.account_id) end as account
     from claimed s`,
).holds<{
  sent: readonly Sent[];
  prepared: Json;
  repeat: 'may' | 'done';
  result: Result;
  versions: readonly Version[];
  linkCards: readonly StoredLinkCard[];
  account: AccountRow;
}>();
const msToSend = sql(
  'publishing.msToSend',
  `select ceil(extract(epoch from min(due_at) - posthorn_now()) * 1000)::float8 as ms
     from sends where due_at is not null and network <> all($1) and ${notIn('$2')} and ${maySend}`,
);
const isSame = '(s.workspace_id, s.post_id, s.account_id) = (held.workspace_id, held.post_id, held.account_id)';
const held = `${isSame} and s.claim = held.claim`;
const claimColumns = ':workspaceIds::text[], :postIds::text[], :accountIds::text[], :claims::uuid[]';
const claimValues = (rows: readonly ClaimKey[]) => ({
  workspaceIds: rows.map(({ workspaceId }) => workspaceId),
  postIds: rows.map(({ postId }) => postId),
  accountIds: rows.map(({ accountId }) => accountId),
  claims: rows.map((row) => row.claim),
});
/** Skips rows that are being marked or ended right now: waiting for them could deadlock. */
const extend = sql(
  'publishing.extend',
  `update sends s set due_at = posthorn_now() + :leaseMs * interval '1 ms'
     from (select held.*
             from unnest(${claimColumns}) as held (workspace_id, post_id, account_id, claim)
             join sends s on ${held} for update of s skip locked) held
    where ${held}`,
);
const markBegun = sql(
  'publishing.markBegun',
  `update sends s set prepared = held.prepared, begun_at = posthorn_now(), begun_body = held.body, heard_at = null, repeat = case when held.repeated then 'done' end, due_at = posthorn_now() + :leaseMs * interval '1 ms'
     from unnest(${claimColumns}, :prepared::jsonb[], :bodies::text[], :isRepeat::boolean[])
          as held (workspace_id, post_id, account_id, claim, prepared, body, repeated) where ${held}
   returning s.post_id, s.account_id, s.begun_at`,
);
/** A published part is recorded even if another process holds the row. That process notices when its own writes match no row. */
const save = sql(
  'publishing.save',
  `update sends set sent = :sent, prepared = :prepared, begun_at = case when :isBegun then begun_at end, tries = :tries,
          heard_at = case when :isBegun then coalesce(heard_at, posthorn_now()) end,
          repeat = case when not :isBegun then null when :mayRepeat and repeat is null then 'may' else repeat end,
          due_at = posthorn_now() + case when :hasNextPart and claim is distinct from :claim then 0 else :inMs::float8 end * interval '1 ms',
          claim = case when :hasNextPart and claim = :claim then claim end,
          key = case when :hasNextPart then gen_random_uuid() else key end,
          since = case when :hasNextPart then posthorn_now() when not :shouldStartOver then since end
    where workspace_id = :workspaceId and post_id = :postId and account_id = :accountId and key = :key
      and (claim = :claim or :hasNextPart)
   returning key, coalesce(since, posthorn_now()) as since, claim is not null as is_held`,
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
       from unnest(${claimColumns}, :keys::uuid[], :results::jsonb[], :sent::jsonb[], :isMaybePublic::boolean[], :askInMs::float8[])
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
   returning s.post_id, s.account_id, held.was_ended,
             greatest(extract(epoch from posthorn_now() - s.started_at) * 1000, 0)::float8 as elapsed_ms`,
);

export type SendingStore = ReturnType<typeof createSendingStore>;

export const createSendingStore = (db: Database) => ({
  transaction: db.transaction,

  /** Rows of one account share its record. */
  claim: async (
    rooms: ReadonlyMap<string, number>,
    ownClaims: Iterable<string>,
    leaseMs: number,
  ): Promise<SendRow[]> => {
    const rows = await db.query(claim, [[...rooms.keys()], [...rooms.values()], [...ownClaims], leaseMs]);
    const accounts = new Map(rows.flatMap(({ account }) => (account ? [[account.id, account]] : [])));
    return rows.map((row) => ({ ...row, account: accounts.get(row.accountId) as AccountRow }));
  },

  msToSend: async (otherNetworks: readonly string[] = [], ownClaims: Iterable<string> = []) =>
    (await db.query(msToSend, [otherNetworks, [...ownClaims]]))[0]?.ms ?? undefined,

  extend: async (rows: readonly ClaimKey[], leaseMs: number) => {
    await db.run(extend, { ...claimValues(rows), leaseMs });
  },

  /** The rows that this process still holds, with a new lease. */
  markBegun: (rows: readonly (ClaimKey & PublicCall)[], leaseMs: number) =>
    db.query(markBegun, {
      ...claimValues(rows),
      prepared: rows.map(({ prepared }) => JSON.stringify(prepared ?? null)),
      bodies: rows.map(({ body }) => body),
      isRepeat: rows.map(({ isRepeat }) => isRepeat),
      leaseMs,
    }),

  /** Undefined when another process holds it. */
  save: async ({ sent, prepared, ...progress }: Progress) => {
    const values = { ...progress, sent: JSON.stringify(sent), prepared: JSON.stringify(prepared ?? null) };
    return (await db.query(save, values))[0];
  },

  /** Undefined when another process holds it. */
  renewKey: async ({ workspaceId, postId, accountId, claim: claimId, key }: ClaimKey) =>
    (await db.query(renewKey, [workspaceId, postId, accountId, claimId, key]))[0],

  /**
   * Returns the rows that were updated, how long they took, and whether they had ended before with a less certain
   * result.
   */
  end: (rows: readonly EndedSend[]) =>
    db.query(end, {
      ...claimValues(rows),
      keys: rows.map(({ key }) => key),
      results: rows.map(({ result }) => JSON.stringify(result)),
      sent: rows.map(({ sent }) => JSON.stringify(sent)),
      isMaybePublic: rows.map(({ isMaybePublic }) => isMaybePublic),
      askInMs: rows.map(({ askInMs }) => askInMs),
    }),
});
