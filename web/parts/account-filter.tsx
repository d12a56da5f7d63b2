import { Funnel } from 'lucide-react';
import { handleOf } from '#web/base/networks.ts';
import styles from './filter-popover.module.css';
import { FilterPopover } from './filter-popover.tsx';
import { NetworkBadge, NetworkBadges } from './network-badge.tsx';
import { useAccounts } from './use-accounts.ts';

export const AccountFilter = ({
  chosen,
  withBadges = false,
  onChange,
}: {
  chosen: readonly string[];
  /** Shows the badges of the first three accounts instead of the icon. */
  withBadges?: boolean;
  onChange: (ids: readonly string[]) => void;
}) => {
  const { list, networksOf } = useAccounts();
  const networks = chosen.length === 0 ? list.map(({ network }) => network) : networksOf(chosen);
  return (
    <FilterPopover
      name="Accounts"
      icon={Funnel}
      {...(withBadges && {
        label: 'All accounts',
        lead: (
          <span aria-hidden="true" className={styles.badges}>
            <NetworkBadges networks={[...new Set(networks)].slice(0, 3)} size={16} />
          </span>
        ),
      })}
      choices={list.map((account) => ({
        id: account.id,
        name: handleOf(account),
        mark: <NetworkBadge network={account.network} size={20} />,
      }))}
      nothing="No account is connected yet."
      chosen={chosen}
      onChange={onChange}
    />
  );
};
