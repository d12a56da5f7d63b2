import type { ForecastEntry, Post, PostLine, PostStatus } from '#contracts/posts';
import { JsonText } from '#server/base/json/json-text';
import { type Database, sql } from '#server/base/store/database';
import { literal } from './overview-store.ts';
import { type PostRow, postJsonOf } from './post-row.ts';

export const reads = ['accounts', 'forecasts', 'labels', 'post_labels', 'published_posts'];

interface PageRow {
  /** The posts as JSON. */
  readonly posts: string;
  readonly last: string | null;
  readonly more: boolean;
}

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
const page = (rows: string, maxBytes = '$4') =>
  `select concat('[', string_agg(post, ',' order by id desc), ']') as posts, min(id) as last,
          coalesce(max(place) < max(total), false) as more
     from (select id, post, row_number() over newest as place, count(*) over () as total,
                  sum(octet_length(post)) over newest - octet_length(post) as "bytesBefore"
             from (${rows}) as listed window newest as (order by id desc rows unbounded preceding)) as sized
    where "bytesBefore" < ${maxBytes} and place < $2`;
const list = sql(
  'posts.list',
  page(
    `select id, ${listedJson} as post from posts p where workspace_id between $1 and $1 and id < $3
      order by workspace_id desc, id desc limit $2`,
  ),
  'quick',
);
const listByStatus = sql(
  'posts.listByStatus',
  page(
    `select id, ${listedJson} as post from posts p where workspace_id between $1 and $1 and status between $5 and $5 and id < $3
      order by workspace_id, status, id desc limit $2`,
  ),
  'quick',
);
/**
 * Filters posts. The time of a post is when it was published, else when it is scheduled. `$4` to `$9` are status, text,
 * from, to, label and ids.
 */
const matching = `from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
  where p.workspace_id between $1 and $1 and p.id < $3 and ($4::text is null or p.status = $4)
    and ($5 = '' or exists (select from jsonb_path_query(p.versions, '$[*].content[*].body') as body
          where body #>> '{}' ilike '%' || $5 || '%'))
    and ($6::timestamptz is null or coalesce(out.published_at, p.scheduled_at) >= $6)
    and ($7::timestamptz is null or coalesce(out.published_at, p.scheduled_at) < $7)
    and ($8 = '' or exists (select ${labelsOfPost} and lower(l.name) = lower($8)))
    and ($9::text[] is null or p.id = any($9))
  order by p.workspace_id desc, p.id desc limit $2`;
const listMatching = sql('posts.listMatching', page(`select p.id, ${listedJson} as post ${matching}`, '$10'));
const lines = sql(
  'posts.lines',
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, p.scheduled_at, out.published_at,
          array(select l.name ${labelsOfPost} order by l.name_key) as labels,
          ${forecastOf('p')} as forecast,
          array(select distinct network from accounts where id = any(p.account_ids) order by network) as networks ${matching}`,
);
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

interface LineRow extends Pick<PostRow, 'id' | 'status' | 'scheduledAt'> {
  readonly text: string | null;
  readonly publishedAt: string | null;
  readonly labels: string[];
  readonly forecast: ForecastEntry[] | null;
  readonly networks: string[];
}

export type ReadingStore = ReturnType<typeof createReadingStore>;

export const createReadingStore = (db: Database) => {
  const shown = async (...query: Parameters<typeof db.query>) => {
    const [row] = await db.query<{ post: string }>(...query);
    return row && new JsonText<Post>(row.post);
  };

  return {
    /** As JSON, for answers. */
    show: (workspaceId: string, id: string) => shown(show, [id, workspaceId]),

    /** Returns fewer than `limit` posts when they reach `maxBytes`; `more` says whether others follow the `last`. */
    list: async (
      workspaceId: string,
      { limit, maxBytes }: { limit: number; maxBytes: number },
      before: string | null,
      filter: ListFilter,
    ) => {
      const { status, query, from, to, label, ids } = filter;
      const values = [workspaceId, limit + 1, before ?? pastLastId, maxBytes];
      const [row] = await (query !== '' || from !== null || to !== null || label !== '' || ids !== null
        ? db.queryReplica<PageRow>(listMatching, [...values.slice(0, 3), ...filterValues(filter), maxBytes])
        : status === undefined
          ? db.queryReplica<PageRow>(list, values)
          : db.queryReplica<PageRow>(listByStatus, [...values, status]));
      return row as PageRow;
    },

    /** Up to `limit + 1` rows; the extra one means that there is another page. */
    lines: async (
      workspaceId: string,
      limit: number,
      before: string | null,
      filter: ListFilter,
    ): Promise<PostLine[]> => {
      const values = [workspaceId, limit + 1, before ?? pastLastId, ...filterValues(filter)];
      return (await db.query<LineRow>(lines, values)).map(toLine);
    },
  };
};

const filterValues = ({ status, query, from, to, label, ids }: ListFilter) => [
  status ?? null,
  literal(query),
  from,
  to,
  label,
  ids,
];

const toLine = ({ id, status, text, scheduledAt, publishedAt, labels, forecast, networks }: LineRow): PostLine => ({
  id,
  status,
  text: text ?? '',
  ...(scheduledAt !== null && { scheduledAt }),
  ...(publishedAt !== null && { publishedAt }),
  ...(labels.length > 0 && { labels }),
  ...(forecast !== null && { forecast }),
  networks,
});
