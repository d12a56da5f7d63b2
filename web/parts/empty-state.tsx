import type { LucideIcon } from 'lucide-react';
import styles from './empty-state.module.css';

export const EmptyState = ({
  icon: Icon,
  title,
  children,
  action,
  level = 2,
}: {
  icon: LucideIcon;
  title: string;
  children?: React.ReactNode;
  action?: React.ReactNode;
  level?: 2 | 3;
}) => {
  const Heading = `h${level}` as const;
  return (
    <div className={styles.empty}>
      <span className={styles.tile}>
        <Icon size={20} aria-hidden="true" />
      </span>
      <Heading className={styles.title}>{title}</Heading>
      {children && <div className={styles.text}>{children}</div>}
      {action && <div className={styles.action}>{action}</div>}
    </div>
  );
};
