import type { Delivery, DeliveryDetails, Webhook } from '#contracts/webhooks';
import type { Right } from '#server/access/auth/right';
import { wakes } from '#server/base/jobs/due-work';
import { type JsonText, jsonOf } from '#server/base/json/json-text';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

export const reads = ['workspaces'];

/** Returns the subscribed webhooks, locked until the transaction ends, because a delivery refers to its webhook. */
const insertEvents = sql(
  'events.insert',
  `with event as (
     insert into events (id, workspace_id, type, data, created_at)
     select * from unnest(:ids::text[], :workspaceIds::text[], :types::text[], :data::jsonb[], :createdAt::timestamptz[])
     returning id, workspace_id, type
   )
   select event.id as event_id, w.id as webhook_id
     from event join webhooks w on w.workspace_id = event.workspace_id and event.type = any (w.events)
    where w.paused_at is null order by event.id, w.id for key share of w`,
  'locks',
);
const insertDeliveries = sql(
  'deliveries.insert',
  `with inserted as (
     insert into deliveries (workspace_id, id, webhook_id, event_id, type, body)
     select * from unnest(:workspaceIds::text[], :ids::text[], :webhookIds::text[], :eventIds::text[], :types::text[],
       :bodies::text[]) returning id
   )
   select ${wakes('deliveries')} from (select count(*) from inserted) as batch`,
  'joins',
);
/** With an overlap, because a transaction may commit an event after a later one. */
const eventsSince = sql(
  'events.since',
  `select id, type, data, created_at from events
    where workspace_id = $1 and created_at > $2::timestamptz - $3 * interval '1 millisecond' and id <> all ($4::text[])
    order by created_at, id`,
);
const purgeEvents = sql(
  'events.purge',
  `delete from events where created_at < posthorn_now() - $1 * interval '1 millisecond'`,
);

export interface EventRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: string;
  readonly data: JsonText;
  readonly createdAt: string;
}

interface NewDelivery {
  readonly workspaceId: string;
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
}

export type EventStore = ReturnType<typeof createEventStore>;

export const createEventStore = (db: Database) => ({
  insert: (events: readonly EventRow[]) =>
    db.query(insertEvents, {
      ids: events.map(({ id }) => id),
      workspaceIds: events.map(({ workspaceId }) => workspaceId),
      types: events.map(({ type }) => type),
      data: events.map(({ data }) => data.text),
      createdAt: events.map(({ createdAt }) => createdAt),
    }),

  insertDeliveries: async (deliveries: readonly NewDelivery[]) => {
    await db.run(insertDeliveries, {
      workspaceIds: deliveries.map(({ workspaceId }) => workspaceId),
      ids: deliveries.map(({ id }) => id),
      webhookIds: deliveries.map(({ webhookId }) => webhookId),
      eventIds: deliveries.map(({ eventId }) => eventId),
      types: deliveries.map(({ type }) => type),
      bodies: deliveries.map(({ body }) => body),
    });
  },

  since: async (workspaceId: string, at: string, overlapMs: number, except: readonly string[]) => {
    const rows = await db.query(eventsSince, [workspaceId, at, overlapMs, except]);
    return rows.map((row): EventRow => ({ ...row, workspaceId, data: jsonOf(row.data) }));
  },

  purge: (retentionMs: number) => db.run(purgeEvents, [retentionMs]),
});

const webhookColumns = `id, workspace_id, url, events, secret, paused_at, pause_reason, created_at,
  case when old_secret_until > posthorn_now() then old_secret_until end as old_secret_until`;

export type LastDelivery = NonNullable<Webhook['lastDelivery']>;
export type WebhookRow = RowOf<typeof webhookAnywhere>;
/** A webhook that this process paused. */
export type PausedWebhook = RowOf<typeof replaceLostSecret>;

