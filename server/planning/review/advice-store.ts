import type { Advice } from '#contracts/review';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';

export const reads = ['posts'];

interface NewAdviceRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly postId: string;
  readonly shareId: string;
  readonly name: string;
  readonly verdict: Advice['verdict'];
  readonly body: string;
  readonly about: string;
  readonly createdAt: Date;
}

const tellsOfComment = notifyTabs('comment', { id: 'post_id' });

const insertAdvice = sql(
  'advice.insert',
  `insert into post_advice (id, workspace_id, post_id, share_id, name, verdict, body, about, created_at)
   values (:id, :workspaceId, :postId, :shareId, :name, :verdict, :body, :about, :createdAt) returning ${tellsOfComment}`,
);
const listAdvice = sql(
  'advice.list',
  `select a.id, a.name, a.verdict, a.body, a.about = p.updated_at as is_current, a.created_at
     from post_advice a join posts p on p.workspace_id = a.workspace_id and p.id = a.post_id
    where a.workspace_id = $1 and a.post_id = $2 order by a.id`,
).holds<Pick<Advice, 'verdict'>>();
const countOfShare = sql(
  'advice.countOfShare',
  'select count(*)::int as count from post_advice where workspace_id = $1 and share_id = $2',
);
const removeAdvice = sql(
  'advice.remove',
  `delete from post_advice where workspace_id = $1 and id = $2 returning ${tellsOfComment}`,
);

export type AdviceStore = ReturnType<typeof createAdviceStore>;

export const createAdviceStore = (db: Database) => ({
  transaction: db.transaction,
  insert: async (advice: NewAdviceRow) => {
    await db.query(insertAdvice, advice);
  },
  list: (workspaceId: string, postId: string) => db.query(listAdvice, [workspaceId, postId]),
  countOfShare: async (workspaceId: string, shareId: string) =>
    (await db.query(countOfShare, [workspaceId, shareId]))[0]?.count ?? 0,
  remove: async (workspaceId: string, id: string) => (await db.query(removeAdvice, [workspaceId, id])).length > 0,
});
