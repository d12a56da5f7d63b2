import { useEffect } from 'react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { usePageSearch } from '#web/parts/use-page-search.ts';

/** Confirms a connection once, then removes it from the address. */
export const useConnectedToast = (accounts: readonly Account[] | undefined, isFetching: boolean) => {
  const [{ connected }, setSearch] = usePageSearch<'connected'>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: run once, when the accounts have loaded
  useEffect(() => {
    if (!connected || !accounts) return;
    const ids = connected.split(',');
    const newAccounts = accounts.filter(({ id }) => ids.includes(id));
    if (newAccounts.length < ids.length && isFetching) return;
    void setSearch({ connected: undefined }, { replace: true });
    if (newAccounts.length === 0) return;
    const names = newAccounts.map((account) => `${handleOf(account)} on ${account.provider}`).join(', ');
    const link = { to: '/posts/$id', params: { id: 'new' } } as const;
    showToast({ id: 'connected', text: `Connected ${names}.`, action: { label: 'Write a post', link } });
  }, [connected, accounts, isFetching]);
};
