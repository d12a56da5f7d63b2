import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import styles from './bell.module.css';
import { useNavItems } from './use-nav-items.ts';

export const Bell = () => {
  const { label, to, icon: Icon, count = 0 } = useNavItems().bell;
  return (
    <Tooltip label={label}>
      <ActionIcon
        className={styles.bell}
        aria-label={count > 0 ? `${label}, ${count} unread` : label}
        renderRoot={(props) => <Link to={to} {...props} />}
      >
        <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
        {count > 0 && (
          <span className={styles.count} aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
        )}
      </ActionIcon>
    </Tooltip>
  );
};
