import { Link } from '@tanstack/react-router';
import styles from './nav-list.module.css';
import type { NavItem } from './use-nav-items.ts';

export const NavList = ({ places, onGo }: { places: readonly NavItem[]; onGo?: () => void }) => (
  <ul className={styles.list}>
    {places.map(({ label, to, icon: Icon, count = 0, counts = 'waiting', dot }) => (
      <li key={to}>
        <Link to={to} className={styles.row} activeOptions={{ exact: to === '/' }} onClick={onGo}>
          <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
          <span className="one-line">{label}</span>
          {count > 0 && (
            <span className={styles.count} data-counts={counts}>
              {count}
              <span className="hidden"> {counts}</span>
            </span>
          )}
          {dot && (
            <span className={styles.dot} title={dot}>
              <span className="hidden">{dot}</span>
            </span>
          )}
        </Link>
      </li>
    ))}
  </ul>
);
