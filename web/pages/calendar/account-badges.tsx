import { handleOf } from '#web/base/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './calendar.module.css';

/** All badges on means the same as no filter. */
export const AccountBadges = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (ids: readonly string[]) => void;
}) => {
  const { list } = useAccounts();
  const isOn = (id: string) => chosen.length === 0 || chosen.includes(id);
  const toggle = (id: string) => {
    const next = list.map((one) => one.id).filter((one) => isOn(one) !== (one === id));
    onChange(next.length === list.length ? [] : next);
  };
  if (list.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row everywhere
    <div className={styles.filter} role="group" aria-label="Accounts">
      <span className="small text-2">Accounts</span>
      {list.map((account) => (
        <button
          key={account.id}
          type="button"
          className={styles.badge}
          aria-pressed={isOn(account.id)}
          onClick={() => toggle(account.id)}
        >
          <NetworkBadge network={account.network} size={24} isColored off={!isOn(account.id)} />
          <span className="hidden">{handleOf(account)}</span>
        </button>
      ))}
      {chosen.length > 0 && (
        <button type="button" className={styles.choose} onClick={() => onChange([])}>
          Show all
        </button>
      )}
    </div>
  );
};
