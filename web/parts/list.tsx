import { Link, type LinkProps } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isTyping } from './is-typing.ts';
import styles from './list.module.css';
import { useShortcutsOn } from './shortcuts.ts';

const rowSelector = '[data-row]';
const linkSelector = '[data-row-link]';

/**
 * J and K move the focus, Enter opens the row. X, D and Backspace go to `onKey` with the `data-row` of the focused row.
 */
export const List = ({
  label,
  children,
  onKey,
}: {
  label: string;
  children: React.ReactNode;
  onKey?: (key: string, rowId: string) => void;
}) => {
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list, onKey);
  return (
    <ul ref={list} aria-label={label}>
      {children}
    </ul>
  );
};

/** Covers all `[data-row]` elements inside, across several lists. */
export const useListKeys = (
  area: React.RefObject<HTMLElement | null>,
  onKey?: (key: string, rowId: string, isShift: boolean) => void,
) => {
  const shortcutsOn = useShortcutsOn();
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    if (!shortcutsOn) return;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const rows = [...(area.current?.querySelectorAll<HTMLElement>(rowSelector) ?? [])];
      const here = rows.findIndex((row) => row.contains(document.activeElement));
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (key === 'j' || key === 'k') {
        const next = rows[here < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, here + (key === 'j' ? 1 : -1)))];
        focusRow(next);
        event.preventDefault();
      } else if (here >= 0 && latest.current && /^([xd]|Backspace|Delete)$/.test(key)) {
        event.preventDefault();
        // Ignore key repeat: a key that is held down would delete row after row.
        if (event.repeat) return;
        latest.current(key === 'Delete' ? 'Backspace' : key, rows[here]?.dataset.row ?? '', event.shiftKey);
      }
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [area, shortcutsOn]);
};

const focusRow = (row: HTMLElement | undefined) => {
  (row?.querySelector<HTMLElement>(linkSelector) ?? row)?.focus();
  row?.scrollIntoView({ block: 'nearest' });
};

/** Focuses the neighbour of a row. Call it before the row is removed. */
export const focusAfter = (area: HTMLElement | null, rowId: string) => {
  const rows = [...(area?.querySelectorAll<HTMLElement>(rowSelector) ?? [])];
  const at = rows.findIndex((row) => row.dataset.row === rowId);
  const next = rows[at + 1] ?? rows[at - 1];
  setTimeout(() => focusRow(next), 0);
};

/**
 * The whole row is the link. `lead`: state icon; `tail`: chips; `side`: thumbnail, badges, time; `menu`: clickable
 * above the link.
 */
export const ListRow = ({
  id,
  link,
  onOpen,
  lead,
  title,
  tail,
  note,
  side,
  menu,
  selected = false,
}: {
  id: string;
  /** `{ to: '/posts/$id', params: { id } }` */
  link?: LinkProps;
  onOpen?: () => void;
  lead?: React.ReactNode;
  title: React.ReactNode;
  tail?: React.ReactNode;
  /** Second line. */
  note?: React.ReactNode;
  side?: React.ReactNode;
  menu?: React.ReactNode;
  selected?: boolean;
}) => {
  const text = (
    <span className={`one-line ${styles.title}`} dir="auto">
      {title}
    </span>
  );
  return (
    <li className={styles.row} data-row={id} data-selected={selected || undefined}>
      {lead && <span className={styles.lead}>{lead}</span>}
      <span className={styles.text}>
        <span className={styles.line}>
          {link ? (
            <Link {...link} data-row-link="" className={`row-link ${styles.link}`}>
              {text}
            </Link>
          ) : onOpen ? (
            <button type="button" data-row-link="" className={`row-link ${styles.link}`} onClick={onOpen}>
              {text}
            </button>
          ) : (
            text
          )}
          {tail}
        </span>
        {note && <span className="small text-2">{note}</span>}
      </span>
      {side && <span className={styles.side}>{side}</span>}
      {menu && <span className={styles.menu}>{menu}</span>}
    </li>
  );
};

/** `Scheduled 7` above a group of rows. */
export const GroupHead = ({ title, count }: { title: string; count?: number | undefined }) => (
  <h2 className={styles.group}>
    {title} {count !== undefined && <span className="text-3 number">{count}</span>}
  </h2>
);
