import { handleOf } from '#web/base/networks.ts';
import styles from './account-chip.module.css';
import { NetworkBadge } from './network-badge.tsx';

/** A toggle button with `onToggle`. */
export const AccountChip = ({
  account,
  pressed,
  onToggle,
}: {
  account: { network: string; handle: string; name: string };
  pressed?: boolean;
  onToggle?: () => void;
}) => {
  const inside = (
    <>
      <NetworkBadge network={account.network} size={20} off={onToggle !== undefined && pressed === false} />
      <span className="one-line" dir="auto">
        {handleOf(account)}
      </span>
    </>
  );
  if (onToggle) {
    return (
      <button type="button" className={styles.chip} aria-pressed={pressed ?? false} onClick={onToggle}>
        {inside}
      </button>
    );
  }
  return <span className={styles.chip}>{inside}</span>;
};
