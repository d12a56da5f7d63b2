import type { Backup } from '#generated/app-client';
import { When } from '#web/parts/when.tsx';
import styles from './backups.module.css';
import { Nights } from './nights.tsx';

/** How old the last backup is, and whether it could be restored. */
export const BackupState = ({ backups, at }: { backups: readonly Backup[]; at: string | undefined }) => {
  const full = backups.filter(({ reason }) => reason !== 'Update');
  const last = full.find(({ state }) => state === 'Made');
  const newest = full.find(({ state }) => state !== 'Running');
  return (
    <div className={styles.state} role="status">
      <p className={styles.sentence}>
        {last === undefined ? (
          'There is no backup yet.'
        ) : (
          <>
            The last backup was made{' '}
            <strong>
              {/* Screen readers would announce the whole status whenever the relative time changes. */}
              <span aria-hidden="true">
                <When at={last.startedAt} form="relative" />
              </span>
              <span className="hidden">
                <When at={last.startedAt} form="full" />
              </span>
            </strong>{' '}
            and{' '}
            {last.verifiedAt && last.problem ? (
              <strong className={styles.bad}>is not complete</strong>
            ) : last.verifiedAt ? (
              <strong className={styles.good}>could be restored</strong>
            ) : last.problem ? (
              <strong className={styles.bad}>could not be restored</strong>
            ) : (
              <strong className={styles.untested}>was not tested yet</strong>
            )}
            .
          </>
        )}
      </p>
      {newest?.problem && <p className={styles.bad}>{newest.problem}</p>}
      <p className="text-3">
        {at === undefined
          ? 'No backups are made at night: the setting BACKUP_AT is off.'
          : `Each night at ${at}, by the clock of the server. Right after, it is restored into a scratch database, counted and cleared away.`}
      </p>
      <Nights backups={backups} />
    </div>
  );
};
