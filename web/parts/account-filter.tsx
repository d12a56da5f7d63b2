import { ActionIcon, Button, Checkbox, Popover } from '@mantine/core';
import { Funnel } from 'lucide-react';
import { handleOf } from '#web/networks.ts';
import styles from './account-filter.module.css';
import { NetworkBadge, NetworkBadges } from './network-badge.tsx';
import { useAccounts } from './use-accounts.ts';
import { usePhone } from './use-phone.ts';

/** Which accounts a page shows; none chosen means all. An icon on a phone. */
export const AccountFilter = ({
  chosen,
  withBadges = false,
  onChange,
}: {
  chosen: readonly string[];
  /** Shows whose numbers they are: the badges of the first three in place of the funnel. */
  withBadges?: boolean;
  onChange: (ids: readonly string[]) => void;
}) => {
  const { list, networksOf } = useAccounts();
  const phone = usePhone();
  const shown = chosen.length === 0 ? list.map(({ network }) => network) : networksOf(chosen);
  const all = withBadges ? 'All accounts' : 'Accounts';
  const label = chosen.length === 0 ? all : `Accounts ${chosen.length}`;
  const toggle = (id: string) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <Popover position="bottom-end" width={280} trapFocus returnFocus withinPortal>
      <Popover.Target>
        {phone ? (
          <ActionIcon size={40} aria-label={label} data-on={chosen.length > 0 || undefined}>
            <Funnel size={20} strokeWidth={1.75} aria-hidden="true" />
          </ActionIcon>
        ) : (
          <Button
            leftSection={
              withBadges ? (
                <span aria-hidden="true" className={styles.badges}>
                  <NetworkBadges networks={[...new Set(shown)].slice(0, 3)} size={16} />
                </span>
              ) : (
                <Funnel size={15} aria-hidden="true" />
              )
            }
          >
            {label}
          </Button>
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
