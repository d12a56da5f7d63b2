import { Drawer, Popover } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { lowSheet } from './low-sheet.ts';
import styles from './schedule-dialog.module.css';
import { useIsNarrow } from './use-is-narrow.ts';
import type { Sending } from './use-sending.ts';

const SchedulePanel = lazy(() => import('./schedule-panel.tsx'));

/** Takes the focus until the panel has loaded. */
const Loading = () => (
  <div data-autofocus="" tabIndex={-1}>
    <SkeletonRows rows={6} height={40} />
  </div>
);

/** A popover, or a drawer on a phone. */
export const ScheduleDialog = ({ sending, children }: { sending: Sending; children: React.ReactElement }) => {
  const isPhone = useIsPhone();
  const isNarrow = useIsNarrow();
  const { isPanelOpen, closePanel } = sending;
  const publish = () => {
    closePanel();
    sending.openPublishDialog();
  };
  const close = useRef(closePanel);
  useEffect(() => {
    close.current = closePanel;
  });
  // Escape must also work before the panel has loaded.
  useEffect(() => {
    if (!isPanelOpen) return;
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && close.current();
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isPanelOpen]);
  const panel = (
    <Suspense fallback={<Loading />}>
      <SchedulePanel
        key={sending.takenSlot}
        at={sending.plannedFor}
        slot={sending.slot}
        takenSlot={sending.takenSlot}
        blockReason={sending.blockReason}
        onPick={sending.pick}
        onSchedule={sending.schedule}
        onPublish={isNarrow ? publish : undefined}
      />
    </Suspense>
  );
  if (isPhone) {
    return (
      <>
        {children}
        <Drawer
          opened={sending.isPanelOpen}
          onClose={sending.closePanel}
          title="Schedule"
          position="bottom"
          styles={lowSheet}
        >
          {panel}
        </Drawer>
      </>
    );
  }
  return (
    <Popover
      opened={sending.isPanelOpen}
      onChange={(opened) => !opened && sending.closePanel()}
      position="bottom-end"
      width={358}
      trapFocus
      withRoles={false}
      returnFocus
      withinPortal
      shadow="none"
    >
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown className={styles.panel} role="dialog" aria-label="Schedule">
        {sending.isPanelOpen && panel}
      </Popover.Dropdown>
    </Popover>
  );
};
