import { Link, useRouterState } from '@tanstack/react-router';
import styles from './nav-list.module.css';
import type { NavItem } from './use-nav-items.ts';

export const NavList = ({ places, onGo }: { places: readonly NavItem[]; onGo?: () => void }) => {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (
    <ul className={styles.list}>
      {places.map(({ label, to, below = [], icon: Icon, count = 0, news, dot }) => (
        <li key={to}>
          <Link
            to={to}
            className={styles.row}
            data-tip={label}
            aria-current={below.some((page) => path.startsWith(page)) || undefined}
            activeOptions={{ exact: to === '/' }}
            onClick={onGo}
          >
            <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
            <span className="one-line rail-hidden">{label}</span>
            {count > 0 && (
              <span className={styles.count}>
                {count}
                <span className="hidden"> waiting</span>
              </span>
            )}
            {news && (
              <span className={styles.dot} data-tone="ink">
                <span className="hidden">, {news}</span>
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
};
