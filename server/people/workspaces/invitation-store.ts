import type { Role } from '#contracts/scopes';
import { type Database, type RowOf, type Statement, sql, type ValuesArgument } from '#server/base/store/database';

export type InvitationRow = RowOf<typeof invitation>;

interface NewInvitation extends Omit<InvitationRow, 'createdAt' | 'expiresAt'> {
  readonly hash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const openInvitation = `select id, workspace_id, email, role, invited_by, created_at, expires_at
  from invitations where accepted_at is null`;
const openInvitations = sql(
  'invitations.open',
  `${openInvitation} and workspace_id = $1 order by id desc limit $2`,
).holds<{ role: Role }>();
const countInvitations = sql(
  'invitations.count',
  `select count(*)::int from invitations where workspace_id = $1 and accepted_at is null and expires_at > $2`,
);
const purgeInvitations = sql('invitations.purge', 'delete from invitations where expires_at < $1');
const invitation = sql('invitations.byHash', `${openInvitation} and hash = $1`).holds<{ role: Role }>();
const lockInvitation = sql('invitations.lock', `${openInvitation} and hash = $1 for update`, 'locks').holds<{
  role: Role;
}>();
const invited = sql('invitations.ofEmail', `${openInvitation} and lower(email) = $1 and expires_at > $2 limit 1`);
const insertInvitation = sql(
  'invitations.insert',
  `insert into invitations (id, workspace_id, email, role, hash, invited_by, created_at, expires_at)
   values (:id, :workspaceId, :email, :role, :hash, :invitedBy, :createdAt, :expiresAt)`,
);
const acceptInvitation = sql('invitations.accept', 'update invitations set accepted_at = $2 where id = $1');
const removeInvitation = sql(
  'invitations.remove',
  'delete from invitations where workspace_id = $1 and id = $2 and accepted_at is null',
);

const removeInvitationsBy = sql(
  'invitations.removeBy',
  `delete from invitations where workspace_id = $1 and invited_by = $2 and role = any($3) and accepted_at is null
   returning id, email`,
);

export type InvitationStore = ReturnType<typeof createInvitationStore>;

export const createInvitationStore = (db: Database) => {
  const one = async <Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>) =>
    (await db.query(statement, ...values))[0] ?? null;

  return {
    transaction: db.transaction,

    insertInvitation: (row: NewInvitation) => db.run(insertInvitation, row),
    /** Includes expired ones until they are purged. */
    openInvitations: (workspaceId: string, limit: number) => db.query(openInvitations, [workspaceId, limit]),
    countInvitations: async (workspaceId: string, now: Date) =>
      (await one(countInvitations, [workspaceId, now]))?.count ?? 0,
    purgeInvitations: (before: Date) => db.run(purgeInvitations, [before]),
    lockInvitation: (hash: Buffer) => one(lockInvitation, [hash]),
    invitation: (hash: Buffer) => one(invitation, [hash]),
    isInvited: async (email: string, now: Date) => (await db.query(invited, [email.toLowerCase(), now])).length > 0,
    acceptInvitation: (id: string, at: Date) => db.run(acceptInvitation, [id, at]),
    removeInvitation: (workspaceId: string, id: string) => db.run(removeInvitation, [workspaceId, id]),
    removeInvitationsBy: (workspaceId: string, invitedBy: string, roles: readonly Role[]) =>
      db.query(removeInvitationsBy, [workspaceId, invitedBy, roles]),
  };
};
