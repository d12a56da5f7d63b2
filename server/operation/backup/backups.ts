import { rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Backup as BackupRecord } from '#contracts/backups';
import type { Clock } from '#server/base/clock';
import { type Config, SettingError } from '#server/base/config/config';
import { notFound, Refusal } from '#server/base/errors';
import { countOf } from '#server/base/health/check';
import { measureFreeBytes } from '#server/base/health/disk-space';
import { makeFolder } from '#server/base/health/folder';
import { newId } from '#server/base/ids';
import { removeAbandonedParts } from './archive.ts';
import { type Backup, makeBackup } from './backup.ts';
import type { BackupList, BackupRow, Claim } from './backup-list-store.ts';
import { listDumps } from './dump-before-migration.ts';
import { inGigabytes } from './restore.ts';
import { findExpired, lastSlot, nameOfDay } from './schedule.ts';
import { verifyBackup } from './verify.ts';

/** A process that does not extend its lease for this long has died, and another one makes the backup. */
const leaseMs = 2 * 60_000;
/** After a failure, such as a full disk. */
const retryMs = 3_600_000;
const failuresKeptMs = 60 * 24 * 3_600_000;
/** A backup is about as large as the one before. */
const growth = 1.1;
/** Left free for the database. */
const reserveBytes = 0.2e9;

export type Backups = ReturnType<typeof createBackups>;

