import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import type { PlannedMove, SelectedPost } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { dateIn, formatDateTime, now } from '#web/base/time.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { count } from '#web/parts/number.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { MonthGrid } from '#web/parts/time-picker/time-picker.tsx';
import styles from './posts.module.css';
import { useBulkActions } from './use-bulk-actions.ts';

/** The server plans at most this many moves at once. */
const maxMoves = 200;

/** Shows the new times before anything is moved. */
const MoveDialog = ({
  posts,
  onClose,
  onMoved,
}: {
  posts: readonly SelectedPost[];
  onClose: () => void;
  onMoved: () => void;
}) => {
  const zone = useZone();
  const { move } = useBulkActions();
  const today = dateIn(now(), zone);
  const [from, setFrom] = useState(today);
  const [month, setMonth] = useState<string>();
  const isTooMany = posts.length > maxMoves;
  const input = { ids: posts.map(({ id }) => id), from, timeZone: zone };
  const plan = useQuery({
    queryKey: keys.movePlan(input),
    queryFn: ({ signal }) => app.planMoves(input, { signal }),
    enabled: !isTooMany,
    staleTime: 0,
  });
  const label = useActLabel();
  const moves: readonly PlannedMove[] = plan.data?.moves ?? [];
  const times = new Map(moves.flatMap(({ id, at }) => (at === undefined ? [] : [[id, at] as const])));
  const movable = posts.filter(({ id }) => times.has(id));
  const hasScheduled = movable.some(({ status }) => status === 'Scheduled');
  const drafts = movable.filter(({ status }) => status === 'Draft').length;
  return (
    <Modal opened onClose={onClose} title={`Move ${count(posts.length, 'post')}`} size={620}>
      <p className={styles.planIntro}>
        The posts keep their order and take the free slots from this day on.
        {drafts > 0 && ' Drafts stay drafts: the time is a suggestion until you schedule them.'}
      </p>
      <section className={styles.planFrom} aria-label="From">
        <MonthGrid picked={{ date: from, today, zone, pickDate: setFrom }} month={month} onMonth={setMonth} />
      </section>
      <div className={styles.plan} aria-live="polite" aria-busy={plan.isFetching}>
        {isTooMany ? (
          <p>At most {maxMoves} posts can be moved at once. Select fewer.</p>
        ) : plan.error ? (
          <FaultBanner fault={plan.error} title="The times could not be planned" onRetry={() => void plan.refetch()} />
        ) : plan.isPending ? (
          <SkeletonRows rows={Math.min(posts.length, 4)} label="Planning the times" />
        ) : (
          <Plan moves={moves} posts={posts} zone={zone} />
        )}
      </div>
      <div className={styles.planButtons}>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant={hasScheduled ? 'send' : 'ink'}
          disabled={movable.length === 0}
          onClick={() => {
            void move(movable, times);
            onClose();
            onMoved();
          }}
        >
          {label(`Move ${count(movable.length, 'post')}`, { isFree: !hasScheduled })}
        </Button>
      </div>
    </Modal>
  );
};

const Plan = ({
  moves,
  posts,
  zone,
}: {
  moves: readonly PlannedMove[];
  posts: readonly SelectedPost[];
  zone: string;
}) => {
  const textOf = new Map(posts.map(({ id, text }) => [id, text]));
  const stuck = moves.filter(({ at }) => at === undefined);
  return (
    <>
      {stuck.length > 0 && (
        <p className={styles.planProblem}>
          {count(stuck.length, 'post')} cannot be moved. <Link to="/settings/slots">Slots</Link>
        </p>
      )}
      <ol className={styles.planList} aria-label="New times">
        {moves.map(({ id, before, at, problem }) => (
          <li key={id}>
            <span className="one-line" dir="auto">
              <PostTitle text={textOf.get(id) ?? ''} />
            </span>
            {at === undefined ? (
              <span className={styles.planProblem}>{problem}</span>
            ) : (
              <span className="number">
                {before === undefined ? 'No time' : formatDateTime(before, zone)}{' '}
                <ArrowRight size={14} role="img" aria-label="becomes" /> <strong>{formatDateTime(at, zone)}</strong>
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  );
};

export default MoveDialog;
