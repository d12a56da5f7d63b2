import type { Query, QueryClient } from '@tanstack/react-query';

/**
 * Refetches a query that was invalidated during its first fetch. TanStack Query does not cancel a first fetch and would
 * keep its answer, which may be older than the change.
 */
export const refetchOutdatedAnswers = (client: QueryClient) => {
  const outdated = new WeakSet<Query>();
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { action, query } = event;
    const { data, fetchStatus } = query.state;
    if (action.type === 'fetch') outdated.delete(query);
    // TanStack Query ignores an invalidation of a query that is already invalidated, and a failed fetch invalidates it.
    // Reset the flag, so that the next event is not ignored.
    if (action.type === 'fetch' && data === undefined) query.setState({ isInvalidated: false });
    if (action.type === 'invalidate' && data === undefined && fetchStatus !== 'idle') outdated.add(query);
    if (action.type === 'success' && outdated.delete(query))
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
};
