import { dayMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import { type Check, checksNamed, describeDuration } from '#server/base/health/check';
import type { Fingerprint } from '#server/base/secrets/keys';

const oldMs = 7 * dayMs;
const oldNightlyMs = 2 * dayMs;
const event = 'backup.made';

/** Call when the file is complete. `keys` identify the keys that decrypt its secrets. */
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

/** The newest backup that the service made or tried to make. */
export interface NewestBackup {
  readonly startedAt: string;
  readonly state: string;
  readonly verifiedAt: string | null;
  readonly problem: string | null;
}

export const checkBackup = (
  last: LastBackup | undefined,
  newest: NewestBackup | undefined,
  { now, production, isNightly }: { now: Date; production: boolean; isNightly: boolean },
): Check => {
  const backup = checksNamed('backup');
  if (newest?.problem) {
    const what =
      newest.state === 'Failed'
        ? 'was not made'
        : newest.verifiedAt === null
          ? 'could not be restored for a test'
          : 'is not complete';
    return backup.failure(
      `The backup of ${newest.startedAt} ${what}: ${newest.problem.replace(/\.?$/, '.')} Mend the cause, then press Back up now under Settings, Backups.`,
    );
  }
  if (last === undefined) {
    const message = isNightly
      ? 'No backup was made yet. The service makes one every night.'
      : 'No backup by `posthorn backup` is on record. Set BACKUP_AT for one every night, or make sure that another program saves the database, the media and the keys.';
    return production && !isNightly ? backup.warning(message) : backup.note(message);
  }
  const ageMs = now.getTime() - Date.parse(last.createdAt);
  const message = `The last backup is from ${last.createdAt}, ${describeDuration(ageMs)} ago`;
  if (ageMs <= (isNightly ? oldNightlyMs : oldMs)) return backup.ok(message);
  return backup.warning(
    isNightly
      ? `${message}, though one is due every night. Make sure that a process with the role jobs or all runs, and look at its log.`
      : `${message}. Set BACKUP_AT, or run \`posthorn backup <folder>\` every night by cron or a systemd timer.`,
  );
};
