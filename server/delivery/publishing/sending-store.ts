import type { HeldPost } from '#contracts/backups';
import type { Result, Version } from '#contracts/posts';
import { wakes } from '#server/base/jobs/due-work';
import { type Database, sql } from '#server/base/store/database';
import { keyColumns, type PostKey } from '#server/base/store/post-key';
import { type AccountRow, accountColumns } from '#server/connecting/accounts/account-row';
import type { Json, Sent } from '#server/networks/network';
import { isLate } from '#server/writing/posts/late';
import type { EndedPost } from '#server/writing/posts/outcome';
import type { StoredLinkCard } from '#server/writing/posts/outgoing';

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

/** Nothing is published from a workspace that waits to be deleted. */
const isNotDeleted = `workspace_id <> all(array(select id from workspaces where delete_at is not null))`;
/** In such a workspace, a send that was begun is still claimed, to ask the network about its outcome. */
const maySend = `(begun_at is not null or ${isNotDeleted})`;

const lockDue = sql(
  'publishing.lockDue',
  `select workspace_id as "workspaceId", id as "postId",
          scheduled_at < (select posthorn_now()) - $2 * interval '1 ms' as missed
     from posts
    where status = 'Scheduled' and scheduled_at <= (select posthorn_now()) and ${isNotDeleted}
    order by scheduled_at limit $1 for update skip locked`,
  'locks',
);
const postKeys = 'unnest($1::text[], $2::text[]) as given (workspace_id, post_id)';
const notIn = (claims: string) => `(claim is null or claim <> all(${claims}::uuid[]))`;
/**
 * One send for each account that does not have the post yet. A send that may be public keeps its key, so that the network
 * is asked about the same request.
 */
const queue = sql(
  'publishing.queue',
  `with queued as (
     insert into sends (post_id, account_id, workspace_id, network, due_at)
     select p.id, a.id, p.workspace_id, a.network, posthorn_now()
       from ${postKeys} join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
      cross join unnest(p.account_ids) as account(id) join accounts a on a.id = account.id
      where not exists (select from jsonb_array_elements(p.results) r where r ->> 'accountId' = a.id)
     on conflict (workspace_id, post_id, account_id) do update
        set due_at = excluded.due_at, claim = null, started_at = posthorn_now(), tries = 0, result = null,
            again = sends.begun_at is not null,
            prepared = case when sends.begun_at is not null then sends.prepared end,
            since = case when sends.begun_at is not null then sends.since end,
            key = case when sends.begun_at is not null then sends.key else gen_random_uuid() end
     returning post_id)
   select array(select unnest($2::text[]) except select post_id from queued) as "withoutSend", ${wakes('sends')}`,
  'joins',
);
/**
 * Accounts that have the post keep their result. A send that was begun ends with $4 instead of $3, because the post may
 * be public.
 */
const endMissed = sql(
  'publishing.endMissed',
  `update sends set due_at = null, claim = null,
          result = case when begun_at is null then $3::jsonb else $4::jsonb end || jsonb_build_object('accountId', account_id)
     from ${postKeys}
    where sends.workspace_id = given.workspace_id and sends.post_id = given.post_id and due_at is not null`,
  'joins',
);
/** Accounts that have the post. */
const publishedResults = sql(
  'publishing.publishedResults',
  `select s.workspace_id as "workspaceId", s.post_id as "postId", s.result
     from ${postKeys} join sends s on s.workspace_id = given.workspace_id and s.post_id = given.post_id
    where (s.result ->> 'ok')::boolean`,
);
/** Posts with no unfinished send, including posts with no send at all. */
const endedPosts = sql(
  'publishing.endedPosts',
  `select given.workspace_id as "workspaceId", given.post_id as "postId",
          coalesce(jsonb_object_agg(s.account_id, s.result) filter (where s.result is not null), '{}')::text as results
     from ${postKeys} left join sends s on s.workspace_id = given.workspace_id and s.post_id = given.post_id
    group by given.workspace_id, given.post_id
   having bool_and(s.due_at is null or s.result is not null)`,
);
const msToPost = sql(
  'publishing.msToPost',
  `select ceil(extract(epoch from min(scheduled_at) - posthorn_now()) * 1000)::float8 as ms
     from posts where status = 'Scheduled' and ${isNotDeleted}`,
);
const overdue = sql(
  'publishing.overdue',
  `select count(*)::int as count from posts
    where status = 'Scheduled' and scheduled_at < (select posthorn_now()) - interval '1 minute' and ${isNotDeleted}`,
);
const late = sql(
  'publishing.late',
  `select count(*)::int as count, min(scheduled_at) as "firstAt",
          coalesce(extract(epoch from posthorn_now() - min(scheduled_at)) * 1000, 0)::float8 as "lateMs"
     from posts where ${isLate('posts')} and ${isNotDeleted}`,
);
const isHeld = `p.id = any($1) and (p.status = 'Publishing' or (p.status = 'Scheduled' and p.scheduled_at <= posthorn_now()))`;
const heldPosts = sql(
  'publishing.heldPosts',
  `select p.id, p.workspace_id as "workspaceId", w.name as workspace, p.scheduled_at as "scheduledAt",
          p.updated_at as "updatedAt", coalesce(left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text,
          array(select a.name from accounts a where a.id = any(p.account_ids) order by a.name) as accounts,
          count(*) over ()::int as count
     from posts p join workspaces w on w.id = p.workspace_id
    where ${isHeld}
    order by p.scheduled_at nulls first, p.id limit $2`,
);
const lockHeld = sql(
  'publishing.lockHeld',
  `select p.workspace_id as "workspaceId", p.id as "postId", p.status from posts p
    where ${isHeld} order by p.workspace_id, p.id for update`,
  'locks',
);
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
const columns = `account_id, network, due_at, started_at, key, since, sent, prepared, begun_at, begun_body, heard_at, repeat,
  again, tries, result`;
