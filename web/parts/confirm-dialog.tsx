import { Button, Modal } from '@mantine/core';
import { useRef, useState } from 'react';
import styles from './confirm-dialog.module.css';
import { FaultBanner } from './fault-banner.tsx';

/** For public or irreversible actions. Errors stay in the dialog. `kind`: send is brass, danger is red. */
export const ConfirmDialog = ({
  opened,
  onClose,
  title,
  children,
  act,
  kind,
  onConfirm,
}: {
  opened: boolean;
  onClose: () => void;
  title: string;
  children?: React.ReactNode;
  /** Label of the button: `Publish now`. */
  act: string;
  kind: 'send' | 'danger' | 'ink';
  onConfirm: () => Promise<unknown>;
}) => {
  const [isRunning, setIsRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const close = () => {
    if (isRunning) return;
    setFault(undefined);
    onClose();
  };
  const confirm = async () => {
    setIsRunning(true);
    setFault(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFault(error);
    } finally {
      setIsRunning(false);
    }
  };
  // Callers clear the content when they close the dialog, so keep the last content on screen while it fades out.
  const last = useRef({ title, children });
  if (opened) last.current = { title, children };
  const shown = last.current;
  return (
    <Modal opened={opened} onClose={close} title={shown.title} size={460}>
      {shown.children && <div className={styles.text}>{shown.children}</div>}
      {fault !== undefined && <FaultBanner fault={fault} title="That did not work" />}
      <div className={styles.buttons}>
        <Button variant="quiet" onClick={close}>
          Cancel
        </Button>
        <Button
          variant={kind === 'danger' ? 'danger-filled' : kind}
          loading={isRunning}
          onClick={confirm}
          data-autofocus
        >
          {act}
        </Button>
      </div>
    </Modal>
  );
};
