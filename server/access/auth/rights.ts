import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Right, RightToPublish } from './right.ts';
import type { RightStore } from './right-store.ts';

/** The caller as the entry point saw them. Without a role, any role will do. */
export type Claim = Pick<Caller, 'workspaceId' | 'userId'> & Partial<Pick<Caller, 'role' | 'rehearses'>>;

export type Rights = ReturnType<typeof createRights>;

/**
 * Reads again what the entry point decided about a caller, in the transaction that writes: between the two, files may have
 * been fetched and fitted for minutes. Whatever becomes public or lasts demands a Right, so no writer can forget it. Lock
 * a right before the workspace, as changes of members do; another order could deadlock.
 */
export const createRights = ({ store }: { store: RightStore }) => {
  const lock = async (claim: Claim) => {
    const { workspaceId, userId, role } = claim;
    const member = await store.lockMember(workspaceId, userId);
    if (member === undefined)
      throw new Refusal('Forbidden', 'You are no longer a member of this workspace, so nothing was done.');
    if (role !== undefined && member.role !== role)
      throw new Refusal('Forbidden', `Your role has just changed to ${member.role}, so nothing was done. Try again.`);
    return member;
  };
  const rightOf = <Proof extends Right>({ workspaceId, userId }: Claim) => ({ workspaceId, userId }) as Proof;

  return {
    /** Refuses a caller whose membership ended, or whose role changed. */
    mustHold: async (claim: Claim): Promise<Right> => {
      if (!claim.rehearses) await lock(claim);
      return rightOf(claim);
    },

    /** Refuses also a caller who may no longer publish without approval. */
    mustPublish: async (claim: Claim): Promise<RightToPublish> => {
      if (!claim.rehearses && !(await lock(claim)).canPublish)
        throw new Refusal(
          'Forbidden',
          'Only approvers publish in this workspace now, so nothing was done. Try again to ask one of them.',
        );
      return rightOf(claim);
    },

    /** Whether this member may publish without approval. */
    isPublisher: async ({ workspaceId, userId }: Claim) =>
      (await store.lockMember(workspaceId, userId))?.canPublish ?? false,
  };
};