const copyRows = sql(
  'publishing.copyRows',
  `select coalesce(jsonb_agg(to_jsonb(s)), '[]')::text as rows
     from (select * from sends where workspace_id = $1 and post_id = $2 for update) s`,
  'locks',
);
/** Restores sends without a claim, so that one with a `due_at` is picked up again and its network is asked about it. */
const putBack = sql(
  'publishing.putBack',
  `insert into sends (workspace_id, post_id, ${columns})
   select $1, $2, ${columns} from jsonb_populate_recordset(null::sends, $3) s
    where exists (select from accounts a where a.id = s.account_id)`,
  'joins',
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
const forgetBegun = sql(
  'publishing.forgetBegun',
  `update sends set begun_at = null, prepared = null
    where workspace_id = $1 and post_id = $2 and account_id = any($3) and begun_at is not null
   returning account_id as "accountId", network,
             (extract(epoch from posthorn_now() - heard_at) * 1000)::float8 as "lostForMs"`,
);
const settleFound = sql(
  'publishing.settleFound',
  `update sends set begun_at = null, prepared = null, heard_at = null, due_at = null, claim = null, result = found.result
     from jsonb_array_elements($3::jsonb) as found (result)
    where workspace_id = $1 and post_id = $2 and account_id = found.result ->> 'accountId' and sends.result is not null`,
);
/**
 * Right after begin: these accounts are not sent to and keep their results. If one is uncertain, the network is asked about
 * it again.
 */
const holdBack = sql(
  'publishing.holdBack',
  `update sends set due_at = case when begun_at is not null and (previous.result ->> 'uncertain')::boolean then posthorn_now() end,
          result = previous.result
     from jsonb_array_elements($3::jsonb) as previous (result)
    where workspace_id = $1 and post_id = $2 and account_id = previous.result ->> 'accountId'`,
  'joins',
);
const results = sql(
  'publishing.results',
  'select result from sends where workspace_id = $1 and post_id = $2 and result is not null',
);

const states = sql(
  'publishing.states',
  `select account_id as "accountId", started_at as "startedAt", due_at as "dueAt", result, begun_at is not null as "isBegun",
          tries > 0 as "isRetry", prepared is not null as "isPrepared",
          claim is null and due_at > posthorn_now() as "isPaused"
     from sends where workspace_id = $1 and post_id = $2`,
);

const waiting = sql(
  'publishing.waiting',
  `select account_id as "accountId", network, (extract(epoch from posthorn_now() - heard_at) * 1000)::float8 as "lostForMs"
     from sends where workspace_id = $1 and post_id = $2 and again and result is null and begun_at is not null
      and heard_at is not null`,
);

const longWaits = sql(
  'publishing.longWaits',
  `select account_id as "accountId", network, due_at as until, prepared ->> 'waitsFor' as message
     from sends where workspace_id = $1 and post_id = $2 and result is null and begun_at is null and due_at is not null
      and claim is null and prepared ? 'waitsFor' and not prepared ? 'isGivenUp'`,
);
/** The process that claims it next ends it. */
const giveUp = sql(
  'publishing.giveUp',
  `with given_up as (
     update sends set due_at = posthorn_now(), prepared = prepared || '{"isGivenUp":true}'
      where workspace_id = $1 and post_id = $2 and account_id = any($3) and result is null and begun_at is null
        and due_at is not null and claim is null and prepared ? 'waitsFor'
     returning account_id)
   select array(select account_id from given_up) as "accountIds", ${wakes('sends')}`,
);

/** The state of a send, as recorded in its row. */
export interface SendState extends Pick<SendRow, 'accountId' | 'startedAt' | 'result'> {
  readonly dueAt: string | null;
  readonly isBegun: boolean;
  readonly isRetry: boolean;
  readonly isPrepared: boolean;
  /** No process works on it before `dueAt`. */
  readonly isPaused: boolean;
}

/** A send that waits because its network asked to retry at a later time. */
export interface LongSend {
  readonly accountId: string;
  readonly network: string;
  readonly until: string;
  readonly message: string;
}

/** A send whose answer was lost, and for how long. */
export interface LostSend {
  readonly accountId: string;
  readonly network: string;
  readonly lostForMs: number | null;
}

export type PublishingStore = ReturnType<typeof createPublishingStore>;

export const createPublishingStore = (db: Database) => {
  const claimColumns = (rows: readonly ClaimKey[]) => [
    rows.map(({ workspaceId }) => workspaceId),
    rows.map(({ postId }) => postId),
    rows.map(({ accountId }) => accountId),
    rows.map(({ claim }) => claim),
  ];
  const ms = async (...query: Parameters<typeof db.query>) =>
    (await db.query<{ ms: number | null }>(...query))[0]?.ms ?? undefined;

  return {
    transaction: db.transaction,

    /** Locks posts whose time has come, until the transaction ends. */
    due: async (limit: number, graceMs: number) => {
      const rows = await db.query<PostKey & { missed: boolean }>(lockDue, [limit, graceMs]);
      return { due: rows.filter(({ missed }) => !missed), missed: rows.filter(({ missed }) => missed) };
    },

    /** Returns the posts that need no send. */
    queue: async (posts: readonly PostKey[]) => {
      const [row] = await db.query<{ withoutSend: string[] }>(queue, keyColumns(posts));
      return posts.filter(({ postId }) => row?.withoutSend.includes(postId));
    },

    /** Results of accounts that already have the posts. */
    publishedResults: (posts: readonly PostKey[]) =>
      db.query<PostKey & { readonly result: Result }>(publishedResults, keyColumns(posts)),

    /** The posts whose sends have all ended. */
    endedPosts: async (posts: readonly PostKey[]) =>
      posts.length === 0 ? [] : db.query<EndedPost>(endedPosts, keyColumns(posts)),

    endMissed: async (posts: readonly PostKey[], missed: Omit<Result, 'accountId'>, uncertain: typeof missed) => {
      await db.run(endMissed, [...keyColumns(posts), JSON.stringify(missed), JSON.stringify(uncertain)]);
    },

    /** Posts of the backup that were due while nothing was sent, across workspaces. */
    heldPosts: (ids: readonly string[], limit: number) =>
      db.query<Omit<HeldPost, 'scheduledAt'> & { scheduledAt: string | null; count: number }>(heldPosts, [ids, limit]),
    lockHeld: (ids: readonly string[]) => db.query<PostKey & { readonly status: string }>(lockHeld, [ids]),

    msToPost: () => ms(msToPost),

    late: async () =>
      (await db.query<{ count: number; firstAt: string | null; lateMs: number }>(late))[0] ?? {
        count: 0,
        firstAt: null,
        lateMs: 0,
      },
    overdue: async () => (await db.query<{ count: number }>(overdue))[0]?.count ?? 0,

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

    msToSend: (otherNetworks: readonly string[] = [], ownClaims: Iterable<string> = []) =>
      ms(msToSend, [otherNetworks, [...ownClaims]]),

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

    /** A person checked the account: the post is not there. */
    forgetBegun: ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) =>
      db.query<LostSend>(forgetBegun, [workspaceId, postId, accountIds]),

    states: ({ workspaceId, postId }: PostKey) => db.query<SendState>(states, [workspaceId, postId]),

    /** Published again while the network may still act on the first request. */
    waiting: ({ workspaceId, postId }: PostKey) => db.query<LostSend>(waiting, [workspaceId, postId]),

    longWaits: ({ workspaceId, postId }: PostKey) => db.query<LongSend>(longWaits, [workspaceId, postId]),

    /** The accounts whose send was still waiting. */
    giveUp: async ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) =>
      (await db.query<{ accountIds: string[] }>(giveUp, [workspaceId, postId, accountIds]))[0]?.accountIds ?? [],

    /** Excludes accounts of a post that just began, which keep these results. */
    holdBack: async ({ workspaceId, postId }: PostKey, results: readonly Result[]) => {
      await db.run(holdBack, [workspaceId, postId, JSON.stringify(results)]);
    },

    /** Results of accounts that are done while others are still in progress. */
    results: async ({ workspaceId, postId }: PostKey) =>
      (await db.query<{ result: Result }>(results, [workspaceId, postId])).map(({ result }) => result),

    copyRows: async ({ workspaceId, postId }: PostKey) =>
      (await db.query<{ rows: string }>(copyRows, [workspaceId, postId]))[0]?.rows ?? '[]',
    putBack: async ({ workspaceId, postId }: PostKey, rows: string) => {
      await db.run(putBack, [workspaceId, postId, rows]);
    },

    /** A person checked the account: the post is there. */
    settleFound: async ({ workspaceId, postId }: PostKey, confirmed: readonly Result[]) => {
      await db.run(settleFound, [workspaceId, postId, JSON.stringify(confirmed)]);
    },
  };
};
