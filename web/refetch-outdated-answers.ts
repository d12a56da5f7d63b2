import type { Query, QueryClient } from '@tanstack/react-query';

/**
 * Reads again what changed while its first answer was under way: TanStack Query would keep that answer, which may be older
 * than the change.
 */
export const refetchOutdatedAnswers = (client: QueryClient) => {
  const outdated = new WeakSet<Query>();
  client.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { action, query } = event;
    const { data, fetchStatus } = query.state;
    if (action.type === 'fetch') outdated.delete(query);
    if (action.type === 'invalidate' && data === undefined && fetchStatus !== 'idle') outdated.add(query);
    if (action.type === 'success' && outdated.delete(query))
      void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  });
};
