import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { MeasureFreeBytes } from '#server/base/health/disk-space';
import type { Seal } from '#server/base/secrets/seal';
import type { ProofOfPerson, SignedIn } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import type { Hold } from '#server/operation/hold/hold';
import { createBackupList } from './backup-list-store.ts';
import { createBackups } from './backups.ts';
import { createDownloadAddresses } from './download-addresses.ts';
import { createRestoring } from './restoring.ts';
import { backupRoutes } from './routes.ts';

export const openBackups = ({
  database,
  hold,
  people: { mustBeOperator, isEmpty },
  mustProve,
  seal,
  mayRestore,
  mayTry,
  config,
  wallClock: clock,
  freeBytes,
  report,
}: {
  database: Database;
  hold: Hold;
  people: { mustBeOperator(userId: string, does: string): Promise<void>; isEmpty(): Promise<boolean> };
  mustProve: ProofOfPerson['mustProve'];
  seal: Seal;
  mayRestore: (code: string) => Promise<boolean>;
  mayTry: (address: string) => void;
  config: Config;
  wallClock: Clock;
  freeBytes: MeasureFreeBytes;
  report: (error: unknown) => void;
}) => {
  const backups = createBackups({ list: createBackupList(database), config, clock, freeBytes, report });
  const downloads = createDownloadAddresses({ seal, clock });
  const restoring = createRestoring({ config, isEmpty, mayRestore });
  return {
    backups,
    restoring,
    /** For a download. */
    findFile: async ({ userId, sessionId }: SignedIn, params: { id: string; ticket: string }) => {
      await mustBeOperator(userId, 'downloads its backups');
      downloads.mustWork(sessionId, params);
      return backups.find(params.id);
    },
    routes: backupRoutes({ backups, restoring, downloads, mayTry, hold, mustBeOperator, mustProve }),
    chores: { 'back up every night': { every: '5 minutes', run: backups.makeNightly } },
  };
};
