import { type Database, sql } from '#server/base/store/database';

export const reads = ['accounts', 'members', 'workspaces'];

const plan = sql('plans.plan', 'select plan from workspaces where id = $1');
/** Not `for update`: inserts into the workspace hold a key lock on this row, and two of them would deadlock. */
const lockPlan = sql('plans.lockPlan', 'select plan from workspaces where id = $1 for no key update', 'locks');
const accounts = sql(
  'plans.accounts',
  'select count(*)::int as count from accounts where workspace_id = $1 and disconnected_at is null',
);
const members = sql('plans.members', 'select count(*)::int as count from members where workspace_id = $1');
const usage = sql('plans.usage', 'select scheduled, paid_posts from plan_usage where workspace_id = $1 and month = $2');
const addUsage = sql(
  'plans.addUsage',
  `insert into plan_usage (workspace_id, month, scheduled, paid_posts) values ($1, $2, greatest($3, 0), greatest($4, 0))
   on conflict (workspace_id, month) do update
      set scheduled = greatest(plan_usage.scheduled + $3, 0), paid_posts = greatest(plan_usage.paid_posts + $4, 0)`,
);
const purge = sql('plans.purge', 'delete from plan_usage where month < $1');

/** Of one month. */
export interface Usage {
  readonly scheduled: number;
  /** On networks that charge for every post. */
  readonly paidPosts: number;
}

export type PlanStore = ReturnType<typeof createPlanStore>;

export const createPlanStore = (db: Database) => ({
  plan: async (workspaceId: string) => (await db.query(plan, [workspaceId]))[0]?.plan,
  lockPlan: async (workspaceId: string) => (await db.query(lockPlan, [workspaceId]))[0]?.plan,
  accounts: async (workspaceId: string) => (await db.query(accounts, [workspaceId]))[0]?.count ?? 0,
  members: async (workspaceId: string) => (await db.query(members, [workspaceId]))[0]?.count ?? 0,
  usage: async (workspaceId: string, month: string): Promise<Usage> =>
    (await db.query(usage, [workspaceId, month]))[0] ?? { scheduled: 0, paidPosts: 0 },
  addUsage: async (workspaceId: string, month: string, add: Usage) => {
    await db.run(addUsage, [workspaceId, month, add.scheduled, add.paidPosts]);
  },
  purge: async (before: string) => {
    await db.run(purge, [before]);
  },
});
