import { type Database, sql } from '#server/base/store/database';
import type { PostKey } from '#server/base/store/post-key';

export const reads = ['accounts'];

const columns = `account_id, network, due_at, started_at, key, since, sent, prepared, begun_at, begun_body, heard_at, repeat,
  again, tries, result`;
const copyRows = sql(
  'publishing.copyRows',
  `select coalesce(jsonb_agg(to_jsonb(s)), '[]')::text as rows
     from (select * from sends where workspace_id = $1 and post_id = $2 for update) s`,
  'locks',
);
/** Restores sends without a claim, so that one with a `due_at` is picked up again and its network is asked about it. */
const putBack = sql(
  'publishing.putBack',
  `insert into sends (workspace_id, post_id, ${columns})
   select $1, $2, ${columns} from jsonb_populate_recordset(null::sends, $3) s
    where exists (select from accounts a where a.id = s.account_id)`,
  'joins',
);

export type DeletedSendStore = ReturnType<typeof createDeletedSendStore>;

export const createDeletedSendStore = (db: Database) => ({
  copyRows: async ({ workspaceId, postId }: PostKey) =>
    (await db.query(copyRows, [workspaceId, postId]))[0]?.rows ?? '[]',
  putBack: async ({ workspaceId, postId }: PostKey, rows: string) => {
    await db.run(putBack, [workspaceId, postId, rows]);
  },
});
