import type { SelectedPost } from '#contracts/bulk';
import type { ForecastEntry, PostGroup, PostStatus, PostSummary, Result } from '#contracts/posts';
import type { Caller } from '#server/base/context';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { isLate } from './late.ts';
import { shownResults } from './post-row.ts';

export const reads = ['accounts', 'forecasts', 'post_labels', 'publications', 'published_posts'];

export interface PostFilter {
  readonly query: string;
  /** Empty lists match all accounts and all labels. */
  readonly accountIds: readonly string[];
  readonly labelIds: readonly string[];
}

export interface PostSearch extends PostFilter {
  readonly group: PostGroup;
  readonly status?: PostStatus | undefined;
  /** Empty for all. */
  readonly ids: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
}

/** The summary of a post, its first media item, and its position in the order of its group. */
interface PostMatch {
  readonly summary: Omit<PostSummary, 'thumbnail'>;
  readonly mediaId: string | null;
  readonly at: string;
}

/** Posts to choose from: `from` joins them as `p`, `at` is their time in the order of the group. */
interface Source {
  readonly from: string;
  readonly has: string;
  readonly at: string;
}

interface Group {
  readonly sources: readonly Source[];
  readonly order: 'asc' | 'desc';
}

const fromPosts = (has: string, at: string): Source => ({ from: 'posts p', has, at });
const publishedPost = 'out.workspace_id = p.workspace_id and out.post_id = p.id';
/**
 * Each source is read along an index, so that a page costs the posts on it. One `coalesce` over both times has no index.
 * `offset 0` keeps PostgreSQL from turning the inner select into a join of all posts.
 */
const timed: readonly Source[] = [
  {
    from: `published_posts out cross join lateral (select * from posts p where ${publishedPost} offset 0) p`,
    has: 'out.workspace_id = :workspaceId',
    at: 'out.published_at',
  },
  fromPosts(
    `p.scheduled_at is not null and not exists (select from published_posts out where ${publishedPost} offset 0)`,
    'p.scheduled_at',
  ),
];
const isMatch = `p.workspace_id = :workspaceId
  and (:query = '' or exists (select from jsonb_path_query(p.versions, '$[*].content[*].body') as body
        where body #>> '{}' ilike '%' || :query || '%'))
  and (cardinality(:accountIds::text[]) = 0 or p.account_ids && :accountIds)
  and (cardinality(:labelIds::text[]) = 0
    or exists (select from post_labels
        where post_labels.workspace_id = :workspaceId and post_id = p.id and label_id = any(:labelIds)))`;
/** Until metrics are read, the stored engagement is 0, which says nothing about the post. */
const numbers = `case when out.post_id is not null then (
    select case when bool_or(n.fetched_at is not null) then 'Read'
                when bool_or(n.next_fetch_at is not null and a.disconnected_at is null) then 'Pending'
                else 'None' end
      from publications n join accounts a on a.id = n.account_id
     where n.workspace_id = :workspaceId and n.post_id = p.id) end`;
const firstOf = ({ from, has, at }: Source, order: Group['order']) =>
  `(select p.id, ${at} as at from ${from}
     where ${isMatch} and ${has} and (:status::text is null or p.status = :status)
       and (:from::timestamptz is null or ${at} >= :from) and (:to::timestamptz is null or ${at} < :to)
       and (:afterAt::timestamptz is null or (${at}, p.id) ${order === 'asc' ? '>' : '<'} (:afterAt, :afterId))
       and (cardinality(:ids::text[]) = 0 or p.id = any(:ids))
     order by ${at} ${order}, p.id ${order} limit :limit)`;
/** The page is chosen first, so that texts, results and numbers are read for its posts only. */
const searchOf = (group: PostGroup, { sources, order }: Group) =>
  sql(
    `posts.search.${group}`,
    `with page as materialized (
     select * from (${sources.map((source) => firstOf(source, order)).join(' union all ')}) as first
      order by at ${order}, id ${order} limit :limit)
   select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 200) as text,
          coalesce(jsonb_array_length(p.versions -> 0 -> 'content'), 0) as items, p.account_ids, p.scheduled_at, p.results, p.updated_at,
          jsonb_path_query_first(p.versions, '$[0].content[*].media[0]') #>> '{}' as media_id,
          out.published_at, out.engagement::float8 as engagement, coalesce(page.at, p.updated_at) as at, ${numbers} as numbers,
          array(select label_id from post_labels l where l.workspace_id = :workspaceId and l.post_id = p.id order by label_id) as label_ids,
          case when p.status = 'Scheduled' then (select f.entries from forecasts f
            where f.workspace_id = p.workspace_id and f.post_id = p.id and f.entries <> '[]') end as forecast
     from page join posts p on p.workspace_id = :workspaceId and p.id = page.id
     left join published_posts out on ${publishedPost}
    order by page.at ${order}, p.id ${order}`,
  ).holds<{
    status: PostStatus;
    results: Result[];
    numbers: NonNullable<PostSummary['numbers']>;
    forecast: ForecastEntry[];
  }>();
