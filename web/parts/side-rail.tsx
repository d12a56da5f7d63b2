import { Drawer } from '@mantine/core';
import { useRef } from 'react';
import { PartBoundary } from './part-boundary.tsx';
import styles from './side-rail.module.css';
import { useIsPhone } from './use-is-phone.ts';

/** In px. A shorter movement counts as a tap. */
const shortestSwipe = 64;

/** An aside; on phones a bottom sheet, which a swipe down on its title also closes. */
export const SideRail = ({
  label,
  width = 340,
  opened = false,
  onClose,
  returnsFocus = true,
  foot,
  children,
}: {
  label: string;
  width?: number;
  /** On phones only. */
  opened?: boolean;
  onClose?: () => void;
  /** Whether the focus returns to the element that opened the drawer. False if the focus moves somewhere else. */
  returnsFocus?: boolean;
  /** Stays at the lower edge of the sheet. */
  foot?: React.ReactNode;
  children: React.ReactNode;
}) => {
  const isPhone = useIsPhone();
  const swipe = useSwipeDown(() => onClose?.());
  if (isPhone) {
    return (
      <Drawer
        opened={opened}
        onClose={() => onClose?.()}
        returnFocus={returnsFocus}
        title={
          <span className={styles.grip} {...swipe}>
            {label}
          </span>
        }
        classNames={{ content: styles.sheet ?? '', title: styles.title ?? '', body: styles.body ?? '' }}
        position="bottom"
        size="85%"
      >
        <div>
          <PartBoundary>{children}</PartBoundary>
        </div>
        {foot && <div className={styles.foot}>{foot}</div>}
      </Drawer>
    );
  }
  return (
    <aside className={styles.rail} style={{ '--rail': `${width}px` } as React.CSSProperties} aria-label={label}>
      <PartBoundary>{children}</PartBoundary>
    </aside>
  );
};

const useSwipeDown = (onSwipe: () => void) => {
  const startY = useRef<number>(undefined);
  return {
    onPointerDown: ({ clientY, pointerId, currentTarget }: React.PointerEvent<HTMLElement>) => {
      startY.current = clientY;
      // The finger leaves the title during the swipe, so capture the pointer.
      currentTarget.setPointerCapture(pointerId);
    },
    onPointerUp: ({ clientY }: React.PointerEvent<HTMLElement>) => {
      if (startY.current !== undefined && clientY - startY.current > shortestSwipe) onSwipe();
      startY.current = undefined;
    },
    onPointerCancel: () => {
      startY.current = undefined;
    },
  };
};

/** `<WithRail rail={<SideRail …/>}>content</WithRail>`. Both scroll independently. */
export const WithRail = ({ rail, children }: { rail: React.ReactNode; children: React.ReactNode }) => (
  <div className={styles.with}>
    <div className="grow">
      <PartBoundary>{children}</PartBoundary>
    </div>
    {rail}
  </div>
);
