import type { ForecastEntry, PostGroup, PostStatus, PostSummary, Result } from '#contracts/posts';
import { sql } from '#server/store/database';
import { isLate } from './late.ts';
import { shownResults } from './post-row.ts';

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
export interface PostMatch {
  readonly summary: Omit<PostSummary, 'thumbnail'>;
  readonly mediaId: string | null;
  readonly at: string;
}

export interface MatchRow {
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
  readonly numbers: PostSummary['numbers'] | null;
  readonly label_ids: string[];
  readonly forecast: ForecastEntry[] | null;
  readonly at: string;
}

const publishedAt = 'out.published_at';
const calendarAt = `coalesce(${publishedAt}, p.scheduled_at)`;
const groups: Record<PostGroup, { readonly has: string; readonly at: string; readonly order: 'asc' | 'desc' }> = {
  Scheduled: { has: "p.status = 'Scheduled'", at: 'p.scheduled_at', order: 'asc' },
  Drafts: { has: "p.status = 'Draft'", at: 'p.updated_at', order: 'desc' },
  Sent: {
    has: "p.status in ('Publishing', 'Published', 'Failed')",
    at: `coalesce(${calendarAt}, p.updated_at)`,
    order: 'desc',
  },
  Late: { has: isLate('p'), at: 'p.scheduled_at', order: 'asc' },
  Timed: { has: `${calendarAt} is not null`, at: calendarAt, order: 'asc' },
  Recent: { has: 'true', at: 'p.updated_at', order: 'desc' },
};
/** `labels` is the placeholder for the label ids, such as `$4`. */
const filterBy = (labels: string) => `p.workspace_id = $1
  and ($2 = '' or exists (select from jsonb_path_query(p.versions, '$[*].content[*].body') as body
        where body #>> '{}' ilike '%' || $2 || '%'))
  and (cardinality($3::text[]) = 0 or p.account_ids && $3)
  and (cardinality(${labels}::text[]) = 0
    or exists (select from post_labels
        where post_labels.workspace_id = $1 and post_id = p.id and label_id = any(${labels})))`;
/** Until metrics are read, the stored engagement is 0, which says nothing about the post. */
const numbers = `case when out.post_id is not null then (
    select case when bool_or(n.fetched_at is not null) then 'Read'
                when bool_or(n.next_fetch_at is not null and a.disconnected_at is null) then 'Pending'
                else 'None' end
      from publications n join accounts a on a.id = n.account_id
     where n.workspace_id = $1 and n.post_id = p.id) end`;
const searchOf = ({ has, at, order }: (typeof groups)[PostGroup]) =>
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 200) as text,
          jsonb_array_length(p.versions -> 0 -> 'content') as items, p.account_ids, p.scheduled_at, p.results, p.updated_at,
          jsonb_path_query_first(p.versions, '$[0].content[*].media[0]') #>> '{}' as media_id,
          out.published_at, out.engagement::float8 as engagement, ${at} as at, ${numbers} as numbers,
          array(select label_id from post_labels l where l.workspace_id = $1 and l.post_id = p.id order by label_id) as label_ids,
          case when p.status = 'Scheduled' then (select f.entries from forecasts f
            where f.workspace_id = p.workspace_id and f.post_id = p.id and f.entries <> '[]') end as forecast
     from posts p left join published_posts out on out.workspace_id = p.workspace_id and out.post_id = p.id
    where ${filterBy('$11')} and ${has} and ($4::text is null or p.status = $4)
      and ($5::timestamptz is null or ${at} >= $5) and ($6::timestamptz is null or ${at} < $6)
      and ($7::timestamptz is null or (${at}, p.id) ${order === 'asc' ? '>' : '<'} ($7, $8))
      and (cardinality($10::text[]) = 0 or p.id = any($10))
    order by ${at} ${order}, p.id ${order} limit $9`;
export const search = Object.fromEntries(
  Object.entries(groups).map(([group, rule]) => [group, sql(`posts.search.${group}`, searchOf(rule))]),
) as Record<PostGroup, ReturnType<typeof sql>>;
/** For bulk changes, ordered by id. */
export const select = sql(
  'posts.select',
  `select p.id, p.status, left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, p.account_ids as "accountIds",
          p.scheduled_at as "scheduledAt",
          array(select label_id from post_labels l where l.workspace_id = $1 and l.post_id = p.id order by label_id) as "labelIds"
     from posts p where ${filterBy('$4')} and ($5::text is null or p.status = $5) order by p.id desc limit $6`,
);
export const counts = sql(
  'posts.counts',
  `select p.status, count(*)::int as count from posts p where ${filterBy('$4')} group by p.status`,
);

/** Escapes the wildcards of `like`. */
export const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');

export const toMatch = (row: MatchRow): PostMatch => ({
  summary: {
    id: row.id,
    status: row.status,
    text: row.text ?? '',
    items: row.items,
    accountIds: row.account_ids,
    results: shownResults(row),
    ...(row.scheduled_at !== null && { scheduledAt: row.scheduled_at }),
    ...(row.published_at !== null && { publishedAt: row.published_at }),
    ...(row.engagement !== null && { engagement: row.engagement }),
    ...(row.numbers !== null && { numbers: row.numbers }),
    labelIds: row.label_ids,
    ...(row.forecast !== null && { forecast: row.forecast }),
    updatedAt: row.updated_at,
  },
  mediaId: row.media_id,
  at: row.at,
});
