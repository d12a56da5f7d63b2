import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleHelp, LogOut, User } from 'lucide-react';
import { app, leaveSignedOut } from '#web/base/api.ts';
import { nameOf, useSession } from '#web/base/session.ts';
import { Avatar } from '#web/parts/avatar.tsx';
import { showFault } from '#web/parts/toasts.tsx';
import styles from './person-menu.module.css';

export const signOut = async () => {
  try {
    await app.signOut();
    leaveSignedOut();
  } catch (error) {
    showFault(error);
  }
};

export const PersonMenu = ({ onGo }: { onGo?: () => void }) => {
  const { user } = useSession();
  const name = nameOf(user);
  return (
    <Menu position="top-start" width={200}>
      <Menu.Target>
        <button type="button" className={styles.person} title={user.email} data-tip={name}>
          <Avatar name={name} />
          <span className="one-line rail-hidden" dir="auto">
            {name}
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item
          component={Link}
          to="/settings/profile"
          leftSection={<User size={14} aria-hidden="true" />}
          onClick={onGo}
        >
          Profile
        </Menu.Item>
        <Menu.Item component="a" href="/help" target="_blank" leftSection={<CircleHelp size={14} aria-hidden="true" />}>
          Help
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden="true" />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