type Match = RowOf<ReturnType<typeof searchOf>>;
export const search: Readonly<Record<PostGroup, ReturnType<typeof searchOf>>> = {
  Scheduled: searchOf('Scheduled', { sources: [fromPosts("p.status = 'Scheduled'", 'p.scheduled_at')], order: 'asc' }),
  Drafts: searchOf('Drafts', { sources: [fromPosts("p.status = 'Draft'", 'p.updated_at')], order: 'desc' }),
  Sent: searchOf('Sent', {
    sources: [
      {
        from: `posts p left join published_posts out on ${publishedPost}`,
        has: "p.status in ('Publishing', 'Published', 'Failed')",
        at: 'coalesce(out.published_at, p.scheduled_at, p.updated_at)',
      },
    ],
    order: 'desc',
  }),
  Late: searchOf('Late', { sources: [fromPosts(isLate('p'), 'p.scheduled_at')], order: 'asc' }),
  Timed: searchOf('Timed', { sources: timed, order: 'asc' }),
  Recent: searchOf('Recent', { sources: [fromPosts('true', 'p.updated_at')], order: 'desc' }),
};
/** For bulk changes, ordered by id. */
const select = sql(
  'posts.select',
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, p.account_ids,
          p.scheduled_at,
          array(select label_id from post_labels l
                 where l.workspace_id = :workspaceId and l.post_id = p.id order by label_id) as label_ids
     from posts p where ${isMatch} and (:status::text is null or p.status = :status) order by p.id desc limit :limit`,
).holds<Pick<SelectedPost, 'status'>>();
const counts = sql(
  'posts.counts',
  `select p.status, count(*)::int as count from posts p where ${isMatch} group by p.status`,
).holds<{ status: PostStatus }>();

/** Escapes the wildcards of `like`. */
export const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');

const toMatch = (row: Match): PostMatch => ({
  summary: {
    id: row.id,
    status: row.status,
    text: row.text ?? '',
    items: row.items,
    accountIds: row.accountIds,
    results: shownResults(row),
    ...(row.scheduledAt !== null && { scheduledAt: row.scheduledAt }),
    ...(row.publishedAt !== null && { publishedAt: row.publishedAt }),
    ...(row.engagement !== null && { engagement: row.engagement }),
    ...(row.numbers !== null && { numbers: row.numbers }),
    labelIds: row.labelIds,
    ...(row.forecast !== null && { forecast: row.forecast }),
    updatedAt: row.updatedAt,
  },
  mediaId: row.mediaId,
  at: row.at,
});

/** Reads only the newest posts, so that a long list of drafts takes a bounded time. */
const lastAccounts = sql(
  'posts.lastAccounts',
  `select account_ids
     from (select id, status, account_ids, created_by from posts where workspace_id between $1 and $1
            order by workspace_id desc, id desc limit 500) newest
    where status <> 'Draft' and cardinality(account_ids) > 0 order by created_by = $2 desc, id desc limit 1`,
);

const scheduledByAccount = sql(
  'posts.scheduledByAccount',
  `select account_id as id, count(*)::int as scheduled from posts p, unnest(p.account_ids) as account_id
    where p.workspace_id = $1 and p.status = 'Scheduled' and account_id is not null group by account_id`,
);

export type OverviewStore = ReturnType<typeof createOverviewStore>;

export const createOverviewStore = (db: Database) => ({
  lastAccounts: async ({ workspaceId, userId }: Caller) =>
    (await db.query(lastAccounts, [workspaceId, userId]))[0]?.accountIds ?? [],

  search: async (
    workspaceId: string,
    { group, status, query, ...filter }: PostSearch,
    limit: number,
    after: { at: string; id: string } | undefined,
  ): Promise<PostMatch[]> => {
    const place = { afterAt: after?.at ?? null, afterId: after?.id ?? null, limit };
    const values = { ...filter, ...place, workspaceId, query: literal(query), status: status ?? null };
    return (await db.queryReplica(search[group], values)).map(toMatch);
  },

  counts: (workspaceId: string, { query, ...filter }: PostFilter) =>
    db.queryReplica(counts, { ...filter, workspaceId, query: literal(query) }),

  select: async (
    workspaceId: string,
    status: PostStatus | undefined,
    { query, ...filter }: PostFilter,
    limit: number,
  ) => {
    const values = { ...filter, workspaceId, query: literal(query), status: status ?? null, limit };
    const rows = await db.query(select, values);
    return rows.map(
      ({ scheduledAt, text, ...row }): SelectedPost => ({
        ...row,
        text: text ?? '',
        ...(scheduledAt !== null && { scheduledAt }),
      }),
    );
  },

  scheduledByAccount: (workspaceId: string) => db.query(scheduledByAccount, [workspaceId]),
});
