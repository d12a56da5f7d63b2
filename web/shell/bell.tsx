import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import styles from './bell.module.css';
import { usePlaces } from './places.ts';

export const Bell = () => {
  const { label, to, icon: Icon, count = 0 } = usePlaces().bell;
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
