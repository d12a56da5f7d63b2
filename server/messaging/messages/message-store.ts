import { wakes } from '#server/base/jobs/due-work';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';
import type { PushAddress } from './push-store.ts';

export type Channel = 'mail' | 'push';

export interface MessageRow {
  readonly id: string;
  readonly channel: Channel;
  readonly purpose: string;
  readonly userId: string | null;
  readonly workspaceId: string | null;
  /** Hash of the address; null for push messages. */
  readonly recipient: Buffer | null;
  readonly subscriptionId: string | null;
  /** Sealed. */
  readonly content: string;
  readonly livesMs: number;
  readonly about: string | null;
  /** Before it is sent. */
  readonly delayMs: number;
  /** Null: now. */
  readonly createdAt: string | null;
}

/** A message that is ours to send until the lease ends. */
export interface ClaimedMessage extends RowOf<typeof claimDue> {
  readonly claim: string;
}

const insertMessages = sql(
  'messages.insert',
  `with inserted as (
     insert into messages (id, channel, purpose, user_id, workspace_id, recipient, subscription_id, content, expires_at,
       about, due_at, created_at)
     select id, channel, purpose, user_id, workspace_id, recipient, subscription_id, content,
            posthorn_now() + lives_ms * interval '1 ms', about, posthorn_now() + delay_ms * interval '1 ms',
            coalesce(created_at, posthorn_now())
       from unnest(:ids::text[], :channels::text[], :purposes::text[], :userIds::text[], :workspaceIds::text[],
                   :recipients::bytea[], :subscriptionIds::text[], :contents::text[], :livesMs::float8[], :abouts::text[],
                   :delaysMs::float8[], :createdAt::timestamptz[])
         as one (id, channel, purpose, user_id, workspace_id, recipient, subscription_id, content, lives_ms, about, delay_ms,
                 created_at) returning id
   )
   select ${wakes('mails')}, ${wakes('pushes')} from (select count(*) from inserted) as batch`,
);
const countRecent = sql(
  'messages.countRecent',
  `select count(*)::int as count from messages
    where user_id = $1 and purpose = $2 and created_at > posthorn_now() - $3 * interval '1 ms'`,
);
const countRecentTo = sql(
  'messages.countRecentTo',
  `select count(*)::int as count from messages
    where recipient = $1 and purpose = $2 and created_at > posthorn_now() - $3 * interval '1 ms'`,
);
const dropPending = sql(
  'messages.dropPending',
  `update messages set state = 'failed', last_answer = $3, due_at = null, claim = null, content = null
    where user_id = $1 and workspace_id = $2 and due_at is not null`,
);
/** Only messages that no process has begun to send. */
const dropWaiting = sql(
  'messages.dropWaiting',
  `delete from messages where workspace_id = $1 and about = $2 and due_at is not null and state = 'pending' and attempts = 0
   returning user_id, subscription_id, created_at`,
);
/** A message that is due has content, which is sealed. */
const claimDue = sql(
  'messages.claim',
  `with due as (
     select id from messages where due_at <= (select posthorn_now()) and channel = $4
      order by due_at limit $1 for update skip locked
   )
   update messages m set state = 'sending', claim = $2, due_at = posthorn_now() + $3 * interval '1 ms'
     from due where m.id = due.id
   returning m.id, m.purpose, coalesce(m.content, '') as content, m.attempts,
     (extract(epoch from m.expires_at - posthorn_now()) * 1000)::float8 as left_ms,
     (select json_build_object('id', s.id, 'sealed', s.subscription, 'endpointHash', encode(s.endpoint_hash, 'hex'))
        from push_subscriptions s where s.id = m.subscription_id) as browser`,
).holds<{ browser: PushAddress }>();
const msToNext = sql(
  'messages.msToNext',
  `select (extract(epoch from min(due_at) - posthorn_now()) * 1000)::float8 as ms
     from messages where due_at is not null and channel = $1`,
);
const saveSent = sql(
  'messages.sent',
  `update messages set state = 'sent', attempts = attempts + 1, last_answer = $3, due_at = null, claim = null, content = null
    where id = $1 and claim = $2`,
);
/** Gives the message up when no delay is left, or when it would expire during the delay. */
const saveFailed = sql(
  'messages.failed',
  `update messages m set attempts = m.attempts + 1, last_answer = $3, claim = null, due_at = next.at,
          state = case when next.at is null then 'failed' else 'pending' end,
          content = case when next.at is null then null else m.content end
     from messages own, lateral (
       select case when posthorn_now() + $4 * interval '1 ms' < own.expires_at
              then posthorn_now() + $4 * interval '1 ms' end as at) next
    where m.id = $1 and m.claim = $2 and own.id = m.id
   returning m.state`,
);
const discardLost = sql(
  'messages.discardLost',
  `update messages set state = 'failed', last_answer = 'Not sent: the key that encrypted it is lost.', due_at = null, claim = null,
          content = null
    where id = $1 and content = $2`,
);
const forgetPerson = sql('messages.forgetPerson', 'delete from messages where user_id = $1');
const endHeld = sql(
  'messages.endHeld',
  `update messages set state = 'failed', last_answer = $1, due_at = null, claim = null, content = null
    where due_at is not null and id = any($2)`,
);
const purge = sql(
  'messages.purge',
  `delete from messages where due_at is null and created_at < posthorn_now() - $1 * interval '1 ms'`,
);

