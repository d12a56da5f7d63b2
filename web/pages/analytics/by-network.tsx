import { SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Summary } from '#generated/app-client';
import { handleOf, useNetworks } from '#web/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './by-network.module.css';
import { Panel } from './panel.tsx';

/** Engagement by network or account, highest first. */
export const ByNetwork = ({ summary, accountIds }: { summary: Summary; accountIds: readonly string[] }) => {
  const [by, setBy] = useState<'network' | 'account'>('network');
  const rows = useRows(summary, by);
  const most = Math.max(1, ...rows.map(({ engagement }) => engagement));
  return (
    <Panel
      title={by === 'network' ? 'By network' : 'By account'}
      side={
        <SegmentedControl
          aria-label="Engagement by"
          value={by}
          onChange={(value) => setBy(value as typeof by)}
          data={[
            { value: 'network', label: 'Networks' },
            { value: 'account', label: 'Accounts' },
          ]}
        />
      }
    >
      <ul className={styles.list} aria-label={`Engagement by ${by}`}>
        {rows.map(({ id, network, name, engagement }) => (
          <li key={id} className={styles.row}>
            <NetworkBadge network={network} size={18} />
            <span className={`one-line ${styles.name}`} dir="auto" title={name}>
              {name}
            </span>
            <span className={styles.track} aria-hidden="true">
              {engagement > 0 && <span className={styles.bar} style={{ width: `${(engagement / most) * 100}%` }} />}
            </span>
            <b className="number">{formatNumber(engagement)}</b>
          </li>
        ))}
      </ul>
      {rows.length === 0 && <p className="small text-2">None of these networks reports numbers.</p>}
      <SilentNote accountIds={accountIds} />
    </Panel>
  );
};

interface Row {
  id: string;
  network: string;
  name: string;
  engagement: number;
}

const useRows = (summary: Summary, by: 'network' | 'account'): Row[] => {
  const networks = useNetworks();
  const { list, byId } = useAccounts();
  const keyOf = (provider: string) => networks.list.find((one) => one.provider === provider)?.network ?? provider;
  const silent = new Set<string>(list.filter(({ statistics }) => statistics === 'None').map(({ network }) => network));
  const rows =
    by === 'network'
      ? summary.byNetwork.map(({ provider, totals }) => ({
          id: provider,
          network: keyOf(provider),
          name: provider,
          engagement: totals.engagement,
        }))
      : summary.byAccount.map(({ accountId, provider, totals }) => {
          const account = byId.get(accountId);
          return {
            id: accountId,
            network: keyOf(provider),
            name: account ? handleOf(account) : 'Disconnected account',
            engagement: totals.engagement,
          };
        });
  return rows
    .filter(({ network, engagement }) => engagement > 0 || !silent.has(network))
    .sort((a, b) => b.engagement - a.engagement);
};

/** Accounts without statistics, and how to get them. */
const SilentNote = ({ accountIds }: { accountIds: readonly string[] }) => {
  const { list } = useAccounts();
  const accounts = list.filter(({ id }) => accountIds.length === 0 || accountIds.includes(id));
  const namesOf = (statistics: 'None' | 'Reconnect') => [
    ...new Set(accounts.filter((account) => account.statistics === statistics).map(({ provider }) => provider)),
  ];
  const [none, reconnect] = [namesOf('None'), namesOf('Reconnect')];
  if (none.length + reconnect.length === 0) return null;
  return (
    <p className={`caption ${styles.note}`}>
      {none.length > 0 && `${joinWithAnd(none)} ${none.length === 1 ? 'reports' : 'report'} nothing. `}
      {reconnect.length > 0 && (
        <>
          <Link to="/accounts">Reconnect {joinWithAnd(reconnect)}</Link> to read statistics.
        </>
      )}
    </p>
  );
};
