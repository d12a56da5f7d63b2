import type { Role } from '#contracts/scopes';
import { canPublish } from '#server/base/store/can-publish';
import { type Database, sql } from '#server/base/store/database';

export const reads = ['members', 'workspaces'];

/** Until the transaction ends, nobody ends the membership or changes it. */
const lockMember = sql(
  'rights.lockMember',
  `select m.role, ${canPublish('m', 'w')} as can_publish from members m join workspaces w on w.id = m.workspace_id
    where m.workspace_id = $1 and m.user_id = $2 for share of m`,
  'locks',
).holds<{ role: Role }>();

export type RightStore = ReturnType<typeof createRightStore>;

export const createRightStore = (db: Database) => ({
  lockMember: async (workspaceId: string, userId: string) => (await db.query(lockMember, [workspaceId, userId]))[0],
});
