import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Keyboard, Pencil, Search } from 'lucide-react';
import { Kbd } from '#web/parts/kbd.tsx';
import { useMay } from '#web/session.ts';
import { Bell } from './bell.tsx';
import { ClockPill } from './clock-pill.tsx';
import { NavList } from './nav-list.tsx';
import { callPalette, paletteKeys } from './palette-store.ts';
import { PersonMenu } from './person-menu.tsx';
import { usePlaces } from './places.ts';
import styles from './sidebar.module.css';
import { ThemeMenu } from './theme-menu.tsx';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

export const Sidebar = ({ onHelp }: { onHelp: () => void }) => {
  const { pages, workspace } = usePlaces();
  const { write } = useMay();
  return (
    <div className={`desk-only ${styles.sidebar}`}>
      <WorkspaceSwitcher />
      {write && (
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
      <div className={styles.person}>
        <PersonMenu />
        <Bell />
        <ThemeMenu />
        <Tooltip label="Keyboard shortcuts (?)">
          <ActionIcon aria-label="Keyboard shortcuts" onClick={onHelp}>
            <Keyboard size={17} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </div>
    </div>
  );
};

/** Looks like a field, and opens one: the palette searches posts, pages and actions alike. */
const SearchButton = () => (
  <button type="button" className={styles.search} aria-keyshortcuts="Meta+K Control+K" onClick={callPalette}>
    <Search size={15} aria-hidden="true" />
    Search or jump to
    <Kbd keys={paletteKeys} />
  </button>
);
