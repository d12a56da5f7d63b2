import type { BackupRoutes } from '#contracts/backups';
import type { RouteHandlers } from '#server/base/context';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { Hold } from '#server/operation/hold/hold';
import type { Backups } from './backups.ts';
import type { DownloadAddresses } from './download-addresses.ts';
import type { Restoring } from './restoring.ts';

export const backupRoutes = ({
  backups,
  restoring,
  downloads,
  mayTry,
  hold,
  mustBeOperator,
  mustProve,
}: {
  backups: Backups;
  restoring: Restoring;
  downloads: DownloadAddresses;
  /** Limits attempts to enter the code by IP address, as for passwords. */
  mayTry: (address: string) => void;
  hold: Hold;
  mustBeOperator: (userId: string, does: string) => Promise<void>;
  mustProve: ProofOfPerson['mustProve'];
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
  beginBackupDownload: async ({ caller, signedIn, params: { id }, body, address }) => {
    await mustBeOperator(caller.userId, 'downloads its backups');
    await mustProve(signedIn, body, address);
    await backups.find(id);
    return { path: downloads.make(signedIn.sessionId, id) };
  },
  releaseHold: async ({ caller, signedIn, body, address, requestId }) => {
    await mustBeOperator(caller.userId, 'releases what is held back');
    await mustProve(signedIn, body, address);
    return hold.release(caller.userId, requestId);
  },
});
