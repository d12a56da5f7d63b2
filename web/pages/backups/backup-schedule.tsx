import { Section } from '#web/parts/section.tsx';
import styles from './backups.module.css';

export const BackupSchedule = ({
  schedule: { at, days, weeks, folder },
}: {
  schedule: { at?: string | undefined; days: number; weeks: number; folder: string };
}) => (
  <Section title="Settings" card>
    <dl className={styles.settings}>
      <dt>Automatic</dt>
      <dd>{at === undefined ? 'Off' : `Every day at ${at}`}</dd>
      <dt>Keep</dt>
      <dd>
        {days} daily, {weeks} weekly, and the database as it was before the last 3 updates
      </dd>
      <dt>Folder</dt>
      <dd>
        <code>{folder}</code>
      </dd>
      <dt>Encryption key</dt>
      <dd>Not in the backups. Keep a copy of secrets.json or ENCRYPTION_KEYS in another safe place.</dd>
    </dl>
    <p className={styles.note}>
      <code>BACKUP_AT</code>, <code>BACKUP_KEEP</code> and <code>BACKUP_FOLDER</code> change this at the next start.
    </p>
  </Section>
);
