import { ActionIcon, Button } from '@mantine/core';
import { Archive, CircleCheck, Download, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Backup } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { count, formatBytes } from '#web/parts/number.ts';
import { ProofDialog } from '#web/parts/proof-dialog.tsx';
import { saveFrom } from '#web/parts/save-file.ts';
import { Section } from '#web/parts/section.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './backups.module.css';
import { RestoreDialog } from './restore-dialog.tsx';

export const BackupList = ({ backups, isAutomatic }: { backups: readonly Backup[]; isAutomatic: boolean }) => {
  const [chosen, setChosen] = useState<Backup>();
  const [wanted, setWanted] = useState<Backup>();
  const oldest = backups.at(-1);
  return (
    <Section
      title="Backups"
      note={
        oldest && (
          <>
            {backups.length}, the oldest from <When at={oldest.startedAt} form="day" />
          </>
        )
      }
      card
    >
      {backups.length === 0 ? (
        <EmptyState icon={Archive} title="No backups yet">
          {isAutomatic
            ? 'The first one is made tonight, or when you choose Back up now.'
            : 'Choose Back up now. To have one every night, set BACKUP_AT and restart.'}
        </EmptyState>
      ) : (
        <ul aria-label="Backups">
          {backups.map((backup) => (
            <li key={backup.id} className={styles.row} data-state={stateOf(backup)}>
              <StateIcon backup={backup} />
              <span className={styles.when}>
                <When at={backup.startedAt} />
              </span>
              <span className={styles.what}>
                {describe(backup)}
                {backup.host && ` · on ${backup.host}`}
              </span>
              {backup.verifiedAt && (
                <span className={styles.verified}>
                  Restored in a test at <When at={backup.verifiedAt} form="time" />
                </span>
              )}
              <span className={styles.size}>{backup.bytes === undefined ? '—' : formatBytes(backup.bytes)}</span>
              {backup.path && !backup.host && (
                <ActionIcon variant="quiet" onClick={() => setWanted(backup)} aria-label="Download">
                  <Download size={16} aria-hidden="true" />
                </ActionIcon>
              )}
              {backup.path && (
                <Button size="xs" onClick={() => setChosen(backup)}>
                  Restore
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      <RestoreDialog backup={chosen} onClose={() => setChosen(undefined)} />
      <ProofDialog
        opened={wanted !== undefined}
        onClose={() => setWanted(undefined)}
        title="Download the backup?"
        act="Download"
        kind="ink"
        onConfirm={async (proof) => {
          if (wanted) saveFrom((await app.beginBackupDownload({ id: wanted.id, ...proof })).path);
        }}
      >
        It holds everything on this server, of all workspaces. Keep the file where only you can read it.
      </ProofDialog>
    </Section>
  );
};

const stateOf = ({ state, problem }: Backup) => (state === 'Failed' || problem ? 'bad' : state);

const StateIcon = ({ backup }: { backup: Backup }) => {
  const state = stateOf(backup);
  const Icon =
    state === 'bad'
      ? TriangleAlert
      : state === 'Running'
        ? LoaderCircle
        : backup.reason === 'Update'
          ? Archive
          : CircleCheck;
  return <Icon className={styles.icon} size={16} aria-hidden="true" />;
};

const describe = ({ state, reason, problem, contents, verifiedAt }: Backup) => {
  if (state === 'Failed') return `Not made: ${problem ?? 'unknown reason'}`;
  if (state === 'Running') return 'Being made';
  if (problem) return `${verifiedAt ? 'Not complete' : 'Could not be restored'}: ${problem}`;
  if (reason === 'Update') return 'The database, before an update';
  const held = contents
    ? [count(contents.posts, 'post'), count(contents.files, 'file'), count(contents.accounts, 'account')].join(', ')
    : 'Database and media';
  return reason === 'Asked' ? `${held} · on request` : held;
};
