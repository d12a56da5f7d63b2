import { SegmentedControl } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Coverage, Summary } from '#generated/app-client';
import { handleOf, useNetworks } from '#web/base/networks.ts';
import { usePermissions } from '#web/base/session.ts';
import { NetworkBadge, NetworkBadges } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './by-network.module.css';
import { Panel } from './panel.tsx';

/** Engagement by network or account, highest first, and why the others have none. */
export const ByNetwork = ({ summary, coverage }: { summary: Summary; coverage: Coverage }) => {
  const [by, setBy] = useState<'network' | 'account'>('network');
  const { canManage } = usePermissions();
  const { rows, silent } = useRows(summary, coverage, by);
  const most = Math.max(1, ...rows.map(({ engagement = 0 }) => engagement));
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
        {rows.map(({ id, network, name, engagement, reason }) => (
          <li key={id} className={styles.row}>
            <NetworkBadge network={network} size={18} />
            <span className="one-line" dir="auto" title={name}>
              {name}
            </span>
            {engagement === undefined ? (
              <span className={styles.reason}>
                {reason === 'Reconnect' ? (
                  <>
                    Permission is missing.{' '}
                    {canManage ? <Link to="/accounts">Reconnect</Link> : 'Ask an owner or admin to reconnect.'}
                  </>
                ) : (
                  reasons[reason]
                )}
              </span>
            ) : (
              <span className="meter" aria-hidden="true">
                {engagement > 0 && <span className={styles.bar} style={{ width: `${(engagement / most) * 100}%` }} />}
              </span>
            )}
            <b className="number">{engagement === undefined ? '—' : formatNumber(engagement)}</b>
          </li>
        ))}
        {silent.length > 0 && (
          <li className={`${styles.row} ${styles.silent}`}>
            <NetworkBadges networks={silent} size={18} />
            <span>{silent.length === 1 ? 'This network reports' : 'These networks report'} no numbers</span>
            <b>—</b>
          </li>
        )}
      </ul>
    </Panel>
  );
};

const reasons = { Pending: 'Nothing read yet', NoPosts: 'No post in these days', Disconnected: 'No longer read' };

interface Row {
  id: string;
  network: string;
  name: string;
  /** Absent if nothing was read. */
  engagement?: number;
  reason: 'Reconnect' | keyof typeof reasons;
}

const useRows = (summary: Summary, coverage: Coverage, by: 'network' | 'account') => {
  const networks = useNetworks();
  const { byId } = useAccounts();
  const keyOf = (provider: string) => networks.list.find((one) => one.provider === provider)?.network ?? provider;
  const readable = coverage.accounts.filter(({ statistics }) => statistics !== 'None');
  const silent = coverage.accounts.filter(({ statistics }) => statistics === 'None');
  const idOf = ({ accountId, provider }: Coverage['accounts'][number]) => (by === 'network' ? provider : accountId);
  const totals = new Map<string, number>(
    by === 'network'
      ? summary.byNetwork.map(({ provider, totals }) => [provider, totals.engagement])
      : summary.byAccount.map(({ accountId, totals }) => [accountId, totals.engagement]),
  );
  const rows = [...Map.groupBy(readable, idOf)].map(([id, accounts]): Row => {
    const [first] = accounts as [Coverage['accounts'][number]];
    const account = byId.get(first.accountId);
    return {
      id,
      network: keyOf(first.provider),
      name: by === 'network' ? first.provider : account ? handleOf(account) : 'Disconnected account',
      ...(accounts.some(({ readPosts }) => readPosts > 0) && { engagement: totals.get(id) ?? 0 }),
      reason: reasonOf(accounts),
    };
  });
  return {
    rows: rows.sort((a, b) => (b.engagement ?? -1) - (a.engagement ?? -1)),
    silent: [...new Set(silent.map(({ provider }) => keyOf(provider)))],
  };
};

const reasonOf = (accounts: Coverage['accounts']): Row['reason'] => {
  if (accounts.every(({ statistics }) => statistics === 'Reconnect')) return 'Reconnect';
  if (accounts.every(({ statistics }) => statistics === 'Disconnected')) return 'Disconnected';
  return accounts.some(({ posts }) => posts > 0) ? 'Pending' : 'NoPosts';
};
