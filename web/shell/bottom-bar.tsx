import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon, Pencil } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { usePermissions } from '#web/base/session.ts';
import styles from './bottom-bar.module.css';
import { type NavItem, useNavItems } from './use-nav-items.ts';

const MoreSheet = lazy(() => import('./more-sheet.tsx'));
const inBar = ['/', '/calendar', '/approvals'];

export const BottomBar = () => {
  const { pages, workspace, bell } = useNavItems();
  const { canWrite } = usePermissions();
  const [more, setMore] = useState(false);
  const find = (path: string) => pages.filter(({ to }) => to === path);
  const rest = [bell, ...pages.filter(({ to }) => !inBar.includes(to)), ...workspace];
  return (
    <nav className={`phone-only ${styles.bar}`} aria-label="Main pages">
      {[...find('/'), ...find('/calendar')].map((place) => (
        <BarLink key={place.to} place={place} />
      ))}
      {canWrite && (
        <Link to="/posts/$id" params={{ id: 'new' }} className={styles.write} aria-label="New post">
          <Pencil size={18} aria-hidden="true" />
        </Link>
      )}
      {find('/approvals').map((place) => (
        <BarLink key={place.to} place={place} />
      ))}
      <button type="button" className={styles.item} aria-expanded={more} onClick={() => setMore(true)}>
        <span className={styles.icon}>
          <MenuIcon size={19} strokeWidth={1.75} aria-hidden="true" />
          {bell.news && (
            <span className={styles.dot}>
              <span className="hidden">{bell.news} notifications</span>
            </span>
          )}
        </span>
        More
      </button>
      <Suspense>{more && <MoreSheet places={rest} onClose={() => setMore(false)} />}</Suspense>
    </nav>
  );
};

const BarLink = ({ place: { label, to, icon: Icon, count = 0 } }: { place: NavItem }) => (
  <Link to={to} className={styles.item} activeOptions={{ exact: to === '/' }}>
    <span className={styles.icon}>
      <Icon size={19} strokeWidth={1.75} aria-hidden="true" />
      {count > 0 && (
        <span className={styles.count}>
          {count}
          <span className="hidden"> waiting</span>
        </span>
      )}
    </span>
    {label}
  </Link>
);
