import type { BackupRoutes } from '#contracts/backups';
import type { RouteHandlers } from '#server/context';
import type { Hold } from '#server/hold/hold';
import type { Backups } from './backups.ts';
import type { Restoring } from './restoring.ts';

export const backupRoutes = ({
  backups,
  restoring,
  mayTry,
  hold,
  mustBeOperator,
}: {
  backups: Backups;
  restoring: Restoring;
  /** Limits attempts to enter the code by IP address, as for passwords. */
  mayTry: (address: string) => void;
  hold: Hold;
  mustBeOperator: (userId: string, does: string) => Promise<void>;
}): RouteHandlers<BackupRoutes> => ({
  readRestore: restoring.read,
  prepareRestore: ({ body, address }) => {
    mayTry(address);
    return restoring.prepare(body);
  },
  beginRestore: ({ body }) => restoring.begin(body),
  readBackups: async ({ caller }) => {
    await mustBeOperator(caller.userId, 'sees its backups');
    const held = await hold.read();
    const due = held && (await hold.listDue());
    return {
      schedule: backups.schedule,
      backups: await backups.read(),
      ...(held && due && { hold: { ...held, dueCount: due.count, due: due.posts } }),
    };
  },
  makeBackup: async ({ caller }) => {
    await mustBeOperator(caller.userId, 'backs it up');
    await backups.makeNow();
    return { done: true };
  },
  releaseHold: async ({ caller, requestId }) => {
    await mustBeOperator(caller.userId, 'releases what is held back');
    return hold.release(caller.userId, requestId);
  },
});
