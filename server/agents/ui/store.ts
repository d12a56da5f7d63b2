import { type Database, sql } from '#server/base/store/database';

const read = sql(
  'ui.read',
  'select page, post_id, account_id, updated_at from ui_contexts where user_id = $1 and workspace_id = $2',
);
const write = sql(
  'ui.write',
  `insert into ui_contexts (user_id, workspace_id, page, post_id, account_id) values ($1, $2, $3, $4, $5)
   on conflict (user_id, workspace_id) do update
     set page = excluded.page, post_id = excluded.post_id, account_id = excluded.account_id, updated_at = posthorn_now()
   returning page, post_id, account_id, updated_at`,
);

export type UiStore = ReturnType<typeof createUiStore>;

export const createUiStore = (db: Database) => ({
  read: async (userId: string, workspaceId: string) => (await db.query(read, [userId, workspaceId]))[0],
  write: async (
    userId: string,
    workspaceId: string,
    { page, postId, accountId }: { page: string; postId?: string | undefined; accountId?: string | undefined },
  ) => (await db.query(write, [userId, workspaceId, page, postId ?? null, accountId ?? null]))[0],
});
