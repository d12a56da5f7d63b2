import { handleOf } from '#web/base/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { StateChip } from '#web/parts/state-chip.tsx';
import styles from './result-row.module.css';
import type { Target } from './target.ts';

export const ResultRow = ({
  target,
  line,
  side,
  figure,
  children,
}: {
  target: Target;
  line: React.ReactNode;
  side?: React.ReactNode;
  /** In place of the state. */
  figure?: React.ReactNode;
  children?: React.ReactNode;
}) => {
  const { account, network, provider, state } = target;
  return (
    <li className={styles.row} data-state={state} aria-label={`${provider} ${account ? handleOf(account) : ''}`.trim()}>
      <div className={styles.main}>
        <NetworkBadge network={network || provider} size={32} isColored={state === 'Published'} />
        <div className={styles.text}>
          <p className={styles.name}>
            <b>{provider}</b>
            {account && (
              <span className="one-line small text-3" dir="auto">
                {handleOf(account)}
              </span>
            )}
          </p>
          <div className={`small ${styles.line}`}>{line}</div>
        </div>
        {side && <div className={styles.side}>{side}</div>}
        {figure ?? <StateChip state={state}>{state === 'Publishing' ? 'Working' : undefined}</StateChip>}
      </div>
      {children && <div className={styles.more}>{children}</div>}
    </li>
  );
};
