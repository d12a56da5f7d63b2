import { Button, Modal, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PostSummary } from '#generated/app-client';
import { faultOf } from '#web/faults.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PostTitle } from '#web/parts/post-title.tsx';
import { addDays, formatDateTime, instantOf, wallTime } from '#web/parts/time.ts';
import { useZone } from '#web/session.ts';
import { todayIn } from './dates.ts';
import styles from './time-dialog.module.css';
import { isPast, type Moves, passedMessage } from './use-moves.ts';

export interface Choosing {
  post: PostSummary;
  /** Initial value; default tomorrow morning. */
  at?: string | undefined;
}

const morning = '09:00:00';

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
  const zone = useZone();
  const initial = at === undefined ? `${addDays(todayIn(zone), 1)} ${morning}` : wallTime(at, zone);
  const [date, setDate] = useState(initial.slice(0, 10));
  const [time, setTime] = useState(initial.slice(11, 16));
  const [running, setRunning] = useState<'schedule' | 'note'>();
  const [fault, setFault] = useState<unknown>();
  const isComplete = /^\d{4}-\d\d-\d\d$/.test(date) && /^\d\d:\d\d$/.test(time);
  const chosen = isComplete ? instantOf(`${date} ${time}:00`, zone) : undefined;
  const reason = chosen === undefined ? 'Choose a date and a time.' : isPast(chosen) ? passedMessage : undefined;
  const isScheduled = post.status === 'Scheduled';

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
      <div className={styles.fields}>
        <TextInput
          type="date"
          label="Date"
          value={date}
          min={todayIn(zone)}
          data-autofocus
          onChange={({ currentTarget }) => setDate(currentTarget.value)}
        />
        <TextInput
          type="time"
          label="Time"
          value={time}
          onChange={({ currentTarget }) => setTime(currentTarget.value)}
        />
      </div>
      <p className={reason ? styles.reason : 'small text-3'} role="status">
        {reason ?? (chosen && `${formatDateTime(chosen, zone)} (${zone})`)}
      </p>
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
            Move
          </Button>
        ) : (
          <>
            <Button loading={running === 'note'} onClick={() => void act('note')} {...blocked}>
              Only keep the time
            </Button>
            <Button type="submit" variant="send" loading={running === 'schedule'} {...blocked}>
              Schedule
            </Button>
          </>
        )}
      </div>
    </form>
  );
};
