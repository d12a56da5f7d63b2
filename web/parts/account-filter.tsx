import { ActionIcon, Button, Checkbox, Popover } from '@mantine/core';
import { Funnel } from 'lucide-react';
import { handleOf } from '#web/networks.ts';
import styles from './account-filter.module.css';
import { NetworkBadge } from './network-badge.tsx';
import { useAccounts } from './use-accounts.ts';
import { usePhone } from './use-phone.ts';

/** Which accounts a page shows; none chosen means all. An icon on a phone. */
export const AccountFilter = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
}) => {
  const { list } = useAccounts();
  const phone = usePhone();
  const label = chosen.length === 0 ? 'Accounts' : `Accounts ${chosen.length}`;
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus withinPortal>
      <Popover.Target>
        {phone ? (
          <ActionIcon size={40} aria-label={label} data-on={chosen.length > 0 || undefined}>
            <Funnel size={20} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        ) : (
          <Button leftSection={<Funnel size={16} aria-hidden="true" />}>{label}</Button>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label="Accounts">
        <div className={styles.list}>
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
        </div>
        {chosen.length > 0 && (
          <div className={styles.foot}>
            <Button size="xs" variant="quiet" onClick={() => onChange([])}>
              Show all
            </Button>
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
};
