import { useId } from 'react';
import { PartBoundaries, PartBoundary } from './part-boundary.tsx';
import styles from './section.module.css';

export const Section = ({
  anchor,
  title,
  note,
  action,
  card = false,
  children,
}: {
  /** Fragment of the address that links here. */
  anchor?: string;
  title: string;
  note?: React.ReactNode;
  action?: React.ReactNode;
  /** Puts the content into a card. */
  card?: boolean;
  children: React.ReactNode;
}) => {
  const id = useId();
  return (
    <section id={anchor} className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id} className="subtitle">
          {title}
        </h2>
        {note && <span className={`small text-3 ${styles.note}`}>{note}</span>}
        {action && <span className={styles.action}>{action}</span>}
      </header>
      <div className={card ? 'card' : undefined}>
        <PartBoundary>{children}</PartBoundary>
      </div>
    </section>
  );
};

/** `narrow`: 796 px; `wide`: 1056 px. */
export const Column = ({
  width = 'wide',
  children,
}: {
  width?: 'narrow' | 'wide' | 'full';
  children: React.ReactNode;
}) => (
  <div className={styles.column} data-width={width}>
    <PartBoundaries>{children}</PartBoundaries>
  </div>
);
