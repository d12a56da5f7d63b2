import { ActionIcon, Button, Checkbox, Popover } from '@mantine/core';
import { ListFilter } from 'lucide-react';
import { handleOf } from '#web/networks.ts';
import { NetworkBadge, NetworkBadges } from '#web/parts/network-badge.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { usePhone } from '#web/parts/use-phone.ts';
import styles from './account-menu.module.css';

/** Whose numbers are counted; none chosen means all. */
export const AccountMenu = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
}) => {
  const { list, networksOf } = useAccounts();
  const phone = usePhone();
  const label = chosen.length === 0 ? 'All accounts' : chosen.length === 1 ? '1 account' : `${chosen.length} accounts`;
  const shown = chosen.length === 0 ? list.map(({ network }) => network) : networksOf(chosen);
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus>
      <Popover.Target>
        {phone ? (
          <ActionIcon size={40} aria-label={label}>
            <ListFilter size={20} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        ) : (
          <Button>
            <span aria-hidden="true" className={styles.badges}>
              <NetworkBadges networks={[...new Set(shown)].slice(0, 3)} size={16} />
            </span>
            {label}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label="Accounts" className={styles.menu}>
        {list.map((account) => (
          // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside
          <label key={account.id} className={styles.row}>
            <NetworkBadge network={account.network} size={20} />
            <span className={`one-line ${styles.name}`} dir="auto">
              {handleOf(account)}
            </span>
            <Checkbox checked={chosen.includes(account.id)} onChange={() => toggle(account.id)} />
          </label>
        ))}
        {list.length === 0 && <p className="small text-2">No account is connected yet.</p>}
        {chosen.length > 0 && (
          <Button size="xs" variant="quiet" onClick={() => onChange([])}>
            All accounts
          </Button>
        )}
      </Popover.Dropdown>
    </Popover>
  );
};
