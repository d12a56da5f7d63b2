import { CalendarClock, Stamp, X } from 'lucide-react';
import type { ApprovalCard } from '#generated/app-client';
import { actions, app } from '#web/base/api.ts';
import { count } from '#web/parts/number.ts';
import { showFault, showToast } from '#web/parts/toasts.tsx';

/** Schedules and moves can be undone until the post goes out. */
export const canUndo = ({ action }: ApprovalCard) => action === 'posts.schedule';

/** The rejection can be taken back while the toast is shown, for six seconds. */
export const offerReopen = ({ id }: ApprovalCard, refresh: () => Promise<unknown>) => {
  const reopen = async () => {
    try {
      await app.reopenApproval({ id });
      showToast({ icon: Stamp, text: 'It waits again.' });
    } catch (error) {
      showFault(error);
    }
    await refresh();
  };
  showToast({
    id: `rejected ${id}`,
    icon: X,
    text: 'Rejected.',
    action: { label: 'Undo', onClick: () => void reopen() },
  });
};

export const offerUndo = (cards: readonly ApprovalCard[], refresh: () => Promise<unknown>) => {
  const undoable = cards.filter(canUndo);
  if (undoable.length === 0) return;
  const moved = undoable.filter(({ becomes }) => becomes).length;
  const words = [
    ...(undoable.length > moved ? [`${count(undoable.length - moved, 'post')} scheduled.`] : []),
    ...(moved > 0 ? [`${count(moved, 'post')} moved.`] : []),
  ];
  const undo = async () => {
    const outcomes = await Promise.allSettled(undoable.map(takeBack));
    await refresh();
    const failed = outcomes.find((one) => one.status === 'rejected');
    if (failed) showFault(failed.reason);
    else showToast({ icon: CalendarClock, text: `${count(undoable.length, 'post')} back as before.` });
  };
  showToast({ icon: CalendarClock, text: words.join(' '), action: { label: 'Undo', onClick: () => void undo() } });
};

/** Back to Draft, or to the time before the move. Text edits stay; the history can restore the earlier text. */
const takeBack = async ({ post, becomes }: ApprovalCard) => {
  const id = post?.id ?? '';
  if (becomes === undefined) return app.unschedule({ id });
  const { accountIds, versions, updatedAt } = await actions.posts.get({ id });
  const scheduledAt = post?.scheduledAt ?? '';
  return actions.posts.update({ id, accountIds, versions, scheduledAt, baseUpdatedAt: updatedAt });
};