const lockWorkspace = sql('webhooks.lockWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
const planOf = sql('webhooks.plan', 'select plan from workspaces where id = $1');
const listWebhooks = sql(
  'webhooks.list',
  `select ${webhookColumns} from webhooks where workspace_id = $1 order by id`,
).holds<Pick<Webhook, 'events'>>();
const webhookAnywhere = sql('webhooks.get', `select ${webhookColumns} from webhooks where id = $1`).holds<
  Pick<Webhook, 'events'>
>();
const lastDeliveries = sql(
  'webhooks.lastDeliveries',
  `select w.id as webhook_id, last.* from webhooks w cross join lateral (
     select d.type, d.state, coalesce(d.tried_at, d.created_at) as at from deliveries d
      where d.workspace_id = $1 and d.webhook_id = w.id and d.created_at > posthorn_now() - $2 * interval '1 millisecond' order by d.id desc limit 1
   ) last where w.workspace_id = $1`,
).holds<Pick<LastDelivery, 'type' | 'state'>>();
const insertWebhook = sql(
  'webhooks.insert',
  'insert into webhooks (id, workspace_id, url, events, secret) values ($1, $2, $3, $4, $5)',
);
const changeWebhook = sql(
  'webhooks.change',
  'update webhooks set url = coalesce($3, url), events = coalesce($4, events) where id = $1 and workspace_id = $2',
);
const rotateSecret = sql(
  'webhooks.rotateSecret',
  `update webhooks set secret = $3, old_secret = $4, old_secret_until = posthorn_now() + $5 * interval '1 millisecond'
    where id = $1 and workspace_id = $2`,
);
const replaceLostSecret = sql(
  'webhooks.replaceLostSecret',
  `update webhooks set secret = $3, paused_at = coalesce(paused_at, posthorn_now()), pause_reason = $4
    where id = $1 and secret = $2 returning id, workspace_id, url`,
);
const dropOldSecret = sql(
  'webhooks.dropOldSecret',
  'update webhooks set old_secret = null, old_secret_until = null where id = $1 and old_secret = $2',
);
const resumeWebhook = sql(
  'webhooks.resume',
  'update webhooks set paused_at = null, pause_reason = null, given_up_in_a_row = 0 where id = $1 and workspace_id = $2',
);
/** Deliveries first: all transactions lock deliveries before webhooks, to avoid deadlocks. */
const removeDeliveries = sql(
  'webhooks.removeDeliveries',
  'delete from deliveries where workspace_id = $1 and webhook_id = $2',
);
const removeWebhook = sql('webhooks.remove', 'delete from webhooks where id = $1');

const paused = sql(
  'webhooks.paused',
  'select url, count(*) over ()::int as count from webhooks where paused_at is not null order by id limit 5',
);

export type WebhookStore = ReturnType<typeof createWebhookStore>;

export const createWebhookStore = (db: Database) => ({
  transaction: db.transaction,
  /** Blocks other additions to the workspace until the transaction ends. */
  lockWorkspace: (id: string) => db.run(lockWorkspace, [id]),
  plan: async (workspaceId: string) => (await db.query(planOf, [workspaceId]))[0]?.plan ?? '',
  /** The first few of all workspaces, each with the total count. */
  paused: () => db.query(paused),
  /** In any workspace. */
  get: async (id: string) => (await db.query(webhookAnywhere, [id]))[0],
  /** Oldest first. */
  list: (workspaceId: string) => db.query(listWebhooks, [workspaceId]),
  lastDeliveries: (workspaceId: string, retentionMs: number) =>
    db.queryReplica(lastDeliveries, [workspaceId, retentionMs]),
  insert: (id: string, { workspaceId }: Right, url: string, events: readonly string[], secret: string) =>
    db.run(insertWebhook, [id, workspaceId, url, events, secret]),
  change: (id: string, { workspaceId }: Right, url: string | undefined, events: readonly string[] | undefined) =>
    db.run(changeWebhook, [id, workspaceId, url ?? null, events ?? null]),
  rotateSecret: (id: string, { workspaceId }: Right, secret: string, oldSecret: string, oldLivesMs: number) =>
    db.run(rotateSecret, [id, workspaceId, secret, oldSecret, oldLivesMs]),
  /** Undefined when the secret was changed meanwhile. */
  replaceLostSecret: async (id: string, lost: string, secret: string, pauseReason: string) =>
    (await db.query(replaceLostSecret, [id, lost, secret, pauseReason]))[0],
  dropOldSecret: (id: string, lost: string) => db.run(dropOldSecret, [id, lost]),
  resume: (id: string, { workspaceId }: Right) => db.run(resumeWebhook, [id, workspaceId]),
  remove: async (workspaceId: string, id: string) => {
    await db.run(removeDeliveries, [workspaceId, id]);
    await db.run(removeWebhook, [id]);
  },
});

const deliveryColumns = `id, event_id, type, state, attempts, last_answer, (tries -> -1 ->> 'tookMs')::int as last_took_ms,
  tried_at as last_tried_at, case when state = 'pending' then due_at end as next_try_at, created_at`;

export type DeliveryRow = RowOf<typeof listDeliveries>;
export type DeliveryDetailsRow = RowOf<typeof getDelivery>;

/** The outcome of one request. */
export interface Attempt {
  readonly answer: string;
  readonly tookMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The part of a webhook that its deliveries need. */
export interface ClaimedWebhook {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  /** Sealed. */
  readonly secret: string;
  /** Sealed; null once it has expired. */
  readonly oldSecret: string | null;
  readonly paused: boolean;
  /** How many webhooks of the workspace are older. */
  readonly older: number;
  /** The workspace's plan. */
  readonly plan: string;
}

/** A delivery that this process has claimed until the lease ends. */
export interface ClaimedDelivery extends Omit<RowOf<typeof claimDue>, 'webhookId' | 'webhook'> {
  readonly claim: string;
  readonly webhook: ClaimedWebhook;
}

const listDeliveries = sql(
  'deliveries.list',
  `select ${deliveryColumns} from deliveries
    where workspace_id = $1 and webhook_id = $2 and created_at > posthorn_now() - $4 * interval '1 millisecond'
    order by id desc limit $3`,
).holds<Pick<Delivery, 'type' | 'state'>>();
const getDelivery = sql(
  'deliveries.get',
  `select ${deliveryColumns}, body, sent_headers as headers, tries from deliveries
    where workspace_id = $1 and webhook_id = $2 and id = $3
      and created_at > posthorn_now() - $4 * interval '1 millisecond'`,
).holds<Pick<DeliveryDetails, 'type' | 'state' | 'tries'> & { headers: Readonly<Record<string, string>> }>();
const resendDelivery = sql(
  'deliveries.resend',
  `with again as (
     update deliveries set state = 'pending', attempts = 0, last_answer = null, tried_at = null, tries = '[]',
       sent_headers = null, claim = null, due_at = posthorn_now()
      where workspace_id = $1 and webhook_id = $2 and id = $3 and state <> 'sending' returning id
   )
   select id, ${wakes('deliveries')} from again`,
);
/** Keeps the newest deliveries of each webhook, except those that are too old. */
const purgeDeliveries = sql(
  'deliveries.purge',
  `delete from deliveries d using (
     select w.workspace_id, w.id, (
              select n.id from deliveries n where n.workspace_id = w.workspace_id and n.webhook_id = w.id
               order by n.id desc offset $1 limit 1) as newest_out
       from webhooks w
   ) w
   where d.workspace_id = w.workspace_id and d.webhook_id = w.id and d.due_at is null
     and (d.id <= w.newest_out or d.created_at < posthorn_now() - $2 * interval '1 millisecond')`,
);

/** Webhooks with unfinished deliveries. A loose index scan: one step per webhook, however many deliveries wait. */
const waiting = `recursive waiting (webhook_id) as (
     (select webhook_id from deliveries where due_at is not null order by webhook_id limit 1)
     union all
     select next.webhook_id from waiting cross join lateral (
       select d.webhook_id from deliveries d
        where d.due_at is not null and d.webhook_id > waiting.webhook_id order by d.webhook_id limit 1
     ) next
   )`;

/** First attempts and retries have separate slots, so that neither waits for the other. */
const kinds = `waiting cross join (values (false), (true)) as kind (retry)`;

/**
 * Round-robin: the first delivery of every webhook, then the second, up to its free slots. Only the first row of a webhook
 * carries its record.
 */
const claimDue = sql(
  'deliveries.claim',
  `with ${waiting}, due as (
     select first.workspace_id, first.id, first.due_at,
            row_number() over (partition by waiting.webhook_id order by kind.retry desc, first.due_at) as place
       from ${kinds} left join unnest(:webhookIds::text[], :retries::boolean[], :free::int[]) as slot (webhook_id, retry, free)
         on slot.webhook_id = waiting.webhook_id and slot.retry = kind.retry
       cross join lateral (
         select d.workspace_id, d.id, d.due_at from deliveries d
          where d.webhook_id = waiting.webhook_id and (d.attempts > 0) = kind.retry and d.due_at <= (select posthorn_now())
          order by d.due_at limit coalesce(slot.free, :defaultSlots) for update skip locked
       ) first
   ), chosen as (select workspace_id, id from due order by place, due_at limit :room), claimed as (
     update deliveries d set state = 'sending', claim = :claim, due_at = posthorn_now() + :leaseMs * interval '1 millisecond'
       from chosen where d.workspace_id = chosen.workspace_id and d.id = chosen.id
     returning d.id, d.webhook_id, d.event_id, d.type, d.body, d.attempts
   )
   select d.id, d.webhook_id, d.event_id, d.type, d.body, d.attempts,
     case when row_number() over (partition by d.webhook_id) = 1 then (
       select json_build_object('id', w.id, 'workspaceId', w.workspace_id, 'url', w.url, 'secret', w.secret,
         'oldSecret', case when w.old_secret_until > posthorn_now() then w.old_secret end, 'paused', w.paused_at is not null,
         'older', (select count(*) from webhooks o where o.workspace_id = w.workspace_id and o.id < w.id),
         'plan', (select plan from workspaces where id = w.workspace_id))
         from webhooks w where w.id = d.webhook_id
     ) end as webhook
     from claimed d`,
).holds<{ webhook: ClaimedWebhook }>();
const msToNext = sql(
  'deliveries.msToNext',
  `with ${waiting}
   select (extract(epoch from min(first.due_at) - posthorn_now()) * 1000)::float8 as ms
     from ${kinds} left join unnest($1::text[], $2::boolean[]) as full_up (webhook_id, retry)
       on full_up.webhook_id = waiting.webhook_id and full_up.retry = kind.retry
     cross join lateral (
       select d.due_at from deliveries d
        where d.webhook_id = waiting.webhook_id and (d.attempts > 0) = kind.retry and d.due_at is not null
        order by d.due_at limit 1
     ) first
    where full_up.webhook_id is null`,
);

const appendTry = (answer: string, tookMs: string) => `d.tries || jsonb_build_object(
    'at', to_char(clock.now at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'answer', ${answer}, 'tookMs', ${tookMs})`;

const saveDelivered = sql(
  'deliveries.delivered',
  `with done as (
     update deliveries d set state = 'delivered', attempts = d.attempts + 1, last_answer = good.answer,
            tried_at = clock.now, tries = ${appendTry('good.answer', 'good."tookMs"')}, sent_headers = good.headers,
            due_at = null, claim = null
       from (select posthorn_now() as now) clock,
            json_to_recordset($1)
              as good (workspace_id text, id text, claim uuid, answer text, "tookMs" int, headers json)
      where d.workspace_id = good.workspace_id and d.id = good.id and d.claim = good.claim
     returning d.webhook_id
   )
   update webhooks set given_up_in_a_row = 0
    where given_up_in_a_row > 0 and id in (select webhook_id from done)`,
);
/**
 * Gives the delivery up when no delay is left, or when the webhook was paused meanwhile. Locks the webhook, because a
 * pause that is not committed yet ends only what waits, and this delivery is still being sent. Not `for share`: two
 * failures that both go on to count what was given up would deadlock.
 */
const saveFailed = sql(
  'deliveries.failed',
  `with failed as (
     select workspace_id, id, webhook_id from deliveries where workspace_id = :workspaceId and id = :id and claim = :claim for update
   ), webhook as (
     select paused_at from webhooks where id = (select webhook_id from failed) for no key update
   )
   update deliveries d set state = case when next.at is null then 'failed' else 'pending' end, due_at = next.at,
          attempts = d.attempts + 1, last_answer = :answer, tried_at = clock.now,
          tries = ${appendTry(':answer::text', ':tookMs::int')}, sent_headers = :headers, claim = null
     from (select posthorn_now() as now) clock, failed, webhook,
          lateral (select case when webhook.paused_at is null then clock.now + :waitMs * interval '1 millisecond' end as at) next
    where d.workspace_id = failed.workspace_id and d.id = failed.id`,
);
const saveRefused = sql(
  'deliveries.refused',
  `update deliveries set state = 'failed', due_at = null, last_answer = $3, claim = null
    where workspace_id = $4 and id = $1 and claim = $2`,
);
const countGivenUp = sql(
  'webhooks.countGivenUp',
  `update webhooks set given_up_in_a_row = given_up_in_a_row + 1 where id = $1 returning given_up_in_a_row`,
);
const pauseWebhook = sql(
  'webhooks.pause',
  `update webhooks set paused_at = posthorn_now(), pause_reason = $2 where id = $1 and paused_at is null`,
);
const endPending = sql(
  'deliveries.endPending',
  `update deliveries set state = 'failed', due_at = null, last_answer = $3
    where workspace_id = $1 and webhook_id = $2 and state = 'pending'`,
);

const endHeld = sql(
  'deliveries.endHeld',
  `update deliveries set state = 'failed', due_at = null, claim = null, last_answer = $1
    where due_at is not null and id = any($2)`,
);

/** How many more first attempts or retries a webhook may get now. */
export interface Slots {
  readonly webhookId: string;
  readonly retry: boolean;
  readonly free: number;
}

/** An attempt with a 2xx answer. */
export interface SuccessfulDelivery {
  readonly delivery: ClaimedDelivery;
  readonly attempt: Attempt;
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

export const createDeliveryStore = (db: Database) => ({
  transaction: db.transaction,

  /** Newest first. */
  list: (workspaceId: string, webhookId: string, limit: number, retentionMs: number) =>
    db.queryReplica(listDeliveries, [workspaceId, webhookId, limit, retentionMs]),
  get: async (workspaceId: string, webhookId: string, id: string, retentionMs: number) =>
    (await db.query(getDelivery, [workspaceId, webhookId, id, retentionMs]))[0],
  /** False when it is being sent. */
  resend: async (workspaceId: string, webhookId: string, id: string) =>
    (await db.run(resendDelivery, [workspaceId, webhookId, id])) > 0,
  /** Of all workspaces. */
  endHeld: (ids: readonly string[], answer: string) => db.run(endHeld, [answer, ids]),
  purge: (newest: number, retentionMs: number) => db.run(purgeDeliveries, [newest, retentionMs]),

  claim: async (room: number, claim: string, leaseMs: number, free: readonly Slots[], defaultSlots: number) => {
    const rows = await db.query(claimDue, {
      room,
      claim,
      leaseMs,
      webhookIds: free.map(({ webhookId }) => webhookId),
      retries: free.map(({ retry }) => retry),
      free: free.map((slots) => slots.free),
      defaultSlots,
    });
    const webhooks = new Map(rows.flatMap(({ webhook }) => (webhook ? [[webhook.id, webhook]] : [])));
    return rows.map(
      ({ id, webhookId, eventId, type, body, attempts }): ClaimedDelivery => ({
        id,
        claim,
        eventId,
        type,
        body,
        attempts,
        webhook: webhooks.get(webhookId) as ClaimedWebhook,
      }),
    );
  },
  /** Undefined when only webhooks without a free slot wait. */
  msToNext: async (fullSlots: readonly Slots[]) => {
    const webhookIds = fullSlots.map(({ webhookId }) => webhookId);
    const retries = fullSlots.map(({ retry }) => retry);
    return (await db.query(msToNext, [webhookIds, retries]))[0]?.ms ?? undefined;
  },

  saveDelivered: (good: readonly SuccessfulDelivery[]) =>
    db.run(saveDelivered, [
      JSON.stringify(
        good.map(({ delivery: { webhook, id, claim }, attempt: { answer, tookMs, headers } }) => ({
          workspace_id: webhook.workspaceId,
          id,
          claim,
          answer,
          tookMs,
          headers,
        })),
      ),
    ]),
  /** False when another process has claimed it. */
  saveFailed: async (
    { webhook, id, claim }: ClaimedDelivery,
    { answer, tookMs, headers }: Attempt,
    waitMs: number | undefined,
  ) => {
    const { workspaceId } = webhook;
    const values = { workspaceId, id, claim, answer, tookMs, headers: JSON.stringify(headers), waitMs: waitMs ?? null };
    return (await db.run(saveFailed, values)) > 0;
  },
  /** Ends the delivery without a request. */
  saveRefused: ({ webhook, id, claim }: ClaimedDelivery, why: string) =>
    db.run(saveRefused, [id, claim, why, webhook.workspaceId]),
  countGivenUp: async (webhookId: string) => (await db.query(countGivenUp, [webhookId]))[0]?.givenUpInARow ?? 0,
  /** False when it is paused already. */
  pause: async (webhookId: string, reason: string) => (await db.run(pauseWebhook, [webhookId, reason])) > 0,
  endPending: (workspaceId: string, webhookId: string, answer: string) =>
    db.run(endPending, [workspaceId, webhookId, answer]),
});

const resealSecret = sql('webhooks.resealSecret', 'update webhooks set secret = $3 where id = $1 and secret = $2');
const resealOldSecret = sql(
  'webhooks.resealOldSecret',
  'update webhooks set old_secret = $3 where id = $1 and old_secret = $2',
);

export const sealedInWebhooks = (db: Database) => [
  sealedColumn(db, { table: 'webhooks', column: 'secret', noun: 'webhook secret', replace: resealSecret }),
  sealedColumn(db, {
    table: 'webhooks',
    column: 'old_secret',
    noun: 'earlier webhook secret',
    replace: resealOldSecret,
  }),
];
