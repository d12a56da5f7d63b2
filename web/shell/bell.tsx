import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import styles from './bell.module.css';
import { useNavItems } from './use-nav-items.ts';

/** Shows a dot instead of a number, because Home and Approvals already show how much is waiting. */
export const Bell = () => {
  const { label, to, icon: Icon, news } = useNavItems().bell;
  return (
    <Tooltip label={label}>
      <ActionIcon
        className={styles.bell}
        aria-label={news ? `${label}, ${news}` : label}
        renderRoot={(props) => <Link to={to} {...props} />}
      >
        <Icon size={17} strokeWidth={1.75} aria-hidden="true" />
        {news && <span className={styles.dot} />}
      </ActionIcon>
    </Tooltip>
  );
};
