import { Modal } from '@mantine/core';
import type { Backup } from '#generated/app-client';
import { CopyButton } from '#web/parts/copy.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './backups.module.css';

/** A restore needs an empty data folder, so it is a server command and not a button in a running installation. */
export const RestoreDialog = ({ backup, onClose }: { backup: Backup | undefined; onClose: () => void }) => {
  const command = `POSTHORN_DATA=<new folder> npx posthorn restore ${backup?.path ?? ''}`;
  return (
    <Modal opened={backup !== undefined} onClose={onClose} title="Restore a backup" size={560}>
      {backup && (
        <div className={styles.dialog}>
          <p>
            A restore takes an empty place, so what is here stays. Stop Posthorn, then run this on the server for the
            backup of <When at={backup.startedAt} form="full" />:
          </p>
          <pre className={styles.command}>
            <code>{command}</code>
          </pre>
          <CopyButton value={command}>Copy the command</CopyButton>
          <p>
            Put secrets.json of this installation into the new folder first, unless ENCRYPTION_KEYS is set.
            {backup.reason === 'Update' &&
              ' This backup has no media: copy the folder media into the new folder afterwards.'}{' '}
            Then start with the new folder. Nothing goes out until you release it on this page.
          </p>
        </div>
      )}
    </Modal>
  );
};
