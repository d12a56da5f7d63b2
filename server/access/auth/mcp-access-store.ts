import type { Role } from '#contracts/scopes';
import { type Database, sql } from '#server/base/store/database';
import { lacksFactor } from '#server/base/store/has-second-factor';

export const reads = ['members', 'users', 'workspaces'];

/**
 * One query for the last workspace of an access token's user, and whether the token is still valid. It runs for every
 * request, so revoked access ends with the next one, on every instance.
 */
const lastWorkspace = sql(
  'access.lastWorkspace',
  `select u.id as user_id, w.id as workspace_id, m.role, w.statistics_tools, ${lacksFactor('m', 'w')} as lacks_factor,
          u.tokens_valid_after <= $3 and coalesce(c.ended_at < $3, true) as trusted
     from users u left join client_access c on c.user_id = u.id and c.client_id = $2
     left join members m on m.user_id = u.id and m.workspace_id = u.last_workspace_id
     left join workspaces w on w.id = m.workspace_id where u.id = $1`,
).holds<{ role: Role }>();

/** With a personal token, while it is not revoked. */
const roleWithToken = sql(
  'access.roleWithToken',
  `select m.role from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = m.workspace_id and not ${lacksFactor('m', 'w')}
    where t.user_id = $1 and t.workspace_id = $2 and t.id = $3 and t.revoked_at is null`,
).holds<{ role: Role }>();
/** With an access token, while its client is trusted. */
const roleWithClient = sql(
  'access.roleWithClient',
  `select m.role from users u join members m on m.user_id = u.id and m.workspace_id = $2
     join workspaces w on w.id = m.workspace_id and not ${lacksFactor('m', 'w')}
     left join client_access c on c.user_id = u.id and c.client_id = $3
    where u.id = $1 and u.tokens_valid_after <= $4 and coalesce(c.ended_at < $4, true)`,
).holds<{ role: Role }>();

export type AccessStore = ReturnType<typeof createAccessStore>;

export const createAccessStore = (db: Database) => ({
  /** `member` is absent if the user is no longer in the workspace they opened last. */
  findMembership: async (userId: string, clientId: string, issuedAt: Date) => {
    const [row] = await db.query(lastWorkspace, [userId, clientId, issuedAt]);
    if (!row?.trusted) return undefined;
    const { workspaceId, role, statisticsTools } = row;
    if (workspaceId === null || role === null || statisticsTools === null) return {};
    return { member: { userId, workspaceId, role }, statisticsTools, lacksFactor: row.lacksFactor === true };
  },

  /** In this workspace, which need not be the one that the user opened last. */
  roleWith: async (
    { userId, workspaceId }: { userId: string; workspaceId: string },
    access: { tokenId: string } | { clientId: string; issuedAt: string },
  ) => {
    const [row] = await ('tokenId' in access
      ? db.query(roleWithToken, [userId, workspaceId, access.tokenId])
      : db.query(roleWithClient, [userId, workspaceId, access.clientId, access.issuedAt]));
    return row?.role;
  },
});
