import type { Issue } from '#contracts/errors';
import type { ForecastEntry } from '#contracts/posts';

/** What is stored about a scheduled post: its forecast, and what it was judged with. */
export interface ForecastRow {
  readonly postId: string;
  /** Of the post, so that another value means that it changed since. */
  readonly updatedAt: string;
  readonly scheduledAt: string;
  /** The accounts that did not have it yet. */
  readonly accountIds: readonly string[];
  readonly contentKey: string;
  readonly content: readonly Issue[];
  readonly entries: readonly ForecastEntry[];
}

/** A scheduled post, without its texts, and its forecast if there is one. */
export interface ScheduledPost {
  readonly id: string;
  readonly accountIds: readonly string[];
  readonly scheduledAt: string;
  readonly updatedAt: string;
  readonly text: string | null;
  readonly media: readonly string[];
  /** Accounts that have it already. */
  readonly reachedIds: readonly string[];
  readonly row: ForecastRow | undefined;
}

/** As JavaScript reads the instant, which has no microseconds. */
export const msOf = (instant: string) => `floor(extract(epoch from ${instant}) * 1000)::float8`;
/**
 * A post that goes out at its time counts from then, as it did while it was scheduled: a send is a second late, and no
 * other post is judged again for that.
 */
export const usedAt = (publication: string, post: string) =>
  `coalesce(case when ${publication}.published_at - ${post}.scheduled_at between interval '-1 minute' and interval '1 minute'
    then ${post}.scheduled_at end, ${publication}.published_at)`;

export const postsWithForecasts =
  'posts p left join forecasts f on f.workspace_id = p.workspace_id and f.post_id = p.id';
export const scheduledColumns = `p.id, p.account_ids, coalesce(p.scheduled_at, p.updated_at) as scheduled_at, p.updated_at,
  left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text,
  jsonb_path_query_array(p.versions, '$[*].content[*].media[*]') as media,
  array(select r ->> 'accountId' from jsonb_array_elements(p.results) r where (r ->> 'ok')::boolean) as reached_ids,
  f.updated_at as judged_updated_at, f.scheduled_at as judged_at, f.account_ids as judged_ids,
  f.content_key, f.content, f.entries`;
/** A post that goes out at its time counts as it did while it was scheduled, so nothing changes until it has ended. */
export const isGoingOut = (post: string, soon: string) =>
  `${post}.status = 'Publishing' and ${post}.scheduled_at < ${soon}`;

export interface FoundPost extends Omit<ScheduledPost, 'row'> {
  readonly judgedUpdatedAt: string | null;
  readonly judgedAt: string | null;
  readonly judgedIds: readonly string[] | null;
  readonly contentKey: string | null;
  readonly content: readonly Issue[] | null;
  readonly entries: readonly ForecastEntry[] | null;
}

/** What PostgreSQL does not know of `scheduledColumns`. */
export type ScheduledColumnTypes = Pick<FoundPost, 'media' | 'content' | 'entries'>;

export const toScheduledPost = ({
  judgedUpdatedAt,
  judgedAt,
  judgedIds,
  contentKey,
  content,
  entries,
  ...post
}: FoundPost): ScheduledPost => ({
  ...post,
  row:
    entries === null
      ? undefined
      : {
          postId: post.id,
          updatedAt: judgedUpdatedAt ?? '',
          scheduledAt: judgedAt ?? post.scheduledAt,
          accountIds: judgedIds ?? [],
          contentKey: contentKey ?? '',
          content: content ?? [],
          entries,
        },
});
