import type { Database } from '#server/base/store/database';
import { createBackupList } from './backup-list-store.ts';

/** For checks and metrics. */
export const openBackupInspection = ({ database }: { database: Database }) => {
  const list = createBackupList(database);
  /** The newest that the service made or tried to make. */
  const newestBackup = async () => (await list.all()).find(({ state }) => state !== 'Running');
  return { newestBackup };
};
