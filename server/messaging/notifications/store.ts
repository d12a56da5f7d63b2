import {
  kindsForApprovers,
  kindsOnHome,
  type NotificationKind,
  personalKinds,
  type Topic,
} from '#contracts/notifications';
import type { Role } from '#contracts/scopes';
import { notifyTabs } from '#server/base/live/changes';
import { canPublish } from '#server/base/store/can-publish';
import { type Database, type RowOf, sql } from '#server/base/store/database';

export const reads = [
  'accounts',
  'approval_cards',
  'forecast_checks',
  'forecasts',
  'members',
  'posts',
  'push_subscriptions',
  'users',
  'webhooks',
  'workspaces',
];

export type NotificationRow = RowOf<typeof listEarlier>;
/** A member who may get a mail or push message. */
export type RecipientRow = RowOf<typeof recipients>;

interface NewRow extends Pick<NotificationRow, 'id' | 'kind' | 'title' | 'detail' | 'excerpt' | 'path'> {
  readonly workspaceId: string;
  readonly subjectId: string;
}

export interface Choices {
  readonly mail: readonly Topic[];
  readonly push: readonly Topic[];
  readonly pushText: boolean;
}

export type ChoicesChange = { readonly [Name in keyof Choices]?: Choices[Name] | undefined };

/** A person, with the kinds that their role sees and those it can act on. */
export interface Viewer {
  readonly workspaceId: string;
  readonly userId: string;
  readonly seen: readonly NotificationKind[];
  readonly done: readonly NotificationKind[];
}

const insert = sql(
  'notifications.insert',
  `insert into notifications (id, workspace_id, kind, subject_id, title, detail, excerpt, path)
   select * from unnest(:ids::text[], :workspaceIds::text[], :kinds::text[], :subjectIds::text[], :titles::text[],
     :details::text[], :excerpts::text[], :paths::text[])
   returning ${notifyTabs('notification')}`,
  'joins',
);
/** Updates the latest notification about this subject, if it is not older than `withinMs`, and marks it as unread. */
const renew = sql(
  'notifications.renew',
  `with latest as (
     select id from notifications
      where workspace_id = :workspaceId and kind = :kind and subject_id = :subjectId
        and created_at > posthorn_now() - :withinMs * interval '1 ms'
      order by id desc limit 1),
   unread as (
     delete from notification_reads r using latest where r.workspace_id = :workspaceId and r.notification_id = latest.id)
   update notifications n set title = :title, detail = :detail, excerpt = :excerpt, path = :path
     from latest where n.workspace_id = :workspaceId and n.id = latest.id
   returning ${notifyTabs('notification', { id: 'n.id', workspaceId: 'n.workspace_id' })}`,
);
const retitle = sql(
  'notifications.retitle',
  `update notifications set title = $4
    where workspace_id = $1 and id = (
      select id from notifications where workspace_id = $1 and kind = $2 and subject_id = $3 order by id desc limit 1)
   returning ${notifyTabs('notification')}`,
);
const recall = sql(
  'notifications.recall',
  `delete from notifications where workspace_id = $1 and kind = $2 and path = $3
   returning ${notifyTabs('notification')}`,
);
const recipients = sql(
  'notifications.recipients',
  `select m.user_id, u.email, m.role, ${canPublish('m', 'w')} as can_publish, w.name as workspace,
          case when c.user_id is not null then
            json_build_object('mail', c.mail, 'push', c.push, 'pushText', c.push_text) end as choices,
          array(select p.id from push_subscriptions p where p.user_id = m.user_id order by p.id) as browsers
     from members m join users u on u.id = m.user_id join workspaces w on w.id = m.workspace_id
     left join notification_choices c on c.user_id = m.user_id
    where m.workspace_id = $1 order by m.user_id`,
).holds<{ role: Role; choices: Choices }>();

const quoted = (kinds: readonly NotificationKind[]) => kinds.map((kind) => `'${kind}'`).join(', ');

/** The latest notification about a subject speaks for the earlier ones. */
const isSuperseded = `exists (
    select from notifications later
     where later.workspace_id = n.workspace_id and later.subject_id = n.subject_id and later.id > n.id)`;

