import type { Post, PostGroup, PostStatus, PostSummary, Result, Version } from '#contracts/posts';
import { tellsOf } from '#server/live/news';
import { type Database, sql } from '#server/store/database';

interface PostRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly account_ids: string[];
  readonly versions: Version[];
  readonly scheduled_at: string | null;
  readonly results: Result[];
  readonly updated_at: string;
}

const columns = 'id, status, account_ids, versions, scheduled_at, results, updated_at';

const get = sql('posts.get', `select ${columns} from posts where id = $1 and workspace_id = $2`);
const lock = sql('posts.lock', `select ${columns} from posts where id = $1 and workspace_id = $2 for update`);
// Written so, only the index made for it gives this order. With `=` the planner may walk through the posts of everybody,
// hoping to meet those of this workspace or status soon.
const list = sql(
  'posts.list',
  `select ${columns} from posts where workspace_id between $1 and $1 and id < $3
    order by workspace_id, id desc limit $2`,
);
const listByStatus = sql(
  'posts.listByStatus',
  `select ${columns} from posts where workspace_id between $1 and $1 and status between $4 and $4 and id < $3
    order by workspace_id, status, id desc limit $2`,
);
const afterEveryId = 'q'; // they begin with post_
const insert = sql(
  'posts.insert',
  `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
   values ($1, $2, 'Draft', $3, $4, $5, $6) returning ${columns}, ${tellsOf('post')}`,
);
const replace = sql(
  'posts.replace',
  `update posts set account_ids = $3, versions = $4, scheduled_at = $5 where id = $1 and workspace_id = $2
   returning ${columns}, ${tellsOf('post')}`,
);
const move = sql(
  'posts.move',
  `update posts set status = $3, scheduled_at = $4 where id = $1 and workspace_id = $2
   returning ${columns}, ${tellsOf('post')}`,
);
const begin = sql(
  'posts.begin',
  `with begun as materialized (select begin_publishing($1)) select ${tellsOf('post')} from begun, posts where id = any($1)`,
);
const end = sql('posts.end', `select workspace_id, ${columns} from end_publishing($1)`);
const forgetBegun = sql(
  'posts.forgetBegun',
  'update sends set begun_at = null, prepared = null where post_id = $1 and account_id = any($2) and due_at is null',
);
/** Somebody looked: what may have been sent is there. */
const settleFound = sql(
  'posts.settleFound',
  `update sends set begun_at = null, prepared = null, result = found.result
     from jsonb_array_elements($2::jsonb) as found (result)
    where post_id = $1 and account_id = found.result ->> 'accountId' and due_at is null`,
);
const setResults = sql(
  'posts.setResults',
  `update posts set results = $3, status = $4 where id = $1 and workspace_id = $2 returning ${columns}`,
);

const publishedAt = 'out.published_at';
const heldAt = `coalesce(${publishedAt}, p.scheduled_at)`;
const groups: Record<PostGroup, { readonly has: string; readonly at: string; readonly order: 'asc' | 'desc' }> = {
  Scheduled: { has: "p.status = 'Scheduled'", at: 'p.scheduled_at', order: 'asc' },
  Drafts: { has: "p.status = 'Draft'", at: 'p.updated_at', order: 'desc' },
  Sent: {
    has: "p.status in ('Publishing', 'Published', 'Failed')",
    at: `coalesce(${heldAt}, p.updated_at)`,
    order: 'desc',
  },
  Timed: { has: `${heldAt} is not null`, at: heldAt, order: 'asc' },
};
const filter = `p.workspace_id = $1
  and ($2 = '' or exists (select from jsonb_path_query(p.versions, '$[*].content[*].body') as body
        where body #>> '{}' ilike '%' || $2 || '%'))
  and (cardinality($3::text[]) = 0 or p.account_ids && $3)`;
