import { ActionIcon, Tooltip } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Keyboard, Pencil, Search } from 'lucide-react';
import { Kbd } from '#web/parts/kbd.tsx';
import { useMay } from '#web/session.ts';
import { Bell } from './bell.tsx';
import { ClockPill } from './clock-pill.tsx';
import { NavList } from './nav-list.tsx';
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
      <SearchField />
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

const SearchField = () => {
  const navigate = useNavigate();
  return (
    <search className={styles.search}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const q = String(new FormData(event.currentTarget).get('q')).trim();
          void navigate({ to: '/posts', search: q === '' ? {} : { q } });
        }}
      >
        <Search size={15} aria-hidden="true" />
        <input
          name="q"
          type="search"
          placeholder="Search posts"
          aria-label="Search posts"
          autoComplete="off"
          data-search=""
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <Kbd keys="/" />
      </form>
    </search>
  );
};
