import { type MutationKey, useMutation, useMutationState } from '@tanstack/react-query';
import { faultOf } from '#web/faults.ts';
import { showToast } from './toasts.tsx';

/**
 * A choice that shows before its answer. A page shows what the server said last with the pending changes on top, so
 * that nothing jumps back, whatever is read meanwhile; a change that is refused goes, and its reason is told. Changes of
 * one key are sent one after the other, in the order in which they were made.
 */
export const useChange = <Change, Answer>({
  key,
  send,
  answered,
  refused = (error) => showToast({ tone: 'red', text: faultOf(error).message }),
}: {
  key: MutationKey;
  send: (change: Change) => Promise<Answer>;
  /** Until this is done the change is pending: it puts the answer where the page reads it. */
  answered: (answer: Answer, change: Change) => unknown;
  refused?: (error: unknown, change: Change) => unknown;
}) =>
  useMutation({
    mutationKey: key,
    scope: { id: key.join(' ') },
    // Without a connection it is refused like any other, not kept for a page that may be closed by then.
    networkMode: 'always',
    mutationFn: send,
    onSuccess: async (answer, change) => {
      await answered(answer, change);
    },
    onError: (error, change) => {
      refused(error, change);
    },
  });

/** The oldest first. */
export const usePending = <Change>(key: MutationKey) =>
  useMutationState({
    filters: { mutationKey: key, exact: true, status: 'pending' },
    select: ({ state }) => state.variables as Change,
  });
