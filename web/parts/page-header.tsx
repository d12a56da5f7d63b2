import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Mark } from './mark.tsx';
import styles from './page-header.module.css';

/** On phones these pages are opened from More, so they have a back arrow. */
const belowMore = ['/accounts', '/assistant', '/notifications', '/sandbox', '/settings/'];

let focusedPath: string | undefined;

/** Match exactly, so that the link to a parent page is not marked as the current page. */
const above = { activeOptions: { exact: true } } as const;

/** `crumb`: the parent page. */
export const PageHeader = ({
  crumb,
  title,
  chip,
  meta,
  actions,
}: {
  crumb?: { label: string; link: LinkProps };
  title: string;
  chip?: React.ReactNode;
  meta?: React.ReactNode;
  actions?: React.ReactNode;
}) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    // Move the focus to the heading after navigation, so that screen readers start there. Leave the focus alone if it
    // is already inside the page: in a search field that rendered before the heading, or in the text of a new post,
    // whose URL changes on the first save.
    const isInside = document.activeElement?.closest('main > *') !== null;
    if (focusedPath !== undefined && focusedPath !== path && !isInside) heading.current?.focus({ preventScroll: true });
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
          <Link
            {...crumb.link}
            {...above}
            className={`phone-only ${styles.back}`}
            aria-label={`Back to ${crumb.label}`}
          >
            <ChevronLeft size={20} aria-hidden="true" />
          </Link>
          <nav className={`desk-only ${styles.crumb}`} aria-label="Above this page">
            <Link {...crumb.link} {...above}>
              <ChevronLeft className={styles.arrow} size={18} aria-hidden="true" />
              <span className={styles.crumbLabel}>{crumb.label}</span>
            </Link>
            <ChevronRight className={styles.separator} size={14} aria-hidden="true" />
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
