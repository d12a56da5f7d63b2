import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Mark } from './mark.tsx';
import styles from './page-header.module.css';

/** On a phone these are reached through More, so their way back is an arrow. */
const belowMore = ['/accounts', '/assistant', '/notifications', '/sandbox', '/settings/'];

let focusedPath: string | undefined;

/** The top of every page: crumb, h1, chip, quiet meta; right: icons, secondary, one main button. */
export const PageHeader = ({
  crumb,
  title,
  chip,
  meta,
  actions,
}: {
  /** The page above this one. */
  crumb?: { label: string; link: LinkProps };
  title: string;
  chip?: React.ReactNode;
  meta?: React.ReactNode;
  actions?: React.ReactNode;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    // A screen reader begins to read where the focus is; on the first page that is the browser's own choice.
    // A new post gets its address while somebody writes on.
    const isWriting = focusedPath === '/posts/new' && document.activeElement?.closest('main > *');
    if (focusedPath !== undefined && focusedPath !== path && !isWriting)
      heading.current?.focus({ preventScroll: true });
    focusedPath = path;
  }, [path]);
  const isBelowMore = belowMore.some((start) => path.startsWith(start));
  useEffect(() => {
    document.title = `${title} · Posthorn`;
  }, [title]);
  return (
    <header className={styles.header}>
      {crumb ? (
        <>
          <Link {...crumb.link} className={`phone-only ${styles.back}`} aria-label={`Back to ${crumb.label}`}>
            <ChevronLeft size={20} aria-hidden="true" />
          </Link>
          <nav className={`desk-only ${styles.crumb}`} aria-label="Above this page">
            <Link {...crumb.link}>{crumb.label}</Link>
            <ChevronRight size={14} aria-hidden="true" />
          </nav>
        </>
      ) : isBelowMore ? (
        <Link to="/" className={`phone-only ${styles.back}`} aria-label="Back to Home">
          <ChevronLeft size={20} aria-hidden="true" />
        </Link>
      ) : (
        <Link to="/" className={`phone-only ${styles.mark}`} aria-label="Home">
          <Mark size={26} />
        </Link>
      )}
      <h1 ref={heading} tabIndex={-1} className={`one-line ${styles.title}`} dir="auto">
        {title}
      </h1>
      {chip}
      {meta && <span className={`desk-only ${styles.meta}`}>{meta}</span>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </header>
  );
};
