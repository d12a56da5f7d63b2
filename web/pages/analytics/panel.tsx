import { useId } from 'react';
import styles from './panel.module.css';

export const Panel = ({
  title,
  note,
  side,
  className,
  children,
}: {
  title: string;
  note?: string;
  side?: React.ReactNode;
  className?: string | undefined;
  children: React.ReactNode;
}) => {
  const id = useId();
  return (
    <section className={`card ${styles.panel} ${className ?? ''}`} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id} className="subtitle">
          {title}
        </h2>
        {note && <span className={styles.note}>{note}</span>}
        {side && <div className={styles.side}>{side}</div>}
      </header>
      {children}
    </section>
  );
};
