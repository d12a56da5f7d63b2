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
    <ThemeMenu />
    <Tooltip label="Keyboard shortcuts (?)">
      <ActionIcon aria-label="Keyboard shortcuts" onClick={onHelp}>
        <Keyboard size={17} strokeWidth={1.75} aria-hidden="true" />
      </ActionIcon>
    </Tooltip>
  </div>
);

export default SidebarFoot;