export type MessageStore = ReturnType<typeof createMessageStore>;

export const createMessageStore = (db: Database) => ({
  insert: (rows: readonly MessageRow[]) =>
    db.run(insertMessages, {
      ids: rows.map(({ id }) => id),
      channels: rows.map(({ channel }) => channel),
      purposes: rows.map(({ purpose }) => purpose),
      userIds: rows.map(({ userId }) => userId),
      workspaceIds: rows.map(({ workspaceId }) => workspaceId),
      recipients: rows.map(({ recipient }) => recipient),
      subscriptionIds: rows.map(({ subscriptionId }) => subscriptionId),
      contents: rows.map(({ content }) => content),
      livesMs: rows.map(({ livesMs }) => livesMs),
      abouts: rows.map(({ about }) => about),
      delaysMs: rows.map(({ delayMs }) => delayMs),
      createdAt: rows.map(({ createdAt }) => createdAt),
    }),
  countRecent: async (userId: string, purpose: string, withinMs: number) =>
    (await db.query(countRecent, [userId, purpose, withinMs]))[0]?.count ?? 0,
  countRecentTo: async (recipient: Buffer, purpose: string, withinMs: number) =>
    (await db.query(countRecentTo, [recipient, purpose, withinMs]))[0]?.count ?? 0,
  dropPending: (userId: string, workspaceId: string, answer: string) =>
    db.run(dropPending, [userId, workspaceId, answer]),
  dropWaiting: (workspaceId: string, about: string) => db.query(dropWaiting, [workspaceId, about]),
  claim: async (channel: Channel, room: number, claim: string, leaseMs: number) =>
    (await db.query(claimDue, [room, claim, leaseMs, channel])).map(
      (message): ClaimedMessage => ({ ...message, claim }),
    ),
  msToNext: async (channel: Channel) => (await db.query(msToNext, [channel]))[0]?.ms ?? undefined,
  saveSent: ({ id, claim }: ClaimedMessage, answer: string) => db.run(saveSent, [id, claim, answer]),
  /** Whether the message was given up. */
  saveFailed: async ({ id, claim }: ClaimedMessage, answer: string, waitMs: number | undefined) =>
    (await db.query(saveFailed, [id, claim, answer, waitMs ?? null]))[0]?.state === 'failed',
  discardLost: (id: string, sealed: string) => db.run(discardLost, [id, sealed]),
  forgetPerson: (userId: string) => db.run(forgetPerson, [userId]),
  endHeld: (ids: readonly string[], answer: string) => db.run(endHeld, [answer, ids]),
  purge: (retentionMs: number) => db.run(purge, [retentionMs]),
});

export const sealedMessages = (db: Database) =>
  sealedColumn(db, {
    table: 'messages',
    column: 'content',
    noun: 'unsent mail or push message',
    replace: sql('messages.reseal', 'update messages set content = $3 where id = $1 and content = $2'),
  });