/** Backups that the service makes itself: every night, and when a person asks for one. */
export const createBackups = ({
  list,
  config,
  clock,
  report,
  make = makeBackup,
  verify = verifyBackup,
  freeBytes = measureFreeBytes,
  host = hostname(),
}: {
  list: BackupList;
  config: Config;
  /** The wall clock, because moving the sandbox clock must not affect nightly backups. */
  clock: Clock;
  report: (error: unknown) => void;
  /** For tests, which cannot fill a disk. */
  make?: typeof makeBackup;
  verify?: typeof verifyBackup;
  freeBytes?: typeof measureFreeBytes;
  /** The name of this machine. */
  host?: string;
}) => {
  const { at, folder, keep } = config.backup;
  const progress = () => undefined;

  /**
   * A disk that fills up during a backup stops the service too. Deletes no older backups, because they may be the only
   * ones.
   */
  const mustHaveRoom = async () => {
    const last = (await list.all()).find(({ state, bytes }) => state === 'Made' && bytes !== null);
    const needed = growth * (last?.bytes ?? (await list.mediaBytes())) + reserveBytes;
    const free = await freeBytes(folder);
    if (needed <= free) return;
    throw new SettingError(
      `It needs about ${inGigabytes(needed)}, and ${inGigabytes(free)} are free in ${folder}. Older backups are still there. Make room, keep fewer with BACKUP_KEEP, or set BACKUP_FOLDER to another disk.`,
    );
  };

  /** Saves the file before testing it, because an untested backup is better than none. */
  const run = async (claim: Claim) => {
    const extending = setInterval(() => list.extend(claim, clock.now(), leaseMs).catch(report), leaseMs / 4);
    let verifiedAt: Date | null = null;
    let problem: string | null = null;
    try {
      await makeFolder(folder, 'backups are');
      await removeAbandonedParts(folder);
      await mustHaveRoom();
      const made = await make(config, folder, { withKeys: false, clock, progress });
      if (!(await list.saveMade(claim, { ...made, host }))) {
        await rm(made.path, { force: true });
        throw new Error('Another process took this backup over, because this one was stopped for too long.');
      }
      await verify(config, made.path, progress);
      verifiedAt = clock.now();
      if (made.lost.length > 0) throw new SettingError(describeLost(made));
    } catch (error) {
      problem = describe(error as NodeJS.ErrnoException);
      report(error);
    } finally {
      clearInterval(extending);
    }
    await list.end(claim, clock.now(), verifiedAt, problem);
    if (problem === null) await removeExpired();
  };

  /** Called only after a complete backup passed its restore test, so that a failure never costs an old backup. */
  const removeExpired = async () => {
    const made = (await list.all()).filter(({ state }) => state === 'Made');
    const [good, bad] = [made.filter(isGood), made.filter((row) => !isGood(row))];
    const expired = findExpired(good, keep);
    const oldest = good.findLast((row) => !expired.includes(row))?.startedAt ?? '';
    const isOlder = ({ startedAt }: BackupRow) => Date.parse(startedAt) < Date.parse(oldest);
    for (const { id, path, host: owner, startedAt } of [...expired, ...bad.filter(isOlder)]) {
      const isHere = path === null || owner === null || owner === host || (await isFile(path));
      // Another machine removes its own file. If that machine is gone for good, only the row is removed here, after a
      // while.
      if (!isHere && clock.now().getTime() - Date.parse(startedAt) < failuresKeptMs) continue;
      if (path !== null) await rm(path, { force: true });
      await list.remove(id);
    }
    await list.purgeFailed(new Date(clock.now().getTime() - failuresKeptMs));
  };

  /** Newest first. Leaves out backups whose file is missing here; names the host of those on another machine. */
  const read = async (): Promise<BackupRecord[]> => {
    const records = await Promise.all(
      (await list.all()).map(async (row): Promise<BackupRecord | undefined> => {
        if (row.path === null || (await isFile(row.path))) return toRecord(row);
        return row.host === null || row.host === host ? undefined : { ...toRecord(row), host: row.host };
      }),
    );
    return [...records.filter((record) => record !== undefined), ...(await listDumps(folder))].toSorted((a, b) =>
      a.startedAt < b.startedAt ? 1 : -1,
    );
  };

  return {
    /** Makes last night's backup unless it exists. Called every few minutes, on any instance. */
    makeNightly: async () => {
      const now = clock.now();
      await list.endAbandoned(now);
      if (at === undefined) return;
      const slotAt = lastSlot(now, at);
      const id = newId('backup', now);
      const claimed = await list.claimNight(id, { slot: nameOfDay(slotAt), slotAt, now, leaseMs, retryMs });
      if (claimed !== undefined) await run({ id: claimed, startedAt: now });
    },

    /** Returns when it has begun. */
    makeNow: async () => {
      const now = clock.now();
      await list.endAbandoned(now);
      const id = await list.claimAsked(newId('backup', now), now, leaseMs);
      if (id === undefined) throw new Refusal('Conflict', 'A backup is being made already. Wait until it is done.');
      return { done: run({ id, startedAt: now }).catch(report) };
    },

    /** 0 when no backups are made. */
    goodAgeSeconds: async () => (at === undefined ? 0 : Math.max(0, await list.goodAgeSeconds(clock.now()))),

    schedule: { ...(at !== undefined && { at }), ...keep, folder },

    read,

    /** The file of a backup that is on this machine. */
    find: async (id: string) => {
      const backup = (await read()).find((one) => one.id === id);
      if (backup === undefined) throw notFound('backup', id);
      if (backup.host !== undefined) {
        throw new Refusal('Conflict', `The file is on ${backup.host}, at ${backup.path}. Copy it from there.`);
      }
      if (backup.path === undefined) throw new Refusal('Conflict', 'This backup has no file.');
      return backup.path;
    },
  };
};

const isGood = ({ verifiedAt, problem }: BackupRow) => verifiedAt !== null && problem === null;

const describeLost = ({ lost, mediaPlace }: Backup) =>
  `${countOf(lost.length, 'file')} missing in ${mediaPlace} and so in the backup, such as ${lost[0]}. Put them back from an older backup, which has them as media/<name>, or delete them in the media library. No older backup is removed until then.`;

const isFile = (path: string) =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

const toRecord = ({ id, reason, state, startedAt, bytes, path, contents, verifiedAt, problem }: BackupRow) => ({
  id,
  reason,
  state,
  startedAt,
  ...(bytes !== null && { bytes }),
  ...(path !== null && { path }),
  ...(contents !== null && { contents }),
  ...(verifiedAt !== null && { verifiedAt }),
  ...(problem !== null && { problem }),
});

const describe = ({ code, message }: NodeJS.ErrnoException) =>
  code === 'ENOSPC' || code === 'EDQUOT' ? 'The disk was full. Older backups are still there.' : message;
