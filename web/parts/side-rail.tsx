import { Drawer } from '@mantine/core';
import styles from './side-rail.module.css';
import { useIsPhone } from './use-is-phone.ts';

/** An aside, or a drawer on a phone. */
export const SideRail = ({
  label,
  width = 340,
  opened = false,
  onClose,
  returnsFocus = true,
  children,
}: {
  label: string;
  width?: number;
  /** On phones only. */
  opened?: boolean;
  onClose?: () => void;
  /** To what opened the drawer; false when the focus moves on to another place. */
  returnsFocus?: boolean;
  children: React.ReactNode;
}) => {
  const isPhone = useIsPhone();
  if (isPhone) {
    return (
      <Drawer
        opened={opened}
        onClose={() => onClose?.()}
        returnFocus={returnsFocus}
        title={label}
        position="bottom"
        size="85%"
      >
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

/** `<WithRail rail={<SideRail …/>}>content</WithRail>`. Both scroll independently. */
export const WithRail = ({ rail, children }: { rail: React.ReactNode; children: React.ReactNode }) => (
  <div className={styles.with}>
    <div className={styles.content}>{children}</div>
    {rail}
  </div>
);
