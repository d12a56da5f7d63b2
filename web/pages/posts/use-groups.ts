import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';

export const statuses = ['Draft', 'Scheduled', 'Publishing', 'Published', 'Failed'] as const;
export type Status = (typeof statuses)[number];
export type GroupName = 'Scheduled' | 'Drafts' | 'Sent';

export interface Filter {
  query: string;
  /** Comma-separated; empty for all. */
  accountIds: string;
  labelIds: string;
}

const groupOf: Record<Status, GroupName> = {
  Draft: 'Drafts',
  Scheduled: 'Scheduled',
  Publishing: 'Sent',
  Published: 'Sent',
  Failed: 'Sent',
};

const none: readonly PostSummary[] = [];

const useGroup = (name: GroupName, status: Status | undefined, filter: Filter) => {
  const input = { group: name, ...(status !== undefined && { status }), ...filter };
  const query = useInfiniteQuery({
    queryKey: keys.search(input),
    queryFn: ({ pageParam, signal }) =>
      app.searchPosts({ ...input, ...(pageParam !== undefined && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: status === undefined || groupOf[status] === name,
  });
  const { data, error, refetch, isPending, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } =
    query;
  return {
    name,
    /** Undefined while loading. */
    posts: data === undefined ? undefined : data.pages.flatMap(({ posts }) => posts as readonly PostSummary[]),
    pages: data?.pages.length ?? 0,
    error,
    refetch,
    isPending,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    isMoreFailed: isFetchNextPageError,
    loadMore: fetchNextPage,
  };
};

export type Group = ReturnType<typeof useGroup>;

export const useGroups = (status: Status | undefined, filter: Filter): Group[] => {
  const all = [
    useGroup('Scheduled', status, filter),
    useGroup('Drafts', status, filter),
    useGroup('Sent', status, filter),
  ];
  return status === undefined ? all : all.filter(({ name }) => name === groupOf[status]);
};

/** Undefined while loading. */
export const useCounts = (filter: Filter): Readonly<Record<Status, number>> | undefined => {
  const { data } = useQuery({
    queryKey: keys.counts(filter),
    queryFn: ({ signal }) => app.countPosts(filter, { signal }),
    placeholderData: keepPreviousData,
  });
  return data?.counts;
};

export const rowsOf = (group: Group) => group.posts ?? none;