const searchOf = ({ has, at, order }: (typeof groups)[PostGroup]) =>
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 200) as text,
          jsonb_array_length(p.versions -> 0 -> 'content') as items, p.account_ids, p.scheduled_at, p.results, p.updated_at,
          jsonb_path_query_first(p.versions, '$[0].content[*].media[0]') #>> '{}' as media_id,
          out.published_at, out.engagement::float8 as engagement, ${at} as at
     from posts p left join published_posts out on out.post_id = p.id
    where ${filter} and ${has} and ($4::text is null or p.status = $4)
      and ($5::timestamptz is null or ${at} >= $5) and ($6::timestamptz is null or ${at} < $6)
      and ($7::timestamptz is null or (${at}, p.id) ${order === 'asc' ? '>' : '<'} ($7, $8))
    order by ${at} ${order}, p.id ${order} limit $9`;
const search = Object.fromEntries(
  Object.entries(groups).map(([group, rule]) => [group, sql(`posts.search.${group}`, searchOf(rule))]),
) as Record<PostGroup, ReturnType<typeof sql>>;
const counts = sql(
  'posts.counts',
  `select p.status, count(*)::int as count from posts p where ${filter} group by p.status`,
);

const scheduledByAccount = sql(
  'posts.scheduledByAccount',
  `select account_id as id, count(*)::int as scheduled from posts p, unnest(p.account_ids) as account_id
    where p.workspace_id = $1 and p.status = 'Scheduled' group by account_id`,
);

export interface PostSearch {
  readonly group: PostGroup;
  readonly status?: PostStatus | undefined;
  readonly query: string;
  readonly accountIds: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
}

/** A post in one line, the media item it shows, and where it stands in the order of its group. */
export interface FoundPost {
  readonly summary: Omit<PostSummary, 'thumbnailUrl'>;
  readonly mediaId: string | null;
  readonly at: string;
}

interface FoundRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly text: string | null;
  readonly items: number;
  readonly account_ids: string[];
  readonly scheduled_at: string | null;
  readonly results: Result[];
  readonly updated_at: string;
  readonly media_id: string | null;
  readonly published_at: string | null;
  readonly engagement: number | null;
  readonly at: string;
}

const wake = sql('posts.wake', "select pg_notify('posthorn_due', 'posts')");
const usesMedia = sql(
  'posts.usesMedia',
  'select 1 from posts where workspace_id = $1 and versions @> $2::jsonb limit 1',
);
const remove = sql(
  'posts.remove',
  `delete from posts where id = $1 and workspace_id = $2 returning ${tellsOf('post')}`,
);

/** What posts.create and posts.update write. */
export interface PostContent {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
  readonly scheduledAt: string | null;
}

export type PostStore = ReturnType<typeof createPostStore>;

export const createPostStore = (db: Database) => {
  const one = async (...query: Parameters<typeof db.query>) => {
    const [row] = await db.query<PostRow>(...query);
    return row && toPost(row);
  };
  const changed = async (...query: Parameters<typeof db.query>) => {
    const post = await one(...query);
    if (post === undefined) throw new Error('a post that was locked is gone');
    return post;
  };

  return {
    transaction: db.transaction,

    get: (workspaceId: string, id: string) => one(get, [id, workspaceId]),

    /** Inside a transaction: nobody else changes the post until it ends. */
    lock: (workspaceId: string, id: string) => one(lock, [id, workspaceId]),

    list: async (workspaceId: string, limit: number, before: string | null, status: PostStatus | undefined) => {
      const values = [workspaceId, limit, before ?? afterEveryId];
      const rows = await (status === undefined
        ? db.query<PostRow>(list, values)
        : db.query<PostRow>(listByStatus, [...values, status]));
      return rows.map(toPost);
    },

    usesMedia: async (workspaceId: string, mediaId: string) => {
      const rows = await db.query(usesMedia, [workspaceId, JSON.stringify([{ content: [{ media: [mediaId] }] }])]);
      return rows.length > 0;
    },

    insert: (id: string, workspaceId: string, createdBy: string, { accountIds, versions, scheduledAt }: PostContent) =>
      changed(insert, [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt, createdBy]),

    replace: (id: string, workspaceId: string, { accountIds, versions, scheduledAt }: PostContent) =>
      changed(replace, [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt]),

    move: (id: string, workspaceId: string, status: PostStatus, scheduledAt: string | null) =>
      changed(move, [id, workspaceId, status, scheduledAt]),

    /** To Publishing, with one send for each account that does not have the post yet. */
    begin: async (ids: readonly string[]) => {
      await db.query(begin, [ids]);
    },

    /** Those in Publishing that have no account left to go to are Published or Failed then. */
    end: async (ids: readonly string[]) =>
      (await db.query<PostRow & { workspace_id: string }>(end, [ids])).map((row) => ({
        workspaceId: row.workspace_id,
        post: toPost(row),
      })),

    /** Somebody looked: what may have been sent is not there. */
    forgetBegun: async (id: string, accountIds: readonly string[]) => {
      await db.run(forgetBegun, [id, accountIds]);
    },

    /** A person found what was uncertain. */
    settleFound: async (id: string, workspaceId: string, results: readonly Result[], found: readonly Result[]) => {
      const status = results.every(({ ok }) => ok) ? 'Published' : 'Failed';
      await db.query(settleFound, [id, JSON.stringify(found)]);
      return changed(setResults, [id, workspaceId, JSON.stringify(results), status]);
    },

    search: async (
      workspaceId: string,
      { group, status, query, accountIds, from, to }: PostSearch,
      limit: number,
      after: { at: string; id: string } | undefined,
    ): Promise<FoundPost[]> => {
      const values = [workspaceId, literal(query), accountIds, status ?? null, from, to];
      const place = [after?.at ?? null, after?.id ?? null, limit];
      return (await db.query<FoundRow>(search[group], [...values, ...place])).map(toFound);
    },

    counts: async (workspaceId: string, { query, accountIds }: Pick<PostSearch, 'query' | 'accountIds'>) =>
      db.query<{ status: PostStatus; count: number }>(counts, [workspaceId, literal(query), accountIds]),

    scheduledByAccount: (workspaceId: string) =>
      db.query<{ id: string; scheduled: number }>(scheduledByAccount, [workspaceId]),

    /** Something is due earlier than was known. */
    wake: async () => {
      await db.query(wake);
    },

    remove: async (id: string, workspaceId: string) => {
      await db.query(remove, [id, workspaceId]);
    },
  };
};

const toPost = (row: PostRow): Post => ({
  id: row.id,
  status: row.status,
  accountIds: row.account_ids,
  versions: row.versions,
  ...(row.scheduled_at !== null && { scheduledAt: row.scheduled_at }),
  results: row.results.map((result) => ({ ...result, uncertain: result.uncertain ?? false })),
  updatedAt: row.updated_at,
});

/** What means something to `like` means itself. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');

const toFound = (row: FoundRow): FoundPost => ({
  summary: {
    id: row.id,
    status: row.status,
    text: row.text ?? '',
    items: row.items,
    accountIds: row.account_ids,
    results: row.results,
    ...(row.scheduled_at !== null && { scheduledAt: row.scheduled_at }),
    ...(row.published_at !== null && { publishedAt: row.published_at }),
    ...(row.engagement !== null && { engagement: row.engagement }),
    updatedAt: row.updated_at,
  },
  mediaId: row.media_id,
  at: row.at,
});
