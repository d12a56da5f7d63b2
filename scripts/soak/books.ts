import type pg from 'pg';
import type { CardStatus } from '#contracts/approvals';
import type { Post, Result } from '#contracts/posts';

/** The state of the database at the end. */
export interface Books {
  readonly posts: ReadonlyMap<
    string,
    { readonly status: Post['status']; readonly body: string; readonly results: readonly Result[] }
  >;
  /** The events that ended a round of publishing, oldest first. */
  readonly events: readonly {
    readonly id: string;
    readonly postId: string;
    readonly type: string;
    readonly status: Post['status'];
    readonly results: readonly Result[];
    readonly createdAt: string;
  }[];
  /** By post and account: the first result that does not change by itself. */
  readonly firstFinals: ReadonlyMap<string, Result>;
  readonly cards: ReadonlyMap<string, CardStatus>;
  /** How often the audit log says that a card was approved or rejected. */
  readonly decisions: ReadonlyMap<string, number>;
  readonly mediaIds: ReadonlySet<string>;
  /** Of the workspace with the small plan. */
  readonly plan: { readonly used: number; readonly scheduled: number };
}

/** Call once the database is migrated. A later result may be the work of a person who published again. */
export const keepFirstFinals = (db: pg.Pool) =>
  db.query(`
    create table soak_first_finals (post_id text, account_id text, result jsonb, primary key (post_id, account_id));
    create function soak_keep_first_final() returns trigger language plpgsql as $$ begin
      insert into soak_first_finals values (new.post_id, new.account_id, new.result) on conflict do nothing;
      return null;
    end $$;
    create trigger soak_first_finals after insert or update on sends for each row
      when (new.result is not null and new.due_at is null) execute function soak_keep_first_final()`);

export const sendKey = (postId: string, accountId: string) => `${postId} ${accountId}`;

export const readBooks = async (db: pg.Pool, planWorkspaceId: string): Promise<Books> => {
  const read = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await db.query<Row>(text, values)).rows;
  const posts = await read<{ id: string; status: Post['status']; body: string; results: Result[] }>(
    `select id, status, results, versions -> 0 -> 'content' -> 0 ->> 'body' as body from posts`,
  );
  // Do not order by created_at, because the database's clock was stepped. The updatedAt of a post only grows.
  const events = await read<Books['events'][number]>(
    `select id, type, data -> 'post' ->> 'id' as "postId", data -> 'post' ->> 'status' as status,
            data -> 'post' -> 'results' as results, created_at::text as "createdAt"
       from events where type in ('post.published', 'post.failed') order by data -> 'post' ->> 'updatedAt'`,
  );
  const firstFinals = await read<{ postId: string; accountId: string; result: Result }>(
    'select post_id as "postId", account_id as "accountId", result from soak_first_finals',
  );
  const cards = await read<{ id: string; status: CardStatus }>('select id, status from approval_cards');
  const decisions = await read<{ id: string; count: number }>(
    `select details ->> 'cardId' as id, count(*)::int as count from audit_log
      where event in ('approval.approved', 'approval.rejected') group by 1`,
  );
  const media = await read<{ id: string }>('select id from media');
  const [plan] = await read<{ used: number; scheduled: number }>(
    `select (select coalesce(sum(scheduled), 0)::int from plan_usage where workspace_id = $1) as used,
            (select count(*)::int from posts where workspace_id = $1 and status = 'Scheduled') as scheduled`,
    [planWorkspaceId],
  );
  return {
    posts: new Map(posts.map((post) => [post.id, post])),
    events,
    firstFinals: new Map(firstFinals.map(({ postId, accountId, result }) => [sendKey(postId, accountId), result])),
    cards: new Map(cards.map(({ id, status }) => [id, status])),
    decisions: new Map(decisions.map(({ id, count }) => [id, count])),
    mediaIds: new Set(media.map(({ id }) => id)),
    plan: plan ?? { used: 0, scheduled: 0 },
  };
};

/** Unfinished work; `busy` counts the sends that a process has claimed. */
export const countOpen = async (db: pg.Pool, planWorkspaceId: string) => {
  const { rows } = await db.query<{ posts: number; sends: number; deliveries: number; busy: number }>(
    `select (select count(*) from posts where status in ('Scheduled', 'Publishing') and workspace_id <> $1)::int as posts,
            (select count(*) from sends where due_at is not null)::int as sends,
            (select count(*) from deliveries where state in ('pending', 'sending'))::int as deliveries,
            (select count(*) from sends where claim is not null)::int as busy`,
    [planWorkspaceId],
  );
  return rows[0] ?? { posts: 0, sends: 0, deliveries: 0, busy: 0 };
};
