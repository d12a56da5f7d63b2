import { type MutationKey, useMutation, useMutationState } from '@tanstack/react-query';
import { showFault } from './toasts.tsx';

/**
 * An optimistic change. Pages render the server's state with the pending changes applied, so nothing flickers when a
 * refetch arrives; a refused change disappears with a toast. Changes with the same key are sent in order.
 */
export const useOptimisticChange = <Change, Answer>({
  key,
  send,
  onSuccess,
  onError = showFault,
}: {
  key: MutationKey;
  send: (change: Change) => Promise<Answer>;
  /** Writes the answer to the cache; the change stays pending until then. */
  onSuccess: (answer: Answer, change: Change) => unknown;
  onError?: (error: unknown, change: Change) => unknown;
}) =>
  useMutation({
    mutationKey: key,
    scope: { id: key.join(' ') },
    mutationFn: send,
    onSuccess: async (answer, change) => {
      await onSuccess(answer, change);
    },
    onError: (error, change) => {
      onError(error, change);
    },
  });

/** Oldest first. */
export const usePendingChanges = <Change>(key: MutationKey) =>
  useMutationState({
    filters: { mutationKey: key, exact: true, status: 'pending' },
    select: ({ state }) => state.variables as Change,
  });
