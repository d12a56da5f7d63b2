import type { Result, Version } from '#contracts/posts';
import { type AccountRow, accountColumns } from '#server/accounts/account-row';
import { wakes } from '#server/jobs/notices';
import type { Json, Sent } from '#server/networks/network';
import { isLate } from '#server/posts/late';
import type { KeptLinkCard } from '#server/posts/outgoing';
import { type Database, sql } from '#server/store/database';
import { keyColumns, type PostKey } from '#server/store/post-key';

/** A send that is ours until its lease ends. */
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
  /** Null: the process that began the call never recorded how it ended. */
  readonly heardAt: string | null;
  readonly repeat: 'may' | 'done' | null;
  readonly again: boolean;
  readonly tries: number;
  readonly versions: readonly Version[];
  readonly linkCards: readonly KeptLinkCard[] | null;
  readonly renditionIds: readonly string[] | null;
  readonly scheduledAt: string | null;
  readonly account: AccountRow;
  /** By the database. */
  readonly claimedAt: string;
}

/** Which send, and that it is still ours. */
type Held = Pick<SendRow, 'workspaceId' | 'postId' | 'accountId' | 'claim'>;

/** The call that makes something public. */
export interface Begin {
  readonly prepared: unknown;
  readonly body: string;
  /** Once more, with the same key. */
  readonly repeated: boolean;
}

export interface Ended extends Held {
  readonly result: Result;
  readonly sent: readonly Sent[];
  /** It may be public: publishing again asks the network first. */
  readonly maybeOut: boolean;
  /** Whether its numbers will be read. */
  readonly isRead: boolean;
}

export interface Progress extends Held {
  readonly sent: readonly Sent[];
  readonly prepared: unknown;
  /** The call that makes it public was begun, and how it ended is not known; `heard`: the process that began it says so itself. */
  readonly begun: 'no' | 'yes' | 'heard';
  /** The network answered that it is not available. */
  readonly mayRepeat: boolean;
  readonly tries: number;
  /** When to go on; while it is held, nobody else does. */
  readonly inMs: number;
  /** A new part, with a key and a time of its own. */
  readonly nextPart: boolean;
}

/** Nothing is published from a workspace that waits to be deleted. */
const stays = `workspace_id <> all(array(select id from workspaces where delete_at is not null))`;

const moveDue = sql(
  'publishing.moveDue',
  `select workspace_id as "workspaceId", id as "postId",
          scheduled_at < (select posthorn_now()) - $2 * interval '1 ms' as missed
     from posts
    where status = 'Scheduled' and scheduled_at <= (select posthorn_now()) and ${stays}
    order by scheduled_at limit $1 for update skip locked`,
);
const given = 'unnest($1::text[], $2::text[]) as given (workspace_id, post_id)';
/**
 * One for each account that does not have the post yet. What may be out keeps its key, so that the network is asked about
 * the same send.
 */
