import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Account } from '#generated/app-client';
import { queries } from '#web/queries.ts';

const none: readonly Account[] = [];

/** `networksOf` skips disconnected accounts. */
export const useAccounts = () => {
  const list: readonly Account[] = useQuery(queries.accounts).data?.accounts ?? none;
  return useMemo(() => {
    const byId = new Map(list.map((account) => [account.id, account]));
    const networksOf = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id)?.network ?? []);
    return { list, byId, networksOf };
  }, [list]);
};
