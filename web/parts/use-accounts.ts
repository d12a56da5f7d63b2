import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Account } from '#generated/app-client';
import { queries } from '#web/base/queries.ts';

const none: readonly Account[] = [];

/** `networksOf` skips disconnected accounts. */
export const useAccounts = () => {
  const { data } = useQuery(queries.accounts);
  const list: readonly Account[] = data?.accounts ?? none;
  return useMemo(() => {
    const byId = new Map(list.map((account) => [account.id, account]));
    const networksOf = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id)?.network ?? []);
    /** Name for an account that is not in the list. Before the list has loaded, the account may still be connected. */
    const absentName = data === undefined ? 'account' : 'disconnected account';
    return { list, byId, networksOf, absentName };
  }, [list, data]);
};
