import { Drawer } from '@mantine/core';
import styles from './side-rail.module.css';
import { usePhone } from './use-phone.ts';

/** What supports the page: beside it on a desk, a sheet from below on a phone (opened by the page). */
export const SideRail = ({
  label,
  width = 340,
  opened = false,
  onClose,
  children,
}: {
  label: string;
  width?: number;
  /** On a phone alone. */
  opened?: boolean;
  onClose?: () => void;
  children: React.ReactNode;
}) => {
  const phone = usePhone();
  if (phone) {
    return (
      <Drawer opened={opened} onClose={() => onClose?.()} title={label} position="bottom" size="85%">
        {children}
      </Drawer>
    );
  }
  return (
    <aside className={styles.rail} style={{ '--rail': `${width}px` } as React.CSSProperties} aria-label={label}>
      {children}
    </aside>
  );
};

/** A page with a rail: `<WithRail rail={<SideRail …/>}>content</WithRail>`. Both scroll on their own. */
export const WithRail = ({ rail, children }: { rail: React.ReactNode; children: React.ReactNode }) => (
  <div className={styles.with}>
    <div className={styles.content}>{children}</div>
    {rail}
  </div>
);
