import { Link } from '@tanstack/react-router';
import { Pencil, Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { usePermissions } from '#web/base/session.ts';
import { Kbd } from '#web/parts/kbd.tsx';
import { togglePalette } from '#web/parts/palette-store.ts';
import { ClockPill } from './clock-pill.tsx';
import { CurrentWorkspace } from './current-workspace.tsx';
import { NavList } from './nav-list.tsx';
import { RailTip } from './rail-tip.tsx';
import styles from './sidebar.module.css';
import { useNavItems } from './use-nav-items.ts';
import { useRovingFocus } from './use-roving-focus.ts';
import switcher from './workspace-switcher.module.css';

/** Menus are loaded after the first page; the fallback reserves their space. */
const WorkspaceSwitcher = lazy(() => import('./workspace-switcher.tsx'));
const SidebarFoot = lazy(() => import('./sidebar-foot.tsx'));

export const Sidebar = ({ onHelp }: { onHelp: () => void }) => {
  const { pages, workspace } = useNavItems();
  const { canWrite } = usePermissions();
  const area = useRovingFocus<HTMLElement>();
  return (
    <nav ref={area} className={`desk-only ${styles.sidebar}`} aria-label="Pages" aria-describedby="sidebar-keys">
      <span id="sidebar-keys" hidden>
        Arrow keys move between the entries.
      </span>
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
        <Link to="/posts/$id" params={{ id: 'new' }} className={styles.write} data-tip="New post">
          <Pencil size={15} aria-hidden="true" />
          <span className="rail-hidden">New post</span>
          <Kbd keys="C" inverse />
        </Link>
      )}
      <SearchButton />
      <div className={styles.nav}>
        <NavList places={pages} />
        <h2 className={styles.group}>
          <span className="rail-hidden">Workspace</span>
        </h2>
        <NavList places={workspace} />
      </div>
      <ClockPill />
      <Suspense fallback={<div className={styles.person} />}>
        <SidebarFoot onHelp={onHelp} />
      </Suspense>
      <RailTip area={area} />
    </nav>
  );
};

const SearchButton = () => (
  <button
    type="button"
    className={styles.search}
    data-tip="Search or jump to"
    aria-keyshortcuts="Meta+K Control+K"
    onClick={togglePalette}
  >
    <Search size={15} aria-hidden="true" />
    <span className="rail-hidden">Search or jump to</span>
    <Kbd keys="⌘ K" />
  </button>
);
