import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { Label } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { keys, queries } from '#web/base/queries.ts';
import { showToast } from './toasts.tsx';

const none: readonly Label[] = [];

/** `of` skips deleted labels. */
export const useLabels = () => {
  const list: readonly Label[] = useQuery(queries.labels).data?.labels ?? none;
  return useMemo(() => {
    const of = (ids: readonly string[]) => list.filter(({ id }) => ids.includes(id));
    return { list, of };
  }, [list]);
};

/** Returns whether it succeeded; shows a toast if not. */
export const useLabelPosts = () => {
  const client = useQueryClient();
  return useCallback(
    async (postIds: readonly string[], change: { add?: readonly string[]; remove?: readonly string[] }) => {
      try {
        for (let from = 0; from < postIds.length; from += batchSize) {
          const batch = postIds.slice(from, from + batchSize);
          await app.labelPosts({ postIds: batch, add: [...(change.add ?? [])], remove: [...(change.remove ?? [])] });
        }
        return true;
      } catch (error) {
        showToast({ tone: 'red', text: describeFailure(error, 'The labels were not changed.') });
        return false;
      } finally {
        void client.invalidateQueries({ queryKey: ['posts'] });
        void client.invalidateQueries({ queryKey: keys.labels });
      }
    },
    [client],
  );
};

const batchSize = 100;
