import { useQuery } from '@tanstack/react-query';
import { useNetworks } from '#web/base/networks.ts';
import { queries } from '#web/base/queries.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { takesText } from './takes-text.ts';

/** Sandbox accounts that accept text alone. */
export const useSandboxAccounts = () => {
  const { list } = useAccounts();
  const networks = useNetworks().list;
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const isSandbox = (network: string) => networks.some((one) => one.network === network && one.sandbox);
  const fits = (network: string) => takesText(limits.find((one) => one.network === network));
  return list.filter(({ network }) => isSandbox(network) && fits(network));
};
