import { useEffect, useRef } from 'react';
import styles from './entry-card.module.css';
import { FaultBanner } from './fault-banner.tsx';
import { Mark } from './mark.tsx';
import { Skeleton } from './skeleton-rows.tsx';

/** Layout of the pages outside the shell: sign-in, invitation, consent. */
export const EntryCard = ({
  title,
  lead,
  children,
  foot,
  mark,
  isWide = false,
  focusesTitle = false,
}: {
  /** Names that people or clients chose go into `<bdi>`. */
  title: React.ReactNode;
  lead?: React.ReactNode;
  children?: React.ReactNode;
  foot?: React.ReactNode;
  /** Above the title, instead of the brand above the card. */
  mark?: React.ReactNode;
  isWide?: boolean;
  /** Moves the focus to the title, so that a stray key press cannot answer the question. */
  focusesTitle?: boolean;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (focusesTitle) heading.current?.focus();
  }, [focusesTitle]);
  useEffect(() => {
    document.title = `${heading.current?.textContent} · Posthorn`;
  });
  return (
    <main className={styles.page}>
      {!mark && (
        <div className={styles.brand}>
          <Mark size={32} />
          Posthorn
        </div>
      )}
      <div className={`card ${styles.card}`} data-wide={isWide || undefined}>
        {mark}
        <h1 ref={heading} className={styles.title} tabIndex={focusesTitle ? -1 : undefined}>
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
    <div className={styles.form}>
      <FaultBanner {...banner} />
    </div>
  </EntryCard>
);

/** Skeleton of a form with two fields, shown until the first response arrives. */
export const EntryLoading = ({ card, foot }: { card: string; foot?: React.ReactNode }) => (
  <EntryCard title={card} foot={foot}>
    <div className={styles.form} aria-busy="true">
      <span className="hidden">Loading</span>
      {[96, 64].map((labelWidth) => (
        <div key={labelWidth} className={styles.field}>
          <Skeleton width={labelWidth} />
          <Skeleton width="100%" height={36} />
        </div>
      ))}
      <Skeleton width="100%" height={40} />
    </div>
  </EntryCard>
);
