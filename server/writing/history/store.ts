import type { CardStatus } from '#contracts/approvals';
import type { ChangeOf, Client, HistoryEntry } from '#contracts/history';
import type { Result, Version } from '#contracts/posts';
import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['approval_cards', 'conversations', 'events', 'posts', 'publications', 'users'];

export interface Content {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
}

/** Stored with the text, so that comparing revisions does not read the texts. */
interface Measures {
  readonly hash: Buffer;
  readonly characters: number;
}

/** The last revision, whether it was begun within $3 ms, and whether the post had this exact content before. */
const last = sql(
  'history.last',
  `select number, user_id, client, coalesce(characters, 0) as characters,
          since > posthorn_now() - $3 * interval '1 ms' as is_recent,
          exists (select from post_history e
                   where e.workspace_id = $4 and e.post_id = h.post_id and e.content_hash = $2) as exists_before
     from post_history h
    where h.workspace_id = $4 and post_id = $1 and versions is not null order by number desc limit 1`,
).holds<{ client: Client }>();
const textColumns = 'account_ids, versions, content_hash, characters, bytes';
const textValues = ':accountIds, :versions::jsonb, :hash, :characters, octet_length(:versions::text)';
const insert = sql(
  'history.insert',
  `insert into post_history (workspace_id, post_id, number, kind, user_id, client, since, at, scheduled_at, changed, ${textColumns})
   select :workspaceId, :postId,
          coalesce((select max(number) + 1 from post_history where workspace_id = :workspaceId and post_id = :postId), 1),
          :kind, :userId, :client, now, now, :scheduledAt, :changed, ${textValues}
     from posthorn_now() as now`,
  'joins',
);
const insertFirst = sql(
  'history.insertFirst',
  `insert into post_history (workspace_id, post_id, number, kind, user_id, client, since, at, ${textColumns})
   select workspace_id, id, 0, 'Created', created_by, created_client, :at, :at, ${textValues}
     from posts where workspace_id = :workspaceId and id = :postId`,
  'joins',
);
const fold = sql(
  'history.fold',
  `update post_history set at = posthorn_now(), changed = array(select distinct unnest(changed || :changed::text[])),
          (${textColumns}) = row (${textValues})
    where workspace_id = :workspaceId and post_id = :postId and number = :number`,
  'joins',
);
/** Keeps the newest revision even if it exceeds the limit by itself. */
const drop = sql(
  'history.drop',
  `delete from post_history h using (
     select number, row_number() over newest as place, sum(bytes) over newest as total from post_history
      where workspace_id = $4 and post_id = $1 window newest as (partition by versions is null order by number desc)) as sized
    where h.workspace_id = $4 and h.post_id = $1 and h.number = sized.number and sized.place > 1 and (sized.place > $2 or sized.total > $3)`,
);

const entries = sql(
  'history.entries',
  `select h.number, h.kind, h.user_id, ${personName('u')} as user_name, h.client, h.since, h.at, h.scheduled_at, h.changed,
          h.versions is not null as has_text
     from post_history h left join users u on u.id = h.user_id
    where h.workspace_id = $2 and h.post_id = $1 order by h.number desc`,
).holds<{ kind: HistoryEntry['kind']; client: Client; changed: ChangeOf[] }>();
const post = sql(
  'history.post',
  `select p.account_ids, p.versions, p.created_by, ${personName('u')} as created_by_name, p.created_client, p.updated_at
     from posts p left join users u on u.id = p.created_by where p.id = $1 and p.workspace_id = $2`,
).holds<{ versions: Version[]; createdClient: Client }>();
/** Without a client, the person asked in the app. */
const cards = sql(
  'history.cards',
  `select c.id, c.action, c.status, case when c.is_own then null else v.client end as client, c.requested_by, ${personName('asker')} as requested_by_name, c.created_at,
          c.decided_by, ${personName('decider')} as decided_by_name, c.decided_at, c.reason,
          c.subject -> 'editedAlts' as edited_alts
     from approval_cards c join conversations v on v.workspace_id = c.workspace_id and v.id = c.conversation_id
     join users asker on asker.id = c.requested_by
     left join users decider on decider.id = c.decided_by
    where c.workspace_id = $1 and c.input ->> 'id' = $2 order by c.id desc limit $3`,
).holds<{ status: CardStatus; editedAlts: { before: string; alt: string }[] }>();
const outcomes = sql(
  'history.outcomes',
  `select id, type, coalesce(data -> 'post' -> 'results', '[]') as results, created_at from events
    where type in ('post.published', 'post.failed') and data -> 'post' ->> 'id' = $2 and workspace_id = $1
    order by id desc limit $3`,
).holds<{ type: 'post.published' | 'post.failed'; results: Result[] }>();
/** Events are purged after a while; publications are not. */
const firstPublication = sql(
  'history.firstPublication',
  `select min(published_at) as at, count(*)::int as out from publications where workspace_id = $1 and post_id = $2
    group by post_id`,
);
/** A revision and the one before it. */
const texts = sql(
  'history.texts',
  `select number, coalesce(account_ids, '{}') as account_ids, versions from post_history
    where workspace_id = $3 and post_id = $1 and number <= $2 and versions is not null order by number desc limit 2`,
).holds<{ versions: Version[] }>();