const queue = sql(
  'publishing.queue',
  `with queued as (
     insert into sends (post_id, account_id, workspace_id, network, due_at)
     select p.id, a.id, p.workspace_id, a.network, posthorn_now()
       from ${given} join posts p on p.workspace_id = given.workspace_id and p.id = given.post_id
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
);
/** Accounts that have the post keep their result, and one that may have it is not reported as missed. */
const endMissed = sql(
  'publishing.endMissed',
  `update sends set due_at = null, claim = null,
          result = case when begun_at is null then $3::jsonb else $4::jsonb end || jsonb_build_object('accountId', account_id)
     from ${given}
    where sends.workspace_id = given.workspace_id and sends.post_id = given.post_id and due_at is not null`,
);
const msToPost = sql(
  'publishing.msToPost',
  `select ceil(extract(epoch from min(scheduled_at) - posthorn_now()) * 1000)::float8 as ms
     from posts where status = 'Scheduled' and ${stays}`,
);
const overdue = sql(
  'publishing.overdue',
  `select count(*)::int as count from posts
    where status = 'Scheduled' and scheduled_at < (select posthorn_now()) - interval '1 minute' and ${stays}`,
);
const late = sql(
  'publishing.late',
  `select count(*)::int as count, min(scheduled_at) as "firstAt",
          coalesce(extract(epoch from posthorn_now() - min(scheduled_at)) * 1000, 0)::float8 as "lateMs"
     from posts where ${isLate('posts')} and ${stays}`,
);
/**
 * Up to this many for each network. By row position (ctid): a join could make PostgreSQL read every post. The account comes
 * with one of its rows.
 */
const claim = sql(
  'publishing.claim',
  `with due as (
     select send.place
       from unnest($1::text[], $2::int[]) as network(key, room)
      cross join lateral (
        select ctid as place from sends
         where sends.network = network.key and due_at <= (select posthorn_now())
         order by due_at limit network.room for update skip locked) send),
   claimed as (
     update sends s set due_at = posthorn_now() + $4 * interval '1 ms', claim = $3, since = coalesce(s.since, posthorn_now())
      where s.ctid = any(array(select place from due))
     returning s.*)
   select s.post_id as "postId", s.account_id as "accountId", s.workspace_id as "workspaceId", s.claim, s.key,
          s.started_at as "startedAt", s.since, s.sent, s.prepared, s.begun_at as "begunAt", s.begun_body as "begunBody", s.heard_at as "heardAt", s.repeat,
          s.again, s.tries, posthorn_now() as "claimedAt",
          (select p.versions from posts p where p.workspace_id = s.workspace_id and p.id = s.post_id) as versions,
          (select json_agg(json_strip_nulls(json_build_object('network', l.network, 'uri', l.uri, 'title', l.title,
                  'description', l.description, 'picture', l.picture)))
             from link_cards l where l.workspace_id = s.workspace_id and l.post_id = s.post_id) as "linkCards",
          (select array_agg(k.rendition_id) from post_renditions k
            where k.workspace_id = s.workspace_id and k.post_id = s.post_id and k.account_id = s.account_id) as "renditionIds",
          (select p.scheduled_at from posts p where p.workspace_id = s.workspace_id and p.id = s.post_id) as "scheduledAt",
          case when row_number() over (partition by s.account_id) = 1
               then (select ${accountColumns('a')} from accounts a where a.id = s.account_id) end as account
     from claimed s`,
);
const msToSend = sql(
  'publishing.msToSend',
  `select ceil(extract(epoch from min(due_at) - posthorn_now()) * 1000)::float8 as ms
     from sends where due_at is not null and network <> all($1)`,
);
const held = `(s.workspace_id, s.post_id, s.account_id, s.claim)
  = (held.workspace_id, held.post_id, held.account_id, held.claim)`;
/** But those that are being marked or ended at this moment: to wait for them while they wait for us would be a deadlock. */
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
  `update sends s set prepared = held.prepared, begun_at = posthorn_now(), begun_body = held.body, heard_at = null,
          repeat = case when held.repeated then 'done' end, due_at = posthorn_now() + $8 * interval '1 ms'
     from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::jsonb[], $6::text[], $7::boolean[])
          as held (workspace_id, post_id, account_id, claim, prepared, body, repeated) where ${held}
   returning s.post_id as "postId", s.account_id as "accountId", s.begun_at as "begunAt"`,
);
const save = sql(
  'publishing.save',
  `update sends set sent = $4, prepared = $5, begun_at = case when $6 <> 'no' then begun_at end, tries = $7,
          heard_at = case $6 when 'yes' then heard_at when 'heard' then posthorn_now() end,
          repeat = case when $10 then 'may' when $6 <> 'no' then repeat end,
          due_at = posthorn_now() + $8 * interval '1 ms',
          key = case when $9 then gen_random_uuid() else key end, since = case when $9 then posthorn_now() else since end
    where workspace_id = $11 and post_id = $1 and account_id = $2 and claim = $3
   returning key, since`,
);
const end = sql(
  'publishing.end',
  `update sends s set due_at = null, claim = null, result = held.result, sent = held.sent,
          begun_at = case when held.maybe_out then s.begun_at end, prepared = case when held.maybe_out then s.prepared end
     from unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::jsonb[], $6::jsonb[], $7::boolean[])
          as held (workspace_id, post_id, account_id, claim, result, sent, maybe_out) where ${held}
   returning s.post_id as "postId", s.account_id as "accountId"`,
);
const forgetBegun = sql(
  'publishing.forgetBegun',
  `update sends set begun_at = null, prepared = null
    where workspace_id = $1 and post_id = $2 and account_id = any($3) and due_at is null`,
);
const settleFound = sql(
  'publishing.settleFound',
  `update sends set begun_at = null, prepared = null, result = found.result
     from jsonb_array_elements($3::jsonb) as found (result)
    where workspace_id = $1 and post_id = $2 and account_id = found.result ->> 'accountId' and due_at is null`,
);
/** Right after begin, in the same transaction: these are not sent, and keep the results they had. */
const holdBack = sql(
  'publishing.holdBack',
  `update sends set due_at = null, result = kept.result
     from jsonb_array_elements($3::jsonb) as kept (result)
    where workspace_id = $1 and post_id = $2 and account_id = kept.result ->> 'accountId'`,
);
const results = sql(
  'publishing.results',
  'select result from sends where workspace_id = $1 and post_id = $2 and result is not null',
);

export type PublishingStore = ReturnType<typeof createPublishingStore>;

export const createPublishingStore = (db: Database) => {
  const heldBy = (rows: readonly Held[]) => [
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
      const found = await db.query<PostKey & { missed: boolean }>(moveDue, [limit, graceMs]);
      return { due: found.filter(({ missed }) => !missed), missed: found.filter(({ missed }) => missed) };
    },

    /** Those of the posts that have nowhere to go. */
    queue: async (posts: readonly PostKey[]) => {
      const [found] = await db.query<{ withoutSend: string[] }>(queue, keyColumns(posts));
      return posts.filter(({ postId }) => found?.withoutSend.includes(postId));
    },

    endMissed: async (posts: readonly PostKey[], missed: Omit<Result, 'accountId'>, uncertain: typeof missed) => {
      await db.run(endMissed, [...keyColumns(posts), JSON.stringify(missed), JSON.stringify(uncertain)]);
    },

    msToPost: () => ms(msToPost),

    late: async () =>
      (await db.query<{ count: number; firstAt: string | null; lateMs: number }>(late))[0] ?? {
        count: 0,
        firstAt: null,
        lateMs: 0,
      },
    overdue: async () => (await db.query<{ count: number }>(overdue))[0]?.count ?? 0,

    /** Rows of one account share its record. */
    claim: async (rooms: ReadonlyMap<string, number>, claimId: string, leaseMs: number): Promise<SendRow[]> => {
      const values = [[...rooms.keys()], [...rooms.values()], claimId, leaseMs];
      const rows = await db.query<SendRow & { account: AccountRow | null }>(claim, values);
      const accounts = new Map(rows.flatMap(({ account }) => (account ? [[account.id, account]] : [])));
      return rows.map((row) => ({ ...row, account: accounts.get(row.accountId) as AccountRow }));
    },

    msToSend: (but: readonly string[]) => ms(msToSend, [but]),

    extend: async (rows: readonly Held[], leaseMs: number) => {
      await db.run(extend, [...heldBy(rows), leaseMs]);
    },

    /** Those that this process still holds, with a renewed lease. */
    markBegun: (rows: readonly (Held & Begin)[], leaseMs: number) =>
      db.query<{ postId: string; accountId: string; begunAt: string }>(markBegun, [
        ...heldBy(rows),
        rows.map(({ prepared }) => JSON.stringify(prepared ?? null)),
        rows.map(({ body }) => body),
        rows.map(({ repeated }) => repeated),
        leaseMs,
      ]),

    /** Undefined when another process holds it. */
    save: async (progress: Progress) => {
      const { workspaceId, postId, accountId, claim: claimId, sent, prepared } = progress;
      const { begun, tries, inMs, nextPart, mayRepeat } = progress;
      const [row] = await db.query<Pick<SendRow, 'key' | 'since'>>(save, [
        postId,
        accountId,
        claimId,
        JSON.stringify(sent),
        JSON.stringify(prepared ?? null),
        begun,
        tries,
        inMs,
        nextPart,
        mayRepeat,
        workspaceId,
      ]);
      return row;
    },

    /** Those that this process still held. */
    end: (rows: readonly Ended[]) =>
      db.query<Pick<SendRow, 'postId' | 'accountId'>>(end, [
        ...heldBy(rows),
        rows.map(({ result }) => JSON.stringify(result)),
        rows.map(({ sent }) => JSON.stringify(sent)),
        rows.map(({ maybeOut }) => maybeOut),
      ]),

    /** A person checked: what may have been sent is not there. */
    forgetBegun: async ({ workspaceId, postId }: PostKey, accountIds: readonly string[]) => {
      await db.run(forgetBegun, [workspaceId, postId, accountIds]);
    },

    /** Inside the transaction that began: accounts that are left out, with the results they keep. */
    holdBack: async ({ workspaceId, postId }: PostKey, kept: readonly Result[]) => {
      await db.run(holdBack, [workspaceId, postId, JSON.stringify(kept)]);
    },

    /** Of accounts that are done while others are still being sent to. */
    results: async ({ workspaceId, postId }: PostKey) =>
      (await db.query<{ result: Result }>(results, [workspaceId, postId])).map(({ result }) => result),

    /** A person checked: what may have been sent is there. */
    settleFound: async ({ workspaceId, postId }: PostKey, found: readonly Result[]) => {
      await db.run(settleFound, [workspaceId, postId, JSON.stringify(found)]);
    },
  };
};
