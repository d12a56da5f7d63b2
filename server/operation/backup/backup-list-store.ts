import type { BackupContents } from '#contracts/backups';
import { type Database, type RowOf, sql } from '#server/base/store/database';

export const reads = ['media'];

const mediaBytes = sql('backup.mediaBytes', 'select coalesce(sum(bytes), 0)::float8 as bytes from media');

const backupColumns = `id, reason, state, started_at, finished_at, bytes::float8 as bytes, path,
  contents, verified_at, problem, host`;
const listBackups = sql(
  'backups.list',
  `select ${backupColumns} from backups order by started_at desc limit 200`,
).holds<{
  reason: 'Nightly' | 'Asked';
  state: 'Running' | 'Made' | 'Failed';
  contents: BackupContents;
}>();
/** Takes over from a process that died, and retries some time after a failure. */
const claimNight = sql(
  'backups.claimNight',
  `insert into backups (id, reason, slot, state, started_at, lease_until)
   select :id, 'Nightly', :slot, 'Running', :now, :now::timestamptz + :leaseMs * interval '1 ms'
    where (select min(applied_at) from schema_migrations) < :slotAt
   on conflict (slot) do update
      set state = 'Running', started_at = excluded.started_at, lease_until = excluded.lease_until, finished_at = null,
          problem = null
    where (backups.state = 'Running' and backups.lease_until < :now)
       or (backups.state = 'Failed' and backups.finished_at < :now::timestamptz - :retryMs * interval '1 ms')
   returning id`,
);
/** One at a time: a second one would only make both slower. */
const claimAsked = sql(
  'backups.claimAsked',
  `insert into backups (id, reason, state, started_at, lease_until)
   select $1, 'Asked', 'Running', $2, $2::timestamptz + $3 * interval '1 ms'
    where not exists (select from backups where state = 'Running' and lease_until > $2)
   returning id`,
);
const extendLease = sql(
  'backups.extend',
  `update backups set lease_until = $3::timestamptz + $4 * interval '1 ms'
    where id = $1 and started_at = $2 and finished_at is null`,
);
const saveMade = sql(
  'backups.made',
  `update backups set state = 'Made', path = :path, bytes = :bytes, contents = :contents, host = :host
    where id = :id and started_at = :startedAt`,
);
const saveEnd = sql(
  'backups.end',
  `update backups set state = case when path is null then 'Failed' else 'Made' end, finished_at = $3, lease_until = null,
          verified_at = $4, problem = $5 where id = $1 and started_at = $2`,
);
/**
 * Ends backups of processes that died: keeps a finished file, else records the failure. `claimNight` makes unfinished
 * nightly backups again.
 */
const endAbandoned = sql(
  'backups.endAbandoned',
  `update backups set state = case when path is null then 'Failed' else 'Made' end, finished_at = $1, lease_until = null,
          problem = case when path is null then 'The process that made it ended before it was done.'
                         else 'The process that made it ended before it had tested it.' end
    where finished_at is null and lease_until < $1 and (slot is null or state = 'Made')`,
);
const goodAge = sql(
  'backups.goodAge',
  `select extract(epoch from $1::timestamptz - coalesce(
            (select max(started_at) from backups where verified_at is not null and problem is null),
            (select min(applied_at) from schema_migrations)))::float8 as seconds`,
);
const removeBackup = sql('backups.remove', 'delete from backups where id = $1');
const purgeFailed = sql('backups.purgeFailed', `delete from backups where state = 'Failed' and started_at < $1`);

export type BackupRow = RowOf<typeof listBackups>;

/** A process that takes over changes `startedAt`, so that the earlier process no longer writes the row. */
export interface Claim {
  readonly id: string;
  readonly startedAt: Date;
}

export type BackupList = ReturnType<typeof createBackupList>;

/** The table of backups that the service made. */
export const createBackupList = (db: Database) => ({
  /** Newest first. */
  all: () => db.query(listBackups),
  /**
   * Returns the id of the claimed row; undefined when the backup exists or another process is making it. A new
   * installation needs no backup of the night before it.
   */
  claimNight: async (id: string, night: { slot: string; slotAt: Date; now: Date; leaseMs: number; retryMs: number }) =>
    (await db.query(claimNight, { ...night, id }))[0]?.id,
  claimAsked: async (id: string, now: Date, leaseMs: number) => (await db.query(claimAsked, [id, now, leaseMs]))[0]?.id,
  extend: ({ id, startedAt }: Claim, now: Date, leaseMs: number) => db.run(extendLease, [id, startedAt, now, leaseMs]),
  /** False when another process has taken over. */
  saveMade: async (
    claim: Claim,
    { contents, host, ...file }: { path: string; bytes: number; contents?: BackupContents; host?: string },
  ) => {
    const json = contents ? JSON.stringify(contents) : null;
    return (await db.run(saveMade, { ...claim, ...file, contents: json, host: host ?? null })) > 0;
  },
  end: ({ id, startedAt }: Claim, now: Date, verifiedAt: Date | null, problem: string | null) =>
    db.run(saveEnd, [id, startedAt, now, verifiedAt, problem]),
  /** Age of the newest backup that is complete and passed its restore test; without one, of the installation. */
  goodAgeSeconds: async (now: Date) => (await db.query(goodAge, [now]))[0]?.seconds ?? 0,
  mediaBytes: async () => (await db.query(mediaBytes))[0]?.bytes ?? 0,
  endAbandoned: (now: Date) => db.run(endAbandoned, [now]),
  remove: (id: string) => db.run(removeBackup, [id]),
  purgeFailed: (before: Date) => db.run(purgeFailed, [before]),
});
