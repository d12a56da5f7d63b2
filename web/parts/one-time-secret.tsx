import { Button } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { useId } from 'react';
import { CopyField } from './copy.tsx';
import styles from './one-time-secret.module.css';
import { useConfirmLeaving } from './use-confirm-leaving.ts';

/** A secret that the server cannot show again; confirms before the person leaves the page. */
export const OneTimeSecret = ({
  title,
  label,
  value,
  children,
  onStored,
}: {
  title: string;
  /** `signing secret` */
  label: string;
  value: string;
  children?: React.ReactNode;
  onStored: () => void;
}) => {
  const id = useId();
  useConfirmLeaving(`The ${label} is shown only this once. Leave without it?`);
  return (
    <section className={styles.card} aria-labelledby={id}>
      <KeyRound className={styles.icon} size={16} aria-hidden="true" />
      <div className={styles.text}>
        <h2 id={id} className="subtitle">
          {title}
        </h2>
        <p>Copy it now. It is shown only this once.</p>
        {children && <p>{children}</p>}
      </div>
      <div className={styles.value}>
        <CopyField value={value} label={label} />
      </div>
      <Button size="xs" onClick={onStored} className={styles.stored}>
        I have stored it
      </Button>
    </section>
  );
};
