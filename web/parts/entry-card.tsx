import { useEffect } from 'react';
import styles from './entry-card.module.css';
import { FaultBanner } from './fault-banner.tsx';
import { Mark } from './mark.tsx';

/** Layout of the pages outside the shell: sign-in, invitation, consent. */
export const EntryCard = ({
  title,
  lead,
  children,
  foot,
}: {
  title: string;
  lead?: React.ReactNode;
  children?: React.ReactNode;
  foot?: React.ReactNode;
}) => {
  useEffect(() => {
    document.title = `${title} · Posthorn`;
  }, [title]);
  return (
    <main className={styles.page}>
      <div className={styles.brand}>
        <Mark size={32} />
        Posthorn
      </div>
      <div className={`card ${styles.card}`}>
        <h1 className={styles.title} dir="auto">
          {title}
        </h1>
        {lead && <div className={styles.lead}>{lead}</div>}
        {children}
      </div>
      {foot && <div className={styles.foot}>{foot}</div>}
    </main>
  );
};

export const EntryForm = ({ onSubmit, children }: { onSubmit: () => void; children: React.ReactNode }) => (
  <form
    className={styles.form}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
  </form>
);

/** `card` is the title of the page, `title` that of the error. */
export const EntryFault = ({
  card,
  foot,
  ...banner
}: { card: string; foot?: React.ReactNode } & React.ComponentProps<typeof FaultBanner>) => (
  <EntryCard title={card} foot={foot}>
    <FaultBanner {...banner} />
  </EntryCard>
);