/** True while the problem lasts and no later notification about the same subject exists. */
const needsPerson = `case n.kind
    when 'approval.requested' then exists (
      select from approval_cards c
       where c.workspace_id = n.workspace_id and n.subject_id in (c.conversation_id, c.id) and c.status = 'Open'
         and c.expires_at > posthorn_now())
    when 'post.failed' then exists (
      select from posts p where p.workspace_id = n.workspace_id and p.id = n.subject_id and p.status = 'Failed')
    when 'post.uncertain' then exists (
      select from posts p where p.workspace_id = n.workspace_id and p.id = n.subject_id and p.status = 'Failed')
    when 'post.forecast' then n.subject_id like 'Blocks %' and (exists (
      select from forecast_checks c where c.workspace_id = n.workspace_id and n.subject_id = any(c.told))
      or exists (
      select from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id and p.status = 'Scheduled'
       where f.workspace_id = n.workspace_id and f.post_id = split_part(n.subject_id, ' ', 3)
         and f.entries @> jsonb_build_array(jsonb_build_object('level', 'Blocks', 'code', split_part(n.subject_id, ' ', 2)))))
    when 'account.reconnect' then exists (
      select from accounts a where a.id = n.subject_id and a.status = 'NeedsReconnect' and a.disconnected_at is null)
    when 'webhook.paused' then exists (select from webhooks w where w.id = n.subject_id and w.paused_at is not null)
    else false end
  and not ${isSuperseded}`;

/** Notifications from before somebody joined count as read. */
const isRead = `(n.created_at < m.created_at or exists (
  select from notification_reads r
   where r.workspace_id = n.workspace_id and r.notification_id = n.id and r.user_id = m.user_id))`;

const seen = `from notifications n join members m on m.workspace_id = n.workspace_id and m.user_id = $2
  join workspaces w on w.id = n.workspace_id
  cross join lateral (select n.kind = any($4::text[]) and ${needsPerson} as you) needs
  where n.workspace_id = $1 and n.kind = any($3::text[])
    and (n.kind not in (${quoted(personalKinds)}) or n.subject_id = m.user_id)
    and (n.kind not in (${quoted(kindsForApprovers)}) or ${canPublish('m', 'w')})`;

const columns = `n.id, n.kind, n.title, n.detail, n.excerpt, n.path, n.created_at, ${isRead} as read`;

const listNeeding = sql(
  'notifications.needing',
  `select ${columns}, true as needs_you ${seen} and needs.you order by n.id desc limit $5`,
).holds<{ kind: NotificationKind }>();
const listEarlier = sql(
  'notifications.earlier',
  `select ${columns}, false as needs_you ${seen} and not needs.you and ($5::text is null or n.id < $5) order by n.id desc limit $6`,
).holds<{ kind: NotificationKind }>();
const count = sql(
  'notifications.count',
  `select count(*) filter (where not ${isRead})::int as unread, count(*) filter (where needs.you)::int as needs_you,
          count(*) filter (where not ${isRead} and not ${isSuperseded}
            and not (needs.you and n.kind in (${quoted(kindsOnHome)})))::int as news,
          (select count(*)::int from approval_cards c
            where c.workspace_id = $1 and c.status = 'Open' and c.expires_at > posthorn_now()) as approvals ${seen}`,
);
const markRead = sql(
  'notifications.markRead',
  `insert into notification_reads (workspace_id, notification_id, user_id)
   select n.workspace_id, n.id, $2 from notifications n
    where n.workspace_id = $1 and n.kind = any($3::text[]) and ($4::text[] is null or n.id = any($4))
   on conflict do nothing`,
);
const markSeen = sql(
  'notifications.markSeen',
  `insert into notification_reads (workspace_id, notification_id, user_id)
   select n.workspace_id, n.id, $2 from notifications n where n.workspace_id = $1 and n.subject_id = any($3::text[])
   on conflict do nothing`,
);
const markUnread = sql(
  'notifications.markUnread',
  `delete from notification_reads r using notifications n
    where n.workspace_id = r.workspace_id and n.id = r.notification_id and n.workspace_id = $1 and r.user_id = $2 and n.kind = any($3::text[])
      and ($4::text[] is null or n.id = any($4))`,
);
const purge = sql(
  'notifications.purge',
  `delete from notifications where created_at < posthorn_now() - $1 * interval '1 ms'`,
);
const readChoices = sql(
  'notifications.choices',
  'select mail, push, push_text from notification_choices where user_id = $1',
).holds<{ mail: Topic[]; push: Topic[] }>();
/** One statement, so that concurrent changes do not overwrite each other. */
const changeChoices = sql(
  'notifications.changeChoices',
  `insert into notification_choices as chosen (user_id, mail, push, push_text)
   values (:userId, coalesce(:mail::text[], :defaultMail), coalesce(:push::text[], :defaultPush),
     coalesce(:pushText::boolean, :defaultPushText))
   on conflict (user_id) do update set mail = coalesce(:mail, chosen.mail), push = coalesce(:push, chosen.push),
     push_text = coalesce(:pushText, chosen.push_text)`,
);

