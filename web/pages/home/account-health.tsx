import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TriangleAlert } from 'lucide-react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { queries } from '#web/base/queries.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { Section } from '#web/parts/section.tsx';
import { Skeleton } from '#web/parts/skeleton-rows.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './today.module.css';

const troubleOf = ({ status, statistics }: Account) =>
  status === 'NeedsReconnect' ? 'needs a new sign-in' : statistics === 'Reconnect' ? 'shows no statistics' : undefined;

/** Accounts that need attention come last and have a triangle. */
export const AccountHealth = () => {
  const { list } = useAccounts();
  const { data, error } = useQuery(queries.accounts);
  const isLoading = data === undefined;
  const sorted = list.toSorted((a, b) => Number(troubleOf(a) !== undefined) - Number(troubleOf(b) !== undefined));
  const fine = list.filter((account) => troubleOf(account) === undefined).length;
  if (isLoading && error) return null;
  return (
    <Section title="Accounts" note={!isLoading && <span className="number">{`${fine} of ${list.length} fine`}</span>}>
      {isLoading ? (
        <p className={styles.accounts} aria-busy="true">
          <span className="hidden">Loading</span>
          <Skeleton width={180} />
        </p>
      ) : list.length === 0 ? (
        <p className="small text-2">
          None is connected.{' '}
          <Link to="/accounts" className={styles.inText}>
            Connect an account
          </Link>
        </p>
      ) : (
        <ul className={styles.accounts}>
          {sorted.map((account) => {
            const trouble = troubleOf(account);
            const more = `${handleOf(account)}${trouble ? `, ${trouble}` : ''}`;
            return (
              <li key={account.id}>
                <Link to="/accounts">
                  <NetworkBadge network={account.network} size={24} />
                  {trouble && (
                    <span className={styles.trouble}>
                      <TriangleAlert size={9} aria-hidden="true" />
                    </span>
                  )}
                  <span className="hidden">{more}</span>
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
};
