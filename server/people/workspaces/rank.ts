import { admins, type Role, roles } from '#contracts/scopes';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Stores } from './stores.ts';

/** 0 is the highest. */
export const rank = (role: Role) => roles.indexOf(role);

export const mustNotReachAbove = (own: Role, other: Role) => {
  if (rank(other) < rank(own))
    throw new Refusal('Forbidden', `An ${own} cannot give or change the role ${other}. Ask an owner.`);
};

/** Owners and admins may invite, but not to a role above their own. */
export const canInvite = (inviter: Role | undefined, role: Role) =>
  inviter !== undefined && (admins as readonly Role[]).includes(inviter) && rank(inviter) <= rank(role);

/** Serializes changes of members, and refuses a caller whose role has changed meanwhile. */
export const lockMembers = async (
  { memberStore, workspaceStore }: Pick<Stores, 'memberStore' | 'workspaceStore'>,
  { workspaceId, userId, role }: Pick<Caller, 'workspaceId' | 'userId' | 'role'>,
) => {
  await memberStore.lockMembers(workspaceId);
  await workspaceStore.lockWorkspace(workspaceId);
  if ((await memberStore.member(workspaceId, userId))?.role === role) return;
  throw new Refusal('Conflict', 'Your role in this workspace has changed meanwhile. Load the page again.');
};
