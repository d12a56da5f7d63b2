import { Button, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import { faultOf } from '#web/base/faults.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PostTitle } from '#web/parts/post-title.tsx';
import { TimePicker } from '#web/parts/time-picker/time-picker.tsx';
import { useSuggestedTimes } from '#web/parts/time-picker/use-suggested-times.ts';
import { useTimePicker } from '#web/parts/time-picker/use-time-picker.ts';
import { useNextSlot } from '#web/parts/use-next-slot.ts';
import styles from './time-dialog.module.css';
import type { Moves } from './use-moves.ts';

export interface Choosing {
  post: PostSummary;
  /** Initial value; default tomorrow morning. */
  at?: string | undefined;
}

/** Keyboard equivalent of dragging: moves a scheduled post, schedules or plans a draft. */
export const TimeDialog = ({
  choosing,
  moves,
  onClose,
}: {
  choosing: Choosing | undefined;
  moves: Moves;
  onClose: () => void;
}) => (
  <Modal
    opened={choosing !== undefined}
    onClose={onClose}
    title={choosing?.post.status === 'Scheduled' ? 'Move to…' : 'Choose a time'}
    size={420}
  >
    {choosing && <TimeForm key={choosing.post.id} choosing={choosing} moves={moves} onClose={onClose} />}
  </Modal>
);

const TimeForm = ({
  choosing: { post, at },
  moves,
  onClose,
}: {
  choosing: Choosing;
  moves: Moves;
  onClose: () => void;
}) => {
  const picked = useTimePicker({ initial: at });
  const { chosen, problem: reason } = picked;
  const suggestions = useSuggestedTimes(post.accountIds, useNextSlot(post.accountIds));
  const [running, setRunning] = useState<'schedule' | 'note'>();
  const [fault, setFault] = useState<unknown>();
  const isScheduled = post.status === 'Scheduled';
  const label = useActLabel();

  const act = async (which: 'schedule' | 'note') => {
    if (chosen === undefined || reason !== undefined || running) return;
    if (isScheduled) {
      onClose();
      void moves.move(post, chosen);
      return;
    }
    setRunning(which);
    setFault(undefined);
    try {
      await moves[which](post, chosen);
      onClose();
    } catch (error) {
      setFault(error);
    } finally {
      setRunning(undefined);
    }
  };
  const blocked = { 'aria-disabled': reason !== undefined || undefined };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void act('schedule');
      }}
    >
      <p className={`one-line ${styles.chosen}`} dir="auto">
        <PostTitle text={post.text} />
      </p>
      <div className={styles.picker}>
        <TimePicker picked={picked} suggestions={suggestions} />
      </div>
      {fault !== undefined && (
        <div className={styles.fault}>
          <FaultBanner fault={fault} title="Not scheduled" />
          {faultOf(fault).code === 'Invalid' && (
            <Link to="/posts/$id" params={{ id: post.id }}>
              Open it in the editor
            </Link>
          )}
        </div>
      )}
      <div className={styles.buttons}>
        {isScheduled ? (
          <Button type="submit" variant="ink" {...blocked}>
            {label('Move')}
          </Button>
        ) : (
          <>
            <Button loading={running === 'note'} onClick={() => void act('note')} {...blocked}>
              Save the time only
            </Button>
            <Button type="submit" variant="send" loading={running === 'schedule'} {...blocked}>
              {label('Schedule')}
            </Button>
          </>
        )}
      </div>
    </form>
  );
};