const columns = `number, kind, user_id, client, since, at, scheduled_at, changed, ${textColumns}`;
const copyRows = sql(
  'history.copyRows',
  `select coalesce(jsonb_agg(to_jsonb(h)), '[]')::text as rows from post_history h where workspace_id = $1 and post_id = $2`,
);
const putBack = sql(
  'history.putBack',
  `insert into post_history (workspace_id, post_id, ${columns})
   select $1, $2, ${columns} from jsonb_populate_recordset(null::post_history, $3)`,
);

export type HistoryStore = ReturnType<typeof createHistoryStore>;

export const createHistoryStore = (db: Database) => ({
  last: async (workspaceId: string, postId: string, hash: Buffer, recentMs: number) =>
    (await db.query(last, [postId, hash, recentMs, workspaceId]))[0],

  insert: (
    workspaceId: string,
    postId: string,
    { userId, client }: { userId: string; client: Client },
    row: { kind: HistoryEntry['kind']; scheduledAt?: string; changed?: readonly ChangeOf[] },
    text?: Content & Measures,
  ) => {
    const { kind, scheduledAt = null, changed = null } = row;
    const entry = { workspaceId, postId, kind, userId, client: JSON.stringify(client), scheduledAt, changed };
    return db.run(insert, { ...entry, ...(text ? valuesOf(text) : noText) });
  },

  /** The content that the post was created with. */
  insertFirst: (workspaceId: string, postId: string, at: Date, text: Content & Measures) =>
    db.run(insertFirst, { workspaceId, postId, at, ...valuesOf(text) }),

  fold: (workspaceId: string, postId: string, number: number, changed: readonly ChangeOf[], text: Content & Measures) =>
    db.run(fold, { workspaceId, postId, number, changed, ...valuesOf(text) }),

  drop: (workspaceId: string, postId: string, { entries, bytes }: { entries: number; bytes: number }) =>
    db.run(drop, [postId, entries, bytes, workspaceId]),

  entries: (workspaceId: string, postId: string) => db.query(entries, [postId, workspaceId]),

  post: async (workspaceId: string, id: string) => (await db.query(post, [id, workspaceId]))[0],

  cards: (workspaceId: string, postId: string, limit: number) => db.query(cards, [workspaceId, postId, limit]),

  outcomes: (workspaceId: string, postId: string, limit: number) => db.query(outcomes, [workspaceId, postId, limit]),

  firstPublication: async (workspaceId: string, postId: string) =>
    (await db.query(firstPublication, [workspaceId, postId]))[0],

  texts: (workspaceId: string, postId: string, number: number) => db.query(texts, [postId, number, workspaceId]),

  copyRows: async (workspaceId: string, postId: string) =>
    (await db.query(copyRows, [workspaceId, postId]))[0]?.rows ?? '[]',

  putBack: (workspaceId: string, postId: string, rows: string) => db.run(putBack, [workspaceId, postId, rows]),
});

const valuesOf = ({ accountIds, versions, hash, characters }: Content & Measures) => ({
  accountIds,
  versions: JSON.stringify(versions),
  hash,
  characters,
});
const noText = { accountIds: null, versions: null, hash: null, characters: null };
