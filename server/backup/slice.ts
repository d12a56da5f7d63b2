import type { Clock } from '#server/clock';
import type { Config } from '#server/config/config';
import type { Hold } from '#server/hold/hold';
import type { Database } from '#server/store/database';
import { createBackups } from './backups.ts';
import { createRestoring } from './restoring.ts';
import { backupRoutes } from './routes.ts';
import { createBackupList } from './store.ts';

export const openBackups = ({
  database,
  hold,
  people: { mustBeOperator, isEmpty },
  mayRestore,
  mayTry,
  config,
  wallClock: clock,
  report,
}: {
  database: Database;
  hold: Hold;
  people: { mustBeOperator(userId: string, does: string): Promise<void>; isEmpty(): Promise<boolean> };
  mayRestore: (code: string) => Promise<boolean>;
  mayTry: (address: string) => void;
  config: Config;
  wallClock: Clock;
  report: (error: unknown) => void;
}) => {
  const backups = createBackups({ list: createBackupList(database), config, clock, report });
  const restoring = createRestoring({ config, isEmpty, mayRestore });
  return {
    backups,
    restoring,
    /** For a download. */
    findFile: async (userId: string, id: string) => {
      await mustBeOperator(userId, 'downloads its backups');
      return backups.find(id);
    },
    routes: backupRoutes({ backups, restoring, mayTry, hold, mustBeOperator }),
    chores: { 'back up every night': { every: '5 minutes', run: backups.makeNightly } },
  };
};
