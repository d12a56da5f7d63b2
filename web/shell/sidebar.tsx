import { Link } from '@tanstack/react-router';
import { Pencil, Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Kbd } from '#web/parts/kbd.tsx';
import { usePermissions } from '#web/session.ts';
import { ClockPill } from './clock-pill.tsx';
import { CurrentWorkspace } from './current-workspace.tsx';
import { NavList } from './nav-list.tsx';
import { togglePalette } from './palette-store.ts';
import styles from './sidebar.module.css';
import { useNavItems } from './use-nav-items.ts';
import switcher from './workspace-switcher.module.css';

/** Menus are loaded after the first page; the fallback reserves their space. */
const WorkspaceSwitcher = lazy(() => import('./workspace-switcher.tsx'));
const SidebarFoot = lazy(() => import('./sidebar-foot.tsx'));

export const Sidebar = ({ onHelp }: { onHelp: () => void }) => {
  const { pages, workspace } = useNavItems();
  const { canWrite } = usePermissions();
  return (
    <div className={`desk-only ${styles.sidebar}`}>
      <Suspense
        fallback={
          <div className={switcher.switcher}>
            <CurrentWorkspace />
          </div>
        }
      >
        <WorkspaceSwitcher />
      </Suspense>
      {canWrite && (
        <Link to="/posts/$id" params={{ id: 'new' }} className={styles.write}>
          <Pencil size={15} aria-hidden="true" />
          New post
          <Kbd keys="C" inverse />
        </Link>
      )}
      <SearchButton />
      <nav className={styles.nav} aria-label="Pages">
        <NavList places={pages} />
        <h2 className={styles.group}>Workspace</h2>
        <NavList places={workspace} />
      </nav>
      <ClockPill />
      <Suspense fallback={<div className={styles.person} />}>
        <SidebarFoot onHelp={onHelp} />
      </Suspense>
    </div>
  );
};

const SearchButton = () => (
  <button type="button" className={styles.search} aria-keyshortcuts="Meta+K Control+K" onClick={togglePalette}>
    <Search size={15} aria-hidden="true" />
    Search or jump to
    <Kbd keys="⌘ K" />
  </button>
);
