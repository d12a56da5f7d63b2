import { ActionIcon, Tooltip } from '@mantine/core';
import { Keyboard } from 'lucide-react';
import { Bell } from './bell.tsx';
import { PersonMenu } from './person-menu.tsx';
import styles from './sidebar.module.css';
import { ThemeMenu } from './theme-menu.tsx';

const SidebarFoot = ({ onHelp }: { onHelp: () => void }) => (
  <div className={styles.person}>
    <PersonMenu />
    <Bell />
    {/* The rail has no room for them; the palette and the profile have them too. */}
    <span className={styles.wide}>
      <ThemeMenu />
      <Tooltip label="Keyboard shortcuts (?)">
        <ActionIcon aria-label="Keyboard shortcuts" onClick={onHelp}>
          <Keyboard size={17} strokeWidth={1.75} aria-hidden="true" />
        </ActionIcon>
      </Tooltip>
    </span>
  </div>
);

export default SidebarFoot;
