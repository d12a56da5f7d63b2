import { useId } from 'react';
import styles from './section.module.css';

/** A titled part of a page: title, quiet note, action at the right, content below. */
export const Section = ({
  anchor,
  title,
  note,
  action,
  card = false,
  children,
}: {
  /** The part of an address after `#` that leads here. */
  anchor?: string;
  title: string;
  note?: React.ReactNode;
  action?: React.ReactNode;
  /** Content in an outlined card. */
  card?: boolean;
  children: React.ReactNode;
}) => {
  const id = useId();
  return (
    <section id={anchor} className={styles.section} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {note && <span className="small text-3">{note}</span>}
        {action && <span className={styles.action}>{action}</span>}
      </header>
      <div className={card ? 'card' : undefined}>{children}</div>
    </section>
  );
};

/** The page's content column: `narrow` 796 px, `wide` 1056 px, `full` all of it. */
export const Column = ({
  width = 'wide',
  children,
}: {
  width?: 'narrow' | 'wide' | 'full';
  children: React.ReactNode;
}) => (
  <div className={styles.column} data-width={width}>
    {children}
  </div>
);
