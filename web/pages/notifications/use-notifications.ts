import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { app } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { keys } from '#web/queries.ts';

export const useNotifications = () => {
  const { data, ...query } = useInfiniteQuery({
    queryKey: keys.notificationList,
    queryFn: ({ pageParam, signal }) => app.listNotifications({ ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const first = data?.pages[0];
  return {
    ...query,
    needsYou: first?.needsYou ?? [],
    earlier: data?.pages.flatMap(({ earlier }) => earlier) ?? [],
    unread: first?.unread ?? 0,
  };
};

export interface Mark {
  /** Absent: all. */
  ids?: string[];
  read: boolean;
}

export const useMark = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mark: Mark) => app.markNotifications(mark),
    onSuccess: (count) => client.setQueryData(keys.notificationCount, count),
    onError: (error) => showToast({ tone: 'red', text: faultOf(error).message }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.notificationList }),
  });
};
