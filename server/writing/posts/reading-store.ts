import type { ForecastEntry, Post, PostLine, PostStatus } from '#contracts/posts';
import { JsonText } from '#server/base/json/json-text';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { literal } from './overview-store.ts';
import { postJsonOf } from './post-row.ts';

export const reads = ['accounts', 'forecasts', 'labels', 'post_labels', 'published_posts'];

const labelsOfPost = `from post_labels on_post join labels l on l.workspace_id = on_post.workspace_id and l.id = on_post.label_id
  where on_post.workspace_id = p.workspace_id and on_post.post_id = p.id`;
/** Checks the status, because forecasts of posts that are no longer scheduled may still be stored. */
const forecastOf = (post: string) =>
  `case when ${post}.status = 'Scheduled' then (select f.entries from forecasts f
     where f.workspace_id = ${post}.workspace_id and f.post_id = ${post}.id and f.entries <> '[]') end`;
const listedJson = postJsonOf(
  'p',
  `',"forecast":' || (${forecastOf('p')})::text, ',"labels":' || (select json_agg(l.name order by l.name_key) ${labelsOfPost})`,
);
const show = sql(
  'posts.show',
  `select ${listedJson} as post from posts p where id = $1 and workspace_id = $2`,
  'quick',
);
// `between $1 and $1` forces the index on workspace and id: with `=` the planner may scan the posts of every workspace.
// A page ends where its posts reach `maxBytes`, but has at least one; the database does not send the others. One extra row
// is read, to know whether there is another page.
const page = (rows: string) =>
  `select concat('[', string_agg(post, ',' order by id desc), ']') as posts, min(id) as last,
          coalesce(max(place) < max(total), false) as more
     from (select id, post, row_number() over newest as place, count(*) over () as total,
                  sum(octet_length(post)) over newest - octet_length(post) as bytes_before
             from (${rows}) as listed window newest as (order by id desc rows unbounded preceding)) as sized
    where bytes_before < :maxBytes and place < :limit`;
const list = sql(
  'posts.list',
  page(
    `select id, ${listedJson} as post from posts p where workspace_id between :workspaceId and :workspaceId and id < :before
      order by workspace_id desc, id desc limit :limit`,
  ),
  'quick',
);
const listByStatus = sql(
  'posts.listByStatus',
  page(
    `select id, ${listedJson} as post from posts p
      where workspace_id between :workspaceId and :workspaceId and status between :status and :status and id < :before
      order by workspace_id, status, id desc limit :limit`,
  ),
  'quick',
);
/** Filters posts. The time of a post is when it was published, else when it is scheduled. */
const matching = `from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
  where p.workspace_id between :workspaceId and :workspaceId and p.id < :before
    and (:status::text is null or p.status = :status)
    and (:query = '' or exists (select from jsonb_path_query(p.versions, '$[*].content[*].body') as body
          where body #>> '{}' ilike '%' || :query || '%'))
    and (:from::timestamptz is null or coalesce(out.published_at, p.scheduled_at) >= :from)
    and (:to::timestamptz is null or coalesce(out.published_at, p.scheduled_at) < :to)
    and (:label = '' or exists (select ${labelsOfPost} and lower(l.name) = lower(:label)))
    and (:ids::text[] is null or p.id = any(:ids))
  order by p.workspace_id desc, p.id desc limit :limit`;
const listMatching = sql('posts.listMatching', page(`select p.id, ${listedJson} as post ${matching}`));
const lines = sql(
  'posts.lines',
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, p.scheduled_at, out.published_at,
          array(select l.name ${labelsOfPost} order by l.name_key) as labels,
          ${forecastOf('p')} as forecast,
          array(select distinct network from accounts where id = any(p.account_ids) order by network) as networks ${matching}`,
).holds<{ status: PostStatus; forecast: ForecastEntry[] }>();
type Line = RowOf<typeof lines>;
const pastLastId = 'q'; // ids begin with post_

interface ListFilter {
  readonly status?: PostStatus | undefined;
  /** Empty for all. */
  readonly query: string;
  readonly from: string | null;
  readonly to: string | null;
  /** Empty for all. */
  readonly label: string;
  /** Null for all. */
  readonly ids: readonly string[] | null;
}

export type ReadingStore = ReturnType<typeof createReadingStore>;

export const createReadingStore = (db: Database) => ({
  /** As JSON, for answers. */
  show: async (workspaceId: string, id: string) => {
    const [row] = await db.query(show, [id, workspaceId]);
    return row && new JsonText<Post>(row.post);
  },

  /** Returns fewer than `limit` posts when they reach `maxBytes`; `more` says whether others follow the `last`. */
  list: async (
    workspaceId: string,
    { limit, maxBytes }: { limit: number; maxBytes: number },
    before: string | null,
    filter: ListFilter,
  ) => {
    const { status, query, from, to, label, ids } = filter;
    const values = { workspaceId, limit: limit + 1, before: before ?? pastLastId, maxBytes };
    const [row] = await (query !== '' || from !== null || to !== null || label !== '' || ids !== null
      ? db.queryReplica(listMatching, { ...filterValues(filter), ...values })
      : status === undefined
        ? db.queryReplica(list, values)
        : db.queryReplica(listByStatus, { ...values, status }));
    if (row === undefined) throw new Error('A page of posts returned no row.');
    return row;
  },

  /** Up to `limit + 1` rows; the extra one means that there is another page. */
  lines: async (workspaceId: string, limit: number, before: string | null, filter: ListFilter): Promise<PostLine[]> => {
    const page = { workspaceId, limit: limit + 1, before: before ?? pastLastId };
    return (await db.query(lines, { ...filterValues(filter), ...page })).map(toLine);
  },
});

const filterValues = ({ status, query, ...filter }: ListFilter) => ({
  ...filter,
  status: status ?? null,
  query: literal(query),
});

const toLine = ({ id, status, text, scheduledAt, publishedAt, labels, forecast, networks }: Line): PostLine => ({
  id,
  status,
  text: text ?? '',
  ...(scheduledAt !== null && { scheduledAt }),
  ...(publishedAt !== null && { publishedAt }),
  ...(labels.length > 0 && { labels }),
  ...(forecast !== null && { forecast }),
  networks,
});