const forgetChoices = sql('notifications.forgetChoices', 'delete from notification_choices where user_id = $1');

export type NotificationStore = ReturnType<typeof createNotificationStore>;

export const createNotificationStore = (db: Database) => {
  const viewerColumns = ({ workspaceId, userId, seen: kinds, done }: Viewer) =>
    [workspaceId, userId, kinds, done] as const;
  return {
    insert: (rows: readonly NewRow[]) =>
      db.run(insert, {
        ids: rows.map(({ id }) => id),
        workspaceIds: rows.map(({ workspaceId }) => workspaceId),
        kinds: rows.map(({ kind }) => kind),
        subjectIds: rows.map(({ subjectId }) => subjectId),
        titles: rows.map(({ title }) => title),
        details: rows.map(({ detail }) => detail),
        excerpts: rows.map(({ excerpt }) => excerpt),
        paths: rows.map(({ path }) => path),
      }),
    /** Whether there was one to renew. */
    renew: async (row: Omit<NewRow, 'id'>, withinMs: number) =>
      (await db.query(renew, { ...row, withinMs })).length > 0,
    retitle: (workspaceId: string, kind: NotificationKind, subjectId: string, title: string) =>
      db.run(retitle, [workspaceId, kind, subjectId, title]),
    recall: (workspaceId: string, kind: NotificationKind, path: string) => db.run(recall, [workspaceId, kind, path]),
    recipients: (workspaceId: string) => db.query(recipients, [workspaceId]),
    needing: (viewer: Viewer, limit: number) => db.query(listNeeding, [...viewerColumns(viewer), limit]),
    earlier: (viewer: Viewer, after: string | null, limit: number) =>
      db.query(listEarlier, [...viewerColumns(viewer), after, limit]),
    count: async (viewer: Viewer) =>
      (await db.query(count, viewerColumns(viewer)))[0] ?? {
        unread: 0,
        needsYou: 0,
        news: 0,
        approvals: 0,
      },
    /** Without ids: all. */
    mark: ({ workspaceId, userId, seen: kinds }: Viewer, ids: readonly string[] | undefined, read: boolean) =>
      db.run(read ? markRead : markUnread, [workspaceId, userId, kinds, ids ?? null]),
    markSeen: ({ workspaceId, userId }: Pick<Viewer, 'workspaceId' | 'userId'>, subjectIds: readonly string[]) =>
      db.run(markSeen, [workspaceId, userId, subjectIds]),
    purge: (retentionMs: number) => db.run(purge, [retentionMs]),
    forgetChoices: (userId: string) => db.run(forgetChoices, [userId]),
    choices: async (userId: string) => (await db.query(readChoices, [userId]))[0],
    /** Omitted choices stay as they are; somebody who has not chosen yet gets them from `defaults`. */
    changeChoices: (userId: string, { mail, push, pushText }: ChoicesChange, defaults: Choices) =>
      db.run(changeChoices, {
        userId,
        mail: mail ?? null,
        push: push ?? null,
        pushText: pushText ?? null,
        defaultMail: defaults.mail,
        defaultPush: defaults.push,
        defaultPushText: defaults.pushText,
      }),
  };
};
