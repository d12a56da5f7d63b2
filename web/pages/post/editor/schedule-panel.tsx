import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { queries } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { MainButton } from '#web/parts/main-button.tsx';
import { TimePicker } from '#web/parts/time-picker/time-picker.tsx';
import { useSuggestedTimes } from '#web/parts/time-picker/use-suggested-times.ts';
import { useTimePicker } from '#web/parts/time-picker/use-time-picker.ts';
import styles from './schedule-panel.module.css';
import { useEditor } from './use-editor.ts';
import { scheduleFormId } from './use-sending.ts';

export default function SchedulePanel({
  at,
  slot,
  takenSlot,
  blockReason,
  onPick,
  onSchedule,
  onPublish,
}: {
  /** Planned time. */
  at: string | undefined;
  /** Next free slot. */
  slot: string | undefined;
  /** A slot that someone else took after it was offered here. */
  takenSlot: string | undefined;
  /** Why the post cannot be scheduled. */
  blockReason: string | undefined;
  onPick: (at: string) => void;
  onSchedule: (at: string) => Promise<unknown>;
  /** Set if the header has no room for the publish button. */
  onPublish: (() => void) | undefined;
}) {
  const { save } = useEditor();
  const zone = useZone();
  const label = useActLabel();
  const suggestions = useSuggestedTimes(save.draft.accountIds, slot);
  const [fault, setFault] = useState<unknown>();
  const picked = useTimePicker({
    initial: at ?? slot ?? suggestions[0]?.at,
    onPick: (next) => {
      setFault(undefined);
      onPick(next);
    },
  });
  const { chosen, problem } = picked;
  const isMoving = save.base?.status === 'Scheduled';
  const [isRunning, setIsRunning] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // The popover moved the focus before this panel had loaded.
  useEffect(() => form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), []);
  const schedule = async () => {
    if (chosen === undefined || isRunning) return;
    setIsRunning(true);
    setFault(undefined);
    try {
      await onSchedule(chosen);
    } catch (error) {
      setFault(error);
    } finally {
      setIsRunning(false);
    }
  };
  const name = chosen === undefined ? '' : ` ${isMoving ? 'to' : 'for'} ${formatDateTime(chosen, zone)}`;
  const hasNoSlots = useQuery(queries.slots).data?.slots.length === 0;
  const notes = (takenSlot !== undefined || hasNoSlots) && (
    <>
      {takenSlot !== undefined && (
        <p className={styles.taken} role="status">
          Someone took {formatDateTime(takenSlot, zone)} just now. {slot !== undefined && 'This one is free.'}
        </p>
      )}
      {hasNoSlots && (
        <p className={styles.caption}>
          No slots yet. <Link to="/settings/slots">Plan weekly times</Link>
        </p>
      )}
    </>
  );
  return (
    <form
      ref={form}
      id={scheduleFormId}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && blockReason === undefined) void schedule();
      }}
    >
      <TimePicker picked={picked} suggestions={suggestions}>
        {notes}
      </TimePicker>
      <div className={styles.foot}>
        {fault !== undefined && (
          <div className={styles.fault}>
            <FaultBanner fault={fault} title={isMoving ? 'The time was not changed' : 'The post was not scheduled'} />
          </div>
        )}
        <MainButton
          variant="send"
          size="lg"
          px={8}
          fullWidth
          type="submit"
          reason={problem ?? blockReason}
          reasonHidden={problem !== undefined}
          loading={isRunning}
          onClick={() => undefined}
        >
          {label(isMoving ? 'Move' : 'Schedule')}
          {name}
          <span className={styles.keys}>
            <Kbd keys="⌘ ⇧ ↵" inverse />
          </span>
        </MainButton>
        {onPublish && (
          <Button
            variant="quiet"
            size="md"
            fullWidth
            leftSection={<Send size={15} aria-hidden="true" />}
            onClick={onPublish}
          >
            {label('Publish now')}
          </Button>
        )}
      </div>
    </form>
  );
}
