import { instantOf } from '#contracts/instant';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { badInput, Refusal, temporaryConflict } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import type { Notifications } from '#server/messaging/notifications/notifications';
import { nameOf } from './people.ts';
import type { Stores } from './stores.ts';

const waitDays = 7;
const waitMs = waitDays * 24 * 3_600_000;

export type Deletion = ReturnType<typeof createDeletion>;

/** A workspace is deleted after a week in which its owners can cancel. */
export const createDeletion = ({
  workspaceStore,
  userStore,
  memberStore,
  rights,
  notifications,
  audit,
  live,
  leaving,
  clock,
  report,
}: Stores & {
  rights: Rights;
  notifications: Notifications;
  audit: AuditLog;
  live: Live;
  /** Reads what has to be revoked at the networks, and returns a function that does so after the deletion. */
  leaving: (workspaceId: string) => Promise<() => void>;
  /** The wall clock, so that moving the sandbox clock deletes nothing. */
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const locked = async (workspaceId: string) => {
    const workspace = await workspaceStore.lockWorkspace(workspaceId);
    if (workspace === null) throw new Refusal('NotFound', 'This workspace was deleted. Open another one.');
    return workspace;
  };

  const remove = async ({ id, name }: { id: string; name: string }) => {
    const members = await memberStore.members(id);
    const revoke = await workspaceStore.transaction(async () => {
      const revokeAll = await leaving(id);
      // An owner may have cancelled just now.
      if ((await workspaceStore.removeWorkspace(id, clock.now())) === 0) return undefined;
      await audit.write({ event: 'workspace.deleted', details: { id, name } });
      return revokeAll;
    });
    if (revoke === undefined) return;
    revoke();
    for (const { userId } of members) await live.accessChanged(userId);
  };

  return {
    ask: (caller: Caller, name: string, requestId: string) =>
      workspaceStore.transaction(async () => {
        const { workspaceId, userId } = await rights.mustHold(caller);
        const workspace = await locked(workspaceId);
        mustBeNamed(workspace.name, name);
        if (workspace.deleteAt !== null)
          throw new Refusal(
            'Conflict',
            'This workspace is already being deleted. An owner can cancel that on the Workspace page.',
          );
        const deleteAt = new Date(clock.now().getTime() + waitMs);
        await workspaceStore.setDeletion(workspaceId, { at: deleteAt, askedBy: userId });
        await audit.write({
          event: 'workspace.deletion-asked',
          workspaceId,
          userId,
          requestId,
          details: { name: workspace.name, at: instantOf(deleteAt) },
        });
        const owner = await userStore.user(userId);
        await notifications.tell([
          {
            workspaceId,
            kind: 'workspace.deletion',
            subjectId: workspaceId,
            title: `${owner ? nameOf(owner) : 'An owner'} deletes the workspace ${workspace.name} in ${waitDays} days`,
            detail: 'Nothing is published from it any more. An owner can cancel until then.',
            path: '/settings/workspace',
            by: userId,
          },
        ]);
        await live.publish({ workspaceId, kind: 'workspace', id: workspaceId });
      }),

    takeBack: (caller: Caller, requestId: string) =>
      workspaceStore.transaction(async () => {
        const { workspaceId, userId } = await rights.mustHold(caller);
        const workspace = await locked(workspaceId);
        if (workspace.deleteAt === null) return;
        await workspaceStore.setDeletion(workspaceId, null);
        await workspaceStore.wakePublishing();
        const details = { name: workspace.name };
        await audit.write({ event: 'workspace.deletion-taken-back', workspaceId, userId, requestId, details });
        await live.publish({ workspaceId, kind: 'workspace', id: workspaceId });
      }),

    /** When the workspace is deleted; undefined while nobody asked for that. */
    dateOf: async (workspaceId: string) => (await workspaceStore.workspace(workspaceId))?.deleteAt ?? undefined,

    /** Called before anything is scheduled or published. */
    mustStay: async (workspaceId: string) => {
      if ((await workspaceStore.workspace(workspaceId))?.deleteAt) {
        throw temporaryConflict(
          'This workspace is being deleted, so nothing is published from it. An owner can cancel that on the Workspace page.',
        );
      }
    },

    /** Deletes due workspaces with everything in them, except media files, which the next sweep removes. */
    removeDue: async () => {
      for (const due of await workspaceStore.dueWorkspaces(clock.now())) await remove(due).catch(report);
    },
  };
};

/** The person types the name, so that nobody deletes the wrong workspace. */
export const mustBeNamed = (name: string, typed: string) => {
  if (typed.trim() !== name.trim()) {
    throw badInput({ path: 'name', code: 'WrongName', message: `must be the name of the workspace, ${name}` });
  }
};
