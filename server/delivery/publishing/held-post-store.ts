import { type Database, sql } from '#server/base/store/database';

export const reads = ['accounts', 'posts', 'workspaces'];

const isHeld = `p.id = any($1) and (p.status = 'Publishing' or (p.status = 'Scheduled' and p.scheduled_at <= posthorn_now()))`;
const heldPosts = sql(
  'publishing.heldPosts',
  `select p.id, p.workspace_id, w.name as workspace, p.scheduled_at, p.updated_at,
          coalesce(left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text,
          array(select a.name from accounts a where a.id = any(p.account_ids) order by a.name) as accounts,
          count(*) over ()::int as count
     from posts p join workspaces w on w.id = p.workspace_id
    where ${isHeld}
    order by p.scheduled_at nulls first, p.id limit $2`,
);
const lockHeld = sql(
  'publishing.lockHeld',
  `select p.workspace_id, p.id as post_id, p.status from posts p
    where ${isHeld} order by p.workspace_id, p.id for update`,
  'locks',
);

export type HeldPostStore = ReturnType<typeof createHeldPostStore>;

export const createHeldPostStore = (db: Database) => ({
  /** Posts of the backup that were due while nothing was sent, across workspaces. */
  heldPosts: (ids: readonly string[], limit: number) => db.query(heldPosts, [ids, limit]),
  lockHeld: (ids: readonly string[]) => db.query(lockHeld, [ids]),
});
