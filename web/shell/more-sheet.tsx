import { Button, Drawer } from '@mantine/core';
import { Search } from 'lucide-react';
import { togglePalette } from '#web/parts/palette-store.ts';
import { ClockPill } from './clock-pill.tsx';
import styles from './more-sheet.module.css';
import { NavList } from './nav-list.tsx';
import { PersonMenu } from './person-menu.tsx';
import { ThemeMenu } from './theme-menu.tsx';
import type { NavItem } from './use-nav-items.ts';
import WorkspaceSwitcher from './workspace-switcher.tsx';

const MoreSheet = ({ places, onClose }: { places: readonly NavItem[]; onClose: () => void }) => (
  <Drawer
    opened
    onClose={onClose}
    position="bottom"
    size="auto"
    title="More"
    classNames={{ inner: styles.place, content: styles.sheet }}
  >
    <WorkspaceSwitcher />
    <Button
      size="xl"
      fullWidth
      mt={8}
      mb={8}
      leftSection={<Search size={18} aria-hidden="true" />}
      onClick={() => {
        onClose();
        togglePalette();
      }}
    >
      Search or jump to
    </Button>
    <NavList places={places} onGo={onClose} />
    <ClockPill onGo={onClose} />
    <div className={styles.person}>
      <PersonMenu onGo={onClose} />
      <ThemeMenu />
    </div>
  </Drawer>
);

export default MoreSheet;
