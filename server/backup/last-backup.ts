import type { AuditLog } from '#server/audit/audit-log';
import { type Check, checksNamed, describeDuration } from '#server/health/check';
import type { Fingerprint } from '#server/secrets/keys';

const oldMs = 7 * 24 * 3_600_000;
const event = 'backup.made';

/** Call when the file is complete. `keys` are those that the backup can be used with. */
export const recordBackup = (
  audit: Pick<AuditLog, 'write'>,
  { path, bytes, keys }: { path: string; bytes: number; keys: readonly Fingerprint[] },
) => audit.write({ event, details: { path, bytes, keys } });

export interface LastBackup {
  readonly createdAt: string;
  readonly keys: readonly Fingerprint[];
}

export const findLastBackup = async (audit: Pick<AuditLog, 'newestForService'>): Promise<LastBackup | undefined> => {
  const entry = await audit.newestForService(event);
  return entry && { createdAt: entry.createdAt, keys: (entry.details.keys ?? []) as readonly Fingerprint[] };
};

export const checkBackup = (
  last: LastBackup | undefined,
  { now, production }: { now: Date; production: boolean },
): Check => {
  const backup = checksNamed('backup');
  if (last === undefined) {
    const message =
      'No backup by `posthorn backup` is on record. Take one every night, or make sure that another program saves the database, the media and the keys.';
    return production ? backup.warning(message) : backup.note(message);
  }
  const ageMs = now.getTime() - Date.parse(last.createdAt);
  const message = `The last backup is from ${last.createdAt}, ${describeDuration(ageMs)} ago`;
  if (ageMs <= oldMs) return backup.ok(message);
  return backup.warning(`${message}. Run \`posthorn backup <folder>\`, best every night by cron or a systemd timer.`);
};
