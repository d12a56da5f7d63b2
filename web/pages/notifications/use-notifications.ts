import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { Notification } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';

const key = ['marked notifications'];

export const useNotifications = () => {
  const query = useInfiniteQuery({
    queryKey: keys.notificationList,
    queryFn: ({ pageParam, signal }) => app.listNotifications({ ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { data } = query;
  const marks = usePendingChanges<Mark>(key);
  const markOf = (one: Notification) => marks.findLast(({ ids }) => ids === undefined || ids.includes(one.id))?.read;
  const withMark = (one: Notification) => ({ ...one, read: markOf(one) ?? one.read });
  const first = data?.pages[0];
  const needsYou = first?.needsYou ?? [];
  const earlier = data?.pages.flatMap((page) => page.earlier) ?? [];
  const all = [...needsYou, ...earlier];
  const unreadOf = (list: readonly Notification[]) => list.filter(({ read }) => !read).length;
  // Unread notifications beyond the loaded pages, unless all were marked read.
  const isAllRead = marks.findLast(({ ids }) => ids === undefined)?.read === true;
  const unseen = isAllRead || first === undefined ? 0 : first.unread - unreadOf(all);
  return {
    ...query,
    needsYou: needsYou.map(withMark),
    earlier: earlier.map(withMark),
    unread: unseen + unreadOf(all.map(withMark)),
  };
};

export interface Mark {
  /** Absent for all. */
  ids?: string[];
  read: boolean;
}

export const useMark = () => {
  const client = useQueryClient();
  return useOptimisticChange({
    key,
    send: (mark: Mark) => app.markNotifications(mark),
    onSuccess: (count) => {
      client.setQueryData(keys.notificationCount, count);
      return client.invalidateQueries({ queryKey: keys.notificationList });
    },
  });
};
