import type { AuditLog } from '#server/access/audit/audit-log';
import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import type { EndMembership } from './membership-end.ts';
import type { People } from './people.ts';
import { lockMembers } from './rank.ts';
import type { Stores } from './stores.ts';

export type PersonDeletion = ReturnType<typeof createPersonDeletion>;

/** By their address where the operator deletes somebody, by id where people delete themselves. */
type Who = { readonly address: string } | { readonly userId: string };

/**
 * Deletes a person: sign-in, name, address, and data that is only theirs. Posts, comments and decisions belong to the
 * workspace and stay, shown as by "A former member". So the row stays too, without anything that identifies the person.
 */
export const createPersonDeletion = ({
  userStore,
  workspaceStore,
  memberStore,
  people,
  endMembership,
  forgetPerson,
  audit,
  clock,
}: Stores & {
  people: People;
  endMembership: EndMembership;
  /** Ends all access and deletes what slices store only for this person. */
  forgetPerson: (userId: string) => Promise<void>;
  audit: AuditLog;
  clock: Clock;
}) => {
  const find = async (who: Who) => {
    const { userId } = 'address' in who ? await people.forLink(who.address) : who;
    const { user } = await people.session({ userId, workspaceId: undefined });
    return { ...user, workspaces: await memberStore.memberships(userId), isSelf: 'userId' in who };
  };

  const mustBeDeletable = async ({ id: userId, operator, workspaces, isSelf }: Awaited<ReturnType<typeof find>>) => {
    if (operator) {
      throw new Refusal(
        'Conflict',
        `${isSelf ? 'You' : 'This person'} set Posthorn up here, and cannot be deleted: nobody else could run it.`,
      );
    }
    for (const { id, name, role, deleteAt } of workspaces) {
      // A workspace that waits to be deleted needs no owner.
      const owners = role === 'owner' && deleteAt === null ? await memberStore.owners(id) : [];
      if (owners.length === 1 && owners[0]?.userId === userId) {
        throw new Refusal(
          'Conflict',
          `${isSelf ? 'You are' : 'This person is'} the last owner of ${name}. Hand the workspace over or delete it first, in its settings.`,
        );
      }
    }
  };

  return {
    /** What is stored about the person, so that they can be given it before it is deleted. */
    exportPerson: async (who: Who) => {
      const { id, email, name, timeZone, workspaces } = await find(who);
      return { id, email, name, timeZone, workspaces: workspaces.map(({ id, name, role }) => ({ id, name, role })) };
    },

    remove: (who: Who, requestId?: string) =>
      userStore.transaction(async () => {
        const person = await find(who);
        const { id: userId, workspaces, isSelf } = person;
        for (const { id, role } of workspaces)
          await lockMembers({ memberStore, workspaceStore }, { userId, workspaceId: id, role });
        await mustBeDeletable(person);
        const details = { by: isSelf ? 'self' : 'operator' };
        for (const { id: workspaceId } of workspaces) {
          await memberStore.removeMember({ workspaceId, userId });
          await endMembership({ workspaceId, userId });
          await audit.write({ event: 'person.deleted', workspaceId, userId, requestId, details });
        }
        await forgetPerson(userId);
        await userStore.anonymize(userId, clock.now());
        return { deleted: userId };
      }),
  };
};
