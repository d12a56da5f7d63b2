import { useQueryClient } from '@tanstack/react-query';
import { CalendarClock, CalendarX2 } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import type { PostSummary } from '#generated/app-client';
import { actions } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { useZone } from '#web/base/session.ts';
import { formatDateTime } from '#web/base/time.ts';
import { showIfAsked } from '#web/parts/approval-requests.ts';
import { isPast, passedMessage } from '#web/parts/time-picker/use-time-picker.ts';
import { closeToast, showToast } from '#web/parts/toasts.tsx';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';

export { isPast, passedMessage };

export const showPassed = () => showToast({ id: 'calendar', text: passedMessage, icon: CalendarX2, tone: 'red' });

interface Move {
  id: string;
  at: string;
}
const key = ['move'];

/**
 * A move shows at once and is reverted if the server refuses it. Drafts keep the time as a plan; only `schedule` sends
 * them.
 */
export const useMoves = () => {
  const client = useQueryClient();
  const zone = useZone();
  const { mutateAsync: save } = useOptimisticChange({
    key,
    send: async ({ id, at }: Move) => {
      const { accountIds, versions, updatedAt } = await actions.posts.get({ id });
      await actions.posts.update({ id, accountIds, versions, scheduledAt: at, baseUpdatedAt: updatedAt });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['posts'] }),
    // The toast of the move shows the error.
    onError: () => client.invalidateQueries({ queryKey: ['posts'] }),
  });
  const pending = usePendingChanges<Move>(key);
  const moved = useMemo(() => new Map(pending.map(({ id, at }) => [id, at])), [pending]);

  const move = useCallback(
    async ({ id, scheduledAt: before }: PostSummary, at: string) => {
      if (isPast(at)) return void showPassed();
      const showProgress = async (saving: Promise<void>, text: string, undo?: () => void) => {
        // Undo needs its own toast: pressing it closes the toast of the move.
        const toastId = showToast({
          icon: CalendarClock,
          text,
          ...(undo && { action: { label: 'Undo', onClick: undo } }),
        });
        await saving.catch((error: unknown) =>
          showIfAsked(error)
            ? closeToast(toastId)
            : showToast({ id: toastId, icon: CalendarX2, tone: 'red', text: describeFailure(error, 'Not moved.') }),
        );
      };
      const undo =
        before === undefined
          ? undefined
          : () => void showProgress(save({ id, at: before }), `Moved back to ${formatDateTime(before, zone)}.`);
      await showProgress(save({ id, at }), `Moved to ${formatDateTime(at, zone)}.`, undo);
    },
    [save, zone],
  );

  /** Not optimistic: scheduling must be confirmed by the server. */
  const schedule = useCallback(
    async ({ id }: PostSummary, at: string) => {
      const isDone = await actions.posts.schedule({ id, at }).then(
        () => true,
        (error: unknown) => {
          if (!showIfAsked(error)) throw error;
          return false;
        },
      );
      await client.invalidateQueries({ queryKey: ['posts'] });
      if (isDone) showToast({ id: 'calendar', icon: CalendarClock, text: `Goes out ${formatDateTime(at, zone)}.` });
    },
    [client, zone],
  );

  /** Plans the time; the post stays a draft. */
  const note = useCallback(
    async ({ id }: PostSummary, at: string) => {
      await save({ id, at });
      const text = `Planned for ${formatDateTime(at, zone)}. It goes out when you schedule it.`;
      showToast({ id: 'calendar', icon: CalendarClock, text });
    },
    [save, zone],
  );

  return { moved, move, schedule, note };
};

export type Moves = ReturnType<typeof useMoves>;
