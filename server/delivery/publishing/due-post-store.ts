import { type Database, sql } from '#server/base/store/database';
import { isLate } from '#server/writing/posts/late';
import { isNotDeleted } from './not-deleted.ts';

export const reads = ['posts', 'workspaces'];

const lockDue = sql(
  'publishing.lockDue',
  `select workspace_id, id as post_id, scheduled_at < (select posthorn_now()) - $2 * interval '1 ms' as missed
     from posts
    where status = 'Scheduled' and scheduled_at <= (select posthorn_now()) and ${isNotDeleted}
    order by scheduled_at limit $1 for update skip locked`,
  'locks',
);
const msToPost = sql(
  'publishing.msToPost',
  `select ceil(extract(epoch from min(scheduled_at) - posthorn_now()) * 1000)::float8 as ms
     from posts where status = 'Scheduled' and ${isNotDeleted}`,
);
const overdue = sql(
  'publishing.overdue',
  `select count(*)::int as count from posts
    where status = 'Scheduled' and scheduled_at < (select posthorn_now()) - interval '1 minute' and ${isNotDeleted}`,
);
const late = sql(
  'publishing.late',
  `select count(*)::int as count, min(scheduled_at) as first_at,
          coalesce(extract(epoch from posthorn_now() - min(scheduled_at)) * 1000, 0)::float8 as late_ms
     from posts where ${isLate('posts')} and ${isNotDeleted}`,
);

export type DuePostStore = ReturnType<typeof createDuePostStore>;

export const createDuePostStore = (db: Database) => ({
  /** Locks posts whose time has come, until the transaction ends. */
  due: async (limit: number, graceMs: number) => {
    const rows = await db.query(lockDue, [limit, graceMs]);
    return { due: rows.filter(({ missed }) => !missed), missed: rows.filter(({ missed }) => missed) };
  },

  msToPost: async () => (await db.query(msToPost))[0]?.ms ?? undefined,

  late: async () => (await db.query(late))[0] ?? { count: 0, firstAt: null, lateMs: 0 },
  overdue: async () => (await db.query(overdue))[0]?.count ?? 0,
});
